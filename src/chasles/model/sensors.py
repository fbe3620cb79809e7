"""Sensors: what of a run is to be read, named in the model.  They act on nothing.

A sensor holds words only; `result.sensor(name)` evaluates it on a trajectory.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from chasles.model.body import GROUND, Body, Ground, name_of
from chasles.model.checks import Vector3, checked_name, checked_vector, fill
from chasles.model.coordinates import AUTO, checked_coordinate, checked_joint_name
from chasles.model.drivers import AnyDriver
from chasles.model.errors import InvalidSensor, UnknownName, told
from chasles.model.forces import Force
from chasles.model.joints import Joint
from chasles.model.registered import register
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


@dataclass(frozen=True, init=False)
class AnySensor:
    """What all sensors share; use Sensor, JointSensor or ForceSensor."""

    kind: ClassVar[str] = "anysensor"
    #: the classes that files may hold, by kind; every class of a sensor is entered when it is made
    kinds: ClassVar[dict[str, type["AnySensor"]]] = {}

    name: str
    reads: str

    def __init_subclass__(cls, in_files: bool | None = None) -> None:
        cls.kind = register(AnySensor.kinds, cls, in_files)

    @property
    def of(self) -> str:
        """The name of the part that it reads."""
        return ""

    @property
    def unit(self) -> str:
        """That of its values."""
        return UNITS[self.reads]

    @property
    def where(self) -> str:
        """How messages about it begin."""
        return f"sensor '{self.name}'"


@dataclass(frozen=True, init=False)
class Sensor(AnySensor):
    """Reads a point of a body.

    at     the point in the world at the start, m; None is the centre of mass, filled in by Model
    reads  "position", "velocity", "acceleration", "specific_force" (acceleration less gravity, as
           an accelerometer has it), "quaternion" (w, x, y, z), "angular_velocity",
           "angular_acceleration"
    axes   "world" or "body": along which axes a vector is told; a position only in the world

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
        fill(self, name=checked_name(name, "sensor", InvalidSensor))
        fill(
            self,
            body=checked_body(body, self.where),
            at=None if at is None else checked_vector(at, "at", self.where, InvalidSensor),
            reads=checked_word(reads, "reads", OfBody, self.where),
            axes=checked_word(axes, "axes", BodyAxes, self.where),
        )
        if self.axes == "body" and reads in ("position", "quaternion"):
            raise InvalidSensor(
                f"{self.where}: a {reads} is told in the world, not along the axes of the body.",
                "Leave axes= out.",
            )

    @property
    def of(self) -> str:
        return self.body


@dataclass(frozen=True, init=False)
class JointSensor(AnySensor):
    """Reads a joint.

    reads       "coordinate", "rate", "gap" (m), "angular_gap" (rad), or what the joint does to its
                second body at its point: "force", "torque"
    axes        "world" or "joint" (z is the joint's axis): along which force and torque are told
    coordinate  "auto", "angle" or "displacement", of a coordinate and its rate

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
        fill(self, name=checked_name(name, "sensor", InvalidSensor))
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


@dataclass(frozen=True, init=False)
class ForceSensor(AnySensor):
    """Reads a force or a driver.

    reads  of a force "force" (N, on its second body), "torque" (N m, about that body's centre of
           mass), "power" (W), "elongation" (m, of a spring); of a driver, or a force on a joint,
           "effort" along its coordinate

    >>> ForceSensor("load cell", "strut").unit
    'N'
    """

    force: str = ""
    reads: OfForce = "force"

    def __init__(self, name: str, force: Force | AnyDriver | str, reads: OfForce = "force") -> None:
        fill(self, name=checked_name(name, "sensor", InvalidSensor))
        named = force.name if isinstance(force, Force | AnyDriver) else force
        if not isinstance(named, str):
            raise InvalidSensor(
                f"{self.where}: force must be a force or driver, got {told(force)}.",
                "Give a Force or Driver of the model, or its name.",
            )
        fill(self, force=named, reads=checked_word(reads, "reads", OfForce, self.where))

    @property
    def of(self) -> str:
        return self.force


def checked_body(body: Any, where: str) -> str:
    """The name of a body that moves."""
    if not isinstance(body, Body | Ground | str) or name_of(body) == GROUND.name:
        raise InvalidSensor(
            f"{where}: body must be a body that moves, got {told(body)}.",
            "Give a Body, or the name of a body.",
        )
    return name_of(body)


def checked_word(word: Any, what: str, known: Any, where: str) -> str:
    """One of the words of a Literal."""
    if not isinstance(word, str) or word not in get_args(known):
        found = UnknownName.among("word", word, get_args(known))
        listed = found.remedy.replace("Known:", f"{what} may be")
        raise InvalidSensor(f"{where}: {what} must be one of its words, got {told(word)}.", listed)
    return word
