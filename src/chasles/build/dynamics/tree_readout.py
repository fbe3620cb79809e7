r"""Joint wrenches and accelerations of trees that charts have no equations for.

Frames have no mass, and couplings act on any number of bodies.  The recursion takes both.  Its pass
inward gives the whole wrench F of a joint, along the joint's own coordinates
$S^T F = \tau_{driver} - I_r\ddot q$.  What a driver exerts is taken out; what a rotor takes stays
with its joint.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.build import Setup
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.coupled import coordinate_row, coupled_places
from chasles.build.system.state import State
from chasles.build.system.tree_setup import tree_setup
from chasles.build.system.tree_state import place_of, state_of
from chasles.build.system.turns import angle_columns, hinge_names
from chasles.core.arrays import ROW_WIDTH, Floats
from chasles.model import Driver, Model
from chasles.model.coordinates import ANGLE


def needs_tree(model: Model) -> bool:
    """Whether a body of a model has no mass, or coordinates are coupled."""
    return bool(model.couplings) or any(body.mass == 0.0 for body in model.bodies)


def has_rotors(model: Model) -> bool:
    return any(joint.rotors for joint in model.joints)


class OnPairs(NamedTuple):
    """What the pairs of a model tell at states."""

    wrenches: Floats  # (T, m, 12) of the joints; what a coupling does on bodies is not among them
    couplings: Floats  # (T, c) -lambda: times f' it is what they exert along a coordinate
    rates: Floats  # (T, n, 6) V'


def read_on_pairs(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None = None,
    problem: TreeProblem | None = None, multipliers: Floats | None = None,
) -> OnPairs:  # fmt: skip
    """At absolute states (T, n, 18), by the recursion, on the tree of a problem if it is given.

    `known` (T, coordinates) has angles with their whole turns, see `coordinate_keys`.  Under the
    multipliers (T, rows) of a method of index 2 or 3, if they are given: every joint exerts what
    its rows do, and what carries a body the rest, so that all bodies are in balance.
    """
    problem = problem or tree_problem(setup)
    states, own = Readings(problem, setup, integrals, known), problem.setup
    joints, order = setup.system.joints, states.order
    wrenches = np.zeros((len(absolute), setup.system.joint_count, ROW_WIDTH))
    rates, places = np.zeros((*absolute.shape[:2], 6)), coupled_places(own)
    couplings = np.zeros((len(absolute), len(places)))
    efforts = np.zeros((len(absolute), problem.tree.rate_count))
    carried = tree_setup(own).body_of
    for k, t in enumerate(times.tolist()):
        given = None if multipliers is None else multipliers[k]
        found = problem.reactions(states.at(k, absolute[k]), t, given)
        efforts[k], rates[k, order] = found.efforts, found.twist_rates
        couplings[k] = -found.multipliers[places]
        for index in np.unique(problem.loops.joints).tolist():  # -J^T lambda of what is cut
            first = int(own.system.joints.first_row[index])
            rows = slice(first, first + int(own.system.joints.span[index]))
            wrenches[k, index] = -found.multipliers[rows] @ problem.work.jacobian[rows]
        for name, body in carried.items():
            index, halves = setup.joint_index[name], found.on_bodies[body].reshape(2, 6)
            wrenches[k, index] += halves[:: 1 if joints.b[index] == order[body] else -1].ravel()
    for driver in setup.model.drivers:
        if not isinstance(driver, Driver) or driver.joint not in carried:
            continue  # a row like those of cut joints
        body, driven = carried[driver.joint], setup.model.joint(driver.joint)
        at = place_of(problem.tree, body, driven, driver.coordinate)[1]
        index, joint = setup.joint_index[driver.name], setup.joint_index[driver.joint]
        row = coordinate_row(setup, driver.joint, driver.coordinate, absolute)
        pushed = (efforts[:, at, None] * row).reshape(-1, 2, 6)
        wrenches[:, joint] -= pushed.reshape(-1, ROW_WIDTH)
        same = joints.b[index] == joints.b[joint]  # whether both have the bodies in one order
        wrenches[:, index] = pushed[:, :: 1 if same else -1].reshape(-1, ROW_WIDTH)
    return OnPairs(wrenches, couplings, rates)


def own_readings(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None,
    multipliers: Floats,
) -> tuple[Any, OnPairs] | None:  # fmt: skip
    """What the multipliers (T, rows) of a method of index 2 or 3 tell, and at which times (T,).

    They are the method's own: what the joints that carry bodies exert follows from the balance of
    the bodies under them.  At the start they are not known (NaN).
    """
    problem = TreeProblem.from_setup(setup)
    if problem.loops.row_count == 0:
        return None
    found = ~np.isnan(multipliers[:, problem.loops.source]).any(axis=1)
    if not found.any():
        return None
    return found, read_on_pairs(
        setup, absolute[found], times[found], integrals[found],
        None if known is None else known[found], problem, multipliers[found],
    )  # fmt: skip


class Readings:
    """States of a run as the tree of a problem takes them, with the whole turns that were counted.

    `integrals` (T, quadratures) and `known` (T, coordinates, or None) are those of the run, whose
    arrays are `setup`: joints that have rows there are counted among its integrals.
    """

    def __init__(
        self, problem: TreeProblem, setup: Setup, integrals: Floats, known: Floats | None
    ) -> None:
        self.problem, self.integrals, self.known = problem, integrals, known
        self.keys = coordinate_keys(setup.model)
        self.counted = angle_columns(setup)
        self.places = tree_setup(problem.setup).body_of
        self.hinges = hinge_names(problem.setup)
        self.order = [setup.body_index[name] for name in problem.setup.body_index]

    def value(self, k: int, joint: str, word: str) -> float | None:
        """A coordinate at the k-th state; None where poses tell it."""
        found = np.nan if self.known is None else self.known[k, self.keys.index((joint, word))]
        if not np.isfinite(found) and word == ANGLE and joint in self.counted:
            found = self.integrals[k, self.counted[joint][0]]
        return float(found) if np.isfinite(found) else None

    def at(self, k: int, absolute: Floats) -> Floats:
        """The k-th state (q + v,) of poses and twists (n, 18); its integrals go to the problem."""
        known = {
            (self.places[joint], word): value
            for joint, word in self.keys
            if joint in self.places and (value := self.value(k, joint, word)) is not None
        }
        first, own = self.problem.setup.system.hinges.first, self.problem.work.quadratures
        own[:first] = self.integrals[k, :first]
        for number, joint in enumerate(self.hinges):
            own[first + number] = self.value(k, joint, ANGLE) or 0.0
        return state_of(self.problem.tree, absolute[self.order], known)


def tree_problem(setup: Setup) -> TreeProblem:
    """The tree of a model, whose motors are given the inputs that were held over the run."""
    start = None
    if setup.start is not None:  # what was entered may be open, or move against its joints
        rows = setup.start[[setup.body_index[name] for name in setup.model.body_names]]
        start = State.from_absolute(0.0, setup.model, rows, setup.angles, setup.displacements)
    problem = TreeProblem.from_model(setup.model, start=start, shared=True)
    problem.setup.signals.given = setup.signals.given
    return problem
