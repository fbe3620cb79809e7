r"""The equations of motion near one state, on the tangent space of the constraints.

In body twists V the motion obeys

$$ M\dot V = Q(q, V) - J(q)^T\lambda, \qquad J(q)V = r, $$

r the rates of drivers.  A neighbouring motion is displaced by twists $\xi$ in the body frames,
$q\exp\xi$, and its velocity is $V+\nu$.  What follows is exact to first order.

**Kinematics.**  $\partial_s(q^{-1}\dot q) - (q^{-1}\partial_s q)^{\textstyle\cdot} = [V, \xi]$, so
$\dot\xi = \nu - \mathrm{ad}_V\,\xi$.

**Constraints.**  $J_h\xi = 0$ for the rows $J_h$ that restrict positions (all but those of rolling
wheels), and $J\nu + (\partial_\xi J)V = 0$ for all.  With Y and Z bases of the null spaces of $J_h$
and J, both orthonormal in the mass metric, and $J^+$ the mass-weighted inverse ($Z^T M J^+ = 0$),

$$ \xi = Y p, \qquad \nu = Z w + N p, \qquad N p = -J^+ (\partial_{Yp}J) V. $$

**Dynamics.**  $M\dot\nu = \partial_\xi Q + \partial_\nu Q - \partial_\xi(J^T\lambda) - J^T\delta
\lambda$; $Z^T$ takes the unknown $\delta\lambda$ away:

$$ \dot w = Z^T\bigl(\partial_\xi Q - \partial_\xi(J^T\lambda)\bigr)Y p
          + Z^T\,\partial_V Q\,(Z w + N p). $$

The term $\partial_\xi(J^T\lambda)$, at constant lambda, is the geometric stiffness: it makes a
pendulum swing.  It needs no second derivative of g, since J is its first.  Of the rows only tangent
derivatives enter, so it does not matter what a row says off the constraints; nor does it matter
which of several lambda is taken where joints repeat each other: if n^T J = 0 and J keeps its rank
along a motion, $n^T(\partial_\xi J)Z = 0$.  Where that fails, the pose is singular, $\ker J$ is not
the tangent space, and there is nothing to linearise.

**States that are not steady.**  If $\dot V\neq0$, it matters in which axes velocities are
compared: here those of the centres of mass in axes that do not turn with the displacement, which
adds $\omega\times\dot v$ to the second equation.  K is then that of displacements
$(R\exp\hat\omega,\, x + R u)$, and a body that falls freely has no stiffness.

**Axes.**  If the axes in which components are taken turn with $\sigma$ instead of the body's own
$\omega$, $(\omega-\sigma)\times$ is added to both parts of $\dot\xi$ and $\dot\nu$.  At rest this
changes nothing.  About a steady motion the equations have constant coefficients only in axes in
which the motion looks the same all the time.

At rest, without rolling, $Y = Z$ and $\dot p = w$: $\ddot p + C\dot p + K p = 0$, in which K is the
second derivative of the potential energy along the constraints, if there is one.
"""

from dataclasses import dataclass, field
from math import pi
from typing import Any, NamedTuple

import numpy as np

from chasles import diagnostics
from chasles.analysis.instant import (
    Free,
    Instant,
    Terms,
    check_gaps,
    check_speeds,
    checked_state,
    make_instant,
)
from chasles.analysis.modes import (
    Complex,
    Mode,
    motions,
    normalised,
    one_of_each_pair,
    oscillations,
    table,
)
from chasles.analysis.poses import rotations
from chasles.analysis.tangent import GENERATORS, Tangent
from chasles.dynamics.redundancy import joint_of_row
from chasles.model import InvalidOption, Model, RedundantConstraints, UnknownName
from chasles.model.coordinates import coordinates_of
from chasles.model.model import checked_model
from chasles.system.arrays import TWIST, TWIST_COMPONENTS, Floats
from chasles.system.state import State

#: Repeated rows that change by more than this per rad or m stop repeating: a singular pose.
SINGULAR = 1e-6


