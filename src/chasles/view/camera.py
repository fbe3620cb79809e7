"""Where pictures and films are seen from: orthographic, with the world's up on the page."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Model
from chasles.model.checks import pair_of
from chasles.model.errors import short_repr
from chasles.view.scene import up_of

FROM_A_CORNER = (-58.0, 24.0)  # azimuth and elevation, degrees: x to the lower right, y upper right
PLANES = ("xy", "xz", "yz")
ALIKE = 1e-6  # 1 - cosine of axes that count as one


@dataclass(frozen=True, eq=False)
class Camera:
    """Directions in the world: right and up on the page, and towards the reader."""

    right: Floats
    up: Floats
    towards: Floats

    def seen(self, points: Floats) -> Floats:
        """World points (..., 3) on the page (..., 2)."""
        return np.stack((points @ self.right, points @ self.up), axis=-1)


def camera_of(model: Model, view: Any = "auto") -> Camera:
    """The camera for "auto", "xy", "xz", "yz", or (azimuth, elevation) in degrees."""
    if isinstance(view, str) and view in PLANES:
        right, above = (np.eye(3)["xyz".index(name)] for name in view)
        return Camera(right, above, np.cross(right, above))
    up = up_of(model)
    if isinstance(view, str) and view == "auto":
        return angled(up, *angles_for(model, up))
    angles = pair_of(view)
    if angles is None or abs(angles[1]) > 90.0:
        raise InvalidOption(
            f"plot: view must be a name or two angles, got {short_repr(view)}.",
            "Give 'auto', 'xy', 'xz', 'yz', or (azimuth, elevation) in degrees, such as (-58, 24).",
        )
    return angled(up, *angles)


def horizontal(up: Floats) -> tuple[Floats, Floats]:
    """Two directions across `up`: x and y for z up, and the next two axes for any other."""
    following = np.eye(3)[(int(np.abs(up).argmax()) + 1) % 3]
    first = following - (following @ up) * up
    first /= np.linalg.norm(first)
    return first, np.cross(up, first)


def angled(up: Floats, azimuth: float, elevation: float) -> Camera:
    """Seen from an azimuth about `up` and an elevation above the horizon, degrees."""
    first, second = horizontal(up)
    turn, tilt = np.radians(azimuth), np.radians(elevation)
    outward = np.cos(turn) * first + np.sin(turn) * second
    right = -np.sin(turn) * first + np.cos(turn) * second
    towards = np.cos(tilt) * outward + np.sin(tilt) * up
    return Camera(right, np.cross(towards, right), towards)


def angles_for(model: Model, up: Floats) -> tuple[float, float]:
    """From a corner; a planar mechanism from the side it moves in, a little off its normal."""
    axes = [np.array(j.axis) for j in model.joints if j.kind in ("revolute", "planar")]
    if not axes or any(1.0 - abs(axis @ axes[0]) > ALIKE for axis in axes):
        return FROM_A_CORNER
    if abs(axes[0] @ up) > 1.0 - ALIKE:
        return FROM_A_CORNER[0], 48.0
    if abs(axes[0] @ up) > ALIKE or len(axes) < 2:
        return FROM_A_CORNER
    first, second = horizontal(up)
    azimuth = float(np.degrees(np.arctan2(axes[0] @ second, axes[0] @ first)))
    if not -135.0 <= azimuth <= 45.0:  # from the front rather than from behind
        azimuth += 180.0
    return azimuth + 22.0, 16.0
