"""The same formula as Python, as machine code and on arrays; the pieces it is made of."""

from fractions import Fraction

import mpmath as mp
import numba
import numpy as np
import pytest
from groups_reference import GROUPS, flat, pack

from chasles.groups import coefficients as co
from chasles.groups import vectors
from chasles.scalars import elementary
from chasles.scalars import elementary as scalar

each_group = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
ANGLES = [0.0, 1e-12, 1e-7, 0.1, 0.24, 0.25, 1.0, 2.9, 3.1, 4.0, 6.0, 6.28]
AXIS = np.array([2.0, -3.0, 6.0]) / 7


def every_map(group):
    """All maps of a group as one formula of two algebra elements."""
    exp, log, inverse, compose = group.exp, group.log, group.inverse, group.compose
    adjoint, bracket, dexp, dexp_inv = group.adjoint, group.bracket, group.dexp, group.dexp_inv
    cay, cay_inv, dcay, dcay_inv = group.cay, group.cay_inv, group.dcay, group.dcay_inv

    def maps(x, z):
        c = exp(x)
        return (
            (c, log(c), inverse(c), compose(c, c), adjoint(c, z), bracket(x, z)),
            (dexp(x, z), dexp_inv(x, z)),
            (cay(x), cay_inv(cay(x)), dcay(x, z), dcay_inv(x, z)),
        )

    return maps


def samples(group):
    """Pairs of algebra elements that reach every branch."""
    linear, z = [0.3, 1.0, -2.0], [0.5, -0.2, 0.9, 1.5, 0.1, -0.7]
    return [
        (pack(group, [*(a * AXIS), *linear][: group.dim]), pack(group, z[: group.dim]))
        for a in ANGLES
    ]


# --- one source, many scalars ---


@each_group
def test_machine_code_and_python_agree(group):
    maps = every_map(group)
    compiled = numba.njit(error_model="numpy")(maps)
    for x, z in samples(group):
        x = pack(group, [float(c) for c in flat(x)])
        np.testing.assert_allclose(flat(compiled(x, z)), flat(maps(x, z)), rtol=1e-15, atol=1e-15)


@each_group
def test_formulas_on_arrays_work_entry_by_entry(group):
    maps, pairs = every_map(group), samples(group)
    x = pack(group, [np.array(c) for c in zip(*(flat(x) for x, _ in pairs))])
    together = [np.broadcast_to(c, len(pairs)) for c in flat(maps(x, pairs[0][1]))]
    one_by_one = [flat(maps(*pair)) for pair in pairs]
    np.testing.assert_allclose(np.transpose(together), one_by_one, rtol=1e-14, atol=1e-15)


