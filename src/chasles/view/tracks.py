"""A run as numbers for a film: poses, gaps and forces at few enough times, in few enough bytes.

Places are whole numbers on a grid of 65536 steps across the space that the bodies move in, and
quaternions of 1/32767; both are below what a screen can show.  What moves smoothly has small
second differences, so that is what is kept, low bytes apart from high ones, and deflated.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from zlib import compress

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.model import (
    GROUND,
    Bushing,
    Contact,
    CustomForce,
    Drag,
    Force,
    JointForce,
    Load,
    Spring,
)
from chasles.model.coordinates import ANGLE
from chasles.result.readout import force_history
from chasles.result.result import Result
from chasles.view.glyphs import middle_of
from chasles.view.scene import Scene, ends_of

BUDGET = 2_400_000  # bytes of all tracks of a film; base64 makes a third more of them
FRAMES, MOST_FRAMES = 1200, 3000  # as wide as a screen; more only where something spins fast
TURN = 0.5  # rad: what a body may turn by from one frame to the next
STEPS = 32767
COARSE = 1 / 4000  # of the model's size: a grid wider than that would be seen, so floats are used

Header = dict[str, Any]


@dataclass
class Blob:
    """Arrays one after the other, each found by its key: kind, offset, length, rows of a track."""

    index: dict[str, tuple[str, int, int, int]] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, key: str, values: NDArray[Any], kind: str) -> str:
        """Keep an array as little-endian numbers of a kind, such as "i2"; returns its key."""
        return self._put(key, np.ascontiguousarray(values, dtype=f"<{kind}"), kind, values.size, 0)

    def track(self, key: str, values: NDArray[Any]) -> str:
        """Keep whole numbers over time (T, ...) as second differences, modulo 65536."""
        rows = np.asarray(values).reshape(len(values), -1).astype(np.int64)
        steps = np.diff(rows, axis=0, prepend=0)
        bends = np.diff(steps, axis=0, prepend=0).T.astype("<u2")  # each number's times together
        planes = np.ascontiguousarray(bends).view(np.uint8).reshape(-1, 2).T
        return self._put(key, np.ascontiguousarray(planes), "d2", rows.size, len(rows))

    def _put(self, key: str, values: NDArray[Any], kind: str, count: int, rows: int) -> str:
        data = values.tobytes()
        padded = data + bytes(-len(data) % 8)
        self.index[key] = (kind, self.size, count, rows)
        self.pieces.append(padded)
        self.size += len(padded)
        return key

    def text(self, head: Header) -> str:
        """The head in JSON, its length before it and the arrays behind it, deflated, as base64."""
        words = {"arrays": self.index, **head}
        said = json.dumps(words, separators=(",", ":"), allow_nan=False).encode()
        said += b" " * (-len(said) % 8)
        whole = len(said).to_bytes(8, "little") + said + b"".join(self.pieces)
        return b64encode(compress(whole, 9)).decode("ascii")


def chosen_frames(result: Result, asked: int | None, share: int, tracks: int) -> NDArray[np.int64]:
    """Indices of the saved states that a film shows, evenly spaced in time.

    As many as there are, up to what was asked for, or to what fits into a share of the budget.
    """
    each = 14 * len(result.model.bodies) + 6 * tracks + 8
    fitting = max(60, BUDGET // share // each)
    wanted = int(np.clip(most_turned(result) / TURN, FRAMES, MOST_FRAMES))
    most = min(wanted, fitting) if asked is None else asked
    if len(result.t) <= most:
        return np.arange(len(result.t))
    times = np.linspace(result.t[0], result.t[-1], most)
    after = np.clip(np.searchsorted(result.t, times), 1, len(result.t) - 1)
    nearer = times - result.t[after - 1] < result.t[after] - times
    return np.unique(np.where(nearer, after - 1, after))


def most_turned(result: Result) -> float:
    """The angle by which the body that spins most turns in the whole run, rad."""
    rates = [np.linalg.norm(result.angular_velocity(body), axis=1) for body in result.model.bodies]
    return max(float(np.trapezoid(np.nan_to_num(rate), result.t)) for rate in rates)


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
    x = f"{name}.x"
    return {
        "t": time_track(result.t[frames], blob, name),
        "x": blob.track(x, whole) if kind == "i2" else blob.add(x, whole, kind),
        "q": blob.track(f"{name}.q", np.round(STEPS * turns)),
        "low": middle.tolist(),
        "grid": grid.tolist(),
    }


def time_track(t: Floats, blob: Blob, name: str) -> Any:
    """[first, last, count] of evenly spaced times, else the key of an array."""
    even = np.linspace(t[0], t[-1], len(t))
    if np.abs(t - even).max() <= 1e-9 * (t[-1] - t[0]):
        return [float(t[0]), float(t[-1]), len(t)]
    return blob.add(f"{name}.t", t, "f8")


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
    tracks: list[Header] = []
    applied = applied_forces(result, scene, frames) if forces else ()
    for one in chain(joint_arrows(result, scene, forces, frames), applied):
        values = np.nan_to_num(one.values, nan=0.0, posinf=0.0, neginf=0.0)
        largest = float(np.abs(values).max(initial=0.0))
        if largest == 0.0:
            continue
        tracks.append({
            "kind": one.kind, "name": one.name, "body": scene.numbers[one.body],
            "at": rounded(one.at),
            "on": scene.numbers[one.on], "against": scene.numbers[one.against],
            "scale": largest / STEPS, "largest": float(np.linalg.norm(values, axis=1).max()),
            "key": blob.track(f"{name}.v{len(tracks)}", np.round(values / largest * STEPS)),
        })  # fmt: skip
    return tracks


def rounded(numbers: Floats) -> list[float]:
    """As a film needs them: to a nanometre."""
    return [round(float(x), 9) for x in numbers]


# --- arrows: gaps and reactions of joints, and what forces exert ----------------------------------

MOMENT = 1e-6  # of a joint's force times the model's size: a torque below that is rounding


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force (N) or torque (N m) over time, or a gap (m).

    kind    "force" or "torque"; of a joint "reaction", "moment" or "gap"
    body    that it moves with, at `at` in the axes of the body
    on      the body that it acts on
    against the body that its reverse acts on, "" if there is none
    values  (T, 3) in world axes
    """

    name: str
    kind: str
    body: str
    at: Floats
    on: str
    against: str
    values: Floats


