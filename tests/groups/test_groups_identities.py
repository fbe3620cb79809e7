"""Identities that hold on every group, far from the identity and 1e-7 from it."""

from math import sqrt

import numpy as np
import pytest
from groups_reference import GROUPS, SE3, SO3, SO3XR3, flat, pack
from hypothesis import given, settings
from hypothesis import strategies as st

theorem = settings(derandomize=True, max_examples=60, deadline=None)

each_group = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
unit = st.floats(-1, 1, allow_subnormal=False)
#: Six coordinates of at most 1e-7, 0.1 or 1.7 each: |omega| stays below 3.
algebra = st.builds(
    lambda size, x: [size * c for c in x],
    st.sampled_from([1e-7, 0.1, 1.7]),
    st.lists(unit, min_size=6, max_size=6),
)
point = st.tuples(unit, unit, unit)


def near(a, b, scale=1.0, tolerance=2e-14):
    """Equal up to rounding of numbers of that size."""
    size = max(1.0, *(abs(x) for x in flat(a)), *(abs(x) for x in flat(b))) * scale
    return np.max(np.abs(np.subtract(flat(a), flat(b)))) <= tolerance * size


def same_element(group, a, b):
    """Equal elements; q and -q are the same rotation."""
    p, q = (a, b) if group.dim == 3 else (a[0], b[0])
    aligned = tuple(c if np.dot(p, q) > 0 else -c for c in q)
    return near(p, aligned) and (group.dim == 3 or near(a[1], b[1]))


def at(group, x):
    """The algebra element with the first coordinates of x."""
    return pack(group, x[: group.dim])


def minus(x):
    """-X of nested tuples."""
    return tuple(minus(c) for c in x) if isinstance(x, tuple) else -x


def size_of(*elements):
    """A bound on products of these, for tolerances."""
    return np.prod([1 + np.linalg.norm(flat(e)) for e in elements])


# --- group ---


@each_group
@theorem
@given(x=algebra, y=algebra, z=algebra)
def test_composition_is_associative(group, x, y, z):
    a, b, c = (group.exp(at(group, v)) for v in (x, y, z))
    left = group.compose(group.compose(a, b), c)
    assert same_element(group, left, group.compose(a, group.compose(b, c)))


@each_group
@theorem
@given(x=algebra)
def test_inverse_undoes(group, x):
    a = group.exp(at(group, x))
    identity = group.exp(at(group, [0.0] * 6))
    assert same_element(group, group.compose(a, group.inverse(a)), identity)
    assert same_element(group, group.compose(group.inverse(a), a), identity)


@each_group
@theorem
@given(x=algebra)
def test_exp_of_minus_x_is_the_inverse(group, x):
    x = at(group, x)
    assert same_element(group, group.exp(minus(x)), group.inverse(group.exp(x)))
    assert same_element(group, group.cay(minus(x)), group.inverse(group.cay(x)))


@each_group
@theorem
@given(x=algebra, s=unit, t=unit)
def test_exp_of_a_line_is_a_one_parameter_subgroup(group, x, s, t):
    def along(r):
        return group.exp(at(group, [r * c for c in x]))

    assert same_element(group, group.compose(along(s), along(t)), along(s + t))


@each_group
@theorem
@given(x=algebra)
def test_log_undoes_exp_and_cay_inv_undoes_cay(group, x):
    x = at(group, x)
    size = max(abs(c) for c in flat(x))
    for back in (group.log(group.exp(x)), group.cay_inv(group.cay(x))):
        assert np.max(np.abs(np.subtract(flat(back), flat(x)))) <= 1e-14 * size


@pytest.mark.parametrize("group", [SE3, SO3XR3], ids=lambda g: g.name)
@theorem
@given(x=algebra, p=point)
def test_action_rotates_then_translates(group, x, p):
    c = group.exp(at(group, x))
    matrix = np.reshape(SO3.matrix(c[0]), (3, 3))
    assert near(group.act(c, p), tuple(matrix @ p + c[1]))


@theorem
@given(x=algebra, y=algebra, p=point)
def test_se3_acts_as_a_group(x, y, p):
    a, b = SE3.exp(at(SE3, x)), SE3.exp(at(SE3, y))
    assert near(SE3.act(SE3.compose(a, b), p), SE3.act(a, SE3.act(b, p)))


# --- Ad and ad ---


@each_group
@theorem
@given(x=algebra, y=algebra, z=algebra)
def test_adjoint_is_a_homomorphism_that_keeps_brackets(group, x, y, z):
    a, b, z = group.exp(at(group, x)), group.exp(at(group, y)), at(group, z)
    size = size_of(a, b, z)
    twice = group.adjoint(a, group.adjoint(b, z))
    assert near(group.adjoint(group.compose(a, b), z), twice, size)
    y = at(group, y)
    outside = group.adjoint(a, group.bracket(y, z))
    assert near(outside, group.bracket(group.adjoint(a, y), group.adjoint(a, z)), size)


@each_group
@theorem
@given(x=algebra, y=algebra)
def test_conjugation_of_exp_is_exp_of_adjoint(group, x, y):
    c, y = group.exp(at(group, x)), at(group, y)
    conjugated = group.compose(group.compose(c, group.exp(y)), group.inverse(c))
    assert same_element(group, conjugated, group.exp(group.adjoint(c, y)))


