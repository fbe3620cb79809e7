"""Constraints that say the same thing twice: found, named and checked for agreement."""

from dataclasses import dataclass

import numpy as np

from chasles.core.arrays import Floats, row_span
from chasles.core.evaluate import COARSE, Workspace
from chasles.core.ordering import Plan, pivots_of_rows
from chasles.core.outcomes import NOT_SOLVED
from chasles.model import InvalidModel, RedundantConstraints
from chasles.start.kkt import weights
from chasles.system.build import Setup, real_rows

#: Up to this many rows, rank and unique reactions come from a full singular value decomposition.
RANK_LIMIT = 1200
#: Singular values of the equilibrated J below this fraction of the largest count as zero.
DEPENDENT = 1e-9
#: In larger models, rows whose damped pivot is below so many times the damping are redundant.
NEAR_DAMPING = 30.0


@dataclass(frozen=True)
class Redundancy:
    """Which constraint rows repeat others, and what that means for the reactions.

    rows       of all joints together
    rank       how many of them are independent
    repeated   (joint, component) of the rows that repeat those eliminated before them
    shared     joints whose reactions are not unique: minimum-norm multipliers are reported, forces
               and torques weighed by what they would accelerate
    """

    rows: int
    rank: int
    repeated: tuple[tuple[str, str], ...]
    shared: tuple[str, ...]

    def __str__(self) -> str:
        listed = ", ".join(f"{joint} ({component})" for joint, component in self.repeated[:12])
        more = " ..." if len(self.repeated) > 12 else ""
        shared = ", ".join(self.shared[:12]) + (" ..." if len(self.shared) > 12 else "")
        return (
            f"{self.rows - self.rank} of {self.rows} constraint rows are redundant (rank"
            f" {self.rank}): {listed}{more}. Motion is unique; the reactions of {shared} are not."
        )


def find_redundancy(setup: Setup, plan: Plan, work: Workspace, free: Floats) -> Redundancy | None:
    """The redundancy of a model whose damped factor is in `work`; None if there is none."""
    real = real_rows(setup.system)
    unknowns = 6 * setup.system.body_count
    pivots = pivots_of_rows(plan, unknowns, work.values, setup.system.row_count)[real]
    if len(real) > RANK_LIMIT:
        repeated = np.flatnonzero(pivots < NEAR_DAMPING * plan.damping[real])
        rank, sharing = len(real) - len(repeated), repeated
    else:
        jacobian = equilibrated(setup, work)[real]
        if not np.isfinite(jacobian).all():
            raise scale_error(*joint_of_row(setup, int(real[np.argmin(pivots)])))
        u, s, _ = np.linalg.svd(jacobian)
        rank = int(np.sum(s > DEPENDENT * s[0]))
        repeated = np.sort(np.argsort(pivots / free[real])[: len(real) - rank])
        sharing = np.flatnonzero(np.abs(u[:, rank:]).max(axis=1, initial=0.0) > DEPENDENT)
    if rank == len(real):
        return None
    names = dict.fromkeys(joint_of_row(setup, int(real[row]))[0] for row in sharing)
    rows = tuple(joint_of_row(setup, int(real[row])) for row in repeated)
    return Redundancy(len(real), rank, rows, tuple(names))


def redundancy_error(redundancy: Redundancy) -> RedundantConstraints:
    """The refusal of redundant joints, for those who want none."""
    names = redundancy.shared
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (" ..." if len(names) > 12 else "")
    rows, rank = redundancy.rows, redundancy.rank
    return RedundantConstraints(
        f"joints {listed}: {rows - rank} of the {rows} constraint rows are redundant (rank {rank}),"
        " so the reactions are not unique.",
        "Replace a joint of the loop by one that locks less (start with"
        f" '{redundancy.repeated[0][0]}'), or let the minimum-norm reactions be found:"
        " redundant='solve'.",
    )


