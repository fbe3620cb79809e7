"""Models to study: chains, trees, loops, floating bodies; the same ones for the same seed."""

from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import numpy as np

from chasles.build.dynamics.equations import equations
from chasles.core.arrays import Floats
from chasles.groups.so3 import so3_matrix
from chasles.model import (
    GROUND,
    Body,
    Cylindrical,
    InvalidOption,
    Joint,
    Model,
    Prismatic,
    Revolute,
    Spherical,
    UnknownName,
)
from chasles.model.checks import as_vector
from chasles.studies.paper_mechanisms import LINK
from chasles.studies.paper_mechanisms import double_pendulum as double_pendulum
from chasles.studies.paper_mechanisms import floating_pair as floating_pair
from chasles.studies.paper_mechanisms import heavy_top as heavy_top
from chasles.studies.paper_mechanisms import three_bar as three_bar

MASS = 2.7  # kg: a link of aluminium
PAIRS = ("spherical", "revolute", "prismatic", "cylindrical", "helical", "planar")
PITCH = 0.05  # m/rad
PROJECTIONS = 3
REACH = 0.3  # m, the size of random bodies and the distance of their joints


# --- parts ----------------------------------------------------------------------------------------


def joint_of(kind: str, name: str, a: Body | str, b: Body | str, at: Floats, axis: Floats) -> Joint:
    """A lower pair of that kind."""
    own: dict[str, Any] = {} if kind == "spherical" else {"axis": axis}
    if kind == "helical":
        own["pitch"] = PITCH
    return Joint.kinds[UnknownName.check("lower pair", kind, PAIRS)](name, a, b, at=at, **own)


def random_rotation(rng: np.random.Generator) -> Floats:
    """Uniform on SO(3)."""
    q = rng.normal(size=4)
    return np.reshape(so3_matrix(tuple(q / np.linalg.norm(q))), (3, 3))


def random_body(rng: np.random.Generator, name: str, position: Floats) -> Body:
    """A box of random mass and size in a random attitude, its inertia not along the body axes."""
    size = rng.uniform(0.05, REACH, size=3)
    mass = float(10.0 ** rng.uniform(-0.5, 0.5))
    box = Body.box(name, size, mass=mass)
    axes = random_rotation(rng)
    inertia = axes @ np.array(box.inertia) @ axes.T
    return Body(name, mass, (inertia + inertia.T) / 2, position, random_rotation(rng))


def set_in_motion(
    model: Model, rng: np.random.Generator, spin: float = 6.0, speed: float = 1.0
) -> Model:
    r"""The model with a random motion that its joints allow.

    Random twists are projected in the mass metric: $V - M^{-1} J^T (J M^{-1} J^T)^{-1} J V$, more
    than once: where a chart keeps what J V is at the start, a gap grows as that times t.
    """
    eq = equations(model)
    scale = np.tile([spin] * 3 + [speed] * 3, len(model.bodies))
    twists = scale * rng.normal(size=scale.size)
    if len(eq.rows):
        weighted = np.linalg.solve(eq.mass, eq.jacobian.T)
        gram = eq.jacobian @ weighted
        for _ in range(PROJECTIONS):
            twists -= weighted @ np.linalg.lstsq(gram, eq.jacobian @ twists, rcond=1e-12)[0]
    moving = [
        replace(
            body,
            angular_velocity=as_vector(twist[:3]),
            velocity=as_vector(np.array(body.rotation) @ twist[3:]),
        )
        for body, twist in zip(model.bodies, twists.reshape(-1, 6))
    ]
    return replace(model, bodies=tuple(moving))


# --- one joint ------------------------------------------------------------------------------------


