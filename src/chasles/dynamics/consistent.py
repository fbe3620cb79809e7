"""Initial velocities: what the user gave, completed so that the joints are satisfied."""

import numpy as np

from chasles.dynamics.ordering import mass_matrix
from chasles.model import InconsistentStart
from chasles.system.arrays import (
    BODY_A,
    DRIVE,
    FIRST_ROW,
    LOCKED,
    POSE_R,
    ROWS,
    TWIST,
    Floats,
    padded,
)
from chasles.system.build import Setup

#: Joint velocities larger than this fraction of the largest velocity are refused.
VELOCITY_TOLERANCE = 1e-9
#: Models with more unknown velocities than this are completed by a sparse factorisation.
DENSE_LIMIT = 400
PROXIMAL_WEIGHT, PROXIMAL_SOLVES = 1e-9, 6


def initial_state(setup: Setup, jacobian: Floats) -> Floats:
    """Absolute poses and twists (n, 18) at the start; `jacobian` (rows, 12) is J at those poses.

    Velocities left out are those of least kinetic energy that the joints allow beside the given
    ones: zero where nothing moves, zero total momentum for a floating system.
    """
    absolute = setup.absolute.copy()
    twists, known = given_twists(setup)
    rows = constraint_rows(setup, jacobian)
    if rows.shape[0] > 0:
        rates = driven_rates(setup)
        drive = rows.times(twists) - rates
        if np.any(drive != 0.0) and not known.all():
            twists = completed(setup, rows, twists, known, drive)
        check_velocities(setup, rows.times(twists) - rates, twists)
    absolute[:, TWIST : TWIST + 6] = twists
    return absolute


def driven_rates(setup: Setup) -> Floats:
    """What J V is at the start: the rates that drivers prescribe, and zero."""
    rates, ends = np.zeros(setup.system.row_count), setup.system.joint_bodies
    driven = np.flatnonzero(ends[:, DRIVE] >= 0)
    if driven.size:
        now = setup.signals.sample(np.zeros(1))[0]
        rates[ends[driven, FIRST_ROW]] = now[ends[driven, DRIVE] + 1]
    return rates


def given_twists(setup: Setup) -> tuple[Floats, np.ndarray]:
    """Body twists with zeros where a velocity was left out, and which entries were given."""
    count = len(setup.body_index)
    twists, known = np.zeros((count, 6)), np.zeros((count, 6), bool)
    for name, index in setup.body_index.items():
        body = setup.model.body(name)
        if body.angular_velocity is not None:
            twists[index, :3], known[index, :3] = body.angular_velocity, True
        if body.velocity is not None:
            rotation = setup.absolute[index, POSE_R : POSE_R + 9].reshape(3, 3)
            twists[index, 3:], known[index, 3:] = rotation.T @ np.array(body.velocity), True
    return twists, known


class Rows:
    """J as blocks: (rows, 12) entries and the bodies they act on."""

    def __init__(self, entries: Floats, columns: np.ndarray) -> None:
        self.entries = entries
        self.columns = columns  # (rows, 12), -1 for the ground
        self.shape = entries.shape

    def times(self, twists: Floats) -> Floats:
        padded = np.append(twists.ravel(), 0.0)
        return np.einsum("rc,rc->r", self.entries, padded[self.columns])


def constraint_rows(setup: Setup, jacobian: Floats) -> Rows:
    """J as blocks, without the entries that would act on the ground."""
    system = setup.system
    count, entries = system.row_count, jacobian.copy()
    lengths = padded(system.joint_bodies[:, ROWS])
    ends = np.repeat(system.joint_bodies[:, BODY_A : BODY_A + 2], lengths, axis=0)
    columns = np.where(ends[:, :, None] < 0, -1, 6 * ends[:, :, None] + np.arange(6))
    columns = columns.reshape(count, 12)
    entries[columns < 0] = 0.0
    return Rows(entries, columns)


