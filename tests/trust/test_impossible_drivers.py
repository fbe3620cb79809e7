"""A driver that the joints forbid is refused whatever its timing, and never by the clock."""

import pytest

import chasles as ch
from chasles.run import loop


def welded_hinge(motion):
    """A hinge that is welded shut, and driven."""
    arm = ch.Body.box("arm", (1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1))
    weld = ch.Fixed("weld", ch.GROUND, arm, at=(0, 0, 0))
    return ch.Model([arm], [hinge, weld], drivers=[ch.Driver("drive", hinge, motion)])


@pytest.mark.parametrize("stabilise", [None, "projection", "baumgarte"])
@pytest.mark.parametrize("duration", [0.01, 0.06, 0.07, 1.0])
def test_a_welded_hinge_is_not_driven_through_a_radian(duration, stabilise):
    motion = ch.Signal.ramp(1.0, duration=duration)
    with pytest.raises(ch.SimulationStopped, match="'drive' contradicts the joints 'weld'") as no:
        ch.simulate(welded_hinge(motion), 1.5 * duration, 1e-3, stabilise=stabilise)
    # The speed of a smooth ramp grows as 30 t^2 / T^3: seen within the first steps.
    assert no.value.result.t[-1] < 0.01 * duration + 2e-3


@pytest.mark.parametrize("duration", [1e5, 1e7])
def test_nor_slowly(duration):
    """Speeds are small or large against the size of a joint and the step, not by their number."""
    with pytest.raises(ch.SimulationStopped, match="contradicts"):
        ch.simulate(welded_hinge(ch.Signal.ramp(1.0, duration=duration)), duration, duration / 1e3)


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 10.0])
def test_it_stops_at_the_same_step_whatever_the_pieces(seconds, monkeypatch):
    monkeypatch.setattr(loop, "CHUNK_SECONDS", seconds)
    model = welded_hinge(lambda t: 0.0 if t < 0.5 else (t - 0.5) ** 3)
    with pytest.raises(ch.SimulationStopped, match="contradicts") as no:
        ch.simulate(model, 2.0, 1e-3)
    # 3 (t - 0.5)^2 is more than 1e-6 rad/s half a step later.
    assert no.value.result.t[-1] == pytest.approx(0.5, abs=3e-3)


def slider(length, time):
    """A sledge in numbers per metre and per second, locked by a distance, driven at 1 m/s."""
    sledge = ch.Body.box(
        "sledge", (0.2 * length, 0.1 * length, 0.1 * length), mass=1.0, position=(length, 0, 0)
    )
    rail = ch.Prismatic("rail", ch.GROUND, sledge, at=(length, 0, 0), axis=(1, 0, 0))
    rod = ch.Distance("rod", ch.GROUND, sledge, at=(0, 0, 0), at_b=(length, 0, 0))
    motion = ch.Signal.ramp(length, duration=time)
    return ch.Model([sledge], [rail, rod], gravity=(0, 0, 0),
                    drivers=[ch.Driver("drive", rail, motion)])  # fmt: skip


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e-3, 1e3), (1e6, 1.0)], ids=["SI", "km, ms", "um"])
def test_units_decide_nothing(units):
    length, time = units
    with pytest.raises(ch.SimulationStopped, match="contradicts") as no:
        ch.simulate(slider(length, time), 1.5 * time, 1e-3 * time)
    assert no.value.result.t[-1] / time < 5e-3
