"""Commutator-free and Crouch-Grossman methods, and other maps: orders, and joints that hold."""

import numpy as np
import pytest
import runs
from combinations import pairwise
from mechanisms import SPACES, double_pendulum, heavy_top
from runs import last, observed_order

import chasles as ch
from chasles.integrators.products import PRODUCTS

#: Numbers of steps at which the error is that of the leading term.
COUNTS = {
    1: (1024, 1448, 2048),
    2: (181, 256, 362, 512),
    3: (128, 181, 256, 362),
    4: (91, 128, 181, 256),
}


MECHANISMS = {name: runs.MECHANISMS[name] for name in ("top", "pendulum", "three-bar", "driven")}


@pytest.mark.parametrize(
    "method, mechanism, space", pairwise(PRODUCTS, MECHANISMS, [*SPACES, "subgroups"])
)
def test_a_product_of_exponentials_has_its_order(ends, method, mechanism, space):
    make, until = MECHANISMS[mechanism]
    order = PRODUCTS[method].order
    options = {"method": method, "spaces": space}
    observed = observed_order(make(), until, ends[mechanism], COUNTS[order], **options)
    assert observed == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("method", PRODUCTS)
def test_on_a_vector_space_it_is_a_runge_kutta_method_of_its_order(method):
    assert ch.methods()[method].tableau.order == PRODUCTS[method].order


def test_lie_euler_is_the_euler_method_of_munthe_kaas():
    runs = [ch.simulate(heavy_top(), 0.01, step=1e-3, method=m) for m in ("euler", "lie-euler")]
    np.testing.assert_allclose(runs[0].absolute, runs[1].absolute, rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", PRODUCTS)
@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_a_spherical_joint_holds_to_rounding(method, space):
    """Every factor is in the subgroup of rotations about the pivot."""
    result = ch.simulate(heavy_top(), 0.05, step=1e-4, method=method, spaces=space)
    assert result.violation("pivot").max() < 1e-13


@pytest.mark.parametrize("space", ["SE3", "SO3xR3"])
@pytest.mark.parametrize(("brackets", "order"), [(0, 2), (1, 3), (2, 4), (6, 4)])
def test_a_truncated_differential_costs_order_below_p_minus_2_brackets(
    ends, space, brackets, order
):
    """dexp^-1 up to q brackets keeps order p for q >= p - 2 (Munthe-Kaas 1999)."""
    method = ch.munthe_kaas("rk4", truncate=brackets)
    assert method.order == order
    make, until = MECHANISMS["pendulum"]
    counts = (362, 512, 724) if order < 4 else COUNTS[4]
    observed = observed_order(make(), until, ends["pendulum"], counts, method=method, spaces=space)
    assert observed == pytest.approx(order, abs=0.1)


def test_six_brackets_are_nearly_the_closed_form():
    runs = [
        ch.simulate(heavy_top(), 0.01, step=1e-3, method=m, spaces="SE3").absolute
        for m in ("rk4", ch.munthe_kaas("rk4", truncate=6), ch.munthe_kaas("rk4", truncate=0))
    ]
    near, far = (np.abs(run - runs[0]).max() for run in runs[1:])
    assert 0.0 < near < 1e-7 * far


def test_the_cayley_map_keeps_the_order(ends):
    make, until = MECHANISMS["pendulum"]
    cayley = ch.munthe_kaas("rk4", map="cayley")
    observed = observed_order(
        make(), until, ends["pendulum"], COUNTS[4], method=cayley, spaces="SE3"
    )
    assert observed == pytest.approx(4, abs=0.1)


@pytest.mark.parametrize("model", [heavy_top, double_pendulum])
def test_the_cayley_map_has_the_order_on_subgroups_too(model):
    """Balls turn by cay(x), hinges by 2 arctan(x / 2)."""
    cayley, body = ch.munthe_kaas("rk4", map="cayley"), model().body_names[-1]
    exact = ch.simulate(model(), 0.1, step=1e-4, spaces="subgroups").position(body)[-1]
    errors = [
        np.linalg.norm(
            ch.simulate(model(), 0.1, step=h, method=cayley, spaces="subgroups").position(body)[-1]
            - exact
        )
        for h in (2e-3, 1e-3)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


def test_maps_are_refused_where_they_do_not_exist():
    with pytest.raises(ch.InvalidOption, match="'cf4' is not a Munthe-Kaas method"):
        ch.munthe_kaas("cf4", truncate=2)
    with pytest.raises(ch.UnknownName, match="cayley"):
        ch.munthe_kaas("rk4", map="caley")
    with pytest.raises(ch.InvalidOption, match="truncate must be a whole number from 0 to 6"):
        ch.munthe_kaas("rk4", truncate=7)
    with pytest.raises(ch.InvalidOption, match="not a series"):
        ch.munthe_kaas("rk4", map="cayley", truncate=2)


@pytest.mark.parametrize("method", PRODUCTS)
def test_what_floats_moves_by_all_factors_once(method):
    """A body thrown in a field of springs, whose momentum is kept beside its velocity."""
    bob = ch.Body.box("bob", size=(0.3, 0.1, 0.2), mass=1.0, angular_velocity=(3, 1, 2))
    spring = ch.Spring("spring", ch.GROUND, bob, at=(-1, 0, 0), at_b=(0.1, 0, 0), stiffness=50.0)
    model = ch.Model([bob], [], forces=[spring])
    order = PRODUCTS[method].order
    end = last(model, 0.5, 400, method="dop853", spaces="subgroups")
    options = {"method": method, "spaces": "subgroups"}
    assert observed_order(model, 0.5, end, COUNTS[order], **options) == pytest.approx(
        order, abs=0.1
    )