def grounded_pair(kind: str, seed: int = 1, spin: float = 10.0) -> Model:
    """One body on the ground by a lower pair, off its centre of mass, in gravity."""
    rng = np.random.default_rng((seed, PAIRS.index(kind)))
    body = random_body(rng, "body", np.array([0.2, 0.1, -0.1]))
    axis = np.array([1.0, 2.0, 2.0])
    joint = joint_of(kind, "joint", GROUND.name, body, np.zeros(3), axis)
    return set_in_motion(Model([body], [joint], gravity=(1, -2, -9)), rng, spin)


def moving_pair(kind: str, seed: int = 1, spin: float = 10.0) -> Model:
    """A body on a body that turns about a fixed ball joint, by a lower pair, in gravity."""
    rng = np.random.default_rng((seed, PAIRS.index(kind)))
    base = random_body(rng, "base", np.array([0.1, 0.0, 0.0]))
    body = random_body(rng, "body", np.array([0.4, 0.1, -0.1]))
    at, axis = np.array([0.25, 0.05, 0.0]), np.array([1.0, 2.0, 2.0])
    joints = [
        Spherical("base joint", GROUND, base, at=(0, 0, 0)),
        joint_of(kind, "joint", base, body, at, axis),
    ]
    return set_in_motion(Model([base, body], joints, gravity=(1, -2, -9)), rng, spin)


# --- trees ----------------------------------------------------------------------------------------


def chain(length: int, kind: str = "spherical", spin: float = 0.0, seed: int = 1) -> Model:
    """Links in a row along x, held at one end; at rest, or in a random motion."""
    pitch, half = LINK[0], LINK[0] / 2
    links = [
        Body.box(f"link {k + 1}", LINK, mass=MASS, position=(pitch * k + half, 0, 0))
        for k in range(length)
    ]
    tilted = [np.array([0.1, 1.0, 0.3]), np.array([0.2, -0.4, 1.0])]  # never parallel
    joints = [
        joint_of(
            kind,
            f"joint {k + 1}",
            links[k - 1] if k else GROUND.name,
            links[k],
            np.array([pitch * k, 0, 0]),
            tilted[k % 2],
        )
        for k in range(length)
    ]
    model = Model(links, joints)
    return set_in_motion(model, np.random.default_rng(seed), spin) if spin else model


def star(arms: int, spin: float = 0.0, seed: int = 1) -> Model:
    """Arms on ball joints around a hub that hangs on the ground."""
    hub = Body.box("hub", (0.2, 0.2, 0.05), mass=MASS * arms, position=(0, 0, -0.05))
    bodies, joints = [hub], [Spherical("hub joint", GROUND, hub, at=(0, 0, 0))]
    for k in range(arms):
        x, y = cos(2 * pi * k / arms), sin(2 * pi * k / arms)
        arm = Body.box(f"arm {k + 1}", LINK, mass=MASS, position=(0.2 * x, 0.2 * y, -0.05))
        bodies.append(arm)
        joints.append(Spherical(f"joint {k + 1}", hub, arm, at=(0.1 * x, 0.1 * y, -0.05)))
    model = Model(bodies, joints)
    return set_in_motion(model, np.random.default_rng(seed), spin) if spin else model


def random_tree(
    seed: int,
    bodies: int | None = None,
    floating: bool = False,
    kinds: tuple[str, ...] = PAIRS,
    spin: float = 6.0,
) -> Model:
    """2 to 20 bodies, random parents, pairs, frames, inertia, motion and gravity."""
    rng = np.random.default_rng((2013, seed))
    count = int(rng.integers(2, 21)) if bodies is None else bodies
    made: list[Body] = []
    joints: list[Joint] = []
    for index in range(count):
        parent = made[rng.integers(index)] if index else None
        origin = np.array(parent.position) if parent else np.zeros(3)
        at = origin + rng.normal(scale=REACH / 2, size=3)
        body = random_body(rng, f"body {index + 1}", at + rng.normal(scale=REACH / 2, size=3))
        made.append(body)
        if parent is None and floating:
            continue
        kind = str(rng.choice(kinds))
        ends = (parent or GROUND.name, body)
        joints.append(joint_of(kind, f"joint {index + 1}", *ends, at, rng.normal(size=3)))
    gravity = np.zeros(3) if floating else rng.normal(scale=5.0, size=3)
    return set_in_motion(Model(made, joints, gravity=gravity), rng, spin)


