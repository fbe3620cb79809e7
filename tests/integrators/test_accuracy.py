"""`tol`: accuracy of the whole motion, not of a step."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top, reference_state

import chasles as ch
from chasles import accuracy
from chasles.motion_error import angles_of, sizes_of


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


def planar_double_pendulum():
    first = ch.Body.rod("first", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
    second = ch.Body.rod("second", mass=1.0, between=((1, 0, 0), (2, 0, 0)))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, first, at=(0, 0, 0), axis="y"),
        ch.Revolute("elbow", first, second, at=(1, 0, 0), axis="y"),
    ]
    return ch.Model([first, second], joints)


def test_a_chaotic_run_says_up_to_when_its_digits_mean_something():
    model = planar_double_pendulum()
    with pytest.warns(ch.ChaslesWarning, match="up to t ="):
        result = ch.simulate(model, 40.0, tol=1e-6)
    until = result.provenance["trusted_until"]
    assert 5.0 < until < 30.0
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

    def ends_early(model, until, asked, **rest):
        if asked.t_eval is None:
            return whole(model, until, asked, **rest)
        result = whole(model, until, replace(asked, t_eval=asked.t_eval[asked.t_eval < 0.3]))
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
        ({"tol": 0.0}, "tol"),
        ({"tol": 1e-15}, "from 1e-12"),
        ({"tol": float("nan")}, "tol"),
        ({"tol": "fine"}, "tol"),
        ({"tol": 1e-6, "step": 1e-3}, "step was given"),
        ({"tol": 1e-6, "rtol": 1e-3}, "rtol was given"),
        ({"tol": 1e-6, "method": "rk4"}, "cannot choose its steps"),
        ({"method": "auto", "step": 1e-3}, "step was given"),
    ],
)
def test_nonsense_is_refused(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.simulate(heavy_top(), 0.1, **options)


def test_tolerances_need_no_method():
    assert ch.simulate(heavy_top(), 0.1, rtol=1e-8).provenance.method == "dop853"
    assert ch.simulate(heavy_top(), 0.1, step=1e-3).provenance.method == "rk4"
