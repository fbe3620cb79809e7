r"""How forces give way: what a small displacement and a small velocity change of their wrenches.

A force between bodies a and b sees, in the axes of b at its centre of mass, the displacement
$w = V_b - X V_a$ of b against a (X carries a twist of a to b), and answers with

$$ \delta F_b = -(K w + D\dot w), \qquad \delta F_a = -X^T \delta F_b, $$

K and D being differences of its wrench when b alone is displaced or moved a little: any kind of
force, a user's as well.  In the matrix that is factored they are made symmetric, and what is
negative in them (a spring that is compressed gives way sideways) is cut off, so that
$M + \gamma h D + (\gamma h)^2 K$ stays positive; what is left of them is iterated for.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, formula, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats, put3, put9, vec3
from chasles.core.assemble import pose_of, twist_of
from chasles.core.forces.registry import add_force_wrench
from chasles.groups.so3 import so3_exp, so3_matrix
from chasles.groups.vectors import add, cross, matmul, matvec, neg, sub, tmatvec
from chasles.scalars.elementary import sqrt

#: Displacements (m, rad) and velocities (m/s, rad/s) that are small to any force, and large beside
#: the rounding of poses: half of the digits of a difference are right.
NUDGE, PUSH = 1e-7, 1e-6
#: Pivots below this fraction of the first are rounding.
NOTHING = 1e-10
SIZE = 36


class Softness(NamedTuple):
    """K and D of all forces, and what a step makes of them."""

    moved: Any  # (f,) body b, which is displaced, or -1
    base: Any  # (f,) body a, or -1
    stiffness: Floats  # (f, 36)
    damping: Floats  # (f, 36)
    positive: Floats  # (f, 36) the symmetric and positive part of gamma h D + (gamma h)^2 K
    factor: Floats  # (f, 36) rows l, the sum of whose l l^T it is
    spare: Floats  # (36,)
    wrench: Floats  # (6,)
    count: int  # f


def make_softness(system: Any) -> Softness:
    """Storage for the forces of a model."""
    forces, count = system.forces, system.force_count
    moved = np.where(forces.b >= 0, forces.b, forces.a)[:count]
    base = np.where(forces.b >= 0, forces.a, -1)[:count]
    return Softness(
        moved=np.ascontiguousarray(moved, np.int64),
        base=np.ascontiguousarray(base, np.int64),
        stiffness=np.zeros((count, SIZE)),
        damping=np.zeros((count, SIZE)),
        positive=np.zeros((count, SIZE)),
        factor=np.zeros((count, SIZE)),
        spare=np.zeros(SIZE),
        wrench=np.zeros(6),
        count=count,
    )


# --- differences ---


@routine
def wrench_on(system: Any, work: Any, index: int, body: int) -> None:
    """The wrench of one force on a body at the placed bodies, into its place in work.rhs."""
    for c in range(6):
        work.rhs[6 * body + c] = 0.0
    add_force_wrench(system.forces.kind[index], system, index, work)


@routine
def put_column(work: Any, body: int, before: Any, nudge: float, column: int, out: Any) -> None:
    """A column of -K or -D, with the sign turned: forces resist."""
    for c in range(6):
        out[6 * c + column] = (before[c] - work.rhs[6 * body + c]) / nudge


@routine
def differentiate(
    system: Any, work: Any, index: int, soft: Any, stiffness: Any, damping: Any
) -> None:
    """K and D of a force at the placed bodies, which stay as they are."""
    body = soft.moved[index]
    at, before = body * ABSOLUTE_WIDTH, soft.wrench
    wrench_on(system, work, index, body)
    for c in range(6):
        before[c] = work.rhs[6 * body + c]
    for c in range(6):
        kept = work.absolute[at + TWIST + c]
        work.absolute[at + TWIST + c] = kept + PUSH
        wrench_on(system, work, index, body)
        put_column(work, body, before, PUSH, c, damping)
        work.absolute[at + TWIST + c] = kept
    turn, place = pose_of(work.absolute, body)
    for c in range(6):
        nudge = (
            NUDGE if c % 3 == 0 else 0.0, NUDGE if c % 3 == 1 else 0.0, NUDGE if c % 3 == 2 else 0.0
        )  # fmt: skip
        if c < 3:
            put9(work.absolute, at + POSE_R, matmul(turn, so3_matrix(so3_exp(nudge))))
        else:
            put3(work.absolute, at + POSE_X, add(place, matvec(turn, nudge)))
        wrench_on(system, work, index, body)
        put_column(work, body, before, NUDGE, c, stiffness)
        put9(work.absolute, at + POSE_R, turn)
        put3(work.absolute, at + POSE_X, place)


# --- positive parts ---


@routine
def factor_rows(matrix: Any, out: Any) -> None:
    """Rows l with the sum of l l^T = the symmetric part of a matrix, where that is positive.

    Cholesky's method, the largest pivot first; it ends where no pivot is left.  In a positive
    matrix no entry is larger than the root of the product of its pivots: those of others are cut.
    The matrix is used up.
    """
    for i in range(6):
        for j in range(i):
            mean = 0.5 * (matrix[6 * i + j] + matrix[6 * j + i])
            matrix[6 * i + j], matrix[6 * j + i] = mean, mean
    first = 0.0
    for row in range(6):
        best, pivot = 0, 0.0
        for i in range(6):
            if matrix[7 * i] > pivot:
                best, pivot = i, matrix[7 * i]
        first = pivot if row == 0 else first
        for i in range(6):
            out[6 * row + i] = 0.0
        if not pivot > NOTHING * first:
            continue
        root = sqrt(pivot)
        for i in range(6):
            own = matrix[7 * i]
            if own > 0.0:
                limit = sqrt(own * pivot)
                out[6 * row + i] = min(max(matrix[6 * best + i], -limit), limit) / root
        for i in range(6):
            for j in range(6):
                matrix[6 * i + j] -= out[6 * row + i] * out[6 * row + j]
        for i in range(6):  # exactly, so that it is not chosen again
            matrix[6 * i + best], matrix[6 * best + i] = 0.0, 0.0


@routine
def add_positive(
    matrix: Any, factor: float, spare: Any, rows: Any, out: Any, before: float
) -> None:
    """out = before * out + factor * the positive part of a matrix."""
    for k in range(SIZE):
        spare[k] = matrix[k]
    factor_rows(spare, rows)
    for i in range(6):
        for j in range(6):
            total = 0.0
            for row in range(6):
                total += rows[6 * row + i] * rows[6 * row + j]
            out[6 * i + j] = before * out[6 * i + j] + factor * total


@routine
def soften(system: Any, work: Any, soft: Any, reach: float) -> None:
    """K and D of all forces at the placed bodies, and their rows for gamma h = `reach`."""
    for index in range(soft.count):
        at = SIZE * index
        if soft.moved[index] < 0:
            continue
        stiffness, damping = beyond(soft.stiffness, at), beyond(soft.damping, at)
        rows = beyond(soft.factor, at)
        differentiate(system, work, index, soft, stiffness, damping)
        positive = beyond(soft.positive, at)
        add_positive(stiffness, reach * reach, soft.spare, rows, positive, 0.0)
        add_positive(damping, reach, soft.spare, rows, positive, 1.0)
        for k in range(SIZE):
            soft.spare[k] = positive[k]
        factor_rows(soft.spare, rows)


# --- from one body to the other ---


@formula
def carried_twist(absolute: Any, a: int, b: int, twist: Any) -> Any:
    """A twist of body a as body b would have it, were it fixed to a."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    spin, arm = matvec(turn_a, twist[0]), sub(place_b, place_a)
    speed = add(matvec(turn_a, twist[1]), cross(spin, arm))
    return tmatvec(turn_b, spin), tmatvec(turn_b, speed)


