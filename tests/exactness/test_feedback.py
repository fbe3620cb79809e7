"""Baumgarte's stabilisation and that of Gear, Gupta and Leimkuhler, by one word."""

import numpy as np
import pytest
from mechanisms import pendulum, worst_gap

import chasles as ch
from chasles.build.dynamics.solver import make_solver
from chasles.build.system.build import build
from chasles.core.mechanism import AccuracyLimits
from chasles.integrators.methods import find_method
from chasles.integrators.stabilisation import chosen_stabiliser, make_stabiliser
from chasles.run.loop import Run
from chasles.run.stepper import make_stepper
from chasles.run.time_grid import make_grid
from chasles.spaces import resolve_spaces
from chasles.studies import gallery

WORDS = ("baumgarte", "ggl")
STEPS = (4e-3, 2e-3, 1e-3)


@pytest.fixture(scope="module")
def pair() -> ch.Model:
    """A body on a body by a ball joint that drifts on SE(3)."""
    return gallery.moving_pair("spherical")


@pytest.fixture(scope="module")
def truth(pair) -> np.ndarray:
    run = ch.simulate(pair, 1.0, 5e-4, method="dop853", save_every=2000)
    return run.position("body")[-1]


@pytest.mark.parametrize("stabilise", WORDS)
@pytest.mark.parametrize("method, order", [("heun", 2), ("rk4", 4)])
def test_the_method_keeps_its_order_and_a_gap_is_the_error_of_a_step(
    pair, truth, stabilise, method, order
):
    runs = [
        ch.simulate(pair, 1.0, h, method=method, spaces="SE3", stabilise=stabilise) for h in STEPS
    ]
    logs = np.log(STEPS)
    errors = [np.linalg.norm(run.position("body")[-1] - truth) for run in runs]
    assert np.polyfit(logs, np.log(errors), 1)[0] == pytest.approx(order, abs=0.3)
    gaps = [worst_gap(run) for run in runs]
    assert np.polyfit(logs, np.log(gaps), 1)[0] == pytest.approx(order + 1, abs=0.3)


@pytest.mark.parametrize("stabilise", WORDS)
def test_a_gap_does_not_grow_with_time(pair, stabilise):
    held = ch.simulate(pair, 20.0, 4e-3, spaces="SE3", stabilise=stabilise).violation("joint")
    left = ch.simulate(pair, 20.0, 4e-3, spaces="SE3").violation("joint")
    assert held.max() < 3 * held[:1250].max()
    assert held.max() < 0.02 * left.max()


def test_the_default_rates_of_baumgarte_close_a_gap_in_two_steps():
    rates, h = ch.Baumgarte.for_step(0.01), 0.01
    a, b = rates.alpha * h, (rates.beta * h) ** 2
    one_step = np.array([[1 - b / 2, 1 - a], [-b, 1 - 2 * a]])
    assert np.abs(one_step @ one_step).max() < 1e-15


def test_rates_of_the_users_own_are_taken(pair):
    result = ch.simulate(pair, 1.0, 4e-3, spaces="SE3", stabilise=ch.Baumgarte(20.0, 20.0))
    weak = worst_gap(result)
    assert "alpha 20" in result.provenance["stabilise"]
    strong = worst_gap(ch.simulate(pair, 1.0, 4e-3, spaces="SE3", stabilise="baumgarte"))
    left = worst_gap(ch.simulate(pair, 1.0, 4e-3, spaces="SE3"))
    assert strong < weak < left


@pytest.mark.parametrize("stabilise", WORDS)
def test_joints_that_hold_by_themselves_still_hold(stabilise):
    model = gallery.random_loop(3)
    result = ch.simulate(model, 0.5, 2e-3, stabilise=stabilise)
    drifting = set(result.provenance["stabilised"])
    assert drifting and drifting != set(model.joint_names)
    for name in set(model.joint_names) - drifting:
        assert result.violation(name).max() < 1e-11
        assert result.violation(name, "rotation").max() < 1e-11


@pytest.mark.parametrize("stabilise", WORDS)
def test_where_nothing_drifts_nothing_is_changed(pair, stabilise):
    plain, held = (ch.simulate(pair, 0.2, 1e-2, stabilise=s) for s in (None, stabilise))
    assert held.provenance["stabilised"] == []
    assert np.array_equal(plain.position("body"), held.position("body"))


@pytest.mark.parametrize("stabilise", WORDS)
def test_a_driver_is_held_to_its_motion(stabilise):
    sweep = ch.Driver("sweep", "hinge", ch.Signal.sine(1.0, 0.5))
    model = pendulum(drivers=[sweep])
    gaps = [
        ch.simulate(
            model, 20.0, 0.02, method="heun", stabilise=s, spaces="framed", rows="all"
        ).violation("sweep", "rotation")
        for s in (None, stabilise)
    ]
    assert gaps[1].max() < 0.1 * gaps[0].max()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ch.Baumgarte(-1.0, 2.0), ["alpha", "-1"]),
        (lambda: ch.Baumgarte(1.0, float("nan")), ["beta", "nan"]),
        (lambda: ch.Baumgarte("fast", 1.0), ["alpha", "fast"]),
    ],
)
def test_rates_that_are_none_are_refused(make, words):
    with pytest.raises(ch.InvalidOption) as caught:
        make()
    assert all(word in str(caught.value) for word in words)


def test_a_misspelt_stabiliser_is_corrected(pair):
    with pytest.raises(ch.UnknownName, match="baumgarte"):
        ch.simulate(pair, 1.0, 1e-2, stabilise="baumgart")


def gaps_of_an_opened_joint(stabilise: str, steps: int) -> list[float]:
    """A rod at rest on a ball joint, without gravity, moved off it by a micrometre and slipping."""
    rod = ch.Body.rod("rod", 1.0, mass=2.0, position=(0.5, 0, 0))
    model = ch.Model([rod], [ch.Spherical("pivot", ch.GROUND, rod, (0, 0, 0))], gravity=(0, 0, 0))
    setup = build(model, resolve_spaces(model, "SO3xR3"))
    solver, grid = make_solver(setup), make_grid(steps * 0.01, 0.01, 1, None)
    stabiliser = make_stabiliser(setup, chosen_stabiliser(stabilise), ["pivot"], grid.step)
    stepper = make_stepper(
        solver,
        find_method("rk4"),
        stabiliser,
        AccuracyLimits(np.zeros(4), np.ones(4), np.zeros(4), 0.0, 0.0, np.zeros((1, 3))),
    )
    run = Run(stepper, grid)
    run.block[4:7] += (1e-6, 2e-6, -1e-6)  # behind the quaternion
    run.block[10:13] += (1e-4, 0.0, 2e-4)  # behind the angular velocity
    states = run.states(progress=False).absolute
    return [float(np.linalg.norm(setup.gap("pivot", state)[1])) for state in states]


def test_ggl_closes_an_opened_joint_in_one_step():
    gaps = gaps_of_an_opened_joint("ggl", 3)
    assert gaps[0] > 1e-6 and max(gaps[1:]) < 1e-11


def test_baumgarte_closes_an_opened_joint_in_two_steps():
    gaps = gaps_of_an_opened_joint("baumgarte", 4)
    assert gaps[0] > 1e-6 and gaps[1] > 1e-7 and max(gaps[2:]) < 1e-11
