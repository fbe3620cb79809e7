"""A tableau has exactly its published order, by trees, by exact fractions and by observation."""

import copy
import math
import pickle
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from chasles.integrators.methods import find_method
from chasles.integrators.order_conditions import (
    density,
    forest,
    node_count,
    notation,
    order_of,
    trees_of_order,
)
from chasles.integrators.tableaux import METHODS, Tableau, method
from chasles.model import ChaslesError, InvalidOption, UnknownName

ORDER_AND_STAGES = {
    "euler": (1, 1),
    "midpoint": (2, 2),
    "heun": (2, 2),
    "kutta3": (3, 3),
    "rk4": (4, 4),
    "rk38": (4, 4),
    "dopri5": (5, 7),
    "butcher6": (6, 7),
    "dop853": (8, 12),
}
EMBEDDED = {"dopri5": 4, "dop853": 5}
RATIONAL = [name for name in ORDER_AND_STAGES if name != "dop853"]
TAU = ()
CHAIN = (((TAU,),),)  # order 4, no branching


def refusal(make, error=InvalidOption):
    """The message with which `make` is refused: what, and on an indented line what to do."""
    with pytest.raises(error) as caught:
        make()
    assert isinstance(caught.value, ChaslesError)
    what, remedy = str(caught.value).split("\n")
    assert what.strip() and remedy.startswith("  ") and remedy.strip()
    return str(caught.value)


# Rooted trees


def test_rooted_trees_are_counted_by_oeis_a000081():
    counts = [len(trees_of_order(order)) for order in range(1, 9)]
    assert counts == [1, 1, 2, 4, 9, 20, 48, 115]
    assert len(set(forest().trees)) == len(forest().trees) == 200
    assert all(node_count(tree) == 7 for tree in trees_of_order(7))


@pytest.mark.parametrize(
    "tree, brackets, gamma",
    [  # Hairer, Norsett, Wanner I, table II.2.1
        (TAU, "tau", 1),
        ((TAU,), "[tau]", 2),
        ((TAU, TAU), "[tau, tau]", 3),
        (((TAU,),), "[[tau]]", 6),
        ((TAU, TAU, TAU), "[tau, tau, tau]", 4),
        ((TAU, (TAU,)), "[tau, [tau]]", 8),
        (((TAU, TAU),), "[[tau, tau]]", 12),
        (CHAIN, "[[[tau]]]", 24),
        (((TAU,), (TAU,)), "[[tau], [tau]]", 20),
    ],
)
def test_densities_of_the_small_trees_are_the_published_ones(tree, brackets, gamma):
    assert tree in trees_of_order(node_count(tree))
    assert notation(tree) == brackets
    assert density(tree) == gamma


def labellings(tree):
    """Monotonic labellings of a tree, alpha = n! / (gamma sigma), with sigma its symmetry."""

    def symmetry(tree):
        same = math.prod(math.factorial(tree.count(child)) for child in set(tree))
        return same * math.prod(symmetry(child) for child in tree)

    return Fraction(math.factorial(node_count(tree)), density(tree) * symmetry(tree))


@pytest.mark.parametrize("order", range(1, 9))
def test_monotonic_labellings_of_all_trees_number_the_factorial(order):
    """Node k + 1 is grafted on any of k nodes, so (n - 1)! labellings: checks every density."""
    assert sum(labellings(tree) for tree in trees_of_order(order)) == math.factorial(order - 1)


# Orders


def exact_order(a, b, up_to=8):
    """The order in exact arithmetic and by plain recursion: no tolerance, no shared code."""
    stages = range(len(b))

    def stage_weight(tree, i):
        return math.prod(
            sum(a[i][j] * stage_weight(child, j) for j in stages if a[i][j]) for child in tree
        )

    for order in range(1, up_to + 1):
        for tree in trees_of_order(order):
            if sum(b[i] * stage_weight(tree, i) for i in stages) != Fraction(1, density(tree)):
                return order - 1
    return up_to


