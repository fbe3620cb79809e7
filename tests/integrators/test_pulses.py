"""Runs that choose their steps do not pass over a pulse of a force: its impulse is felt."""

import numpy as np
import pytest
from combinations import one_at_a_time

import chasles as ch
from chasles.build.system.signals import SignalList
from chasles.build.system.step_bounds import UNBOUNDED, step_bounds

PUSH, WIDTH, AT, UNTIL = 885.0, 2e-3, 5.0, 10.0  # N, s
KNOTS = np.concatenate(
    (np.linspace(0, 4.99, 200), np.linspace(4.9905, 5.0095, 400), np.linspace(5.01, 10, 200))
)


def bell(t):
    return PUSH * np.exp(-(((t - AT) / (WIDTH / 2)) ** 2))


def block(t):
    return PUSH if AT < t < AT + WIDTH else 0.0


#: Each makes the forces on a slide, and tells the impulse in N s.
PULSES = {
    "load by a function": (lambda: ch.Load("l", "b", force=lambda t: (block(t), 0.0, 0.0)), 1.77),
    "motor by a function": (lambda: ch.Motor("m", "slide", effort=block), 1.77),
    "expression": (
        lambda: ch.Motor(
            "m", "slide", effort=ch.Signal.expression("885 * exp(-((t - 5) / 0.001)^2)")
        ),
        PUSH * WIDTH / 2 * np.sqrt(np.pi),
    ),
    "table": (
        lambda: ch.Motor("m", "slide", effort=ch.Signal.table(KNOTS, bell(KNOTS))),
        PUSH * WIDTH / 2 * np.sqrt(np.pi),
    ),
}
OPTIONS = {
    "rtol": {"rtol": 1e-6},
    "dopri5": {"rtol": 1e-5, "method": "dopri5"},
    "tol": {"tol": 1e-4},
    "auto": {"method": "auto"},
    "scipy": {"rtol": 1e-6, "method": "scipy RK45"},
}


def slide(*forces, mass=1.0):
    body = ch.Body.box("b", (0.1, 0.1, 0.1), mass=mass)
    rail = ch.Prismatic("slide", ch.GROUND, body, axis=(1, 0, 0))
    return ch.Model([body], [rail], forces, gravity=(0, 0, 0))


@pytest.mark.parametrize(
    "pulse, options", one_at_a_time(PULSES, OPTIONS, base=("load by a function", "rtol"))
)
def test_a_pulse_of_2_ms_in_10_s_is_felt(pulse, options):
    make, impulse = PULSES[pulse]
    result = ch.simulate(slide(make()), UNTIL, progress=False, **OPTIONS[options])
    assert result.velocity("b")[-1, 0] == pytest.approx(impulse, rel=1e-4)
    assert result.position("b")[-1, 0] == pytest.approx(impulse * 5.0, rel=1e-3)


