r"""Rolling without slipping: where b touches the plane of a, both bodies have one velocity.

$$ e_k\cdot(\dot x_b - \dot x_a) = 0, \qquad k = x, y, z, $$

e the axes of A, z the normal of the plane, and x the point p of contact.  Only the row along the
normal is the rate of a position, the height of b above the plane.
"""

from dataclasses import replace
from typing import Any

from chasles.compiled import formula, once, routine
from chasles.core.constraints.rows import ZERO, joint_motion, put_space_row
from chasles.core.kinds import METRE, NOTHING, ConstraintKind, Gap, JointEntry, Opening
from chasles.core.placed import column, point_in_world, point_velocity
from chasles.groups.vectors import add, axpy, cross, dot, matvec, neg, scale, sub, tmatvec
from chasles.model import Model, RollingDisc, RollingSphere
from chasles.scalars.elementary import sqrt
from chasles.spaces.frames import Frames, frame_along, joint_frames


@formula
def disc_contact(normal: Any, normal_rate: Any, radius: Any, axis: Any, axis_rate: Any) -> Any:
    r"""From the centre of a thin disc to where it touches a plane, and its rate.

    $$c = r\,\bigl((n\cdot a)\,a - n\bigr)/s, \qquad s^2 = 1 - (n\cdot a)^2$$

    with the normal n and the disc's axis a; s vanishes where the disc lies flat.
    """
    lean = dot(normal, axis)
    lean_rate = dot(normal_rate, axis) + dot(normal, axis_rate)
    s = sqrt(1.0 - lean * lean)
    down = axpy(lean, axis, neg(normal))
    down_rate = sub(add(scale(lean_rate, axis), scale(lean, axis_rate)), normal_rate)
    s_rate = -lean * lean_rate / s
    rate = scale(radius / s, sub(down_rate, scale(s_rate / s, down)))
    return scale(radius / s, down), rate


@formula
def sphere_above_plane(radius: Any, turn: Any, shift: Any) -> Any:
    """How far a sphere is above a plane."""
    return shift[2] - radius


@formula
def disc_above_plane(radius: Any, turn: Any, shift: Any) -> Any:
    r"""How far the rim of a thin disc is above a plane: $h - r\sqrt{1 - (n\cdot a)^2}$."""
    return shift[2] - radius * sqrt(1.0 - turn[8] * turn[8])


@formula
def rolling_eta(direction: Any, omegas: Any, travel: Any, slip: Any) -> Any:
    r"""Eta of $e\cdot(\dot x_b - \dot x_a) = 0$ at the point p where b touches a, e an axis of a:

    $$-e\cdot\bigl((\omega_b-\omega_a)\times\dot p\bigr)
      - (\omega_a\times e)\cdot(\dot x_b-\dot x_a)$$

    p travels on both bodies: $\dot p = \dot r_b + \dot c$, while $\dot x_b$ and $\dot x_a$ are the
    velocities of the bodies at p.
    """
    turning = cross(sub(omegas[1], omegas[0]), travel)
    return -dot(direction, turning) - dot(cross(omegas[0], direction), slip)


@routine
def put_rolling_rows(
    motion: Any, contact: Any, contact_rate: Any, first: int, jacobian: Any, eta: Any
) -> None:
    """Three rows from the centre of b to the contact, and its rate."""
    poses, twists, axes, omegas, _, _ = motion
    touching = add(poses[1][1], contact)
    levers = (tmatvec(poses[0][0], sub(touching, poses[0][1])), tmatvec(poses[1][0], contact))
    slip = sub(
        point_velocity(poses[1], twists[1], levers[1]),
        point_velocity(poses[0], twists[0], levers[0]),
    )
    travel = add(matvec(poses[1][0], twists[1][1]), contact_rate)
    for k in range(3):
        direction = column(axes[0], k)
        value = rolling_eta(direction, omegas, travel, slip)
        put_space_row(jacobian, eta, first + k, ZERO, direction, poses, levers, value)


@once
def sphere_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """From its centre to where it touches the plane: $c = -r n$."""
    motion = joint_motion(system, joint, absolute)
    normal, radius = column(motion[2][0], 2), system.joints.constant[joint]
    contact, rate = scale(-radius, normal), scale(-radius, cross(motion[3][0], normal))
    put_rolling_rows(motion, contact, rate, system.joints.first_row[joint], jacobian, eta)


@once
def disc_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """NaN where the disc fell flat: nothing would be right.

    Without a branch, since linearisation runs it for several discs at once.
    """
    motion = joint_motion(system, joint, absolute)
    poses, _, axes, omegas, points, _ = motion
    normal, axis, radius = column(axes[0], 2), column(axes[1], 2), system.joints.constant[joint]
    turning, leaning = cross(omegas[0], normal), cross(omegas[1], axis)
    contact, rate = disc_contact(normal, turning, radius, axis, leaning)
    height = dot(normal, sub(poses[1][1], point_in_world(poses[0], points[0])))
    root = sqrt(height)  # NaN below the plane
    rate = scale(root / root, rate)  # and at it
    put_rolling_rows(motion, contact, rate, system.joints.first_row[joint], jacobian, eta)


@once
def sphere_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    out[row + 2] = -sphere_above_plane(system.joints.constant[joint], turn, shift)


@once
def disc_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    out[row + 2] = -disc_above_plane(system.joints.constant[joint], turn, shift)


def sphere_gap(opening: Opening) -> Gap:
    height = sphere_above_plane(opening.constant, opening.turn, opening.shift)
    return NOTHING, (0.0, 0.0, height)


def disc_gap(opening: Opening) -> Gap:
    return NOTHING, (0.0, 0.0, disc_above_plane(opening.constant, opening.turn, opening.shift))


def centred(joint: RollingSphere | RollingDisc, model: Model) -> Frames:
    """The plane's frame on a; the wheel's is at its centre."""
    return joint_frames(joint)._replace(point_b=model.body(joint.b).position)


def sphere_entry(joint: RollingSphere, model: Model) -> JointEntry:
    return JointEntry(centred(joint, model), joint.radius)


def disc_entry(joint: RollingDisc, model: Model) -> JointEntry:
    frames = centred(joint, model)._replace(axes_b=frame_along(joint.axis_b))
    return JointEntry(frames, joint.radius)


ROLLING_SPHERE = ConstraintKind(
    name="rollingsphere",
    made_of=(RollingSphere,),
    entry=sphere_entry,
    rows=sphere_rows,
    residual=sphere_residual,
    gap=sphere_gap,
    units=(METRE, METRE, METRE),
    measured=(2,),
    rolling=(0, 1),
    axes_on_a=True,
)
ROLLING_DISC = replace(
    ROLLING_SPHERE,
    name="rollingdisc",
    made_of=(RollingDisc,),
    entry=disc_entry,
    rows=disc_rows,
    residual=disc_residual,
    gap=disc_gap,
)
