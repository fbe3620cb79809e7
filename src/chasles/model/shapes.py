"""The solid a body was made from: its volume, its inertia, and what to draw.

A shape is centred at the body's centre of mass and aligned with the body's axes.
"""

from dataclasses import dataclass
from math import pi

from chasles.model.checks import Vector3

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Box:
    """A cuboid with edges `size` (m) along the body's x, y and z axes."""

    size: Vector3

    @property
    def volume(self) -> float:
        x, y, z = self.size
        return x * y * z

    def moments(self, mass: float) -> Vector3:
        """Principal moments about the centre: m (y^2 + z^2) / 12 and so on, in kg m^2."""
        x, y, z = self.size
        return (
            mass * (y * y + z * z) / 12.0,
            mass * (z * z + x * x) / 12.0,
            mass * (x * x + y * y) / 12.0,
        )


@dataclass(frozen=True)
class Cylinder:
    """A solid cylinder of `radius` and `length` (m) along one of the body's axes."""

    radius: float
    length: float
    axis: str = "z"

    @property
    def volume(self) -> float:
        return pi * self.radius * self.radius * self.length  # not **, which raises when too large

    def moments(self, mass: float) -> Vector3:
        """Principal moments: m r^2 / 2 along the axis, m (3 r^2 + l^2) / 12 across, in kg m^2."""
        square = self.radius * self.radius
        along = mass * square / 2.0
        across = mass * (3.0 * square + self.length * self.length) / 12.0
        return along_axis(self.axis, along, across)


@dataclass(frozen=True)
class Sphere:
    """A solid ball of `radius` (m)."""

    radius: float

    @property
    def volume(self) -> float:
        return 4.0 / 3.0 * pi * self.radius * self.radius * self.radius

    def moments(self, mass: float) -> Vector3:
        """Principal moments, all 2 m r^2 / 5, in kg m^2."""
        moment = 0.4 * mass * self.radius * self.radius
        return (moment, moment, moment)


Shape = Box | Cylinder | Sphere


def along_axis(axis: str, along: float, across: float) -> Vector3:
    """The vector with `along` in the place of `axis` and `across` in the two others."""
    x, y, z = (along if axis == name else across for name in AXES)
    return (x, y, z)
