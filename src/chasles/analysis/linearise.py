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

import numpy as np

from chasles.analysis.instant import Instant, check_gaps, check_speeds, make_instant
from chasles.analysis.linear import Unbalance, linear_at
from chasles.analysis.modes import Complex, Mode, eigen, make_modes, mode_table
from chasles.analysis.reduced import reduce, some_modes
from chasles.build.system.state import State, checked_state
from chasles.core.arrays import TWIST_COMPONENTS, Floats
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import checked_count, checked_not_negative
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model

#: Up to so many bodies, all modes are found with dense matrices; of more, so many modes.
MOST_DENSE, SOME = 150, 24


@dataclass(frozen=True, repr=False)
class Linearisation:
    r"""Small motions about a state: $\dot x = A x$, $x = (p, w)$.

    p are coordinates of displacement: $\xi = Y p$ are the twists (rotation, translation) of the
    bodies in their own axes at the centres of mass; w are those of velocity.  Both bases are
    orthonormal in the mass metric, so the reduced mass matrix is the identity.

    Parameters
    ----------
    model
        The model.
    state
        The state of the linearisation.
    axes
        Axes of the components: "body", "world" or the name of a body.
    residual
        Unbalanced forces in these axes: zero at an equilibrium or a steady motion.
    matrix
        A, 1/s.
    positions
        Y (6n, dp).
    velocities
        Z (6n, dw). The same as Y unless wheels roll.
    eigenvalues
        Of A, 1/s.
    modes
        One for each real eigenvalue and each pair, slowest first.
    partial
        Whether only some modes were computed. There are no matrices then.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> small = ch.equilibrium(model).linearise()
    >>> small.degrees_of_freedom, small.hertz.round(4).tolist()
    (1, [0.6105])
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
    partial: bool = False

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """What the rows of `positions` and `velocities` are: (body, "wx" ... "uz")."""
        return tuple((name, c) for name in self.model.body_names for c in TWIST_COMPONENTS)

    @property
    def degrees_of_freedom(self) -> int:
        """The number of independent velocities."""
        if self.partial:
            raise InvalidOption(
                f"only {len(self.modes)} modes were asked for: matrices and freedoms of the whole"
                " model were not computed.",
                "Leave `modes` out, or use `modes`, `frequencies` and `eigenvalues`.",
            )
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
        """Of every mode, rad/s: the magnitude of its eigenvalue."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def hertz(self) -> Floats:
        """Of every mode, Hz."""
        return self.frequencies / (2.0 * pi)

    @property
    def damping_ratios(self) -> Floats:
        """Of every mode; see `Mode`."""
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
        return float(self.eigenvalues.real.max()) if self.eigenvalues.size else 0.0

    def _blocks(self) -> tuple[Floats, Floats, Floats, Floats]:
        count = self.positions.shape[1]
        if count != self.degrees_of_freedom:
            raise InvalidOption(
                f"bodies roll: there are {count} coordinates but {self.velocities.shape[1]}"
                " speeds, and no square stiffness matrix.",
                "Use `matrix`, `eigenvalues` or `modes`.",
            )
        a = self.matrix
        return a[:count, :count], a[:count, count:], a[count:, :count], a[count:, count:]

    def __repr__(self) -> str:
        moving = np.abs(self.state.velocity).max() + np.abs(self.state.angular_velocity).max() > 0
        of = f"{len(self.modes)} modes"
        if not self.partial:
            count = self.degrees_of_freedom
            of = f"{count} {'degree' if count == 1 else 'degrees'} of freedom"
        return (
            f"Linearisation({of}"
            f" {'about a motion, ' + self.axes + ' axes' if moving else 'at rest'},"
            f" unbalanced {self.residual.force:.2g} N, {self.residual.torque:.2g} N m)\n"
            + mode_table(self.modes)
        )


@checked_keywords
def linearise(
    model: Model,
    state: State | None = None,
    axes: str = "body",
    modes: int | None = None,
    near: float = 0.0,
) -> Linearisation:
    """Linearise the equations of motion about a state: frequencies and mode shapes.

    Parameters
    ----------
    model
        The model.
    state
        The state, of a result or an equilibrium. The model's start if left out.
    axes
        For a moving state, the axes of the components: "body" (of every body), "world", or the
        name of a body. Choose axes in which the motion looks steady: "body" for a spinning
        satellite, "world" for a round rotor or wheel.
    modes
        Number of modes to find with sparse matrices; the matrices of the result are then empty.
        All modes if left out, and some in a model of more than 150 bodies.
    near
        With `modes`: find the modes nearest to this frequency, Hz.

    Notes
    -----
    Forces that depend on time are taken at the time of the state.

    Examples
    --------
    >>> import chasles as ch
    >>> rod = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0, 0, -0.5), axis="z")
    >>> hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> ch.linearise(ch.Model([rod], [hinge])).frequencies ** 2      # 3 g / 2 l
    array([14.715])
    """
    checked_model(model)
    UnknownName.check("frame", axes, ("body", "world", *model.body_names), "linearise: axes")
    about = None if state is None else checked_state(state, "state")
    near = checked_not_negative(near, "near", "Hz", "linearise", InvalidOption)
    if modes is not None:
        modes = checked_count(modes, "modes", 10**6, "linearise", InvalidOption)
    instant, absolute = make_instant(model, about, held=False)
    return linearised(instant, absolute, instant.integrals, axes, modes, near)


def linearised(
    instant: Instant,
    absolute: Floats,
    angles: Floats,
    axes: str,
    modes: int | None = None,
    near: float = 0.0,
) -> Linearisation:
    """`linearise` at an absolute state whose functions of time have been sampled."""
    linear = linear_at(instant, absolute, angles)
    check_gaps(instant, absolute, angles)
    check_speeds(instant, absolute, linear.terms.jacobian @ linear.velocity)
    if modes is None and len(absolute) > MOST_DENSE:
        modes = SOME
    partial = modes is not None and 4 * modes < 6 * len(absolute)
    matrix, positions, velocities = np.zeros((0, 0)), *np.zeros((2, 6 * len(absolute), 0))
    if modes is not None and partial:
        values, shapes, residual = some_modes(linear, axes, modes, near)
    else:
        parts = reduce(linear)
        matrix, unbalanced = parts.matrix(axes)
        residual = linear.unbalance(unbalanced)
        values, shapes = eigen(matrix, parts)
        positions = parts.positions[: instant.bodies]
        velocities, shapes = parts.free.basis[: instant.bodies], positions @ shapes
    return Linearisation(
        model=instant.setup.model,
        state=instant.state(absolute, angles),
        axes=axes,
        residual=residual,
        matrix=matrix,
        positions=positions,
        velocities=velocities,
        eigenvalues=values,
        modes=make_modes(linear, values, shapes),
        partial=partial,
    )