def fractions(array):
    return [Fraction(float(x)).limit_denominator(10**6) for x in array]


@pytest.mark.parametrize("name", METHODS)
def test_each_method_has_its_published_order_and_not_one_more(name):
    tableau = method(name)
    assert (tableau.order, tableau.stages) == ORDER_AND_STAGES[name]
    assert tableau.embedded_order == EMBEDDED.get(name)
    assert (tableau.b_embedded is not None) == (name in EMBEDDED)
    assert tableau.name == name and tableau.c[0] == 0.0
    if tableau.order < 8:
        assert node_count(tableau.first_failure.tree) == tableau.order + 1
        assert abs(tableau.first_failure.residual) > 1e-6
    else:
        assert tableau.first_failure is None


@pytest.mark.parametrize("name", RATIONAL)
def test_rational_methods_have_that_order_exactly(name):
    tableau = method(name)
    a, b = [fractions(row) for row in tableau.a], fractions(tableau.b)
    assert_array_equal(np.array(a, dtype=float), tableau.a)  # the fractions are the coefficients
    assert exact_order(a, b) == tableau.order
    if tableau.b_embedded is not None:
        assert exact_order(a, fractions(tableau.b_embedded)) == tableau.embedded_order


def test_dop853_is_scipys():
    hairer = pytest.importorskip("scipy.integrate._ivp.dop853_coefficients")
    ours = method("dop853")
    assert_array_equal(ours.a, hairer.A[:12, :12])
    assert_array_equal(ours.b, hairer.B)
    assert_array_equal(ours.b - ours.b_embedded == 0.0, hairer.E5[:12] == 0.0)
    np.testing.assert_allclose(ours.c, hairer.C[:12], atol=1e-15)
    np.testing.assert_allclose(ours.b - ours.b_embedded, hairer.E5[:12], atol=2e-15)


def test_dopri5_is_scipys():
    rk = pytest.importorskip("scipy.integrate._ivp.rk").RK45
    ours = method("dopri5")
    assert_array_equal(ours.a[:6, :5], rk.A)
    assert_array_equal(ours.b[:6], rk.B)
    np.testing.assert_allclose(ours.c[:6], rk.C, atol=1e-15)
    np.testing.assert_allclose(ours.b_embedded - ours.b, rk.E, atol=1e-16)
    assert_array_equal(ours.a[-1], ours.b)  # first same as last


def solution(t):
    """Of y' = 2 y log(y) cos(2 t)."""
    return math.exp(0.5 * math.exp(math.sin(2.0 * t)))


def largest_error(a, b, c, steps):
    """Over 0 < t < 3, by plain Runge-Kutta; the largest, since an error may change sign."""
    y, h, largest = solution(0.0), 3.0 / steps, 0.0
    for step in range(steps):
        k = np.zeros(len(b))
        for i in range(len(b)):
            t, stage = (step + c[i]) * h, y + h * float(a[i] @ k)
            k[i] = 2.0 * stage * math.log(stage) * math.cos(2.0 * t)
        y += h * float(b @ k)
        largest = max(largest, abs(y - solution((step + 1) * h)))
    return largest


@pytest.mark.parametrize(
    "name, weights", [(n, "b") for n in METHODS] + [(n, "b_embedded") for n in EMBEDDED]
)
def test_halving_the_step_shows_the_order(name, weights):
    tableau = method(name)
    order = tableau.order if weights == "b" else tableau.embedded_order
    coarse = 128 if order < 8 else 16  # smaller steps of order 8 reach rounding
    b = getattr(tableau, weights)
    errors = [largest_error(tableau.a, b, tableau.c, n) for n in (coarse, 2 * coarse)]
    assert errors[1] > 1e-12
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


# Mutations


