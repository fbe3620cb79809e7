r"""Outward with multipliers: where X is known, so are those of the rows that end there.

$$ \lambda_r = (b_r - G_r\cdot X - \textstyle\sum_s E_{rs}\lambda_s)/d $$

Multipliers of rows that end on the ground come first, then, body after body, what those that ride
through its joint do to its coordinates, $\ddot q \mathrel{-}= D^{-1}V\lambda$, its motion, and the
multipliers of the rows that end on it.
"""

from typing import Any

from chasles.compiled import hot
from chasles.core.arrays import (
    put3,
    vec3,
)
from chasles.core.blocks.small import (
    backward3,
    backward6,
    get6,
    get_triangle6,
    scale3,
    scale6,
)
from chasles.core.recursion.accelerate import accelerate_body
from chasles.core.recursion.riding import dof_of
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    COLUMN,
    FREE,
    GAIN,
    PULL,
    ROW,
    SPHERICAL,
    triangle,
)
from chasles.groups.vectors import axpy, dot, sub

ZERO = (0.0, 0.0, 0.0)


@hot
def find_multipliers(loops: Any, room: Any, rows: Any, body: int) -> None:
    """lambda of the rows that end on a body whose motion is known (or on the ground)."""
    begin, end = loops.first_closing[body], loops.first_closing[body + 1]
    for k in range(end - begin):
        row = loops.closing[end - 1 - k]
        place = loops.closing_place[row]
        total = room.wanted[row]
        if place >= 0:
            at = body * ROW
            total -= dot(vec3(room.reach, 6 * place), vec3(rows, at + ALPHA))
            total -= dot(vec3(room.reach, 6 * place + 3), vec3(rows, at + ACCELERATION))
        for j in range(loops.first_later[row], loops.first_later[row + 1]):
            total -= room.values[loops.later_value[j]] * room.multipliers[loops.later[j]]
        room.multipliers[row] = total * room.inverses[row]


@hot
def feel_rows(tree: Any, loops: Any, room: Any, rows: Any, body: int) -> None:
    """What the multipliers of the rows that ride through it do to a joint's coordinates."""
    at, pair, first = body * ROW, tree.pair[body], loops.first_place[body]
    if pair >= FREE:
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for j in range(loops.riding[body]):
            x = get6(room.along, 6 * (first + j))
            m = room.multipliers[loops.place_row[first + j]]
            total = (
                total[0] + m * x[0], total[1] + m * x[1], total[2] + m * x[2],
                total[3] + m * x[3], total[4] + m * x[4], total[5] + m * x[5],
            )  # fmt: skip
        factor = get_triangle6(rows, at + COLUMN)
        y = backward6(factor, scale6(factor, total))
        put3(rows, at + ALPHA, sub(vec3(rows, at + ALPHA), (y[0], y[1], y[2])))
        put3(rows, at + ACCELERATION, sub(vec3(rows, at + ACCELERATION), (y[3], y[4], y[5])))
        return
    if pair == SPHERICAL:
        sums = ZERO
        for j in range(loops.riding[body]):
            m = room.multipliers[loops.place_row[first + j]]
            sums = axpy(m, vec3(room.along, 6 * (first + j)), sums)
        factor = triangle(rows, at + COLUMN)
        give = backward3(factor, scale3(factor, sums))
        put3(rows, at + PULL, sub(vec3(rows, at + PULL), give))
        return
    for slot in range(dof_of(pair)):
        felt = 0.0
        for j in range(loops.riding[body]):
            m = room.multipliers[loops.place_row[first + j]]
            felt += m * room.along[6 * (first + j) + slot]
        rows[at + PULL + slot] -= rows[at + GAIN + slot] * felt


@hot
def loop_outward(
    tree: Any, loops: Any, room: Any, rows: Any, down: Any, moving: Any, out: Any, first: int
) -> None:
    """Multipliers, and the rates of all velocities from out[first] on."""
    ground = tree.body_count
    for k in range(tree.body_count + 1):
        body = k - 1 if k > 0 else ground
        if body != ground:
            if loops.riding[body] > 0:
                feel_rows(tree, loops, room, rows, body)
            accelerate_body(tree, rows, body, down, moving, 0, out, first)
        if loops.first_closing[body] < loops.first_closing[body + 1]:
            find_multipliers(loops, room, rows, body)
