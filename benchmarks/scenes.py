"""The mechanisms that are timed, once, as plain data.

Every library builds its own model from these facts, so that all of them integrate the same
mechanism: ``models.py`` for chasles, ``peers/`` for the others.  A mechanism here is a tree of
boxes; each box hangs by one joint on its parent.  All boxes start with their axes along the world
axes, so that body and world components agree at t = 0.  SI units.
"""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

import chasles as ch
from chasles.studies import gallery

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
DOWN: Vector = (0.0, 0.0, -9.81)
BRICK: Vector = (0.2, 0.1, 0.05)  # sides of the paper's pendulum body
BRICK_MASS = 2.7


@dataclass(frozen=True)
class Link:
    """A box and the joint by which it hangs on its parent (None: the ground)."""

    name: str
    parent: str | None
    at: Vector  # joint point, world
    position: Vector  # centre of mass, world
    size: Vector = BRICK
    mass: float = BRICK_MASS
    axis: Vector | None = None  # None: spherical joint, else revolute about this axis
    angular_velocity: Vector = ZERO
    velocity: Vector = ZERO  # of the centre of mass

    @property
    def inertia(self) -> Vector:
        """Principal moments of the box about its centre of mass."""
        a, b, c = (side * side for side in self.size)
        return (self.mass * (b + c) / 12, self.mass * (a + c) / 12, self.mass * (a + b) / 12)


@dataclass(frozen=True)
class Scene:
    """A tree of links, parents before children, under gravity."""

    name: str
    links: tuple[Link, ...]
    gravity: Vector = DOWN


def scene_of(name: str, model: ch.Model) -> Scene:
    """The facts of a tree of boxes on spherical and revolute joints, parents before children."""
    links = []
    for body, joint in zip(model.bodies, model.joints, strict=True):
        (box,) = body.shapes
        spin, lever = body.angular_velocity or ZERO, np.subtract(body.position, joint.at)
        links.append(
            Link(
                body.name,
                parent=None if joint.a == ch.GROUND.name else joint.a,
                at=joint.at,
                position=body.position,
                size=box.size,
                mass=body.mass,
                axis=joint.axis if isinstance(joint, ch.Revolute) else None,
                angular_velocity=spin,
                velocity=body.velocity or tuple(np.cross(spin, lever).tolist()),
            )
        )
    return Scene(name, tuple(links), gravity=model.gravity)


def heavy_top() -> Scene:
    """A box on a spherical pivot, fast, without gravity."""
    return scene_of("heavy top", gallery.heavy_top())


def double_pendulum() -> Scene:
    """Two boxes in a row on spherical joints, fast, under gravity."""
    return scene_of("double pendulum", gallery.double_pendulum())


def spherical_chain(length: int) -> Scene:
    """A straight, horizontal chain, held at one end and released at rest."""
    return scene_of(f"spherical chain {length}", gallery.chain(length))


def revolute_chain(length: int) -> Scene:
    """The same chain on hinges; neighbouring axes are never parallel, so the motion is spatial."""
    return scene_of(f"revolute chain {length}", gallery.chain(length, "revolute"))


def star(arms: int) -> Scene:
    """Many arms on one hub: eliminating the hub first would fill the whole matrix."""
    hub = Link("hub", None, ZERO, (0.0, 0.0, -0.05), mass=BRICK_MASS * arms)
    spokes = ((cos(2 * pi * i / arms), sin(2 * pi * i / arms)) for i in range(arms))
    tips = (
        Link(f"arm{i}", "hub", at=(0.1 * x, 0.1 * y, -0.05), position=(0.2 * x, 0.2 * y, -0.05))
        for i, (x, y) in enumerate(spokes)
    )
    return Scene(f"star {arms}", (hub, *tips))


def random_tree(size: int, seed: int = 1) -> Scene:
    """Each body hangs on a random earlier one, by a spherical or a revolute joint."""
    rng = np.random.default_rng(seed)
    links: list[Link] = []
    for i in range(size):
        parent = links[rng.integers(i)] if i else None
        at = stride(parent.position if parent else ZERO, rng)
        links.append(
            Link(
                f"body{i}",
                parent=parent.name if parent else None,
                at=at,
                position=stride(at, rng),
                axis=stride(ZERO, rng) if rng.random() < 0.5 else None,
            )
        )
    return Scene(f"random tree {size}", tuple(links))


def stride(start: Vector, rng: np.random.Generator, length: float = 0.1) -> Vector:
    """The point that lies ``length`` from the start in a random direction."""
    direction = rng.normal(size=3)
    x, y, z = (float(c) for c in start + length * direction / np.linalg.norm(direction))
    return (x, y, z)
