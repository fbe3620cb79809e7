"""A rigid body: mass, inertia, and where it is and how it moves at t = 0."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypedDict, TypeVar, Unpack, cast

import numpy as np

from chasles.model.checks import (
    IDENTITY,
    Invalid,
    Matrix3,
    as_matrix,
    as_vector,
    checked_array,
    checked_name,
    checked_positive,
    checked_vector,
    fill,
)
from chasles.model.errors import InvalidBody, short_repr
from chasles.model.fields import Point, PointOrNone, Taken, given
from chasles.model.keywords import WithConstructors, checked_keywords, explained
from chasles.model.registered import Part
from chasles.model.rotations import Turned, rotation_of
from chasles.model.shapes import Box, Cylinder, Rod, Rotation, Shape, Sphere, checked_axis
from chasles.model.solids import (
    checked_inertia,
    checked_shapes,
    joined,
    mass_of,
    part_of,
    seen_from,
    stretched,
    together,
)
from chasles.model.words import ArrayLike, Axis


@dataclass(frozen=True)
class Ground:
    """The world: what a joint is attached to when it is not attached to a body.

    Examples
    --------
    >>> import chasles as ch
    >>> hinge = ch.Revolute("hinge", ch.GROUND, "arm", at=(0, 0, 0), axis="y")
    >>> hinge.a, hinge.b
    ('ground', 'arm')
    """

    name: ClassVar[str] = "ground"

    def __repr__(self) -> str:
        return "GROUND"


GROUND = Ground()


class Start(TypedDict, total=False):
    """Where a body is and how it moves at t = 0: the keywords every kind of body takes."""

    position: ArrayLike
    rotation: Turned
    velocity: ArrayLike | None
    angular_velocity: ArrayLike | None


Maker = TypeVar("Maker", bound=Callable[..., Any])
#: What makers of bodies take.
MEANINGS = {
    "name": "Name of the body.",
    "mass": "Mass, kg. Give mass or density.",
    "density": "Density, kg/m^3.",
    "radius": "Radius, m.",
    "length": "Length, m.",
    "axis": 'Body axis along its length: "x", "y" or "z".',
    "between": "Centres of its two ends in world coordinates, m, instead of length, position and\n"
    "    rotation.",
    "colour": 'Colour of the drawing: "steel", "red", ... or "#rrggbb".',
}


def takes_start(maker: Maker) -> Maker:
    """A maker of bodies that takes the keywords of `Start`, and no others than its own."""
    return checked_keywords(explained(maker, MEANINGS), more=Start.__annotations__)


Shapes = Annotated[
    Taken[Shape | Sequence[Shape] | None, tuple[Shape, ...]],
    lambda shapes, what, where, invalid: checked_shapes(shapes, where),
]


@checked_keywords
class Body(Part, metaclass=WithConstructors):
    """A rigid body, with its pose and velocity at t = 0.

    Parameters
    ----------
    name
        Name of the body in joints and results. "ground" is not allowed.
    mass
        Mass, kg.
    inertia
        Inertia about the centre of mass in body axes, kg m^2: a 3x3 matrix or three principal
        moments.
    position
        Centre of mass in world coordinates, m.
    rotation
        Rotation from body to world: a 3x3 matrix, a unit quaternion (w, x, y, z), axis and
        angle ("z", 0.5), Euler angles ("ZYX", (a, b, c)), or a SciPy Rotation. Angles in rad.
    velocity
        Velocity of the centre of mass in world axes, m/s. If left out, it follows from the
        joints.
    angular_velocity
        Angular velocity in body axes, rad/s. If left out, it follows from the joints.
    shapes
        One or several shapes to draw: Box, Mesh, ... They do not enter the dynamics (except in
        Contact).
    shape
        The same as `shapes`, for a single shape.

    Notes
    -----
    Mass and inertia may both be 0: see `Body.frame`.

    Examples
    --------
    >>> Body("wheel", mass=2.0, inertia=(0.1, 0.1, 0.2)).inertia
    ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.2))
    """

    word = "body"
    invalid = InvalidBody
    kind: ClassVar[str] = "body"
    kinds: ClassVar[dict[str, type["Body"]]] = {}
    name: str
    mass: float
    inertia: Taken[ArrayLike, Matrix3]
    position: Point = given(default=(0.0, 0.0, 0.0))
    rotation: Rotation = given(default=IDENTITY)
    velocity: PointOrNone = given(default=None)
    angular_velocity: PointOrNone = given(default=None)
    shapes: Shapes = given(default=())

    def __init__(
        self,
        name: str,
        mass: float,
        inertia: ArrayLike,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: Turned = IDENTITY,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        shapes: Shape | Sequence[Shape] | None = None,
        shape: Shape | None = None,
    ) -> None:
        fill(
            self, name=name, mass=mass, inertia=inertia, position=position, rotation=rotation,
            velocity=velocity, angular_velocity=angular_velocity,
            shapes=shapes if shape is None else shape,
        )  # fmt: skip
        self.__post_init__()
        if shapes is not None and shape is not None:  # which is the older word for one of them
            raise self._wrong("both shape and shapes are given.", "Give shapes=[...] alone.")

    def _check(self) -> None:
        checked_body_name(self.name)
        mass, inertia = checked_solid(self.mass, self.inertia, self.where)
        fill(self, mass=mass, inertia=inertia)

    def __repr__(self) -> str:
        """Its name, mass and place, and the kinds of its shapes."""
        least = max(1e-15, 1e-12 * max(map(abs, self.position)))  # m: less is round-off
        at = ", ".join(f"{x if abs(x) > least else 0.0:g}" for x in self.position)
        kinds = "".join(f", {shape.kind}" for shape in self.shapes[:3])
        more = f" and {len(self.shapes) - 3} more" if len(self.shapes) > 3 else ""
        return f"Body('{self.name}', {self.mass:g} kg at ({at}) m{kinds}{more})"

    @property
    def shape(self) -> Shape | None:
        """The first of its shapes, or None."""
        return self.shapes[0] if self.shapes else None

    @classmethod
    @takes_start
    def frame(cls, name: str, **start: Unpack[Start]) -> "Body":
        """A massless frame to which other bodies are jointed, for example the cross of a universal
        joint.

        It moves in the motion subgroup of its parent joint, in whatever spaces the other bodies
        are. A body with mass, or a rotor, must resist the motion of that joint.

        Examples
        --------
        >>> Body.frame("cross", position=(0, 0, 1)).mass
        0.0
        """
        return cls(name, 0.0, (0.0, 0.0, 0.0), **start)

    @classmethod
    @takes_start
    def box(
        cls,
        name: str,
        size: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        colour: str | None = None,
        **start: Unpack[Start],
    ) -> "Body":
        """A cuboid.

        Parameters
        ----------
        size
            Edges along the body axes, m.

        Examples
        --------
        >>> Body.box("brick", size=(0.5, 0.25, 0.125), density=2048.0).mass
        32.0
        """
        where = f"body '{checked_body_name(name)}'"
        x, y, z = checked_vector(size, "size", where, InvalidBody)
        for edge in (x, y, z):
            checked_positive(edge, "edge length", "m", where, InvalidBody)
        return solid(name, Box((x, y, z), colour=colour), mass, density, start)

    @classmethod
    @takes_start
    def cylinder(
        cls,
        name: str,
        radius: float,
        length: float | None = None,
        mass: float | None = None,
        density: float | None = None,
        axis: Axis = "z",
        between: ArrayLike | None = None,
        colour: str | None = None,
        **start: Unpack[Start],
    ) -> "Body":
        """A solid cylinder."""
        where = f"body '{checked_body_name(name)}'"
        radius = checked_positive(radius, "radius", "m", where, InvalidBody)
        length, start = laid_out(between, length, axis, start, where)
        shape = Cylinder(radius, length, axis, colour=colour)
        return solid(name, shape, mass, density, start)

    @classmethod
    @takes_start
    def rod(
        cls,
        name: str,
        length: float | None = None,
        mass: float | None = None,
        density: float | None = None,
        radius: float | None = None,
        axis: Axis = "x",
        between: ArrayLike | None = None,
        colour: str | None = None,
        **start: Unpack[Start],
    ) -> "Body":
        """A rod: a cylinder if `radius` is given, else slender.

        Parameters
        ----------
        radius
            Radius, m. A density needs a radius.

        Notes
        -----
        A slender rod has the moment m l^2 / 12 across its axis. Along its axis it has the moment of
        a cylinder of radius l / 100, because a body needs a positive inertia.

        Examples
        --------
        >>> Body.rod("link", mass=1.0, between=((0, 0, 0), (0, 3, 4))).position
        (0.0, 1.5, 2.0)
        """
        where = f"body '{checked_body_name(name)}'"
        length, start = laid_out(between, length, axis, start, where)
        if radius is not None:
            return cls.cylinder(name, radius, length, mass, density, axis, colour=colour, **start)
        if mass is None and density is not None:
            raise InvalidBody(
                f"{where}: a rod of density {density!r} kg/m^3 without a radius has no volume.",
                "Give radius=, or the mass instead of the density.",
            )
        shape = Rod(length, axis=axis, colour=colour)
        mass = mass_of(shape.volume, mass, density, where)
        return cls(name, mass, shape.moments(mass), shapes=shape, **start)

    @classmethod
    @takes_start
    def sphere(
        cls,
        name: str,
        radius: float,
        mass: float | None = None,
        density: float | None = None,
        colour: str | None = None,
        **start: Unpack[Start],
    ) -> "Body":
        """A solid sphere."""
        where = f"body '{checked_body_name(name)}'"
        radius = checked_positive(radius, "radius", "m", where, InvalidBody)
        return solid(name, Sphere(radius, colour=colour), mass, density, start)

    @classmethod
    @takes_start
    def solid(
        cls,
        name: str,
        shapes: Shape | Sequence[Shape],
        mass: float | None = None,
        density: float | None = None,
        **start: Unpack[Start],
    ) -> "Body":
        """A body made of one or several homogeneous shapes of the same density.

        Parameters
        ----------
        shapes
            The shapes, with positions and rotations in common axes, for example those of a CAD
            file.

        Notes
        -----
        Mass, centre of mass and inertia follow from the shapes. The body axes are the axes of the
        shapes. If `position` is left out, the body stays where the shapes are, so parts of one
        assembly fit together.

        Examples
        --------
        >>> from chasles.model.shapes import Cylinder, Sphere
        >>> rod = Cylinder(0.01, 1.0, axis="x", position=(0.5, 0, 0))
        >>> bob = Sphere(0.1, position=(1.0, 0, 0), colour="brass")
        >>> round(Body.solid("pendulum", [rod, bob], mass=2.0).position[0], 4)
        0.9651
        """
        where = f"body '{checked_body_name(name)}'"
        total, inertia, centre, seen = joined(checked_shapes(shapes, where), mass, density, where)
        if "position" not in start:
            turn = np.array(rotation_of(start.get("rotation", IDENTITY), where))
            start["position"] = as_vector(turn @ np.array(centre))
        return cls(name, total, inertia, shapes=seen, **start)

    @classmethod
    @checked_keywords
    def composite(
        cls,
        name: str,
        parts: "Sequence[Body]",
        holes: "Sequence[Body]" = (),
        rotation: Turned = IDENTITY,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
    ) -> "Body":
        """One body from several bodies, welded where they lie in the world. It is drawn as its
        parts.

        Parameters
        ----------
        name
            Name of the body.
        parts
            The bodies.
        holes
            Bodies whose mass is subtracted, where parts overlap or are drilled.
        rotation
            Axes of the composite body. World axes if left out.
        velocity
            Velocity of the centre of mass in world axes, m/s.
        angular_velocity
            Angular velocity in body axes, rad/s.

        Examples
        --------
        >>> bell = [Body.sphere("a", 0.1, 1.0), Body.sphere("b", 0.1, 3.0, position=(1, 0, 0))]
        >>> Body.composite("dumb-bell", bell).position
        (0.75, 0.0, 0.0)
        """
        where = f"body '{checked_body_name(name)}'"
        solids = checked_bodies(parts, "parts", where, InvalidBody)
        drilled = checked_bodies(holes, "holes", where, InvalidBody)
        if not solids:
            raise InvalidBody(f"{where} is made of nothing.", "Give at least one body as a part.")
        numbers = [part_of(body, 1.0, where) for body in solids]
        numbers += [part_of(body, -1.0, where) for body in drilled]
        axes = rotation_of(rotation, where)
        mass, inertia, centre = together(numbers, axes, where)
        seen = [
            seen_from(shape, body.position, body.rotation, centre, axes)
            for body in solids
            for shape in body.shapes
        ]
        return cls(name, mass, inertia, centre, axes, velocity, angular_velocity, seen)


def checked_solid(mass: Any, inertia: Any, where: str) -> tuple[float, Matrix3]:
    """Mass and inertia: those of a body, or none of either."""
    if isinstance(mass, int | float) and mass == 0.0 and not isinstance(mass, bool):
        moments = checked_array(inertia, "inertia", where, InvalidBody)
        if moments.shape in ((3,), (3, 3)) and not moments.any():
            return 0.0, as_matrix(np.zeros((3, 3)))
    weight = checked_positive(mass, "mass", "kg", where, InvalidBody)
    return weight, checked_inertia(inertia, where)


def name_of(body: Body | Ground | str) -> str:
    """The name that stands for a body, whether the body or its name is at hand."""
    return body if isinstance(body, str) else body.name


MOVING = "Give a body that moves."


def checked_body(
    body: Any,
    what: str,
    where: str,
    invalid: Invalid,
    moves: str | None = None,
    remedy: str = MOVING,
) -> str:
    """The name of a body, or of the ground unless it `moves`: which says why the ground is none."""
    if not isinstance(body, Body | Ground | str):
        raise invalid(
            f"{where}: {what} must be a body, got {short_repr(body)}.",
            "Give a Body, the name of a body, or GROUND." if moves is None
            else "Give a Body, or the name of a body.",
        )  # fmt: skip
    name = name_of(body)
    if moves is not None and name == GROUND.name:
        raise invalid(f"{where}: {what} is the ground, which {moves}.", remedy)
    return name


def checked_bodies(bodies: Any, what: str, where: str, invalid: Invalid) -> list[Body]:
    """Bodies themselves, not their names."""
    listed = list(bodies) if isinstance(bodies, Iterable) and not isinstance(bodies, str) else None
    if listed is None or not all(isinstance(body, Body) for body in listed):
        raise invalid(
            f"{where}: {what} must be a list of Body, got {short_repr(bodies)}.",
            "Give the bodies themselves: [foot, other].",
        )
    return listed


def body_that(moves: str, remedy: str = MOVING) -> Callable[[Any, str, str, Invalid], str]:
    """The check of a body; `moves` says why the ground is none."""
    return lambda body, what, where, invalid: checked_body(
        body, what, where, invalid, moves, remedy
    )


def solid(name: str, shape: Shape, mass: float | None, density: float | None, start: Start) -> Body:
    """The body that a homogeneous solid makes."""
    mass = mass_of(shape.volume, mass, density, f"body '{name}'")
    return Body(name, mass, shape.moments(mass), shapes=shape, **start)


def laid_out(
    between: ArrayLike | None, length: float | None, axis: str, start: Start, where: str
) -> tuple[float, Start]:
    """Length and start of a body that is given by its length, or by its two ends."""
    checked_axis(axis, "axis", where, InvalidBody)
    if between is not None:
        given = [*start, *(["length"] if length is not None else [])]
        length, place = stretched(between, axis, given, where)
        return length, cast(Start, {**start, **place})
    if length is None:
        raise InvalidBody(
            f"{where}: neither its length nor its ends are given.",
            "Give length= in m, or between=((x, y, z), (x, y, z)).",
        )
    return checked_positive(length, "length", "m", where, InvalidBody), start


def checked_body_name(name: object) -> str:
    name = checked_name(name, "body", InvalidBody)
    if name == GROUND.name:
        raise InvalidBody(
            "a body is named 'ground', which is the name of the world.",
            "Give the body another name; attach joints to the world with GROUND.",
        )
    return name
