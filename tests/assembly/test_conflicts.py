"""Drivers and joints that ask for different things are refused, or stop the run, by name."""

import numpy as np
import pytest
from linkages import CROOKED, bar, bars, four_bar
from loose_ends import ORIGIN, Z

import chasles as ch

LINEAR, SINE = ch.Signal.linear, ch.Signal.sine


def driven(*motions):
    """A crank-rocker with drivers on the crank and, if wanted, on the rocker."""
    return four_bar(
        drivers=[
            ch.Driver(name, joint, motion)
            for name, joint, motion in zip(("crank drive", "rocker drive"), ("h0", "h3"), motions)
        ]
    )


def run(model, until=1.0, step=1e-3, **options):
    return ch.simulate(model, until, step, **options)


def rocker_rate():
    """Speed of the rocker's hinge per speed of the crank's, by the instantaneous centre.

    The velocities of B and C have equal components along the coupler.
    """
    a, b, c, d = (np.array(p[:2], float) for p in CROOKED)
    along = c - b
    across_crank, across_rocker = (np.array((-v[1], v[0])) for v in (b - a, c - d))
    # Hinge 3 joins the rocker to ground: its angle is that of ground against the rocker.
    return -float(along @ across_crank / (along @ across_rocker))


def test_two_drivers_whose_speeds_disagree_are_refused_with_the_residual(refusal):
    ratio = rocker_rate()
    what = refusal(lambda: run(driven(LINEAR(1.0), LINEAR(ratio + 0.25))), ch.InconsistentStart)
    for part in ("'crank drive'", "'rocker drive'", "contradict each other", "at t = 0", "'h1'",
                 "speeds", "rad/s"):  # fmt: skip
        assert part in what
    assert 0.0 < float(what.split(" rad/s")[0].split()[-1]) < 0.25


@pytest.mark.parametrize(
    "motions",
    [
        (lambda t: 0.5 * t * t, lambda t: 0.0 * t),  # from rest
        (LINEAR(1.0), lambda t: rocker_rate() * t),  # speeds that agree at the start, and no longer
    ],
)
def test_two_drivers_whose_accelerations_disagree_are_refused(motions, refusal):
    what = refusal(lambda: run(driven(*motions)), ch.InconsistentStart)
    for part in ("'crank drive'", "'rocker drive'", "contradict", "accelerations", "rad/s^2"):
        assert part in what


def test_given_velocities_are_blamed_only_if_the_drivers_agree(refusal):
    model = driven(LINEAR(1.0))
    links = bars(CROOKED, angular_velocity=(0, 0, 2.0))
    wrong = ch.Model(links, model.joints, drivers=model.drivers)
    what = refusal(lambda: run(wrong), ch.InconsistentStart)
    assert "the initial velocities" in what and "contradict" not in what


def test_a_driver_of_what_cannot_move_is_refused(refusal):
    """A triangle of hinges stands still."""
    tips = [(0, 0, 0), (0.5, 0.8, 0), (1.0, 0, 0)]
    links = [bar(f"l{k}", tips[k], tips[k + 1]) for k in range(2)]
    ends = [ch.GROUND, *links, ch.GROUND]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], tips[k], Z) for k in range(3)]
    driver = ch.Driver("drive", "h0", LINEAR(1.0))
    model = ch.Model(links, joints, drivers=[driver])
    what = refusal(lambda: run(model), ch.InconsistentStart)
    assert "driver 'drive' contradicts the joints 'h0', 'h1', 'h2'" in what


@pytest.fixture(scope="module")
def agreed():
    """What the rocker does while the crank swings, as a signal."""
    result = run(driven(SINE(0.3, 1.0)), until=2.0, stabilise="projection of all joints")
    return ch.Signal.table(result.t, result.coordinate("h3"))


def test_two_drivers_that_agree_all_the_way_run(agreed):
    result = run(driven(SINE(0.3, 1.0), agreed), until=2.0)
    assert result.status == "finished"
    assert max(result.violation(f"h{k}").max() for k in range(4)) < 1e-6


