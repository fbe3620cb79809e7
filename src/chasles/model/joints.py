"""Joints: which relative motions of two bodies are locked.

A joint is data, never a kernel.  Its frame sits at `at` with z along `axis`; `locked` names the
components of the relative twist (angular wx wy wz, linear ux uy uz) that the joint holds at zero
in that frame.  Points and axes are in world coordinates at the initial configuration.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from chasles.model.body import GROUND, Body, Ground, checked_body
from chasles.model.checks import (
    Invalid,
    Matrix3,
    Vector3,
    checked_direction,
    checked_number,
    fill,
    real_array,
    refuse_units,
)
from chasles.model.errors import ChaslesError, InvalidJoint, short_repr
from chasles.model.fields import (
    Direction,
    DirectionOrNone,
    Number,
    Place,
    PointOrNone,
    Taken,
    given,
    left_out,
    needed,
    not_negative,
    unset,
)
from chasles.model.pairs import ANY_POINT, COORDINATES_OF, MOTIONS, SCREWED, pair_of_rows
from chasles.model.registered import Part
from chasles.model.rotations import Turned, rotation_of
from chasles.model.words import ArrayLike, Coordinate, Floats, Word

if TYPE_CHECKING:
    Attachment = Body | Ground | str
else:
    Attachment = Word("Body | str")
Z: Vector3 = (0.0, 0.0, 1.0)
End = Annotated[Taken[Attachment, str], checked_body]
SlideAxis = Annotated[Taken[ArrayLike | None, Vector3], needed("a direction", checked_direction)]
#: Of rotors and zeros, which are checked when it is known how many there are.
Several = Taken[ArrayLike, float | tuple[float, ...]]


class Joint(Part):
    """Base class of all joints. Use one of its kinds.

    Parameters
    ----------
    at
        Point of the joint in world coordinates at the start, m. Where it may be left out, it is
        the centre of mass of b (of a, if b is the ground).
    axis
        Direction of the joint in world axes: three numbers, or "x", "y", "z". It is normalised.
    at_b
        Point on b in world coordinates, m, if it is not at `at`. The joint is then not closed
        at t = 0.
    axis_b
        Axis on b in world axes, if it is not along `axis`.
    armature
        Rotor inertia of the coordinate, kg m^2 (kg for a displacement): see `Revolute`.
    zero
        Value of the coordinate at the poses entered, rad or m: see `Revolute`.

    Examples
    --------
    >>> import chasles as ch
    >>> hinge = ch.Revolute("hinge", ch.GROUND, "arm", at=(0, 0, 0), axis="y")
    >>> isinstance(hinge, ch.Joint), hinge.locked
    (True, ('wx', 'wy', 'ux', 'uy', 'uz'))
    """

    #: the names of the joint's rows
    locked: ClassVar[tuple[str, ...]] = ()
    #: the class name in lower case, for example "revolute" or "pointonline"
    kind: ClassVar[str] = "joint"
    #: whether it is a lower pair, so that the motions left free form a group
    is_lower_pair: ClassVar[bool] = True
    #: whether they do so in SO(3)xR3 wherever its frame point is
    any_frame_point: ClassVar[bool] = False
    #: whether it keeps point `at` of b on a straight line or plane of a, and does nothing else
    keeps_point_straight: ClassVar[bool] = False
    #: whether its point may not be left out
    needs_point: ClassVar[bool] = True
    #: the numbers that say how far it has moved, the usual one first
    coordinates: ClassVar[tuple[Coordinate, ...]] = ()
    kinds: ClassVar[dict[str, type["Joint"]]] = {}
    word = "joint"
    invalid = InvalidJoint

    name: str
    a: End
    b: End
    at: PointOrNone
    axis: Direction = given(default=Z)
    #: metres of advance per radian; zero for all joints but the helical one
    pitch: float = unset(0.0)
    at_b: PointOrNone = given(default=None)
    axis_b: DirectionOrNone = given(default=None)
    #: rotor inertia that its coordinates feel; see `Revolute`
    armature: Several = given(default=0.0, repr=False)
    #: its coordinates at the poses entered; see `Revolute`
    zero: Several = given(default=0.0, repr=False)
    #: by how much b has to turn until it is closed; see `Fixed`
    turn: Matrix3 | None = unset(None)

    def _check(self) -> None:
        if not self.locked:
            raise InvalidJoint(
                f"{self.where} is of no kind, so it holds nothing.",
                "Use one of the kinds: Revolute, Spherical, Universal, Distance, ...",
            )
        check_rows(self.locked, self.is_lower_pair, self.where)
        if self.at is None and self.needs_point:
            raise left_out("at", "a point", self.where, InvalidJoint)
        check_pair(self.a, self.b, self.where, InvalidJoint)
        fill(
            self,
            armature=checked_armature(self.armature, 6 - len(self.locked), self.where),
            zero=checked_zero(self.zero, self.coordinates, self.where),
        )

    def at_start(self, coordinate: Coordinate) -> float:
        """A coordinate at the poses entered: rad or m."""
        if coordinate not in self.coordinates:
            return 0.0
        values = self.zero if isinstance(self.zero, tuple) else (self.zero,) * len(self.coordinates)
        return values[self.coordinates.index(coordinate)]

    @property
    def rotors(self) -> tuple[float, ...]:
        """Rotor inertia on every coordinate; none if there is no rotor."""
        if isinstance(self.armature, tuple):
            return self.armature if any(self.armature) else ()
        return (self.armature,) * (6 - len(self.locked)) if self.armature else ()


def check_rows(locked: Any, is_lower_pair: bool, where: str) -> None:
    """Refuse rows that no joint has, before there are arrays for them."""
    named = isinstance(locked, tuple) and all(isinstance(row, str) for row in locked)
    if not named or len(locked) > len(MOTIONS) or len(set(locked)) < len(locked):
        raise InvalidJoint(
            f"{where}: locked must be a tuple of one to six different names, got"
            f" {short_repr(locked)}.",
            "Two bodies have six relative motions; name those that are locked.",
        )
    if is_lower_pair and not set(locked) <= set(MOTIONS):
        raise InvalidJoint(
            f"{where}: locked must be some of {', '.join(MOTIONS)}, got {short_repr(locked)}.",
            "Name rotations wx, wy, wz and translations ux, uy, uz; a CustomJoint has other rows.",
        )


class LowerPair(Joint, in_files=False):
    """A base class for joints of your own that leave a group of motions free.

    A subclass names in `locked` what is locked, in the joint's axes with z along `axis`: rotations
    "wx", "wy", "wz" and translations "ux", "uy", "uz". The joint then works as those of the
    package do: bodies can move in its motion subgroup, where it stays closed to round-off.

    Parameters
    ----------
    axis
        Direction of z in world axes.
    pitch
        Advance along z, m per radian, where z is locked and rotation about z is free.

    Examples
    --------
    >>> class Schoenflies(LowerPair, in_files=False):
    ...     locked = ("wx", "wy")
    >>> Schoenflies("lift", GROUND, "gripper", axis=(0, 0, 1)).locked
    ('wx', 'wy')
    """

    at: PointOrNone = given(default=None)
    pitch: Number = 0.0
    armature: Several = unset(0.0)
    zero: Several = unset(0.0)

    def __init_subclass__(cls, in_files: bool | None = None) -> None:
        """Refuse what leaves no group free."""
        super().__init_subclass__(in_files)
        check_rows(cls.locked, True, f"joint class '{cls.__name__}'")
        pair = pair_of_rows(cls.locked)
        if pair is None:
            raise InvalidJoint(
                f"joint class '{cls.__name__}' locks {short_repr(cls.locked)}, and the motions"
                " left free are no group.",
                "Lock rotations about x and y together, translations along x and y together; or"
                " write a CustomJoint.",
            )
        if not set(cls.coordinates) <= set(COORDINATES_OF.get(pair, ())):
            raise InvalidJoint(
                f"joint class '{cls.__name__}' declares coordinates {short_repr(cls.coordinates)},"
                f" which a {pair} joint does not have.",
                "Leave coordinates out; hinges have 'angle', slides 'displacement', sleeves both.",
            )
        cls.any_frame_point = pair in ANY_POINT
        cls.needs_point = not cls.any_frame_point

    def _check(self) -> None:
        super()._check()
        if self.pitch and pair_of_rows(self.locked) not in SCREWED:
            raise self._wrong(
                f"pitch is {self.pitch:g} m/rad, but it does not turn about z with z locked.",
                "Leave pitch out, or lock uz and not wz.",
            )


class Spherical(Joint):
    """A ball joint: all rotations about `at`, no translation.

    Examples
    --------
    >>> Spherical("shoulder", GROUND, "arm", at=(0, 0, 1)).locked
    ('ux', 'uy', 'uz')
    """

    locked = ("ux", "uy", "uz")

    at: Place
    axis: Direction = unset(Z)
    axis_b: DirectionOrNone = unset(None)
    armature: Annotated[float, not_negative("kg m^2")] = given(default=0.0, repr=False)
    zero: Several = unset(0.0)


class AlongLine(Joint, in_files=False):
    """A joint that moves about and along the line through `at`, and has coordinates.

    Parameters
    ----------
    armature
        Inertia of a rotor that turns with the coordinate, including the gear ratio squared, kg
        m^2 (kg for a displacement). The rotor axis is assumed to keep its direction.
    zero
        Value of the coordinate at the poses entered, rad (m for a Prismatic joint), within half
        a turn. Springs, stops, motions, couplings and results count from it.
    """

    at: Place
    axis: Direction


class Revolute(AlongLine):
    """A hinge: rotation about the line through `at` along `axis`.

    Examples
    --------
    >>> Revolute("elbow", "upper arm", "forearm", at=(0.3, 0, 1), axis=(0, 2, 0)).axis
    (0.0, 1.0, 0.0)
    """

    locked = ("wx", "wy", "ux", "uy", "uz")
    coordinates = ("angle",)


class Cylindrical(AlongLine):
    """A sleeve on a shaft: rotation about and translation along the line through `at`.

    Parameters
    ----------
    armature
        Rotor inertia of the angle and of the displacement, (kg m^2, kg): see `Revolute`.
    zero
        Values of both coordinates at the poses entered, (rad, m): see `Revolute`.

    Examples
    --------
    >>> Cylindrical("sleeve", GROUND, "ring", at=(0, 0, 0), axis=(0, 0, 1)).locked
    ('wx', 'wy', 'ux', 'uy')
    """

    locked = ("wx", "wy", "ux", "uy")
    coordinates = ("angle", "displacement")


class Helical(AlongLine):
    """A nut on a screw: each radian about `axis` advances b by `pitch` metres along it.

    Parameters
    ----------
    pitch
        Advance, m per radian. A positive pitch is a right-handed thread.

    Notes
    -----
    The constraint row "uz" is uz - pitch wz = 0.

    Examples
    --------
    >>> Helical("screw", GROUND, "nut", at=(0, 0, 0), axis=(1, 0, 0), pitch=0.002).pitch
    0.002
    """

    locked = ("wx", "wy", "ux", "uy", "uz")
    coordinates = ("angle",)

    pitch: Number

    def _check(self) -> None:
        super()._check()
        if self.pitch == 0.0:
            raise self._wrong(
                "pitch must not be 0 m/rad: that is not a screw.",
                "Use Revolute for no advance, or Cylindrical for free advance.",
            )


class Sliding(Joint, in_files=False):
    """A joint that means the same wherever its point is, so `at` may be left out.

    The point is still where its violation and its reaction are measured.
    """

    any_frame_point = True
    needs_point = False

    at: PointOrNone = given(default=None)
    axis: SlideAxis = given(default=None)


class Prismatic(Sliding):
    """A slider: translation along `axis`, no rotation.

    Examples
    --------
    >>> Prismatic("rail", GROUND, "sledge", axis=(1, 0, 0)).locked
    ('wx', 'wy', 'wz', 'ux', 'uy')
    """

    locked = ("wx", "wy", "wz", "ux", "uy")
    coordinates = ("displacement",)


class Planar(Sliding):
    """A body on a plane: translation normal to `axis`, rotation about `axis`.

    Examples
    --------
    >>> Planar("ice", GROUND, "puck", axis=(0, 0, 1)).locked
    ('wx', 'wy', 'uz')
    """

    locked = ("wx", "wy", "uz")

    armature: Several = unset(0.0)
    zero: Several = unset(0.0)


def checked_turn(turn: Any, what: str, where: str, invalid: Invalid) -> Matrix3 | None:
    """A rotation in any spelling; None of one that turns nothing."""
    if turn is None:
        return None
    try:
        matrix = rotation_of(turn, where)
    except ChaslesError as error:
        raise invalid(error.what.replace("rotation", what, 1), error.remedy) from None
    return None if np.array_equal(matrix, np.eye(3)) else matrix


class Fixed(Joint):
    """A weld: no relative motion.

    Parameters
    ----------
    at
        Point where the reaction is measured, in world coordinates at the start, m.
    turn
        Rotation of b in world axes that closes the weld, in any form that `Body.rotation`
        takes. The joint is then not closed at t = 0.

    Examples
    --------
    >>> len(Fixed("weld", "frame", "bracket").locked)
    6
    """

    locked = ("wx", "wy", "wz", "ux", "uy", "uz")
    any_frame_point = True
    needs_point = False

    at: PointOrNone = given(default=None)
    axis: Direction = unset(Z)
    axis_b: DirectionOrNone = unset(None)
    armature: Several = unset(0.0)
    zero: Several = unset(0.0)
    turn: Annotated[Taken[Turned | None, Matrix3 | None], checked_turn] = given(
        default=None, repr=False
    )


def plain_numbers(value: Any, what: str, where: str) -> Floats:
    """One number or a list of them; NaN where it is something else."""
    refuse_units(value, what, where, InvalidJoint)
    for check in (real_array, checked_number):
        try:
            return np.asarray(check(value, what, where, InvalidJoint), np.float64)
        except InvalidJoint:
            pass
    return np.full(1, np.nan)


def one_or_several(numbers: Floats) -> float | tuple[float, ...]:
    return float(numbers) if numbers.ndim == 0 else tuple(numbers.tolist())


def checked_armature(value: Any, freedoms: int, where: str) -> float | tuple[float, ...]:
    """Rotor inertia: one number for all coordinates, or one for each."""
    numbers = plain_numbers(value, "armature", where)
    whole = numbers.shape in ((), (freedoms,)) and np.isfinite(numbers).all()
    if not whole or (numbers < 0.0).any():
        several = f", or {freedoms} of them" if freedoms > 1 else ""
        raise InvalidJoint(
            f"{where}: armature must be a number of 0 or more{several}, got {short_repr(value)}.",
            "Give the rotor's inertia as the joint's coordinate feels it (kg m^2, or kg).",
        )
    return one_or_several(numbers)


def checked_zero(
    value: Any, coordinates: tuple[Coordinate, ...], where: str
) -> float | tuple[float, ...]:
    """Coordinates at the poses entered: one number, or one for each; angles within half a turn."""
    numbers, count = plain_numbers(value, "zero", where), len(coordinates)
    whole = count > 1 and numbers.shape == (count,)
    if numbers.ndim == 0:
        whole = count == 1 or bool(numbers == 0.0)
    if not whole or not np.isfinite(numbers).all():
        each = "a number" if count == 1 else f"{count} numbers ({', '.join(coordinates)})"
        raise InvalidJoint(
            f"{where}: zero must be {each}, got {short_repr(value)}.",
            "Give the coordinate at the poses entered, in rad or m.",
        )
    for word, number in zip(coordinates, np.atleast_1d(numbers).tolist()):
        if word == "angle" and abs(number) > np.pi:
            raise InvalidJoint(
                f"{where}: zero must be within half a turn, got {number:g} rad.",
                "Take whole turns off: the poses entered do not show them.",
            )
    return one_or_several(numbers)


def check_pair(a: str, b: str, where: str, invalid: Invalid) -> None:
    """Refuse what does not join two different bodies, at most one of them the ground."""
    if a == b == GROUND.name:
        raise invalid(f"{where} connects the ground to itself.", "Give a body as a or b.")
    if a == b:
        raise invalid(
            f"{where} connects body '{a}' to itself.", "Give two different bodies as a and b."
        )