@pytest.mark.parametrize("name", [n for n in METHODS if n != "euler"])
def test_any_coefficient_moved_by_one_millionth_loses_the_order(name):
    tableau = method(name)
    for i, j in np.argwhere(tableau.a != 0.0):
        if not tableau.b[i] and not tableau.a[:, i].any():
            continue  # the last stage of dopri5 serves the embedded method only
        a = tableau.a.copy()
        a[i, j] *= 1.0 + 1e-6
        mutant = Tableau(a, tableau.b)
        assert mutant.order < tableau.order, (i, j)
        assert node_count(mutant.first_failure.tree) == mutant.order + 1


def test_the_last_row_of_dopri5_matters_to_its_embedded_method_only():
    tableau = method("dopri5")
    a = tableau.a.copy()
    a[6, 2] += 1e-6
    mutant = Tableau(a, tableau.b, b_embedded=tableau.b_embedded)
    assert (mutant.order, mutant.embedded_order) == (5, 1)


@pytest.mark.parametrize("name", [n for n in METHODS if n != "euler"])
def test_weight_moved_from_one_stage_to_another_loses_the_order(name):
    tableau = method(name)
    for i in range(1, tableau.stages):
        b = tableau.b.copy()
        b[i] += 1e-6
        b[0] -= 1e-6
        assert Tableau(tableau.a, b).order < tableau.order


@pytest.mark.parametrize("seed", range(20))
def test_rounding_of_the_coefficients_keeps_the_order(seed):
    tableau, rng = method("dop853"), np.random.default_rng(seed)
    eps = np.finfo(float).eps
    a = tableau.a * (1.0 + eps * rng.uniform(-1, 1, tableau.a.shape))
    b = tableau.b * (1.0 + eps * rng.uniform(-1, 1, tableau.b.shape))
    assert order_of(a, b) == (8, None)


# Construction


def test_fractions_lists_and_arrays_make_the_same_tableau():
    half, sixth = Fraction(1, 2), Fraction(1, 6)
    a = [[0, 0, 0], [half, 0, 0], [-1, 2, 0]]
    made = Tableau(a, [sixth, Fraction(2, 3), sixth], [0, half, 1], name="kutta3")
    assert made == method("kutta3") and hash(made) == hash(method("kutta3"))
    assert made != method("rk4") and made != "kutta3"
    assert_array_equal(Tableau(a, [sixth, 4 * sixth, sixth]).c, [0.0, 0.5, 1.0])


def test_tableaux_are_frozen_and_own_their_arrays():
    a, b = np.zeros((2, 2)), np.array([0.5, 0.5])
    a[1, 0] = 1.0
    tableau = Tableau(a, b, b_embedded=[1, 0])
    a[1, 0] = b[0] = 7.0
    assert tableau.a[1, 0] == 1.0 and tableau.b[0] == 0.5
    with pytest.raises(AttributeError):
        tableau.order = 9
    for twin in (tableau, copy.deepcopy(tableau), pickle.loads(pickle.dumps(tableau))):
        assert twin == tableau
        for array in (twin.a, twin.b, twin.c, twin.b_embedded):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


def test_a_tableau_shows_its_name_order_and_stages():
    assert repr(method("rk4")) == "Tableau('rk4', order 4, 4 stages)"
    assert repr(method("dopri5")) == "Tableau('dopri5', order 5(4), 7 stages)"
    assert repr(Tableau([[0]], [1])) == "Tableau(order 1, 1 stage)"


