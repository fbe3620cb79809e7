r"""Angles with whole turns: hinges count while the bodies move, so that any states may be saved.

About a hinge, which keeps its axis in both bodies,

$$ \dot q = z_b\cdot\omega_b - z_a\cdot\omega_a , $$

everything in body frames: ten operations.  It is integrated along; poses tell the angle itself, up
to whole turns, and the integral says which.
"""

from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST, vec3
from chasles.core.assemble import opening_of
from chasles.core.rows import nearest_turn, turn_about_axis
from chasles.groups.vectors import dot
from chasles.scalars.elementary import pick

#: Counts this far from the angle (rad) are corrected; a sixth of what would miscount, so that
#: the books of an ordinary run are not touched.
ASTRAY = 0.5


@formula
def spin_along(axes: Any, index: int, absolute: Any, body: int) -> Any:
    """Angular velocity of a body along z of a frame that it carries; the ground has none."""
    if body < 0:
        return 0.0
    z = (axes[9 * index + 2], axes[9 * index + 5], axes[9 * index + 8])
    return dot(z, vec3(absolute, body * ABSOLUTE_WIDTH + TWIST))


@hot
def put_turn_rates(system: Any, scratch: Any) -> None:
    """The rates of all counted angles, at the bodies placed in scratch."""
    hinges, joints = system.hinges, system.joints
    for k in range(hinges.count):
        joint = hinges.joint[k]
        rate = spin_along(joints.axes_b, joint, scratch.absolute, joints.b[joint])
        rate -= spin_along(joints.axes_a, joint, scratch.absolute, joints.a[joint])
        scratch.quadrature_rates[hinges.first + k] = hinges.sign[k] * rate


@formula
def turn_of(parts: Any, index: int, absolute: Any) -> Any:
    """The angle of a joint or force between its frames, within half a turn."""
    return turn_about_axis(opening_of(parts, index, absolute)[0])


@formula
def settled(measured: Any, counted: Any) -> Any:
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
        integrals[at] = settled(hinges.sign[k] * angle, integrals[at])
    for force in range(system.force_count):
        at = forces.angle[force]
        if at >= 0:
            integrals[at] = settled(turn_of(forces, force, absolute), integrals[at])
