r"""The equations of motion reduced to the tangent space, dense; see `chasles.analysis.linearise`.

The basis Z of $\ker J$ and $J^+$, with $J J^+ J = J$ and $Z^T M J^+ = 0$, come from a singular
value decomposition of J in a positive metric, so joints that repeat each other change nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.linear import Linear
from chasles.build.start.redundancy import joint_of_row
from chasles.core.arrays import Floats
from chasles.model import InvalidModel, RedundantConstraints

#: Repeated rows that change by more than this per rad or m stop repeating: a singular pose.
SINGULAR = 1e-6
#: Stiffnesses below this fraction of what was added up in them are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Free:
    """The motions that rows of J leave free at one configuration."""

    basis: Floats  # Z (unknowns, d), orthonormal in the mass matrix
    back: Floats  # J^+ (unknowns, rows)
    repeated: Floats  # (rows, r): combinations of rows that vanish


def free_motions(linear: Linear, jacobian: Floats, rank: int) -> Free:
    """The tangent space of constraints."""
    unweighted, mass = np.linalg.cholesky(linear.inverse.toarray()), linear.mass
    weighted = jacobian @ unweighted
    length = np.linalg.norm(weighted, axis=1)
    inverse = 1.0 / np.where(length > 0.0, length, 1.0)
    u, s, vt = np.linalg.svd(inverse[:, None] * weighted)
    back = unweighted @ ((vt[:rank].T / s[:rank]) @ u[:, :rank].T) * inverse
    basis = unweighted @ vt[rank:].T
    try:
        lower = np.linalg.cholesky(basis.T @ (mass @ basis))
    except np.linalg.LinAlgError:
        raise InvalidModel(
            "bodies without mass may move with nothing that has mass: such motions have no"
            " frequency.",
            "Give them mass, or hold them by joints.",
        ) from None
    basis = np.linalg.solve(lower, basis.T).T
    back = back - basis @ (basis.T @ (mass @ back))
    return Free(basis, back, inverse[:, None] * u[:, rank:])


@dataclass(frozen=True)
class Reduced:
    """A linearised state on the tangent space."""

    linear: Linear
    free: Free  # Z and J^+
    positions: Floats  # Y, which is Z unless wheels roll

    @cached_property
    def stiffness(self) -> Floats:
        """K at rest."""
        acceleration, multipliers = self.linear.solution
        blocks = self.linear.stiffness_blocks(multipliers, self.linear.mass @ acceleration)
        found: Floats = self.free.basis.T @ (self.linear.summed(blocks) @ self.positions)
        return found

    @property
    def noise(self) -> Floats:
        """What was added up in the stiffness, without signs: also forces that turn with bodies."""
        linear, (acceleration, multipliers) = self.linear, self.linear.solution
        instant, slopes = linear.instant, linear.tangent
        parts = (
            slopes.by_pose,
            linear.summed(linear.geometric_blocks(multipliers)),
            linear.summed([(slopes.loads[0].columns,
                            linear.held_directions(linear.mass @ acceleration))]),
        )  # fmt: skip
        total = sum(np.abs(part.toarray()) for part in parts)
        sizes = slopes.sizes + slopes.reaction_sizes(instant.padded(multipliers), instant.system)
        for first in range(0, instant.bodies, 6):
            total[first : first + 6, first : first + 3] += sizes[first : first + 6, None]
        size = np.abs(self.positions)
        return np.asarray(size.T @ total @ size)

    def matrix(self, axes: str) -> tuple[Floats, Floats]:
        """A, and V' in the axes asked for."""
        linear, parts = self.linear, self.linear.moving(axes)
        y, z, mass = self.positions, self.free.basis, linear.mass
        carried = -self.free.back @ (linear.slip @ y)  # N
        by_twist = parts.by_twist
        matrix = np.block(
            [
                [y.T @ (mass @ (parts.carried @ y + carried)), y.T @ (mass @ z)],
                [z.T @ (parts.stiff @ y + by_twist @ carried), z.T @ (by_twist @ z)],
            ]
        )
        return matrix, parts.acceleration


def reduce(linear: Linear, loose: bool = True, check: bool = True) -> Reduced:
    """On the tangent space; `loose`: wheels may be anywhere, `check`: no singular poses."""
    instant, terms = linear.instant, linear.terms
    jacobian = terms.jacobian.toarray()
    free = free_motions(linear, jacobian, instant.rank(terms.entries, linear.absolute))
    positions, chosen = free.basis, instant.holonomic()
    if loose and len(chosen) < len(instant.rows):
        rank = instant.rank(terms.entries, linear.absolute, chosen)
        positions = free_motions(linear, jacobian[chosen], rank).basis
    found = Reduced(linear, free, positions)
    if check:
        check_regular(found)
    return found


def rounding_of(shapes: Any, noise: Floats) -> Floats:
    """The rounding error of the stiffness along every shape (columns); noise as in `Reduced`."""
    size = np.abs(shapes)
    return ROUNDING * np.einsum("ik,ij,jk->k", size, noise, size)


def check_regular(parts: Reduced) -> None:
    """Refuse a pose in which the joints hold more than they do beside it."""
    z, y, linear = parts.free.basis, parts.positions, parts.linear
    if not y.size:
        return
    sizes = [np.sqrt(np.einsum("ik,ik->k", basis, basis)) for basis in (z, y)]
    for row in parts.free.repeated.T:
        bending = np.abs(z.T @ (linear.summed(linear.geometric_blocks(row)) @ y))
        bending = bending / np.outer(*sizes) / np.abs(row).max()
        if bending.max() > SINGULAR:
            worst, instant = int(np.argmax(np.abs(row))), linear.instant
            name, component = joint_of_row(instant.setup, int(instant.rows[worst]))
            raise RedundantConstraints(
                f"joint '{name}' (direction {component}) repeats other joints in this pose, but"
                " not beside it: the mechanism is singular here, and its motions have no tangent"
                " space.",
                "Take a state away from the pose in which the joints depend on each other.",
            )