class Unbalance(NamedTuple):
    """The largest force (N) and torque (N m) on a body that nothing balances."""

    force: float
    torque: float


@dataclass(frozen=True, repr=False)
class Linearisation:
    r"""Small motions about a state: $\dot x = A x$, $x = (p, w)$.

    p are coordinates of displacement: $\xi = Y p$ are the twists (rotation, translation) of the
    bodies in their own axes at the centres of mass; w are those of velocity.  Both bases are
    orthonormal in the mass metric, so the reduced mass matrix is the identity.

    state      what was linearised about
    axes       what the components turn with: "body", "world" or the name of a body
    residual   what is not balanced, in these axes: zero at an equilibrium or a steady motion
    matrix     A, 1/s
    positions  Y (6n, dp)
    velocities Z (6n, dw); the same as Y unless wheels roll
    modes      one for each real eigenvalue and each pair, slowest first
    """

    model: Model
    state: State
    axes: str
    residual: Unbalance
    matrix: Floats
    positions: Floats
    velocities: Floats
    eigenvalues: Complex
    modes: tuple[Mode, ...] = field(repr=False)

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """What the rows of `positions` and `velocities` are: (body, "wx" ... "uz")."""
        return tuple((name, c) for name in self.model.body_names for c in TWIST_COMPONENTS)

    @property
    def degrees_of_freedom(self) -> int:
        """The number of independent velocities."""
        return self.velocities.shape[1]

    @property
    def mass(self) -> Floats:
        """Reduced mass matrix: the identity, by the choice of basis."""
        return np.eye(self.degrees_of_freedom)

    @property
    def damping(self) -> Floats:
        r"""C of $\ddot p + C\dot p + K p = 0$: dampers, and gyroscopic terms if bodies move."""
        first, _, _, last = self._blocks()
        return -(first + last)

    @property
    def stiffness(self) -> Floats:
        r"""K of $\ddot p + C\dot p + K p = 0$; symmetric at rest if all forces have potentials."""
        first, _, lower, last = self._blocks()
        return -(lower - last @ first)

    @property
    def frequencies(self) -> Floats:
        """|eigenvalue| of every mode, rad/s."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def hertz(self) -> Floats:
        """|eigenvalue| of every mode, Hz."""
        return self.frequencies / (2.0 * pi)

    @property
    def damping_ratios(self) -> Floats:
        """-Re s / |s| of every mode."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def undamped_frequencies(self) -> Floats:
        """Square roots of the eigenvalues of K, rad/s: NaN where the stiffness is negative."""
        squares = np.sort_complex(np.linalg.eigvals(self.stiffness))
        real = np.where(np.abs(squares.imag) <= 1e-9 * np.abs(squares), squares.real, np.nan)
        with np.errstate(invalid="ignore"):
            return np.sqrt(real)

    @property
    def growth(self) -> float:
        """The largest real part of an eigenvalue, 1/s: positive if the state is unstable."""
        return float(self.eigenvalues.real.max(initial=0.0))

    def _blocks(self) -> tuple[Floats, Floats, Floats, Floats]:
        count = self.positions.shape[1]
        if count != self.velocities.shape[1]:
            raise InvalidOption(
                f"bodies roll: there are {count} coordinates but {self.velocities.shape[1]}"
                " speeds, and no square stiffness matrix.",
                "Use `matrix`, `eigenvalues` or `modes`.",
            )
        a = self.matrix
        return a[:count, :count], a[:count, count:], a[count:, :count], a[count:, count:]

    def __repr__(self) -> str:
        moving = np.abs(self.state.velocity).max() + np.abs(self.state.angular_velocity).max() > 0
        freedom = "degree" if self.degrees_of_freedom == 1 else "degrees"
        return (
            f"Linearisation({self.degrees_of_freedom} {freedom} of freedom"
            f" {'about a motion, ' + self.axes + ' axes' if moving else 'at rest'},"
            f" unbalanced {self.residual.force:.2g} N, {self.residual.torque:.2g} N m)\n"
            + table(self.modes)
        )


