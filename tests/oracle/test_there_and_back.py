"""A symmetric method undoes its steps: there, turned round, and back to where it was.

Without dissipation a motion runs backwards from a state whose velocities are turned round.  A
method that claims to be symmetric does so as well, to rounding; others to their order only.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracle.random_bodies import random_body, random_joint
from oracle.random_models import set_in_motion

import chasles as ch

SYMMETRIC = ("gauss2", "gauss4", "gauss6", "rattlie", "rattlie4", "rattlie6")
#: Spaces in which joints hold, so that a run may start where another one ended.
SPACES = {"gauss": ("auto", "framed"), "rattl": ("SE3", "SO3xR3")}
STEP, STEPS = 2e-2, 15
ROUNDING = 1e-11


def grounded(rng: np.random.Generator) -> ch.Model:
    """A ball and a hinge on the ground, with a spring across."""
    a, b = (random_body(rng, name, rng.uniform(-0.5, 0.5, size=3)) for name in "ab")
    joints = [random_joint(rng, "spherical", "root", ch.GROUND, a),
              random_joint(rng, "revolute", "hinge", a, b)]  # fmt: skip
    return with_spring(rng, a, b, joints)


def floating(rng: np.random.Generator) -> ch.Model:
    """The same without the ground."""
    a, b = (random_body(rng, name, rng.uniform(-0.5, 0.5, size=3)) for name in "ab")
    return with_spring(rng, a, b, [random_joint(rng, "spherical", "hinge", a, b)])


def with_spring(rng: Any, a: ch.Body, b: ch.Body, joints: list[ch.Joint]) -> ch.Model:
    coil = ch.Spring("coil", a, b, at=np.array(a.position) + 0.2, at_b=np.array(b.position) - 0.2,
                     stiffness=30.0, rest_length=0.3)  # fmt: skip
    return set_in_motion(rng, ch.Model([a, b], joints, [coil], gravity=(0, 0, -9.81)))


def there_and_back(model: ch.Model, method: str, spaces: str) -> float:
    """How far from its start the way back ends, in m and of rotation matrices."""
    options = {"method": method, "spaces": spaces}
    there = ch.simulate(model, STEPS * STEP, STEP, **options).state()
    turned = replace(there, velocity=-there.velocity, angular_velocity=-there.angular_velocity)
    back = ch.simulate(model, STEPS * STEP, STEP, start=turned, **options).state()
    places = back.position - np.array([body.position for body in model.bodies])
    turns = back.rotation - np.array([body.rotation for body in model.bodies])
    return float(max(np.abs(places).max(), np.abs(turns).max()))


CASES = [
    (method, spaces, make)
    for method in SYMMETRIC
    for spaces in SPACES[method[:5]]
    for make in (grounded, floating)
]


@pytest.mark.parametrize("method, spaces, make", CASES)
def test_a_symmetric_method_comes_back(method, spaces, make):
    model = make(np.random.default_rng(5))
    assert there_and_back(model, method, spaces) < ROUNDING


@pytest.mark.parametrize("method", ["rk4", "generalized-alpha"])
def test_others_do_not(method):
    """So that the test above tells something."""
    assert there_and_back(grounded(np.random.default_rng(5)), method, "auto") > 100.0 * ROUNDING
