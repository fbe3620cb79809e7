r"""Past points in one chart about the new one.

$\theta_i = \log(q_{n+1}^{-1} q_{n+1-i})$ are coordinates of the motion so far in a chart that is
centred where the step ends; there $\dot\theta = v$ exactly, so that any formula of numerical
differentiation keeps its order:

$$ \sum_{i\ge1} w_i\,\theta_i = v_{n+1} . $$
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, formula, routine
from chasles.core.arrays import Floats, Integers, clear, copy, put3, put_twist, twist6, vec3, vec4
from chasles.core.recursion.tree import FREE, SE3_PAIR, SPHERICAL, coordinates_of, place_in_pair
from chasles.groups.se3 import se3_bracket, se3_compose, se3_inverse, se3_log
from chasles.groups.so3 import so3_compose, so3_inverse, so3_log
from chasles.groups.vectors import cross, sub


class PastPoints(NamedTuple):
    """Points that were passed, the last one first, and weights of a derivative at the new one."""

    points: Floats  # (k, kept)
    weights: Floats  # (k + 1,) that of the new point first, 1/s
    known: Integers  # (1,) how many points count
    kept: int


def make_past_points(mechanism: Any, count: int) -> PastPoints:
    """Room for so many points."""
    kept = mechanism.layout.kept
    return PastPoints(np.zeros((count, kept)), np.zeros(count + 1), np.zeros(1, np.int64), kept)


@formula
def turn_between(a: Any, b: Any) -> Any:
    """log(a^-1 b) of two quaternions."""
    return so3_log(so3_compose(so3_inverse(a), b))


@routine
def put_difference(mechanism: Any, start: Any, end: Any, out: Any) -> None:
    """log(start^-1 end) of two points (f,), pair by pair."""
    tree = mechanism.tree
    for body in range(tree.body_count):
        pair, q, k = tree.pair[body], tree.stored_at[body], tree.rate_at[body]
        if pair == SE3_PAIR:
            a, b = (vec4(start, q), vec3(start, q + 4)), (vec4(end, q), vec3(end, q + 4))
            put_twist(out, k, se3_log(se3_compose(se3_inverse(a), b)))
        elif pair >= SPHERICAL:
            put3(out, k, turn_between(vec4(start, q), vec4(end, q)))
            if pair >= FREE:
                put3(out, k + 3, sub(vec3(end, q + 4), vec3(start, q + 4)))
        else:
            for slot in range(coordinates_of(pair)):
                at = q + place_in_pair(pair, slot)
                out[k + slot] = end[at] - start[at]


@routine
def past_residual(mechanism: Any, past: Any, point: Any, spare: Any, out: Any) -> None:
    r"""$(v_{n+1} - \sum w_i\theta_i)/w_0$ at a point (f,)."""
    count = mechanism.tree.rate_count
    copy(beyond(point, mechanism.tree.stored_count), out, count)
    for i in range(past.known[0]):
        put_difference(mechanism, point, beyond(past.points, i * past.kept), spare)
        for k in range(count):
            out[k] -= past.weights[i + 1] * spare[k]
    for k in range(count):
        out[k] = 0.0 if mechanism.tree.driven[k] >= 0 else out[k] / past.weights[0]


@routine
def put_bracket(mechanism: Any, a: Any, b: Any, out: Any) -> None:
    """out = [a, b], velocities (f,): only rotations of three axes and SE(3) have any."""
    tree = mechanism.tree
    clear(out, tree.rate_count)
    for body in range(tree.body_count):
        pair, k = tree.pair[body], tree.rate_at[body]
        if pair == SE3_PAIR:
            put_twist(out, k, se3_bracket(twist6(a, k), twist6(b, k)))
        elif pair >= SPHERICAL:
            put3(out, k, cross(vec3(a, k), vec3(b, k)))