def linearise(model: Model, state: State | None = None, axes: str = "body") -> Linearisation:
    """The equations of motion linearised about a state, with frequencies and mode shapes.

    state   where: of a result or an equilibrium; the model's start if left out
    axes    for a state in motion, what the components turn with: "body" (every body's own axes),
            "world", or the name of a body.  Choose those in which the motion looks steady: "body"
            for a spinning satellite, "world" for a rotor or a wheel that is round

    Forces that depend on time are taken at the state's t.  Angles of joint springs are counted
    within half a turn of the start.

    >>> import chasles as ch
    >>> rod = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0, 0, -0.5), axis="z")
    >>> hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> ch.linearise(ch.Model([rod], [hinge])).frequencies ** 2      # 3 g / 2 l
    array([14.715])
    """
    checked_model(model)
    if not isinstance(axes, str) or axes not in ("body", "world", *model.body_names):
        raise UnknownName.among("axes", axes, ("body", "world", *model.body_names))
    if state is None:
        instant, absolute = make_instant(model, 0.0, held=False)
    else:
        absolute = checked_state(state, "state").to_absolute(model)
        instant, _ = make_instant(model, state.t, held=False)
    angles = np.zeros(instant.system.quadrature_count)
    return linearised(instant, absolute, angles, axes)


@dataclass(frozen=True)
class Reduced:
    """The parts of A, and what the solution at the state is."""

    positions: Floats  # Y
    free: Free  # Z and J^+
    acceleration: Floats  # V' (6n,)
    tangent: Tangent
    geometric: Floats  # d(J^T lambda) (6n, 6n)
    carried: Floats  # (6n, 6n): forces that are not balanced do not turn with the bodies
    sizes: Floats  # (6n,) of all forces and reactions

    @property
    def noise(self) -> Floats:
        """What was added up in the stiffness, without signs: also forces that turn with bodies."""
        parts = (self.tangent.by_pose, self.geometric, self.carried)
        total = sum(np.abs(part) for part in parts)
        for first in range(0, len(self.sizes), 6):
            total[first : first + 6, first : first + 3] += self.sizes[first : first + 6, None]
        size = np.abs(self.positions)
        return size.T @ total @ size

    @property
    def stiffness(self) -> Floats:
        """K at rest."""
        slopes = self.tangent.by_pose - self.geometric + self.carried
        return -self.free.basis.T @ slopes @ self.positions


def reduce(instant: Instant, absolute: Floats, angles: Floats, terms: Terms, free: Free) -> Reduced:
    """Bases, the solution and the derivatives at a state."""
    acceleration = free.basis @ (free.basis.T @ terms.forces) + free.back @ terms.eta
    needed = free.metric.matrix @ acceleration
    multipliers = free.back.T @ (terms.forces - needed)
    slopes = instant.tangent(absolute, angles)
    geometric = slopes.of_reactions(instant.padded(multipliers))
    sizes = slopes.sizes + slopes.reaction_sizes(instant.padded(multipliers), instant.system)
    chosen = instant.holonomic()
    positions = free.basis
    if len(chosen) < len(instant.rows):
        positions = instant.free(terms.jacobian[chosen], instant.rank(chosen), free.metric).basis
    return Reduced(positions, free, acceleration, slopes, geometric, held_direction(needed), sizes)


def held_direction(wrench: Floats) -> Floats:
    """omega x f in the rows of translation, (6n, 6n), of a wrench (tau, f) on every body."""
    out = np.zeros((wrench.size, wrench.size))
    for body, force in enumerate(wrench.reshape(-1, 2, 3)[:, 1]):
        cross = np.einsum("k,kij->ij", force, GENERATORS)
        out[6 * body + 3 : 6 * body + 6, 6 * body : 6 * body + 3] = -cross
    return out


