"""Brackets of velocities in the algebra of a mechanism."""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import put3, put_twist, twist6, vec3
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.recursion.tree import PROPER, SPHERICAL
from chasles.core.retraction import bracket
from chasles.core.seam import on, seam
from chasles.groups.se3 import se3_bracket
from chasles.groups.vectors import cross


@seam
@routine
def put_bracket(mechanism: Any, a: Any, b: Any, out: Any) -> None:
    """out = [a, b], velocities (f,), in the groups of the charts."""
    system = mechanism.system
    for body in range(system.body_count):
        at, group = 6 * body, system.bodies.group[body]
        put_twist(out, at, bracket(group, twist6(a, at), twist6(b, at)))


@routine
def put_tree_bracket(mechanism: Any, a: Any, b: Any, out: Any) -> None:
    """The same on joint subgroups: only balls and bodies on SE(3) have any."""
    tree = mechanism.tree
    for k in range(tree.rate_count):
        out[k] = 0.0
    for body in range(tree.body_count):
        pair, k = tree.pair[body], tree.rate_at[body]
        if pair == PROPER:
            put_twist(out, k, se3_bracket(twist6(a, k), twist6(b, k)))
        elif pair >= SPHERICAL:
            put3(out, k, cross(vec3(a, k), vec3(b, k)))


for kind in (TreeMechanism, LoopMechanism):
    on(put_bracket, kind)(put_tree_bracket)
