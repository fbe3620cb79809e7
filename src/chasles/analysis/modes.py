"""Eigenvalues and mode shapes of a linearised model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.analysis.instant import Instant
from chasles.analysis.linear import Linear
from chasles.analysis.reduced import ROUNDING, Reduced, rounding_of
from chasles.build.system.coordinates import coordinate_rate
from chasles.core.arrays import TWIST, Floats
from chasles.model import Body, Joint, UnknownName

Complex = NDArray[np.complex128]


@dataclass(frozen=True, repr=False)
class Mode:
    """A mode of vibration: all bodies move in proportion to exp(s t).

    Parameters
    ----------
    eigenvalue
        s, 1/s. Its real part is growth or decay, its imaginary part oscillation.
    shape
        (n, 6) displacements (rotation, translation) in body axes at the centres of mass, with
        modal mass 1 kg. Complex if the bodies are out of phase.
    coordinates
        Changes of the joints' angles (rad) and displacements (m).
    energy
        (n,) share of every body in the kinetic energy.
    bodies
        Names of the bodies.

    Notes
    -----
    `frequency` is the magnitude of the eigenvalue in rad/s, that of the undamped motion; `hertz` is
    the same in Hz. `damping_ratio` is minus its real part divided by its magnitude: 0 undamped, 1
    critically damped, negative if it grows.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> mode = ch.equilibrium(model).linearise().modes[0]
    >>> mode.main_body, round(mode.hertz, 4)
    ('arm', 0.6105)
    """

    eigenvalue: complex
    shape: Floats | Complex
    coordinates: dict[tuple[str, str], float | complex] = field(default_factory=dict)
    energy: Floats = field(default_factory=lambda: np.zeros(0))
    bodies: tuple[str, ...] = ()

    @property
    def frequency(self) -> float:
        """Angular frequency of the undamped motion, rad/s."""
        return abs(self.eigenvalue)

    @property
    def hertz(self) -> float:
        """Frequency of the undamped motion, Hz."""
        return self.frequency / (2.0 * pi)

    @property
    def damping_ratio(self) -> float:
        """Damping ratio: 0 undamped, 1 critically damped, negative if the motion grows."""
        return 0.0 - self.eigenvalue.real / self.frequency if self.frequency > 0.0 else 0.0

    @property
    def main_body(self) -> str:
        """The body with the largest share in the kinetic energy."""
        return self.bodies[int(np.argmax(self.energy))]

    def of(self, body: Body | str) -> Any:
        """Displacement of one body.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        Floats
            (6,): rotation, rad, and translation of the centre of mass, m, in body axes.
        """
        name = body.name if isinstance(body, Body) else body
        UnknownName.check("body", name, self.bodies)
        return self.shape[self.bodies.index(name)]

    def of_joint(self, joint: Joint | str, which: str | None = None) -> Any:
        """Change of a joint's coordinate.

        Parameters
        ----------
        joint
            The joint or its name.
        which
            For joints with two coordinates: "angle" or "displacement".

        Returns
        -------
        float or complex
            The change, rad or m.
        """
        name = joint.name if isinstance(joint, Joint) else joint
        for (owner, kind), value in self.coordinates.items():
            if owner == name and which in (None, kind):
                return value
        known = [owner for owner, kind in self.coordinates if which in (None, kind)]
        raise UnknownName.among("joint with such a coordinate", name, known)

    def __repr__(self) -> str:
        s = self.eigenvalue
        return (
            f"Mode({self.hertz:.6g} Hz, damping ratio {self.damping_ratio:.4g},"
            f" eigenvalue {s.real:.6g}{s.imag:+.6g}j 1/s, mostly '{self.main_body}')"
        )


def oscillations(stiffness: Floats, noise: Floats) -> tuple[Any, Any]:
    r"""Eigenvalues and shapes of $\ddot p + K p = 0$; two of the former to each of the latter.

    `noise` (d, d) is what was added up in K, without signs: smaller stiffnesses are zero.
    """
    symmetric = np.abs(stiffness - stiffness.T).max(initial=0.0) <= 1e-9 * np.abs(stiffness).max(
        initial=0.0
    )
    if symmetric:
        squares, shapes = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    else:
        squares, shapes = np.linalg.eig(stiffness)
    squares = np.where(np.abs(squares) <= rounding_of(shapes, noise), 0.0, squares)
    roots = np.sqrt(-squares.astype(complex))
    pairs = np.stack((roots, -roots), axis=-1).ravel()
    return unsigned_zeros(pairs), np.repeat(shapes, 2, axis=1).astype(complex)


def motions(matrix: Floats, positions: int, noise: Floats) -> tuple[Any, Any]:
    """Eigenvalues, and the position parts of the eigenvectors, of a first-order system."""
    values, vectors = np.linalg.eig(matrix)
    shapes = vectors[:positions].astype(complex)
    length = np.linalg.norm(shapes, axis=0)
    shapes = shapes / np.where(length > 0.0, length, 1.0)
    tiny = np.abs(values) ** 2 <= rounding_of(shapes, noise)
    tiny |= np.abs(values) <= ROUNDING * np.abs(matrix).max(initial=0.0)
    return unsigned_zeros(np.where(tiny, 0.0, values)), shapes


def unsigned_zeros(values: Any) -> Any:
    """Complex values with 0 in the place of -0, which reads badly."""
    return values.astype(complex) + 0.0


def one_of_each_pair(values: Complex, shapes: Complex) -> list[int]:
    """Indices of the eigenvalues that make modes of their own, by size.

    Of a pair the one with the positive imaginary part; of zeros, which come in pairs with one shape
    where a body drifts, those whose shapes are independent.
    """
    kept = [k for k, s in enumerate(values) if s.imag >= 0.0 and s != 0.0]
    still: list[Complex] = []
    for k in np.flatnonzero(values == 0.0):
        shape = shapes[:, k].copy()
        for other in still:
            shape -= other * np.vdot(other, shape)
        if np.linalg.norm(shape) > 1e-4 * np.linalg.norm(shapes[:, k]):
            still.append(shape / np.linalg.norm(shape))
            kept.append(int(k))
    return sorted(kept, key=lambda k: (abs(values[k]), values[k].real))


def normalised(shape: Any, mass: Any) -> Any:
    """The shape with modal mass 1, and real where all bodies move in phase."""
    length = np.sqrt(np.vdot(shape, mass @ shape).real)
    if length == 0.0:
        return shape.real
    shape = shape / length
    shape = shape * np.exp(-0.5j * np.angle(shape @ (mass @ shape)))
    if np.abs(shape.imag).max() <= 1e-10 * np.abs(shape).max():
        shape = shape.real
    return shape if shape[np.argmax(np.abs(shape))].real > 0.0 else -shape


def mode_table(modes: Sequence[Mode]) -> str:
    """Modes as lines of text."""
    lines = ["mode  frequency / Hz  damping ratio  eigenvalue / (1/s)        mostly"]
    for number, mode in enumerate(modes, 1):
        s = mode.eigenvalue
        value = f"{s.real:.5g}" if s.imag == 0.0 else f"{s.real:.5g} + {s.imag:.7g}j"
        hertz = f"{mode.hertz:14.7g}" if s.imag != 0.0 or s == 0.0 else f"{'-':>14}"
        lines.append(
            f"{number:4d}  {hertz}  {mode.damping_ratio:13.4g}  {value:24}  {mode.main_body}"
        )
    return "\n".join(lines)


def eigen(matrix: Floats, parts: Reduced) -> tuple[Complex, Complex]:
    """All eigenvalues, and the displacement coordinates of their modes (columns)."""
    count = parts.positions.shape[1]
    first, last = matrix[:count, :count], matrix[count:, count:]
    if parts.positions is parts.free.basis and not first.any() and not last.any():
        return oscillations(-matrix[count:, :count], parts.noise)
    return motions(matrix, count, parts.noise)


def make_modes(linear: Linear, values: Complex, shapes: Complex) -> tuple[Mode, ...]:
    """Modes from eigenvalues and body displacements (6n, columns)."""
    kept, mass, instant = one_of_each_pair(values, shapes), linear.body_mass, linear.instant
    columns = [normalised(shapes[:, k], mass) for k in kept]
    changes = joint_changes(instant, linear.absolute, columns)
    energies = [np.real(np.conj(c) * (mass @ c)).reshape(-1, 6).sum(axis=1) for c in columns]
    names = instant.setup.model.body_names
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
    setup = instant.setup
    states = np.tile(absolute, (2, len(columns), 1, 1))
    for k, column in enumerate(columns):
        states[0, k, :, TWIST:] = np.real(column).reshape(-1, 6)
        states[1, k, :, TWIST:] = np.imag(column).reshape(-1, 6)
    changes: list[dict[tuple[str, str], Any]] = [{} for _ in columns]
    for joint in setup.model.joints:
        for kind in joint.coordinates:
            rates = coordinate_rate(setup, joint.name, kind, states)
            for change, column, real, imaginary in zip(changes, columns, *rates.tolist()):
                value = complex(real, imaginary) if np.iscomplexobj(column) else real
                change[joint.name, kind] = value
    return changes
