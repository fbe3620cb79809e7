"""Runs that choose their steps: errors follow the tolerances, in every space, wherever they are."""

import numpy as np
import pytest
from mechanisms import EXAMPLES, chain, double_pendulum, heavy_top, reference_state, three_bar
from scipy.integrate._ivp import dop853_coefficients
from scipy.integrate._ivp.rk import RK23, RK45

import chasles as ch
from chasles.integrators.order_conditions import forest, order_of, stage_weights
from chasles.integrators.pairs import PAIRS

METHODS = tuple(PAIRS)
SPACES = ("framed", "SE3", "SO3xR3", "subgroups")


def distance(state, reference):
    """The largest error of a position, m, or of a direction of a body's axes."""
    turned = np.abs(state.rotation - reference.rotation).max()
    return max(np.abs(state.position - reference.position).max(), turned)


# --- tableaux ---


@pytest.mark.parametrize("name", METHODS)
def test_embedded_methods_have_the_orders_that_the_error_goes_with(name):
    pair = PAIRS[name]()
    b = np.zeros(len(pair.a))
    b[: pair.tableau.stages] = pair.tableau.b
    embedded, _ = order_of(pair.a, b - pair.error)
    if pair.third.any():  # e5^2 / e3 goes with 6 + 6 - 4
        third, _ = order_of(pair.a, b - pair.third)
        assert 2 * (embedded + 1) - (third + 1) == pair.estimate == pair.tableau.order
    else:
        assert embedded + 1 == pair.estimate == pair.tableau.order


@pytest.mark.parametrize("name", METHODS)
def test_states_between_have_their_order_and_meet_the_end(name):
    """b_i(theta) meets the conditions of order p of a step of length theta h."""
    pair, trees = PAIRS[name](), forest()
    for theta in (0.1, 0.37, 0.5, 0.81, 1.0):
        weights = pair.dense @ theta ** np.arange(1, pair.dense.shape[1] + 1)
        residual = stage_weights(pair.a) @ weights - theta**trees.size / trees.density
        assert np.abs(residual[trees.size <= pair.order]).max() < 1e-12
    expected = np.zeros(len(pair.a))
    expected[: pair.tableau.stages] = pair.tableau.b
    np.testing.assert_allclose(pair.dense.sum(axis=1), expected, atol=1e-12)


def test_the_pairs_of_scipy_are_the_same():
    for name, theirs in (("bs3", RK23), ("dopri5", RK45)):
        pair = PAIRS[name]()
        stages = len(theirs.A)
        np.testing.assert_allclose(pair.a[:stages, : theirs.A.shape[1]], theirs.A, atol=1e-15)
        np.testing.assert_allclose(np.abs(pair.error), np.abs(theirs.E), atol=1e-15)
        np.testing.assert_allclose(pair.dense, theirs.P, atol=1e-15)
    pair = PAIRS["dop853"]()
    np.testing.assert_allclose(pair.a, dop853_coefficients.A, rtol=1e-15)
    np.testing.assert_allclose(pair.third[:13], dop853_coefficients.E3, atol=1e-15)
    np.testing.assert_allclose(pair.error[:13], dop853_coefficients.E5, atol=1e-15)


# --- accuracy ---


@pytest.mark.parametrize("space", ["framed", "subgroups"])
@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("name", METHODS)
def test_errors_stay_within_ten_tolerances(name, example, space):
    for tolerance in (1e-4, 1e-6, 1e-8) if name == "bs3" else (1e-4, 1e-6, 1e-8, 1e-10, 1e-11):
        result = ch.simulate(
            EXAMPLES[example](), 0.2, rtol=tolerance, atol=tolerance / 100, method=name,
            spaces=space,
        )  # fmt: skip
        assert distance(result.state(-1), reference_state(example, 0.2)) < 10 * tolerance


@pytest.mark.parametrize("name", METHODS)
def test_errors_are_proportional_to_the_tolerance(name):
    """error ~ tol^(1 +- 0.1), on the mean of the paper's examples, in spaces that fit them."""
    tolerances = np.geomspace(1e-4, 1e-8 if name == "bs3" else 1e-11, 8)
    logs = [
        [np.log(distance(state_at_end(example, tol, name, space), reference)) for tol in tolerances]
        for example, reference in ((known, reference_state(known, 0.2)) for known in EXAMPLES)
        for space in ("framed", "subgroups")
    ]
    slope = np.polyfit(np.log(tolerances), np.mean(logs, axis=0), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.1)


