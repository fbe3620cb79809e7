"""The equations of motion to first order about a state; see `chasles.analysis.linearise`.

Matrices are sparse, on all unknowns of an `Instant`, with the constraints beside them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.analysis.instant import Instant, Terms
from chasles.analysis.stacks import GENERATORS
from chasles.analysis.tangent import Tangent, placed, summed
from chasles.build.start.factor import DampedKkt, joined, unit_scale
from chasles.build.system.state import rotations
from chasles.core.arrays import TWIST, Floats, Integers
from chasles.model import InvalidModel

#: mu of the accelerations.
DAMPING = 1e-10


class Unbalance(NamedTuple):
    """The largest force (N) and torque (N m) on a body that nothing balances."""

    force: float
    torque: float

    @classmethod
    def of(cls, wrench: Floats) -> "Unbalance":
        """Of wrenches on bodies (6n,)."""
        torque, force = np.linalg.norm(wrench.reshape(-1, 2, 3), axis=2).max(axis=0, initial=0.0)
        return cls(float(force), float(torque))


@dataclass(frozen=True)
class Linear:
    """A state, the solution of the equations of motion there, and their derivatives.

    `mass` is what accelerations are weighed by: the mass matrix, or another where only the way
    counts; `inverse` is that of a positive matrix like it, by which rows are scaled.
    """

    instant: Instant
    absolute: Floats
    angles: Floats
    mass: Any
    inverse: Any

    @cached_property
    def terms(self) -> Terms:
        return self.instant.terms(self.absolute, self.angles)

    @cached_property
    def tangent(self) -> Tangent:
        return self.instant.tangent(self.absolute, self.angles)

    @cached_property
    def kkt(self) -> DampedKkt:
        jacobian = self.terms.jacobian
        scale = unit_scale(self.inverse, jacobian)
        try:
            return DampedKkt(self.mass, jacobian, DAMPING, scale)
        except RuntimeError:  # of SciPy: a factor is singular
            raise self.moves_nothing() from None

    def moves_nothing(self) -> InvalidModel:
        """The refusal of a motion that the rows allow and that moves no mass, by its body."""
        rows = [np.asarray((self.inverse @ self.mass).todense()), self.terms.jacobian.toarray()]
        shape = np.abs(np.linalg.svd(np.vstack(rows))[2][-1])
        names = list(self.instant.setup.body_index)
        body = names[int(np.argmax(shape[: 6 * len(names)].reshape(-1, 6).max(axis=1)))]
        return InvalidModel(
            f"body '{body}' can move without any mass that moves along: its acceleration is not"
            " determined.",
            "Give it a mass, a small one will do, weld it to its parent, or connect a body with"
            " mass to it.",
        )

    @cached_property
    def solution(self) -> tuple[Floats, Floats]:
        """V' and lambda."""
        return self.kkt.solve_both(self.terms.forces, self.terms.eta)

    @cached_property
    def velocity(self) -> Floats:
        return self.instant.velocity(self.terms.jacobian, self.absolute)

    def stiffness_blocks(self, acceleration: Floats) -> list[tuple[Integers, Floats]]:
        r"""$-(\partial_\xi Q - \partial_\xi(J^T\lambda) + (0, \omega\times f))$, part by part."""
        blocks = [(x.columns, -x.by_pose) for x in self.tangent.loads]
        blocks += self.geometric_blocks(self.solution[1])
        return [*blocks, self.held_directions(acceleration)]

    def geometric_blocks(self, multipliers: Floats) -> list[tuple[Integers, Floats]]:
        r"""$\partial_\xi(J^T\lambda)$ at constant $\lambda$: joints, then couplings."""
        ties, last = self.terms.ties, len(multipliers) - len(self.terms.ties)
        blocks = self.tangent.reaction_blocks(self.instant.padded(multipliers))
        return blocks + [
            (tie.columns[None], multipliers[last + k] * tie.slopes[None])
            for k, tie in enumerate(ties)
        ]

    def held_directions(self, acceleration: Floats) -> tuple[Integers, Floats]:
        """-omega x f of every body (n, 12, 12): forces not balanced do not turn with the bodies."""
        force = (self.mass @ acceleration)[: self.instant.bodies].reshape(-1, 2, 3)[:, 1]
        held = np.zeros((len(force), 12, 12))
        held[:, 9:12, 6:9] = np.einsum("bk,kij->bij", force, GENERATORS)
        return self.tangent.loads[0].columns, held

    def summed(self, blocks: list[tuple[Integers, Floats]]) -> Any:
        return summed(blocks, self.instant.count)

    @cached_property
    def slip(self) -> Any:
        """d(J V) at constant V (rows, unknowns)."""
        from scipy.sparse import diags

        instant, ties = self.instant, self.terms.ties
        rows = self.tangent.of_slip(self.velocity, instant.system.row_count)[instant.rows]
        last, v = len(instant.rows) - len(ties), self.velocity
        bent = [tie.in_row(last + k, v[tie.columns] @ tie.slopes) for k, tie in enumerate(ties)]
        return (diags(instant.signs) @ rows + placed(bent, rows.shape)).tocsr()

    def on_bodies(self, blocks: Floats) -> Any:
        """Blocks (n, 6, 6) of the bodies, and zeros for other coordinates, sparse."""
        return joined([*blocks, *np.zeros((len(self.instant.coordinates), 1, 1))])

    def moving(self, axes: str) -> "Moving":
        """What a motion adds, components taken in some axes."""
        turning = self.on_bodies(crosses(self.relative_spin(axes)))
        adjoint = crosses(self.absolute[:, TWIST : TWIST + 3])
        adjoint[:, 3:, :3] = np.einsum("bk,kij->bij", self.absolute[:, TWIST + 3 :], GENERATORS)
        acceleration = self.solution[0] + turning @ self.velocity
        return Moving(
            carried=turning - self.on_bodies(adjoint),
            stiff=-self.summed(self.stiffness_blocks(acceleration)),
            by_twist=self.tangent.by_twist + self.mass @ turning,
            acceleration=acceleration,
        )

    def relative_spin(self, axes: str) -> Floats:
        """omega - sigma of every body in its own axes (n, 3)."""
        omega = self.absolute[:, TWIST : TWIST + 3]
        if axes == "body":
            return np.zeros_like(omega)
        if axes == "world":
            return omega
        turn, carrier = rotations(self.absolute), self.instant.setup.body_index[axes]
        return omega - np.einsum("bji,j->bi", turn, turn[carrier] @ omega[carrier])

    @cached_property
    def body_mass(self) -> Any:
        """The mass matrix on the twists of the bodies alone, rotors included."""
        instant, bodies = self.instant, self.instant.bodies
        own = instant.of_coordinates(self.terms.jacobian)
        mass = instant.mass.tocsr()
        return mass[:bodies, :bodies] + own.T @ mass[bodies:, bodies:] @ own

    def unbalance(self, acceleration: Floats) -> Unbalance:
        """The largest force and torque on a body that an acceleration needs."""
        return Unbalance.of(self.body_mass @ acceleration[: self.instant.bodies])


def linear_at(instant: Instant, absolute: Floats, angles: Floats) -> Linear:
    """With the mass matrix."""
    return Linear(instant, absolute, angles, instant.mass, instant.inverse)


class Moving(NamedTuple):
    r"""Parts of $\dot\xi = B\xi + \nu$ and $M\dot\nu = -K\xi - C\nu + \dots$, sparse."""

    carried: Any  # B
    stiff: Any  # -K
    by_twist: Any  # -C
    acceleration: Floats  # V' in the axes asked for


def crosses(spin: Floats) -> Floats:
    """spin x on rotation and translation of every body, (n, 6, 6)."""
    out = np.zeros((len(spin), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = np.einsum("bk,kij->bij", spin, GENERATORS)
    return out
