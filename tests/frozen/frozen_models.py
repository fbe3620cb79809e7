"""The models of the kept runs by name: those of the paper, the library, the gallery, and larger."""

import importlib.util
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np

import chasles as ch
from chasles.studies import gallery

SCRIPTS = Path(__file__).parent.parent.parent / "examples" / "gallery"
Builder = Callable[[], ch.Model]

PAPER: dict[str, Builder] = {
    "heavy top": gallery.heavy_top,
    "double pendulum": gallery.double_pendulum,
    "floating pair": gallery.floating_pair,
    "three-bar": gallery.three_bar,
}


@cache
def script(name: str) -> ModuleType:
    """A script of examples/gallery, loaded without being run."""
    spec = importlib.util.spec_from_file_location(f"frozen_{name}", SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scripted(name: str) -> ch.Model:
    """The model of a script."""
    module = script(name)
    return module.build() if hasattr(module, "build") else module.model


# --- large ones -----------------------------------------------------------------------------------


def net(size: int, flat: bool = False) -> ch.Model:
    """A body at every node of a square, a ball halfway along every edge, one on the ground.

    A flat one is singular where it starts: its rows depend on each other there, and only there.
    """
    bodies, joints = {}, []
    for x, y in np.ndindex(size, size):
        at = (0.2 * x, 0.2 * y, 0.0 if flat else 0.04 * np.sin(2.3 * x + 1.7 * y * y))
        body = ch.Body.box(f"{x} {y}", size=(0.2, 0.2, 0.05), mass=1.0, position=at)
        bodies[x, y] = body
        for other in ((x - 1, y), (x, y - 1)):
            if other in bodies:
                middle = (np.array(bodies[other].position) + at) / 2
                name = f"{bodies[other].name} to {body.name}"
                joints.append(ch.Spherical(name, bodies[other], body, at=middle))
    joints.append(ch.Spherical("hook", ch.GROUND, bodies[0, 0], at=(0, 0, 0.1)))
    return ch.Model(bodies.values(), joints)


def tower(storeys: int) -> ch.Model:
    """Storeys of two legs on balls and a deck, each on the one below."""
    bodies, joints = [], []
    below: ch.Body | str = ch.GROUND.name
    for k in range(storeys):
        deck = ch.Body.box(
            f"deck {k}", (0.6, 0.4, 0.05), mass=1.0, position=(0.02 * k, 0, 0.5 * k + 0.5)
        )
        for side, x in (("left", -0.25), ("right", 0.25)):
            foot, head = np.array((x + 0.02 * k, 0, 0.5 * k)), np.array((x, 0.03, 0.5 * k + 0.5))
            leg = ch.Body.rod(f"{side} {k}", mass=0.3, radius=0.02, between=(foot, head))
            joints.append(ch.Spherical(f"{side} foot {k}", below, leg, at=foot))
            joints.append(ch.Spherical(f"{side} head {k}", leg, deck, at=head))
            bodies.append(leg)
        bodies.append(deck)
        below = deck
    return ch.Model(bodies, joints)


def mounted() -> ch.Model:
    """A pendulum on a cart on stiff springs, with friction, a motor and a damper."""
    cart = ch.Body.box("cart", (0.4, 0.2, 0.1), mass=5.0, position=(0, 0, 0))
    arm = ch.Body.rod("arm", length=0.6, mass=1.0, position=(0, 0, -0.3), axis="z")
    bob = ch.Body.sphere("bob", 0.1, mass=2.0, position=(0, 0, -0.7))
    joints = [
        ch.Prismatic("rail", ch.GROUND, cart, axis=(1, 0, 0)),
        ch.Revolute("pin", cart, arm, at=(0, 0, 0), axis=(0, 1, 0)),
        ch.Spherical("ball", arm, bob, at=(0, 0, -0.6)),
    ]
    forces = [
        ch.JointSpring("mount", "rail", stiffness=2e4, damping=50.0, rest=0.02),
        ch.Motor("motor", "pin", effort=1.5),
        ch.Spring("rope", ch.GROUND, bob, (0.5, 0.2, -0.5), (0, 0, -0.7), stiffness=300.0),
        ch.Drag("air", bob, linear=0.3),
    ]
    return ch.Model([cart, arm, bob], joints, forces)


CHAINS: dict[str, Builder] = {
    "chain of 4 balls": partial(gallery.chain, 4, spin=6.0),
    "chain of 16 hinges": partial(gallery.chain, 16, "revolute", spin=2.0),
    "chain of 64 balls": partial(gallery.chain, 64),
    "star of 6": partial(gallery.star, 6, spin=6.0),
    "star of 24": partial(gallery.star, 24),
    "platform and top": gallery.platform_top,
    **{f"tree {seed}": partial(gallery.random_tree, seed, bodies=7) for seed in (1, 2, 3)},
    "floating tree": partial(gallery.random_tree, 4, bodies=5, floating=True),
}
LOOPS: dict[str, Builder] = {
    "slider-crank": gallery.slider_crank,
    **{f"loop {seed}": partial(gallery.random_loop, seed) for seed in (1, 2, 3)},
    "tower of 3": partial(tower, 3),
    "tower of 12": partial(tower, 12),
    "net of 3 x 3": partial(net, 3),
    "net of 5 x 5": partial(net, 5),
}