def state_at_end(example, tolerance, method, space):
    options = {"rtol": tolerance, "atol": tolerance / 100, "method": method, "spaces": space}
    return ch.simulate(EXAMPLES[example](), 0.2, **options).state(-1)


def moved(model, by):
    """The same model elsewhere."""
    bodies = [ch.Body(b.name, b.mass, b.inertia, np.add(b.position, by), b.rotation,
                      velocity=b.velocity, angular_velocity=b.angular_velocity)
              for b in model.bodies]  # fmt: skip
    joints = [ch.Spherical(j.name, j.a, j.b, at=np.add(j.at, by)) for j in model.joints]
    return ch.Model(bodies, joints, gravity=model.gravity)


@pytest.mark.parametrize("space", SPACES)
def test_steps_do_not_depend_on_where_the_origin_is(space):
    """2^20 m away, a length that rounds nothing off but the last bits."""
    options = {"rtol": 1e-6, "atol": 1e-8, "method": "dopri5", "spaces": space}
    here = ch.simulate(double_pendulum(), 0.1, **options)
    there = ch.simulate(moved(double_pendulum(), (2.0**20, 0.0, 0.0)), 0.1, **options)
    assert len(there.t) == len(here.t)
    np.testing.assert_allclose(there.t, here.t, rtol=1e-4)


@pytest.mark.parametrize("space", ["framed", "subgroups"])
def test_runs_repeat_to_the_last_bit(space):
    options = {"rtol": 1e-7, "method": "tsit5", "spaces": space}
    runs = [ch.simulate(three_bar(), 0.3, **options) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].t, runs[1].t)
    np.testing.assert_array_equal(runs[0].absolute, runs[1].absolute)


def test_rejected_steps_leave_nothing_behind():
    """A run whose first attempts are rejected equals one that begins with what was accepted."""
    options = {"rtol": 1e-8, "method": "dopri5", "spaces": "framed"}
    tried = ch.simulate(double_pendulum(), 0.05, first_step=0.05, **options)
    assert tried.provenance["rejected"] > 0
    again = ch.simulate(double_pendulum(), 0.05, first_step=float(tried.t[1]), **options)
    np.testing.assert_array_equal(tried.absolute[1], again.absolute[1])


# --- times ---


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("until", [0.1, 0.3, 1 / 3, 0.77])
def test_a_run_ends_at_until_and_nowhere_else(name, until):
    result = ch.simulate(heavy_top(), until, rtol=1e-5, method=name)
    assert result.t[-1] == until
    assert np.all(np.diff(result.t) > 0.0)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(
    ("name", "order"), [("bs3", 3), ("dopri5", 4), ("tsit5", 4), ("dop853", 7)]
)
def test_states_between_steps_have_the_order_of_the_interpolant(name, order, space):
    """At steps of fixed length (loose tolerances) errors in the middle fall with h^(p + 1)."""
    counts = (20, 24, 28, 32) if order > 4 else (128, 160, 192)
    errors = []
    for count in counts:
        h = 0.05 / count
        wanted = h * np.linspace(0.1, 0.9, 9)
        options = {"rtol": 0.9, "atol": 1e3, "method": name, "spaces": space}
        between = ch.simulate(
            double_pendulum(), 0.05, first_step=h, max_step=h, t_eval=wanted, **options
        )
        exact = ch.simulate(double_pendulum(), h, step=h / 20, method="dop853", t_eval=wanted)
        errors.append(np.abs(between.absolute - exact.absolute).max())
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(order + 1, abs=0.5 if order > 4 else 0.2)


@pytest.mark.parametrize("space", SPACES)
def test_wanted_times_do_not_change_the_steps(space):
    options = {"rtol": 1e-8, "method": "dopri5", "spaces": space}
    plain = ch.simulate(double_pendulum(), 0.1, **options)
    wanted = np.sort(np.append(np.linspace(0.0, 0.1, 33), plain.t[5]))
    found = ch.simulate(double_pendulum(), 0.1, t_eval=wanted, **options)
    np.testing.assert_array_equal(found.t, wanted)
    at = int(np.flatnonzero(wanted == plain.t[5])[0])
    np.testing.assert_array_equal(found.absolute[at], plain.absolute[5])
    np.testing.assert_array_equal(found.absolute[-1], plain.absolute[-1])
    np.testing.assert_array_equal(found.absolute[0], plain.absolute[0])


@pytest.mark.parametrize("space", ["SE3", "subgroups"])
@pytest.mark.parametrize("name", METHODS)
def test_a_spherical_joint_holds_between_steps(name, space):
    """The states in between are of the same coset."""
    result = ch.simulate(
        heavy_top(), 0.2, rtol=1e-5, method=name, spaces=space, t_eval=np.linspace(0, 0.2, 101)
    )
    assert result.violation("pivot").max() < 1e-13


