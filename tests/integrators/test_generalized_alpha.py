"""Generalized-alpha: its order everywhere, the index theorem, stiff forces, and what is refused."""

import numpy as np
import pytest
from combinations import one_at_a_time, pairwise
from implicit_runs import (
    EVERY_SPACE,
    MECHANISMS,
    bob_on_a_damper,
    first_reactions,
    observed_orders,
)
from mechanisms import heavy_top, reference_state, three_bar

import chasles as ch

METHODS = ("generalized-alpha", "generalized-alpha index 2")


@pytest.mark.parametrize(
    "method, mechanism, space",
    one_at_a_time(METHODS, MECHANISMS, EVERY_SPACE, base=(METHODS[0], "three-bar", "subgroups")),
)
def test_positions_velocities_and_reactions_are_of_second_order(method, mechanism, space):
    orders = observed_orders(mechanism, method=method, spaces=space)
    assert orders == pytest.approx([2, 2, 2], abs=0.1)


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_every_spectral_radius_has_second_order(rho):
    method = ch.generalized_alpha(rho=rho)
    orders = observed_orders("top", (800, 1600), method=method, spaces="subgroups")
    assert orders[:2] == pytest.approx([2, 2], abs=0.1)


def test_the_top_ends_where_the_reference_of_22_digits_ends():
    apart = []
    for steps in (200, 400):
        result = ch.simulate(heavy_top(), 0.1, step=0.1 / steps, method="generalized-alpha")
        end = reference_state("top", 0.1)
        apart.append(np.abs(result.position("top")[-1] - end.position[0]).max())
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2, abs=0.1)


# --- the index theorem (Arnold, Bruels, Cardona 2015) ---


@pytest.mark.parametrize("space", ["SE3", "SO3xR3 on joints", "subgroups"])
def test_where_charts_fit_reactions_are_of_second_order_from_the_first_step_on(space):
    assert first_reactions(space, "generalized-alpha") == pytest.approx(2, abs=0.05)


def test_where_charts_do_not_fit_reactions_begin_with_an_error_of_first_order():
    assert first_reactions("SO3xR3", "generalized-alpha") == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    "method", [ch.generalized_alpha(perturbed=True), ch.generalized_alpha(index=2)]
)
def test_perturbed_velocities_and_index_2_have_no_transient_of_reactions(method):
    assert first_reactions("SO3xR3", method) == pytest.approx(2, abs=0.05)


# --- constraints ---


@pytest.mark.parametrize(
    "method, space", one_at_a_time(METHODS, EVERY_SPACE, base=("generalized-alpha", "subgroups"))
)
def test_joints_of_a_loop_are_closed_to_rounding(method, space):
    result = ch.simulate(three_bar(), 0.5, step=1e-3, method=method, spaces=space)
    assert max(result.violation(j).max() for j in result.model.joint_names) < 1e-13


def slip(result):
    """The largest velocity of the right pivot's point, which is fixed to the ground."""
    history = result.point("second", three_bar().joint("right pivot").at)
    return np.abs(history.velocity).max()


def test_velocities_slip_by_second_order_on_index_3_and_not_at_all_on_index_2():
    slips = [
        [slip(ch.simulate(three_bar(), 0.2, step=step, method=method, spaces="SO3xR3"))
         for step in (1e-3, 5e-4)]
        for method in METHODS
    ]  # fmt: skip
    assert np.log2(slips[0][0] / slips[0][1]) == pytest.approx(2, abs=0.1)
    assert max(slips[1]) < 1e-12


# --- steps of other lengths ---


def test_a_last_shorter_step_keeps_the_order():
    def apart(steps):
        until = 0.1 * (1 - 0.37 / steps)
        options = {"until": until, "spaces": "SO3xR3", "save_every": 10**6}
        end = ch.simulate(heavy_top(), step=2e-5, method="dop853", **options)
        result = ch.simulate(heavy_top(), step=0.1 / steps, method="generalized-alpha", **options)
        return np.abs(result.absolute[-1] - end.absolute[-1]).max()

    assert np.log2(apart(100) / apart(200)) == pytest.approx(2, abs=0.1)