def joint_arrows(result: Result, scene: Scene, reactions: bool, frames: Any) -> Iterator[Arrow]:
    """Gaps of all joints, and their reactions if these are asked for."""
    for spot in scene.spots:
        joint = result.model.joint(spot.name)
        found = {"gap": result.violation(spot.name, vector=True)[frames]}
        if reactions:
            reaction = result.reaction(spot.name)
            found["reaction"], torque = reaction.force[frames], reaction.torque[frames]
            if largest_of(torque) > MOMENT * scene.size * largest_of(found["reaction"]):
                found["moment"] = torque
        for kind, values in found.items():
            yield Arrow(spot.name, kind, spot.a, spot.at, joint.b, joint.a, values)


def largest_of(vectors: Floats) -> float:
    return float(np.nanmax(np.abs(vectors), initial=0.0))


def applied_forces(result: Result, scene: Scene, frames: Any = slice(None)) -> Iterator[Arrow]:
    """Of all forces of the model: the force where it acts, and a torque where there is a couple.

    `frames` are the saved states that are asked for: a formula in Python takes its time.
    """
    setup, t = result.problem.setup, result.t[frames]
    absolute, integrals = result.absolute[frames], result.integrals[frames]
    for force in result.model.forces:
        holder = result.model.joint(force.joint) if isinstance(force, JointForce) else force
        body, point = where_it_acts(result, scene, force, holder)
        ends = getattr(holder, "a", ""), getattr(holder, "b", "")
        other = next((end for end in ends if end and end != body), "")
        found = force_history(setup, force.name, absolute, t, integrals)
        push, turn = found.on(body)
        at = scene.local(body, point)
        lever = np.einsum("tij,j->ti", result.rotation(body)[frames], at)
        couple = turn - np.cross(lever, push)  # what is left about the point that it acts on
        arm = np.abs(lever).max(initial=0.0) + 1e-3 * scene.size  # of a contact, about its shape
        reach = arm * np.abs(push).max(initial=0.0)
        pushing = not (isinstance(force, JointForce) and force.coordinate == ANGLE)
        if pushing and np.any(push):
            yield Arrow(force.name, "force", body, at, body, other, push)
        if np.abs(couple).max(initial=0.0) > 1e-9 * reach:  # more than the rounding of the lever
            yield Arrow(force.name, "torque", body, at, body, other, couple)


def where_it_acts(result: Result, scene: Scene, force: Force, holder: Any) -> tuple[str, Any]:
    """A body that moves and a force acts on, and the point in the model as entered.

    `holder` has the ends of the force: its joint, or the force itself.
    """
    if isinstance(force, Contact):
        return force.b, middle_of(force, scene.start)
    if isinstance(force, Spring | Bushing | JointForce):
        end_a, end_b = ends_of(holder)
        return end_a if holder.b == GROUND.name else end_b
    if isinstance(force, Load):
        return force.body, force.at
    if isinstance(force, Drag | CustomForce):
        body = force.body
    else:  # a kind from elsewhere
        setup = result.problem.setup
        index = int(setup.system.forces.b[result.model.force_names.index(force.name)])
        body = list(setup.body_index)[index]
    return body, scene.start[body][1]
