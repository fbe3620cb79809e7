"""Where results stand in a film, how far they reach, and how low."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.result.result import Result
from chasles.view.camera import camera_of, horizontal
from chasles.view.scene import Pose, Scene, place
from chasles.view.tracks import Header

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
