"""A tree of lower pairs ready to step on the subgroups of its joints."""

from dataclasses import dataclass

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.recursion.tree import DOF, SPHERICAL, STORED, make_recursion
from chasles.core.retraction import slope_length
from chasles.core.stage import Promises
from chasles.core.state_block import layout_of
from chasles.core.watch import make_watch
from chasles.dynamics.solver import Solver
from chasles.integrators.methods import Method
from chasles.model import Driver
from chasles.spaces.tree import spanning_tree
from chasles.stepper import Stepper
from chasles.system.build_tree import COORDINATES, build_tree, links_of
from chasles.system.tree_state import state_of


@dataclass(frozen=True)
class TreeStepper(Stepper):
    """The same for a tree on its joint subgroups."""

    mechanism: TreeMechanism

    def first_point(self) -> Floats:
        setup, carried = self.solver.setup, spanning_tree(self.solver.setup.model).parents
        angles = {
            index: setup.angles[joint[1]]
            for name, index in setup.body_index.items()
            if (joint := carried[name]) is not None and joint[1] in setup.angles
        }
        return state_of(self.mechanism.tree, self.solver.start, angles)

    def first_momentum(self) -> Floats:
        return np.zeros((0, 3))

    def absolute(self, points: Floats) -> Floats:
        tree = self.mechanism.tree
        out = np.zeros((len(points), tree.body_count, ABSOLUTE_WIDTH))
        tree_absolute(tree, self.mechanism.memory, np.ascontiguousarray(points), out)
        return out

    def spins(self, point: Floats) -> tuple[Floats, Floats]:
        tree = self.mechanism.tree
        first = tree.stored_count + tree.rate_at
        speeds = np.array([np.linalg.norm(point[at : at + 3]) for at in first])
        return np.where(tree.pair >= SPHERICAL, speeds, 0.0), speeds

    def removed(self, block: Floats) -> dict[str, float]:
        return {}  # there is nothing to remove

    def lost_bodies(self, point: Floats) -> list[int]:
        tree, lost = self.mechanism.tree, []
        for body, pair in enumerate(tree.pair.tolist()):
            q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
            own = (*point[q : q + STORED[pair]], *point[v : v + DOF[pair]])
            if not np.isfinite(own).all():
                lost.append(body)
        return lost


def make_tree_stepper(
    solver: Solver, method: Method, promises: Promises, until: float = 0.0
) -> TreeStepper:
    """Storage for a model that is a tree, and a method, for times up to `until`."""
    setup, model = solver.setup, solver.setup.model
    system = setup.system._replace(signals=setup.signals.arrays(until))
    drives = {
        name: int(system.joints.drive[setup.joint_index[name]]) for name in model.driver_names
    }
    links = links_of(model, list(setup.body_index), drives=drives)
    tree = build_tree(links, model.gravity)
    coordinates = np.full(system.joint_count, -1, np.int64)
    body_of = {link.joint: body for body, link in enumerate(links)}
    for driver in model.drivers:
        assert isinstance(driver, Driver)  # others are refused
        known = COORDINATES[model.joint(driver.joint).kind]
        first = int(tree.rate_at[body_of[driver.joint]])
        coordinates[setup.joint_index[driver.name]] = first + known.index(driver.coordinate)
    none = np.zeros(0, np.int64)
    rates, stored = tree.rate_count, tree.stored_count
    mechanism = TreeMechanism(
        system=system,
        tree=tree,
        memory=make_recursion(tree, solver.work.signals, system.force_count > 0, efforts=False),
        watch=make_watch(
            solver.plan, 6 * system.body_count, none, none, np.zeros(system.row_count), none, False
        ),
        promises=promises,
        layout=layout_of(stored + rates, system.quadrature_count, 2 * rates, 0, 0),
        coordinates=coordinates,
        felt=np.zeros((tree.body_count, 6)),
        efforts=np.zeros(rates),
    )
    scheme = method.make(mechanism.layout.kept, slope_length(mechanism))
    return TreeStepper(solver, mechanism, scheme)
