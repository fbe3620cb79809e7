"""Force laws, one kind after the other: each adds to the generalised forces Q of all velocities.

A force f at a point adds slope^T f, an effort along a coordinate slope^T e: virtual power.
"""

from typing import Any

import numpy as np
from oracle.bodies import Bodies, Start, square_to
from oracle.coordinates import Coordinate
from oracle.formulas import pose_numbers
from oracle.jets import Floats, Jet, cross, dot
from oracle.signals import motion_at, value_at, vector_at
from scipy.spatial.transform import Rotation

import chasles as ch


class Instant:
    """What a force law may look at."""

    def __init__(self, t: float, bodies: Bodies, start: Start, held: dict[str, float]) -> None:
        self.t, self.bodies, self.start, self.held = t, bodies, start, held


def spring(force: ch.Spring, now: Instant) -> Floats:
    bodies, start = now.bodies, now.start
    apart = bodies.point(start.point(force.b, force.at_b)) - bodies.point(
        start.point(force.a, force.at)
    )
    length = np.sqrt(apart.value @ apart.value)
    if force.rest_length == 0.0 and force.damping == 0.0:
        return -force.stiffness * apart.slope.T @ apart.value
    along = apart.value / length
    pull = force.stiffness * (length - force.rest_length) + force.damping * (along @ apart.rate)
    return -pull * apart.slope.T @ along


def bushing(force: ch.Bushing, now: Instant) -> Floats:
    """f = -(K s + C s') along a's axes at b's point; U of the turning is half phi K phi."""
    bodies, start = now.bodies, now.start
    x, y = square_to(force.axis)
    axes_a = [bodies.axis(start.axis(force.a, e)) for e in (x, y, force.axis)]
    axes_b = [bodies.axis(start.axis(force.b, e)) for e in (x, y, force.axis)]
    apart = bodies.point(start.point(force.b, force.at)) - bodies.point(
        start.point(force.a, force.at)
    )
    k, c = np.array(force.stiffness), np.array(force.damping)
    found = np.zeros(bodies.width)
    for i, axis in enumerate(axes_a):
        shift = dot(apart, axis)
        found -= (k[i] * shift.value + c[i] * shift.rate) * shift.slope
    frame_a = np.column_stack([axis.value for axis in axes_a])
    frame_b = np.column_stack([axis.value for axis in axes_b])
    phi = Rotation.from_matrix(frame_a.T @ frame_b).as_rotvec()
    a, b = start.index[force.a], start.index[force.b]
    spin = bodies.spin(b) - bodies.spin(a)
    omega = frame_b.T @ (spin @ bodies.velocities)
    torque = -(turning_slope(phi).T @ (k[3:] * phi)) - c[3:] * omega
    return found + spin.T @ (frame_b @ torque)


def turning_slope(phi: Floats) -> Floats:
    """phi' = (1 + phi x / 2 + ...) omega for omega along the axes of the turned frame."""
    angle = np.sqrt(phi @ phi)
    hat = np.array(((0, -phi[2], phi[1]), (phi[2], 0, -phi[0]), (-phi[1], phi[0], 0)))
    if angle < 1e-3:  # the next term is angle^4 / 30240
        factor = 1.0 / 12.0 + angle**2 / 720.0
    else:
        factor = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    return np.eye(3) + 0.5 * hat + factor * hat @ hat


def load(force: ch.Load, now: Instant) -> Floats:
    bodies = now.bodies
    body, local = now.start.point(force.body, force.at)
    push, torque = vector_at(force.force, now.t), vector_at(force.torque, now.t)
    if force.frame == "body":
        push, torque = bodies.rotation[body] @ push, bodies.rotation[body] @ torque
    return bodies.point((body, local)).slope.T @ push + bodies.spin(body).T @ torque


def drag(force: ch.Drag, now: Instant) -> Floats:
    body = now.start.index[force.body]
    v, omega = now.bodies.twist(body)
    found = np.zeros(now.bodies.width)
    found[6 * body : 6 * body + 3] = -(force.linear + force.quadratic * np.linalg.norm(v)) * v
    found[6 * body + 3 : 6 * body + 6] = (
        -(force.angular + force.angular_quadratic * np.linalg.norm(omega)) * omega
    )
    return found


def touching_balls(shape: Any) -> list[tuple[Floats, float]]:
    """Centres, from the shape's middle along its axes, and their radius."""
    if isinstance(shape, ch.Sphere):
        return [(np.zeros(3), shape.radius)]
    if isinstance(shape, ch.Box):
        signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
        return [(sign * np.array(shape.size), 0.0) for sign in signs]
    end = 0.5 * shape.length * np.eye(3)["xyz".index(shape.axis)]
    radius = shape.radius if isinstance(shape, ch.Capsule) else 0.0
    return [(end, radius), (-end, radius)]


