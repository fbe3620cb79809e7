"""Where pictures and films are seen from, and where results stand in them.

An orthographic projection with the world's up on the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Model
from chasles.model.checks import pair_of
from chasles.model.errors import short_repr
from chasles.result.result import Result
from chasles.view.scene import Pose, Scene, place, up_of
from chasles.view.tracks import Header

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

    def depth(self, points: Floats) -> Floats:
        return np.asarray(points @ self.towards)


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


# --- where results stand in a film, how far they reach, and how low -------------------------------

LAYOUTS = ("side by side", "overlaid")
LOOKS = 80  # times at which it is seen how far a motion reaches
SPARE = 1.22  # distance of results side by side, over the width of one


def checked_follow(follow: Any, result: Result, where: str) -> str | None:
    """The name of the body that a camera follows."""
    return None if follow is None else result.model.body(follow, where=f"{where}: follow").name


def followed(result: Result, follow: str | None) -> Floats:
    """How far the body that is followed has come from its start (T, 3); zero if none is."""
    if follow is None:
        return np.zeros((len(result.t), 3))
    places = result.position(follow)
    return places - places[0]


def reached(result: Result, scene: Scene, frames: Any, follow: str | None = None) -> Floats:
    """Corners of everything drawn, at some of the film's times, (points, 3).

    As seen by a camera that moves with the body `follow`: then of the bodies alone.
    """
    some = frames[np.unique(np.linspace(0, len(frames) - 1, LOOKS).astype(int))]
    gone = followed(result, follow)[some][:, None]
    clouds = []
    for part in scene.parts:
        points = part.solid.vertices
        corners = np.array(list(product(*zip(points.min(axis=0), points.max(axis=0)))))
        if part.body in result.model.body_names:
            turned = np.einsum("tij,cj->tci", result.rotation(part.body)[some], corners)
            corners = (result.position(part.body)[some][:, None] + turned - gone).reshape(-1, 3)
        elif follow is not None:
            continue
        clouds.append(corners)
    for tie in scene.ties if follow is None else ():
        for name, at in ((tie.a, tie.at_a), (tie.b, tie.at_b)):
            clouds.append(place(scene.start[name], at).reshape(1, 3))
    return np.concatenate(clouds)


def set_out(
    groups: list[Header], clouds: list[Floats], scene: Scene, layout: str, view: Any
) -> Header:
    """Give each group its place; where the camera looks from.  The page itself frames them."""
    eye = camera_of(scene.model, view)
    first, second = horizontal(scene.up)
    across = eye.right - (eye.right @ scene.up) * scene.up
    across /= np.linalg.norm(across)
    width = max(float(np.ptp(cloud @ across)) for cloud in clouds)
    for index, (group, cloud) in enumerate(zip(groups, clouds)):
        shift = index - (len(groups) - 1) / 2.0 if layout == LAYOUTS[0] else 0.0
        offset = SPARE * width * shift * across
        middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2.0
        above = (cloud @ scene.up).max() + 0.08 * np.ptp(cloud @ scene.up)
        group["offset"] = offset.tolist()
        group["middle"] = (middle + (above - middle @ scene.up) * scene.up).tolist()
    return {
        "basis": [first.tolist(), second.tolist(), scene.up.tolist()],
        "azimuth": float(np.arctan2(-eye.right @ first, eye.right @ second)),
        "elevation": float(np.arcsin(np.clip(eye.towards @ scene.up, -1.0, 1.0))),
    }


def lowest(scene: Scene, poses: Mapping[str, Pose]) -> float:
    """The least height of all parts in one pose."""
    return min(
        float((place(poses[part.body], part.solid.vertices) @ scene.up).min())
        for part in scene.parts
    )


def lowest_of(result: Result, scene: Scene, frames: Any) -> float:
    """The least height of all bodies over the motion, by their own points: there is the floor."""
    some = frames[np.unique(np.linspace(0, len(frames) - 1, LOOKS).astype(int))]
    lowest = np.inf
    for part in scene.parts:
        points = part.solid.vertices
        if part.body in result.model.body_names:
            turned = np.einsum("i,tij->tj", scene.up, result.rotation(part.body)[some])
            heights = turned @ points.T + (result.position(part.body)[some] @ scene.up)[:, None]
        else:
            heights = points @ scene.up
        lowest = min(lowest, float(heights.min()))
    return lowest
