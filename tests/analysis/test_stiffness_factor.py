"""The factor of statics solves what NumPy does on the constraints, and knows the signs there."""

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.sparse import csr_matrix

from chasles.analysis.trust import Stiffness


def problem(seed, count=18, rows=7, symmetric=True):
    rng = np.random.default_rng(seed)
    stiff = rng.normal(size=(count, count)) * (rng.uniform(size=(count, count)) < 0.4)
    stiff = 0.5 * (stiff + stiff.T) if symmetric else stiff + 3.0 * np.eye(count)
    jacobian, weights = rng.normal(size=(rows, count)), rng.uniform(0.5, 2.0, count)
    scale = 1.0 / np.sqrt((jacobian**2 / weights).sum(axis=1))
    largest = float((np.abs(stiff).sum(axis=1) / weights).max())
    made = Stiffness(csr_matrix(stiff), largest, weights, csr_matrix(jacobian), scale)
    return made, stiff, jacobian, weights, rng.normal(size=count)


def on_constraints(stiff, jacobian, force):
    """K x + J^T nu = f, J x = 0."""
    rows = len(jacobian)
    matrix = np.block([[stiff, jacobian.T], [jacobian, np.zeros((rows, rows))]])
    return np.linalg.solve(matrix, np.concatenate((force, np.zeros(rows))))[: len(force)]


@pytest.mark.parametrize("seed", range(6))
def test_it_is_positive_where_no_eigenvalue_along_the_constraints_is_below_the_shift(seed):
    made, stiff, jacobian, weights, force = problem(seed)
    basis = null_space(jacobian / np.sqrt(weights))
    scaled = basis.T @ (stiff / np.sqrt(np.outer(weights, weights))) @ basis
    least = np.linalg.eigvalsh(scaled)[0]
    assert not made.factor(-least - 0.01)
    assert made.factor(-least + 0.01)
    expected = on_constraints(stiff + (0.01 - least) * np.diag(weights), jacobian, force)
    assert made.solve(force) == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [-1e-3, -1e-7, 0.0, 1e-3])
def test_motions_without_stiffness_are_told_from_falling_ones(seed, least):
    """K couples them to locked motions, and the penalty alone takes them for falling ones."""
    made, stiff, jacobian, weights, force = problem(seed)
    roots = np.sqrt(weights)
    basis = null_space(jacobian / roots)
    wanted = np.linspace(0.0, 1.0, basis.shape[1]) ** 2
    wanted[:2] = 0.0, least
    scaled = stiff / np.outer(roots, roots)
    scaled += basis @ (np.diag(wanted) - basis.T @ scaled @ basis) @ basis.T
    made = Stiffness(
        csr_matrix(np.outer(roots, roots) * scaled), made.largest, weights, made.jacobian,
        made.scale,
    )  # fmt: skip
    assert not made.factor(3e-10 * made.largest)
    assert made.positive == (least >= 0.0) and not made.definite
    if made.positive:
        assert made.least == pytest.approx(0.0, abs=1e-10)
        expected = basis @ (basis.T @ (force / roots) / (wanted + 0.1)) / roots
        assert made.factored_as(0.1)
        assert made.solve(force) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_newtons_step_takes_the_unsymmetric_stiffness(seed):
    made, stiff, jacobian, _, force = problem(seed, symmetric=False)
    expected = on_constraints(stiff, jacobian, force)
    assert made.newton(force) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("radius", [1e-3, 0.1])
def test_a_limited_step_is_as_long_as_the_radius_where_stiffness_is_negative(radius):
    made, _, jacobian, weights, force = problem(1)
    step = made.limited(force, radius)
    assert np.sqrt(step @ (weights * step)) == pytest.approx(radius, rel=0.25)
    assert np.abs(jacobian @ step).max() < 1e-9 * radius
    assert force @ step > 0.0
