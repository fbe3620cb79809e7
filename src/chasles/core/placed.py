r"""Formulas of placed bodies: frames of joints on them, rows of joints, inertia and gravity.

A joint has a frame A on body a and a frame B on body b, z along its axis.  Its rows lock components
of the relative twist of B against A.  Every row is a pair of directions (alpha, beta),

$$ \alpha\cdot(\omega_b-\omega_a) + \beta\cdot(\dot x_b - \dot x_a^*) = 0, $$

with $x_b$ the origin of B and $\dot x_a^*$ the velocity of a point of body a.  Two acceleration
forms follow from what carries alpha and beta and which point of a is meant:

* **screw**: alpha, beta are axes of B, $x_a^*$ is the point of a that coincides with $x_b$.
  The row says that the relative twist, seen in B, stays in the joint's subalgebra:
  constant coefficients, and eta = 0 for a joint to ground.
* **space**: g is written with vectors in inertial space and differentiated twice.
  All three translations locked: $g = x_b - x_a$.  Some locked: $g = e\cdot(x_b - x_a)$, e an axis
  of A.
  Rotations: $g = e_a\cdot e_b$, products of an axis of A and an axis of B that is normal to it.

Both agree on the constraint manifold and differ off it.
"""

from math import pi
from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, get6, mat9, twist6, vec3
from chasles.groups.se3 import se3_bracket
from chasles.groups.so3 import so3_from_matrix, so3_log
from chasles.groups.vectors import (
    IDENTITY,
    ZERO,
    add,
    axpy,
    cross,
    dot,
    matmul,
    matvec,
    neg,
    scale,
    sub,
    symvec,
    tmatmul,
    tmatvec,
)
from chasles.scalars.elementary import atan2, floor, pick, sqrt


@formula
def column(m: Any, k: int) -> Any:
    """Column k of a 3x3 matrix: axis k of the frame it describes."""
    return m[k], m[3 + k], m[6 + k]


# --- screw form -----------------------------------------------------------------------------------


@formula
def twist_in_joint_frame(twist: Any, axes: Any, point: Any) -> Any:
    r"""The body twist $(\omega, v)$ at `point` and along `axes`, both given in the body frame."""
    omega, v = twist
    return tmatvec(axes, omega), tmatvec(axes, add(v, cross(omega, point)))


@formula
def frame_seen_from_a(pose_a: Any, pose_b: Any, axes_b: Any, point_b: Any) -> Any:
    """Frame B in the coordinates of body a: its axes, and its origin from a's centre of mass."""
    rotation_a, position_a = pose_a
    rotation_b, position_b = pose_b
    a_to_b = tmatmul(rotation_a, rotation_b)
    origin = add(tmatvec(rotation_a, sub(position_b, position_a)), matvec(a_to_b, point_b))
    return matmul(a_to_b, axes_b), origin


@formula
def screw_eta(twist_a: Any, twist_b: Any) -> Any:
    r"""$J\dot V = [V_a, V_b]$, both twists in frame B: zero where body a is the ground.

    $V_{rel} = V_b - \mathrm{Ad}_D V_a$ with $D = C_b^{-1}C_a$, $\dot D D^{-1} = -V_{rel}$, so
    $\dot V_b - \mathrm{Ad}_D\dot V_a = -\mathrm{ad}_{V_{rel}}\mathrm{Ad}_D V_a = [V_a, V_b]$.
    """
    return se3_bracket(twist_a, twist_b)


@formula
def rotation_row(axis: Any) -> Any:
    r"""Row of $e\cdot\omega$ on a body twist."""
    return axis, (0.0, 0.0, 0.0)


@formula
def translation_row(axis: Any, point: Any, pitch: Any) -> Any:
    r"""Row of $e\cdot(v + \omega\times s) - h\,e\cdot\omega$ on a body twist."""
    return axpy(-pitch, axis, cross(point, axis)), axis


# --- space form -----------------------------------------------------------------------------------


@formula
def space_row_of_body(alpha: Any, beta: Any, rotation: Any, lever: Any) -> Any:
    r"""Row of $\alpha\cdot\omega + \beta\cdot(\dot r + \omega\times l)$, l in the body frame."""
    local_beta = tmatvec(rotation, beta)
    return add(tmatvec(rotation, alpha), cross(lever, local_beta)), local_beta


