"""Forces at a state: wrenches on the bodies, their power, and the rates of unwrapped angles."""

from typing import Any

from chasles.compiled import call_address, formula, routine
from chasles.core.arrays import (
    BUSHING,
    CUSTOM_FORCE,
    DRAG,
    LAW_WIDTH,
    LOAD,
    ON_COORDINATE,
    SPRING,
    mat9,
    put3,
    put9,
    put_twist,
    twist6,
    vec3,
    vec4,
)
from chasles.core.assemble import point_velocity, pose_of, twist_of
from chasles.core.rows import (
    column,
    frame_seen_from_a,
    full_misalignment,
    nearest_turn,
    relative_joint_frame,
    rotation_row,
    translation_row,
    turn_about_axis,
    twist_in_joint_frame,
)
from chasles.core.wrenches import (
    bushing_wrench,
    coordinate_effort,
    drag_wrench,
    power,
    spring_tension,
    wrench_of_force,
)
from chasles.groups.vectors import add, cross, matvec, neg, scale, sub, tmatvec


@formula
def times_row(row: Any, effort: Any) -> Any:
    """The wrench of a generalised force along a row."""
    return scale(effort, row[0]), scale(effort, row[1])


@routine
def add_wrench(out: Any, body: int, wrench: Any) -> None:
    """Add a wrench to Q; the ground takes everything."""
    if body >= 0:
        present = twist6(out, 6 * body)
        put_twist(out, 6 * body, (add(present[0], wrench[0]), add(present[1], wrench[1])))


@routine
def spring(system: Any, index: int, a: int, b: int, work: Any) -> float:
    """A point-to-point spring-damper; returns the power of the damper."""
    forces = system.forces
    points = (vec3(forces.point_a, 3 * index), vec3(forces.point_b, 3 * index))
    pose_a, pose_b = pose_of(work.absolute, a), pose_of(work.absolute, b)
    twist_a, twist_b = twist_of(work.absolute, a), twist_of(work.absolute, b)
    span = sub(
        add(pose_b[1], matvec(pose_b[0], points[1])), add(pose_a[1], matvec(pose_a[0], points[0]))
    )
    rate = sub(
        point_velocity(pose_b, twist_b, points[1]), point_velocity(pose_a, twist_a, points[0])
    )
    stiffness, damping, rest = vec3(forces.law, LAW_WIDTH * index)
    pull, lost = spring_tension(stiffness, damping, rest, span, rate)
    add_wrench(work.rhs, b, wrench_of_force(pose_b[0], points[1], pull))
    add_wrench(work.rhs, a, wrench_of_force(pose_a[0], points[0], neg(pull)))
    return lost


@routine
def on_coordinate(system: Any, index: int, a: int, b: int, work: Any) -> float:
    """Spring, damper, friction and motor on a joint's angle or displacement; returns the power."""
    forces, signal = system.forces, system.forces.signal[index]
    axes, point = mat9(forces.axes_b, 9 * index), vec3(forces.point_b, 3 * index)
    frame_a = (mat9(forces.axes_a, 9 * index), vec3(forces.point_a, 3 * index))
    pose_a, pose_b = pose_of(work.absolute, a), pose_of(work.absolute, b)
    seen_axes, seen_point = frame_seen_from_a(pose_a, pose_b, axes, point)
    spin_a, slide_a = twist_in_joint_frame(twist_of(work.absolute, a), seen_axes, seen_point)
    spin_b, slide_b = twist_in_joint_frame(twist_of(work.absolute, b), axes, point)
    turn, shift = relative_joint_frame(pose_a, frame_a, pose_b, (axes, point))
    angle = forces.angle[index]
    if angle >= 0:
        rate = spin_b[2] - spin_a[2]
        value = nearest_turn(turn_about_axis(turn), work.quadratures[angle])
        work.quadrature_rates[angle] = rate
        row_a, row_b = rotation_row(column(seen_axes, 2)), rotation_row(column(axes, 2))
    else:
        rate, value = slide_b[2] - slide_a[2], shift[2]
        row_a = translation_row(column(seen_axes, 2), seen_point, 0.0)
        row_b = translation_row(column(axes, 2), point, 0.0)
    constants = vec4(forces.law, LAW_WIDTH * index) + vec4(forces.law, LAW_WIDTH * index + 4)
    target, target_rate, effort = 0.0, 0.0, 0.0
    if signal >= 0:
        target, target_rate = work.signals[signal], work.signals[signal + 1]
        effort = work.signals[signal + 2]
    constants = constants[0:7] + (constants[7] + effort,)
    pull, supplied = coordinate_effort(constants, value, rate, target, target_rate)
    add_wrench(work.rhs, b, times_row(row_b, pull))
    add_wrench(work.rhs, a, times_row(row_a, -pull))
    return supplied


