"""States of a tree from absolute poses and twists, pair by pair."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    TWIST,
    Floats,
)
from chasles.core.recursion.tree import (
    CYLINDRICAL,
    FIXED,
    FREE,
    GEARED,
    HELICAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    Tree,
)
from chasles.groups.so3 import so3_from_matrix


def state_of(tree: Tree, absolute: Floats, angles: Mapping[int, float] | None = None) -> Floats:
    """The state (q + v,) of absolute rows (n, 18): the inverse of `place`.

    `angles` gives unwrapped angles by body; others are within half a turn.
    """
    state = np.zeros(tree.stored_count + tree.rate_count)
    frames = [frame_of(tree, absolute, body) for body in range(tree.body_count)]
    ground = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    for body in range(tree.body_count):
        parent = tree.parent[body]
        stored, rates = relative_state(
            tree, body, frames[body], frames[parent] if parent >= 0 else ground,
            (angles or {}).get(body),
        )  # fmt: skip
        q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
        state[q : q + len(stored)] = stored
        state[v : v + len(rates)] = rates
    return state


def frame_of(tree: Tree, absolute: Floats, body: int) -> tuple[Floats, Floats, Floats, Floats]:
    """(R, P, omega, dP/dt) of a body's working frame in the world."""
    row = absolute[body].reshape(ABSOLUTE_WIDTH)
    own = row[POSE_R : POSE_R + 9].reshape(3, 3)
    turn = own @ tree.axes[body].reshape(3, 3)
    arm = turn @ tree.centre[body]
    omega, velocity = own @ row[TWIST : TWIST + 3], own @ row[TWIST + 3 : TWIST + 6]
    return turn, row[POSE_X : POSE_X + 3] - arm, omega, velocity - np.cross(omega, arm)


def relative_state(
    tree: Tree, body: int, frame: Any, base: Any, angle: float | None
) -> tuple[list[float], list[float]]:
    """Stored numbers and velocities of one pair."""
    pair = tree.pair[body]
    turn, point, omega, speed = frame
    base_turn, base_point, base_omega, base_speed = base
    constant = tree.turn[body].reshape(3, 3)
    relative = base_turn.T @ turn
    spin = turn.T @ (omega - base_omega)
    if pair in (SPHERICAL, GEARED, FREE):
        quaternion = list(so3_from_matrix(tuple(relative.ravel().tolist())))
        if pair == FREE:
            return [*quaternion, *point], [*spin, *speed]
        return quaternion, list(spin)
    moved = constant.T @ (base_turn.T @ (point - base_point) - tree.lever[body])
    carried = base_speed + np.cross(base_omega, point - base_point)
    slip = constant.T @ (base_turn.T @ (speed - carried))
    about = constant.T @ relative
    turned = np.arctan2(about[1, 0] - about[0, 1], about[0, 0] + about[1, 1])
    if angle is not None:
        turned += 2 * np.pi * np.round((angle - turned) / (2 * np.pi))
    whole = [float(turned), float(np.cos(turned)), float(np.sin(turned))]
    if pair == FIXED:
        return [], []
    if pair == PRISMATIC:
        return [moved[2]], [slip[2]]
    if pair in (REVOLUTE, HELICAL):
        return whole, [spin[2]]
    if pair == CYLINDRICAL:
        return [*whole, moved[2]], [spin[2], slip[2]]
    assert pair == PLANAR
    return [*whole, moved[0], moved[1]], [spin[2], slip[0], slip[1]]
