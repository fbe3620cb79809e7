r"""Joint wrenches and accelerations of trees that charts have no equations for.

Frames have no mass, and couplings act on any number of bodies.  The recursion takes both.  Its pass
inward gives the whole wrench F of a joint, along the joint's own coordinates
$S^T F = \tau_{driver} - I_r\ddot q$.  What a driver exerts is taken out; what a rotor takes stays
with its joint.
"""

from typing import Any

import numpy as np

from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.build import Setup
from chasles.build.system.build_tree import COORDINATES
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.coupled import coupled_places
from chasles.build.system.gaps import frame_of, pose_history
from chasles.build.system.state import State
from chasles.build.system.tree_state import carried_by, state_of
from chasles.build.system.turns import angle_columns, hinge_names
from chasles.core.arrays import DRIVEN_TURN, ROW_WIDTH, Floats
from chasles.core.forces.motion import times_row
from chasles.core.rows import column, frame_seen_from_a, rotation_row, translation_row
from chasles.model import Driver, Model
from chasles.model.coordinates import ANGLE


def needs_tree(model: Model) -> bool:
    """Whether a body of a model has no mass, or coordinates are coupled."""
    return bool(model.couplings) or any(body.mass == 0.0 for body in model.bodies)


def has_rotors(model: Model) -> bool:
    return any(joint.rotors for joint in model.joints)


def tree_wrenches(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None = None
) -> Floats:
    """Joint wrenches (T, m, 12) at absolute states (T, n, 18), by the recursion.

    `known` (T, coordinates) has angles with their whole turns, see `coordinate_keys`.  What a
    coupling does on bodies is not among them: see `coupling_multipliers`.
    """
    return wrenches_by(tree_problem(setup), setup, absolute, times, integrals, known)


def wrenches_by(
    problem: TreeProblem, setup: Setup, absolute: Floats, times: Floats, integrals: Floats,
    known: Floats | None = None, multipliers: Floats | None = None,
) -> Floats:  # fmt: skip
    """The same with the tree of a problem.

    Under the multipliers (T, rows) of a method of index 2 or 3, if they are given: every joint
    exerts what its rows do, and what carries a body the rest, so that all bodies are in balance.
    """
    states, own = Readings(problem, setup, integrals, known), problem.setup
    joints, order = setup.system.joints, states.order
    wrenches = np.zeros((len(absolute), setup.system.joint_count, ROW_WIDTH))
    efforts = np.zeros((len(absolute), problem.tree.rate_count))
    carried = carried_by(own)
    for k, t in enumerate(times.tolist()):
        given = None if multipliers is None else multipliers[k]
        found = problem.reactions(states.at(k, absolute[k]), t, given)
        efforts[k] = found.efforts
        for index in np.unique(problem.loops.joints).tolist():  # -J^T lambda of what is cut
            first = int(own.system.joints.first_row[index])
            rows = slice(first, first + int(own.system.joints.span[index]))
            wrenches[k, index] = -found.multipliers[rows] @ problem.work.jacobian[rows]
        for name, body in carried.items():
            index, child = setup.joint_index[name], order[body]
            on_parent, on_child = found.on_bodies[body].reshape(2, 6)
            first = on_parent if joints.b[index] == child else on_child
            second = on_child if joints.b[index] == child else on_parent
            wrenches[k, index] += np.concatenate((first, second))
    for driver in setup.model.drivers:
        if not isinstance(driver, Driver) or driver.joint not in carried:
            continue  # a row like those of cut joints
        words = COORDINATES[setup.model.joint(driver.joint).kind]
        at = int(problem.tree.rate_at[carried[driver.joint]]) + words.index(driver.coordinate)
        index, joint = setup.joint_index[driver.name], setup.joint_index[driver.joint]
        wrenches[:, index] = driver_wrench(setup, index, absolute, efforts[:, at])
        wrenches[:, joint] -= in_order_of(setup, index, joint, wrenches[:, index])
    return wrenches


def coupling_multipliers(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None = None
) -> Floats:
    r"""(T, c) $-\lambda$ of all couplings: times f' it is what they exert along a coordinate."""
    problem = tree_problem(setup)
    places, states = coupled_places(problem.setup), Readings(problem, setup, integrals, known)
    found = np.zeros((len(absolute), len(places)))
    for k, t in enumerate(times.tolist()):
        found[k] = -problem.reactions(states.at(k, absolute[k]), t).multipliers[places]
    return found


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
        self.places = carried_by(problem.setup)
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


def tree_accelerations(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None = None
) -> Floats:
    """V' (T, n, 6) at absolute states (T, n, 18), by the recursion."""
    problem = tree_problem(setup)
    states, rates = Readings(problem, setup, integrals, known), np.zeros((*absolute.shape[:2], 6))
    for k, t in enumerate(times.tolist()):
        rates[k, states.order] = problem.twist_rates(states.at(k, absolute[k]), t)
    return rates


def tree_problem(setup: Setup) -> TreeProblem:
    """The tree of a model, whose motors are given the inputs that were held over the run."""
    start = None
    if setup.start is not None:  # what was entered may be open, or move against its joints
        rows = setup.start[[setup.body_index[name] for name in setup.model.body_names]]
        start = State.from_absolute(0.0, setup.model, rows, setup.angles, setup.displacements)
    problem = TreeProblem.from_model(setup.model, start=start)
    problem.setup.signals.given = setup.signals.given
    return problem


def driver_wrench(setup: Setup, index: int, absolute: Floats, effort: Floats) -> Floats:
    """Of a driver on its bodies a and b (T, 12), body frames at the centres of mass."""
    joints = setup.system.joints
    axes, point = frame_of(joints, index, "b")
    a, b = (pose_history(absolute, int(body[index])) for body in (joints.a, joints.b))
    seen_axes, seen_point = frame_seen_from_a(a, b, axes, point)
    if int(joints.locked[index]) == DRIVEN_TURN:
        rows: Any = rotation_row(column(seen_axes, 2)), rotation_row(column(axes, 2))
    else:
        rows = (
            translation_row(column(seen_axes, 2), seen_point, 0.0),
            translation_row(column(axes, 2), point, 0.0),
        )
    parts = [*times_row(rows[0], -effort), *times_row(rows[1], effort)]
    return np.stack([np.broadcast_to(x, effort.shape) for part in parts for x in part], axis=-1)


def in_order_of(setup: Setup, driver: int, joint: int, wrench: Floats) -> Floats:
    """A driver's wrenches in the order in which its joint has the two bodies."""
    same = setup.system.joints.b[driver] == setup.system.joints.b[joint]
    return wrench if same else np.concatenate((wrench[:, 6:], wrench[:, :6]), axis=1)
