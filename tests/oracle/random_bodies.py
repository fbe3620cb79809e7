"""Random bodies, and joints of every kind between them, closed at the start."""

from typing import Any

import numpy as np
from oracle.jets import Jet
from oracle.rows import up_in_disc
from scipy.spatial.transform import Rotation

import chasles as ch

LOWER = ("spherical", "revolute", "prismatic", "cylindrical", "helical", "planar", "fixed")
OTHER = (
    "universal", "constant velocity", "distance", "point on line", "point on plane", "cartesian",
    "custom", "rolling sphere", "rolling disc",
)  # fmt: skip
KINDS = (*LOWER, *OTHER)


def unit(rng: np.random.Generator) -> Any:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_body(rng: np.random.Generator, name: str, position: Any) -> ch.Body:
    """A box whose axes are not the body's."""
    mass = rng.uniform(0.5, 3.0)
    x, y, z = rng.uniform(0.2, 0.8, size=3) ** 2
    axes = Rotation.random(rng=rng).as_matrix()
    inertia = axes @ np.diag(mass / 12.0 * np.array((y + z, z + x, x + y))) @ axes.T
    rotation = Rotation.random(rng=rng).as_matrix()
    return ch.Body(name, mass, (inertia + inertia.T) / 2.0, position, rotation)


def point_keeps_height(body: Any, other: ch.Body, at: Any, normal: Any) -> Any:
    """A formula: a point of `other` stays in the plane of `body`, and its z axis at one angle."""
    turn = np.eye(3) if body is ch.GROUND else np.array(body.rotation)
    place = np.zeros(3) if body is ch.GROUND else np.array(body.position)
    foot, up = turn.T @ (at - place), turn.T @ normal
    tip = np.array(other.rotation).T @ (at - np.array(other.position))
    lean = float(normal @ np.array(other.rotation)[:, 2])

    def formula(pose_a: Any, pose_b: Any) -> Any:
        turn_a, turn_b = np.reshape(pose_a[0], (3, 3)), np.reshape(pose_b[0], (3, 3))
        apart = np.array(pose_b[1]) + turn_b @ tip - np.array(pose_a[1]) - turn_a @ foot
        return (turn_a @ up) @ apart, (turn_a @ up) @ turn_b[:, 2] - lean

    return formula


def still(vector: Any) -> Jet:
    return Jet(np.array(vector), np.zeros(3), None, None)


def random_joint(
    rng: np.random.Generator,
    kind: str,
    name: str,
    a: Any,
    b: ch.Body,
    at: Any = None,
    axis: Any = None,
    more: dict[str, Any] | None = None,
) -> ch.Joint:
    """A joint of one kind from a (a body or the ground) to b; half of them the other way round."""
    position = np.array(b.position)
    at = position + rng.uniform(-0.5, 0.5, size=3) if at is None else np.asarray(at)
    axis = unit(rng) if axis is None else np.asarray(axis)
    pair: tuple[Any, Any] = (a, b)
    if rng.random() < 0.3 and kind not in ("custom", "rolling sphere", "rolling disc"):
        pair = (b, a)
    more = more or {}
    made = {
        "spherical": lambda: ch.Spherical(name, *pair, at=at, **more),
        "revolute": lambda: ch.Revolute(name, *pair, at=at, axis=axis, **more),
        "prismatic": lambda: ch.Prismatic(name, *pair, at=at, axis=axis, **more),
        "cylindrical": lambda: ch.Cylindrical(name, *pair, at=at, axis=axis, **more),
        "helical": lambda: ch.Helical(
            name, *pair, at=at, axis=axis, pitch=rng.uniform(0.1, 0.5) * rng.choice((-1, 1)), **more
        ),
        "planar": lambda: ch.Planar(name, *pair, at=at, axis=axis),
        "fixed": lambda: ch.Fixed(name, *pair, at=at),
        "universal": lambda: ch.Universal(
            name, *pair, at=at, axis=axis, axis_b=np.cross(axis, unit(rng))
        ),
        "constant velocity": lambda: ch.ConstantVelocity(name, *pair, at=at, axis=axis),
        "distance": lambda: ch.Distance(
            name, *pair, at=at, at_b=at + rng.uniform(0.3, 0.8) * unit(rng)
        ),
        "point on line": lambda: ch.PointOnLine(name, *pair, at=at, axis=axis),
        "point on plane": lambda: ch.PointOnPlane(name, *pair, at=at, axis=axis),
        "cartesian": lambda: ch.Cartesian(name, *pair, at=at),
        "custom": lambda: ch.CustomJoint(
            name, a, b, point_keeps_height(a, b, at, axis), rows=2, at=at
        ),
        "rolling sphere": lambda: rolling_sphere(rng, name, a, b, axis),
        "rolling disc": lambda: rolling_disc(rng, name, a, b, axis),
    }
    return made[kind]()


def rolling_sphere(rng: Any, name: str, a: Any, b: ch.Body, normal: Any) -> ch.Joint:
    radius = rng.uniform(0.1, 0.4)
    at = np.array(b.position) - radius * normal
    return ch.RollingSphere(name, a, b, at=at, axis=normal, radius=radius)


def rolling_disc(rng: Any, name: str, a: Any, b: ch.Body, normal: Any) -> ch.Joint:
    """It stands more upright than flat."""
    radius = rng.uniform(0.2, 0.4)
    along = np.cross(normal, unit(rng))
    along = along / np.linalg.norm(along) + rng.uniform(-0.5, 0.5) * normal
    along /= np.linalg.norm(along)
    up, _ = up_in_disc(still(normal), still(along))
    at = np.array(b.position) - radius * up
    return ch.RollingDisc(name, a, b, at=at, axis=normal, axis_b=along, radius=radius)