@routine
def bushing(system: Any, index: int, a: int, b: int, work: Any) -> float:
    """Six springs and dampers between two frames; returns the power of the dampers."""
    forces = system.forces
    axes_a, point_a = mat9(forces.axes_a, 9 * index), vec3(forces.point_a, 3 * index)
    axes_b, point_b = mat9(forces.axes_b, 9 * index), vec3(forces.point_b, 3 * index)
    pose_a, pose_b = pose_of(work.absolute, a), pose_of(work.absolute, b)
    turn, shift = relative_joint_frame(pose_a, (axes_a, point_a), pose_b, (axes_b, point_b))
    seen_axes, seen_point = frame_seen_from_a(pose_a, pose_b, axes_b, point_b)
    spin_a, slide_a = twist_in_joint_frame(twist_of(work.absolute, a), seen_axes, seen_point)
    spin_b, slide_b = twist_in_joint_frame(twist_of(work.absolute, b), axes_b, point_b)
    constants = (
        vec3(forces.law, LAW_WIDTH * index), vec3(forces.law, LAW_WIDTH * index + 3),
        vec3(forces.law, LAW_WIDTH * index + 6), vec3(forces.law, LAW_WIDTH * index + 9),
    )  # fmt: skip
    force, torque, lost = bushing_wrench(
        shift, matvec(turn, sub(slide_b, slide_a)), full_misalignment(turn), sub(spin_b, spin_a),
        constants,
    )  # fmt: skip
    # Both in b's frame, then the opposite at the same point of a.
    local = (matvec(axes_b, torque), matvec(axes_b, tmatvec(turn, force)))
    add_wrench(work.rhs, b, (add(local[0], cross(point_b, local[1])), local[1]))
    opposite = (neg(matvec(seen_axes, torque)), neg(matvec(axes_a, force)))
    add_wrench(work.rhs, a, (add(opposite[0], cross(seen_point, opposite[1])), opposite[1]))
    return lost


@routine
def load(system: Any, index: int, b: int, work: Any) -> float:
    """A given force and torque, in the world or the body's frame; returns its power."""
    forces, signal = system.forces, system.forces.signal[index]
    force, torque = vec3(forces.law, LAW_WIDTH * index), vec3(forces.law, LAW_WIDTH * index + 3)
    if signal >= 0:
        force, torque = vec3(work.signals, signal), vec3(work.signals, signal + 3)
    rotation = pose_of(work.absolute, b)[0]
    if forces.law[LAW_WIDTH * index + 6] == 0.0:
        force, torque = tmatvec(rotation, force), tmatvec(rotation, torque)
    wrench = (add(torque, cross(vec3(forces.point_b, 3 * index), force)), force)
    add_wrench(work.rhs, b, wrench)
    return power(wrench, twist_of(work.absolute, b))


@routine
def custom(system: Any, index: int, a: int, b: int, work: Any) -> float:
    """A user's formula: world force and torque at the COM of b, the opposite on a."""
    pose_b, twist_b = pose_of(work.absolute, b), twist_of(work.absolute, b)
    put3(work.exchange, 0, pose_b[1])
    put9(work.exchange, 3, pose_b[0])
    put3(work.exchange, 12, matvec(pose_b[0], twist_b[1]))
    put3(work.exchange, 15, twist_b[0])
    address = system.forces.address[index]
    call_address(address, work.signals[0], work.exchange, work.answer)
    force, torque = vec3(work.answer, 0), vec3(work.answer, 3)
    wrench = (tmatvec(pose_b[0], torque), tmatvec(pose_b[0], force))
    add_wrench(work.rhs, b, wrench)
    supplied = power(wrench, twist_b)
    if a >= 0:
        pose_a = pose_of(work.absolute, a)
        moved = add(torque, cross(sub(pose_b[1], pose_a[1]), force))
        opposite = (neg(tmatvec(pose_a[0], moved)), neg(tmatvec(pose_a[0], force)))
        add_wrench(work.rhs, a, opposite)
        supplied += power(opposite, twist_of(work.absolute, a))
    return supplied


@routine
def apply_forces(system: Any, work: Any) -> None:
    """Add all forces beside gravity to Q; their powers are the first quadrature rates."""
    for index in range(system.force_count):
        forces = system.forces
        kind = forces.kind[index]
        a, b = forces.a[index], forces.b[index]
        supplied = 0.0
        if kind == SPRING:
            supplied = spring(system, index, a, b, work)
        elif kind == ON_COORDINATE:
            supplied = on_coordinate(system, index, a, b, work)
        elif kind == BUSHING:
            supplied = bushing(system, index, a, b, work)
        elif kind == LOAD:
            supplied = load(system, index, b, work)
        elif kind == DRAG:
            twist = twist_of(work.absolute, b)
            wrench = drag_wrench(twist, vec4(forces.law, LAW_WIDTH * index))
            add_wrench(work.rhs, b, wrench)
            supplied = power(wrench, twist)
        elif kind == CUSTOM_FORCE:
            supplied = custom(system, index, a, b, work)
        work.quadrature_rates[index] = supplied