@formula
def space_eta_rotation(alpha_rate: Any, omega_a: Any, omega_b: Any) -> Any:
    r"""$-\dot\alpha\cdot(\omega_b - \omega_a)$, all in the world."""
    return -dot(alpha_rate, sub(omega_b, omega_a))


@formula
def space_eta_point(omega_a: Any, velocity_a: Any, omega_b: Any, velocity_b: Any) -> Any:
    r"""$-(\omega_b\times\dot x_b - \omega_a\times\dot x_a)$: eta of $\ddot x_b - \ddot x_a = 0$."""
    return sub(cross(omega_a, velocity_a), cross(omega_b, velocity_b))


@formula
def space_eta_along(beta: Any, omega_a: Any, omega_b: Any, velocity_b: Any, carried: Any) -> Any:
    r"""Eta of $\ddot g = 0$ for $g = \beta\cdot(x_b - x_a)$ with beta an axis of A:

    $$-\beta\cdot(\omega_{rel}\times\dot x_b) - (\omega_a\times\beta)\cdot(\dot x_b - \dot x_a^*)$$
    """
    slip = sub(velocity_b, carried)
    turning = dot(beta, cross(sub(omega_b, omega_a), velocity_b))
    return -turning - dot(cross(omega_a, beta), slip)


@formula
def axis_product(axis_b: Any, axis_a: Any, omega_a: Any, omega_b: Any) -> Any:
    r"""$\alpha = e_b\times e_a$ and its rate; $g = e_a\cdot e_b$, $\dot g=\alpha\cdot\omega$."""
    rate = add(cross(cross(omega_b, axis_b), axis_a), cross(axis_b, cross(omega_a, axis_a)))
    return cross(axis_b, axis_a), rate


# --- position level -------------------------------------------------------------------------------


@formula
def point_in_world(pose: Any, point: Any) -> Any:
    """Position of a point of a body."""
    return add(pose[1], matvec(pose[0], point))


@formula
def span_between(pose_a: Any, point_a: Any, pose_b: Any, point_b: Any) -> Any:
    """From a point of body a to one of body b, in the world."""
    return sub(point_in_world(pose_b, point_b), point_in_world(pose_a, point_a))


@formula
def relative_joint_frame(pose_a: Any, frame_a: Any, pose_b: Any, frame_b: Any) -> Any:
    """Frame B seen from frame A: rotation (9) and displacement (3); frames are (axes, point)."""
    axes_a, point_a = frame_a
    axes_b, point_b = frame_b
    world_axes_a = matmul(pose_a[0], axes_a)
    world_axes_b = matmul(pose_b[0], axes_b)
    point_to_point = span_between(pose_a, point_a, pose_b, point_b)
    return tmatmul(world_axes_a, world_axes_b), tmatvec(world_axes_a, point_to_point)


@formula
def turn_about_axis(rotation: Any) -> Any:
    """Angle of frame B against A about z, in (-pi, pi]."""
    return atan2(rotation[3] - rotation[1], rotation[0] + rotation[4])


@formula
def nearest_turn(angle: Any, near: Any) -> Any:
    """The angle plus the whole turns that bring it closest to `near`."""
    return angle + 2.0 * pi * floor((near - angle) / (2.0 * pi) + 0.5)


@formula
def axis_misalignment(rotation: Any) -> Any:
    """Rotation vector (x, y) that turns the z axis of A into that of B; half a turn is about x."""
    x, y, z = rotation[2], rotation[5], rotation[8]
    sine = sqrt(x * x + y * y)
    angle, is_straight = atan2(sine, z), sine == 0.0
    stretch = angle / pick(is_straight, 1.0, sine)
    half_turn = pick(is_straight, angle, 0.0)
    return half_turn - stretch * y, stretch * x


@formula
def full_misalignment(rotation: Any) -> Any:
    """Rotation vector that turns frame A into frame B."""
    return so3_log(so3_from_matrix(rotation))


@formula
def advance(pitch: Any, turn: Any, shift: Any) -> Any:
    """Displacement along the axis less that of the thread, to the nearest turn."""
    lead = 2.0 * pi * pitch
    gap = shift - pitch * turn_about_axis(turn)
    return gap - lead * floor(gap / lead + 0.5)


