"""Compliant stops on joint coordinates: contact times, restitution, energy, and refusals."""

from dataclasses import replace
from functools import partial
from math import atan2, exp, pi, sqrt

import numpy as np
import pytest
from machines import sledge as any_sledge
from machines import wheel
from mechanisms import pendulum

import chasles as ch

MASS, STIFFNESS = 2.0, 5e3

sledge = partial(any_sledge, speed=1.5)


# --- closed forms ---


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("spaces", ["subgroups", "auto", "SE3"])
def test_a_sledge_leaves_its_stop_after_half_a_period(spaces, swap):
    """It touches for pi sqrt(m / k), sinks in by v sqrt(m / k), and leaves as fast as it came."""
    stop = ch.JointStop("buffer", "rail", upper=0.03, stiffness=STIFFNESS)
    period = pi * sqrt(MASS / STIFFNESS)
    step = period / 200
    touch = 0.03 / 1.5
    result = ch.simulate(
        sledge(stop, swap=swap), touch + 2 * period, step=step, spaces=spaces,
        t_eval=[0.0, touch, touch + period / 2, touch + period, touch + 2 * period],
    )  # fmt: skip
    q, rate = result.coordinate("rail"), result.coordinate_rate("rail")
    assert q[:4] == pytest.approx((0, 0.03, 0.03 + 1.5 * period / pi, 0.03), abs=2e-7)
    assert rate[2:] == pytest.approx((0.0, -1.5, -1.5), abs=2e-5)


def test_between_two_ends_it_goes_to_and_fro():
    """A period of 2 (2 l / v + pi sqrt(m / k)) between stops at -l and l."""
    stop = ch.JointStop("ends", "rail", -0.1, 0.1, stiffness=STIFFNESS)
    period = 2 * (0.2 / 1.5 + pi * sqrt(MASS / STIFFNESS))
    result = ch.simulate(sledge(stop), 3 * period, step=2e-4, t_eval=[0.0, period, 3 * period])
    assert result.coordinate("rail") == pytest.approx(0.0, abs=2e-5)
    assert result.coordinate_rate("rail") == pytest.approx(1.5, abs=1e-5)


def restitution(zeta: float) -> float:
    """Of a spring and damper that never pulls: it lets go where k p + c p' = 0.

    p = v / w_d e^(-z w t) sin w_d t; k p + c p' vanishes first at tan w_d t = 2 z s / (2 z^2 - 1),
    s = sqrt(1 - z^2), where p' = -v e^(-z w t).
    """
    s = sqrt(1 - zeta**2)
    return exp(-zeta / s * atan2(2 * zeta * s, 2 * zeta**2 - 1))


@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.7])
def test_a_damped_stop_gives_back_what_its_damping_leaves(zeta):
    damping = 2 * zeta * sqrt(MASS * STIFFNESS)
    stop = ch.JointStop("buffer", "rail", lower=-0.01, stiffness=STIFFNESS, damping=damping)
    result = ch.simulate(sledge(stop, speed=-1.0), 0.2, step=1e-5, save_every=100)
    assert result.coordinate_rate("rail")[-1] == pytest.approx(restitution(zeta), rel=2e-3)
    lost = result.kinetic_energy()[0] - result.kinetic_energy()[-1]
    assert result.work("buffer")[-1] == pytest.approx(-lost, rel=2e-3)


def test_a_stop_is_met_after_whole_turns():
    """A wheel that is stopped at 31 rad, not at 31 - 8 pi."""
    stop = ch.JointStop("stop", "axle", upper=31.0, stiffness=1e3)
    result = ch.simulate(wheel(stop, speed=40.0), 1.2, step=1e-3, spaces="subgroups")
    inertia = result.model.body("disc").inertia[2][2]
    depth = 40.0 * sqrt(inertia / 1e3)
    assert result.coordinate("axle").max() == pytest.approx(31.0 + depth, rel=1e-4)
    assert result.coordinate_rate("axle")[-1] == pytest.approx(-40.0, rel=1e-3)


def test_a_load_rests_as_deep_as_it_weighs():
    """m g = k p, and the frequency of small motions there is sqrt(k / m)."""
    body = ch.Body.box("block", (0.1, 0.1, 0.1), mass=MASS)
    rail = ch.Prismatic("rail", ch.GROUND, body, axis=(0, 0, 1))
    floor = ch.JointStop("floor", "rail", lower=-0.2, stiffness=STIFFNESS)
    model = ch.Model([body], [rail], [floor])
    found = ch.equilibrium(model, ch.start_state(model, {"rail": -0.21}))
    assert found.state.position[0, 2] == pytest.approx(-0.2 - MASS * 9.81 / STIFFNESS, rel=1e-9)
    modes = ch.linearise(model, found.state).modes
    assert modes[0].frequency == pytest.approx(sqrt(STIFFNESS / MASS), rel=1e-9)