def contact(force: ch.Contact, now: Instant) -> Floats:
    bodies, start = now.bodies, now.start
    found = np.zeros(bodies.width)
    a, b = start.index[force.a], start.index[force.b]
    for middle, radius in touching_balls(force.shape):
        local = np.array(force.shape.position) + np.array(force.shape.rotation) @ middle
        centre = bodies.point((b, local)).value
        origin = bodies.point(start.point(force.a, force.at)).value
        if force.radius is None:
            normal = bodies.axis(start.axis(force.a, force.axis)).value
            depth = radius - normal @ (centre - origin)
        else:
            distance = np.linalg.norm(centre - origin)
            normal = np.sign(force.radius) * (centre - origin) / distance
            depth = radius + force.radius - np.sign(force.radius) * distance
        if depth <= 0.0:
            continue
        deepest = centre - radius * normal
        place_a, place_b = (carried(bodies, body, deepest) for body in (a, b))
        slide = place_b.rate - place_a.rate
        leaving = normal @ slide
        slide = slide - leaving * normal
        push = force.stiffness * depth + force.hertz * depth**1.5
        push *= max(0.0, 1.0 - force.dissipation * leaving)
        grip = force.friction * push / np.sqrt(slide @ slide + force.slip**2)
        found += (place_b.slope - place_a.slope).T @ (push * normal - grip * slide)
    return found


def carried(bodies: Bodies, body: int, place: Floats) -> Jet:
    """The point of a body that is at a place of the world now."""
    rotation, position = bodies.pose(body)
    return bodies.point((body, rotation.T @ (place - position)))


def seen_motion(bodies: Bodies, body: int) -> tuple[Any, ...]:
    """Position, rotation, velocity, angular velocity in body axes, as users' formulas see them."""
    rotation, position = bodies.pose(body)
    v, omega = bodies.twist(body)
    turn, place = pose_numbers(rotation, position)
    return place, turn, tuple(v.tolist()), tuple((rotation.T @ omega).tolist())


def custom(force: ch.CustomForce, now: Instant) -> Floats:
    bodies, index = now.bodies, now.start.index
    found = np.zeros(bodies.width)
    if force.others:
        seen = [index[name] for name in force.bodies]
        answers = force.formula(now.t, *(seen_motion(bodies, k) for k in seen))
        for k, (push, torque) in zip(seen, answers, strict=True):
            found[6 * k : 6 * k + 6] += (*push, *torque)
        return found
    body, other = index[force.body], index[force.reaction]
    more = (seen_motion(bodies, other),) if force.sees_reaction else ()
    push, torque = map(np.array, force.formula(now.t, *seen_motion(bodies, body), *more))
    found[6 * body : 6 * body + 6] += (*push, *torque)
    if other >= 0:
        arm = bodies.r[body] - bodies.r[other]
        found[6 * other : 6 * other + 6] -= (*push, *(torque + cross(arm, push)))
    return found


BODY_LAWS: dict[type[ch.Force], Any] = {
    ch.Spring: spring,
    ch.Bushing: bushing,
    ch.Load: load,
    ch.Drag: drag,
    ch.Contact: contact,
    ch.CustomForce: custom,
}


# --- along a joint's coordinate -------------------------------------------------------------------


def joint_spring(force: ch.JointSpring, q: float, rate: float, now: Instant) -> float:
    return -force.stiffness * (q - force.rest) - force.damping * rate


def friction(force: ch.JointFriction, q: float, rate: float, now: Instant) -> float:
    return -force.level * float(np.tanh(rate / force.smoothing))


def stop(force: ch.JointStop, q: float, rate: float, now: Instant) -> float:
    """It pushes back and never pulls."""
    effort = 0.0
    if force.upper is not None and q > force.upper:
        effort -= max(0.0, force.stiffness * (q - force.upper) + force.damping * rate)
    if force.lower is not None and q < force.lower:
        effort += max(0.0, force.stiffness * (force.lower - q) - force.damping * rate)
    return effort


def law(force: ch.JointLaw, q: float, rate: float, now: Instant) -> float:
    return float(force.law(now.t, q, rate))


def motor(force: ch.Motor, q: float, rate: float, now: Instant) -> float:
    """gear clip(k g (target - q) + d g (target' - q') + effort); inputs are held."""
    given, takes_target = now.held.get(force.name), isinstance(force, ch.Servo)
    target = target_rate = 0.0
    if force.target is not None:
        if force.damping > 0.0:
            target, target_rate, _ = motion_at(force.target, now.t)
        else:
            target = value_at(force.target, now.t)
    if given is not None and takes_target:
        target, target_rate = (given, 0.0) if force.stiffness > 0.0 else (0.0, given)
    effort = force.stiffness * force.gear * (target - q)
    effort += force.damping * force.gear * (target_rate - rate)
    if force.feedback is not None:
        effort += float(force.effort.function(now.t, q, rate))
    else:
        effort += value_at(force.effort, now.t)
    if given is not None and not takes_target:
        effort += given
    low, high = force.limits
    return force.gear * min(max(effort, low), high)


JOINT_LAWS: dict[type[ch.Force], Any] = {
    ch.JointSpring: joint_spring,
    ch.TorsionSpring: joint_spring,
    ch.JointFriction: friction,
    ch.JointStop: stop,
    ch.JointLaw: law,
    ch.Motor: motor,
    ch.Servo: motor,
}


def generalised(
    force: ch.Force,
    now: Instant,
    coordinates: dict[Any, Coordinate],
    angles: dict[Any, float],
) -> Floats:
    """What a force of the model adds to Q."""
    if type(force) in BODY_LAWS:
        return BODY_LAWS[type(force)](force, now)
    q = coordinates[force.joint, force.coordinate].at(now.bodies, angles)
    return JOINT_LAWS[type(force)](force, q.value, q.rate, now) * q.slope
