"""Motors and servos that a controller feeds move as the oracle says, from sample to sample."""

from typing import Any

import numpy as np
import pytest
from oracle.comparing import numbers_of, oracle_numbers
from oracle.mechanism import Mechanism

import chasles as ch

UNTIL, SAMPLE = 0.2, 0.02


def arm(*forces: ch.Force) -> ch.Model:
    upper = ch.Body.rod("upper", length=0.6, mass=2.0, position=(0.3, 0, 0))
    lower = ch.Body.rod("lower", length=0.4, mass=1.0, position=(0.8, 0, 0))
    shoulder = ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis=(0.2, 1, 0.1))
    elbow = ch.Revolute("elbow", upper, lower, at=(0.6, 0, 0), axis=(0, 1, 0.3))
    return ch.Model([upper, lower], [shoulder, elbow], forces)


def efforts(t: float, state: Any) -> dict[str, float]:
    return {
        "shoulder motor": 8.0 * (0.3 - state.coordinate("shoulder")) - state.rate("shoulder"),
        "elbow motor": float(np.sin(5.0 * t)),
    }


def targets(t: float, state: Any) -> dict[str, float]:
    return {"shoulder motor": 0.2 + 0.5 * state.coordinate("elbow"), "elbow motor": -0.4}


CASES = {
    "motors": (
        [
            ch.Motor("shoulder motor", "shoulder", effort=0.5, gear=1.3),
            ch.Motor("elbow motor", "elbow", effort=ch.Signal.sine(0.4, 2.0)),
        ],
        efforts,
    ),
    "servos": (
        [
            ch.Servo("shoulder motor", "shoulder", stiffness=40.0, damping=2.0),
            ch.Servo("elbow motor", "elbow", damping=3.0),  # its input is a rate
        ],
        targets,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_controller_is_held_from_sample_to_sample(name):
    forces, controller = CASES[name]
    model = arm(*forces)
    run = ch.simulate(model, UNTIL, 1e-3, controller=controller, sample=SAMPLE)
    mechanism = Mechanism(model)
    state = mechanism.sampled(UNTIL, controller, SAMPLE)
    expected = oracle_numbers(mechanism, state)
    np.testing.assert_allclose(numbers_of(run, mechanism.angles), expected, atol=1e-9)
