"""Every map against 50-digit arithmetic, from the identity to the edge of its domain."""

from math import pi

import mpmath as mp
import numpy as np
import pytest
from groups_reference import (
    GROUPS,
    SE3,
    SO3,
    ad,
    applied_to_basis,
    cayley,
    cayley_slopes,
    dexp_matrix,
    flat,
    pack,
    relative_error,
    trivialised_derivative,
)

TINY = [1e-12, 1e-7, 1e-4, 1e-2]
SWITCHES = [0.2449, 0.245, 2.9999, 3.0001]  # about sqrt(0.06) and sqrt(9)
AROUND_PI = [pi - 1e-12, pi, pi + 1e-9]
EDGE = [2 * pi - 1e-1, 2 * pi - 1e-2, 2 * pi - 1e-3]
ANGLES = [*TINY, *SWITCHES, 0.1, 0.2, 0.5, 1.0, 2.0, *AROUND_PI, 4.0, 5.5, *EDGE]
AXIS = np.array([0.48, -0.6, 0.64])
ACROSS = np.array([0.8, 0.64, 0.0])  # at right angles to the axis, up to rounding
LINEAR = [np.array([1.3, 0.4, -2.0]), ACROSS, 3 * AXIS, np.zeros(3)]
TOLERANCE = 1e-14

each_group = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
each_angle = pytest.mark.parametrize("angle", ANGLES)


def algebra_elements(group, angle):
    """Elements with that angle: generic; and linear part across, along the axis, none in turn.

    Of the tiny, of those about a switch, about pi and at the edge, each meets all three.
    """
    x = list(angle * AXIS / np.linalg.norm(AXIS))
    if group.dim == 3:
        return [x]
    special = LINEAR[1 + ANGLES.index(angle) % 3 if angle in ANGLES else 1]
    return [x + list(y) for y in (LINEAR[0], special)]


# --- exp and log ---


@each_group
@each_angle
def test_exp_is_the_matrix_exponential(group, angle):
    for x in algebra_elements(group, angle):
        element = group.exp(pack(group, x))
        assert relative_error(group.element(element), mp.expm(group.hat(x))) < TOLERANCE
        quaternion = element if group.dim == 3 else element[0]
        assert abs(np.dot(quaternion, quaternion) - 1) < 1e-15
        assert abs(quaternion[0] - mp.cos(mp.norm(x[:3]) / 2)) < 1e-15


@each_group
@pytest.mark.parametrize("angle", [a for a in ANGLES if a < pi - 1e-15])
def test_log_recovers_x_below_pi(group, angle):
    for x in algebra_elements(group, angle):
        back = flat(group.log(group.exp(pack(group, x))))
        for part in (slice(0, 3), slice(3, 6)):
            error = np.linalg.norm(np.subtract(back[part], x[part]))
            assert error <= TOLERANCE * np.linalg.norm(x[part])


@each_group
@each_angle
def test_exp_of_log_is_the_element_and_log_is_shortest(group, angle):
    for x in algebra_elements(group, angle):
        element = group.exp(pack(group, x))
        log = flat(group.log(element))
        assert np.linalg.norm(log[:3]) <= pi * (1 + 1e-15)
        matrix = mp.expm(group.hat([mp.mpf(c) for c in log]))
        assert relative_error(matrix, group.element(element)) < TOLERANCE


@each_group
def test_log_of_a_half_turn_about_an_axis_is_exact(group):
    for half_turn in ((0.0, 1.0, 0.0, 0.0), (-0.0, 0.0, -1.0, 0.0), (0.0, 0.0, 0.0, 1.0)):
        element = half_turn if group.dim == 3 else (half_turn, (1.0, 2.0, 3.0))
        log = flat(group.log(element))
        np.testing.assert_array_equal(np.abs(log[:3]), pi * np.abs(half_turn[1:]))


@each_group
def test_exp_and_log_keep_the_relative_accuracy_of_tiny_vectors(group):
    for size in (1e-12, 1e-20, 1e-100, 1e-170):
        x = [size, -2 * size, 3 * size] + [0.0] * (group.dim - 3)
        np.testing.assert_allclose(
            flat(group.log(group.exp(pack(group, x)))), x, rtol=1e-15, atol=0
        )


# --- differentials ---


@each_group
@each_angle
def test_dexp_is_the_sum_of_powers_of_ad(group, angle):
    for x in algebra_elements(group, angle):
        matrix = applied_to_basis(group, lambda z, x=x: group.dexp(pack(group, x), z))
        assert relative_error(matrix, dexp_matrix(group, x)) < TOLERANCE


@each_group
@each_angle
def test_dexp_inv_is_the_inverse_matrix_of_dexp(group, angle):
    for x in algebra_elements(group, angle):
        matrix = applied_to_basis(group, lambda z, x=x: group.dexp_inv(pack(group, x), z))
        assert relative_error(matrix, mp.inverse(dexp_matrix(group, x))) < TOLERANCE