@pytest.mark.parametrize("space", ["SO3xR3", "subgroups"])
def test_projected_joints_are_closed_at_every_wanted_time(space):
    wanted = np.linspace(0.0, 0.2, 41)
    result = ch.simulate(
        three_bar(), 0.2, rtol=1e-6, method="dopri5", spaces=space, stabilise="projection",
        t_eval=wanted,
    )  # fmt: skip
    assert max(result.violation(name).max() for name in result.model.joint_names) < 1e-9


CALLS = {"t_eval": {"t_eval": np.linspace(0.01, 2.0, 60)}, "events": {"events": [lambda t, s: 1.0]}}


@pytest.mark.parametrize("method", ["dop853", "tsit5", "scipy DOP853", "scipy RK45"])
@pytest.mark.parametrize("options", CALLS.values(), ids=CALLS)
def test_a_force_that_fails_between_the_ends_of_a_step_stops_the_run(options, method):
    """A formula that fails in one call, whichever it is: states are numbers, at true times."""
    sphere = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    calls, failing = [0], [0]

    def push(*state):
        calls[0] += 1
        if calls[0] == failing[0]:
            raise ValueError("no value")
        return (0.0, 0.0, 0.3), (0.0, 0.0, 0.0)

    model = ch.Model([sphere], [], [ch.CustomForce("push", sphere, formula=push)])
    stopped = 0
    for failing[0] in range(2, 50):
        calls[0] = 0
        try:
            found = ch.simulate(model, 2.0, rtol=1e-8, method=method, **options)
        except ch.SimulationStopped as error:
            found, stopped = error.result, stopped + 1
        assert np.isfinite(found.absolute).all()
        heights = 0.5 * (0.3 - 9.81) * found.t**2
        assert found.position("ball")[:, 2] == pytest.approx(heights, abs=1e-6)
    assert stopped or "853" not in method  # only that has stages between the ends


def test_a_driven_hinge_is_where_it_is_told_to_be_at_every_wanted_time():
    arm = ch.Body.box("arm", size=(1.0, 0.1, 0.1), mass=2.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0))
    model = ch.Model([arm], [hinge], drivers=[ch.Driver("motor", hinge, ch.Signal.sine(0.5, 2.0))])
    wanted = np.linspace(0.0, 1.0, 57)
    result = ch.simulate(model, 1.0, rtol=1e-6, method="dopri5", spaces="subgroups", t_eval=wanted)
    expected = ch.Signal.sine(0.5, 2.0).values(wanted)
    np.testing.assert_allclose(result.coordinate("hinge"), expected, atol=1e-14)


# --- bad input ---


def test_the_longest_step_may_be_without_end_as_with_scipy():
    free, plain = (
        ch.simulate(heavy_top(), 0.05, rtol=1e-8, **options)
        for options in ({"max_step": np.inf}, {})
    )
    np.testing.assert_array_equal(free.absolute, plain.absolute)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": 1e-6, "method": "rk4"}, "'rk4' cannot choose its steps"),
        ({"rtol": 1e-6, "method": "cf4"}, "'cf4' cannot choose its steps"),
        ({"rtol": 1e-6, "step": 1e-3}, "rtol was given with a step"),
        ({"max_step": 1e-2, "step": 1e-3}, "max_step was given with a step"),
        (
            {"rtol": -1e-6},
            r"rtol must not be negative, got -1e-06\.\n  Give rtol of zero or more\.",
        ),
        ({"atol": 1e300}, "larger than any mechanism"),
        ({"rtol": float("nan")}, "rtol must be finite"),
        ({"rtol": 2.0}, "errors as large as the bodies"),
        ({"rtol": 1e-17}, "more digits than double precision"),
        ({"rtol": 0.0, "atol": 0.0}, "more digits than double precision"),
        ({"rtol": "tight"}, "rtol must be a number"),
        ({"rtol": 1e-6, "max_step": 0.0}, "max_step must be positive"),
        ({"rtol": 1e-6, "first_step": 5.0}, "longer than the run"),
        ({"rtol": 1e-6, "stabilise": "ggl"}, "takes its rates from the step"),
        ({"rtol": 1e-6, "stabilise": "baumgarte"}, "takes its rates from the step"),
        ({}, "step was left out"),
    ],
)
def test_nonsense_is_refused_in_words(options, message):
    with pytest.raises(ch.InvalidOption, match=message):
        ch.simulate(heavy_top(), 1.0, **{"method": "dopri5", **options})


