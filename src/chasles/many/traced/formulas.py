"""Compiled formulas of users, run in Python while a step is recorded.

Machine code behind an address cannot be recorded, but the function that it was made of can: with
the mathematics of NumPy in place of those of `math`, it takes any kind of number.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from chasles.build.system.user_code import (
    FORCE_ANSWERS,
    SEEN,
    force_formula,
    motion_of,
    plain_formula,
)
from chasles.compiled.pointers import RECORDED
from chasles.compiled.reach import names_in
from chasles.model import CustomForce, Model
from chasles.scalars.nodes import OF_MATH, numpy_name
from chasles.scalars.traced import Traced

#: Names of `math` -> of NumPy, whose functions ask an unknown number for its own.
ALIKE = {"fabs": "absolute", "floor": "floor", **{name: numpy_name(name) for name in OF_MATH}}


@contextmanager
def formulas_in_python(model: Model) -> Iterator[None]:
    """Within, a step that is recorded sees through the model's compiled formulas."""
    compiled = [f for f in model.forces if isinstance(f, CustomForce) and f.compiled]
    RECORDED.update({force_formula(force).address: answering(force) for force in compiled})
    try:
        yield
    finally:
        for force in compiled:
            RECORDED.pop(force_formula(force).address, None)


def answering(force: CustomForce) -> Callable[[Any, Any, Any], None]:
    """The formula of a force as what stands behind its address."""
    formula = on_any_numbers(plain_formula(force.formula), {})

    def answer(t: Any, given: Any, out: Any) -> None:
        push, turn = formula(t, *motion_of([given[k] for k in range(SEEN)]))
        for k, value in zip(range(FORCE_ANSWERS), (*push, *turn), strict=True):
            out[k] = value

    return answer


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