# --- floating -------------------------------------------------------------------------------------


def platform_top(speed: float = 1.0) -> Model:
    """The top on a 100 t platform that drifts at `speed` m/s and turns slowly, no gravity."""
    still = heavy_top().bodies[0]
    drift = np.array([speed, 0, 0])
    platform = Body.box(
        "platform", (10, 10, 1), mass=1e5, position=(0, 0, -0.5), velocity=drift,
        angular_velocity=(0, 0, 0.1 * speed),
    )  # fmt: skip
    swing = np.cross(np.array(still.angular_velocity), np.array(still.position))
    spun = replace(still, velocity=as_vector(drift + swing))
    pivot = Spherical("pivot", platform, spun, at=(0, 0, 0))
    return Model([platform, spun], [pivot], gravity=(0, 0, 0))


# --- loops ----------------------------------------------------------------------------------------


def slider_crank(speed: float = 20.0) -> Model:
    """A crank, a coupler and a piston in gravity: revolute, spherical, cylindrical, prismatic."""
    crank = Body.rod(
        "crank", length=0.2, mass=1.0, position=(0.1, 0, 0), angular_velocity=(0, 0, speed)
    )
    coupler = Body.rod("coupler", length=0.6, mass=2.0, position=(0.5, 0, 0))
    piston = Body.box("piston", (0.1, 0.05, 0.05), mass=1.0, position=(0.8, 0, 0))
    joints = [
        Revolute("bearing", GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1)),
        Spherical("crank pin", crank, coupler, at=(0.2, 0, 0)),
        Cylindrical("piston pin", coupler, piston, at=(0.8, 0, 0), axis=(0, 0, 1)),
        Prismatic("guide", GROUND, piston, axis=(1, 0, 0)),
    ]
    return Model([crank, coupler, piston], joints)


def random_loop(seed: int, bodies: int | None = None, spin: float = 6.0) -> Model:
    """A closed chain of 3 to 8 bodies on ball joints and hinges, with freedom to move.

    Joint points lie on a bent ring; hinges have random axes, so no row repeats another.  Each ball
    gives three freedoms, each hinge one, and the loop takes six.
    """
    rng = np.random.default_rng((1830, seed))
    count = int(rng.integers(3, 9)) if bodies is None else bodies
    if count < 2:
        raise InvalidOption(
            f"random_loop: a loop of {count} bodies cannot close.", "Give 2 or more."
        )
    kinds = loop_kinds(rng, count + 1)
    angles = 2 * pi * (np.arange(count + 1) + rng.uniform(-0.2, 0.2, count + 1)) / (count + 1)
    radius = 0.1 * (count + 1) / pi
    ring = radius * np.column_stack((np.cos(angles), np.sin(angles), np.zeros(count + 1)))
    points = ring + rng.normal(scale=0.15 * radius, size=ring.shape)
    made = [
        random_body(rng, f"body {k + 1}", (points[k] + points[k + 1]) / 2 + rng.normal(scale=0.02))
        for k in range(count)
    ]
    ends: list[Body | str] = [GROUND.name, *made, GROUND.name]
    joints = [
        joint_of(kinds[k], f"joint {k + 1}", ends[k], ends[k + 1], points[k], rng.normal(size=3))
        for k in range(count + 1)
    ]
    return set_in_motion(Model(made, joints), rng, spin)


def loop_kinds(rng: np.random.Generator, joints: int) -> list[str]:
    """Balls and hinges with at least eight freedoms between them, so that two are left."""
    while True:
        kinds = [str(kind) for kind in rng.choice(["spherical", "revolute"], size=joints)]
        if sum(3 if kind == "spherical" else 1 for kind in kinds) >= 8:
            return kinds
