"""Rotations as people say them: a matrix, a quaternion, axis and angle, Euler angles, SciPy's own.

    ((1, 0, 0), (0, 1, 0), (0, 0, 1))      3x3 matrix, body to world
    (w, x, y, z)                           unit quaternion, the real part first
    ("z", 0.5), ((1, 1, 0), 0.5)           axis and angle: an axis by name or by vector, rad
    ("ZYX", (0.1, 0.2, 0.3))               Euler angles, rad: capitals about the axes as they turn
                                           along, small letters about those of the world
    {"axis": "z", "angle": 0.5}            the same as tables, as in files; {"euler": "ZYX",
                                           "angles": ...}, {"quaternion": (w, x, y, z)}
    Rotation.from_euler(...)               scipy.spatial.transform.Rotation

Three numbers alone are refused: they might be Euler angles or a rotation vector.
"""

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.model.checks import (
    Matrix3,
    Vector3,
    as_matrix,
    checked_array,
    checked_direction,
    checked_number,
    refuse_units,
)
from chasles.model.errors import InvalidBody, short_repr
from chasles.model.words import ArrayLike, Floats, Word

Quaternion = tuple[float, float, float, float]
if TYPE_CHECKING:
    Turned = ArrayLike | Mapping[str, Any] | Sequence[Any] | Any  # Any: SciPy's, not imported
else:
    Turned = Word("Rotation")
TABLES = ({"axis", "angle"}, {"euler", "angles"}, {"quaternion"})
HOW = (
    "Give a 3x3 matrix, a quaternion (w, x, y, z), ('z', angle), ((x, y, z), angle),"
    " ('ZYX', (a, b, c)), or a scipy Rotation; angles in rad."
)


def rotation_of(value: Turned, where: str) -> Matrix3:
    """The matrix, body to world, of a rotation in any spelling that has one meaning."""
    if hasattr(value, "as_matrix"):
        return of_scipy(value, where)
    if isinstance(value, Mapping):
        return of_table(value, where)
    if isinstance(value, tuple | list) and len(value) == 2:
        return of_pair(value[0], value[1], where)
    if isinstance(value, str) or np.shape(numbers_only(value)) == (3,):
        raise InvalidBody(
            f"{where}: rotation is {short_repr(value)}, which may be Euler angles or a rotation"
            " vector.",
            HOW,
        )
    if np.shape(numbers_only(value)) in ((), (0,)):
        raise InvalidBody(f"{where}: rotation is {short_repr(value)}.", HOW)
    return checked_rotation(value, where)


def numbers_only(value: Any) -> Any:
    """The value as an array if it is made of real numbers, else nothing."""
    try:
        array = np.asarray(value)
    except Exception:  # ragged, or whatever an object says that is asked for its numbers
        return ()
    return array if array.dtype.kind in "iuf" and not np.ma.is_masked(value) else ()


def of_scipy(value: Any, where: str) -> Matrix3:
    matrix = np.asarray(value.as_matrix())
    if matrix.shape != (3, 3):
        raise InvalidBody(
            f"{where}: rotation must be one rotation, got {len(matrix)} of them.",
            "Give one of them: rotation[0].",
        )
    return checked_rotation(matrix, where)


def of_table(table: Mapping[str, Any], where: str) -> Matrix3:
    if set(table) not in TABLES:
        raise InvalidBody(
            f"{where}: rotation has the fields {', '.join(map(str, table)) or 'none'}.",
            "Give axis and angle, or euler and angles, or quaternion alone.",
        )
    if "quaternion" in table:
        quaternion = table["quaternion"]
        if np.shape(numbers_only(quaternion)) != (4,):
            raise InvalidBody(
                f"{where}: quaternion must be four numbers, got {short_repr(quaternion)}.",
                "Give four numbers (w, x, y, z).",
            )
        return checked_rotation(quaternion, where)
    if "euler" in table:
        return of_euler(table["euler"], table["angles"], where)
    return of_pair(table["axis"], table["angle"], where)


def of_pair(first: Any, second: Any, where: str) -> Matrix3:
    """Axis and angle, or the letters of Euler angles and the angles."""
    if np.ndim(numbers_only(first)) == 0 and not isinstance(first, str):
        raise InvalidBody(
            f"{where}: rotation is ({short_repr(first)}, {short_repr(second)}): the axis comes"
            " first.",
            HOW,
        )
    if isinstance(first, str) and not isinstance(second, int | float | np.number):
        return of_euler(first, second, where)
    axis = checked_direction(first, "the axis of its rotation", where, InvalidBody)
    return checked_rotation(about(axis, checked_angle(second, where)), where)