@formula
def felt_by(absolute: Any, a: int, b: int, wrench: Any) -> Any:
    """What body a feels where b feels a wrench: the opposite, about its own centre of mass."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    force = matvec(turn_b, wrench[1])
    torque = add(matvec(turn_b, wrench[0]), cross(sub(place_b, place_a), force))
    return neg(tmatvec(turn_a, torque)), neg(tmatvec(turn_a, force))


@formula
def relative_to_base(absolute: Any, placed: Any, a: int, b: int) -> Any:
    """w of bodies that stand as in `absolute` and move as in `placed`."""
    own = twist_of(placed, b)
    if a < 0:
        return own
    other = carried_twist(absolute, a, b, twist_of(placed, a))
    return sub(own[0], other[0]), sub(own[1], other[1])


@routine
def add_resistance(
    soft: Any, matrices: Any, sign: float, absolute: Any, placed: Any, out: Any
) -> None:
    """sign * K w (or D w) of all forces on both bodies, added to the wrenches in `out` (n, 6)."""
    for index in range(soft.count):
        a, b = soft.base[index], soft.moved[index]
        if b >= 0:
            w = relative_to_base(absolute, placed, a, b)
            six = w[0] + w[1]
            for c in range(6):
                total = 0.0
                for k in range(6):
                    total += sign * matrices[SIZE * index + 6 * c + k] * six[k]
                soft.wrench[c] = total
                out[6 * b + c] += total
            if a >= 0:
                wrench = (vec3(soft.wrench, 0), vec3(soft.wrench, 3))
                torque, force = felt_by(absolute, a, b, wrench)
                put3(out, 6 * a, add(vec3(out, 6 * a), torque))
                put3(out, 6 * a + 3, add(vec3(out, 6 * a + 3), force))