def completed(setup: Setup, rows: Rows, twists: Floats, known: np.ndarray, drive: Floats) -> Floats:
    """Twists with the unknown entries of least kinetic energy that take `drive` off J V."""
    free = np.flatnonzero(~known.ravel())
    flat = twists.ravel().copy()
    if free.size <= DENSE_LIMIT:
        jacobian = np.zeros((rows.shape[0], twists.size + 1))
        np.put_along_axis(jacobian, rows.columns, rows.entries, axis=1)
        flat[free] = least_energy_dense(setup, jacobian[:, free], drive, free)
    else:
        flat[free] = least_energy_sparse(setup, rows, drive, free)
    return flat.reshape(twists.shape)


def least_energy_dense(setup: Setup, jacobian: Floats, drive: Floats, free: np.ndarray) -> Floats:
    r"""$V = L^{-T} z$, $M = L L^T$, the shortest z with $J L^{-T} z = -\mathrm{drive}$."""
    count = len(setup.body_index)
    mass = np.zeros((6 * count, 6 * count))
    for body in range(count):
        mass[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = mass_matrix(
            setup.system.bodies[body]
        )
    lower = np.linalg.cholesky(mass[np.ix_(free, free)])
    weighted = np.linalg.solve(lower, jacobian.T).T
    z = np.linalg.lstsq(weighted, -drive, rcond=1e-12)[0]
    return np.linalg.solve(lower.T, z)


def least_energy_sparse(setup: Setup, rows: Rows, drive: Floats, free: np.ndarray) -> Floats:
    """The same by a sparse KKT factorisation, repeated proximally because J may lack rank."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    count = len(setup.body_index)
    mass = sparse.block_diag([mass_matrix(row) for row in setup.system.bodies], format="csc")
    index = np.repeat(np.arange(rows.shape[0]), 12)
    jacobian = sparse.csc_matrix(
        (rows.entries.ravel(), (index, rows.columns.ravel() % (6 * count + 1))),
        shape=(rows.shape[0], 6 * count + 1),
    )[:, free]
    reduced = mass[:, free][free, :]
    weight = PROXIMAL_WEIGHT / max(1e-300, float(setup.system.bodies[:, 0].mean()))
    damping = -weight * sparse.identity(rows.shape[0], format="csc")
    kkt = splu(sparse.bmat([[reduced, jacobian.T], [jacobian, damping]], format="csc"))
    multipliers = np.zeros(rows.shape[0])
    solution = np.zeros(free.size)
    for _ in range(PROXIMAL_SOLVES):
        rhs = np.concatenate((np.zeros(free.size), -drive - weight * multipliers))
        both = kkt.solve(rhs)
        solution, multipliers = both[: free.size], both[free.size :]
    return solution


def check_velocities(setup: Setup, residual: Floats, twists: Floats) -> None:
    """Refuse initial velocities that a joint does not allow."""
    allowed = VELOCITY_TOLERANCE * max(1.0, float(np.abs(twists).max()))
    if np.all(np.abs(residual) <= allowed):
        return
    worst = int(np.argmax(np.abs(residual)))
    ends = setup.system.joint_bodies
    index = int(np.searchsorted(ends[:, FIRST_ROW], worst, side="right")) - 1
    name = list(setup.joint_index)[index]
    a, b = setup.bodies_of(name)
    word = "driver" if name in setup.model.driver_names else "joint"
    unit = unit_of(setup, index, worst - int(ends[index, FIRST_ROW]))
    raise InconsistentStart(
        f"the initial velocities of '{a}' and '{b}' violate {word} '{name}' by"
        f" {abs(residual[worst]):.3g} {unit}.",
        "Leave velocity or angular_velocity out where the joints determine it: it is filled in.",
    )


def unit_of(setup: Setup, joint: int, row: int) -> str:
    """The unit of a row of J V."""
    component = setup.locked(joint)[row]
    if component == "motion":
        return "rad/s" if setup.system.joint_bodies[joint, LOCKED] & 0b111 else "m/s"
    if component[0] == "g":  # of a user's formula
        return "per s"
    return "rad/s" if component[0] == "w" or component in ("cross", "cv", "turn") else "m/s"
