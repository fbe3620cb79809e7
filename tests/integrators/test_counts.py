"""Every method tells how often it solved for the motion: as often as a force was asked."""

import numpy as np
import pytest

import chasles as ch

STEPS, STEP = 12, 5e-3
ALL = [
    "heun", "rk4", "cf4", "gauss2", "gauss4", "gauss6", "rattlie", "rattlie4", "half-explicit",
    "generalized-alpha", "generalized-alpha index 2", "bliedf1", "bliedf3",
]  # fmt: skip


class Counted:
    """A lift whose formula knows how often it was called."""

    def __init__(self):
        self.calls = 0

    def __call__(self, t, position, rotation, velocity, angular_velocity):
        self.calls += 1
        return (0.0, 0.0, 2.0 - 0.1 * velocity[2]), (0.0, 0.0, 0.0)


def pendulum(*forces):
    arm = ch.Body.box(
        "arm", (1.0, 0.4, 0.2), mass=2.0, position=(0.5, 0, 0), velocity=(0, 1.5, -1.0),
        angular_velocity=(1, 2, 3),
    )  # fmt: skip
    return ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))], forces=forces)


def run(model, method, until=STEPS * STEP, **options):
    return ch.simulate(model, until, step=STEP, method=method, kernel="generic", **options)


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("method", ALL)
def test_a_force_is_asked_as_often_as_evaluations_say(method, spaces):
    """What preparations ask is the same for runs of all lengths."""
    calls, told = [], []
    for steps in (STEPS, 2 * STEPS):
        lift = Counted()
        result = run(pendulum(ch.CustomForce("lift", "arm", lift)), method, steps * STEP,
                     spaces=spaces)  # fmt: skip
        calls.append(lift.calls)
        told.append(result.provenance.evaluations)
    assert told[1] - told[0] == calls[1] - calls[0] > 0
    assert 0 < told[0] <= calls[0]


@pytest.mark.parametrize(("method", "stages"), [("gauss2", 1), ("gauss4", 2), ("gauss6", 3)])
def test_a_sweep_of_gauss_evaluates_every_stage_and_a_step_its_start(method, stages):
    told = run(pendulum(), method).provenance
    assert told.evaluations == told.steps + stages * told.iterations
    assert told.iterations >= 2 * told.steps


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_newton_evaluates_once_in_an_iteration_and_four_times_before_the_first(spaces):
    told = run(pendulum(), "generalized-alpha", spaces=spaces).provenance
    assert told.evaluations == 4 + told.iterations
    told = run(pendulum(), "bliedf3", spaces=spaces).provenance
    assert told.evaluations == 4 + 2 * (4 + 1) + told.iterations  # two steps of rk4 to begin with


def test_a_stiff_force_has_newtons_matrix_factored():
    bushing = ch.Bushing("stiff", ch.GROUND, "arm", (0.5, 0, 0), (1e7,) * 3 + (0,) * 3)
    assert run(pendulum(), "generalized-alpha").provenance.factorisations == 0
    assert run(pendulum(bushing), "generalized-alpha").provenance.factorisations > 0


def test_half_explicit_evaluates_five_stages_and_corrects_where_there_are_rows():
    charted = run(pendulum(), "half-explicit", spaces="SO3xR3").provenance
    assert charted.evaluations == 5 * STEPS and charted.iterations > 0
    assert run(pendulum(), "half-explicit", spaces="subgroups").provenance.iterations == 0


@pytest.mark.parametrize("spaces", ["subgroups", "SE3"])
def test_linearly_implicit_evaluates_two_stages(spaces):
    spring = ch.Bushing("soft", ch.GROUND, "arm", (0.5, 0, 0), (10.0,) * 6)
    told = run(pendulum(spring), "linearly-implicit", spaces=spaces).provenance
    assert told.evaluations == 2 * STEPS
    assert told.factorisations == STEPS


def test_rattlie_without_forces_solves_for_momenta_at_every_point():
    told = run(pendulum(), "rattlie4", spaces="SE3").provenance
    assert told.factorisations == 6 * STEPS
    assert told.evaluations == 11 * STEPS  # at five ends a second time, with the velocities there


@pytest.mark.parametrize("method", ["rk4", "gauss4", "generalized-alpha"])
def test_a_shorter_last_step_is_a_step(method):
    whole = run(pendulum(), method)
    more = run(pendulum(), method, (STEPS + 0.5) * STEP)
    assert more.provenance.steps == STEPS + 1 == len(more.t) - 1
    assert f"in {STEPS + 1} steps" in more.message
    assert more.provenance.evaluations > whole.provenance.evaluations


def test_times_between_those_of_the_grid_cost_evaluations():
    told = run(pendulum(), "rk4", t_eval=[0.0123, 0.0301, 0.0477]).provenance
    assert told.evaluations == 4 * (9 + 3) and told.steps == 9 + 1


@pytest.mark.parametrize("method", ["rk4", "half-explicit"])
def test_steps_that_look_for_events_cost_evaluations(method):
    """Seven in every step beside it, and those that locate."""
    lift, plain = Counted(), Counted()
    event = ch.Event(lambda t, s: t - 0.0321, name="then")
    told = run(pendulum(ch.CustomForce("lift", "arm", lift)), method, events=[event]).provenance
    alone = run(pendulum(ch.CustomForce("lift", "arm", plain)), method).provenance
    assert told.evaluations - alone.evaluations == lift.calls - plain.calls
    assert told.evaluations > 8 * alone.evaluations


@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_a_run_that_is_resumed_tells_what_all_of_it_took(method, tmp_path):
    whole = run(pendulum(), method)
    run(pendulum(), method, 5 * STEP, into=tmp_path / "run")
    resumed = run(pendulum(), method, into=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(resumed.absolute, whole.absolute)
    for what in ("steps", "evaluations", "iterations", "factorisations"):
        assert resumed.provenance[what] == whole.provenance[what]


def test_counts_do_not_depend_on_the_kernel():
    generic = run(pendulum(), "half-explicit", spaces="SO3xR3").provenance
    traced = ch.simulate(
        pendulum(), STEPS * STEP, step=STEP, method="half-explicit", spaces="SO3xR3",
        kernel="traced",
    ).provenance  # fmt: skip
    assert (traced.evaluations, traced.iterations) == (generic.evaluations, generic.iterations)
