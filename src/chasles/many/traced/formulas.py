"""Formulas of users and long functions of time, run in Python while a step is recorded.

Machine code behind an address cannot be recorded, but the function that it was made of can: with
the mathematics of NumPy in place of those of `math`, it takes any kind of number.

A function of time in hundreds of pieces would leave a guard at every piece, and each piece would
be another way of the step. So the numbers of the piece are picked among the next ones: a node for
each, without a guard until the last of them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from chasles.build.system.user_code import (
    FORCE_ANSWERS,
    RECORDED,
    SEEN,
    force_formula,
    motion_of,
    plain_formula,
)
from chasles.compiled.reach import names_in
from chasles.core.signals import BY_ADDRESS, HEAD, PIECE_HEAD, PIECES, find_piece, put_pieces
from chasles.many.traced.record import Records
from chasles.model import CustomForce, Model
from chasles.scalars.nodes import OF_MATH, numpy_name
from chasles.scalars.traced import Traced

#: Names of `math` -> of NumPy, whose functions ask an unknown number for its own.
ALIKE = {"fabs": "absolute", "floor": "floor", **{name: numpy_name(name) for name in OF_MATH}}
MOST_PICKS = 2000  # numbers of pieces that are picked for one row of functions of time


@contextmanager
def formulas_in_python(model: Model) -> Iterator[None]:
    """Within, a step that is recorded sees through the model's compiled formulas."""
    compiled = [f for f in model.forces if isinstance(f, CustomForce) and f.compiled]
    RECORDED.update({force_formula(force).address: answering(force) for force in compiled})
    try:
        yield
    finally:
        RECORDED.clear()


def answering(force: CustomForce) -> Callable[[Any, Any, Any], None]:
    """The formula of a force as what stands behind its address."""
    formula = on_any_numbers(plain_formula(force.formula), {})

    def answer(t: Any, given: Any, out: Any) -> None:
        push, turn = formula(t, *motion_of([given[k] for k in range(SEEN)]))
        for k, value in zip(range(FORCE_ANSWERS), (*push, *turn), strict=True):
            out[k] = value

    return answer


# --- functions of time ---


def with_picked_pieces(records: Records, asked: Sequence[int]) -> Records:
    """Records whose functions of time in many pieces are behind addresses of their own.

    `asked` are the numbers of functions that are parameters: these functions stay as they are.
    """
    signals = records[0].system.signals
    many = [
        k for k in range(signals.count)
        if signals.kind[k] == PIECES and signals.pieces[k] > 1 and is_fixed(signals, k, asked)
    ]  # fmt: skip
    if not many:
        return records
    kind, address = signals.kind.copy(), signals.address.copy()
    reach = max(2, MOST_PICKS // sum(stride_of(signals, k) for k in many))
    for k in many:
        kind[k], address[k] = BY_ADDRESS, -1 - k
        RECORDED[-1 - k] = partial(picked, signals, k, reach)
    system = records[0].system._replace(signals=signals._replace(kind=kind, address=address))
    return records[0]._replace(system=system), *records[1:]


def stride_of(signals: Any, k: int) -> int:
    """Numbers of a piece."""
    return PIECE_HEAD + int(signals.numbers[signals.first[k] + 3]) + 1


def is_fixed(signals: Any, k: int, asked: Sequence[int]) -> bool:
    """Whether no number of a signal is a parameter, and no piece is asked of its function."""
    first, stride = signals.first[k] + HEAD, stride_of(signals, k)
    end = first + stride * signals.pieces[k]
    own = any(signals.first[k] <= entry < end for entry in asked)
    return all(signals.numbers[first + 2 : end : stride]) and not own


def picked(signals: Any, k: int, reach: int, t: Any, _: Any, out: Any) -> None:
    """A signal at a time: its piece is picked among so many from the present one on."""
    numbers, first, stride = signals.numbers.tolist(), signals.first[k], stride_of(signals, k)
    pieces, count = first + HEAD, int(signals.pieces[k])
    now = find_piece(numbers, pieces, stride, count, getattr(t, "value", t))
    row = numbers[pieces + now * stride :][:stride]
    if isinstance(t, Traced):
        last = min(count, now + reach)
        if now > 0:
            bool(t >= row[0])  # leaves a guard, as does the next
        if last < count:
            bool(t < numbers[pieces + last * stride])
        for at in range(pieces + (now + 1) * stride, pieces + last * stride, stride):
            begun = t >= numbers[at]
            row = [begun.pick(new, old) for new, old in zip(numbers[at : at + stride], row)]
    put_pieces(signals._replace(
        numbers=[*numbers[first:pieces], *row], first=[0] * (k + 1), pieces=[1] * (k + 1),
        address=[0] * (k + 1),
    ), k, t, out)  # fmt: skip


# --- functions of users ---


def on_any_numbers(value: Any, known: dict[int, Any]) -> Any:
    """A function, and what it calls, with mathematics that take any kind of number."""
    value = value.py_func if isinstance(value, Dispatcher) else value
    if value is math:
        own = {name: on_any_numbers(getattr(math, name), known) for name in ALIKE}
        return SimpleNamespace(**{**vars(math), **own})
    name = getattr(value, "__name__", "")
    if name in ALIKE and value is getattr(math, name):
        other = getattr(np, ALIKE[name])
        return lambda *x: (other if any(isinstance(one, Traced) for one in x) else value)(*x)
    if not isinstance(value, FunctionType) or value.__module__.partition(".")[0] == "numpy":
        return value
    if id(value) not in known:
        names = dict(value.__globals__)
        made = FunctionType(
            value.__code__, names, value.__name__, value.__defaults__, closure_of(value, known)
        )
        made.__kwdefaults__ = value.__kwdefaults__
        known[id(value)] = made
        for name in set(names) & set(names_in(value.__code__)):
            names[name] = on_any_numbers(names[name], known)
    return known[id(value)]


def closure_of(function: FunctionType, known: dict[int, Any]) -> tuple[Any, ...] | None:
    cells = function.__closure__
    if cells is None:
        return None
    return tuple(type(cell)(on_any_numbers(cell.cell_contents, known)) for cell in cells)