# --- energy ---


@pytest.mark.parametrize("damping", [0.0, 30.0])
@pytest.mark.parametrize("spaces", ["subgroups", "auto"])
def test_the_energy_of_a_stop_is_in_the_balance(damping, spaces):
    stop = ch.JointStop("stop", "hinge", -0.5, 1.0, stiffness=400.0, damping=damping)
    model = pendulum([stop], name="rod")
    result = ch.simulate(model, 2.0, step=2e-4, spaces=spaces)
    stored = result.potential_energy()
    depth = np.maximum(0.0, result.coordinate("hinge") - 1.0)
    weight = 1.0 * 9.81 * result.position("rod")[:, 2]
    below = np.maximum(0.0, -0.5 - result.coordinate("hinge"))
    assert stored - weight == pytest.approx(0.5 * 400.0 * (depth**2 + below**2), abs=1e-9)
    assert depth.max() > 0.02
    exchanged = np.ptp(result.kinetic_energy())
    assert np.abs(result.energy_balance()).max() < 1e-4 * exchanged
    assert not result.warnings
    assert (np.diff(result.work("stop")) <= 1e-12).all()
    if damping:
        assert result.work("stop")[-1] < -0.5


def test_a_stop_that_is_not_touched_changes_nothing():
    stop = ch.JointStop("far", "axle", -1e6, 1e6, stiffness=1e9)
    free, stopped = (
        ch.simulate(m, 0.1, step=1e-3) for m in (wheel(speed=40.0), wheel(stop, speed=40.0))
    )
    assert np.array_equal(free.absolute, stopped.absolute)


# --- files and refusals ---


def test_stops_survive_the_way_through_a_file(tmp_path):
    stops = [
        ch.JointStop("one", "rail", upper=0.1, stiffness=1e3),
        ch.JointStop("two", "rail", lower=-0.1, upper=0.2, stiffness=1e3, damping=2.0),
    ]
    model = sledge(*stops)
    model.write(tmp_path / "model.toml")
    assert ch.read_model(tmp_path / "model.toml") == model
    assert replace(stops[0], name="other").upper == 0.1
    result = ch.simulate(model, 0.01, step=1e-3)
    assert ch.load(result.save(tmp_path / "run.nc")).model == model


@pytest.mark.parametrize("method", ["dopri5", "dop853", "bs3"])
def test_error_control_sees_what_a_stop_loses_after_it_has_let_go(method):
    """Damping holds the spring back: the stop lets go while it is still pressed in.

    No force acts then, and still its energy is lost, up to a depth of 0.
    """
    stop = ch.JointStop("buffer", "rail", upper=0.03, stiffness=STIFFNESS, damping=40.0)
    for rtol in (1e-6, 1e-8):
        run = ch.simulate(sledge(stop), 0.2, rtol=rtol, atol=1e-2 * rtol, method=method)
        depth, effort = run.coordinate("rail") - 0.03, run.effort("buffer")
        assert ((depth > 1e-3) & (effort == 0.0)).any()
        assert abs(run.energy_balance()).max() < 100 * rtol * run.energy()[0]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"lower": 1.0, "upper": 0.5}, ["lower must not be above upper", "lower=1", "upper=0.5"]),
        ({}, ["lower and upper are both left out"]),
        ({"lower": 0.1, "stiffness": 0.0}, ["stiffness must be positive, got 0"]),
        ({"lower": 0.1, "stiffness": -3.0}, ["stiffness must be positive, got -3"]),
        ({"lower": 0.1, "damping": -1.0}, ["damping must not be negative"]),
        ({"upper": float("nan")}, ["upper"]),
        ({"upper": "high"}, ["upper must be a number, got 'high'"]),
        ({"upper": 0.1, "coordinate": "angle"}, ["'rail' is prismatic and has no angle"]),
    ],
)
def test_a_stop_that_means_nothing_is_refused_by_name(options, said, refusal):
    def make():
        return sledge(ch.JointStop("buffer", "rail", **{"stiffness": 1e3, **options}))

    message = refusal(make, ch.InvalidForce)
    assert "'buffer'" in message
    for part in said:
        assert part in message
