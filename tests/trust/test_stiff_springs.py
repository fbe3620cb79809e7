"""Springs far stiffer than a step resolves: implicit steps go through, tolerances stay right."""

import numpy as np
import pytest

import chasles as ch


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("stiffness", "step"), [(1e10, 1.0), (1e14, 1e-2), (1e16, 1e-3)])
def test_generalized_alpha_goes_through_a_linear_spring_at_any_frequency(
    stiffness, step, rho, index
):
    """omega h = 1e5: what is not resolved decays and never grows."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 1e-3))
    slide = ch.Prismatic("slide", ch.GROUND, ball, axis=(0, 0, 1), zero=1e-3)
    spring = ch.JointSpring("spring", slide, stiffness=stiffness)
    method = ch.generalized_alpha(rho=rho, index=index)
    model = ch.Model([ball], [slide], forces=[spring])
    result = ch.simulate(model, 50 * step, step, method=method)
    height = result.position("ball")[:, 2]
    assert result.status == "finished"
    assert np.abs(height).max() <= 1e-3 * (1 + 1e-9)
    left = 50**2 * rho**40 * 1e-3  # as n^2 rho^n: a triple eigenvalue at infinite frequency
    assert np.abs(height[-10:]).max() <= left + 2 * 9.81 / stiffness


@pytest.mark.parametrize("stiffness, damping", [(1e8, 1e5), (1e9, 1e5)])
def test_tol_on_a_stiff_rod_that_turns_is_kept(stiffness, damping):
    """A bob on a spring as good as rigid: the motion is that of a rod, to g m / k."""
    bob = ch.Body.sphere("bob", 0.05, mass=1.0, position=(1.0, 0, 0))
    rod = ch.Distance("rod", ch.GROUND, bob, (0, 0, 0), at_b=(1, 0, 0))
    rigid = ch.simulate(ch.Model([bob], [rod]), 1.0, 1e-3, method="dop853")
    spring = ch.Spring("rod", ch.GROUND, bob, (0, 0, 0), (1, 0, 0), stiffness, damping, 1.0)
    found = ch.simulate(ch.Model([bob], forces=[spring]), 1.0, tol=1e-4)
    assert found.position("bob")[-1] == pytest.approx(rigid.position("bob")[-1], abs=1e-4)


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_a_swinging_body_on_a_spring_beyond_all_steps_runs_or_is_refused_in_words():
    """No joints: what an implicit method cannot solve there has no row to be named."""
    bob = ch.Body.sphere("bob", 0.1, mass=1.0, position=(1, 0, 0), velocity=(0, 3.0, 0))
    spring = ch.Spring("rod", ch.GROUND, bob, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=1e10,
                       damping=1e5)  # fmt: skip
    try:
        result = ch.simulate(ch.Model([bob], forces=[spring]), 0.3, tol=1e-3)
    except ch.ChaslesError as error:
        assert "step" in str(error)
    else:
        length = np.linalg.norm(result.position("bob"), axis=1)
        assert np.abs(length - 1.0).max() < 1e-3