def test_dexp_inv_holds_next_to_two_pi_for_many_axes():
    rng = np.random.default_rng(5)
    for group in (SO3, SE3):
        for gap in (1e-3, 1.1e-3, 3e-3):
            axis = rng.normal(size=3)
            x = list((2 * pi - gap) * axis / np.linalg.norm(axis)) + [*rng.normal(size=3)]
            x = x[: group.dim]
            matrix = applied_to_basis(group, lambda z, g=group, x=x: g.dexp_inv(pack(g, x), z))
            assert relative_error(matrix, mp.inverse(dexp_matrix(group, x))) < TOLERANCE


@each_group
@pytest.mark.parametrize("angle", [1e-7, 0.3, 3.5])
def test_dexp_is_the_right_trivialised_derivative_of_exp(group, angle):
    z = [0.3, -1.1, 0.7, 0.2, 0.5, -0.4][: group.dim]
    for x in algebra_elements(group, angle):
        formula = flat(group.dexp(pack(group, x), pack(group, z)))
        truth = trivialised_derivative(group, mp.expm, x, z)
        assert mp.norm(mp.matrix(formula) - mp.matrix(truth)) < 1e-14 * (1 + mp.norm(x))


@each_group
def test_bracket_is_the_commutator(group):
    for x in algebra_elements(group, 1.7):
        matrix = applied_to_basis(group, lambda z, x=x: group.bracket(pack(group, x), z))
        assert relative_error(matrix, ad(group, x)) < 1e-15


@each_group
@each_angle
def test_adjoint_is_conjugation(group, angle):
    for x in algebra_elements(group, angle):
        element = group.exp(pack(group, x))
        matrix = applied_to_basis(group, lambda z, c=element: group.adjoint(c, z))
        assert relative_error(matrix, mp.expm(ad(group, x))) < TOLERANCE


# --- Cayley ---


@each_group
@each_angle
def test_cay_is_the_cayley_transform_of_the_matrix(group, angle):
    for x in algebra_elements(group, angle):
        element = group.cay(pack(group, x))
        assert relative_error(group.element(element), cayley(group.hat(x))) < TOLERANCE


@each_group
@each_angle
def test_dcay_and_its_inverse_are_the_derivative_of_cay(group, angle):
    for x in algebra_elements(group, angle):
        truth = cayley_slopes(group, x)
        matrix = applied_to_basis(group, lambda z, x=x: group.dcay(pack(group, x), z))
        assert relative_error(matrix, truth) < TOLERANCE
        inverse = applied_to_basis(group, lambda z, x=x: group.dcay_inv(pack(group, x), z))
        assert relative_error(inverse, mp.inverse(truth)) < TOLERANCE


@each_group
def test_the_slopes_of_cay_are_differences_of_it(group):
    for x in algebra_elements(group, 1.7):
        units = [[mp.mpf(i == j) for i in range(group.dim)] for j in range(group.dim)]
        found = mp.matrix([trivialised_derivative(group, cayley, x, e) for e in units]).T
        assert relative_error(found, cayley_slopes(group, x)) < 1e-25


# --- the same source in 50 digits ---


@each_group
@pytest.mark.parametrize("angle", [0, "1e-12", "1e-5", "0.2", "1", "3.14", "6.2"])
def test_formulas_run_with_fifty_digits(group, angle):
    x = [mp.mpf(angle) * c / 7 for c in (2, -3, 6)] + [mp.mpf(c) / 3 for c in (1, 2, -5)]
    x = x[: group.dim]
    at, z = pack(group, x), pack(group, [mp.mpf(c) / 9 for c in (3, 1, 2, -4, 1, 5)[: group.dim]])
    dexp = dexp_matrix(group, x)
    pairs = [
        (mp.matrix(flat(group.dexp(at, z))), dexp * mp.matrix(flat(z))),
        (mp.matrix(flat(group.dexp_inv(at, z))), mp.inverse(dexp) * mp.matrix(flat(z))),
        (group.element(group.exp(at)), mp.expm(group.hat(x))),
        (group.element(group.cay(at)), cayley(group.hat(x))),
        (mp.matrix(flat(group.dcay_inv(at, group.dcay(at, z)))), mp.matrix(flat(z))),
        (mp.matrix(flat(group.cay_inv(group.cay(at)))), mp.matrix(x)),
        (mp.expm(group.hat(flat(group.log(group.exp(at))))), mp.expm(group.hat(x))),
    ]
    for got, expected in pairs:
        assert mp.mnorm(got - expected) < mp.mpf(10) ** -44 * (1 + mp.mnorm(expected))
