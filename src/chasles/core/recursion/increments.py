r"""By how much bodies turn and move while their pairs move by $q\exp(h\eta)$: from eta alone.

With E the turn of a body in the world, $R_1 = E R_0$, e that of its pair in the axes of the body,
r the lever from the base's point and D the slide of the pair, both at the start,

$$ E = E_b\,(R_0\,e\,R_0^T), \qquad \Delta P = \Delta P_b + (E_b - 1)(r + D) + D, \qquad
   \Delta r = \Delta P + (E - 1)\,R_0 c . $$

Turns are quaternions (w, u), and $(E - 1)\,l = 2 w\,u\times l + 2 u\times(u\times l)$: nothing is
the difference of two poses, so that all digits of eta are kept at any h.
"""

from typing import Any

import numpy as np

from chasles.compiled import formula, routine
from chasles.core.arrays import SE3_CODE, Integers, mat9, put3, put4, put_twist, vec3, vec4
from chasles.core.placed import pose_of
from chasles.core.recursion.tree import (
    FREE,
    LEVER,
    REVOLUTE,
    ROW,
    SE3_PAIR,
    SO3XR3_PAIR,
    SPHERICAL,
    TURN,
    Tree,
    axis_of,
    coordinates_of,
)
from chasles.groups.se3 import se3_exp
from chasles.groups.so3 import log_closed, log_series, so3_compose, so3_dexp_inv, so3_exp
from chasles.groups.vectors import ZERO, add, axpy, cross, dot, matvec, scale, tmatvec

STILL = (1.0, 0.0, 0.0, 0.0)
#: Per body: the turn E, and the shift of its joint's point.
SHIFT, PATH_WIDTH = 4, 7


@formula
def moved_by(turn: Any, lever: Any) -> Any:
    """(E - 1) l."""
    u = (turn[1], turn[2], turn[3])
    once = cross(u, lever)
    return scale(2.0, axpy(turn[0], once, cross(u, once)))


@routine
def turn_of_pair(tree: Any, rows: Any, body: int, eta: Any, length: float) -> Any:
    """The turn of a pair, in world axes at the start."""
    pair, v = tree.pair[body], tree.rate_at[body]
    if pair < REVOLUTE:
        return STILL
    spin = vec3(eta, v) if pair >= SPHERICAL else (0.0, 0.0, eta[v])
    e = so3_exp(scale(length, spin))
    x, y, z = matvec(mat9(rows, body * ROW + TURN), (e[1], e[2], e[3]))
    return e[0], x, y, z


@routine
def slide_of_pair(tree: Any, rows: Any, body: int, eta: Any, length: float) -> Any:
    """D: the slide of a pair along axes of its base, in the world at the start."""
    at, pair, v = body * ROW, tree.pair[body], tree.rate_at[body]
    if pair < FREE:
        slide = ZERO
        for slot in range(coordinates_of(pair) if pair < SPHERICAL else 0):
            slide = axpy(eta[v + slot], axis_of(tree, rows, body, pair, slot)[1], slide)
        return scale(length, slide)
    slide = scale(length, vec3(eta, v + 3))
    if pair == SE3_PAIR:
        shift = se3_exp((scale(length, vec3(eta, v)), slide))[1]
        return matvec(mat9(rows, at + TURN), shift)
    if pair == SO3XR3_PAIR and tree.base[body] >= 0:
        return matvec(mat9(rows, tree.base[body] * ROW + TURN), slide)
    return slide


@routine
def put_paths(tree: Any, rows: Any, eta: Any, length: float, paths: Any) -> None:
    """(n, PATH_WIDTH) of all bodies, after `kinematics` at the start."""
    for body in range(tree.body_count):
        base, into = tree.base[body], PATH_WIDTH * body
        turn = turn_of_pair(tree, rows, body, eta, length)
        shift = slide_of_pair(tree, rows, body, eta, length)
        if base >= 0:
            carried = vec4(paths, PATH_WIDTH * base)
            lever = add(vec3(rows, body * ROW + LEVER), shift)
            shift = add(
                add(shift, vec3(paths, PATH_WIDTH * base + SHIFT)), moved_by(carried, lever)
            )
            turn = so3_compose(carried, turn)
        put4(paths, into, turn)
        put3(paths, into + SHIFT, shift)


@formula
def turned_by(w: Any, u: Any) -> Any:
    """The rotation vector of a turn of less than 2 pi, the long way round where w < 0."""
    n = dot(u, u)
    if n < 1e-4 and w > 0.0:
        return scale(log_series(w, n), u)
    if n == 0.0:
        return ZERO
    return scale(log_closed(w, n), u)


def on_own_group(tree: Tree, groups: Integers) -> Integers:
    """(n,) 1 for bodies whose pair moves their centres of mass in their groups, as a body alone."""
    proper = (tree.pair == SE3_PAIR) & (groups == SE3_CODE)
    free = (tree.pair == FREE) & (groups != SE3_CODE)
    alone = (tree.base < 0) & ~tree.centre.any(axis=1)
    return (alone & (proper | free)).astype(np.int64)


@routine
def put_own_twist(mechanism: Any, scheme: Any, body: int) -> None:
    """xi of such a body: eta, in its own axes."""
    k, axes = mechanism.tree.rate_at[body], mat9(mechanism.tree.axes, 9 * body)
    slide = vec3(scheme.mean, k + 3)
    if mechanism.system.bodies.group[body] == SE3_CODE:
        slide = matvec(axes, slide)
    put_twist(scheme.twists, 6 * body, (matvec(axes, vec3(scheme.mean, k)), slide))


@routine
def put_mean_twists(mechanism: Any, workspace: Any, scheme: Any, length: float) -> None:
    r"""Constant velocities $\xi$ that lead bodies where eta leads the pairs, in their groups.

    $C_1 = C_0\exp(h\xi)$ on SE(3), $(R_1, r_1) = (R_0\exp(h\xi_w), r_0 + h\xi_v)$ on SO(3)xR3, at
    the centre of mass; spins, and on SE(3) slides, in the axes of the body.  Where the pair is that
    group itself, xi is eta to the last bit.
    """
    tree, rows, paths = mechanism.tree, mechanism.tree_work.rows, scheme.paths
    put_paths(tree, rows, scheme.mean, length, paths)
    for body in range(tree.body_count):
        if scheme.own_group[body] != 0:
            put_own_twist(mechanism, scheme, body)
            continue
        own = pose_of(workspace.absolute, body)[0]
        turn = vec4(paths, PATH_WIDTH * body)
        spin = turned_by(turn[0], tmatvec(own, (turn[1], turn[2], turn[3])))
        arm = matvec(mat9(rows, body * ROW + TURN), vec3(tree.centre, 3 * body))
        slide = add(vec3(paths, PATH_WIDTH * body + SHIFT), moved_by(turn, arm))
        if mechanism.system.bodies.group[body] == SE3_CODE:
            slide = so3_dexp_inv(spin, tmatvec(own, slide))
        twist = (scale(1.0 / length, spin), scale(1.0 / length, slide))
        put_twist(scheme.twists, 6 * body, twist)
