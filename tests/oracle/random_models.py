"""Random mechanisms by their seed: trees, loops, floating ones, and joints that repeat each other.

Rows that are added stay independent of the others by a margin, so that a motion is well posed;
only the families of `REDUNDANT` repeat themselves, and then at every pose.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from oracle.bodies import SPIN, WIDTH
from oracle.mechanism import Mechanism
from oracle.random_bodies import KINDS, random_body, random_joint, unit
from oracle.random_forces import (
    BODY_FORCES,
    JOINT_FORCES,
    random_body_force,
    random_joint_force,
)

import chasles as ch

CLOSING = (
    "spherical", "universal", "distance", "point on line", "point on plane", "cylindrical",
    "planar", "constant velocity", "cartesian", "custom", "revolute", "prismatic",
)  # fmt: skip
FAMILIES = ("tree", "floating", "loop", "redundant", "geared")
MARGIN = 0.05  # least singular value of independent rows, each of length one


@dataclass(frozen=True)
class Case:
    """A model at a start that its joints allow."""

    seed: int
    family: str
    model: ch.Model

    @property
    def has_kinks(self) -> bool:
        """Whether a force has a kink, at which methods lose their order."""
        return any(
            isinstance(force, ch.Contact | ch.JointStop)
            or (isinstance(force, ch.Motor) and force.limit is not None)
            for force in self.model.forces
        )


def random_case(seed: int, family: str | None = None) -> Case:
    """The same model for the same seed."""
    family = family or FAMILIES[seed % len(FAMILIES)]
    for attempt in range(100):
        rng = np.random.default_rng((seed, attempt))
        bodies, joints = STRUCTURES[family](rng)
        model = ch.Model(bodies, joints, gravity=rng.normal(size=3) * 5.0)
        model = set_in_motion(rng, with_forces(rng, with_drivers(rng, model)))
        if is_gentle(model):
            break
    return Case(seed, family, model)


# --- structures -----------------------------------------------------------------------------------


def rotor(rng: Any, kind: str) -> dict[str, Any]:
    """Sometimes an armature, sometimes another zero of the coordinate."""
    more: dict[str, Any] = {}
    if kind in ("spherical", "revolute", "prismatic", "helical") and rng.random() < 0.15:
        more["armature"] = rng.uniform(0.05, 0.5)
    if kind in ("revolute", "prismatic", "helical") and rng.random() < 0.2:
        more["zero"] = rng.uniform(-0.5, 0.5)
    if kind == "cylindrical" and rng.random() < 0.15:
        more["armature"] = (0.1, 0.2)
    return more


def tree(rng: Any, floating: bool = False) -> tuple[list[ch.Body], list[ch.Joint]]:
    bodies: list[ch.Body] = []
    joints: list[ch.Joint] = []
    for k in range(rng.integers(1, 5)):
        parent = (
            ch.GROUND if not bodies or rng.random() < 0.2 else bodies[rng.integers(len(bodies))]
        )
        if floating and bodies:
            parent = bodies[rng.integers(len(bodies))]
        origin = np.zeros(3) if parent is ch.GROUND else np.array(parent.position)
        body = random_body(rng, f"body {k}", origin + rng.uniform(-0.8, 0.8, size=3))
        if not (floating and not bodies):
            kind = str(rng.choice(KINDS))
            joints.append(
                random_joint(rng, kind, f"joint {k}", parent, body, more=rotor(rng, kind))
            )
        bodies.append(body)
    return bodies, joints


def floating(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    return tree(rng, floating=True)


def loop(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """A tree, and one or two joints more that leave it some freedom."""
    bodies, joints = tree(rng, floating=bool(rng.random() < 0.3))
    for k in range(rng.integers(1, 3)):
        for _ in range(6):  # some close nothing that could still move
            b = bodies[rng.integers(len(bodies))]
            others: list[Any] = [ch.GROUND, *(body for body in bodies if body is not b)]
            a = others[rng.integers(len(others))]
            closing = random_joint(rng, str(rng.choice(CLOSING)), f"closing {k}", a, b)
            if stays_free(ch.Model(bodies, [*joints, closing])):
                joints.append(closing)
                break
    return bodies, joints


def redundant(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """Rows that repeat each other in every pose."""
    return REDUNDANT[rng.integers(len(REDUNDANT))](rng)


def four_bar(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """Parallel hinges around a loop of four or five links: three rows too many."""
    normal = unit(rng)
    x = np.cross(normal, unit(rng))
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    corners = [
        p[0] * x + p[1] * y for p in ((0, 0), (0.1, 0.5), (0.4, 0.8), (0.9, 0.6), (1.0, 0.0))
    ]
    if rng.random() < 0.5:
        corners.pop(2)
    bodies = [
        random_body(rng, f"link {k}", (p + q) / 2 + rng.uniform(-0.1, 0.1, size=3))
        for k, (p, q) in enumerate(pairwise(corners))
    ]
    chain = [ch.GROUND, *bodies, ch.GROUND]
    return bodies, [
        ch.Revolute(f"pin {k}", chain[k], chain[k + 1], at=p, axis=normal)
        for k, p in enumerate(corners)
    ]


def wrist(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """Four hinges through one point, a spherical four-bar: three rows too many."""
    centre = rng.normal(size=3)
    axes = [np.array(a) for a in ((1, 0, 0.1), (0.2, 1, 0.1), (0.5, 0.7, 0.8), (0.9, 0.1, 0.9))]
    bodies = [random_body(rng, f"link {k}", centre + rng.normal(size=3) * 0.3) for k in range(3)]
    chain = [ch.GROUND, *bodies, ch.GROUND]
    return bodies, [
        ch.Revolute(f"pin {k}", chain[k], chain[k + 1], at=centre, axis=axis)
        for k, axis in enumerate(axes)
    ]


def door(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """Two or three hinges on one line, and something that hangs on the door."""
    axis, at = unit(rng), rng.normal(size=3)
    leaf = random_body(rng, "door", at + rng.uniform(-0.5, 0.5, size=3))
    knob = random_body(rng, "knob", np.array(leaf.position) + rng.uniform(-0.3, 0.3, size=3))
    hinges = [
        ch.Revolute(f"hinge {k}", ch.GROUND, leaf, at=at + k * axis, axis=axis)
        for k in range(rng.integers(2, 4))
    ]
    kind = str(rng.choice(("spherical", "revolute", "universal", "point on plane")))
    return [leaf, knob], [*hinges, random_joint(rng, kind, "neck", leaf, knob)]


def repeated(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """A tree of which one joint is there twice."""
    bodies, joints = tree(rng)
    if not joints:
        return door(rng)
    first = joints[0]
    return bodies, [*joints, replace(first, name="again", **unrotored(first))]


def unrotored(joint: ch.Joint) -> dict[str, Any]:
    return {"armature": 0.0} if joint.rotors else {}


def rails(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """A sledge on two rails, and a bogie on it in two sleeves on one shaft."""
    axis, at = unit(rng), rng.normal(size=3)
    sledge, bogie = (
        random_body(rng, n, at + rng.normal(size=3) * 0.4) for n in ("sledge", "bogie")
    )
    shaft = unit(rng)
    return [sledge, bogie], [
        ch.Prismatic("left", ch.GROUND, sledge, at=at, axis=axis),
        ch.Prismatic("right", ch.GROUND, sledge, at=at + unit(rng), axis=axis),
        ch.Cylindrical("front", sledge, bogie, at=at, axis=shaft),
        ch.Cylindrical("rear", sledge, bogie, at=at + 0.5 * shaft, axis=shaft),
    ]


def geared(rng: Any) -> tuple[list[ch.Body], list[ch.Joint]]:
    """Wheels on bearings in the ground, in mesh, and something on one of them."""
    axes = unit(rng), unit(rng)
    wheels = [random_body(rng, f"wheel {k}", rng.normal(size=3)) for k in range(2)]
    joints: list[ch.Joint] = [
        random_joint(rng, kind, f"bearing {k}", ch.GROUND, wheel, axis=axis, more=rotor(rng, kind))
        for k, (wheel, axis, kind) in enumerate(zip(wheels, axes, ("revolute", "cylindrical")))
    ]
    ratio = float(rng.uniform(0.4, 2.0) * rng.choice((-1, 1)))
    joints.append(ch.Gear("mesh", *wheels, axis=axes[0], axis_b=axes[1], ratio=ratio))
    arm = random_body(rng, "arm", np.array(wheels[0].position) + rng.uniform(-0.5, 0.5, size=3))
    joints.append(random_joint(rng, str(rng.choice(KINDS)), "wrist", wheels[0], arm))
    return [*wheels, arm], joints


REDUNDANT = (four_bar, wrist, door, repeated, rails)
STRUCTURES: dict[str, Callable[[Any], tuple[list[ch.Body], list[ch.Joint]]]] = {
    "tree": tree,
    "floating": floating,
    "loop": loop,
    "redundant": redundant,
    "geared": geared,
}


# --- what acts ------------------------------------------------------------------------------------


def with_drivers(rng: Any, model: ch.Model) -> ch.Model:
    """Sometimes a driver, a driven point, or a coupling; only where freedom is left."""
    for _ in range(rng.integers(0, 3)):
        made = random_driver(rng, model, f"driver {len(model.drivers)}")
        if made is None:
            continue
        try:
            more = model.with_parts(drivers=[made])
        except ch.ChaslesError:  # what is driven already
            continue
        if adds_a_row(model, more):
            model = more
    return model


def random_driver(rng: Any, model: ch.Model, name: str) -> Any:
    known = [(joint, word) for joint in model.joints for word in joint.coordinates]
    kind = str(rng.choice(("driver", "point", "coupling", "custom coupling")))
    if kind == "driver" and known:
        joint, word = known[rng.integers(len(known))]
        motion = ch.Signal.sine(0.2, 1.0, offset=joint.at_start(word))
        if rng.random() < 0.5:
            zero = joint.at_start(word)
            motion = ch.Signal(
                lambda t: zero + 0.3 * t + 0.1 * np.sin(2 * t) ** 2,
                lambda t: 0.3 + 0.2 * np.sin(4 * t),
                lambda t: 0.8 * np.cos(4 * t),
            )
        return ch.Driver(name, joint, motion, word)
    if kind == "point":
        body = model.bodies[rng.integers(len(model.bodies))]
        at = np.array(body.position) + rng.uniform(-0.3, 0.3, size=3)
        return ch.PointDriver(name, body, at, unit(rng), ch.Signal.sine(0.1, 1.5))
    if kind == "coupling" and len(known) > 1:
        picked = [known[k] for k in rng.permutation(len(known))[: rng.integers(2, 4)]]
        powers = [tuple(rng.uniform(0.5, 2.0, size=rng.integers(1, 3))) for _ in picked]
        offset = sum(
            sum(c * joint.at_start(word) ** k for k, c in enumerate(coefficients, 1))
            for (joint, word), coefficients in zip(picked, powers)
        )
        terms = [(joint, word, c) for (joint, word), c in zip(picked, powers)]
        return ch.Coupling(name, terms, offset)
    if kind == "custom coupling" and len(model.bodies) > 1:
        return ch.CustomCoupling(name, model.bodies[:2], level_sum(rng, model.bodies[:2]))
    return None


def level_sum(rng: Any, bodies: Any) -> Callable[..., Any]:
    """The heights of two bodies and a square of one keep their sum."""
    up = unit(rng)
    first, second = (float(up @ np.array(body.position)) for body in bodies)

    def formula(left: Any, right: Any) -> Any:
        one = sum(u * x for u, x in zip(up.tolist(), left[1])) - first
        two = sum(u * x for u, x in zip(up.tolist(), right[1])) - second
        return one + two + 0.5 * one * one

    return formula


def with_forces(rng: Any, model: ch.Model) -> ch.Model:
    bodies = list(model.bodies)
    driven = {(d.joint, d.coordinate) for d in model.drivers if isinstance(d, ch.Driver)}
    jointed = [
        joint
        for joint in model.joints
        if joint.coordinates and not any((joint.name, w) in driven for w in joint.coordinates)
    ]
    forces: list[ch.Force] = []
    for k in range(rng.integers(0, 4)):
        if jointed and rng.random() < 0.6:
            joint = jointed[rng.integers(len(jointed))]
            kind = str(rng.choice(JOINT_FORCES))
            zero = joint.at_start(joint.coordinates[0])
            forces.append(random_joint_force(rng, kind, f"force {k}", joint, zero))
        else:
            kind = str(rng.choice(BODY_FORCES))
            forces.append(random_body_force(rng, kind, f"force {k}", bodies))
    return model.with_parts(forces=forces)


# --- starts ---------------------------------------------------------------------------------------


def unit_rows(model: ch.Model) -> Any:
    mechanism = Mechanism(model)
    rows = mechanism.rows(0.0, mechanism.entered())
    found = np.array([row.slope for row in rows]).reshape(len(rows), 6 * len(model.bodies))
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-300)


def stays_free(model: ch.Model) -> bool:
    """Whether all rows are independent by the margin, and something can still move."""
    rows = unit_rows(model)
    return rows.shape[0] < rows.shape[1] and least(rows) > MARGIN


def least(rows: Any) -> float:
    values = np.linalg.svd(rows, compute_uv=False)
    return float(values.min(initial=1.0)) if len(rows) <= rows.shape[1] else 0.0


def adds_a_row(model: ch.Model, more: ch.Model) -> bool:
    """Whether the new row says something new, by the margin, and leaves some freedom."""
    before, after = unit_rows(model), unit_rows(more)
    rank = independent(before)
    return independent(after) == rank + 1 < before.shape[1]


def independent(rows: Any) -> int:
    """How many rows say something new; -1 where one does so by less than the margin."""
    values = np.linalg.svd(rows, compute_uv=False)
    clearly = int((values > MARGIN).sum())
    return clearly if clearly == int((values > 1e-9).sum()) else -1


def is_gentle(model: ch.Model) -> bool:
    """Whether it starts with speeds and accelerations that a few steps resolve."""
    mechanism = Mechanism(model)
    state = mechanism.entered()
    speed = np.abs(mechanism.bodies_at(state).velocities).max()
    return bool(speed < 8.0 and np.abs(mechanism.solved(0.0, state)[0]).max() < 100.0)


def set_in_motion(rng: Any, model: ch.Model) -> ch.Model:
    """Random velocities, made such that the joints and drivers allow them."""
    mechanism = Mechanism(model)
    state = mechanism.entered()
    body_part = state[: WIDTH * mechanism.count].reshape(-1, WIDTH)
    wanted = rng.normal(size=(mechanism.count, 6)).ravel() * 1.5
    rows = mechanism.rows(0.0, state)
    if rows:
        slope = np.array([row.slope for row in rows])
        rate = np.array([row.rate for row in rows])
        wanted -= np.linalg.pinv(slope, rcond=1e-10) @ (slope @ wanted + rate)
    body_part[:, WIDTH - 6 :] = wanted.reshape(-1, 6)
    moving = [
        replace(
            body,
            velocity=row[WIDTH - 6 : SPIN],
            angular_velocity=np.array(body.rotation).T @ row[SPIN:],
        )
        for body, row in zip(model.bodies, body_part)
    ]
    return replace(model, bodies=moving)
