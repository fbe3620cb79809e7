"""Functions that have one meaning to Python and one to kernels, compiled once for all callers.

Numba keeps the compiled form of an overload by the types of its arguments *and* by the options that
its caller was compiled with: a formula called from a kernel, from a routine and from an inlined
routine is compiled three times.  The options of our helpers do not depend on their callers.
"""

from collections.abc import Callable
from typing import Any

import numba.extending
from numba.core.typing.templates import builtin_registry

from chasles.compiled.reach import MEANINGS


class WhoeverAsks(dict):
    """Compiled forms by (context, types of arguments, of keywords), whoever calls."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key[:3])

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[:3], value)


def overload(function: Any, **options: Any) -> Callable[[Any], Any]:
    """Numba's `overload`, compiled once whatever the options of the callers."""
    decorate = numba.extending.overload(function, **options)

    def decorated(typed: Any) -> Any:
        decorate(typed)
        MEANINGS.setdefault(function, []).append(typed)
        newest = builtin_registry.functions[-1]
        if getattr(newest, "key", None) is function and hasattr(newest, "_impl_cache"):
            newest._impl_cache = WhoeverAsks()
        return typed

    return decorated
