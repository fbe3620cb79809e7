"""J and the gaps of all joints at poses of the bodies, and what velocities are weighed by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.system.build import Setup, rotor_places
from chasles.build.system.coordinates import coupled_gap, coupled_matrix, coupled_places
from chasles.compiled import borrow, kernel
from chasles.core.arrays import Floats, Integers, System, Workspace, make_workspace, padded
from chasles.core.constraints.registry import assemble_joint
from chasles.core.stabilisation import put_position_residual

#: Weight of a frame without mass, as a fraction of the lightest body's.
FEATHER = 1e-9


#: Weight of a body that is lighter, as a fraction of the heaviest's: no sum would show it.
UNFELT = 1e-18


#: Weight of what stays where it is: nothing that is solved for moves it by a bit.
HEAVY = 1e30


@dataclass(frozen=True)
class Rows:
    """J as blocks on the twists of bodies: two in a row of a joint, any number in a coupling's."""

    count: int  # of the rows, padding included
    row: Integers  # (k,) of every block
    body: Integers  # (k,)
    entries: Floats  # (k, 6)

    def times(self, twists: Floats) -> Floats:
        """J V (rows,)."""
        return self.total(np.einsum("kc,kc->k", self.entries, twists.reshape(-1, 6)[self.body]))

    def total(self, values: Floats) -> Floats:
        """(rows,) Sums of a value of every block (k,)."""
        return np.bincount(self.row, values, self.count).astype(float)

    def sizes(self) -> Floats:
        """(rows, 2) sums of the entries' sizes, on angular and on linear velocities."""
        angular, linear = np.abs(self.entries).reshape(-1, 2, 3).sum(axis=2).T
        return np.column_stack((self.total(angular), self.total(linear)))

    def dense(self, count: int) -> Floats:
        """(rows, count) for `count` velocities."""
        jacobian = np.zeros((self.count, count // 6, 6))
        jacobian[self.row, self.body] = self.entries
        return jacobian.reshape(self.count, count)

    def matrix(self, count: int) -> Any:
        """The same, sparse."""
        from scipy.sparse import csr_matrix  # late: few models need it

        columns = 6 * self.body[:, None] + np.arange(6)
        places = np.repeat(self.row, 6), columns.ravel()
        return csr_matrix((self.entries.ravel(), places), shape=(self.count, count))

    def pivots(self, inverse: Any) -> Floats:
        r"""(rows,) $\mathrm{diag}(J W^{-1} J^T)$ with blocks (n, 6, 6) of $W^{-1}$."""
        across = inverse[self.body]
        return self.total(np.einsum("ki,kij,kj->k", self.entries, across, self.entries))

    def unit_scale(self, inverse: Any) -> Floats:
        """(rows,) Factors that make these pivots one; 1 for rows without any."""
        found = self.pivots(inverse)
        return 1.0 / np.sqrt(np.where(found > 0.0, found, 1.0))


def constraint_rows(
    setup: Setup, jacobian: Floats, absolute: Floats | None = None, rotors: bool = False
) -> Rows:
    """J as blocks, without the entries that would act on the ground.

    With couplings, if the poses (n, 18) are given, at which J is known; with the rows of rotors,
    which are no constraints, if these are asked for.
    """
    system, joints = setup.system, setup.system.joints
    ends = np.repeat(np.column_stack((joints.a, joints.b)), padded(joints.span), axis=0)
    acting = ends >= 0
    if not rotors:
        acting[rotor_places(system)[0]] = False
    row, side = np.nonzero(acting)
    body, entries = ends[row, side], jacobian.reshape(-1, 2, 6)[row, side]
    if absolute is not None and setup.model.couplings:
        coupled = coupled_matrix(setup, absolute).reshape(-1, system.body_count, 6)
        coupling, moved = np.nonzero(coupled.any(axis=2))
        row = np.concatenate((row, coupled_places(setup)[coupling]))
        body = np.concatenate((body, moved))
        entries = np.concatenate((entries, coupled[coupling, moved]))
    return Rows(system.row_count, row, body, entries)


def mass_matrices(system: System) -> Floats:
    """6x6 inertia of bodies at their centres of mass, (n, 6, 6)."""
    mass, inertia = system.bodies.mass, system.bodies.inertia
    matrices = np.zeros((len(mass), 6, 6))
    matrices[:, :3, :3] = inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    matrices[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    return matrices


def lifted(mass: Floats, least: float) -> Floats:
    """(n,) By what bodies have to grow to weigh `least` of the heaviest; 1 for frames."""
    missing = np.divide(least * mass.max(initial=0.0), mass, out=np.ones_like(mass), where=mass > 0)
    return np.asarray(np.maximum(1.0, missing))


def least_inertia(setup: Setup, least: float) -> float:
    """What all bodies turn with beside their own inertia: `least` of the heaviest on a lever."""
    lever = setup.longest_lever or 0.0
    return float(least * setup.system.bodies.mass.max(initial=0.0) * lever * lever)


def weights(system: System, least: float = UNFELT) -> Floats:
    """Inertia of every body about its centre of mass, (n, 6, 6), that chooses between velocities.

    Bodies weigh `least` of the heaviest or more.  Frames have a feather's: what the joints leave
    open of them has to be chosen somehow.
    """
    mass = system.bodies.mass
    matrices = mass_matrices(system) * lifted(mass, least)[:, None, None]
    frames = mass == 0.0
    if frames.any():
        heavy = system.bodies.inertia[~frames, :3], mass[~frames]
        light = np.repeat([part.min() if part.size else 1.0 for part in heavy], 3)
        matrices[frames] = FEATHER * np.diag(light)
    return matrices


def scaled(metric: Any, factors: Any) -> Floats:
    """Blocks (n, 6, 6) with every direction as many times as heavy as `factors` (n, 6) say."""
    roots = np.sqrt(factors)
    return np.asarray(metric * roots[:, :, None] * roots[:, None, :])


def weigh(metric: Any, twists: Floats) -> Floats:
    """W V (6n,)."""
    return np.einsum("bij,bj->bi", metric, twists.reshape(-1, 6)).ravel()


@kernel("assembly", seconds=3, plain=(5_000, 200_000))
def joint_rows(system: Any, work: Any, absolute: Any, out: Any) -> None:
    """J of all joints and drivers at an absolute state, into `workspace`; -g into `out`."""
    model, workspace = borrow(system), borrow(work)
    state, residual = borrow(absolute), borrow(out)
    for joint in range(model.joint_count):
        assemble_joint(model, joint, state, workspace, workspace.jacobian, workspace.eta)
        put_position_residual(model, joint, state, workspace, residual)


def gaps_and_rows(
    setup: Setup, workspace: Workspace, absolute: Floats, near: Mapping[str, float] | None = None
) -> Floats:
    """g of every row, padding included, couplings as well; J goes to `workspace`.

    Angles of couplings are those nearest to `near`, by joint; else to what is known of the start.
    """
    system, couplings = setup.system, setup.model.couplings
    gaps = np.zeros(system.row_count)
    joint_rows(setup.lent, workspace, np.ascontiguousarray(absolute), gaps)
    gaps *= -1.0
    for place, coupling in zip(coupled_places(setup).tolist(), couplings):
        gaps[place] = float(coupled_gap(setup, coupling, absolute, near))
    return gaps


def jacobian_at(system: System, absolute: Floats) -> Floats:
    """J (rows, 12) of all joints and drivers at the poses of an absolute state (n, 18)."""
    workspace = make_workspace(system)
    joint_rows(system, workspace, np.ascontiguousarray(absolute), workspace.residual)
    return workspace.jacobian


def free_pivots(setup: Setup, entries: Floats, least: float = 0.0) -> Floats:
    r"""$\mathrm{diag}(J M^{-1} J^T)$: what each row's pivot would be without the other joints.

    Frames without mass count as the lightest body does; bodies weigh `least` of the heaviest.
    """
    metric = weights(setup.system, max(least, UNFELT))
    metric[:, :3, :3] += least_inertia(setup, least) * np.eye(3)
    inverses = np.linalg.inv(metric)
    inverses[setup.system.bodies.mass == 0.0] *= FEATHER
    return constraint_rows(setup, entries).pivots(inverses)