@pytest.mark.filterwarnings("ignore:force 'm', effort. it is not smooth")
@pytest.mark.parametrize("count", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_pulses_anywhere_are_felt(count):
    """Three blocks of random heights, from 1 ms on, that may overlap, in 10 s."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        starts, heights = rng.uniform(0, 9, 3), rng.uniform(-400, 400, 3)
        widths = 10 ** rng.uniform(-3, 0, 3)

        def push(t, starts=starts, widths=widths, heights=heights):
            return float(((starts <= t) & (t < starts + widths)) @ heights)

        result = ch.simulate(
            slide(ch.Motor("m", "slide", effort=push)), UNTIL, rtol=1e-7, progress=False
        )
        felt = result.velocity("b")[-1, 0]
        assert felt == pytest.approx(widths @ heights, abs=1e-6 * widths @ np.abs(heights))


@pytest.mark.filterwarnings("ignore:the energy balance misses")  # where the bell begins
def test_pulses_of_10_ms_in_1000_s_are_felt():
    """Samples of the run are 30 ms apart: pieces of the fits tell where there is more to see."""

    def blocks(t):
        return 100.0 if 612.0009 <= t < 612.0109 else 300.0 if 870.0009 <= t < 870.0109 else 0.0

    def bell(t):
        return 200.0 * np.exp(-(((t - 333.3) / 0.005) ** 2)) / np.sqrt(np.pi)

    forces = [ch.Motor("m", "slide", effort=blocks), ch.Motor("n", "slide", effort=bell)]
    for chosen, impulse in ((forces[:1], 4.0), (forces[1:], 1.0), (forces, 5.0)):
        result = ch.simulate(slide(*chosen), 1000.0, rtol=1e-8, progress=False)
        assert result.velocity("b")[-1, 0] == pytest.approx(impulse, rel=1e-4)


@pytest.mark.parametrize(
    "options", [{"step": 2.5e-4}, {"rtol": 1e-6, "atol": 1e-6, "max_step": 4e-4}]
)
def test_a_pulse_that_is_longer_than_the_steps_is_felt(options):
    """In a run of so many steps that the function is compared with its fit in several parts.

    The pulse is between two steps of which the number can be divided by four.
    """

    def push(t):
        return 2000.0 if 61.2341 <= t < 61.2346 else 0.0

    motor = ch.Motor("m", "slide", effort=push)
    result = ch.simulate(slide(motor), 100.0, progress=False, save_every=1000, **options)
    assert result.velocity("b")[-1, 0] == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("edge", [0.9995, 0.999995, 1.00002, 1.0004, 3.41405825, 7.0, 2047.99])
def test_a_jump_beside_the_end_of_a_panel_is_where_it_is(edge):
    """The last one is between two parts of the run, each of which is followed by a constant."""

    def push(t):
        return 100.0 if t >= edge else 0.0

    model = slide(ch.Motor("m", "slide", effort=push))
    result = ch.simulate(model, edge + 2.0, rtol=1e-8, progress=False)
    assert result.velocity("b")[-1, 0] == pytest.approx(200.0, abs=1e-4)


def test_a_jump_is_met_from_both_sides():
    """No step is rejected there: one ends just before the jump, and the next begins after it."""
    model = slide(ch.Motor("m", "slide", effort=block))
    result = ch.simulate(model, UNTIL, rtol=1e-8)
    assert result.provenance["rejected"] == 0
    assert np.abs(result.t - AT).min() < 1e-14 and np.abs(result.t - AT - WIDTH).min() < 1e-14


def test_trials_of_implicit_methods_for_stiff_forces_do_not_pass_over_a_pulse():
    """A stiff damper on a second slide: steps of one length are tried, of 2 ms at the most."""
    bodies = [ch.Body.box(name, (0.1, 0.1, 0.1), mass=1.0) for name in ("b", "damped")]
    rails = [
        ch.Prismatic(name, ch.GROUND, body, axis=(1, 0, 0))
        for name, body in zip(("slide", "other"), bodies)
    ]
    forces = [ch.Motor("m", "slide", effort=block), ch.JointSpring("d", "other", 0.0, 1e5)]
    model = ch.Model(bodies, rails, forces, gravity=(0.1, 0, 0))
    result = ch.simulate(model, UNTIL, tol=1e-2)
    assert "bliedf3" in result.provenance["choice"]
    assert result.velocity("b")[-1, 0] == pytest.approx(0.1 * UNTIL + 1.77, rel=0.05)


def test_saved_states_are_every_so_many_also_where_parts_of_a_run_end():
    model = slide(ch.Motor("m", "slide", effort=block))
    every = ch.simulate(model, UNTIL, rtol=1e-8).t
    assert ch.simulate(model, UNTIL, rtol=1e-8, save_every=5).t == pytest.approx(
        np.append(every[:-1:5], every[-1]), abs=0
    )


@pytest.mark.parametrize(
    "effort",
    [3.0, ch.Signal.linear(2.0), lambda t: 1.0 + t / 3.0],
    ids=["number", "line", "python"],
)
def test_what_one_polynomial_follows_bounds_no_step(effort):
    result = ch.simulate(slide(ch.Motor("m", "slide", effort=effort)), UNTIL, rtol=1e-6)
    assert result.provenance.steps < 12


def test_without_functions_of_time_there_is_nothing_to_sample():
    assert step_bounds(SignalList(), 10.0) is UNBOUNDED


def test_steps_in_a_sine_stay_those_of_the_tolerance():
    """Two thirds of a period are allowed, and a step of a tolerance has less."""
    model = slide(ch.Motor("m", "slide", effort=ch.Signal.sine(1.0, frequency=2.0)))
    result = ch.simulate(model, UNTIL, rtol=1e-6)
    assert np.diff(result.t).max() < 0.34
    speed = (1 - np.cos(4 * np.pi * result.t)) / (4 * np.pi)
    assert result.velocity("b")[:, 0] == pytest.approx(speed, abs=1e-6)


@pytest.mark.parametrize("method", ["dop853", "dopri5", "tsit5"])
@pytest.mark.parametrize("width", [0.1, 0.2, 0.3])
def test_motions_too_small_to_be_squared_do_not_end_a_run(method, width):
    r"""Before and after a pulse $a\,e^{-((t - t_0)/w)^2}$ errors of steps are below $10^{-160}$."""

    def pulse(t):
        return 0.01 * np.exp(-(((t - 7.123) / width) ** 2))

    box = ch.Body.box("box", (0.1, 0.1, 0.1), mass=1.0)
    slide = ch.Prismatic("slide", ch.GROUND, box, (0, 0, 0), "x")
    model = ch.Model([box], [slide], drivers=[ch.Driver("pulse", slide, pulse)], gravity=(0, 0, 0))
    run = ch.simulate(model, 10.0, rtol=1e-6, method=method)
    assert run.status == "finished"
    assert np.abs(run.position("box")[:, 0] - pulse(run.t)).max() < 1e-15
    assert run.warnings == ()
