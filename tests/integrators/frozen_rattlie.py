"""Where RATTLie led bodies on charts before pairs and rows were one engine: an oracle in numbers.

`rattlie_of_charts.npz` was written by this script at commit ad5dd95, whose chart kernel knew every
joint as rows, eliminated by blocks: another space, another solver, the same discrete Lagrangian.
"""

from functools import partial
from pathlib import Path

import numpy as np
from linkages import CROOKED
from mechanisms import (
    chain,
    double_pendulum,
    floating_pair,
    heavy_top,
    linkage,
    three_bar,
)
from runs import bushed_link, driven_chain

import chasles as ch

FILE = Path(__file__).with_name("rattlie_of_charts.npz")
#: Steps, and their length in s.
STEPS, STEP = 300, 1e-3


#: A planar loop of hinges: 20 rows of rank 17.
planar_loop = partial(
    linkage, CROOKED, "z", ("l0", "l1", "l2"), ("h0", "h1", "h2", "h3"), masses=(1.0, 2.0, 3.0),
    gravity=(0, -9.81, 0), radius=0.02,
)  # fmt: skip


def every_pair():
    """A chain of all lower pairs, springs with dampers between some of its bodies."""
    kinds = ("cylindrical", "planar", "prismatic", "spherical", "helical", "fixed", "revolute")
    model = chain(np.random.default_rng(8), kinds)
    spring = ch.Spring("spring", model.bodies[1], model.bodies[5], at=model.bodies[1].position,
                       at_b=model.bodies[5].position, stiffness=30.0, damping=2.0)  # fmt: skip
    return ch.Model(model.bodies, model.joints, gravity=model.gravity, forces=[spring])


MODELS = {
    "top": heavy_top,
    "pendulum": double_pendulum,
    "three-bar": three_bar,
    "four-bar": planar_loop,
    "floating": floating_pair,
    "bushing": bushed_link,
    "driven": driven_chain,
    "every pair": every_pair,
}


def end_of(model, method, space):
    """Rotations, positions and twists of all bodies after the last step, (n, 18)."""
    options = {"step": STEP, "method": method, "spaces": space, "save_every": STEPS}
    return ch.simulate(MODELS[model](), STEP * STEPS, **options).absolute[-1]


def freeze():
    """Write the file anew."""
    cases = [(m, n, s) for m in MODELS for n in ("rattlie", "rattlie4") for s in ("SE3", "SO3xR3")]
    np.savez_compressed(FILE, **{"|".join(case): end_of(*case) for case in cases})


if __name__ == "__main__":
    freeze()
