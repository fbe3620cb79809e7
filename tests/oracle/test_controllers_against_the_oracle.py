"""Motors and servos that a controller feeds move as the oracle says, from sample to sample."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from oracle.comparing import numbers_of, oracle_numbers
from oracle.jets import Floats
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


@cache
def expected(name: str) -> tuple[list[Any], Floats]:
    """Angles that the oracle tells, and all its numbers in the end."""
    forces, controller = CASES[name]
    mechanism = Mechanism(arm(*forces))
    state = mechanism.sampled(UNTIL, controller, SAMPLE)
    return mechanism.angles, oracle_numbers(mechanism, state)


@pytest.mark.parametrize("name", CASES)
def test_a_controller_is_held_from_sample_to_sample(name):
    forces, controller = CASES[name]
    run = ch.simulate(arm(*forces), UNTIL, 1e-3, controller=controller, sample=SAMPLE)
    angles, numbers = expected(name)
    np.testing.assert_allclose(numbers_of(run, angles), numbers, atol=1e-9)


PACES: dict[str, dict[str, Any]] = {
    "dopri5": {"method": "dopri5", "rtol": 1e-10},
    "dop853": {"method": "dop853", "rtol": 1e-10},
    "scipy": {"method": "scipy DOP853", "rtol": 1e-10},
    "long steps": {"method": "dop853", "rtol": 1e-6, "max_step": 1.0},
    "accuracy": {"tol": 1e-8},
}


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("name", CASES)
def test_steps_that_choose_their_length_end_at_the_samples(name, pace):
    """The controller is asked at every multiple of the sample time, once, and never else."""
    forces, controller = CASES[name]
    model, asked = arm(*forces), []

    def noted(t: float, state: Any) -> dict[str, float]:
        asked.append(t)
        return controller(t, state)

    run = ch.simulate(model, UNTIL, controller=noted, sample=SAMPLE, **PACES[pace])
    once = [k * SAMPLE for k in range(round(UNTIL / SAMPLE))]
    assert asked == once * (len(asked) // len(once))
    angles, numbers = expected(name)
    atol = 1e-5 if pace == "long steps" else 1e-8
    np.testing.assert_allclose(numbers_of(run, angles), numbers, atol=atol)


def test_samples_events_and_wanted_times_together():
    """A jump of a motor at a sample, an event between two samples, and times between steps.

    The other run has the jump in its controller, so that steps of one length see it as it is.
    """
    forces, controller = CASES["motors"]
    times = np.linspace(0.0, UNTIL, 38)

    def jumping(t: float, state: Any) -> dict[str, float]:
        return {**controller(t, state), "jump": 0.7 * (t >= 0.1)}

    def met(t: float, state: Any) -> float:
        return t - 0.131

    jump = ch.Motor("jump", "elbow", effort=lambda t: 0.7 * (t >= 0.1))
    held = ch.Motor("jump", "elbow", effort=0.0)
    asked: dict[str, Any] = {"method": "dop853", "sample": SAMPLE, "t_eval": times}
    fine = ch.simulate(arm(*forces, held), UNTIL, 1e-3, controller=jumping, **asked)
    events = [ch.Event(met, name="met")]
    run = ch.simulate(
        arm(*forces, jump), UNTIL, rtol=1e-11, events=events, controller=controller, **asked
    )
    assert run.events["met"] == pytest.approx([0.131], abs=1e-12)
    assert np.abs(run.position("lower") - fine.position("lower")).max() < 1e-9


def test_a_controller_with_tolerances_needs_a_sample_time():
    forces, controller = CASES["motors"]
    with pytest.raises(ch.ChaslesError, match="sample"):
        ch.simulate(arm(*forces), UNTIL, method="dop853", rtol=1e-6, controller=controller)