def of_euler(letters: Any, angles: Any, where: str) -> Matrix3:
    """One turn after the other: capitals about axes that turn along, small letters about fixed."""
    valid = isinstance(letters, str) and 1 <= len(letters) <= 3
    if not valid or (set(letters) - set("xyz") and set(letters) - set("XYZ")):
        raise InvalidBody(
            f"{where}: the axes of Euler angles must be letters x, y, z, got"
            f" {short_repr(letters)}.",
            "Name one to three axes, all in capitals (which turn along: 'ZYX') or all in small"
            " letters (fixed in the world: 'xyz').",
        )
    refuse_units(angles, "the angles of its rotation", where, InvalidBody)
    if np.shape(numbers_only(angles)) != (len(letters),):
        raise InvalidBody(
            f"{where}: Euler angles must be as many as their axes '{letters}', got"
            f" {short_repr(angles)}.",
            "Give one angle for each axis, in rad.",
        )
    total: Quaternion = (1.0, 0.0, 0.0, 0.0)
    for letter, angle in zip(letters, angles):
        axis = checked_direction(letter.lower(), "an axis", where, InvalidBody)
        turn = about(axis, checked_angle(angle, where))
        total = product(total, turn) if letter.isupper() else product(turn, total)
    return checked_rotation(total, where)


def checked_angle(value: Any, where: str) -> float:
    """An angle of at most a whole turn: 90 is a quarter of one to people, but not in rad."""
    angle = checked_number(value, "the angle of its rotation", where, InvalidBody)
    if abs(angle) > 2.0 * pi * (1.0 + TOLERANCE):
        raise InvalidBody(
            f"{where}: the angle of its rotation is {angle:g} rad, more than a whole turn.",
            "Angles are in rad: math.radians(90) is a quarter of a turn.",
        )
    return angle


def about(axis: Vector3, angle: float) -> Quaternion:
    """cos(angle / 2), sin(angle / 2) axis"""
    x, y, z = axis
    s = sin(0.5 * angle)
    return (cos(0.5 * angle), s * x, s * y, s * z)


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """First q, then p."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def turn_between(start: Vector3, end: Vector3) -> Quaternion:
    """A turn that takes one direction to another, both of length 1.

    (1 + u.v, u x v) over its norm: the turn by the least angle.  It loses digits as v comes near
    -u, so that beyond a right angle half a turn, from u to -u, goes before.
    """
    (a, b, c), (x, y, z) = start, end
    cosine = a * x + b * y + c * z
    if cosine < 0.0:
        least = min(range(3), key=lambda k: abs(start[k]))
        p, q, r = (1.0 if k == least else 0.0 for k in range(3))
        normal = (b * r - c * q, c * p - a * r, a * q - b * p)
        size = hypot(*normal)
        half = (0.0, normal[0] / size, normal[1] / size, normal[2] / size)
        return product(turn_between((-a, -b, -c), end), half)
    across = (b * z - c * y, c * x - a * z, a * y - b * x)
    norm = hypot(1.0 + cosine, *across)
    return ((1.0 + cosine) / norm, across[0] / norm, across[1] / norm, across[2] / norm)


def turned(rotation: Floats, vector: Vector3) -> Vector3:
    x, y, z = (rotation @ np.array(vector)).tolist()
    return (x, y, z)


# --- what a rotation must satisfy: nothing is repaired --------------------------------------------

TOLERANCE = 1e-9  # of symmetry, orthogonality and the triangle inequality


def checked_rotation(value: Any, where: str) -> Matrix3:
    """A rotation matrix, from a matrix or a quaternion (w, x, y, z)."""
    array = checked_array(value, "rotation", where, InvalidBody)
    if array.shape == (4,):
        return rotation_of_quaternion(array, where)
    if array.shape != (3, 3):
        raise InvalidBody(
            f"{where}: rotation has shape {array.shape}.",
            "Give a 3x3 matrix (body to world), a unit quaternion (w, x, y, z), or an axis and an"
            " angle in rad: ('z', 0.3).",
        )
    off = float(np.abs(array.T @ array - np.eye(3)).max())
    if off > TOLERANCE:
        raise InvalidBody(
            f"{where}: rotation is not orthogonal: R^T R is off the identity by {off:.1e}.",
            "Give all its digits, or the nearest rotation by scipy's Rotation.from_matrix.",
        )
    if np.linalg.det(array) < 0.0:
        raise InvalidBody(
            f"{where}: rotation has determinant -1: it is a reflection.",
            "Use right-handed axes: turn the sign of one column.",
        )
    return as_matrix(array)


def rotation_of_quaternion(quaternion: Floats, where: str) -> Matrix3:
    norm = float(np.linalg.norm(quaternion))
    if abs(norm - 1.0) > TOLERANCE:
        raise InvalidBody(
            f"{where}: rotation is a quaternion of norm {norm:.12g}, off by {norm - 1.0:+.1e}.",
            "Give a unit quaternion (w, x, y, z): divide it by its norm.",
        )
    w, x, y, z = (quaternion / norm).tolist()
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