def test_rotations_from_arrays_of_matrices():
    rng = np.random.default_rng(2)
    q = rng.normal(size=(40, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    so3 = GROUPS[0]
    together = np.transpose(so3.from_matrix(so3.matrix(tuple(q.T))))
    one_by_one = [so3.from_matrix(so3.matrix(tuple(row))) for row in q]
    np.testing.assert_allclose(together, one_by_one, atol=1e-15)


def test_from_matrix_compiles_in_every_branch():
    so3 = GROUPS[0]
    from_matrix, matrix = so3.from_matrix, so3.matrix
    compiled = numba.njit(lambda q: from_matrix(matrix(q)))
    for q in np.eye(4):
        np.testing.assert_array_equal(np.abs(compiled(tuple(q))), q)


def test_choose_evaluates_only_the_chosen_branch():
    def refused(*args):
        raise AssertionError("the other branch ran")

    assert scalar.choose(True, lambda a: a + 1, refused, 1.0) == 2.0
    assert scalar.choose(mp.mpf(1) < 0, refused, lambda a: a - 1, mp.mpf(1)) == 0
    both = scalar.choose(np.array([True, False]), lambda a: (a, -a), lambda a: (-a, a), np.ones(2))
    np.testing.assert_array_equal(both, [[1, -1], [-1, 1]])


@pytest.mark.parametrize("name", ["sqrt", "sin", "cos", "absolute"])
def test_elementary_functions_know_their_scalars(name):
    function = getattr(scalar, name)
    expected = float(function(mp.mpf("0.3")))
    assert function(0.3) == pytest.approx(expected, rel=1e-15)
    np.testing.assert_allclose(function(np.array([0.3])), [expected], rtol=1e-15)
    assert numba.njit(lambda x: function(x))(0.3) == pytest.approx(expected, rel=1e-15)


def test_atan2_knows_its_quadrants():
    for y, x in ((1.0, 2.0), (1.0, -2.0), (-1.0, -2.0), (0.0, -1.0)):
        expected = float(mp.atan2(y, x))
        assert scalar.atan2(y, x) == pytest.approx(expected)
        assert float(scalar.atan2(mp.mpf(y), x)) == pytest.approx(expected)
        assert scalar.atan2(np.array([y]), x)[0] == pytest.approx(expected)


# --- switches ---


def coefficient_errors(s, branches):
    """Relative spread between two branches of the same coefficient at the same s."""
    a, b = (np.atleast_1d(branch(s)) for branch in branches)
    return np.abs(a - b) / np.abs(a)


def gamma_branch(branch):
    """A branch of gamma_dual as a function of s, at s where sqrt(s) is a double."""
    return lambda s: branch(s, (s**0.5, 0.0, 0.0), (0.5 / s**0.5, 0.0, 0.0))


SHORT_PAIRS = {
    "half angle": (co.half_angle_series, co.half_angle_closed),
    "dexp": (co.dexp_short, co.dexp_long),
    "dexp slopes": (co.dexp_slopes_short, co.dexp_slopes_long),
    "gamma": tuple(map(gamma_branch, (co.gamma_dual_short, co.gamma_dual_long))),
}
LONG_PAIRS = {
    "dexp": (co.dexp_long, co.dexp_closed),
    "dexp slopes": (co.dexp_slopes_long, co.dexp_slopes_closed),
    "gamma": tuple(map(gamma_branch, (co.gamma_dual_long, co.gamma_dual_closed))),
}


@pytest.mark.parametrize("name", SHORT_PAIRS)
def test_series_meets_series_at_the_short_switch(name):
    assert np.all(coefficient_errors(co.SHORT, SHORT_PAIRS[name]) < 1e-15)


@pytest.mark.parametrize("name", LONG_PAIRS)
def test_series_meets_closed_form_at_the_long_switch(name):
    assert np.all(coefficient_errors(co.LONG, LONG_PAIRS[name]) < 1e-15)


def test_translation_of_exp_is_continuous_at_the_short_switch():
    series, closed = co.se3_exp_short(co.SHORT), co.se3_exp_beyond(co.SHORT)
    weights = [1, co.SHORT**0.5, co.SHORT**0.5, co.SHORT]  # what multiplies c, k, B, C
    assert np.max(np.abs(np.subtract(series, closed)) * weights) < 2e-16


def to_float(numbers):
    """mpmath numbers as doubles."""
    return [float(x) for x in numbers]


@pytest.mark.parametrize("s", [1e-24, 1e-9, 0.01, 0.0599, 0.0601, 1.0, 4.0, 8.99, 9.01, 20.0, 38.0])
def test_coefficients_are_accurate_to_rounding(s):
    with mp.workdps(90):
        t = mp.sqrt(mp.mpf(s))
        functions = [
            lambda u: (1 - mp.cos(u)) / u**2,
            lambda u: (u - mp.sin(u)) / u**3,
            lambda u: (1 - u / 2 * mp.cot(u / 2)) / u**2,
        ]
        values = [f(t) for f in functions]
        slopes = [mp.diff(f, t, h=t * mp.mpf(10) ** -20) / (2 * t) for f in functions[:2]]
    zero_at_two_pi = {"rtol": 3e-15, "atol": 2e-18}  # B and its slope
    np.testing.assert_allclose(co.dexp_coefficients(s), to_float(values[:2]), **zero_at_two_pi)
    np.testing.assert_allclose(co.dexp_slopes(s), to_float(slopes), **zero_at_two_pi)
    assert co.gamma_of((s**0.5, 0.0, 0.0)) == pytest.approx(float(values[2]), rel=1e-14)


# --- error-free transformations and vectors ---


def test_sums_and_products_are_error_free():
    rng = np.random.default_rng(3)
    for a, b in rng.normal(size=(50, 2)) * 10.0 ** rng.integers(-8, 8, size=(50, 2)):
        a, b = float(a), float(b)
        assert sum(map(Fraction, elementary.two_sum(a, b))) == Fraction(a) + Fraction(b)
        assert sum(map(Fraction, elementary.two_product(a, b))) == Fraction(a) * Fraction(b)


def test_pairs_hold_twice_the_digits():
    rng = np.random.default_rng(4)
    for a, b in rng.normal(size=(20, 2, 3)):
        a, b = tuple(map(float, a)), tuple(map(float, b))
        exact = sum(Fraction(p) * Fraction(q) for p, q in zip(a, b))
        assert abs(sum(map(Fraction, elementary.dot_pair(a, b))) - exact) < 1e-30
        length = mp.sqrt(mp.fsum(mp.mpf(p) ** 2 for p in a))
        assert abs(mp.fsum(elementary.norm_pair(a)) - length) < 1e-30


def test_vectors_and_matrices_match_numpy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3))
    m, n = rng.normal(size=(2, 3, 3))
    m9, n9 = tuple(m.ravel()), tuple(n.ravel())
    sym = m + m.T
    sym6 = (sym[0, 0], sym[1, 1], sym[2, 2], sym[0, 1], sym[0, 2], sym[1, 2])
    for got, expected in (
        (vectors.add(a, b), a + b),
        (vectors.sub(a, b), a - b),
        (vectors.neg(a), -a),
        (vectors.scale(2.5, a), 2.5 * a),
        (vectors.axpy(2.5, a, b), 2.5 * a + b),
        (vectors.dot(a, b), a @ b),
        (vectors.cross(a, b), np.cross(a, b)),
        (vectors.matvec(m9, a), m @ a),
        (vectors.tmatvec(m9, a), m.T @ a),
        (vectors.matmul(m9, n9), (m @ n).ravel()),
        (vectors.tmatmul(m9, n9), (m.T @ n).ravel()),
        (vectors.matmult(m9, n9), (m @ n.T).ravel()),
        (vectors.transpose9(m9), m.T.ravel()),
        (vectors.symvec(sym6, a), sym @ a),
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-15, atol=1e-15)
