r"""A function of time in machine code, with its derivatives: jets inside compiled code.

A user's function that Numba has compiled (`numba.njit`) is compiled once more for a jet,
$f + \dot f\,s + \ddot f\,s^2/2$, instead of a number: value, rate and second derivative come out of
one call, exact to rounding.  `scalars.jet` is the same arithmetic in Python.
"""

import math
import operator
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError
from numba.extending import (
    intrinsic,
    make_attribute_wrapper,
    models,
    overload,
    register_jitable,
    register_model,
)

from chasles.compiled import JIT_OPTIONS
from chasles.scalars.dual import rules_of


class JetType(types.Type):
    """Value, rate and second derivative."""

    def __init__(self) -> None:
        super().__init__(name="Jet")


JET = JetType()
PARTS = ("value", "rate", "second")
NAN = float("nan")
SIGNATURE = types.void(types.float64, *(types.CPointer(types.float64),) * 2)


@register_model(JetType)
class _JetModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [(part, types.float64) for part in PARTS])


for _part in PARTS:
    make_attribute_wrapper(JetType, _part, _part)


@intrinsic
def jet(typing_context: Any, value: Any, rate: Any, second: Any) -> Any:
    """A jet from its parts."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = numba.core.cgutils.create_struct_proxy(signature.return_type)(context, builder)
        made.value, made.rate, made.second = args
        return made._getvalue()

    return JET(types.float64, types.float64, types.float64), codegen


@register_jitable
def chain(x, value, slope, curvature):
    """h(x) from h, h' and h'' at the value."""
    return jet(value, slope * x.rate, slope * x.second + curvature * x.rate * x.rate)


@register_jitable
def product(a, b):
    rate = a.value * b.rate + b.value * a.rate
    second = a.value * b.second + 2.0 * a.rate * b.rate + b.value * a.second
    return jet(a.value * b.value, rate, second)


@register_jitable
def quotient(a, b):
    """q = a / b from q b = a."""
    value = a.value / b.value
    rate = (a.rate - value * b.rate) / b.value
    second = a.second - 2.0 * rate * b.rate - value * b.second
    return jet(value, rate, second / b.value)


def is_jet(kind: Any) -> bool:
    return isinstance(kind, JetType)


def is_number(kind: Any) -> bool:
    return isinstance(kind, types.Number | types.Boolean)


def lift(x):
    """A jet as it is, a number as a constant one."""
    return x


@overload(lift)
def _lift_compiled(x):
    return (lambda x: x) if is_jet(x) else (lambda x: jet(1.0 * x, 0.0, 0.0))


def binary(function: Any, rule: Any) -> None:
    """Teach the compiler an operator of jets, and of jets and numbers."""
    compiled = register_jitable(rule)

    @overload(function)
    def _compiled(a, b):
        known = all(is_jet(x) or is_number(x) for x in (a, b))
        if known and (is_jet(a) or is_jet(b)):
            return lambda a, b: compiled(lift(a), lift(b))
        return None


binary(operator.add, lambda a, b: jet(a.value + b.value, a.rate + b.rate, a.second + b.second))
binary(operator.sub, lambda a, b: jet(a.value - b.value, a.rate - b.rate, a.second - b.second))
binary(operator.mul, lambda a, b: product(a, b))
binary(operator.truediv, lambda a, b: quotient(a, b))


def comparison(function: Any) -> None:
    """Teach the compiler a comparison, by the values."""
    binary(function, lambda a, b: function(a.value, b.value))


for _comparison in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    comparison(_comparison)


@register_jitable
def power(x, n):
    """A constant power; derivatives whose factor vanishes do so at x = 0 as well."""
    v = x.value
    slope = n * v ** (n - 1) if n != 0 else 0.0
    curvature = n * (n - 1) * v ** (n - 2) if n * (n - 1) != 0 else 0.0
    return chain(x, v**n, slope, curvature)


@overload(operator.pow)
def _pow_compiled(x, n):
    if is_jet(x) and is_number(n):
        return lambda x, n: power(x, 1.0 * n)
    return None


@overload(operator.neg)
def _neg_compiled(x):
    return (lambda x: jet(-x.value, -x.rate, -x.second)) if is_jet(x) else None


@overload(operator.pos)
def _pos_compiled(x):
    return (lambda x: x) if is_jet(x) else None


@overload(abs)
def _abs_compiled(x):
    return (lambda x: -x if x.value < 0.0 else x) if is_jet(x) else None


def unary(function: Any, rule: Any) -> None:
    """Teach the compiler a function of a jet."""
    compiled = register_jitable(rule)

    @overload(function)
    def _compiled(x):
        return (lambda x: chain(x, *compiled(x.value))) if is_jet(x) else None


for _name, _rule in rules_of(math).items():
    unary(getattr(np, _name), _rule)
    unary(getattr(math, _name.replace("arc", "a")), _rule)


@lru_cache(maxsize=64)  # compiling takes longer than most runs
def c_function(function: Any, column: int, orders: int) -> Any | None:
    """A C function that puts value and derivatives of a compiled function into columns of a row.

    None where the function does more than jets can: then it is fitted like any other.
    """
    user = numba.njit(**JIT_OPTIONS)(function.py_func)
    try:
        user.compile((JET,))
        returned = user.overloads[(JET,)].signature.return_type
    except (NumbaError, TypeError):
        return None
    if not is_jet(returned):
        return None

    def answer(t: float, given: Any, out: Any) -> None:
        found = jet(NAN, NAN, NAN)
        try:
            found = user(jet(t, 1.0, 0.0))
        except Exception:  # Python, called at the same time, reports it
            found = jet(NAN, NAN, NAN)
        out[column] = found.value
        if orders > 1:
            out[column + 1] = found.rate
        if orders > 2:
            out[column + 2] = found.second

    return numba.cfunc(SIGNATURE)(answer)
