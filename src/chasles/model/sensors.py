"""Sensors: what of a run is to be read, named in the model.  They act on nothing.

A sensor holds words only; `result.sensor(name)` evaluates it on a trajectory.
"""

from typing import Any, ClassVar, Literal, get_args

from chasles.model.body import Body, checked_body
from chasles.model.checks import Vector3, checked_name, checked_vector, fill
from chasles.model.coordinates import AUTO, checked_coordinate, checked_joint_name
from chasles.model.drivers import AnyDriver
from chasles.model.errors import InvalidSensor, UnknownName, short_repr
from chasles.model.forces import Force
from chasles.model.joints import Joint
from chasles.model.registered import Part
from chasles.model.words import ArrayLike, BodyAxes, Coordinate

OfBody = Literal[
    "position", "velocity", "acceleration", "specific_force", "quaternion", "angular_velocity",
    "angular_acceleration",
]  # fmt: skip
OfJoint = Literal["coordinate", "rate", "gap", "angular_gap", "force", "torque"]
OfForce = Literal["force", "torque", "power", "elongation", "effort"]
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


class AnySensor(Part):
    """What all sensors share; use Sensor, JointSensor or ForceSensor.

    Parameters
    ----------
    name
        Name of the sensor in results.
    body
        The body.
    joint
        The joint.
    """

    kind: ClassVar[str] = "anysensor"
    kinds: ClassVar[dict[str, type["AnySensor"]]] = {}
    word = "sensor"

    name: str
    reads: str

    def __init__(self, name: str) -> None:
        fill(self, name=checked_name(name, "sensor", InvalidSensor))

    @property
    def of(self) -> str:
        """The name of the part that it reads."""
        return ""

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

    body: str = ""
    at: Vector3 | None = None
    reads: OfBody = "position"
    axes: BodyAxes = "world"

    def __init__(
        self,
        name: str,
        body: Body | str,
        at: ArrayLike | None = None,
        reads: OfBody = "position",
        axes: BodyAxes = "world",
    ) -> None:
        super().__init__(name)
        fill(
            self,
            body=checked_body(body, "body", self.where, InvalidSensor, "does not move"),
            at=None if at is None else checked_vector(at, "at", self.where, InvalidSensor),
            reads=checked_word(reads, "reads", OfBody, self.where),
            axes=checked_word(axes, "axes", BodyAxes, self.where),
        )
        if self.axes == "body" and reads in ("position", "quaternion"):
            raise InvalidSensor(
                f"{self.where}: a {reads} is given in world axes, not along the axes of the body.",
                "Leave axes= out.",
            )

    @property
    def of(self) -> str:
        return self.body


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
        "auto", "angle" or "displacement", of a coordinate and its rate.

    Examples
    --------
    >>> JointSensor("encoder", "hinge").reads
    'coordinate'
    """

    joint: str = ""
    reads: OfJoint = "coordinate"
    axes: JointAxes = "world"
    coordinate: Coordinate = "auto"

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        reads: OfJoint = "coordinate",
        axes: JointAxes = "world",
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name)
        fill(
            self,
            joint=checked_joint_name(joint, self.where, InvalidSensor),
            reads=checked_word(reads, "reads", OfJoint, self.where),
            axes=checked_word(axes, "axes", JointAxes, self.where),
            coordinate=checked_coordinate(coordinate, self.where, InvalidSensor),
        )

    @property
    def of(self) -> str:
        return self.joint

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

    force: str = ""
    reads: OfForce = "force"

    def __init__(self, name: str, force: Force | AnyDriver | str, reads: OfForce = "force") -> None:
        super().__init__(name)
        named = force.name if isinstance(force, Force | AnyDriver) else force
        if not isinstance(named, str):
            raise InvalidSensor(
                f"{self.where}: force must be a force or driver, got {short_repr(force)}.",
                "Give a Force or Driver of the model, or its name.",
            )
        fill(self, force=named, reads=checked_word(reads, "reads", OfForce, self.where))

    @property
    def of(self) -> str:
        return self.force


def checked_word(word: Any, what: str, known: Any, where: str) -> str:
    """One of the words of a Literal."""
    if not isinstance(word, str) or word not in get_args(known):
        found = UnknownName.among("word", word, get_args(known))
        listed = found.remedy.replace("Known:", f"{what} may be")
        raise InvalidSensor(
            f"{where}: {what} must be one of its words, got {short_repr(word)}.", listed
        )
    return word
