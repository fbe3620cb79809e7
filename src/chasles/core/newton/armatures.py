r"""The whole Newton matrix of a tree: bodies are placed for it, and rotors take part.

An armature is an inertia along a coordinate: with $\dot q = r\cdot V$ the rate of the coordinate as
a row on the twists of two bodies, it adds $I_r\,r r^T$ to the mass matrix.
"""

from typing import Any

from chasles.compiled import hot, routine
from chasles.core.arrays import ABSOLUTE_WIDTH
from chasles.core.newton.rows import motion_in_world, put_rates
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.recursion.tree import coordinates_of

ZERO = (0.0, 0.0, 0.0)


@hot
def settle_places(mechanism: Any, scratch: Any, room: Any, point: Any) -> None:
    """Bodies of the stage at `point` are placed in scratch, and in room."""
    kinematics(mechanism.tree, point, room.places)
    place(mechanism.tree, point, room.places, scratch.absolute)
    for k in range(ABSOLUTE_WIDTH * mechanism.tree.body_count):
        room.absolute[k] = scratch.absolute[k]


@routine
def put_rate_row(tree: Any, room: Any, body: int, slot: int, out: Any) -> None:
    """The rate of a coordinate as a row (12,) on the twists of a body and of its base.

    Into out, where room for six more numbers follows.
    """
    base = tree.base[body]
    for side in range(2):
        moving = body if side == 0 else base
        for c in range(6):
            out[6 * side + c] = 0.0
            if moving >= 0:
                for k in range(6):
                    room.twists[6 * moving + k] = 1.0 * (k == c)
                motion = motion_in_world(tree, room, room.twists, moving)
                still = (ZERO, ZERO)
                if side == 0:
                    put_rates(tree, room, body, motion, still, out, 12)
                else:
                    put_rates(tree, room, body, still, motion, out, 12)
                out[6 * side + c] = out[12 + slot]


@hot
def load_armatures(mechanism: Any, newton: Any, room: Any) -> None:
    r"""Rotors: $I_r$ times the square of every coordinate's row."""
    tree, row = mechanism.tree, newton.tangents.block
    for body in range(tree.body_count):
        k, base = tree.rate_at[body], tree.base[body]
        for slot in range(coordinates_of(tree.pair[body])):
            inertia = tree.armature[k + slot]
            if inertia == 0.0:
                continue
            put_rate_row(tree, room, body, slot, row)
            for r in range(6):
                for c in range(6):
                    newton.values[newton.own[body] + 6 * r + c] += inertia * row[r] * row[c]
                    if base >= 0:
                        own = newton.own[base] + 6 * r + c
                        newton.values[own] += inertia * row[6 + r] * row[6 + c]
                        below, above = newton.based[2 * body], newton.based[2 * body + 1]
                        newton.values[below + 6 * r + c] += inertia * row[r] * row[6 + c]
                        newton.values[above + 6 * r + c] += inertia * row[6 + r] * row[c]


@hot
def feel_armatures(mechanism: Any, newton: Any, room: Any, rates: Any) -> None:
    """What rotors take of M E, for rates of coordinates; room.twists is overwritten."""
    tree, row = mechanism.tree, newton.tangents.block
    for body in range(tree.body_count):
        k, base = tree.rate_at[body], tree.base[body]
        for slot in range(coordinates_of(tree.pair[body])):
            effort = tree.armature[k + slot] * rates[k + slot]
            if effort == 0.0:
                continue
            put_rate_row(tree, room, body, slot, row)
            for c in range(6):
                newton.column[6 * body + c] += effort * row[c]
                if base >= 0:
                    newton.column[6 * base + c] += effort * row[6 + c]