@each_group
@theorem
@given(x=algebra, y=algebra, z=algebra)
def test_bracket_is_antisymmetric_and_satisfies_jacobi(group, x, y, z):
    x, y, z = (at(group, v) for v in (x, y, z))
    bracket = group.bracket
    assert flat(bracket(x, y)) == flat(minus(bracket(y, x)))
    cyclic = (bracket(x, bracket(y, z)), bracket(y, bracket(z, x)), bracket(z, bracket(x, y)))
    total = np.sum([flat(term) for term in cyclic], axis=0)
    assert np.max(np.abs(total)) <= 1e-14 * size_of(x, y, z)


@each_group
@theorem
@given(x=algebra, y=algebra)
def test_bracket_is_the_derivative_of_adjoint(group, x, y):
    x, y, h = at(group, x), at(group, y), 1e-5
    x = pack(group, [c / 10 for c in flat(x)])
    ahead = group.adjoint(group.exp(pack(group, [h * c for c in flat(x)])), y)
    behind = group.adjoint(group.exp(pack(group, [-h * c for c in flat(x)])), y)
    slope = np.subtract(flat(ahead), flat(behind)) / (2 * h)
    np.testing.assert_allclose(slope, flat(group.bracket(x, y)), atol=1e-9)


# --- differentials ---


@each_group
@theorem
@given(x=algebra, z=algebra)
def test_inverse_differentials_undo_the_differentials(group, x, z):
    x, z = at(group, x), at(group, z)
    size = size_of(x, x)
    assert near(group.dexp_inv(x, group.dexp(x, z)), z, size)
    assert near(group.dexp(x, group.dexp_inv(x, z)), z, size)
    assert near(group.dcay_inv(x, group.dcay(x, z)), z, size)
    assert near(group.dcay(x, group.dcay_inv(x, z)), z, size)


@each_group
@theorem
@given(x=algebra)
def test_dexp_leaves_its_own_direction_alone(group, x):
    x = at(group, x)
    for own in (group.dexp(x, x), group.dexp_inv(x, x)):
        assert np.max(np.abs(np.subtract(flat(own), flat(x)))) <= 1e-14 * max(np.abs(flat(x)))


@each_group
@theorem
@given(x=algebra, z=algebra)
def test_left_and_right_differentials_differ_by_adjoint(group, x, z):
    x, z = at(group, x), at(group, z)
    size = size_of(x, x)
    right = group.dexp(x, z)
    assert near(right, group.adjoint(group.exp(x), group.dexp(minus(x), z)), size)
    right = group.dcay(x, z)
    assert near(right, group.adjoint(group.cay(x), group.dcay(minus(x), z)), size)


@each_group
@theorem
@given(x=algebra, z=algebra)
def test_differentials_are_finite_differences(group, x, z):
    x, h = x[: group.dim], 1e-5
    z = [c / 2 for c in z[: group.dim]]
    for chart, unchart, differential in (
        (group.exp, group.log, group.dexp),
        (group.cay, group.cay_inv, group.dcay),
    ):
        ahead = chart(pack(group, [a + h * b for a, b in zip(x, z)]))
        behind = chart(pack(group, [a - h * b for a, b in zip(x, z)]))
        slope = np.array(flat(unchart(group.compose(ahead, group.inverse(behind))))) / (2 * h)
        expected = flat(differential(pack(group, x), pack(group, z)))
        np.testing.assert_allclose(slope, expected, atol=2e-8)


# --- rotations as quaternions and matrices ---


@theorem
@given(x=algebra, y=algebra, p=point)
def test_quaternions_and_matrices_rotate_alike(x, y, p):
    a, b = SO3.exp(at(SO3, x)), SO3.exp(at(SO3, y))
    matrix_a, matrix_b = (np.reshape(SO3.matrix(q), (3, 3)) for q in (a, b))
    np.testing.assert_allclose(matrix_a @ matrix_a.T, np.eye(3), atol=2e-15)
    assert near(SO3.rotate(a, p), tuple(matrix_a @ p), tolerance=2e-15)
    product = np.reshape(SO3.matrix(SO3.compose(a, b)), (3, 3))
    np.testing.assert_allclose(product, matrix_a @ matrix_b, atol=3e-15)


@theorem
@given(axis=point, w=unit)
def test_from_matrix_undoes_matrix_up_to_sign(axis, w):
    if w * w + np.dot(axis, axis) > 1e-3:
        q = SO3.normalise((w, *axis))
        assert same_element(SO3, q, SO3.from_matrix(SO3.matrix(q)))


@pytest.mark.parametrize("w", [0.0, 1e-17, 1e-9, -1e-9])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0.6, 0, -0.8)])
def test_from_matrix_holds_at_half_turns(w, axis):
    q = (w, *(sqrt(1 - w * w) * c for c in axis))
    assert same_element(SO3, q, SO3.from_matrix(SO3.matrix(q)))


@theorem
@given(x=algebra)
def test_from_matrix_forgives_a_matrix_that_drifted(x):
    q = SO3.exp(at(SO3, x))
    drifted = tuple(1.001 * entry for entry in SO3.matrix(q))
    back = SO3.from_matrix(drifted)
    assert abs(np.dot(back, back) - 1) < 1e-15
    assert abs(abs(np.dot(back, q)) - 1) < 1e-5
