"""Options that make no sense are refused in words, whatever they are; those that do, run."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chasles as ch

ROD = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
PENDULUM = ch.Model([ROD], [ch.Revolute("hinge", ch.GROUND, ROD, (0, 0, 0), (0, 1, 0))])
EYE = np.eye(3)[None]
ODD = [np.array([1.0, 2.0]), np.array(["rk4", "rk4"]), np.zeros((2, 2)), {}, object()]
ODD_NAMES = ["floats", "words", "matrix", "dict", "object"]


def test_bodies_without_joints_fall_freely_with_singular_pass():
    """Nobody is constrained, so there is nothing to pass: z = v t - g t^2 / 2."""
    stone = ch.Body.sphere("stone", 0.1, mass=1.0, velocity=(1.0, 0, 5.0))
    for options in ({}, {"spaces": "SE3"}, {"redundant": "refuse"}):
        run = ch.simulate(ch.Model([stone]), 0.5, 1e-2, singular="pass", **options)
        expected = np.outer(run.t, (1, 0, 5)) - np.outer(run.t**2, (0, 0, 9.81 / 2))
        np.testing.assert_allclose(run.position("stone"), expected, atol=1e-12)


# --- states --------------------------------------------------------------------------------------


def state(**changed) -> ch.State:
    given = {
        "t": 0.0, "bodies": ("rod",), "position": [(0.5, 0, 0)], "rotation": EYE,
        "velocity": np.zeros((1, 3)), "angular_velocity": np.zeros((1, 3)),
    }  # fmt: skip
    return ch.State(**{**given, **changed})


def test_a_state_that_mirrors_a_body_is_refused(refusal):
    for mirror in (np.diag([1, 1, -1.0]), -np.eye(3), np.eye(3)[[1, 0, 2]]):
        message = refusal(lambda m=mirror: state(rotation=[m]), ch.InvalidOption)
        assert "'rod'" in message and "determinant -1" in message


@pytest.mark.parametrize("scale", [1.001, 0.999, 0.0])
def test_a_state_whose_rotation_is_not_orthogonal_is_refused(scale, refusal):
    assert "not orthogonal" in refusal(lambda: state(rotation=scale * EYE), ch.InvalidOption)


def test_a_state_names_every_body_once(refusal):
    twice = {
        "bodies": ("rod", "rod"), "position": np.zeros((2, 3)), "rotation": [np.eye(3)] * 2,
        "velocity": np.zeros((2, 3)), "angular_velocity": np.zeros((2, 3)),
    }  # fmt: skip
    message = refusal(lambda: state(**twice), ch.InvalidOption)
    assert "'rod'" in message and "named twice" in message


@pytest.mark.parametrize("bodies", [None, 3, [None], [("rod",)], np.array([1.0]), [["rod"]]])
def test_the_bodies_of_a_state_are_names(bodies, refusal):
    assert "must be names" in refusal(lambda: state(bodies=bodies), ch.InvalidOption)


# --- options -------------------------------------------------------------------------------------

OPTIONS = ["method", "spaces", "acceleration", "stabilise", "redundant", "singular", "save_every",
           "progress", "start", "close", "hold"]  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=ODD_NAMES)
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_simulate_refuses_arrays_and_objects(option, value, refusal):
    if option in ("spaces", "start") and isinstance(value, dict):
        return  # no body is chosen by hand, no coordinate given
    refusal(lambda: ch.simulate(PENDULUM, 0.1, 1e-2, **{option: value}), ch.ChaslesError)


@pytest.mark.parametrize("value", ODD, ids=ODD_NAMES)
@pytest.mark.parametrize("option", ["until", "step"])
def test_lengths_of_time_are_numbers(option, value, refusal):
    given = {"until": 0.1, "step": 1e-2, option: value}
    refusal(lambda: ch.simulate(PENDULUM, **given), ch.ChaslesError)


def test_options_after_the_step_are_given_by_name():
    with pytest.raises(TypeError, match="by their names: method"):
        ch.simulate(PENDULUM, 0.1, 1e-2, "rk4")


@pytest.mark.parametrize("step", [0, 0.0, -1e-3, None, "fast", np.nan, [1e-2, 1e-3]])
def test_compare_takes_a_positive_step(step, refusal):
    for candidates in (["auto"], {"one": {"spaces": "auto", "step": step}}):
        common = step if candidates == ["auto"] else 1e-2
        message = refusal(
            lambda c=candidates, s=common: ch.compare(PENDULUM, c, 0.1, s), ch.InvalidOption
        )
        assert "step" in message and "compare" in message


@pytest.mark.parametrize("value", ODD, ids=ODD_NAMES)
@pytest.mark.parametrize(
    "option", ["until", "method", "acceleration", "stabilise", "orders", "timing", "progress"]
)
def test_every_option_of_compare_refuses_arrays_and_objects(option, value, refusal):
    given = {"until": 0.1, "step": 1e-2, "timing": False, option: value}
    refusal(lambda: ch.compare(PENDULUM, ["auto"], **given), ch.ChaslesError)


@pytest.mark.parametrize("value", ODD, ids=ODD_NAMES)
@pytest.mark.parametrize(
    "option",
    ["target", "until", "energy", "spaces", "methods", "stabilisers", "acceleration", "budget",
     "progress"],
)  # fmt: skip
def test_every_option_of_advise_refuses_arrays_and_objects(option, value, refusal):
    given = {"until": 0.1, "methods": ["heun"], "spaces": ["auto"], option: value}
    refusal(lambda: ch.advise(PENDULUM, **given), ch.ChaslesError)


@pytest.mark.parametrize("method", [1.0, None, np.array([1.0]), "rk44", b"rk4"])
def test_advise_takes_names_of_methods_and_tableaux(method, refusal):
    message = refusal(lambda: ch.advise(PENDULUM, methods=["rk4", method]), ch.ChaslesError)
    assert "method" in message


def test_a_trajectory_that_memory_does_not_hold_is_refused_before_it_is_run(refusal):
    """Work of forces is kept as well: 600 of them take more than the body they act on.

    And the angle of the hinge: 601 integrals twice, charts twice 13, absolute 18, supply 2, time 1.
    """
    loads = [ch.Load(f"load {k}", ROD, force=(1e-3, 0, 0)) for k in range(600)]
    model = ch.Model([ROD], PENDULUM.joints, loads)
    message = refusal(lambda: ch.simulate(model, 1e6, 1.0), ch.InvalidOption)
    assert "9.31 GiB" in message and "save_every=3" in message


def test_what_has_no_effort_is_explained(refusal):
    load = ch.Load("load", ROD, force=(0, 0, 1.0))
    driver = ch.Driver("drive", "hinge", ch.Signal.ramp(1.0, duration=1.0))
    pushed = ch.simulate(ch.Model([ROD], PENDULUM.joints, [load]), 0.02, 1e-2)
    message = refusal(lambda: pushed.effort("load"), ch.UnknownName)
    assert "it is a force (load)" in message and "force('load')" in message
    driven = ch.simulate(ch.Model([ROD], PENDULUM.joints, drivers=[driver]), 0.02, 1e-2)
    assert driven.effort("drive").shape == (3,)
    assert "there is no driver 'drvie'" in refusal(lambda: driven.effort("drvie"), ch.UnknownName)


# --- the command line ----------------------------------------------------------------------------


def test_the_library_is_listed_where_only_ascii_can_be_written():
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-m", "chasles", "library"],
        env={**os.environ, **plain, "PYTHONPATH": source},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    listed = done.stdout.decode("ascii")
    assert "Bennett's linkage" in listed
