"""`tol`: accuracy of the whole motion, not of a step."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from machines import damped_bob, exact_bob
from mechanisms import double_pendulum, heavy_top, reference_state, straight_chain

import chasles as ch
from chasles.run import accuracy, implicit_choice
from chasles.run.motion_error import angles_of, sizes_of


def error_against_reference(result, example):
    """Of the last state, against the trajectories of 22 digits."""
    exact = reference_state(example, float(result.t[-1]))
    worst = 0.0
    for k, (body, size) in enumerate(zip(result.model.bodies, sizes_of(result))):
        turn = angles_of((result.rotation(body)[-1].T @ exact.rotation[k])[None])[0]
        away = np.linalg.norm(result.position(body)[-1] - exact.position[k])
        worst = max(worst, math.hypot(away, size * turn))
    return worst


@pytest.mark.parametrize("tol", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize(("example", "make"), [("top", heavy_top), ("pendulum", double_pendulum)])
def test_the_motion_is_as_accurate_as_asked_and_the_estimate_says_so(example, make, tol):
    result = ch.simulate(make(), 0.2, tol=tol)
    size = sizes_of(result).max()
    error = error_against_reference(result, example)
    assert error <= result.provenance["global_error"] <= tol * size
    assert result.provenance["trusted_until"] == result.t[-1] == 0.2


def test_a_chaotic_run_says_up_to_when_its_digits_mean_something():
    model = straight_chain()
    with pytest.warns(ch.ChaslesWarning, match="up to t ="):
        result = ch.simulate(model, 40.0, tol=1e-6)
    until = result.provenance["trusted_until"]
    assert 5.0 < until < 30.0
    assert result.message.endswith(f"1e-06 of the size of the bodies up to t = {until:.4g} s only")
    other = ch.simulate(model, 0.9 * until, rtol=5e-14, atol=1e-15, method="tsit5")
    at = ch.simulate(model, 0.9 * until, tol=1e-6)
    for body in model.bodies:
        assert np.linalg.norm(other.position(body)[-1] - at.position(body)[-1]) < 1e-6


def test_a_stiff_damper_limits_steps_by_stability_and_a_soft_one_by_accuracy():
    bob = ch.Body.sphere("bob", radius=0.05, mass=1.0, velocity=(1, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, bob, at=(0, 0, 0), axis="x")
    limits = {}
    for damping in (1.0, 2800.0):
        spring = ch.JointSpring("spring", "rail", stiffness=100.0, damping=damping)
        result = ch.simulate(ch.Model([bob], [rail], [spring], gravity=(0, 0, 0)), 2.0, tol=1e-6)
        limits[damping] = result.provenance["limited_by"]
    assert limits == {1.0: "accuracy", 2800.0: "stability"}


# --- stiff or not ---


@pytest.mark.parametrize("tol", [1e-3, 1e-4])
@pytest.mark.parametrize("damping", [2800.0, 1e6])
def test_a_bob_on_a_stiff_damper_takes_few_steps_and_is_as_accurate_as_it_says(damping, tol):
    model, exact = damped_bob(damping), exact_bob(damping)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(model, 0.5, tol=tol)
    told, size = result.provenance, sizes_of(result).max()
    error = np.linalg.norm(result.position("bob")[:, [0, 2]].T - exact(result.t)[:2], axis=0).max()
    assert error <= told["global_error"] + 1e-9 and told["global_error"] <= tol * size
    assert told.steps < 3000 and told["limited_by"] == "stability"
    assert "stability limits the steps of dop853" in told["choice"] in result.message
    if damping == 1e6:
        assert told.method == "bliedf3" and "bliedf3 takes" in told["choice"]


def test_the_choice_repeats_bit_for_bit():
    first, second = (ch.simulate(damped_bob(1e6), 0.2, tol=1e-3) for _ in range(2))
    assert "bliedf3 takes" in first.provenance["choice"]
    assert first.provenance["choice"] == second.provenance["choice"]
    assert np.array_equal(first.absolute, second.absolute)


def test_where_no_implicit_method_does_the_explicit_one_is_kept_with_a_word(monkeypatch):
    monkeypatch.setattr(implicit_choice, "TRIED", ("bliedf3",))
    result = ch.simulate(damped_bob(1e6), 0.2, tol=1e-3, stabilise="projection")
    told = result.provenance
    assert told.method == "dop853" and told["limited_by"] == "stability"
    assert "bliedf3 is refused" in told["choice"] and told["choice"].endswith("dop853 is kept")
    error = np.linalg.norm(result.position("bob")[-1, [0, 2]] - exact_bob(1e6)(0.2)[:2])
    assert error <= told["global_error"] + 1e-9


def spinning_on_a_spring():
    arm = ch.Body.box("arm", (1.0, 0.4, 0.2), mass=2.0, angular_velocity=(40, 90, 50))
    spring = ch.Bushing("soft", ch.GROUND, arm, (0, 0, 0), (10.0,) * 3 + (0,) * 3)
    return ch.Model([arm], [], forces=[spring])


@pytest.mark.parametrize("until", [0.5, 60.0])
def test_a_model_that_is_not_stiff_has_the_bits_of_its_tolerances(until):
    """Also where the run is long enough to be looked at on its way."""
    model = spinning_on_a_spring()
    result = ch.simulate(model, until, tol=1e-2)
    told = result.provenance
    assert told["limited_by"] == "accuracy" and (until < 1.0 or told.steps > 4096)
    plain = ch.simulate(model, until, rtol=told["rtol"], atol=told["atol"])
    assert np.array_equal(plain.absolute, result.absolute)
    assert plain.provenance.evaluations == told.evaluations


def test_the_longest_step_that_is_allowed_is_not_stability():
    model = spinning_on_a_spring()
    result = ch.simulate(model, 0.5, tol=1e-3, max_step=1e-3)
    assert result.provenance.steps >= 500 and result.provenance["limited_by"] == "accuracy"


def test_auto_is_a_millionth_and_the_same_call_gives_the_same_bits():
    first, second = (ch.simulate(heavy_top(), 0.1, method="auto") for _ in range(2))
    assert first.provenance["tol"] == 1e-6
    assert np.array_equal(first.absolute, second.absolute)


def test_units_do_not_matter():
    """A mechanism a thousand times smaller, in millimetres, takes the same steps."""
    steps = []
    for scale in (1.0, 1e-3):
        arm = ch.Body.box(
            "arm", size=(scale, 0.1 * scale, 0.2 * scale), mass=3, position=(0.5 * scale, 0, 0),
            angular_velocity=(9, 2, 4),
        )  # fmt: skip
        model = ch.Model(
            [arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))],
            gravity=(0, 0, -9.81 * scale),
        )  # fmt: skip
        steps.append(ch.simulate(model, 1.0, tol=1e-8).provenance.steps)
    assert steps[0] == steps[1]


@pytest.mark.parametrize("stops", [False, True])
def test_what_the_second_run_did_not_reach_is_not_judged(stops, monkeypatch, tmp_path):
    whole = accuracy.integrate

    def ends_early(asked, *rest, **more):
        if asked.t_eval is None:
            return whole(asked, *rest, **more)
        result = whole(replace(asked, t_eval=asked.t_eval[asked.t_eval < 0.3]), **more)
        if stops:
            raise ch.SimulationStopped("ended", result=result)
        return result

    top = heavy_top()
    monkeypatch.setattr(accuracy, "integrate", ends_early)
    with pytest.warns(ch.ChaslesWarning, match="second run"):
        result = ch.simulate(top, 0.5, tol=1e-6)
    assert result.t[-1] == 0.5 and result.provenance["trusted_until"] < 0.3
    assert result.provenance["global_error"] == math.inf
    result.save(tmp_path / "run.nc")
    assert ch.load(tmp_path / "run.nc").provenance["global_error"] == math.inf


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tol": 0.0}, r"got 0\.\n  Give tol greater than zero\.$"),
        ({"rtol": -1.0}, r"got -1\.\n  Give rtol of zero or more\.$"),
        ({"tol": 1e-15}, "from 1e-12"),
        ({"tol": float("nan")}, "tol"),
        ({"tol": "fine"}, "tol"),
        ({"tol": 1e-6, "step": 1e-3}, "step was given"),
        ({"tol": 1e-6, "rtol": 1e-3}, "rtol was given"),
        ({"tol": 1e-6, "method": "rk4"}, "cannot choose its steps.*\n.* give a step instead"),
        ({}, "step was left out.*\n.*tol=1e-6"),
        ({"method": "auto", "step": 1e-3}, "step was given"),
    ],
)
def test_nonsense_is_refused(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.simulate(heavy_top(), 0.1, **options)


def test_tolerances_need_no_method():
    assert ch.simulate(heavy_top(), 0.1, rtol=1e-8).provenance.method == "dop853"
    assert ch.simulate(heavy_top(), 0.1, step=1e-3).provenance.method == "rk4"
