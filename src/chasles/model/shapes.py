"""Shapes: the solids a body is made from or drawn as, with their volumes and inertias.

A shape is data.  It sits in its body: `position` is its centroid seen from the body's centre of
mass, `rotation` turns its axes into the body's.  Shapes are drawn and never used in the dynamics;
`Body.solid` takes a body's mass and inertia from them.
"""

from math import pi
from typing import Annotated, Any, ClassVar

import numpy as np

from chasles.model.checks import (
    IDENTITY,
    Invalid,
    Matrix3,
    Vector3,
    checked_positive,
    checked_vector,
    fill,
)
from chasles.model.colours import checked_colour
from chasles.model.errors import InvalidBody
from chasles.model.fields import Point, Taken, given, optional, positive, word
from chasles.model.registered import Part
from chasles.model.rotations import Turned, rotation_of
from chasles.model.words import ArrayLike, Axis, Floats

AXES = ("x", "y", "z")
checked_axis = word(Axis)
SLENDER = 100.0  # length over radius of a rod whose radius was not given


def checked_size(size: Any, what: str, where: str, invalid: Invalid) -> Vector3:
    edges = checked_vector(size, what, where, invalid)
    for edge in edges:
        checked_positive(edge, "edge length", "m", where, invalid)
    return edges


def checked_turn(rotation: Any, what: str, where: str, invalid: Invalid) -> Matrix3:
    return rotation_of(rotation, where)


Length = Annotated[float, positive("m")]
AlongAxis = Annotated[Axis, checked_axis]
Colour = Annotated[str | None, checked_colour]
Rotation = Annotated[Taken[Turned, Matrix3], checked_turn]


class Shape(Part, in_files=False):
    """Base class of all shapes. Use one of its kinds.

    Parameters
    ----------
    position
        Centroid in body axes, from the centre of mass of the body, m.
    rotation
        Rotation from shape to body, in any form that `Body.rotation` takes.
    colour
        Colour of the drawing: "steel", "red", ... or "#rrggbb". None: chosen by the drawing.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, colour="brass")
    >>> isinstance(arm.shapes[0], ch.Shape), arm.shapes[0].colour
    (True, 'brass')
    """

    kinds: ClassVar[dict[str, type["Shape"]]] = {}
    #: the kind in lower case: "box", "cylinder"
    kind: ClassVar[str] = "shape"
    invalid = InvalidBody

    position: Point = given(default=(0.0, 0.0, 0.0), kw_only=True)
    rotation: Rotation = given(default=IDENTITY, kw_only=True)
    colour: Colour = given(default=None, kw_only=True)

    @property
    def where(self) -> str:
        return f"shape '{self.kind}'"

    def _check(self) -> None:
        if type(self) is Shape:
            raise InvalidBody("a shape is of no kind.", "Use Box, Cylinder, Sphere, Mesh, ...")

    @property
    def volume(self) -> float:
        """m^3."""
        raise NotImplementedError

    def moments(self, mass: float) -> Vector3:
        """Moments about the centroid and the shape's own axes, kg m^2."""
        raise NotImplementedError

    def inertia(self, mass: float) -> Floats:
        """R diag(moments) R^T: about the centroid in body axes (3, 3), kg m^2."""
        turn = np.array(self.rotation)
        return np.asarray(turn @ np.diag(self.moments(mass)) @ turn.T)

    @property
    def centroid(self) -> Vector3:
        """From the body's centre of mass in body axes, m."""
        return self.position


class Box(Shape):
    """A cuboid.

    Parameters
    ----------
    size
        Edges along its x, y and z axes, m.

    Examples
    --------
    >>> round(Box((0.2, 0.1, 0.05)).moments(mass=12.0)[2], 6)
    0.05
    """

    size: Annotated[Taken[ArrayLike, Vector3], checked_size]

    @property
    def volume(self) -> float:
        x, y, z = self.size
        return x * y * z

    def moments(self, mass: float) -> Vector3:
        """m (y^2 + z^2) / 12 and so on."""
        x, y, z = self.size
        return (
            mass * (y * y + z * z) / 12.0,
            mass * (z * z + x * x) / 12.0,
            mass * (x * x + y * y) / 12.0,
        )


class Round(Shape, in_files=False):
    """A shape that is round about its axis.

    Parameters
    ----------
    length
        Length along the axis, m.
    axis
        Axis of the shape: "x", "y" or "z".
    """

    radius: Length
    length: Length
    axis: AlongAxis = "z"


class Cylinder(Round):
    """A solid cylinder.

    Examples
    --------
    >>> round(Cylinder(0.1, 0.3).moments(mass=2.0)[2], 6)
    0.01
    """

    @property
    def volume(self) -> float:
        return pi * self.radius * self.radius * self.length  # not **, which raises when too large

    def moments(self, mass: float) -> Vector3:
        """m r^2 / 2 along the axis, m (3 r^2 + l^2) / 12 across."""
        square = self.radius * self.radius
        along = mass * square / 2.0
        across = mass * (3.0 * square + self.length * self.length) / 12.0
        return along_axis(self.axis, along, across)


