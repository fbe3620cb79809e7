"""Gauss methods centred at mid-step: orders, symmetry, and what a failure says."""

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import SPACES, chain, double_pendulum, floating_pair, heavy_top, moving, three_bar
from runs import MECHANISMS, last, observed_order, slope, there_and_back

import chasles as ch
from chasles.integrators.gauss import GAUSS, make_gauss

#: Numbers of steps at which the error is that of the leading term.
COUNTS = {
    2: (128, 181, 256, 362),
    4: (64, 91, 128, 181),
    6: (40, 48, 56, 64),
}


@pytest.mark.parametrize(
    "method, mechanism, space", pairwise(GAUSS, MECHANISMS, [*SPACES, "subgroups"])
)
def test_a_gauss_method_has_order_2s(ends, method, mechanism, space):
    make, until = MECHANISMS[mechanism]
    order = ch.methods()[method].order
    options = {"method": method, "spaces": space}
    observed = observed_order(make(), until, ends[mechanism], COUNTS[order], **options)
    assert observed == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("space", [*SPACES, "subgroups"])
def test_order_six_in_the_mean_over_starts(space):
    starts = [np.random.default_rng(seed) for seed in range(6)]
    models = [moving(chain(g, ["spherical", "revolute", "cylindrical"]), g, 1.0) for g in starts]
    counts, until = (20, 25, 32, 40), 0.26
    errors = [
        [
            np.linalg.norm(last(m, until, n, method="gauss6", spaces=space) - end)
            for n in counts
        ]
        for m in models
        for end in [last(m, until, 200, method="dop853")]
    ]  # fmt: skip
    assert slope(counts, np.exp(np.log(errors).mean(axis=0))) == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_coefficients_are_those_of_gauss_seen_from_mid_step(stages):
    """Simplifying conditions B(2s) and C(s) of collocation, from the middle of the step."""
    scheme = make_gauss(stages, 1, 1)
    nodes = scheme.c - 0.5
    for k in range(1, 2 * stages + 1):
        b = scheme.before + scheme.after
        assert b @ scheme.c ** (k - 1) == pytest.approx(1 / k, abs=1e-15)
    for k in range(1, stages + 1):
        np.testing.assert_allclose(scheme.a @ nodes ** (k - 1), nodes**k / k, rtol=0, atol=1e-16)
        assert scheme.after @ nodes ** (k - 1) == pytest.approx(0.5**k / k, abs=1e-15)
        assert scheme.before @ nodes ** (k - 1) == pytest.approx(-((-0.5) ** k) / k, abs=1e-15)


@pytest.mark.parametrize(
    "method, make, space",
    pairwise(GAUSS, [heavy_top, double_pendulum, three_bar, floating_pair], [*SPACES, "subgroups"]),
)
def test_there_and_back_meet_at_rounding(method, make, space):
    """100 steps and as many back: rounding errors alone are left, whatever the error of the step.

    Errors of rounding grow with the motion as any others do: by the size of velocities (80 rad/s).
    """
    missed, far = there_and_back(make(), 5e-4, 100, method=method, spaces=space)
    assert far > 1.0
    assert missed < 2e-11
    if method == "gauss2":
        explicit, _ = there_and_back(make(), 5e-4, 100, method="rk4", spaces=space)
        assert explicit > 30 * missed


@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_a_spherical_joint_holds_to_rounding(space):
    result = ch.simulate(heavy_top(), 0.05, step=1e-4, method="gauss4", spaces=space)
    assert result.violation("pivot").max() < 1e-13


@pytest.mark.parametrize("space", ["SO3xR3", "subgroups"])
def test_an_iteration_that_does_not_converge_stops_the_run_with_a_remedy(space):
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0, velocity=(1, 0, 0))
    spring = ch.Spring("spring", ch.GROUND, bob, at=(-1, 0, 0), at_b=(0, 0, 0), stiffness=1e6)
    model = ch.Model([bob], [], forces=[spring])
    with pytest.raises(
        ch.SimulationStopped, match=r"(?s)did not converge.*smaller step"
    ) as stopped:
        ch.simulate(model, 1.0, step=0.01, method="gauss4", spaces=space)
    assert len(stopped.value.result.t) == 1
