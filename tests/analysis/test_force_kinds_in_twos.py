"""Every analysis takes every kind of force in twos, or refuses it by name.

Two of a kind go through the stacks of the derivatives; numbers that differ from one to the other
are what a law with a branch has to cope with.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chasles as ch

SLEDGES = ("left", "right")


def pair() -> tuple[list[ch.Body], list[ch.Joint]]:
    """Two boxes on hinges, each with its own length, hanging askew."""
    bodies = [
        ch.Body.box(name, (0.3, 0.2, 0.1), mass=1.0 + k, position=(0.4 + 0.1 * k, k, -0.05))
        for k, name in enumerate(SLEDGES)
    ]
    return bodies, [
        ch.Revolute(f"hinge {body.name}", ch.GROUND, body, at=(0, k, 0), axis="y")
        for k, body in enumerate(bodies)
    ]


def push(t: float, position: Any, rotation: Any, velocity: Any, omega: Any) -> Any:
    return (0.0, 0.0, 3.0 - position[2] - 0.5 * velocity[2]), (0.0, 0.0, 0.0)


def bumper(t: float, q: float, rate: float) -> float:
    return -20.0 * q - 5.0 * q**3 - rate


Maker = Callable[[int, ch.Body, ch.Joint], ch.Force]
KINDS: dict[str, Maker] = {
    "spring": lambda k, body, joint: ch.Spring(
        f"f{k}", ch.GROUND, body, at=(0.4, k, 0.5), at_b=(0.4, k, 0), stiffness=40.0 + k, damping=1
    ),
    "bushing": lambda k, body, joint: ch.Bushing(
        f"f{k}", ch.GROUND, body, at=(0.4, k, 0), stiffness=[90 + k] * 3 + [3] * 3, damping=[1] * 6
    ),
    "load": lambda k, body, joint: ch.Load(f"f{k}", body, force=(0, 0, 5.0 + k)),
    "load in body axes": lambda k, body, joint: ch.Load(
        f"f{k}", body, force=(0, 0, 5.0 + k), frame="body"
    ),
    "drag": lambda k, body, joint: ch.Drag(f"f{k}", body, linear=1.0 + k, quadratic=0.5),
    "contact": lambda k, body, joint: ch.Contact(
        f"f{k}", ch.GROUND, body, at=(0, 0, -0.09 - 0.02 * k), stiffness=1e3 * (1 + k),
        dissipation=0.2, friction=0.3, slip=0.1,
    ),
    "ball contact": lambda k, body, joint: ch.Contact(
        f"f{k}", ch.GROUND, body, at=(0.4, k, -0.4), radius=0.3 + 0.01 * k, shape=ch.Sphere(0.08),
        stiffness=2e3, hertz=10.0,
    ),
    "custom": lambda k, body, joint: ch.CustomForce(f"f{k}", body, push),
    "joint spring": lambda k, body, joint: ch.JointSpring(f"f{k}", joint, 20.0 + k, 1.0),
    "friction": lambda k, body, joint: ch.JointFriction(f"f{k}", joint, 0.5 + k, smoothing=0.1),
    "stop": lambda k, body, joint: ch.JointStop(
        f"f{k}", joint, -0.1 - k, 0.02 + 0.01 * k, stiffness=500.0, damping=1.0
    ),
    "law": lambda k, body, joint: ch.JointLaw(f"f{k}", joint, bumper),
    "motor": lambda k, body, joint: ch.Motor(f"f{k}", joint, effort=-2.0 - k, limit=5.0 + k),
    "servo": lambda k, body, joint: ch.Servo(
        f"f{k}", joint, target=0.1, stiffness=50.0 + k, damping=2.0, limit=(-9.0, 9.0 + k)
    ),
}  # fmt: skip


def with_two(kind: str) -> ch.Model:
    bodies, joints = pair()
    return ch.Model(
        bodies, joints, [KINDS[kind](k, *both) for k, both in enumerate(zip(bodies, joints))]
    )


ANALYSES: dict[str, Callable[[ch.Model], Any]] = {
    "equilibrium": ch.equilibrium,
    "linearise": ch.linearise,
    "equations": ch.equations,
    "joint dynamics": ch.joint_dynamics,
    "gradient": lambda model: ch.gradient(
        model, lambda run: run.position("left")[-1, 2], ["left.mass"], 0.005, 1e-3
    ),
    "ensemble": lambda model: ch.ensemble(
        model, {"left.mass": np.array([1.0, 1.2])}, 0.005, 1e-3, threads=1
    ),
    "rk4": lambda model: ch.simulate(model, 0.02, 1e-3),
    "generalized-alpha": lambda model: ch.simulate(model, 0.02, 1e-3, method="generalized-alpha"),
    "linearly-implicit": lambda model: ch.simulate(model, 0.02, 1e-3, method="linearly-implicit"),
}


def marks_of(analysis: str, kind: str) -> Any:
    return pytest.mark.slow if analysis == "linearly-implicit" else ()  # a kernel of its own


CASES = [
    pytest.param(analysis, kind, marks=marks_of(analysis, kind))
    for analysis in ANALYSES
    for kind in KINDS
]


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("analysis, kind", CASES)
def test_two_forces_of_a_kind_are_taken_or_refused_by_name(analysis, kind):
    try:
        ANALYSES[analysis](with_two(kind))
    except ch.ChaslesError as refused:
        assert "f0" in str(refused) or "f1" in str(refused) or analysis == "equilibrium"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["contact", "ball contact", "stop", "motor", "servo"])
def test_two_at_once_rest_where_each_does_alone(kind):
    """Each box hangs on its own hinge, so that the other one changes nothing."""
    together = ch.equilibrium(with_two(kind)).state
    bodies, joints = pair()
    for k, body in enumerate(bodies):
        alone = ch.equilibrium(ch.Model([body], [joints[k]], [KINDS[kind](k, body, joints[k])]))
        np.testing.assert_allclose(together.position[k], alone.state.position[0], atol=1e-9)
