"""Sensors: what of a run is to be read, named in the model.  They act on nothing.

A sensor holds words only; `result.sensor(name)` evaluates it on a trajectory.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from chasles.model.checks import Invalid
from chasles.model.coordinates import AUTO, OfJoint, Which
from chasles.model.drivers import AnyDriver, OfBody
from chasles.model.errors import InvalidSensor, short_repr
from chasles.model.fields import PointOrNone, Taken, given, word
from chasles.model.forces import Force
from chasles.model.registered import Part
from chasles.model.words import BodyAxes

OfBodies = Literal[
    "position", "velocity", "acceleration", "specific_force", "quaternion", "angular_velocity",
    "angular_acceleration",
]  # fmt: skip
OfJoints = Literal["coordinate", "rate", "gap", "angular_gap", "force", "torque"]
OfForces = Literal["force", "torque", "power", "elongation", "effort"]
JointAxes = Literal["world", "joint"]

#: what is read -> its unit; that of a coordinate depends on the joint
UNITS: dict[str, str] = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "specific_force": "m/s^2",
    "quaternion": "1",
    "angular_velocity": "rad/s",
    "angular_acceleration": "rad/s^2",
    "gap": "m",
    "angular_gap": "rad",
    "force": "N",
    "torque": "N m",
    "power": "W",
    "elongation": "m",
    "effort": "N or N m",
}


def force_name(force: Any, what: str, where: str, invalid: Invalid) -> str:
    """Of a force or driver."""
    named = force.name if isinstance(force, Force | AnyDriver) else force
    if not isinstance(named, str):
        raise invalid(
            f"{where}: {what} must be a force or driver, got {short_repr(force)}.",
            "Give a Force or Driver of the model, or its name.",
        )
    return named


OfForce = Annotated[Taken[Force | AnyDriver | str, str], force_name]


class AnySensor(Part):
    """What all sensors share; use Sensor, JointSensor or ForceSensor."""

    kind: ClassVar[str] = "anysensor"
    kinds: ClassVar[dict[str, type["AnySensor"]]] = {}
    word = "sensor"
    invalid = InvalidSensor

    name: str
    if TYPE_CHECKING:  # every kind has it, behind its own fields

        @property
        def reads(self) -> str: ...

    @property
    def of(self) -> str:
        """The name of the part that it reads."""
        parts = (getattr(self, what, "") for what in ("body", "joint", "force"))
        return next(filter(None, parts), "")

    @property
    def unit(self) -> str:
        """That of its values."""
        return UNITS[self.reads]


class Sensor(AnySensor):
    """Reads a quantity of a point of a body.

    Parameters
    ----------
    at
        The point in world coordinates at the start, m. None: the centre of mass.
    reads
        "position", "velocity", "acceleration", "specific_force" (acceleration minus gravity, as
        an accelerometer measures it), "quaternion" (w, x, y, z), "angular_velocity" or
        "angular_acceleration".
    axes
        Axes of a vector: "world" or "body". Positions are always in world axes.

    Examples
    --------
    >>> Sensor("tip", "arm", at=(1, 0, 0), reads="acceleration", axes="body").unit
    'm/s^2'
    """

    body: OfBody
    at: PointOrNone = given(default=None)
    reads: Annotated[OfBodies, word(OfBodies)] = "position"
    axes: Annotated[BodyAxes, word(BodyAxes)] = "world"

    def _check(self) -> None:
        super()._check()
        if self.axes == "body" and self.reads in ("position", "quaternion"):
            raise self._wrong(
                f"a {self.reads} is given in world axes, not along the axes of the body.",
                "Leave axes= out.",
            )


class JointSensor(AnySensor):
    """Reads a quantity of a joint.

    Parameters
    ----------
    reads
        "coordinate", "rate", "gap" (constraint violation, m), "angular_gap" (rad), or the
        reaction on the second body at the joint's point: "force" (N), "torque" (N m).
    axes
        Axes of force and torque: "world" or "joint" (z is the joint's axis).
    coordinate
        For a coordinate or its rate: "angle", "displacement" or "auto" (the angle, if the
        joint has both).

    Examples
    --------
    >>> JointSensor("encoder", "hinge").reads
    'coordinate'
    """

    joint: OfJoint
    reads: Annotated[OfJoints, word(OfJoints)] = "coordinate"
    axes: Annotated[JointAxes, word(JointAxes)] = "world"
    coordinate: Which = "auto"

    @property
    def unit(self) -> str:
        if self.reads not in ("coordinate", "rate"):
            return UNITS[self.reads]
        length = {"angle": "rad", "displacement": "m", AUTO: "rad or m"}[self.coordinate]
        return length if self.reads == "coordinate" else f"{length}/s"


class ForceSensor(AnySensor):
    """Reads a quantity of a force or a driver.

    Parameters
    ----------
    force
        The force or driver.
    reads
        For a force: "force" (N, on its second body), "torque" (N m, about the centre of mass of
        that body), "power" (W), "elongation" (m, of a spring). For a driver or a force on a
        joint: "effort" along its coordinate.

    Examples
    --------
    >>> ForceSensor("load cell", "strut").unit
    'N'
    """

    force: OfForce
    reads: Annotated[OfForces, word(OfForces)] = "force"
