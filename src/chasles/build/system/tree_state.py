"""States of a tree from absolute poses and twists, pair by pair."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.build.system.build_tree import words_of
from chasles.compiled.lending import record_of
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.tree import (
    FREE,
    SE3_PAIR,
    SO3XR3_PAIR,
    SPHERICAL,
    SPHERICAL_ARMATURE,
    Tree,
    TreeWorkspace,
    is_flat,
    place_in_pair,
    rises,
    turns_of,
)
from chasles.groups.so3 import so3_from_matrix
from chasles.groups.vectors import cross
from chasles.model import Joint

#: R, P, omega, dP/dt of the ground.
GROUND = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
#: Coordinates known to be nearer than this (rad, m) to what poses tell are the better ones.
KNOWN = 1e-9


def state_of(
    tree: Tree, absolute: Floats, known: Mapping[tuple[int, str], Any] | None = None
) -> Floats:
    """The state (q + v,) of absolute rows (n, 18): the inverse of `place`.

    `known` has angles and displacements by body and word: of angles it gives the whole turns, which
    poses do not, and of either the last bits.  Other angles are within half a turn.
    """
    found: Floats = states_of(tree, absolute[None], known)[0]
    return found


def states_of(
    tree: Tree, absolute: Floats, known: Mapping[tuple[int, str], Any] | None = None
) -> Floats:
    """The same for many states at once: (T, q + v) of (T, n, 18), `known` by (T,)."""
    states = np.zeros((len(absolute), tree.stored_count + tree.rate_count))
    turns, *vectors = frames_of(tree, absolute)
    turned = relative_quaternions(tree, turns)
    for body in range(tree.body_count):
        parent = tree.base[body]
        base: Any = GROUND
        if parent >= 0:
            base = turns[:, parent], *(part[:, parent] for part in vectors)
        stored, rates = relative_state(
            tree, body, turned[:, body], (turns[:, body], *(part[:, body] for part in vectors)),
            base, {word: (known or {}).get((body, word)) for word in ("angle", "displacement")},
        )  # fmt: skip
        q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
        states[:, q : q + stored.shape[1]] = stored
        states[:, v : v + rates.shape[1]] = rates
    return states


def absolute_of(tree: Any, tree_work: Any, states: Floats) -> Floats:
    """Absolute rows (T, n, 18) of states (T, q + v); `tree_work` is scratch.

    Whoever asks often gives both records as they were lent to kernels.
    """
    out = np.zeros((len(states), record_of(tree).body_count, ABSOLUTE_WIDTH))
    tree_absolute(tree, tree_work, np.ascontiguousarray(states), out)
    return out


def unit_twists(
    tree: Tree, tree_work: TreeWorkspace, state: Floats, first: int = 0, end: int | None = None
) -> Floats:
    """(k, n, 6) The twists of all bodies at the pose of a state, one velocity after the other.

    From `first` to before `end`.
    """
    unit = np.eye(tree.rate_count)[first:end]
    states = np.tile(state, (len(unit), 1))
    states[:, tree.stored_count :] = unit
    return absolute_of(tree, tree_work, states)[:, :, TWIST : TWIST + 6]


def place_of(tree: Tree, body: int, joint: Joint, word: str) -> tuple[int, int]:
    """Where a coordinate of the joint that carries a body is stored, and which velocity it has."""
    slot = words_of(joint).index(word)
    at = int(tree.stored_at[body]) + place_in_pair(int(tree.pair[body]), slot)
    return at, int(tree.rate_at[body]) + slot


def frames_of(tree: Tree, absolute: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """R (T, n, 3, 3), P, omega, dP/dt (T, n, 3) of the bodies' working frames in the world."""
    own = absolute[..., POSE_R : POSE_R + 9].reshape(*absolute.shape[:2], 3, 3)
    turns = own @ tree.axes.reshape(-1, 3, 3)
    arms = (turns @ tree.centre[:, :, None])[..., 0]
    omegas = (own @ absolute[..., TWIST : TWIST + 3, None])[..., 0]
    speeds = (own @ absolute[..., TWIST + 3 : TWIST + 6, None])[..., 0] - crossed(omegas, arms)
    return turns, absolute[..., POSE_X : POSE_X + 3] - arms, omegas, speeds


def crossed(a: Floats, b: Floats) -> Floats:
    """a x b of vectors (..., 3), for few of them in a fraction of the time of NumPy's own."""
    return np.array(cross(a.T, b.T)).T


def turned_back(turn: Floats, vectors: Floats) -> Floats:
    """R^T v of vectors (..., 3)."""
    found: Floats = (vectors[..., None, :] @ turn)[..., 0, :]
    return found


def relative_quaternions(tree: Tree, turns: Floats) -> Floats:
    """(T, n, 4) of every working frame against that of its base."""
    ground = np.broadcast_to(np.eye(3), (len(turns), 1, 3, 3))  # whose number is -1
    relative = np.swapaxes(np.concatenate((turns, ground), axis=1)[:, tree.base], 2, 3) @ turns
    entries = tuple(np.moveaxis(relative.reshape(*turns.shape[:2], 9), -1, 0))
    return np.stack(so3_from_matrix(entries), axis=-1)


def relative_state(
    tree: Tree, body: int, quaternion: Floats, frame: Any, base: Any, known: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    """Stored numbers and velocities (T, ...) of one pair."""
    pair = tree.pair[body]
    turn, point, omega, speed = frame
    base_turn, base_point, base_omega, base_speed = base
    spin = turned_back(turn, omega - base_omega)
    if pair in (SPHERICAL, SPHERICAL_ARMATURE):
        return quaternion, spin
    if pair == FREE:
        return np.hstack((quaternion, point)), np.hstack((spin, speed))
    lever = point - base_point
    slip = speed - (base_speed + crossed(np.broadcast_to(base_omega, lever.shape), lever))
    place = turned_back(base_turn, lever)
    if pair in (SO3XR3_PAIR, SE3_PAIR):
        slide = turned_back(base_turn if pair == SO3XR3_PAIR else turn, slip)
        return np.hstack((quaternion, place)), np.hstack((spin, slide))
    constant = tree.turn[body].reshape(3, 3)
    moved = turned_back(constant, place - tree.lever[body])
    slide = turned_back(constant, turned_back(base_turn, slip))
    about = constant.T @ (np.swapaxes(base_turn, -1, -2) @ turn)
    turned = np.arctan2(about[:, 1, 0] - about[:, 0, 1], about[:, 0, 0] + about[:, 1, 1])
    if known["angle"] is not None:
        turned = turned + 2 * np.pi * np.round((known["angle"] - turned) / (2 * np.pi))
    turned = better(turned, known["angle"])
    stored, rates = list[Floats](), list[Floats]()
    if turns_of(pair):
        stored += [turned, np.cos(turned), np.sin(turned)]
        rates.append(spin[:, 2])
    if is_flat(pair):
        stored += [moved[:, 0], moved[:, 1]]
        rates += [slide[:, 0], slide[:, 1]]
    if rises(pair):
        stored.append(better(moved[:, 2], known["displacement"]))
        rates.append(slide[:, 2])
    nothing = np.zeros((len(point), 0))
    return np.stack(stored, 1) if stored else nothing, np.stack(rates, 1) if rates else nothing


def better(measured: Floats, known: Any) -> Floats:
    """A coordinate that is known, unless poses contradict it."""
    if known is None:
        return measured
    return np.where(np.abs(known - measured) <= KNOWN, known, measured)