def test_the_provenance_tells_tolerances_and_rejections(tmp_path):
    result = ch.simulate(heavy_top(), 0.1, rtol=1e-6, method="dopri5")
    assert result.provenance["rtol"] == 1e-6
    assert result.provenance["atol"] == 1e-10
    assert result.provenance["rejected"] >= 0
    assert result.provenance.steps == len(result.t) - 1
    result.save(tmp_path / "run.nc")
    assert ch.load(tmp_path / "run.nc").provenance["rtol"] == 1e-6


@pytest.mark.parametrize("space", ["framed", "subgroups"])
def test_a_step_that_collapses_keeps_the_result_so_far(space):
    """A ball falls into a centre of attraction, k / r^2, which it reaches in a finite time.

    From rest at r = 1 m with k / m = 1 m^3/s^2 that is at t = pi / sqrt(8) (Kepler).
    """

    def attraction(t, position, rotation, velocity, angular_velocity):
        x = position[0]
        return (-1.0 / (x * x) if x > 0.0 else float("nan"), 0.0, 0.0), (0.0, 0.0, 0.0)

    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(1.0, 0, 0))
    model = ch.Model([ball], forces=[ch.CustomForce("sun", ball, attraction)], gravity=(0, 0, 0))
    with pytest.raises(ch.ChaslesError) as stopped:
        ch.simulate(model, 2.0, rtol=1e-8, method="dopri5", spaces=space)
    result = stopped.value.result
    assert result.t[-1] == pytest.approx(np.pi / np.sqrt(8.0), abs=1e-4)
    assert result.status == "stopped"


def test_tolerances_hold_on_driven_mechanisms():
    """A crank turned by a motor, against a hundred times tighter tolerances."""
    rng = np.random.default_rng(3)
    plain = chain(rng, ["revolute", "spherical", "revolute"])
    motor = ch.Driver("motor", plain.joints[0], ch.Signal.sine(0.4, 1.5))
    model = ch.Model(plain.bodies, plain.joints, gravity=plain.gravity, drivers=[motor])
    exact = ch.simulate(model, 0.4, step=1e-3, method="dop853").state(-1)
    for space in ("framed", "SE3", "subgroups"):
        for tolerance in (1e-5, 1e-8):
            options = {"rtol": tolerance, "atol": tolerance / 100, "method": "tsit5"}
            found = ch.simulate(model, 0.4, spaces=space, **options).state(-1)
            assert distance(found, exact) < 10 * tolerance


@pytest.mark.parametrize(
    ("method", "stages"), [("bs3", 3), ("dopri5", 6), ("tsit5", 6), ("dop853", 12)]
)
@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_what_ends_a_step_begins_the_next(method, stages, spaces):
    """One evaluation of F less, in each step and in each that was tried again."""
    told = ch.simulate(double_pendulum(), 0.1, rtol=1e-7, method=method, spaces=spaces).provenance
    attempts = told.steps + told["rejected"]
    if method == "dop853":
        assert told.evaluations == stages * attempts - told["rejected"]
    else:
        assert told.evaluations == stages * attempts + 1


def test_where_something_is_done_at_the_end_of_a_step_it_is_evaluated_again():
    told = ch.simulate(
        double_pendulum(), 0.1, rtol=1e-7, method="dopri5", spaces="SE3", stabilise="projection"
    ).provenance
    assert told.evaluations == 7 * (told.steps + told["rejected"]) + 1  # to find the first step


@pytest.mark.parametrize("method", ["bs3", "dopri5", "tsit5", "dop853"])
@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-9])
def test_an_effort_that_rises_from_nothing_on_a_body_at_rest_is_followed(method, width):
    """1 + tanh((t - c) / w) on 1 kg m^2: it grows like exp(2 t / w) from 1e-17 on.

    The rate at t = 1 is 1 + w (ln cosh((1 - c) / w) - ln cosh(c / w)) = 2 - 2 c for small w.
    """
    centre = 0.37123
    arm = ch.Body.rod("arm", mass=3.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
    motor = ch.Motor("motor", hinge, effort=lambda t: 1.0 + np.tanh((t - centre) / width))
    model = ch.Model([arm], [hinge], [motor], gravity=(0, 0, 0))
    run = ch.simulate(model, until=1.0, rtol=1e-7, method=method)
    assert run.coordinate_rate("hinge")[-1] == pytest.approx(2.0 - 2.0 * centre, abs=3e-7)
    assert run.provenance["steps"] < 600
