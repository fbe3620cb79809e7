"""The equations of motion reduced to the tangent space; see `chasles.analysis.linearise`."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chasles.analysis.instant import Free, Instant, Terms
from chasles.analysis.poses import rotations
from chasles.analysis.tangent import GENERATORS, Tangent
from chasles.build.start.redundancy import joint_of_row
from chasles.core.arrays import TWIST, Floats
from chasles.model import RedundantConstraints

#: Repeated rows that change by more than this per rad or m stop repeating: a singular pose.
SINGULAR = 1e-6
#: Stiffnesses below this fraction of what was added up in them are rounding errors.
ROUNDING = 1e-12


class Unbalance(NamedTuple):
    """The largest force (N) and torque (N m) on a body that nothing balances."""

    force: float
    torque: float


@dataclass(frozen=True)
class Reduced:
    """The parts of A, and what the solution at the state is."""

    positions: Floats  # Y, which is Z unless wheels roll
    free: Free  # Z and J^+
    acceleration: Floats  # V' (6n,)
    tangent: Tangent
    geometric: Floats  # d(J^T lambda) (6n, 6n)
    carried: Floats  # (6n, 6n): forces that are not balanced do not turn with the bodies
    sizes: Floats  # (6n,) of all forces and reactions

    @property
    def noise(self) -> Floats:
        """What was added up in the stiffness, without signs: also forces that turn with bodies."""
        total = np.abs(self.tangent.by_pose) + np.abs(self.geometric) + np.abs(self.carried)
        for first in range(0, len(self.sizes), 6):
            total[first : first + 6, first : first + 3] += self.sizes[first : first + 6, None]
        size = np.abs(self.positions)
        return size.T @ total @ size

    @property
    def stiffness(self) -> Floats:
        """K at rest."""
        slopes = self.tangent.by_pose - self.geometric + self.carried
        return -self.free.basis.T @ slopes @ self.positions


def rounding_of(shapes: Any, noise: Floats) -> Floats:
    """The rounding error of the stiffness along every shape (columns); noise as in `Reduced`."""
    size = np.abs(shapes)
    return ROUNDING * np.einsum("ik,ij,jk->k", size, noise, size)


def reduce(instant: Instant, absolute: Floats, angles: Floats, terms: Terms, free: Free) -> Reduced:
    """The solution and the derivatives at a state; displacements as if wheels did not slip."""
    acceleration = free.basis @ (free.basis.T @ terms.forces) + free.back @ terms.eta
    needed = free.metric.matrix @ acceleration
    multipliers = free.back.T @ (terms.forces - needed)
    slopes = instant.tangent(absolute, angles)
    geometric = slopes.of_reactions(instant.padded(multipliers))
    sizes = slopes.sizes + slopes.reaction_sizes(instant.padded(multipliers), instant.system)
    carried = held_direction(needed)
    return Reduced(free.basis, free, acceleration, slopes, geometric, carried, sizes)


def held_direction(wrench: Floats) -> Floats:
    """omega x f in the rows of translation, (6n, 6n), of a wrench (tau, f) on every body."""
    out = np.zeros((wrench.size, wrench.size))
    for body, force in enumerate(wrench.reshape(-1, 2, 3)[:, 1]):
        cross = np.einsum("k,kij->ij", force, GENERATORS)
        out[6 * body + 3 : 6 * body + 6, 6 * body : 6 * body + 3] = -cross
    return out


def check_regular(instant: Instant, parts: Reduced) -> None:
    """Refuse a pose in which the joints hold more than they do beside it."""
    z, y = parts.free.basis, parts.positions
    if not y.size:
        return
    sizes = [np.sqrt(np.einsum("ik,ik->k", basis, basis)) for basis in (z, y)]
    for row in parts.free.repeated.T:
        bending = np.abs(z.T @ parts.tangent.of_reactions(instant.padded(row)) @ y)
        bending = bending / np.outer(*sizes) / np.abs(row).max()
        if bending.max() > SINGULAR:
            worst = int(np.argmax(np.abs(row)))
            name, component = joint_of_row(instant.setup, int(instant.rows[worst]))
            raise RedundantConstraints(
                f"joint '{name}' (direction {component}) repeats other joints in this pose, but"
                " not beside it: the mechanism is singular here, and its motions have no tangent"
                " space.",
                "Take a state away from the pose in which the joints depend on each other.",
            )


def unbalance(mass: Any, acceleration: Floats) -> Unbalance:
    """The largest force and torque that would be needed for an acceleration (6n,)."""
    wrench = (mass @ acceleration).reshape(-1, 2, 3)
    torque, force = np.linalg.norm(wrench, axis=2).max(axis=0, initial=0.0)
    return Unbalance(float(force), float(torque))


def assembled(
    instant: Instant, absolute: Floats, parts: Reduced, axes: str
) -> tuple[Floats, Floats]:
    """A, and V' in the axes asked for."""
    y, z, mass = parts.positions, parts.free.basis, instant.mass
    velocity = absolute[:, TWIST:].ravel()
    turning = blocks(absolute, relative_spin(instant, absolute, axes))
    slip = parts.tangent.of_slip(velocity, instant.system.row_count)[instant.rows]
    carried = -parts.free.back @ slip @ y  # N
    by_twist = parts.tangent.by_twist + mass @ turning
    acceleration = parts.acceleration + turning @ velocity
    stiff = parts.tangent.by_pose - parts.geometric + held_direction(mass @ acceleration)
    matrix = np.block(
        [
            [y.T @ mass @ ((turning - adjoint(absolute)) @ y + carried), y.T @ mass @ z],
            [z.T @ (stiff @ y + by_twist @ carried), z.T @ by_twist @ z],
        ]
    )
    return matrix, acceleration


def blocks(absolute: Floats, spin: Floats) -> Floats:
    """spin x on rotation and translation of every body, (6n, 6n); spin (n, 3) in body axes."""
    count = len(absolute)
    out = np.zeros((6 * count, 6 * count))
    for body, cross in enumerate(np.einsum("bk,kij->bij", spin, GENERATORS)):
        out[6 * body : 6 * body + 3, 6 * body : 6 * body + 3] = cross
        out[6 * body + 3 : 6 * body + 6, 6 * body + 3 : 6 * body + 6] = cross
    return out


def adjoint(absolute: Floats) -> Floats:
    r"""$\mathrm{ad}_V(\omega', v') = (\omega\times\omega', v\times\omega' + \omega\times v')$."""
    out = blocks(absolute, absolute[:, TWIST : TWIST + 3])
    for body, cross in enumerate(np.einsum("bk,kij->bij", absolute[:, TWIST + 3 :], GENERATORS)):
        out[6 * body + 3 : 6 * body + 6, 6 * body : 6 * body + 3] = cross
    return out


def relative_spin(instant: Instant, absolute: Floats, axes: str) -> Floats:
    """omega - sigma of every body in its own axes (n, 3)."""
    omega = absolute[:, TWIST : TWIST + 3]
    if axes == "body":
        return np.zeros_like(omega)
    if axes == "world":
        return omega
    turn, carrier = rotations(absolute), instant.setup.body_index[axes]
    return omega - np.einsum("bji,j->bi", turn, turn[carrier] @ omega[carrier])