def test_a_run_in_two_parts_has_the_bits_of_one():
    options = {"step": 1e-3, "method": "generalized-alpha", "spaces": "SO3xR3"}
    whole = ch.simulate(heavy_top(), 0.1, **options)
    half = ch.simulate(heavy_top(), 0.05, **options)
    rest = ch.simulate(heavy_top(), 0.1, start=half, **options)
    assert np.array_equal(rest.absolute[-1], whole.absolute[-1])
    assert np.array_equal(rest.multipliers[-1], whole.multipliers[-1])


def test_a_saved_result_keeps_its_multipliers(tmp_path):
    result = ch.simulate(three_bar(), 0.02, step=1e-3, method="generalized-alpha")
    result.save(tmp_path / "run.nc")
    again = ch.load(tmp_path / "run.nc")
    assert np.array_equal(again.multipliers, result.multipliers, equal_nan=True)
    recorded = ch.simulate(
        three_bar(), 0.02, step=1e-3, method="generalized-alpha", into=tmp_path / "folder"
    )
    assert np.array_equal(recorded.multipliers, result.multipliers, equal_nan=True)
    force = again.reaction("middle").force
    assert np.array_equal(force, result.reaction("middle").force)


# --- stiff forces ---


@pytest.mark.parametrize(
    "damping, method, space", pairwise([2800.0, 1e6], METHODS, ["SE3", "SO3xR3", "subgroups"])
)
def test_a_bob_in_honey_runs_at_2_ms(damping, method, space):
    r"""Along the damper it creeps: $d\,\dot l \approx m g\cos\alpha$; across it swings freely."""
    model = bob_on_a_damper(damping)
    result = ch.simulate(model, 1.0, step=2e-3, method=method, spaces=space)
    assert result.status == "finished"
    length = np.linalg.norm(result.position("bob"), axis=1)
    assert np.abs(length[-1] - length[0]) < 1.5 * 9.81 / damping * 1.1
    half = ch.simulate(model, 1.0, step=1e-3, method=method, spaces=space)
    apart = np.abs(half.position("bob")[::2] - result.position("bob")).max()
    assert apart < 1e-4
    balance = np.abs(result.energy_balance()).max()
    assert balance < 1e-2 * np.ptp(result.kinetic_energy())


def test_the_explicit_method_stops_there_with_the_remedy():
    with pytest.warns(ch.ChaslesWarning), pytest.raises(ch.SimulationStopped, match="smaller step"):
        ch.simulate(bob_on_a_damper(1e6), 0.1, step=2e-3, method="rk4")


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rho": 1.5}, "rho, the spectral radius at infinite frequency, must be from 0 to 1"),
        ({"rho": -0.1}, "must be from 0 to 1, got -0.1"),
        ({"rho": float("nan")}, "rho must be finite, got nan"),
        ({"rho": "0.8"}, "rho must be a number"),
        ({"rho": True}, "rho must be a number"),
        ({"index": 1}, "index must be 2 or 3, got 1"),
        ({"start": "cold"}, "cold"),
        ({"perturbed": 1}, "perturbed must be True or False"),
        ({"index": 2, "perturbed": True}, "perturbed velocities are for index 3"),
    ],
)
def test_nonsense_parameters_are_refused(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.generalized_alpha(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stabilise": "projection"}, "takes no stabiliser"),
        ({"singular": "pass"}, "no solution at a singular pose"),
        ({"rtol": 1e-6, "step": None}, "generalized-alpha"),
    ],
)
def test_what_does_not_go_with_it_is_refused_by_name(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.simulate(heavy_top(), 0.1, **{"step": 1e-3, "method": "generalized-alpha"} | options)


def test_a_step_far_too_long_stops_with_the_body_and_keeps_what_was_reached():
    words = "step after t = 0 s did not converge: after 40 iterations .* 'top' .* joint 'pivot'"
    with pytest.raises(ch.SimulationStopped, match=words) as stop:
        ch.simulate(heavy_top(), 10.0, step=0.2, method="generalized-alpha", spaces="SO3xR3")
    assert stop.value.result.status == "stopped" and len(stop.value.result.t) == 1


def test_a_run_does_not_go_on_by_a_method_that_keeps_other_numbers():
    half = ch.simulate(heavy_top(), 0.05, step=1e-3)
    with pytest.raises(ch.ChaslesError, match=r"keeps other numbers|other rows"):
        ch.simulate(heavy_top(), 0.1, step=1e-3, method="generalized-alpha", start=half)
