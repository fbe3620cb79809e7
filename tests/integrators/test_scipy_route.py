"""SciPy's methods in local coordinates: the same motion, and RKMK where they are centred anew."""

import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top, reference_state, three_bar

import chasles as ch
from chasles.integrators.scipy_methods import SOLVERS
from chasles.run import scipy_pace

SPACES = ("auto", "SE3", "SO3xR3")


@pytest.mark.parametrize("spaces", SPACES)
@pytest.mark.parametrize("make", [heavy_top, double_pendulum, three_bar])
def test_an_explicit_method_centred_anew_at_every_step_is_munthe_kaas(make, spaces):
    """SciPy's RK45 is the pair of Dormand and Prince; it adds in another order."""
    step, options = 1e-3, {"rtol": 0.9, "atol": 1e3, "first_step": 1e-3, "max_step": 1e-3}
    ours = ch.simulate(make(), 0.05, step=step, method="dopri5", spaces=spaces)
    method = ch.scipy_method("RK45", recentre=0)
    theirs = ch.simulate(make(), 0.05, method=method, spaces=spaces, **options)
    assert (
        np.abs(theirs.absolute[-1] - ours.absolute[-1]).max() < 1e-12 * np.abs(ours.absolute).max()
    )


@pytest.mark.parametrize("name", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
@pytest.mark.parametrize("spaces", ["auto", "SO3xR3"])
def test_every_method_finds_the_motion(name, spaces):
    result = ch.simulate(
        heavy_top(), 0.1, rtol=1e-9, atol=1e-11, method=f"scipy {name}", spaces=spaces
    )
    exact = reference_state("top", 0.1)
    assert np.abs(result.position("top")[-1] - exact.position[0]).max() < 1e-6
    assert result.provenance["restarts"] > 0  # it spins by 3 turns
    assert result.provenance.evaluations > result.provenance.steps


def test_results_name_the_method_and_where_its_charts_are_left_if_that_was_chosen():
    names = [ch.scipy_method("Radau", *angle).name for angle in ((), (1.5,))]
    assert names == ["scipy Radau", "scipy Radau, new centre after 1.5 rad"]


def test_fewer_restarts_where_charts_reach_further():
    counts = [
        ch.simulate(
            heavy_top(), 0.2, rtol=1e-8, method=ch.scipy_method("LSODA", recentre=angle)
        ).provenance["restarts"]
        for angle in (1.0, 2.0, 4.0)
    ]
    assert counts[0] > counts[1] > counts[2]


def test_hinges_never_leave_their_chart():
    arm = ch.Body.rod("arm", mass=1.0, between=((0, 0, 0), (1, 0, 0)), angular_velocity=(0, 0, 50))
    model = ch.Model(
        [arm], [ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")], gravity=(0, 0, 0)
    )
    result = ch.simulate(model, 1.0, rtol=1e-8, method="scipy LSODA")
    assert result.provenance["restarts"] == 0
    assert result.coordinate("hinge")[-1] == pytest.approx(50.0)


def test_states_at_given_times_and_a_driven_joint():
    arm = ch.Body.rod("arm", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
    driver = ch.Driver("motor", hinge, lambda t: 3 * t * t)
    model = ch.Model([arm], [hinge], drivers=[driver])
    times = [0.0, 0.25, 0.5]
    result = ch.simulate(model, 1.0, rtol=1e-9, method="scipy RK45", t_eval=times)
    assert result.t.tolist() == times
    assert result.coordinate("hinge") == pytest.approx([0.0, 0.1875, 0.75], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "scipy RK45", "step": 1e-3}, "step"),
        ({"method": "scipy RK46", "rtol": 1e-6}, "scipy RK46"),
        ({"method": "scipy RK45", "rtol": 1e-6, "stabilise": "projection"}, "stabilise"),
        ({"method": "scipy RK45", "rtol": 1e-6, "into": "run"}, "past points"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.simulate(heavy_top(), 0.1, **options)


@pytest.mark.parametrize(
    "options", [{"rtol": 1e-7, "method": "scipy RK45"}, {"rtol": 1e-7}, {"step": 0.1}]
)
def test_a_wanted_time_may_be_rounded_beyond_the_end(options):
    """3 * 0.1 is an ulp more than 0.3."""
    times = 0.1 * np.arange(1, 4)
    for wanted in (times, times[2:]):
        found = ch.simulate(bob_on_a_rail(), 0.3, t_eval=wanted, **options)
        assert found.t == pytest.approx(wanted, abs=1e-15) and found.t[-1] == 0.3


def bob_on_a_rail():
    """Let go 1 m above a floor, in a field of 8 m/s^2: it is there after 0.5 s."""
    bob = ch.Body.sphere("bob", radius=0.1, mass=2.0)
    rail = ch.Prismatic("rail", ch.GROUND, bob, axis="z")
    return ch.Model([bob], [rail], gravity=(0, 0, -8.0))


def height(t, state):
    return state.coordinate("rail") + 0.5


@pytest.mark.parametrize("times", [None, [0.1, 0.4, 1.0]])
@pytest.mark.parametrize("name", SOLVERS)
def test_events_and_impacts_are_found(name, times):
    """In closed form: through -0.5 m at sqrt(1/8) s; bounces at 0.5 s and every second after."""
    floor = ch.Impact("floor", "rail", lower=-1.0)
    options = {"rtol": 1e-8, "method": f"scipy {name}", "t_eval": times}
    result = ch.simulate(bob_on_a_rail(), 1.0, events=[height, floor], **options)
    half = np.sqrt(1.0 / 8.0)
    assert result.events["height"] == pytest.approx([half, 1.0 - half], abs=1e-6)
    assert result.events["floor"] == pytest.approx([0.5], abs=1e-6)
    since = np.minimum(result.t, 1.0 - result.t)
    assert result.coordinate("rail") == pytest.approx(-4.0 * since**2, abs=1e-5)
    assert np.all(np.diff(result.t) > 0.0)
    end = ch.Event(height, terminal=True, name="end")
    ended = ch.simulate(bob_on_a_rail(), 1.0, events=[end], **options)
    assert ended.t[-1] == ended.events["end"][0] == pytest.approx(half, abs=1e-6)
    assert ended.coordinate("rail")[-1] == pytest.approx(-0.5, abs=1e-9)


def test_a_state_that_no_step_may_end_at_stops_a_simulation_with_a_reason(monkeypatch):
    by_hand = ch.Simulation(bob_on_a_rail(), rtol=1e-6, method="scipy RK45")
    by_hand.step(steps=2)
    monkeypatch.setattr(scipy_pace, "local_state", lambda *_: scipy_pace.NOT_FINITE)
    with pytest.raises(ch.SimulationStopped, match="not numbers"):
        by_hand.result()


def test_a_simulation_takes_steps():
    with pytest.raises(ch.ChaslesError, match="chooses its steps"):
        ch.Simulation(heavy_top(), step=1e-3, method="scipy RK45")


@pytest.mark.parametrize("recentre", [-1.0, 7.0, float("nan"), "far"])
def test_a_chart_ends_at_a_full_turn(recentre):
    with pytest.raises(ch.ChaslesError, match="recentre"):
        ch.scipy_method("RK45", recentre=recentre)


def bob_on_a_damper():
    """A ball whose turns have no effect: derivatives with respect to them are zero."""
    bob = ch.Body.sphere("bob", radius=0.1, mass=1, position=(1, 0, 0))
    damper = ch.Spring("d", ch.GROUND, bob, (0, 0, 0), (1, 0, 0), stiffness=0, damping=1e4)
    return ch.Model([bob], forces=[damper])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["Radau", "BDF"])
def test_coordinates_without_effect_do_not_end_an_implicit_run(name):
    result = ch.simulate(bob_on_a_damper(), 3.0, rtol=1e-6, atol=1e-8, method=f"scipy {name}")
    exact = ch.simulate(bob_on_a_damper(), 3.0, rtol=1e-9, method="scipy LSODA")
    assert result.status == "finished"
    assert np.abs(result.position("bob")[-1] - exact.position("bob")[-1]).max() < 1e-4


def test_accelerations_that_are_not_numbers_are_told(monkeypatch):
    monkeypatch.setattr(scipy_pace.ScipyPace, "limit_changes", lambda run, solver: None)
    with np.errstate(over="ignore"), pytest.raises(ch.SimulationStopped, match="BDF asked for"):
        ch.simulate(bob_on_a_damper(), 3.0, rtol=1e-6, atol=1e-8, method="scipy BDF")


@pytest.mark.parametrize("name", ["RK45", "BDF", "LSODA"])
def test_coordinates_that_begin_at_zero_need_an_absolute_tolerance(name):
    with pytest.raises(ch.ChaslesError, match="atol is 0 with"):
        ch.simulate(heavy_top(), 0.1, rtol=1e-6, atol=0, method=f"scipy {name}")
