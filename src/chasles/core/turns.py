r"""Angles with whole turns: hinges count while the bodies move, so that any states may be saved.

About a hinge, which keeps its axis z in both bodies,

$$ \dot q = z\cdot(\omega_b - \omega_a) . $$

It is integrated along; poses tell the angle itself, up to whole turns, and the integral says which.
"""

from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import mat9, vec3
from chasles.core.assemble import opening_of
from chasles.core.recursion.kinematics import third
from chasles.core.recursion.tree import OMEGA, ROW, TURN
from chasles.core.rows import nearest_turn, turn_about_axis
from chasles.groups.vectors import dot, matvec, tmatvec
from chasles.scalars.elementary import pick

#: Counts this far from the angle (rad) are corrected; a sixth of what would miscount, so that
#: the books of an ordinary run are not touched.
ASTRAY = 0.5


@hot
def put_turn_rates(mechanism: Any, rates: Any) -> None:
    """The rates of all counted angles among those of the integrals, after `kinematics`."""
    tree, rows, joints = mechanism.tree, mechanism.tree_work.rows, mechanism.system.joints
    hinges = mechanism.system.hinges
    for k in range(hinges.count):
        joint = hinges.joint[k]
        a, b = joints.a[joint], joints.b[joint]
        z = third(mat9(joints.axes_b, 9 * joint))
        z = matvec(mat9(rows, b * ROW + TURN), tmatvec(mat9(tree.axes, 9 * b), z))
        rate = dot(z, vec3(rows, b * ROW + OMEGA))
        if a >= 0:
            rate -= dot(z, vec3(rows, a * ROW + OMEGA))
        rates[hinges.first + k] = hinges.sign[k] * rate


@formula
def turn_of(parts: Any, index: int, absolute: Any) -> Any:
    """The angle of a joint or force between its frames, within half a turn."""
    return turn_about_axis(opening_of(parts, index, absolute)[0])


@formula
def nearest_angle(measured: Any, counted: Any) -> Any:
    """The angle of the poses nearest to a count, or the count where that is near enough."""
    angle = nearest_turn(measured, counted)
    return pick(abs(angle - counted) > ASTRAY, angle, counted)


@routine
def settle_turns(system: Any, absolute: Any, integrals: Any) -> None:
    """Let counts that have gone astray be the angles of the poses, before they miscount a turn.

    The errors of the integral add up; between two looks they would have to reach 2.6 rad.
    """
    hinges, forces = system.hinges, system.forces
    for k in range(hinges.count):
        at, angle = hinges.first + k, turn_of(system.joints, hinges.joint[k], absolute)
        integrals[at] = nearest_angle(hinges.sign[k] * angle, integrals[at])
    for force in range(system.force_count):
        at = forces.angle[force]
        if at >= 0:
            integrals[at] = nearest_angle(turn_of(forces, force, absolute), integrals[at])
