"""Random forces of every kind, soft enough that a few dozen steps resolve them."""

from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as np
from oracle.random_bodies import unit

import chasles as ch

BODY_FORCES = ("spring", "bushing", "load", "load of time", "drag", "contact", "ball contact",
               "custom", "custom pair", "custom of several")  # fmt: skip
JOINT_FORCES = ("joint spring", "friction", "stop", "law", "motor", "servo", "feedback", "geared")


def swaying(force: Any, torque: Any) -> Callable[..., Any]:
    """A formula of time and of one body: a push that fades with its height, and a damper."""

    def formula(t: Any, position: Any, rotation: Any, velocity: Any, omega: Any) -> Any:
        fade = 1.0 / (1.0 + position[2] * position[2])
        push = tuple(fade * f * cos(3.0 * t) - 0.4 * v for f, v in zip(force, velocity))
        return push, tuple(c * sin(2.0 * t) - 0.05 * w for c, w in zip(torque, omega))

    return formula


def pulling(stiffness: float) -> Callable[..., Any]:
    """Between two bodies: a soft pull of their centres on each other."""

    def formula(t: Any, position: Any, r: Any, velocity: Any, w: Any, other: Any) -> Any:
        pull = tuple(stiffness * (y - x) for x, y in zip(position, other[0]))
        return pull, (0.0, 0.0, 0.1)

    return formula


def crowd(*strengths: float) -> Callable[..., Any]:
    def formula(t: Any, *motions: Any) -> Any:
        return [
            (tuple(-k * v for v in motion[2]), (k * sin(t), 0.0, 0.0))
            for k, motion in zip(strengths, motions)
        ]

    return formula


def hardening(k: float, c: float) -> Callable[..., float]:
    def law(t: float, q: float, rate: float) -> float:
        return -k * q - k * q**3 - c * rate + 0.5 * sin(4.0 * t)

    return law


def random_body_force(rng: Any, kind: str, name: str, bodies: list[ch.Body]) -> ch.Force:
    order = rng.permutation(len(bodies))
    b = bodies[order[0]]
    a: Any = bodies[order[1]] if len(bodies) > 1 and rng.random() < 0.6 else ch.GROUND
    near = np.array(b.position) + rng.uniform(-0.3, 0.3, size=3)
    if kind == "spring":
        far = near + rng.uniform(0.4, 1.0) * unit(rng)
        k, c = rng.uniform(5.0, 40.0), rng.uniform(0.0, 2.0)
        rest = rng.choice([None, 0.5])
        return ch.Spring(name, a, b, at=far, at_b=near, stiffness=k, damping=c, rest_length=rest)
    if kind == "bushing":
        k = np.append(rng.uniform(5, 40, size=3), rng.uniform(0.5, 4, size=3))
        c = np.append(rng.uniform(0, 2, size=3), rng.uniform(0, 0.2, size=3))
        return ch.Bushing(name, a, b, at=near, stiffness=k, damping=c, axis=unit(rng))
    if kind == "load":
        frame = str(rng.choice(("world", "body")))
        force, torque = 5.0 * rng.normal(size=(2, 3))
        return ch.Load(name, b, force=force, torque=0.3 * torque, at=near, frame=frame)
    if kind == "load of time":
        push = rng.normal(size=3)
        force = (ch.Signal.sine(4.0, 1.5), ch.Signal.ramp(3.0, 0.5), 2.0)
        return ch.Load(name, b, force=force, torque=lambda t: tuple(push * sin(3.0 * t)))
    if kind == "drag":
        linear, quadratic, angular, square = rng.uniform(0.1, 1.0, size=4) * (1, 1, 0.1, 0.1)
        return ch.Drag(name, b, linear, quadratic, angular, square)
    if kind == "contact":
        return plane_contact(rng, name, a, b)
    if kind == "ball contact":
        return ball_contact(rng, name, a, b)
    if kind == "custom":
        return ch.CustomForce(name, b, swaying(rng.normal(size=3), 0.2 * rng.normal(size=3)), a)
    if kind == "custom pair" and a is not ch.GROUND:
        return ch.CustomForce(name, b, pulling(5.0), a, sees_reaction=True)
    if len(bodies) > 1:
        return ch.CustomForce(name, bodies[:3], crowd(0.5, 1.0, 1.5))
    return ch.CustomForce(name, b, swaying((1.0, 2.0, 0.5), (0.1, 0.0, 0.2)))


def plane_contact(rng: Any, name: str, a: Any, b: ch.Body) -> ch.Force:
    """A shape that has sunk into a plane a little, or is about to."""
    shapes = (ch.Sphere(0.2), ch.Capsule(0.1, 0.3, axis="y"), ch.Rod(0.4), ch.Box((0.3, 0.2, 0.3)))
    shape = shapes[rng.integers(4)]
    normal = unit(rng)
    at = np.array(b.position) - (0.15 + rng.uniform(-0.1, 0.05)) * normal
    stiffness, hertz = (rng.uniform(50, 200), 0.0) if rng.random() < 0.5 else (0.0, 300.0)
    return ch.Contact(name, a, b, at=at, axis=normal, shape=shape, stiffness=stiffness,
                      hertz=hertz, dissipation=0.2, friction=0.3, slip=0.5)  # fmt: skip


def ball_contact(rng: Any, name: str, a: Any, b: ch.Body) -> ch.Force:
    """Outside of a ball, or within a hollow one, both sunk in by 5 cm."""
    outwards = unit(rng)
    radius = float(rng.choice((0.3, -0.6)))
    distance = 0.25 + 0.2 if radius > 0.0 else 0.6 - 0.15
    at = np.array(b.position) - distance * outwards
    return ch.Contact(name, a, b, at=at, radius=radius, shape=ch.Sphere(0.2), stiffness=100.0,
                      dissipation=0.1, friction=0.2, slip=0.3)  # fmt: skip


def random_joint_force(rng: Any, kind: str, name: str, joint: ch.Joint, zero: float) -> ch.Force:
    word = str(rng.choice(joint.coordinates))
    k, c = rng.uniform(2.0, 20.0), rng.uniform(0.1, 1.0)
    wave = ch.Signal.sine(0.3, 1.2, offset=zero)
    if kind == "joint spring":
        return ch.JointSpring(name, joint, k, c, rest=zero + 0.2, coordinate=word)
    if kind == "friction":
        return ch.JointFriction(name, joint, rng.uniform(0.5, 2.0), smoothing=0.5, coordinate=word)
    if kind == "stop":
        return ch.JointStop(name, joint, zero - 0.1, zero + 0.05, stiffness=30.0, damping=0.5,
                            coordinate=word)  # fmt: skip
    if kind == "law":
        return ch.JointLaw(name, joint, hardening(k, c), coordinate=word)
    if kind == "motor":
        return ch.Motor(name, joint, target=wave, stiffness=k, damping=c, effort=0.4, limit=3.0,
                        coordinate=word)  # fmt: skip
    if kind == "servo":
        return ch.Servo(name, joint, target=zero + 0.3, stiffness=k, damping=c, coordinate=word)
    if kind == "feedback":
        return ch.Motor(name, joint, effort=hardening(k, c), coordinate=word)
    return ch.Servo(name, joint, target=wave, stiffness=k, damping=c, effort=ch.Signal.linear(1.0),
                    limit=(-1.5, 2.0), gear=1.7, coordinate=word)  # fmt: skip
