"""Joints that are not lower pairs: what they leave free is not a group of motions.

Each is a recipe of scalar rows, named in `locked`.  Points and axes are in world coordinates at
the initial configuration, as everywhere.
"""

from collections.abc import Sequence
from math import dist, inf
from typing import Annotated

from chasles.model.body import GROUND, Body, body_that
from chasles.model.checks import Vector3, fill
from chasles.model.compound import compound
from chasles.model.errors import InvalidJoint
from chasles.model.fields import (
    Direction,
    DirectionOrNone,
    Number,
    Pin,
    Place,
    PointOrNone,
    given,
    unset,
)
from chasles.model.joints import (
    Attachment,
    Cylindrical,
    End,
    Fixed,
    Helical,
    Joint,
    Prismatic,
    Revolute,
    Several,
    Z,
)
from chasles.model.words import ArrayLike

SQUARE = 1e-9  # cosine between two axes that count as perpendicular
SAME_AXIS = 1e-12  # 1 - cosine between two axes that count as parallel


BEARINGS = "Give two bodies; their bearings are Revolute joints to the ground."
Wheel = Annotated[End, body_that("does not turn", BEARINGS)]


class RowJoint(Joint, in_files=False):
    """A recipe of rows: such joints are closed at the start by the way they are given."""

    is_lower_pair = False

    at_b: PointOrNone = unset(None)
    axis_b: DirectionOrNone = unset(None)
    armature: Several = unset(0.0)
    zero: Several = unset(0.0)

    __init__ = Joint.__init__  # kinds of one's own may still give a point and an axis on b


class OneAxis(RowJoint, in_files=False):
    """A recipe of rows about one point and one axis."""

    at: Place
    axis: Direction


class Universal(RowJoint):
    """A Cardan joint: a cross with one pin along `axis` in a, the other along `axis_b` in b.

    The pins stay perpendicular (row "cross"). Between inclined shafts the speeds differ within each
    turn; `ConstantVelocity` keeps them equal.

    Examples
    --------
    >>> Universal("cross", "shaft", "wheel", (0, 0, 0), axis=(1, 0, 0), axis_b=(0, 2, 0)).locked
    ('ux', 'uy', 'uz', 'cross')
    """

    locked = ("ux", "uy", "uz", "cross")

    at: Place
    axis: Direction
    axis_b: Pin

    def _check(self) -> None:
        super()._check()
        cosine = cosine_between(self.axis, self.axis_b)
        if abs(cosine) > SQUARE:
            raise self._wrong(
                "axis and axis_b are the pins of a cross, but their cosine is"
                f" {cosine:.3g} (tolerance {SQUARE:g}).",
                "Give two perpendicular axes: axis fixed in a, axis_b fixed in b.",
            )


class ConstantVelocity(OneAxis):
    """A homokinetic joint: two shafts, along `axis` at the start, that turn at equal speed.

    The shafts may incline about `at` in any direction. Neither turns relative to the other about
    the bisector of their axes (row "cv"). A pose folded back by half a turn is singular.

    Examples
    --------
    >>> ConstantVelocity("joint", "gearbox", "wheel", at=(0, 0, 0), axis=(0, 1, 0)).locked
    ('ux', 'uy', 'uz', 'cv')
    """

    locked = ("ux", "uy", "uz", "cv")


class Distance(RowJoint):
    """A massless rod with a ball joint at each end.

    Parameters
    ----------
    at
        End on a in world coordinates at the start, m.
    at_b
        End on b in world coordinates at the start, m.

    Notes
    -----
    Its length is the distance of the two points at the start.

    Examples
    --------
    >>> Distance("rod", GROUND, "ball", at=(0, 0, 0), at_b=(3, 0, 4)).length
    5.0
    """

    locked = ("length",)

    at: Place
    axis: Direction = unset(Z)
    at_b: Place

    def _check(self) -> None:
        super()._check()
        if not 0.0 < self.length < inf:
            raise self._wrong(
                f"at and at_b must be apart, got a distance of {self.length:g} m.",
                "Give two different points; use Spherical to keep two points together.",
            )

    @property
    def length(self) -> float:
        """The length of the rod, m."""
        return dist(self.at, self.at_b)


class PointOnLine(OneAxis):
    """A point of b stays on a line of a: a bead on a wire.

    Parameters
    ----------
    at
        The point in world coordinates at the start, m.
    axis
        Direction of the line in world axes, fixed in a.

    Examples
    --------
    >>> PointOnLine("wire", GROUND, "bead", at=(0, 0, 0), axis=(1, 0, 0)).locked
    ('ux', 'uy')
    """

    locked = ("ux", "uy")
    keeps_point_straight = True


class PointOnPlane(OneAxis):
    """A point of b stays in a plane of a: a tip on a table.

    Parameters
    ----------
    at
        The point in world coordinates at the start, m.
    axis
        Normal of the plane in world axes, fixed in a.

    Examples
    --------
    >>> PointOnPlane("table", GROUND, "top", at=(0, 0, 0), axis=(0, 0, 1)).locked
    ('uz',)
    """

    locked = ("uz",)
    keeps_point_straight = True


