"""Twists, wrenches, rows and columns of six: pairs of vectors, of turning and of shifting."""

from typing import Any

from chasles.compiled import formula
from chasles.groups.vectors import add, axpy, dot, neg, scale, sub


@formula
def add_twists(x: Any, y: Any) -> Any:
    return add(x[0], y[0]), add(x[1], y[1])


@formula
def sub_twists(x: Any, y: Any) -> Any:
    return sub(x[0], y[0]), sub(x[1], y[1])


@formula
def negated(x: Any) -> Any:
    return neg(x[0]), neg(x[1])


@formula
def scale_twist(s: Any, x: Any) -> Any:
    return scale(s, x[0]), scale(s, x[1])


@formula
def axpy_twists(s: Any, x: Any, y: Any) -> Any:
    """s x + y."""
    return axpy(s, x[0], y[0]), axpy(s, x[1], y[1])


@formula
def power(wrench: Any, twist: Any) -> Any:
    """Of a wrench on a body that moves with a twist, both in the same axes at the same point."""
    return dot(wrench[0], twist[0]) + dot(wrench[1], twist[1])
