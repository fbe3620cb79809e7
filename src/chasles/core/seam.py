"""Routines that schemes call whatever the mechanism: chosen by its type as a kernel is compiled.

A mechanism is a named tuple with a `layout` of its state block.  Those of six-dimensional charts
are the first kind; another kind registers its own routines with `on`, all of those below, and every
scheme steps it:

    retraction   slope_length, retract, pull_back, finish
    stage        stage
    judge        begin_step, end_step, look_at_energy
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from chasles.compiled import HELPER_OPTIONS, overload
from chasles.compiled.reach import OPTIONS

F = TypeVar("F", bound=Callable[..., Any])
#: Routine -> kind of mechanism -> what is run for it.
SEAMS: dict[Any, dict[type, Any]] = {}


def seam(function: F) -> F:
    """A routine whose first argument is a mechanism: `function`, unless its kind has another."""
    others: dict[type, Any] = {}

    @wraps(function)
    def chosen(mechanism: Any, *arguments: Any) -> Any:
        return others.get(type(mechanism), function)(mechanism, *arguments)

    def typed(mechanism: Any, *arguments: Any) -> Any:
        return others.get(mechanism.instance_class, function)

    options = {**HELPER_OPTIONS, **OPTIONS[function]}
    overload(chosen, jit_options=options, strict=False)(typed)
    SEAMS[chosen] = others
    made: Any = chosen
    return made


def on(chosen: Callable[..., Any], kind: type) -> Callable[[F], F]:
    """Let a routine do for a kind of mechanism what `chosen` does for charts."""

    def register(function: F) -> F:
        SEAMS[chosen][kind] = function
        return function

    return register
