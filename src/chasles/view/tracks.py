"""A run as numbers for a film: poses, gaps and forces at few enough times, in few enough bytes.

Places are whole numbers on a grid of 65536 steps across the space that the bodies move in, and
quaternions of 1/32767; both are below what a screen can show.
"""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.result import Result
from chasles.view.applied import applied_forces
from chasles.view.scene import Scene

BUDGET = 2_400_000  # bytes of all tracks of a film; base64 makes a third more of them
MOST_FRAMES = 3000  # more than a screen wide, and 50 s at 60 frames a second
STEPS = 32767
COARSE = 1 / 4000  # of the model's size: a grid wider than that would be seen, so floats are used

Header = dict[str, Any]


@dataclass
class Blob:
    """Arrays one after the other, each found by its key: kind, offset and length."""

    index: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, key: str, values: NDArray[Any], kind: str) -> str:
        """Keep an array as little-endian numbers of a kind, such as "i2"; returns its key."""
        data = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
        padded = data + bytes(-len(data) % 8)
        self.index[key] = (kind, self.size, values.size)
        self.pieces.append(padded)
        self.size += len(padded)
        return key

    def text(self) -> str:
        return b64encode(b"".join(self.pieces)).decode("ascii")


def chosen_frames(result: Result, asked: int | None, share: int, tracks: int) -> NDArray[np.int64]:
    """Indices of the saved states that a film shows, evenly spaced in time.

    As many as there are, up to what was asked for, or to what fits into a share of the budget.
    """
    each = 14 * len(result.model.bodies) + 6 * tracks + 8
    fitting = max(60, BUDGET // share // each)
    most = min(MOST_FRAMES, fitting) if asked is None else asked
    if len(result.t) <= most:
        return np.arange(len(result.t))
    times = np.linspace(result.t[0], result.t[-1], most)
    after = np.clip(np.searchsorted(result.t, times), 1, len(result.t) - 1)
    nearer = times - result.t[after - 1] < result.t[after] - times
    return np.unique(np.where(nearer, after - 1, after))


def pose_tracks(
    result: Result, frames: NDArray[np.int64], blob: Blob, name: str, size: float
) -> Header:
    """Times, places and quaternions of all bodies, in the model's order."""
    bodies = result.model.bodies
    places = np.stack([result.position(body)[frames] for body in bodies], axis=1)
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    middle, grid = (low + high) / 2.0, np.maximum((high - low) / (2.0 * STEPS), 1e-12)
    kind, whole = "i2", np.round((places - middle) / grid)
    if grid.max() > COARSE * size:
        kind, whole, grid = "f4", places - middle, np.ones(3)
    turns = np.stack([quaternions(result.rotation(body)[frames]) for body in bodies], axis=1)
    return {
        "t": blob.add(f"{name}.t", result.t[frames], "f8"),
        "x": blob.add(f"{name}.x", whole, kind),
        "q": blob.add(f"{name}.q", np.round(STEPS * turns), "i2"),
        "low": middle.tolist(),
        "grid": grid.tolist(),
    }


def quaternions(rotations: Floats) -> Floats:
    """(T, 4) as (w, x, y, z), without jumps of sign."""
    from scipy.spatial.transform import Rotation  # late: an import of chasles leaves it asleep

    turns = Rotation.from_matrix(rotations).as_quat()[:, [3, 0, 1, 2]]
    same = np.einsum("ti,ti->t", turns[1:], turns[:-1]) >= 0.0
    signs = np.concatenate(([1.0], np.cumprod(np.where(same, 1.0, -1.0))))
    return np.asarray(turns * signs[:, None])


# --- vectors at joints and forces ---


def vector_tracks(
    result: Result, scene: Scene, frames: NDArray[np.int64], blob: Blob, name: str, forces: bool
) -> list[Header]:
    """Gaps of joints, reactions and forces: each a point of a body and a vector over time."""
    index = {body: k for k, body in enumerate(result.model.body_names)}
    tracks: list[Header] = []

    def add(kind: str, part: str, body: str, at: Floats, shown: Floats) -> None:
        values = np.nan_to_num(shown, nan=0.0, posinf=0.0, neginf=0.0)
        largest = float(np.abs(values).max(initial=0.0))
        if largest == 0.0:
            return
        tracks.append({
            "kind": kind, "name": part, "body": index.get(body, -1), "at": at.tolist(),
            "scale": largest / STEPS, "largest": float(np.linalg.norm(values, axis=1).max()),
            "key": blob.add(f"{name}.v{len(tracks)}", np.round(values / largest * STEPS), "i2"),
        })  # fmt: skip

    for spot in scene.spots:
        add("gap", spot.name, spot.a, spot.at, result.violation(spot.name, vector=True)[frames])
        if forces:
            add("reaction", spot.name, spot.a, spot.at, result.reaction(spot.name).force[frames])
    if forces:
        for one in applied_forces(result, scene, frames):
            add(one.kind, one.name, one.body, one.at, one.values)
    return tracks


def tie_headers(scene: Scene) -> list[Header]:
    index = {body: k for k, body in enumerate(scene.model.body_names)}
    return [
        {"name": tie.name, "spring": tie.spring,
         "a": index.get(tie.a, -1), "at_a": tie.at_a.tolist(),
         "b": index.get(tie.b, -1), "at_b": tie.at_b.tolist()}
        for tie in scene.ties
    ]  # fmt: skip


def spot_headers(scene: Scene) -> list[Header]:
    index = {body: k for k, body in enumerate(scene.model.body_names)}
    return [
        {"name": spot.name, "body": index.get(spot.a, -1), "at": spot.at.tolist()}
        for spot in scene.spots
    ]
