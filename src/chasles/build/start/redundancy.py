"""Constraints that say the same thing twice: found, named and checked for agreement.

Where rows of J repeat each other, what they ask for must agree.  What is left of it after the best
solution lies in the null space of J^T: its entries show who takes part.
"""

from dataclasses import dataclass

import numpy as np

from chasles.build.start.rows import constraint_rows, mass_matrices
from chasles.build.system.build import Setup, real_rows
from chasles.build.system.coordinates import coupled_places
from chasles.build.system.gaps import row_units
from chasles.core.arrays import Floats, Integers
from chasles.core.outcomes import NOT_SOLVED
from chasles.core.recursion.refine import COARSE
from chasles.model import InvalidModel, RedundantConstraints

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
    undetermined  (joint, component) of the rows whose multipliers are not unique, at the start
    """

    rows: int
    rank: int
    repeated: tuple[tuple[str, str], ...]
    shared: tuple[str, ...]
    undetermined: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ", ".join(f"{joint} ({component})" for joint, component in self.repeated[:12])
        more = " ..." if len(self.repeated) > 12 else ""
        shared = ", ".join(map(self.which, self.shared[:12]))
        shared += " ..." if len(self.shared) > 12 else ""
        return (
            f"{self.rows - self.rank} of {self.rows} constraint rows"
            f" {'is' if self.rows - self.rank == 1 else 'are'} redundant (rank"
            f" {self.rank}): {listed}{more}. Motion is unique; the reactions of {shared} are not."
        )

    def which(self, joint: str) -> str:
        """A joint with those of its components that are not unique, if only some are known."""
        components = [component for name, component in self.undetermined if name == joint]
        return f"{joint} ({' '.join(components)})" if components else joint


def find_redundancy(
    setup: Setup, damping: Floats, entries: Floats, pivots: Floats, free: Floats, absolute: Floats
) -> Redundancy | None:
    """The redundancy of a model with these entries of J and pivots of damped rows; None if none.

    `absolute` (n, 18) is where couplings have their rows, which are not in the factor: of rows that
    repeat each other theirs are named first.
    """
    real = all_rows(setup)
    coupled = coupled_places(setup)
    every, free = pivots.copy(), free.copy()
    every[coupled], free[coupled] = 0.0, 1.0
    pivots = every[real]
    if len(real) > RANK_LIMIT:
        repeated = np.flatnonzero(pivots < NEAR_DAMPING * damping[real])
        rank, sharing = len(real) - len(repeated), repeated
    else:
        jacobian = equilibrated(setup, entries, absolute)[0][real]
        if not np.isfinite(jacobian).all():
            raise scale_error(*joint_of_row(setup, int(real[np.argmin(pivots)])))
        u, s, _ = np.linalg.svd(jacobian)
        rank = int(np.sum(s > DEPENDENT * s[0]))
        repeated = np.sort(np.argsort(pivots / free[real])[: len(real) - rank])
        sharing = np.flatnonzero(np.abs(u[:, rank:]).max(axis=1, initial=0.0) > DEPENDENT)
    if rank == len(real):
        return None
    rows, undetermined = (
        tuple(joint_of_row(setup, int(real[row])) for row in found) for found in (repeated, sharing)
    )
    names = dict.fromkeys(joint for joint, _ in undetermined)
    exact = len(real) <= RANK_LIMIT
    return Redundancy(len(real), rank, rows, tuple(names), undetermined if exact else ())


def redundancy_error(redundancy: Redundancy) -> RedundantConstraints:
    """The refusal of redundant joints, for those who want none."""
    names = redundancy.shared
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (" ..." if len(names) > 12 else "")
    rows, rank = redundancy.rows, redundancy.rank
    return RedundantConstraints(
        f"joints {listed}: {rows - rank} of the {rows} constraint rows"
        f" {'is' if rows - rank == 1 else 'are'} redundant (rank {rank}),"
        " so the reactions are not unique.",
        "Replace a joint of the loop by one that locks less (start with"
        f" '{redundancy.repeated[0][0]}'), or let the minimum-norm reactions be found:"
        " redundant='solve'.",
    )


def all_rows(setup: Setup) -> Integers:
    """The rows of joints, drivers and couplings, without padding."""
    return np.union1d(real_rows(setup.system), coupled_places(setup)).astype(np.int64)


def is_redundant(setup: Setup, entries: Floats, absolute: Floats | None = None) -> bool:
    """Whether J lacks rank; with the rows of couplings, if `absolute` says where the bodies are."""
    rows = real_rows(setup.system) if absolute is None else all_rows(setup)
    return rank_of(equilibrated(setup, entries, absolute)[0][rows]) < len(rows)


def rank_of(jacobian: Floats) -> int:
    """Of rows of an equilibrated J."""
    s = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(s > DEPENDENT * s.max(initial=0.0)))


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
    return (
        f"the accelerations that the joints ask for could not be solved to {COARSE:g}: the rows of"
        " redundant joints are nearly dependent in more ways than that (the lightest"
        f" body is '{lightest_body(setup)}')."
    )


def lightest_body(setup: Setup) -> str:
    """The lightest body that has a joint, or the one that turns most easily on a lever."""
    joints, mass = setup.system.joints, setup.system.bodies.mass
    jointed = np.isin(np.arange(len(mass)), np.concatenate((joints.a, joints.b)))
    counted = jointed & (mass > 0.0)  # frames have none
    spin = np.linalg.eigvalsh(mass_matrices(setup.system)[:, :3, :3])[:, 0]
    weight = np.minimum(mass, spin / (setup.longest_lever or 1.0) ** 2)
    return list(setup.body_index)[int(np.argmin(np.where(counted, weight, np.inf)))]


def equilibrated(
    setup: Setup, entries: Floats, absolute: Floats | None = None
) -> tuple[Floats, Floats]:
    """J (rows, 6 n), its rows scaled to 1 and angles measured by each body's longest lever.

    `entries` (rows, 12) are those on bodies a and b.  And what every row was divided by (rows,).

    Its rank is that of the joints' geometry, whatever the units and the masses.
    """
    bodies = setup.system.body_count
    jacobian = constraint_rows(setup, entries, absolute).dense(6 * bodies)
    with np.errstate(all="ignore"):  # the caller refuses what is not finite
        for body in range(bodies):
            angles = jacobian[:, 6 * body : 6 * body + 3]
            angles /= np.abs(angles).max(initial=0.0) or 1.0
        largest = np.abs(jacobian).max(axis=1)
        divided = np.where(largest == 0.0, 1.0, largest)
        return jacobian / divided[:, None], divided


def scale_error(name: str, component: str) -> InvalidModel:
    """A joint whose rows are independent, but not in sixteen digits."""
    return InvalidModel(
        f"joint '{name}' (direction {component}) is lost in rounding: around it, lengths, masses or"
        " inertias differ by too many orders of magnitude.",
        "Check the units of its bodies and of its point: m, kg and kg m^2.",
    )


#: Speeds that miss by more than this fraction of the fastest so far explain why joints could not be
#: closed.
SPEED_SUSPICION = 1e-7
#: Rows that miss by less than this fraction of the worst take no part.
INVOLVED = 1e-3
LISTED = 6
PER = {"speeds": "/s", "accelerations": "/s^2"}


def contradiction(setup: Setup, missed: Floats, what: str, when: str) -> str:
    """Who contradicts whom, and by how much, from what the rows miss of "speeds", say."""
    size = np.abs(missed)
    rows = np.flatnonzero(size > INVOLVED * size.max())
    names = list(dict.fromkeys(joint_of_row(setup, int(row))[0] for row in rows))
    drivers = [name for name in names if name in setup.model.driver_names]
    joints = listed([name for name in names if name not in drivers])
    if not drivers:
        name, component = joint_of_row(setup, int(np.argmax(size)))
        who = f"joint '{name}' (direction {component}) contradicts other joints"
        least = f"{size.max():.3g}"
    else:
        worst = max(drivers, key=lambda name: size[row_of(setup, name)])
        row = row_of(setup, worst)
        least = f"{size[row]:.3g} {row_units(setup.system)[row]}{PER[what]}"
        through = f" through the joints {joints}" if joints else ""
        who = f"drivers {listed(drivers)} contradict each other{through}"
        if len(drivers) == 1:
            word = "coupling" if worst in (c.name for c in setup.model.couplings) else "driver"
            others = f"the joints {joints}" if joints else "other drivers and couplings"
            who = f"{word} '{worst}' contradicts {others}"
    return f"{who} {when}: the smallest residual of the {what} they ask for is {least}."


def row_of(setup: Setup, driver: str) -> int:
    return int(setup.system.joints.first_row[setup.joint_index[driver]])


def listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:LISTED])
    return shown + (" ..." if len(names) > LISTED else "")