HALF = [[0, 0], [0.5, 0]]


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"a": [[0.5, 0], [0.5, 0]], "b": [0, 1]}, ["a[0, 0] is 0.5", "explicit"]),
        ({"a": [[0, 0, 1e-9], [0] * 3, [0] * 3], "b": [1, 0, 0]}, ["a[0, 2] is 1e-09"]),
        ({"a": HALF, "b": [0, 1], "c": [0, 0.6]}, ["row 1", "0.5", "c[1] is 0.6", "-1.0e-01"]),
        ({"a": HALF, "b": [0, 1], "c": [1e-9, 0.5]}, ["row 0", "c[0] is 1e-09", "-1.0e-09"]),
        ({"a": HALF, "b": [0.1, 1]}, ["weights b sum to 1.1", "1.0e-01"]),
        ({"a": HALF, "b": [0.333, 0.666]}, ["weights b sum to 0.999", "-1.0e-03"]),
        ({"a": HALF, "b": [0, 1], "b_embedded": [1, 1]}, ["weights b_embedded sum to 2"]),
        ({"a": HALF, "b": [1]}, ["b has shape (1,)", "2 stages"]),
        ({"a": HALF, "b": [0, 1], "b_embedded": [1]}, ["b_embedded has shape (1,)"]),
        ({"a": HALF, "b": [0, 1], "c": [0, 0.5, 1]}, ["c has shape (3,)"]),
        ({"a": [[0, 0]], "b": [1]}, ["a must be a square matrix, got shape (1, 2)", "square"]),
        ({"a": [0.5], "b": [1]}, ["a must be a square matrix, got shape (1,)"]),
        ({"a": np.zeros((0, 0)), "b": []}, ["a must be a square matrix, got shape (0, 0)"]),
        ({"a": [[], [0.5]], "b": [0, 1]}, ["a must be", "an array", "equal length"]),
        ({"a": [[0, 0], [math.nan, 0]], "b": [0, 1]}, ["a must be", "must be finite"]),
        ({"a": HALF, "b": [0, math.inf]}, ["b must be", "must be finite"]),
        ({"a": HALF, "b": ["0", "1"]}, ["b must be", "an array of real numbers"]),
        ({"a": HALF, "b": [0, 1j]}, ["b must be", "an array of real numbers"]),
        ({"a": HALF, "b": [Fraction(1), None]}, ["b must be", "an array of real numbers"]),
        ({"a": HALF, "b": [True, False]}, ["b must be", "an array of real numbers"]),
    ],
)
def test_a_mistake_is_refused_by_name(arguments, said):
    message = refusal(lambda: Tableau(**arguments, name="mine"))
    assert message.startswith("tableau 'mine': ")
    for words in said:
        assert words in message
    assert refusal(lambda: Tableau(**arguments)).startswith("a tableau: ")


def test_a_name_is_a_string():
    assert "must be a string, got 4" in refusal(lambda: Tableau([[0]], [1], name=4))


def test_coefficients_that_overflow_have_the_order_they_show():
    with np.errstate(all="raise"):
        assert Tableau([[0, 0], [1e200, 0]], [1, 0]).order == 1
        assert Tableau([[0, 0, 0], [1e200, 0, 0], [0, 1e200, 0]], [0, 0, 1]).order == 1


# Lookup


def test_a_method_is_found_by_name_and_a_tableau_passes_through():
    assert list(METHODS) == list(ORDER_AND_STAGES)
    assert method("rk4") is method("rk4")
    mine = Tableau([[0, 0], [2 / 3, 0]], [1 / 4, 3 / 4])
    assert find_method(mine).tableau is mine
    assert all(
        f"order {order}, {stages} stage" in (METHODS[name].__doc__ or "").lower()
        for name, (order, stages) in ORDER_AND_STAGES.items()
    )


def test_an_unknown_method_suggests_the_closest():
    message = refusal(lambda: method("RK5"), UnknownName)
    assert "no method 'RK5'" in message and "Did you mean 'rk4'" in message
    assert "'dop853'" in refusal(lambda: method("gauss"), UnknownName)


@pytest.mark.parametrize("wrong", [4, None, [1.0], Tableau, np.zeros((2, 2))])
def test_what_is_neither_name_nor_tableau_is_refused(wrong):
    message = refusal(lambda: find_method(wrong))
    assert "must be a name or a Tableau" in message and "rk4" in message


# Cost


def test_checking_twelve_stages_takes_milliseconds():
    tableau = method("dop853")
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        order_of(tableau.a, tableau.b)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.02


def test_importing_builds_no_tableau():
    code = (
        "import chasles.integrators.tableaux as t\n"
        "print(sum(make.cache_info().currsize for make in t.METHODS.values()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
