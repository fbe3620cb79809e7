"""Reactions and forces balance m (a - g) on every body, and moments its angular momentum.

Over joint kinds, arrangements, spaces and methods: a door on two hinges, whose rows repeat each
other, a loop and a tree alike.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from combinations import pairwise
from oracle.balancing import out_of_balance
from oracle.comparing import is_documented
from oracle.random_bodies import KINDS, random_body, random_joint
from oracle.random_models import set_in_motion

import chasles as ch

#: Reactions by the equations of motion at the saved states, exactly; and by the method's own
#: multipliers, whose errors are of second order in the step.
BY_MOTION = ("rk4", "gauss4", "half-explicit", "linearly-implicit")
OWN = ("generalized-alpha", "generalized-alpha index 2", "bliedf2", "rattlie")
OTHERS = (*BY_MOTION[1:], *OWN[1:])
SPACES = ("auto", "SE3", "SO3xR3", "SE3 relative")
ARRANGEMENTS = ("on the ground", "between bodies", "twice", "in a loop")
STEP, STEPS = 1e-3, 12
#: Rows of a method of low order open by 1e-8 m in these steps, and a reaction acts at the point of
#: one of the two bodies: closed again, what is left is rounding.
PROJECTED = ("linearly-implicit",)
#: Fractions of the largest force.  Multipliers of generalized-alpha miss it by 0.08 at the most
#: here (a rod between two bodies); a wrench that is left out misses it by 0.4 and more.
EXACT, SECOND_ORDER = 1e-8, 0.2


def arranged(kind: str, arrangement: str) -> ch.Model:
    rng = np.random.default_rng((KINDS.index(kind), ARRANGEMENTS.index(arrangement)))
    b = random_body(rng, "b", rng.uniform(-0.5, 0.5, size=3))
    if arrangement in ("on the ground", "twice"):
        joints = [random_joint(rng, kind, "joint", ch.GROUND, b)]
        if arrangement == "twice":
            joints.append(replace(joints[0], name="again"))
        return set_in_motion(rng, ch.Model([b], joints, acting(rng, [b], joints)))
    a = random_body(rng, "a", rng.uniform(-0.5, 0.5, size=3))
    joints = [ch.Spherical("root", ch.GROUND, a, at=rng.uniform(-0.5, 0.5, size=3))]
    joints.append(random_joint(rng, kind, "joint", a, b))
    if arrangement == "in a loop":
        at = np.array(b.position) + 0.1
        joints.append(ch.Distance("rod", ch.GROUND, b, at=at + (0.6, 0.2, 0.3), at_b=at))
    return set_in_motion(rng, ch.Model([a, b], joints, acting(rng, [a, b], joints)))


def acting(rng: Any, bodies: list[ch.Body], joints: list[ch.Joint]) -> list[ch.Force]:
    """Forces that act on one body, on two, and along a coordinate."""
    at = np.array(bodies[-1].position)
    forces: list[ch.Force] = [
        ch.Drag("air", bodies[0], linear=0.3, angular=0.1),
        ch.Spring("coil", ch.GROUND, bodies[-1], at=at + (0.3, 0.1, 0.5), at_b=at + 0.1,
                  stiffness=20.0, damping=0.5),
    ]  # fmt: skip
    coordinated = [joint for joint in joints if joint.coordinates]
    if coordinated:
        forces.append(ch.JointSpring("spring", coordinated[0], stiffness=3.0, rest=0.4))
    return forces


def check_balance(model: ch.Model, method: str, spaces: str) -> None:
    try:
        result = ch.simulate(
            model, STEPS * STEP, STEP, method=method, spaces=spaces,
            stabilise="projection" if method in PROJECTED else None,
        )  # fmt: skip
    except ch.ChaslesError as error:
        if not is_documented(error):
            raise
        pytest.skip(str(error).splitlines()[0])
    allowed = EXACT if method in BY_MOTION else SECOND_ORDER
    assert out_of_balance(result) < allowed


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize(
    "method, spaces, arrangement, kind",
    pairwise(("rk4", "generalized-alpha"), SPACES, ARRANGEMENTS, KINDS),
)
def test_reactions_and_forces_balance(method, spaces, arrangement, kind):
    check_balance(arranged(kind, arrangement), method, spaces)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize(
    "method, spaces, arrangement, kind", pairwise(OTHERS, SPACES, ARRANGEMENTS, KINDS)
)
def test_so_they_do_with_other_methods(method, spaces, arrangement, kind):
    check_balance(arranged(kind, arrangement), method, spaces)
