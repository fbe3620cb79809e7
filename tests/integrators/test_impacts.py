"""Impacts on ends of joints: times, rates and energies in closed form, in every space."""

import numpy as np
import pytest
from machines import hanging_sledge
from mechanisms import chain, moving

import chasles as ch

GRAVITY, DROP = 9.81, 0.5
TIGHT = {"rtol": 1e-10, "atol": 1e-12, "method": "dop853"}
SPACES = ("framed", "SE3", "subgroups")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("restitution", [1.0, 0.7])
def test_bounces_are_those_of_a_ball(space, restitution):
    """t_1 = sqrt(2 h / g), and every bounce takes e times as long as the one before."""
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=restitution)
    result = ch.simulate(hanging_sledge(), 1.2, spaces=space, events=[stop], **TIGHT)
    first = np.sqrt(2 * DROP / GRAVITY)
    expected = [first]
    while expected[-1] < 1.2:
        expected.append(expected[-1] + 2 * first * restitution ** len(expected))
    np.testing.assert_allclose(result.events["stop"], expected[:-1], atol=1e-10)
    assert result.coordinate("rail").min() > -DROP - 1e-9
    assert np.all(np.diff(result.t) > 0)
    assert result.warnings == ()


@pytest.mark.parametrize("space", SPACES)
def test_an_elastic_impact_keeps_the_energy_of_any_mechanism(space):
    rng = np.random.default_rng(5)
    model = moving(chain(rng, ["spherical", "revolute", "revolute"]), rng, speed=3.0)
    stop = ch.Impact("stop", "joint 1", lower=-0.4, upper=0.4)
    options = {"spaces": space, **TIGHT}
    result = ch.simulate(model, 2.0, events=[stop], **options)
    assert len(result.events["stop"]) >= 3
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-7 * result.kinetic_energy().max()
    assert np.abs(result.coordinate("joint 1")).max() < 0.4 + 1e-9
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-9


def test_impacts_are_the_same_in_every_space():
    rng = np.random.default_rng(5)
    model = moving(chain(rng, ["spherical", "revolute", "revolute"]), rng, speed=3.0)
    stop = ch.Impact("stop", "joint 1", lower=-0.4, upper=0.4, restitution=0.8)
    times = [
        ch.simulate(model, 1.0, events=[stop], spaces=space, **TIGHT).events["stop"]
        for space in SPACES
    ]
    for found in times[1:]:
        np.testing.assert_allclose(found, times[0], atol=1e-7)


def test_wanted_times_after_an_impact_are_those_of_the_motion_after_it():
    stop = ch.Impact("stop", "rail", lower=-DROP)
    wanted = np.linspace(0.0, 1.2, 61)
    result = ch.simulate(hanging_sledge(), 1.2, events=[stop], t_eval=wanted, **TIGHT)
    first = np.sqrt(2 * DROP / GRAVITY)
    since = (wanted + first) % (2 * first) - first  # from the top of the arc
    np.testing.assert_array_equal(result.t, wanted)
    np.testing.assert_allclose(result.coordinate("rail"), -0.5 * GRAVITY * since**2, atol=1e-8)


def test_bounces_that_become_ever_shorter_end_in_a_rest_that_is_told():
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=0.5)
    with pytest.raises(ch.SimulationStopped, match="comes to rest at its end") as stopped:
        ch.simulate(hanging_sledge(), 2.0, events=[stop], rtol=1e-8, method="dopri5")
    first = np.sqrt(2 * DROP / GRAVITY)
    assert stopped.value.result.t[-1] == pytest.approx(first * 3, rel=1e-5)  # 1 + 2 (1/2 + ...)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"upper": 0.1, "restitution": 1.5}, "restitution must be from 0 to 1"),
        ({}, "both left out"),
        ({"lower": 1.0, "upper": 0.0}, "lower must be below upper"),
        ({"upper": float("nan")}, "upper must be finite"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ch.InvalidOption, match=message):
        ch.Impact("stop", "rail", **options)


def test_an_impact_on_a_joint_without_the_coordinate_is_refused():
    with pytest.raises(ch.ChaslesError, match="rail"):
        stop = ch.Impact("stop", "rail", upper=1.0, coordinate="angle")
        ch.simulate(hanging_sledge(), 1.0, events=[stop], **TIGHT)


@pytest.mark.parametrize("space", SPACES)
def test_a_run_that_starts_at_an_end_and_moves_towards_it_bounces_at_once(space):
    """v_1 = e v_0, and the block is back at t = 2 v_1 / g."""
    stop = ch.Impact("stop", "rail", lower=0.0, restitution=0.5)
    start = {"rail": (0.0, -2.0)}
    result = ch.simulate(hanging_sledge(), 0.25, spaces=space, start=start, events=[stop], **TIGHT)
    np.testing.assert_allclose(result.events["stop"], [0.0, 2.0 / GRAVITY], atol=1e-10)
    assert result.coordinate("rail").min() > -1e-9


def test_what_starts_at_rest_on_an_end_is_another_model():
    with pytest.raises(ch.SimulationStopped, match="comes to rest"):
        ch.simulate(hanging_sledge(), 1.0, events=[ch.Impact("stop", "rail", lower=0.0)], **TIGHT)
    up = ch.Impact("stop", "rail", upper=0.0)  # it falls away from this one
    assert not len(ch.simulate(hanging_sledge(), 1.0, events=[up], **TIGHT).events["stop"])


def test_a_start_beyond_an_end_is_refused():
    with pytest.raises(ch.ChaslesError, match="starts at 0, beyond the end"):
        ch.simulate(hanging_sledge(), 1.0, events=[ch.Impact("stop", "rail", lower=0.1)], **TIGHT)


def two_rails(armature=0.0, coupled=False, massless=False):
    """Blocks on rails beside each other."""
    bodies = [ch.Body.box(n, size=(0.1, 0.1, 0.1), mass=1.0) for n in ("one", "two")]
    rails = [
        ch.Prismatic(f"rail {b.name}", ch.GROUND, b, axis=(0, 0, 1), armature=armature)
        for b in bodies
    ]
    if massless:
        frame = ch.Body.frame("frame")
        bodies[1:], rails[1:] = (
            [frame, bodies[1]],
            [
                ch.Prismatic("beside", ch.GROUND, frame, axis=(1, 0, 0)),
                ch.Prismatic("rail two", frame, bodies[1], axis=(0, 0, 1)),
            ],
        )
    ties = [ch.Coupling("tie", {"rail one": 1, "rail two": 0.5})] if coupled else []
    return ch.Model(bodies, rails, drivers=ties)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"armature": 0.3}, "joint 'rail one' has an armature"),
        ({"coupled": True}, "coupling 'tie' would pass the impulse on"),
        ({"massless": True}, "body 'frame' has no mass"),
    ],
)
def test_what_impacts_do_not_know_is_refused_by_its_own_name(options, message):
    stop = ch.Impact("stop", "rail one", lower=-0.1)
    with pytest.raises(ch.InvalidOption, match=message):
        ch.simulate(two_rails(**options), 0.1, events=[stop], **TIGHT)
