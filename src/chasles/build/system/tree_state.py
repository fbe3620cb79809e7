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

#: Coordinates known to be nearer than this (rad, m) to what poses tell are the better ones.
KNOWN = 1e-9


def state_of(
    tree: Tree, absolute: Floats, known: Mapping[tuple[int, str], float] | None = None
) -> Floats:
    """The state (q + v,) of absolute rows (n, 18): the inverse of `place`.

    `known` has angles and displacements by body and word: of angles it gives the whole turns, which
    poses do not, and of either the last bits.  Other angles are within half a turn.
    """
    state = np.zeros(tree.stored_count + tree.rate_count)
    frames = frames_of(tree, absolute)
    ground = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    turned = relative_quaternions(tree, frames)
    for body in range(tree.body_count):
        parent = tree.base[body]
        stored, rates = relative_state(
            tree, body, turned[body], frames[body], frames[parent] if parent >= 0 else ground,
            {word: (known or {}).get((body, word)) for word in ("angle", "displacement")},
        )  # fmt: skip
        q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
        state[q : q + len(stored)] = stored
        state[v : v + len(rates)] = rates
    return state


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


def frames_of(tree: Tree, absolute: Floats) -> list[tuple[Floats, Floats, Floats, Floats]]:
    """(R, P, omega, dP/dt) of every body's working frame in the world."""
    rows = absolute.reshape(-1, ABSOLUTE_WIDTH)
    own = rows[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
    turns = own @ tree.axes.reshape(-1, 3, 3)
    arms = (turns @ tree.centre[:, :, None])[:, :, 0]
    omegas = (own @ rows[:, TWIST : TWIST + 3, None])[:, :, 0]
    speeds = (own @ rows[:, TWIST + 3 : TWIST + 6, None])[:, :, 0] - crossed(omegas, arms)
    return list(zip(turns, rows[:, POSE_X : POSE_X + 3] - arms, omegas, speeds))


def crossed(a: Floats, b: Floats) -> Floats:
    """a x b of vectors (..., 3), for few of them in a fraction of the time of NumPy's own."""
    return np.array(cross(a.T, b.T)).T


def relative_quaternions(tree: Tree, frames: Any) -> Floats:
    """(n, 4) of every working frame against that of its base."""
    turns = np.array([*(frame[0] for frame in frames), np.eye(3)])  # the ground's number is -1
    relative = np.swapaxes(turns[tree.base], 1, 2) @ turns[:-1]
    entries = tuple(relative.reshape(-1, 9).T)
    return np.stack(so3_from_matrix(entries), axis=-1)


def relative_state(
    tree: Tree, body: int, quaternion: Any, frame: Any, base: Any, known: Mapping[str, float | None]
) -> tuple[list[float], list[float]]:
    """Stored numbers and velocities of one pair."""
    pair = tree.pair[body]
    turn, point, omega, speed = frame
    base_turn, base_point, base_omega, base_speed = base
    constant = tree.turn[body].reshape(3, 3)
    relative = base_turn.T @ turn
    spin = turn.T @ (omega - base_omega)
    if pair in (SPHERICAL, SPHERICAL_ARMATURE):
        return quaternion, list(spin)
    if pair == FREE:
        return [*quaternion, *point], [*spin, *speed]
    if pair in (SO3XR3_PAIR, SE3_PAIR):
        axes = base_turn if pair == SO3XR3_PAIR else turn
        slip = speed - base_speed - crossed(base_omega, point - base_point)
        place = base_turn.T @ (point - base_point)
        return [*quaternion, *place], [*spin, *(axes.T @ slip)]
    moved = constant.T @ (base_turn.T @ (point - base_point) - tree.lever[body])
    carried = base_speed + crossed(base_omega, point - base_point)
    slip = constant.T @ (base_turn.T @ (speed - carried))
    about = constant.T @ relative
    turned = np.arctan2(about[1, 0] - about[0, 1], about[0, 0] + about[1, 1])
    if known["angle"] is not None:
        turned += 2 * np.pi * np.round((known["angle"] - turned) / (2 * np.pi))
    turned = better(turned, known["angle"])
    along = better(moved[2], known["displacement"])
    stored, rates = list[float](), list[float]()
    if turns_of(pair):
        stored += [float(turned), float(np.cos(turned)), float(np.sin(turned))]
        rates.append(spin[2])
    if is_flat(pair):
        stored += [moved[0], moved[1]]
        rates += [slip[0], slip[1]]
    if rises(pair):
        stored.append(along)
        rates.append(slip[2])
    return stored, rates


def better(measured: float, known: float | None) -> float:
    """A coordinate that is known, unless poses contradict it."""
    return known if known is not None and abs(known - measured) <= KNOWN else float(measured)