class Rod(Shape):
    """A slender rod.

    Parameters
    ----------
    length
        Length, m.
    radius
        Radius of the drawing, m. A hundredth of the length if left out.
    axis
        Axis of the shape: "x", "y" or "z".

    Examples
    --------
    >>> round(Rod(1.2).moments(mass=1.0)[2], 6)
    0.12
    """

    length: Length
    radius: Annotated[float | None, optional(positive("m"))] = None
    axis: AlongAxis = "x"

    def _check(self) -> None:
        if self.radius is None:
            fill(self, radius=self.length / SLENDER)

    @property
    def volume(self) -> float:
        radius = self.radius or 0.0
        return pi * radius * radius * self.length

    def moments(self, mass: float) -> Vector3:
        """The textbook's m l^2 / 12 across; along it m r^2 / 2, since a body needs some."""
        radius = self.radius or 0.0
        return along_axis(
            self.axis, mass * radius * radius / 2.0, mass * self.length * self.length / 12.0
        )


class Sphere(Shape):
    """A solid sphere.

    Examples
    --------
    >>> round(Sphere(0.5).moments(mass=1.0)[0], 6)
    0.1
    """

    radius: Length

    @property
    def volume(self) -> float:
        return 4.0 / 3.0 * pi * self.radius * self.radius * self.radius

    def moments(self, mass: float) -> Vector3:
        """All 2 m r^2 / 5."""
        moment = 0.4 * mass * self.radius * self.radius
        return (moment, moment, moment)


class Capsule(Round):
    """A cylinder with a hemisphere on each end.

    Parameters
    ----------
    length
        Length of the cylinder along the axis, m.

    Examples
    --------
    >>> round(Capsule(0.05, 0.3).volume, 6)
    0.00288
    """

    @property
    def volume(self) -> float:
        return pi * self.radius * self.radius * (self.length + 4.0 / 3.0 * self.radius)

    def moments(self, mass: float) -> Vector3:
        """Cylinder and two half balls, whose centroids lie l / 2 + 3 r / 8 from the middle.

        With c and b the masses of the cylinder and of the ball: c r^2 / 2 + 2 b r^2 / 5 along,
        c (3 r^2 + l^2) / 12 + b (2 r^2 / 5 + l^2 / 4 + 3 l r / 8) across.
        """
        r, length = self.radius, self.length
        ball = mass * 4.0 * r / (3.0 * length + 4.0 * r)
        middle = mass - ball
        along = middle * r * r / 2.0 + 0.4 * ball * r * r
        across = middle * (3.0 * r * r + length * length) / 12.0 + ball * (
            0.4 * r * r + 0.25 * length * length + 0.375 * length * r
        )
        return along_axis(self.axis, along, across)


class Ring(Shape):
    """A hollow cylinder.

    Parameters
    ----------
    outer
        Outer radius, m.
    inner
        Inner radius, m.
    length
        Length along the axis, m.
    axis
        Axis of the shape: "x", "y" or "z".

    Examples
    --------
    >>> round(Ring(0.2, 0.1, 0.05).moments(mass=2.0)[2], 6)
    0.05
    """

    outer: Length
    inner: Length
    length: Length
    axis: AlongAxis = "z"

    def _check(self) -> None:
        if self.inner >= self.outer:
            raise self._wrong(
                f"inner is {self.inner:g} m and outer is {self.outer:g} m.",
                "The inner radius must be smaller than the outer; Cylinder has no hole.",
            )

    @property
    def volume(self) -> float:
        return pi * (self.outer - self.inner) * (self.outer + self.inner) * self.length

    def moments(self, mass: float) -> Vector3:
        """m (R^2 + r^2) / 2 along the axis, m (3 (R^2 + r^2) + l^2) / 12 across."""
        squares = self.outer * self.outer + self.inner * self.inner
        across = mass * (3.0 * squares + self.length * self.length) / 12.0
        return along_axis(self.axis, mass * squares / 2.0, across)


class Cone(Round):
    """A solid cone, with its tip in the direction of its axis.

    Parameters
    ----------
    radius
        Radius of the base, m.

    Notes
    -----
    Its centroid lies a quarter of the length above the base.

    Examples
    --------
    >>> round(Cone(0.1, 0.3).moments(mass=1.0)[2], 6)
    0.003
    """

    @property
    def volume(self) -> float:
        return pi * self.radius * self.radius * self.length / 3.0

    def moments(self, mass: float) -> Vector3:
        """3 m r^2 / 10 along the axis, 3 m (4 r^2 + l^2) / 80 across."""
        square = self.radius * self.radius
        across = 3.0 * mass * (4.0 * square + self.length * self.length) / 80.0
        return along_axis(self.axis, 0.3 * mass * square, across)


def along_axis(axis: str, along: float, across: float) -> Vector3:
    """The vector with `along` in the place of `axis` and `across` in the two others."""
    x, y, z = (along if axis == name else across for name in AXES)
    return (x, y, z)
