"""How formulas and kernels become machine code.

A *formula* is a pure function on tuples of scalars, generic in the scalar: called from Python it
runs as written (floats, NumPy arrays, mpmath numbers), called from a kernel it is compiled.
A *routine* loops over borrowed arrays and is called from kernels.
A *kernel* is what Python calls: it borrows the arrays once and runs routines on them.

Borrowing matters.  An array that crosses a compiled call is reference counted, and on a small model
that costs four times the physics.  A borrowed array is a bare pointer, indexed flat.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numba

from chasles.compiled.kernels import Kernel, compiling_at_once
from chasles.compiled.once import once
from chasles.compiled.pointers import beyond, borrow, call_address, fetch, lend
from chasles.compiled.preparing import FIRST_COMPILE, JIT_OPTIONS
from chasles.compiled.reach import OPTIONS, overload
from chasles.compiled.slots import fill_slots

__all__ = [
    "FIRST_COMPILE",
    "HELPER_OPTIONS",
    "beyond",
    "borrow",
    "call_address",
    "compiling_at_once",
    "fetch",
    "fill_slots",
    "formula",
    "hot",
    "inlined",
    "kernel",
    "lend",
    "once",
    "overload",
    "routine",
    "users_formula",
]

F = TypeVar("F", bound=Callable[..., Any])
#: Helpers are called from kernels only: wrappers for C and Python would be compiled for nobody.
HELPER_OPTIONS = {**JIT_OPTIONS, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def helper(function: F, **options: Any) -> F:
    """A function that kernels call: plain Python to Python, compiled once to all kernels."""

    def typed(*args: Any, **keywords: Any) -> F:
        return function

    OPTIONS[function] = options
    overload(function, jit_options={**HELPER_OPTIONS, **options}, strict=False)(typed)
    return function


def users_formula(function: F) -> F:
    """A function of a user: with all of Numba's passes, since it may be written in any way."""

    def typed(*args: Any, **keywords: Any) -> F:
        return function

    OPTIONS[function] = {"error_model": "numpy"}
    overload(function, jit_options=OPTIONS[function], strict=False)(typed)
    return function


def formula(function: F) -> F:
    """A function on tuples of scalars: plain Python to Python, machine code to kernels."""
    return helper(function, forceinline=True, _nrt=False)


def routine(function: F) -> F:
    """A loop over borrowed arrays: plain Python to Python, machine code to kernels."""
    # Said aloud, since a callee inherits the option from the first routine that calls it.
    return helper(function, forceinline=False, _nrt=True)


def hot(function: F) -> F:
    """A routine that every step runs: inlined where it is called, whatever its size.

    Linked once, large routines are no longer inlined by themselves; a step of a small model then
    takes a third longer.
    """
    return helper(function, forceinline=True, _nrt=False)


def inlined(function: F, **instead: Any) -> F:
    """A twin of a routine for callers whose steps it dominates: linked and inlined there.

    `instead` are functions that it calls in the place of those of these names.
    """
    if numba.config.DISABLE_JIT:
        return function
    code, values = function.__code__, {**function.__globals__, **instead}
    made: Any = FunctionType(code, values, function.__name__, function.__defaults__)
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__doc__ = function.__doc__
    return hot(made)


def kernel(
    what: str = "a kernel", seconds: float = 0.0, plain: tuple[int, int] = (0, 0)
) -> Callable[[F], F]:
    """An entry from Python, compiled when it is worth that, and kept on disk.

    `what` it does and how many `seconds` compiling takes are told to the user; `plain` is how many
    entries of its arrays are worked on in plain Python, at once and in all, before it is compiled.
    """

    def decorate(function: F) -> F:
        if numba.config.DISABLE_JIT:
            return function
        made: Any = Kernel(function, what, seconds, plain)
        return made

    return decorate
