"""A model: bodies, joints, forces, drivers and gravity, checked together."""

import os
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chasles.model.body import GROUND, Body, Ground
from chasles.model.checks import IDENTITY, Vector3, checked_vector, fill, in_brackets
from chasles.model.composing import combined, moved
from chasles.model.coordinate_coupling import Coupling
from chasles.model.custom import CustomJoint
from chasles.model.drivers import AnyDriver, Driver
from chasles.model.errors import ChaslesError, InvalidModel, UnknownName, short_repr
from chasles.model.forces import Force
from chasles.model.joints import Joint
from chasles.model.keywords import checked_keywords
from chasles.model.parts import KINDS, Named, assembled, checked_notes, joining, listed
from chasles.model.rotations import Turned
from chasles.model.sensors import AnySensor
from chasles.model.words import ArrayLike, ViewDirection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EARTH: Vector3 = (0.0, 0.0, -9.81)
SOON = 120  # rows whose rank takes no time that a reader of a repr would notice


@checked_keywords
@dataclass(frozen=True, init=False, repr=False)
class Model:
    """A mechanism: bodies, joints, forces, drivers and sensors.

    Parameters
    ----------
    bodies
        The bodies.
    joints
        Joints between them, and couplings.
    forces
        Forces on them.
    drivers
        Prescribed motions.
    gravity
        Acceleration of gravity in world axes, m/s^2.
    notes
        Texts that are stored with the model, for example what an import left out.
    sensors
        Quantities to read by name.

    Notes
    -----
    A model is immutable. All parts keep their order; arrays elsewhere follow it. What a part leaves
    open is filled in here: a point by a centre of mass, the coordinate "auto" by the joint's own.

    Examples
    --------
    >>> from chasles.model import GROUND, Body, Spherical
    >>> arm = Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> Model([arm], [Spherical("pivot", GROUND, arm, at=(0, 0, 0))])
    Model(1 body, 1 joint, 3 degrees of freedom)
    """

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...] = ()
    forces: tuple[Force, ...] = ()
    drivers: tuple[AnyDriver, ...] = ()
    gravity: Vector3 = EARTH
    notes: tuple[str, ...] = ()
    sensors: tuple[AnySensor, ...] = ()

    def __init__(
        self,
        bodies: Iterable[Body],
        joints: Iterable[Joint | Coupling] = (),
        forces: Iterable[Force] = (),
        drivers: Iterable[AnyDriver] = (),
        *,
        gravity: ArrayLike = EARTH,
        notes: Iterable[str] = (),
        sensors: Iterable[AnySensor] = (),
    ) -> None:
        given = {"bodies": bodies, "joints": joints, "forces": forces, "drivers": drivers,
                 "sensors": sensors}  # fmt: skip
        fill(
            self,
            **assembled(given),
            gravity=checked_vector(gravity, "gravity", "model", InvalidModel),
            notes=checked_notes(notes),
        )

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, in order."""
        return tuple(body.name for body in self.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in order."""
        return tuple(joint.name for joint in self.joints)

    @property
    def force_names(self) -> tuple[str, ...]:
        """Names of the forces, in order."""
        return tuple(force.name for force in self.forces)

    @property
    def driver_names(self) -> tuple[str, ...]:
        """Names of the drivers, in order."""
        return tuple(driver.name for driver in self.drivers)

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """The drivers that couple coordinates."""
        return tuple(driver for driver in self.drivers if isinstance(driver, Coupling))

    @property
    def sensor_names(self) -> tuple[str, ...]:
        """Names of the sensors, in order."""
        return tuple(sensor.name for sensor in self.sensors)

    def body(self, body: Body | str, where: str = "") -> Body:
        """The model's body of that name; `where` opens the message if there is none."""
        return found(body, Body, self._named, where)

    def joint(self, joint: Joint | str, where: str = "") -> Joint:
        """The model's joint of that name; `where` opens the message if there is none."""
        return found(joint, Joint, self._named, where)

    def force(self, force: Force | str, where: str = "") -> Force:
        """The model's force of that name; `where` opens the message if there is none."""
        return found(force, Force, self._named, where)

    def driver(self, driver: AnyDriver | str, where: str = "") -> AnyDriver:
        """The model's driver of that name; `where` opens the message if there is none."""
        return found(driver, AnyDriver, self._named, where)

    def sensor(self, sensor: AnySensor | str, where: str = "") -> AnySensor:
        """The model's sensor of that name; `where` opens the message if there is none."""
        return found(sensor, AnySensor, self._named, where)

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        """What upper floors have made of this model alone and may want again: arrays, orders."""
        return {}

    def __getstate__(self) -> dict[str, Any]:  # a copy makes its own
        return {name: value for name, value in self.__dict__.items() if name != "_kept"}

    @cached_property
    def _named(self) -> dict[type, dict[str, Any]]:
        """Every part by its kind and its name."""
        return {
            kind: {part.name: part for part in getattr(self, what)} for what, kind in KINDS.items()
        }

    @checked_keywords
    def placed(
        self, prefix: str = "", position: ArrayLike = (0.0, 0.0, 0.0), rotation: Turned = IDENTITY
    ) -> "Model":
        """A copy of the mechanism at another place and with other names.

        Parameters
        ----------
        prefix
            Text before the name of every body, joint, force and driver.
        position
            New place of the world's origin, m.
        rotation
            Rotation of the world's axes, in any form that `Body.rotation` takes.

        Notes
        -----
        All parts turn with the mechanism, also loads in world axes and directions of drivers.
        Gravity does not.

        Examples
        --------
        >>> from chasles.model import GROUND, Body, Revolute
        >>> arm = Body.rod("arm", mass=2.0, between=((0, 0, 0), (1, 0, 0)))
        >>> leg = Model([arm], [Revolute("hip", GROUND, arm, at=(0, 0, 0), axis="y")])
        >>> pair = leg.placed("left ") + leg.placed("right ", position=(0, 1, 0))
        >>> pair.joint_names, pair.joint("right hip").at
        (('left hip', 'right hip'), (0.0, 1.0, 0.0))
        """
        return moved(self, prefix, position, rotation)

    def __add__(self, other: "Model") -> "Model":
        """Both mechanisms as one; names must differ, and gravity must agree."""
        return combined(self, other) if isinstance(other, Model) else NotImplemented

    @checked_keywords
    def with_parts(
        self,
        bodies: Iterable[Body] = (),
        joints: Iterable[Joint] = (),
        forces: Iterable[Force] = (),
        drivers: Iterable[AnyDriver] = (),
        sensors: Iterable[AnySensor] = (),
    ) -> "Model":
        """A copy of the model with additional parts."""
        given = {"bodies": bodies, "joints": joints, "forces": forces, "drivers": drivers,
                 "sensors": sensors}  # fmt: skip
        parts: dict[str, Any] = {
            what: (*getattr(self, what), *listed(more, what)) for what, more in given.items()
        }
        return Model(**parts, gravity=self.gravity, notes=self.notes)

    def write(self, path: str | os.PathLike[str], run: Mapping[str, Any] | None = None) -> Path:
        """Write the model to a TOML file. `read_model` reads back an equal model.

        Parameters
        ----------
        path
            The file, .toml.
        run
            Options of `simulate` for the same file, {"until": 1.0, "step": 1e-3}. `read_run`
            reads them, and `chasles run FILE` uses them.

        Notes
        -----
        Python functions are not data: a model with one is refused, by name.
        """
        write_model = import_module("chasles.io.toml").write_model  # a higher floor, asked late
        written: Path = write_model(self, path, run)
        return written

    @property
    def grubler_count(self) -> int:
        """Gruebler's count: six per body minus the constraint rows of joints and drivers.

        With redundant constraints it is smaller than the degrees of freedom.
        """
        locked = sum(len(joint.locked) for joint in self.joints)
        driven = sum(len(driver.locked) for driver in self.drivers)
        return 6 * len(self.bodies) - locked - driven

    @cached_property
    def loops(self) -> int:
        """How many joints could be cut with no body coming off: independent loops."""
        joins = joining((GROUND.name, *self.body_names))
        return sum(not joins(joint.a, joint.b) for joint in self.joints)

    @property
    def _repeats_nothing(self) -> bool:
        """Whether no joint can repeat what others say: a tree, each joint holding a new body."""
        own = any(isinstance(joint, CustomJoint) for joint in self.joints)
        return not self.loops and not own and all(isinstance(d, Driver) for d in self.drivers)

    @cached_property
    def degrees_of_freedom(self) -> int:
        """Six per body less the independent rows of joints and drivers, at the poses entered.

        In a pose where joints come to depend on each other there are more than in others.
        """
        if self._repeats_nothing:
            return self.grubler_count
        return self.grubler_count + repeated_rows(self)

    def summary(self) -> str:
        """A text with one line for each part."""
        lines = [
            plural(len(self.bodies), "body", "bodies"),
            *(
                f"  {body.name}: {body.mass:g} kg at {in_brackets(body.position)} m"
                for body in self.bodies
            ),
            plural(len(self.joints), "joint", "joints"),
            *(
                f"  {joint.name}: {joint.kind}, {joint.a} to {joint.b}, locks"
                f" {' '.join(joint.locked)}"
                for joint in self.joints
            ),
            *(f"force {force.name}: {force.kind} on {force.acts_on}" for force in self.forces),
            *(driver.summary for driver in self.drivers),
            *(f"sensor {s.name}: {s.reads} of {s.of}" for s in self.sensors),
            f"gravity {in_brackets(self.gravity)} m/s^2",
            *(f"note: {note}" for note in self.notes),
            self._freedom() + self._beside_grubler(),
        ]
        return "\n".join(lines)

    def _freedom(self) -> str:
        """The degrees of freedom in words."""
        return plural(self.degrees_of_freedom, "degree of freedom", "degrees of freedom")

    def _beside_grubler(self) -> str:
        """Grübler's count, where it is another."""
        if self.degrees_of_freedom == self.grubler_count:
            return ""
        return f" (Grübler's count is {self.grubler_count}: there are redundant constraints)"

    @property
    def _counted_soon(self) -> bool:
        """Whether freedoms are known, or the rank that they take is that of a small matrix."""
        rows = 6 * len(self.bodies) - self.grubler_count
        return self._repeats_nothing or "degrees_of_freedom" in vars(self) or rows <= SOON

    @checked_keywords
    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        view: ViewDirection = "auto",
        names: bool = True,
        frames: bool = False,
        size: tuple[float, float] = (7.0, 5.0),
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw the model in its poses at t = 0.

        Parameters
        ----------
        path
            Write .png, .svg or .pdf, too. None: no file.
        view
            "auto", "xy", "xz", "yz", or (azimuth, elevation) in degrees.
        names
            Whether to write the names of bodies, joints, forces and drivers.
        frames
            Whether to draw the axes of every body.
        size
            Width and height of the figure, inches.
        ax
            Matplotlib axes to draw on, instead of new ones.

        Returns
        -------
        Axes
            The matplotlib axes.
        """
        from chasles.view.picture import plot_model  # only when asked for: the view is above us

        return plot_model(self, path, view=view, names=names, frames=frames, size=size, ax=ax)

    def _repr_png_(self) -> bytes:
        """For viewers that take pictures only."""
        from chasles.view.picture import picture_of  # late, as above

        return picture_of(self)

    def _repr_html_(self) -> str:
        """A notebook shows the model by its picture, and its parts on request."""
        from chasles.view.picture import picture_of  # late, as above

        data = b64encode(picture_of(self)).decode()
        return (
            f'<img src="data:image/png;base64,{data}" alt="{escape(repr(self))}"'
            ' style="max-width:100%;max-height:26rem">'
            f"<details><summary>{escape(repr(self))}</summary><pre>{escape(self.summary())}</pre>"
            "</details>"
        )

    def __repr__(self) -> str:
        counts = [
            plural(len(self.bodies), "body", "bodies"),
            plural(len(self.joints), "joint", "joints"),
        ]
        couplings = len(self.couplings)
        drivers = len(self.drivers) - couplings
        others = {"force": len(self.forces), "driver": drivers, "coupling": couplings,
                  "loop": self.loops}  # fmt: skip
        counts += [plural(count, one, f"{one}s") for one, count in others.items() if count]
        if self._counted_soon:
            with suppress(ChaslesError):  # of joints that exclude each other
                counts.append(self._freedom())
        return f"Model({', '.join(counts)})"


def repeated_rows(model: Model) -> int:
    """How many rows of joints and drivers repeat others at the poses entered."""
    solver = import_module("chasles.build.dynamics.solver")  # a higher floor, asked late
    repeated: int = solver.repeated_rows(model)
    return repeated


def checked_model(model: Any) -> Model:
    """What can be simulated."""
    if not isinstance(model, Model):
        raise InvalidModel(
            f"model must be a Model, got {short_repr(model)}.", "Make one: Model(bodies, joints)."
        )
    return model


def found(part: Any, kind: type[Named], named: Mapping[type, dict[str, Any]], where: str) -> Named:
    """The part of a model that is meant by itself or by its name."""
    if isinstance(part, str) and part in named[kind]:  # at once: set-ups ask for every part
        known: Named = named[kind][part]
        return known
    name = part.name if isinstance(part, kind | Ground) else part
    meant: Named = named[kind][UnknownName.check(kind.word, name, named[kind], where)]
    return meant


def plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