class Cartesian(Joint):
    """A gantry: all translations, no rotation of b relative to a.

    Parameters
    ----------
    at
        Point where the reaction is measured, in world coordinates at the start, m.

    Notes
    -----
    Bodies can move in its group of translations, where it stays closed to round-off. It has no
    coordinates of its own: to start at, drive, or act on coordinates, use its three `slides`.

    Examples
    --------
    >>> Cartesian("gantry", GROUND, "hook").locked
    ('wx', 'wy', 'wz')
    """

    locked = ("wx", "wy", "wz")
    any_frame_point = True
    needs_point = False

    at: PointOrNone = given(default=None)
    axis: Direction = unset(Z)
    at_b: PointOrNone = unset(None)
    axis_b: DirectionOrNone = unset(None)
    armature: Several = unset(0.0)
    zero: Several = unset(0.0)

    def slides(self) -> tuple[list[Body], list[Joint]]:
        """The same as a `compound` of three Prismatic joints along world x, y and z at t = 0.

        Their names are that of the gantry and the axis, their displacements the coordinates of b
        against a; between them are frames without mass, which go among the bodies of the model.

        Examples
        --------
        >>> frames, joints = Cartesian("gantry", GROUND, "hook").slides()
        >>> [joint.name for joint in joints]
        ['gantry x', 'gantry y', 'gantry z']
        """
        return compound(
            *(Prismatic(f"{self.name} {axis}", self.a, self.b, self.at, axis) for axis in "xyz")
        )


class Gear(RowJoint):
    """Two wheels whose axes are fixed in the ground: the speed of b is `ratio` times that of a.

    Parameters
    ----------
    axis
        Axis of a in world axes.
    axis_b
        Axis of b in world axes.
    ratio
        Speed of b about `axis_b` divided by the speed of a about `axis`. Negative for two spur
        gears with parallel axes.
    at
        Point where the reaction is measured, m.

    Notes
    -----
    The bearings are separate joints: each wheel, or the body it is welded to, needs a Revolute,
    Cylindrical or Helical joint to the ground along its axis. Wheels on a moving carrier are
    refused: use a `Coupling`. Exception: a carrier may be geared to a planet on it, about parallel
    axes. A planet in a fixed ring turns relative to the ground at 1 - z_ring / z_planet of the
    carrier's speed. Teeth exert torques, not forces at the rims. The constraint is on speeds, so
    `violation` is zero.

    Examples
    --------
    >>> Gear("mesh", "pinion", "wheel", axis=(0, 0, 1), axis_b=(0, 0, 1), ratio=-0.5).locked
    ('turn',)
    """

    locked = ("turn",)
    needs_point = False

    a: Wheel
    b: Wheel
    axis_b: Pin = given(default=Z)
    ratio: Number = 1.0

    def __init__(
        self,
        name: str,
        a: Attachment,
        b: Attachment,
        axis: ArrayLike,
        axis_b: ArrayLike,
        ratio: float,
        at: ArrayLike | None = None,
    ) -> None:
        fill(self, name=name, a=a, b=b, axis=axis, axis_b=axis_b, ratio=ratio, at=at)
        self.__post_init__()

    def _check(self) -> None:
        super()._check()
        if self.ratio == 0.0:
            raise self._wrong(
                "ratio is 0, so that b would not turn at all.",
                "Give turns of b per turn of a, negative if they turn in opposite senses.",
            )


def check_bearings(gear: Gear, joints: Sequence[Joint]) -> None:
    """Refuse a gear whose wheels do not turn about axes fixed in the ground, or in each other."""
    still = welded_to(GROUND.name, joints)
    a, b = (welded_to(wheel, joints) for wheel in (gear.a, gear.b))
    grounded = [
        bearing_along(gear.axis, still, a, joints), bearing_along(gear.axis_b, still, b, joints)
    ]  # fmt: skip
    if any(grounded) and abs(cosine_between(gear.axis, gear.axis_b)) > 1.0 - SAME_AXIS:
        grounded = [found or bearing_along(gear.axis, a, b, joints) for found in grounded]
    for wheel, axis, what, found in (
        (gear.a, gear.axis, "axis", grounded[0]),
        (gear.b, gear.axis_b, "axis_b", grounded[1]),
    ):
        if not found:
            raise InvalidJoint(
                f"joint '{gear.name}': wheel '{wheel}' has no bearing in the ground along {what}"
                f" {axis}, but a gear couples speeds about axes that are fixed there.",
                f"Give '{wheel}' a Revolute joint to GROUND along that axis; wheels on a carrier"
                " that moves are not supported, but for a planet that is geared to its carrier.",
            )


def bearing_along(axis: Vector3, some: set[str], others: set[str], joints: Sequence[Joint]) -> bool:
    """Whether a joint about an axis lies between one of some bodies and one of the others."""
    return any(
        isinstance(joint, Revolute | Cylindrical | Helical)
        and ((joint.a in some and joint.b in others) or (joint.b in some and joint.a in others))
        and abs(cosine_between(joint.axis, axis)) > 1.0 - SAME_AXIS
        for joint in joints
    )


def welded_to(body: str, joints: Sequence[Joint]) -> set[str]:
    """The names of all bodies that Fixed joints make one with a body, and its own."""
    together, grew = {body}, True
    while grew:
        ends = [{joint.a, joint.b} for joint in joints if isinstance(joint, Fixed)]
        more = set().union(*(pair for pair in ends if pair & together)) - together
        together, grew = together | more, bool(more)
    return together


def cosine_between(first: Vector3, second: Vector3) -> float:
    return sum(x * y for x, y in zip(first, second))