@pytest.mark.parametrize("method, step", [("rk4", 1e-3), ("midpoint", 1e-3), ("rk4", 1e-2)])
@pytest.mark.parametrize("kick", [20.0, 0.5])
def test_a_conflict_that_begins_later_stops_the_run_then(agreed, method, step, kick):
    """From 1 s on, the rocker is asked for kick (t-1)^2 more: speeds differ by 2 kick (t-1)."""

    def parting(t):
        return agreed.values(t) + kick * np.maximum(np.asarray(t) - 1.0, 0.0) ** 2

    with pytest.raises(ch.SimulationStopped) as caught:
        run(driven(SINE(0.3, 1.0), parting), until=2.0, step=step, method=method)
    what, result = str(caught.value), caught.value.result
    assert "'rocker drive'" in what and "contradict each other" in what and "after t = 1" in what
    fastest = 0.3 * 2 * np.pi
    # What each driver misses is a part of the difference of speeds, between a tenth and all of it.
    excess = 2 * kick * (result.t[-1] + step - 1.0)
    assert result.t[-1] >= 1.0 - step
    assert excess <= 2 * kick * 2 * step + 10 * (1e-3 * fastest + 1e-6)
    assert result.status == "stopped" and len(result.t) == round(result.t[-1] / step) + 1
    assert np.isfinite(result.position("l2")).all()
    # Up to there it is the run without the second driver.
    alone = run(driven(SINE(0.3, 1.0)), until=result.t[-1], step=step, method=method)
    assert result.position("l2")[: -max(1, round(0.01 / step))] == pytest.approx(
        alone.position("l2")[: -max(1, round(0.01 / step))], abs=1e-4
    )


@pytest.mark.parametrize("stabilise", ["projection", "projection of all joints"])
def test_a_conflict_is_named_also_where_joints_are_projected(agreed, stabilise):
    def parting(t):
        return agreed.values(t) + 0.5 * np.maximum(np.asarray(t) - 1.0, 0.0) ** 2

    named = "contradict each other|'rocker drive' asks for no more than the joints can reach"
    with pytest.raises(ch.SimulationStopped, match=named) as caught:
        run(driven(SINE(0.3, 1.0), parting), until=2.0, stabilise=stabilise)
    assert 0.999 <= caught.value.result.t[-1] < 1.1


def test_a_conflict_stops_also_what_is_asked_at_given_times(agreed):
    def parting(t):
        return agreed.values(t) + 20.0 * np.maximum(np.asarray(t) - 1.0, 0.0) ** 2

    with pytest.raises(ch.SimulationStopped, match="contradict") as caught:
        run(driven(SINE(0.3, 1.0), parting), until=2.0, t_eval=[0.5, 0.9, 1.5])
    times = caught.value.result.t
    assert times[:2].tolist() == [0.5, 0.9] and 1.0 <= times[-1] < 1.01 and len(times) == 3


def test_a_driver_at_rest_beside_a_redundant_loop_stops_nothing():
    result = run(driven(ch.Signal.constant(0.0)), until=0.1)
    assert result.coordinate("h0") == pytest.approx(0.0, abs=1e-12)


def test_two_drivers_of_one_turning_body_in_a_door():
    """Two hinges on one line, each with a driver: the same motion twice, then not."""
    door = bar("door", ORIGIN, (1, 0, 0))
    hinges = [ch.Revolute(n, ch.GROUND, door, (0, 0, z), Z) for n, z in (("low", 0), ("high", 1))]
    same = [ch.Driver(f"drive {h.name}", h, LINEAR(2.0)) for h in hinges]
    result = run(ch.Model([door], hinges, drivers=same), until=0.1)
    assert result.coordinate("low") == pytest.approx(2.0 * result.t, abs=1e-10)
    other = [same[0], ch.Driver("drive high", "high", LINEAR(2.5))]
    with pytest.raises(ch.InconsistentStart, match="residual of the speeds they ask for is 0"):
        run(ch.Model([door], hinges, drivers=other))


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_a_driver_that_goes_further_than_the_joints_reach_is_suspected(stabilise):
    """A ladder of 1 m along a wall and a floor, pulled out flat at t = 0.2 s, and on."""
    hand = ch.Body.box("hand", (0.1, 0.1, 0.1), mass=1, position=(0.8, 0, 0))
    joints = [
        ch.Prismatic("rail", ch.GROUND, hand, axis=(1, 0, 0)),
        ch.Prismatic("slot", ch.GROUND, "knob", axis=(0, 1, 0)),
        ch.Distance("rod", "knob", hand, (0, 0.6, 0), (0.8, 0, 0)),
    ]
    knob = ch.Body.box("knob", (0.1, 0.1, 0.1), mass=1, position=(0, 0.6, 0))
    pull = ch.Driver("pull", "rail", ch.Signal.linear(1.0))
    model = ch.Model([hand, knob], joints, drivers=[pull], gravity=(0, 0, 0))
    with pytest.raises(ch.SimulationStopped, match="no more than the joints can reach") as stopped:
        ch.simulate(model, 1.0, 1e-3, stabilise=stabilise)
    assert "'pull'" in str(stopped.value)
    assert stopped.value.result.t[-1] == pytest.approx(0.2, abs=3e-3)
