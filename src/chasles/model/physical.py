"""What a body's inertia and rotation must satisfy to be physical.

Nothing is repaired: a value within the tolerance is stored as given, any other is refused.
"""

from typing import Any

import numpy as np

from chasles.model.checks import Matrix3, as_matrix, checked_array
from chasles.model.errors import InvalidBody
from chasles.model.words import Floats

TOLERANCE = 1e-9  # of symmetry, orthogonality and the triangle inequality


def checked_inertia(value: Any, where: str) -> Matrix3:
    """A matrix that some distribution of mass can have: symmetric, positive, triangle rule."""
    array = checked_array(value, "inertia", where, InvalidBody)
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3):
        raise InvalidBody(
            f"{where}: inertia has shape {array.shape}.",
            "Give a 3x3 matrix, or three principal moments, in kg m^2 about the centre of mass.",
        )
    scale = float(np.abs(array).max())
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > TOLERANCE * scale:
        raise InvalidBody(
            f"{where}: inertia is not symmetric: {array.tolist()}, mirrored entries differ by"
            f" {asymmetry:.1e} kg m^2.",
            "Give the products of inertia the same value on both sides of the diagonal.",
        )
    check_principal_moments(np.linalg.eigvalsh(array).tolist(), where)
    return as_matrix(array)


def check_principal_moments(moments: list[float], where: str) -> None:
    """0 < I1 <= I2 <= I3 <= I1 + I2, moments in ascending order."""
    small, middle, large = moments
    listed = f"({small:.6g}, {middle:.6g}, {large:.6g}) kg m^2"
    if small <= 4.0 * np.finfo(float).eps * abs(large):
        raise InvalidBody(
            f"{where}: inertia is not positive definite: its principal moments are {listed}.",
            "Every principal moment must be positive; give a thin body a small thickness.",
        )
    excess = large - (small + middle)
    if excess > TOLERANCE * large:
        raise InvalidBody(
            f"{where}: inertia breaks the triangle inequality by {excess:.3g} kg m^2: its"
            f" principal moments are {listed}, and no mass has the largest above the sum of the"
            " others.",
            "Check the units, and that it is about the centre of mass, in body axes.",
        )


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