@formula
def reaction_at_point(wrench_at_com: Any, point: Any) -> Any:
    r"""(torque, force) moved from the centre of mass to `point`: $\tau - s\times f$."""
    torque, force = wrench_at_com
    return sub(torque, cross(point, force)), force


@formula
def pose_of(absolute: Any, body: int) -> Any:
    if body < 0:
        return IDENTITY, ZERO
    at = body * ABSOLUTE_WIDTH
    return mat9(absolute, at + POSE_R), vec3(absolute, at + POSE_X)


@formula
def twist_of(absolute: Any, body: int) -> Any:
    if body < 0:
        return ZERO, ZERO
    return twist6(absolute, body * ABSOLUTE_WIDTH + TWIST)


@formula
def point_velocity(pose: Any, twist: Any, point: Any) -> Any:
    """Velocity in the world of a point of a body."""
    return matvec(pose[0], add(twist[1], cross(twist[0], point)))


@formula
def frame_on_a(parts: Any, index: int) -> Any:
    """(axes, point) of a joint or force on body a, in its frame."""
    return mat9(parts.axes_a, 9 * index), vec3(parts.point_a, 3 * index)


@formula
def frame_on_b(parts: Any, index: int) -> Any:
    """(axes, point) of a joint or force on body b, in its frame."""
    return mat9(parts.axes_b, 9 * index), vec3(parts.point_b, 3 * index)


@formula
def opening_of(parts: Any, index: int, absolute: Any) -> Any:
    """Frame B of a joint or force seen from A: (turn, shift)."""
    return relative_joint_frame(
        pose_of(absolute, parts.a[index]), frame_on_a(parts, index),
        pose_of(absolute, parts.b[index]), frame_on_b(parts, index),
    )  # fmt: skip


@formula
def inertial_and_gravity_wrench(
    mass: Any, inertia: Any, rotation: Any, twist: Any, gravity: Any
) -> Any:
    r"""Right-hand side of the Newton-Euler equations without joints:

    $$(-\omega\times\Theta\omega,\; m R^T g - m\,\omega\times v)$$
    """
    omega, v = twist
    torque = neg(cross(omega, symvec(inertia, omega)))
    force = scale(mass, sub(tmatvec(rotation, gravity), cross(omega, v)))
    return torque, force


@routine
def own_wrench(system: Any, absolute: Any, body: int) -> Any:
    """Gyroscopic terms and gravity of one of the placed bodies."""
    mass, inertia = system.bodies.mass[body], get6(system.bodies.inertia, 6 * body)
    turn, twist = pose_of(absolute, body)[0], twist_of(absolute, body)
    return inertial_and_gravity_wrench(mass, inertia, turn, twist, vec3(system.gravity, 0))


@formula
def kinetic_energy(mass: Any, inertia: Any, twist: Any) -> Any:
    r"""$\tfrac12\,\omega\cdot\Theta\omega + \tfrac12\,m\,v\cdot v$"""
    omega, v = twist
    return 0.5 * dot(omega, symvec(inertia, omega)) + 0.5 * mass * dot(v, v)


@formula
def gravity_potential(mass: Any, position: Any, gravity: Any) -> Any:
    r"""$-m\,g\cdot r$"""
    return -mass * dot(gravity, position)


@routine
def mass_norm(system: Any, x: Any) -> float:
    r"""$\sqrt{V^T M V}$ of the twists in x."""
    total = 0.0
    for body in range(system.body_count):
        inertia = get6(system.bodies.inertia, 6 * body)
        total += 2.0 * kinetic_energy(system.bodies.mass[body], inertia, twist6(x, 6 * body))
    return sqrt(total)


@routine
def force_norm(system: Any, forces: Any) -> float:
    r"""About $\sqrt{Q^T M^{-1} Q}$: how fast the forces would accelerate free bodies with mass."""
    total = 0.0
    for body in range(system.body_count):
        mass = system.bodies.mass[body]
        for c in range(3 if mass > 0.0 else 0):
            torque, force = forces[6 * body + c], forces[6 * body + 3 + c]
            total += torque * torque / system.bodies.inertia[6 * body + c] + force * force / mass
    return sqrt(total)
