"""Motions that cannot be followed: named, with the time, and what was reached is kept."""

import numpy as np
import pytest
from mechanisms import pendulum

import chasles as ch

NAN = float("nan")


def driven(motion):
    return pendulum(drivers=[ch.Driver("crank", "hinge", motion)])


@pytest.mark.parametrize(
    "motion, said, reached",
    [
        (lambda t: np.where(t < 0.305, t, NAN), ["crank", "nan at t = 0.305"], 0.3),
        (lambda t: [t][int(t > 0.305)], ["crank", "IndexError", "t = 0.31"], 0.3),
        (ch.Signal.table([0, 0.1, 0.2, 0.3], [0, 1, 2, 3]), ["crank", "0.3 s is asked"], 0.3),
        (lambda t: abs(t - 0.305) - 0.305, ["crank", "t = 0.3", "explains", "ramp"], 0.29),
        (lambda t: np.clip(t, 0, 0.305), ["crank", "explains"], 0.29),
        (lambda t: np.where(t < 0.305, 0.0, 0.1), ["crank", "explains"], 0.29),
        (ch.Signal(np.sin, np.cos, np.sin), ["crank", "second derivative explains"], 0.0),
        (ch.Signal(np.sin, lambda t: 2 * np.cos(t)), ["crank", "its rate explains"], 0.0),
        (lambda t: np.sin(900 * t), ["crank", "short enough"], 0.0),
    ],
)
def test_a_motion_that_fails_on_the_way_is_named_and_the_run_kept(motion, said, reached):
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(driven(motion), until=1.0, step=1e-2)
    for part in said:
        assert part in str(caught.value)
    result = caught.value.result
    assert result.status == "stopped" and result.t[-1] == pytest.approx(reached, abs=0.021)
    assert np.isfinite(result.absolute).all()


@pytest.mark.parametrize("method", ["dop853", pytest.param("scipy RK45", marks=pytest.mark.slow)])
def test_a_motion_that_fails_is_named_where_steps_are_chosen(method):
    motion = ch.Signal.expression("log(0.5 - t) - log(0.5)")
    with pytest.raises(ch.SimulationStopped, match="crank") as caught:
        ch.simulate(driven(motion), until=1.0, rtol=1e-6, method=method)
    assert 0.4 < caught.value.result.t[-1] <= 0.5


@pytest.mark.parametrize(
    "saved", [{"save_every": 1}, {"save_every": 7}, {"t_eval": [0.02, 0.035, 0.05]}], ids=str
)
def test_a_run_stops_within_a_step_of_the_failure(saved):
    motion = lambda t: np.where(t < 0.0405, np.sin(t), NAN)  # noqa: E731
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(driven(motion), until=0.06, step=1e-3, **saved)
    times = caught.value.result.t
    assert 0.038 < times[-1] <= 0.0405
    assert "t_eval" not in saved or times[:2].tolist() == [0.02, 0.035]


@pytest.mark.parametrize(
    "motion",
    [
        lambda t: np.where(t < 0.5, t**2, t - 0.25),  # the acceleration jumps, and may
        lambda t: np.tanh(20 * (t - 0.5)) + np.tanh(10),
        lambda t: 1e-9 * t**2,
        ch.Signal.ramp(1.0, duration=0.3, start=0.2),
        ch.Signal.table(np.linspace(0, 1, 12), np.sin(np.linspace(0, 1, 12))),
        ch.Signal.sine(1.0, frequency=8.0),
    ],
)
def test_motions_that_are_smooth_enough_run(motion):
    wanted = np.ravel(motion.values([1.0]))[0] if isinstance(motion, ch.Signal) else motion(1.0)
    for method, missed in (("euler", 0.1), ("rk4", 1e-3), ("dop853", 1e-3)):
        result = ch.simulate(driven(motion), until=1.0, step=1e-2, method=method)
        assert result.status == "finished"
        assert result.coordinate("hinge")[-1] == pytest.approx(wanted, abs=missed)


@pytest.mark.parametrize(
    "motion",
    [
        ch.Signal.linear(1e4),
        lambda t: 1e4 * t + np.sin(t),
        ch.Signal.sine(1e6, frequency=0.1),
        ch.Signal(lambda t: 1e6 * np.sin(0.3 * t), lambda t: 3e5 * np.cos(0.3 * t)),
    ],
)
def test_the_rounding_of_large_motions_is_no_jump(motion):
    """Stages of two steps are one ulp apart there, and values of 1e6 are known to 1e-10."""
    signal = motion if isinstance(motion, ch.Signal) else ch.Signal(motion)
    rate = signal.sample([0.0])[0, 1]
    wheel = ch.Body.cylinder("wheel", 0.1, 0.1, mass=1, axis="z", angular_velocity=(0, 0, rate))
    hinge = ch.Revolute("hinge", ch.GROUND, wheel, at=(0, 0, 0), axis="z")
    model = ch.Model([wheel], [hinge], drivers=[ch.Driver("drive", hinge, motion)])
    run = ch.simulate(model, until=20.0, step=1e-2, save_every=100)
    assert run.coordinate("hinge") == pytest.approx(signal.values(run.t), rel=1e-12, abs=1e-6)


def test_velocities_that_contradict_a_driver_are_refused(refusal):
    model = driven(ch.Signal.linear(2.0))
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=(0, 1, 0))
    wrong = ch.Model([arm], model.joints, drivers=model.drivers)
    message = refusal(lambda: ch.simulate(wrong, 1.0, 1e-2), ch.InconsistentStart)
    assert "driver 'crank'" in message and "1 rad/s" in message
    left_out = ch.simulate(model, until=0.01, step=1e-2)
    assert left_out.coordinate_rate("hinge")[0] == pytest.approx(2.0, abs=1e-12)


def test_a_driven_body_that_is_driven_again_is_refused_if_they_disagree(refusal):
    """The hinge lifts the arm while its tip is to be lifted otherwise: no motion does both."""
    model = driven(ch.Signal.ramp(1.0, 1.0))
    tip = ch.PointDriver("hold", "arm", (1, 0, 0), (0, 0, 1), lambda t: 0.1 - 0.1 * np.cos(6 * t))
    both = ch.Model(model.bodies, model.joints, drivers=[*model.drivers, tip])
    message = refusal(lambda: ch.simulate(both, 1.0, 1e-2), ch.InconsistentStart)
    assert ("'hold'" in message or "'crank'" in message) and "contradict" in message
