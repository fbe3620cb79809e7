"""Reactions and forces balance m (a - g) on every body, and moments its angular momentum.

Over joint kinds, arrangements, spaces and methods: a door on two hinges, whose rows repeat each
other, a loop and a tree alike.  And over random models, with several forces, drivers, couplings,
gears and rotors.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from combinations import pairwise
from oracle import random_models
from oracle.balancing import out_of_balance
from oracle.comparing import ORDERS, is_documented, random_spaces
from oracle.random_bodies import KINDS, random_body, random_joint
from oracle.random_models import set_in_motion
from oracle.test_rotors_against_the_oracle import always

import chasles as ch

#: Reactions by the equations of motion at the saved states, exactly; and by the method's own
#: multipliers, whose errors are of second order in the step.
BY_MOTION = ("rk4", "gauss4", "half-explicit", "linearly-implicit", "cf4", "gauss2")
OWN = ("generalized-alpha", "generalized-alpha index 2", "bliedf2", "rattlie")
OTHERS = (*BY_MOTION[1:4], *OWN[1:])
METHODS = [name for name in ORDERS if name != "rk4"]
SPACES = ("auto", "SE3", "SO3xR3", "SE3 relative")
ARRANGEMENTS = ("on the ground", "between bodies", "twice", "in a loop")
#: Short steps, so that errors of multipliers, of second order in the step, are small.
STEP, STEPS = 1.25e-4, 96
#: Rows of a method of low order open by 1e-8 m in these steps, and a reaction acts at the point of
#: one of the two bodies: closed again, what is left is rounding.
PROJECTED = ("linearly-implicit",)
#: Fractions of the largest force.
EXACT, SECOND_ORDER = 1e-8, 1e-4
FEW, MANY = 20, 600


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


def check_balance(model: ch.Model, method: str, spaces: Any, **options: Any) -> bool:
    """Whether it ran; then all that it tells of its last state adds up."""
    try:
        result = ch.simulate(
            model, STEPS * STEP, STEP, method=method, spaces=spaces, save_every=STEPS,
            stabilise="projection" if method in PROJECTED else None, **options,
        )  # fmt: skip
    except ch.ChaslesError as error:
        if not is_documented(error) and "Take a smaller step" not in str(error):
            raise
        return False
    missing = out_of_balance(result)
    assert missing < (EXACT if method in BY_MOTION else SECOND_ORDER), (method, spaces, missing)
    return True


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize(
    "method, spaces, arrangement, kind",
    pairwise(("rk4", "generalized-alpha"), SPACES, ARRANGEMENTS, KINDS),
)
def test_reactions_and_forces_balance(method, spaces, arrangement, kind):
    if not check_balance(arranged(kind, arrangement), method, spaces):
        pytest.skip("refused, as the documentation says")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize(
    "method, spaces, arrangement, kind", pairwise(OTHERS, SPACES, ARRANGEMENTS, KINDS)
)
def test_so_they_do_with_other_methods(method, spaces, arrangement, kind):
    if not check_balance(arranged(kind, arrangement), method, spaces):
        pytest.skip("refused, as the documentation says")


def check_seed(monkeypatch: pytest.MonkeyPatch, seed: int) -> int:
    """How many of three runs of a random model were not refused."""
    with monkeypatch.context() as patch:
        if seed % 2:
            patch.setattr(random_models, "rotor", always)
        model = random_models.random_case(seed).model
    rng = np.random.default_rng((seed, 3))
    ran = check_balance(model, "rk4", "auto")
    for method in rng.choice(METHODS, 2, replace=False).tolist():
        options = {"rows": "all"} if rng.random() < 0.3 else {}
        ran += check_balance(model, method, random_spaces(rng, model), **options)
    return ran


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_random_models_with_couplings_drivers_and_rotors_are_in_balance(monkeypatch):
    assert sum(check_seed(monkeypatch, seed) for seed in range(FEW)) > 2.0 * FEW


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_so_are_many_more(monkeypatch):
    seeds = range(1000, 1000 + MANY)
    assert sum(check_seed(monkeypatch, seed) for seed in seeds) > 2.0 * MANY
