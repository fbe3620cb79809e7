"""BLieDF: the order of every formula in every space, its start, and stiff forces."""

import numpy as np
import pytest
from combinations import one_at_a_time
from implicit_runs import (
    EVERY_SPACE,
    MECHANISMS,
    bob_on_a_damper,
    counts_of,
    first_reactions,
    observed_orders,
)
from mechanisms import heavy_top, three_bar
from scipy.integrate import solve_ivp

import chasles as ch

FORMULAS = [f"bliedf{k}" for k in (1, 2, 3, 4)]


@pytest.mark.filterwarnings("ignore:the energy balance")  # of implicit Euler's first steps
@pytest.mark.parametrize(
    "method, mechanism, space",
    one_at_a_time(FORMULAS, MECHANISMS, EVERY_SPACE, base=("bliedf2", "three-bar", "subgroups")),
)
def test_a_formula_of_k_steps_has_order_k(method, mechanism, space):
    counts = counts_of(method, mechanism, space)
    orders = observed_orders(mechanism, counts, method=method, spaces=space)
    k = int(method[-1])
    # Its poses and reactions are rounding at shorter steps than 60 us, not asymptotic at longer.
    loose = (method, mechanism, space) == ("bliedf3", "pendulum", "SE3 relative")
    assert orders[1] == pytest.approx(k, abs=0.1)  # velocities
    assert orders[0] == pytest.approx(k, abs=0.25 if loose else 0.1)
    if (method, mechanism, space) != ("bliedf4", "top", "SO3xR3"):  # whose reactions are rounding
        assert orders[2] == pytest.approx(k, abs=0.16 if loose else 0.1)


@pytest.mark.parametrize(("method", "order"), [("bliedf2", 2), ("bliedf3", 3)])
@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_where_charts_fit_reactions_have_the_order_from_the_first_step_on(method, order, space):
    assert first_reactions(space, method, (400, 800)) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("method", "order"), [("bliedf2", 2), ("bliedf3", 3)])
def test_where_charts_do_not_fit_reactions_begin_one_order_lower(method, order):
    """Velocities of an exact start do not slip, those of the formula do by O(h^k)."""
    assert first_reactions("SO3xR3", method, (800, 1600)) == pytest.approx(order - 1, abs=0.1)


@pytest.mark.parametrize("method", FORMULAS)
def test_joints_of_a_loop_are_closed_to_rounding(method):
    result = ch.simulate(three_bar(), 0.2, step=1e-3, method=method, spaces="SO3xR3")
    assert max(result.violation(j)[5:].max() for j in result.model.joint_names) < 1e-13


@pytest.mark.parametrize("method", ["bliedf2", "bliedf4"])
def test_a_last_shorter_step_keeps_the_order(method):
    def apart(steps):
        until = 0.1 * (1 - 0.37 / steps)
        options = {"until": until, "spaces": "SE3", "save_every": 10**6}
        end = ch.simulate(heavy_top(), step=2e-5, method="dop853", **options)
        result = ch.simulate(heavy_top(), step=0.1 / steps, method=method, **options)
        return np.abs(result.absolute[-1] - end.absolute[-1]).max()

    assert np.log2(apart(100) / apart(200)) == pytest.approx(int(method[-1]), abs=0.15)


@pytest.mark.filterwarnings("ignore:the energy balance")  # of implicit Euler's first steps
@pytest.mark.parametrize("method", FORMULAS)
def test_a_bob_in_honey_runs_at_2_ms(method):
    model = bob_on_a_damper(1e6)
    result = ch.simulate(model, 1.0, step=2e-3, method=method)
    length = np.linalg.norm(result.position("bob"), axis=1)
    assert result.status == "finished"
    assert np.abs(length - length[0]).max() < (1e-3 if method == "bliedf1" else 1.5e-5)


def test_a_run_in_two_parts_has_the_bits_of_one():
    options = {"step": 1e-3, "method": "bliedf3", "spaces": "SE3"}
    whole = ch.simulate(heavy_top(), 0.1, **options)
    rest = ch.simulate(heavy_top(), 0.1, start=ch.simulate(heavy_top(), 0.05, **options), **options)
    assert np.array_equal(rest.absolute[-1], whole.absolute[-1])


# --- springs far stiffer than the step ---


def slider(stiffness):
    """1 kg on a spring that is not strained, and sags by g / k."""
    ball = ch.Body.sphere("ball", 0.1, 1.0)
    slide = ch.Prismatic("slide", ch.GROUND, ball, at=(0, 0, 0), axis="z")
    return ch.Model([ball], [slide], [ch.JointSpring("spring", slide, stiffness)])


@pytest.mark.parametrize("stiffness", [1e8, 1e12, 1e16])
@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_spring_that_no_step_resolves_is_started_implicitly(order, stiffness):
    """omega h = 10 to 1e5: the explicit start threw the body by metres, or Newton failed."""
    run = ch.simulate(slider(stiffness), 0.1, step=1e-3, method=f"bliedf{order}")
    sag = 9.81 / stiffness
    assert np.abs(run.position("ball")[:, 2]).max() < 3 * sag
    assert run.position("ball")[-1, 2] == pytest.approx(-sag, rel=1e-3)


@pytest.mark.parametrize("order", [3, 4])
def test_a_bob_on_a_stiff_tether_swings_as_on_a_rod(order):
    """Of 1 m, from the bottom with 1 m/s for 0.1 s: phi'' = -9.81 sin(phi), to a millimetre."""
    bob = ch.Body.sphere("bob", 0.1, 1.0, position=(0, 0, -1), velocity=(1, 0, 0))
    tether = ch.Spring("tether", ch.GROUND, bob, (0, 0, 0), (0, 0, -1), stiffness=1e8)
    swung = solve_ivp(lambda _, y: (y[1], -9.81 * np.sin(y[0])), (0, 0.1), (0, 1), rtol=1e-10)
    angle = swung.y[0, -1]
    run = ch.simulate(ch.Model([bob], [], [tether]), 0.1, step=1e-3, method=f"bliedf{order}")
    expected = (np.sin(angle), 0, -np.cos(angle))
    np.testing.assert_allclose(run.position("bob")[-1], expected, atol=1e-3)