def linearised(instant: Instant, absolute: Floats, angles: Floats, axes: str) -> Linearisation:
    """`linearise` at an absolute state whose functions of time have been sampled."""
    terms = instant.terms(absolute, angles)
    check_gaps(instant, absolute)
    check_speeds(instant, absolute, terms)
    free = instant.free(terms.jacobian, instant.rank(), instant.inertia)
    parts = reduce(instant, absolute, angles, terms, free)
    check_regular(instant, parts)
    model = instant.solver.setup.model
    matrix, unbalanced = assembled(instant, absolute, parts, axes)
    values, shapes = eigen(matrix, parts)
    return Linearisation(
        model=model,
        state=State.from_absolute(instant.t, model, absolute),
        axes=axes,
        residual=unbalance(instant, unbalanced),
        matrix=matrix,
        positions=parts.positions,
        velocities=parts.free.basis,
        eigenvalues=values,
        modes=make_modes(instant, absolute, values, parts.positions @ shapes),
    )


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
    turn, carrier = rotations(absolute), instant.solver.setup.body_index[axes]
    return omega - np.einsum("bji,j->bi", turn, turn[carrier] @ omega[carrier])


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
            name, component = joint_of_row(instant.solver.setup, int(instant.rows[worst]))
            raise RedundantConstraints(
                f"joint '{name}' (direction {component}) repeats other joints in this pose, but"
                " not beside it: the mechanism is singular here, and its motions have no tangent"
                " space.",
                "Take a state away from the pose in which the joints depend on each other.",
            )


def unbalance(instant: Instant, acceleration: Floats) -> Unbalance:
    """The largest force and torque that would be needed for an acceleration."""
    wrench = (instant.mass @ acceleration).reshape(-1, 2, 3)
    torque, force = np.linalg.norm(wrench, axis=2).max(axis=0, initial=0.0)
    return Unbalance(float(force), float(torque))


def eigen(matrix: Floats, parts: Reduced) -> tuple[Complex, Complex]:
    """All eigenvalues, and the displacement coordinates of their modes (columns)."""
    count = parts.positions.shape[1]
    first, last = matrix[:count, :count], matrix[count:, count:]
    if parts.positions is parts.free.basis and not first.any() and not last.any():
        return oscillations(-matrix[count:, :count], parts.noise)
    return motions(matrix, count, parts.noise)


def make_modes(
    instant: Instant, absolute: Floats, values: Complex, shapes: Complex
) -> tuple[Mode, ...]:
    """Modes from eigenvalues and body displacements (6n, columns)."""
    kept = one_of_each_pair(values, shapes)
    columns = [normalised(shapes[:, k], instant.mass) for k in kept]
    changes = joint_changes(instant, absolute, columns)
    energies = [
        np.real(np.conj(c) * (instant.mass @ c)).reshape(-1, 6).sum(axis=1) for c in columns
    ]
    names = instant.solver.setup.model.body_names
    return tuple(
        Mode(complex(values[k]), c.reshape(-1, 6), change, energy, names)
        for k, c, change, energy in zip(kept, columns, changes, energies)
    )


def joint_changes(
    instant: Instant, absolute: Floats, columns: list[Any]
) -> list[dict[tuple[str, str], Any]]:
    """How the joints' coordinates change in every mode."""
    if not columns:
        return []
    setup = instant.solver.setup
    states = np.tile(absolute, (2 * len(columns), 1, 1))
    for k, column in enumerate(columns):
        states[2 * k, :, TWIST:] = np.real(column).reshape(-1, 6)
        states[2 * k + 1, :, TWIST:] = np.imag(column).reshape(-1, 6)
    changes: list[dict[tuple[str, str], Any]] = [{} for _ in columns]
    for joint in setup.model.joints:
        for kind in coordinates_of(joint):
            rates = diagnostics.coordinate_rate(setup, joint.name, kind, states)
            for k, column in enumerate(columns):
                real, imaginary = rates[2 * k : 2 * k + 2].tolist()
                value = complex(real, imaginary) if np.iscomplexobj(column) else real
                changes[k][joint.name, kind] = value
    return changes
