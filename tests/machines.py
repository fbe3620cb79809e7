"""Simple machines the tests share: a sledge on a rail, a wheel, a ball that falls, a net."""

from functools import cache

import numpy as np
from mechanisms import DOWN
from scipy.integrate import solve_ivp

import chasles as ch


def sledge(*forces, axis="x", speed=0.0, gravity=(0, 0, 0), swap=False) -> ch.Model:
    """2 kg on a rail at a speed along x; `swap` names the ground last, and turns the axis about."""
    body = ch.Body.box("sledge", (0.1, 0.1, 0.1), mass=2.0, velocity=(speed, 0, 0))
    ends = (body, ch.GROUND) if swap else (ch.GROUND, body)
    along = np.eye(3)["xyz".index(axis)]
    rail = ch.Prismatic("rail", *ends, axis=-along if swap else along)
    return ch.Model([body], [rail], forces, gravity=gravity)


def hanging_sledge() -> ch.Model:
    """A sledge that falls on a vertical rail."""
    return sledge(axis="z", gravity=DOWN)


def wheel(*forces, speed=0.0, swap=False) -> ch.Model:
    """A disc of 2 kg about an upright axle, at a speed; `swap` names the ground last."""
    disc = ch.Body.cylinder("disc", 0.3, 0.05, mass=2.0, angular_velocity=(0, 0, speed))
    ends = (disc, ch.GROUND) if swap else (ch.GROUND, disc)
    axle = ch.Revolute("axle", *ends, at=(0, 0, 0), axis=(0, 0, 1))
    return ch.Model([disc], [axle], forces)


def falling_ball(height: float) -> ch.Model:
    """From rest; `floor` crosses zero where it lands."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, height))
    return ch.Model([ball], gravity=DOWN)


def floor(t, state):
    """The height of a falling ball."""
    return state.position("ball")[2]


def damped_bob(damping) -> ch.Model:
    """1 kg thrown along a damper that turns about the ground."""
    ball = ch.Body.sphere("bob", radius=0.1, mass=1.0, position=(1, 0, 0), velocity=(1, 0, 0))
    damper = ch.Spring(
        "damper", ch.GROUND, ball, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=0.0, damping=damping
    )
    return ch.Model([ball], [], forces=[damper])


@cache
def exact_bob(damping):
    """x, z and their rates of the damped bob at times up to 0.5 s, by SciPy's Radau."""

    def rate(t, y):
        along = y[:2] / np.linalg.norm(y[:2])
        return np.append(y[2:], -damping * along * (along @ y[2:]) - np.array([0, 9.81]))

    start, tight = [1, 0, 1, 0], {"rtol": 1e-10, "atol": 1e-12}
    return solve_ivp(rate, (0, 0.5), start, method="Radau", dense_output=True, **tight).sol


def net(
    size, rise, *, edge=0.2, plate=(0.2, 0.2, 0.05), hook=(0, 0, 0.1), gravity=DOWN, spin=0.0
) -> ch.Model:
    """A plate at every node of a square, a ball halfway along every edge, the corner on a hook.

    `rise` is a node's height by its numbers; all turn about the hook at `spin`.
    """
    bodies, joints = {}, []
    for x, y in np.ndindex(size, size):
        at, turn = np.array((edge * x, edge * y, rise(x, y))), np.array((0, 0, spin))
        start = {"angular_velocity": turn, "velocity": np.cross(turn, at - hook)} if spin else {}
        body = ch.Body.box(f"{x} {y}", plate, mass=1.0, position=at, **start)
        bodies[x, y] = body
        for other in ((x - 1, y), (x, y - 1)):
            if other in bodies:
                middle = (np.array(bodies[other].position) + at) / 2
                name = f"{bodies[other].name} to {body.name}"
                joints.append(ch.Spherical(name, bodies[other], body, at=middle))
    joints.append(ch.Spherical("hook", ch.GROUND, bodies[0, 0], at=hook))
    return ch.Model(bodies.values(), joints, gravity=gravity)
