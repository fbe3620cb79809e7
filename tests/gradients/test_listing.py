"""A list that is read says what the program says, forwards, back and along directions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from chasles.many.gradients.listing import ARITY, WINDOW, listing_of
from chasles.many.gradients.reader import LANES, ListEvaluator
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.record import NotTraceable
from chasles.scalars import elementary
from chasles.scalars.nodes import Place, Program
from chasles.scalars.traced import recorded

INPUTS = np.array([-0.3, 1.7, 0.4])


def every_operation(x):
    a, b, c = x
    yield from (a + b, a - b, a * b, a / b, -a, abs(a), 2.0 - a, 3.0 / b, b**2, b * b)
    for name in ("sqrt", "sin", "cos", "tanh"):
        yield getattr(elementary, name)(b)
    yield elementary.atan2(a, b)
    yield elementary.maximum(a, b)
    yield elementary.floor(b) * c
    for name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        yield elementary.pick(getattr(a, name)(b), a * b, c)
    for function in (np.tan, np.exp, np.log, np.arctan):
        yield function(b)
    yield np.arcsin(a)
    yield np.arccos(a)
    for pair in (
        elementary.two_sum(a, b), elementary.two_product(a, b), elementary.compensated(a, c, b)
    ):  # fmt: skip
        yield from pair
    yield from (a, 4.0)  # an input, and a constant


def long_sum(x):
    """Longer than the window, with numbers that are needed once and some that are needed late."""
    terms = [elementary.sin(x[k % 3] + 0.01 * k) * x[0] for k in range(2 * WINDOW)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    yield total
    yield total * terms[0]


PROGRAMS = {"every operation": every_operation, "long": long_sum}


@pytest.fixture(params=PROGRAMS)
def program(request):
    return recorded(PROGRAMS[request.param], INPUTS)


def test_every_operation_is_listed():
    names = {node.name for node in recorded(every_operation, INPUTS).nodes}
    assert names - {"part", "power"} == set(ARITY)


@pytest.mark.parametrize("lanes", [False, True])
def test_values_have_the_bits_of_the_program(program, lanes):
    wanted, _ = program.replay(INPUTS)
    assert_array_equal(ListEvaluator(program, lanes).evaluate(INPUTS), wanted)


def test_the_way_back_is_that_of_the_adjoint(program):
    evaluator, weights = (
        ListEvaluator(program),
        np.random.default_rng(1).normal(size=len(program.outputs)),
    )
    wanted, _ = adjoint(program).replay([*INPUTS, *weights])
    for _ in range(2):  # nothing is left over from the first time
        evaluator.evaluate(INPUTS)
        assert_allclose(evaluator.back(weights), wanted, rtol=1e-13)


def test_slopes_are_the_transpose_of_the_way_back(program):
    rng = np.random.default_rng(2)
    along = rng.normal(size=(len(INPUTS), LANES))
    evaluator, back = ListEvaluator(program, lanes=True), ListEvaluator(program)
    evaluator.evaluate(INPUTS, along)
    for k, slope in enumerate(evaluator.output_slopes()):
        back.evaluate(INPUTS)
        assert_allclose(slope, back.back(np.eye(len(program.outputs))[k]) @ along, atol=1e-12)


def test_slots_are_given_away_again(program):
    once, again = (listing_of(program, reuse).size for reuse in (False, True))
    assert again <= once
    if len(program.nodes) > WINDOW:
        assert again < 0.6 * once


def test_a_guard_that_fails_is_noticed():
    program = recorded(lambda x: [x[0] if x[1] > 1.0 else x[2]], INPUTS)
    evaluator = ListEvaluator(program)
    assert evaluator.evaluate(INPUTS) is not None
    assert evaluator.evaluate([0.0, 1.0, 0.0]) is None


def test_powers_other_than_squares_are_not_listed():
    program = recorded(lambda x: [x[0] ** 3.0], INPUTS)
    assert isinstance(program.outputs[0], Place) and isinstance(program, Program)
    with pytest.raises(NotTraceable, match="not a square"):
        listing_of(program)