def is_redundant(setup: Setup, work: Workspace) -> bool:
    """Whether J, as it stands in `work`, lacks rank."""
    jacobian = equilibrated(setup, work)[real_rows(setup.system)]
    s = np.linalg.svd(jacobian, compute_uv=False)
    return bool(np.sum(s > DEPENDENT * s[0]) < len(jacobian))


def free_pivots(setup: Setup, work: Workspace) -> Floats:
    r"""$\mathrm{diag}(J M^{-1} J^T)$: what each row's pivot would be without the other joints."""
    inverses = np.linalg.inv(weights(setup.system))
    pivots = np.zeros(setup.system.row_count)
    joints, rows = setup.system.joints, real_rows(setup.system)
    for side, bodies in enumerate((joints.a, joints.b)):
        body = np.repeat(bodies, joints.rows)
        moving, body = rows[body >= 0], body[body >= 0]
        block = work.jacobian[moving, 6 * side : 6 * side + 6]
        pivots[moving] += np.einsum("ri,rij,rj->r", block, inverses[body], block)
    return pivots


def joint_of_row(setup: Setup, row: int) -> tuple[str, str]:
    """The joint a constraint row belongs to, and which component of its twist the row locks."""
    firsts = setup.system.joints.first_row
    index = int(np.searchsorted(firsts, row, side="right")) - 1
    return list(setup.joint_index)[index], setup.locked(index)[row - int(firsts[index])]


def singular_error(setup: Setup, row: int) -> RedundantConstraints:
    """A state at which the joints do not determine accelerations and reactions."""
    if row == NOT_SOLVED:
        return RedundantConstraints(unsolved(setup), "Take a state away from singular poses.")
    name, component = joint_of_row(setup, row)
    return RedundantConstraints(
        f"joint '{name}' (direction {component}) is singular at this state: it depends on other"
        " joints, and the reactions are not determined.",
        "Take a state away from the pose in which the joints depend on each other.",
    )


def unsolved(setup: Setup) -> str:
    """Redundant joints on which the accelerations did not converge, in words."""
    joints = setup.system.joints
    ends = np.concatenate((joints.a, joints.b))
    lightest = int(np.argmin(np.where(np.isin(np.arange(len(setup.system.bodies.mass)), ends),
                                      setup.system.bodies.mass, np.inf)))  # fmt: skip
    return (
        f"the accelerations that the joints ask for could not be solved to {COARSE:g}: the rows of"
        " joints that repeat each other are nearly dependent in more ways than that (the lightest"
        f" body is '{list(setup.body_index)[lightest]}')."
    )


def equilibrated(setup: Setup, work: Workspace) -> Floats:
    """J (rows, 6 n), its rows scaled to 1 and angles measured by each body's longest lever.

    Its rank is that of the joints' geometry, whatever the units and the masses.
    """
    system = setup.system
    jacobian = np.zeros((system.row_count, 6 * system.body_count))
    for joint in range(system.joint_count):
        span = row_span(system, joint)
        for side, body in enumerate((system.joints.a[joint], system.joints.b[joint])):
            if body >= 0:
                block = work.jacobian[span, 6 * side : 6 * side + 6]
                jacobian[span, 6 * body : 6 * body + 6] = block
    with np.errstate(all="ignore"):  # what is not finite is told by the caller
        for body in range(system.body_count):
            angles = jacobian[:, 6 * body : 6 * body + 3]
            angles /= np.abs(angles).max(initial=0.0) or 1.0
        largest = np.abs(jacobian).max(axis=1, keepdims=True)
        return jacobian / np.where(largest == 0.0, 1.0, largest)


def scale_error(name: str, component: str) -> InvalidModel:
    """A joint whose rows are independent, but not in sixteen digits."""
    return InvalidModel(
        f"joint '{name}' (direction {component}) is lost in rounding: around it, lengths, masses or"
        " inertias differ by too many orders of magnitude.",
        "Check the units of its bodies and of its point: m, kg and kg m^2.",
    )
