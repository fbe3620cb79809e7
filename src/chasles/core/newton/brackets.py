"""Brackets of velocities in the algebra of a mechanism."""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import put3, put_twist, twist6, vec3
from chasles.core.recursion.tree import PROPER, SPHERICAL
from chasles.groups.se3 import se3_bracket
from chasles.groups.vectors import cross


@routine
def put_bracket(mechanism: Any, a: Any, b: Any, out: Any) -> None:
    """out = [a, b], velocities (f,): only rotations of three axes and SE(3) have any."""
    tree = mechanism.tree
    for k in range(tree.rate_count):
        out[k] = 0.0
    for body in range(tree.body_count):
        pair, k = tree.pair[body], tree.rate_at[body]
        if pair == PROPER:
            put_twist(out, k, se3_bracket(twist6(a, k), twist6(b, k)))
        elif pair >= SPHERICAL:
            put3(out, k, cross(vec3(a, k), vec3(b, k)))
