"""Forces that give no number: named with the time, within a step, and what was reached is kept."""

import math

import numpy as np
import pytest
from mechanisms import pendulum

import chasles as ch

NAN, X, NOTHING = float("nan"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
BALL = ch.Body.sphere("ball", radius=0.1, mass=1.0, velocity=(1, 0, 0))


def stopped(force, **options):
    """The error with which a run of a ball under a force stops."""
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(ch.Model([BALL], forces=[force]), until=1.0, step=1e-2, **options)
    result = caught.value.result
    assert np.isfinite(result.absolute).all() and result.status == "stopped"
    return caught.value


def nan_later(t, position, rotation, velocity, angular_velocity):
    if t < 0.305:
        return (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return (math.nan, 0.0, 0.0), (0.0, 0.0, 0.0)


def infinite_later(t, position, rotation, velocity, angular_velocity):
    return (1.0 / max(0.305 - t, 0.0), 0.0, 0.0), (0.0, 0.0, 0.0)


def raising_later(t, position, rotation, velocity, angular_velocity):
    if t > 0.305:
        raise ValueError("out of range")
    return (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "formula, said",
    [
        (nan_later, ["the force at t = 0.30", "nan"]),
        (infinite_later, ["ZeroDivisionError", "t = 0.3"]),
        (raising_later, ["ValueError", "out of range"]),
    ],
)
def test_a_formula_that_fails_on_the_way_is_named(formula, said, compiled):
    error = stopped(ch.CustomForce("wind", BALL, formula, compiled=compiled))
    for part in ["force 'wind'", *said]:
        assert part in str(error)
    assert error.result.t[-1] == pytest.approx(0.3, abs=0.011)


def steady(t, position, rotation, velocity, angular_velocity):
    return (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_healthy_formula_is_not_blamed(compiled):
    forces = [
        ch.CustomForce("calm", BALL, steady, compiled=compiled),
        ch.CustomForce("wind", BALL, nan_later, compiled=compiled),
    ]
    with pytest.raises(ch.SimulationStopped, match="force 'wind'"):
        ch.simulate(ch.Model([BALL], forces=forces), until=1.0, step=1e-2)


@pytest.mark.parametrize(
    "formula, said",
    [
        (lambda t, *motion: (X, (0.0, 0.0)), ["the torque", "(2,)"]),
        (lambda t, *motion: X, ["returned (1.0, 0.0, 0.0)", "two vectors"]),
        (lambda t, *motion: None, ["returned None"]),
        (lambda t, *motion: ("up", X), ["the force", "'up'"]),
        (lambda t: (X, X), ["TypeError", "formula(t, position"]),
    ],
)
def test_a_formula_of_the_wrong_shape_is_named_with_the_model(formula, said, refusal):
    forces = [ch.CustomForce("wind", BALL, formula)]
    message = refusal(lambda: ch.Model([BALL], forces=forces), ch.InvalidForce)
    for part in ["force 'wind'", "t = 0 s", *said]:
        assert part in message


def test_a_formula_that_changes_its_mind_is_named_at_the_first_step():
    answers = iter([(X, NOTHING)])
    error = stopped(ch.CustomForce("wind", BALL, lambda t, *motion: next(answers, None)))
    assert "force 'wind'" in str(error) and "returned None at t = 0 s" in str(error)
    assert error.result.t.tolist() == [0.0]


class Gust:
    """A callable that is no function."""

    def __call__(self, t, *motion):
        return X, NOTHING


@pytest.mark.parametrize(
    "formula, said",
    [
        (lambda t, p, r, v, w: ((1.0, 0.0), (0.0, 0.0, 0.0)), ["returns", "two tuples"]),
        (lambda t, p, r, v, w: (1.0, 0.0, 0.0), ["returns", "float64"]),
        (lambda t, p, r, v, w: (np.zeros(3), np.zeros(3)), ["returns", "array"]),
        (lambda t, p, r, v, w: (BALL.mass, p), ["does not compile"]),
        (lambda t, p: (p, p), ["does not compile"]),
        (lambda t, p, r, v, w: ((1j, 0.0, 0.0), p), ["returns", "complex"]),
        (Gust(), ["does not compile"]),
    ],
)
def test_a_formula_that_cannot_be_compiled_is_refused_before_a_run(formula, said, refusal):
    model = ch.Model([BALL], forces=[ch.CustomForce("wind", BALL, formula, compiled=True)])
    message = refusal(lambda: ch.simulate(model, 1.0, 1e-2), ch.InvalidForce)
    for part in ["force 'wind'", *said]:
        assert part in message
    assert "Failed in" not in message and len(message) < 500


def test_any_callable_is_a_formula_if_it_is_not_compiled():
    model = ch.Model([BALL], forces=[ch.CustomForce("wind", BALL, Gust())], gravity=NOTHING)
    result = ch.simulate(model, until=1.0, step=0.1)
    assert result.velocity("ball")[-1] == pytest.approx((2.0, 0, 0), abs=1e-12)


def test_a_formula_need_not_know_the_body_at_rest():
    """Before a run the equations are set up with all bodies at rest: no direction there."""

    def against_motion(t, position, rotation, velocity, angular_velocity):
        speed = math.sqrt(sum(v * v for v in velocity))
        return tuple(-0.5 * v / speed for v in velocity), NOTHING

    model = ch.Model([BALL], forces=[ch.CustomForce("f", BALL, against_motion)], gravity=NOTHING)
    result = ch.simulate(model, until=1.0, step=1e-2)
    assert result.velocity("ball")[-1, 0] == pytest.approx(0.5, abs=1e-12)
    assert result.status == "finished"


ADAPTIVE = [{"rtol": 1e-6}, {"rtol": 1e-6, "method": "dopri5"}]
SCIPY = [{"rtol": 1e-6, "method": f"scipy {name}"} for name in ("RK45", "Radau", "BDF", "LSODA")]


@pytest.mark.parametrize("options", [*ADAPTIVE, *SCIPY])
def test_a_formula_that_fails_is_named_where_steps_are_chosen(options):
    model = ch.Model([BALL], forces=[ch.CustomForce("wind", BALL, raising_later)])
    with pytest.raises(ch.SimulationStopped, match=r"'wind'.*ValueError.*out of range") as caught:
        ch.simulate(model, until=1.0, **options)
    result = caught.value.result
    assert np.isfinite(result.absolute).all() and result.t[-1] <= 0.305


@pytest.mark.parametrize("options", [{"step": 1e-2}, *ADAPTIVE, *SCIPY])
def test_ctrl_c_in_a_formula_is_not_swallowed(options):
    """Also where a step that failed is tried again, and the formula would answer then."""
    calls = []

    def interrupted(t, *motion):
        calls.append(t)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return X, NOTHING

    model = ch.Model([BALL], forces=[ch.CustomForce("f", BALL, interrupted)])
    with pytest.raises(KeyboardInterrupt):
        ch.simulate(model, until=1.0, **options)
    assert len(calls) == 12


@pytest.mark.parametrize(
    "force, said",
    [
        (
            ch.Load("push", BALL, force=lambda t: (0, 0, NAN if t > 0.305 else t)),
            ["force 'push'", "force(t) at t = 0.31", "nan"],
        ),
        (
            ch.Load("push", BALL, torque=lambda t: X if t < 0.305 else (1, 2)),
            ["force 'push'", "torque(t)", "(2,)"],
        ),
    ],
)
def test_a_load_that_fails_on_the_way_is_named(force, said):
    error = stopped(force)
    for part in said:
        assert part in str(error)
    assert error.result.t[-1] == pytest.approx(0.3, abs=0.011)


@pytest.mark.parametrize("what", ["target", "effort"])
def test_a_motor_that_fails_on_the_way_is_named(what):
    given = {"target": 0.0, "stiffness": 1.0, what: lambda t: np.where(t < 0.305, t, NAN)}
    model = pendulum([ch.Motor("servo", "hinge", **given)])
    with pytest.raises(
        ch.SimulationStopped, match=f"force 'servo', {what}.*nan at t = 0.3"
    ) as caught:
        ch.simulate(model, until=1.0, step=1e-2)
    assert caught.value.result.t[-1] == pytest.approx(0.3, abs=0.011)


def test_a_load_that_fails_at_the_start_is_refused(refusal):
    message = refusal(lambda: ch.Load("push", BALL, force=lambda t: (0, 0, 1 / t)), ch.ChaslesError)
    assert "force 'push'" in message and "ZeroDivisionError at t = 0 s" in message


def test_results_of_forces_that_there_are_not_are_refused(refusal):
    result = ch.simulate(ch.Model([BALL], forces=[ch.Drag("air", BALL, 0.1)]), 0.01, 1e-2)
    message = refusal(lambda: result.work("airr"), ch.UnknownName)
    assert "'airr'" in message and "'air'" in message
    assert "no driver 'air'" in refusal(lambda: result.effort("air"), ch.UnknownName)
