"""Which scheme advances a state: a registry of records and what attempts a step with them.

A scheme is a named tuple (its constants and storage) and a routine

    attempt(mechanism, workspace, scheme, state, t, step, out) -> outcome

that combines slopes of `stage`.  Registering the pair is all it takes; each kind of record gets a
kernel of its own, compiled when it is first used.
"""

from collections.abc import Callable
from typing import Any

from chasles.compiled import overload
from chasles.integrators.gauss import Gauss, attempt_gauss
from chasles.integrators.half_explicit import HalfExplicit, attempt_half_explicit
from chasles.integrators.products import Products, attempt_products
from chasles.integrators.rattlie import Rattlie, attempt_rattlie
from chasles.integrators.rkmk import (
    MuntheKaas,
    MuntheKaasWithRows,
    attempt_on_tree,
    attempt_with_rows,
)
from chasles.integrators.rosenbrock import LinearlyImplicit, attempt_linearly_implicit

#: Kind of record -> routine.
ATTEMPTS: dict[type, Callable[..., Any]] = {}


def register_scheme(record: type, attempt: Callable[..., Any]) -> None:
    """Let a routine attempt the steps of a kind of scheme; see `integrators.rkmk` for one."""
    ATTEMPTS[record] = attempt


def attempt(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step of any scheme from `state` to `out`: OK, or how it failed."""
    outcome: int = ATTEMPTS[type(scheme)](mechanism, workspace, scheme, state, t, step, out)
    return outcome


@overload(attempt)
def _attempt_compiled(mechanism, workspace, scheme, state, t, step, out):
    chosen = ATTEMPTS[scheme.instance_class]
    return lambda mechanism, workspace, scheme, state, t, step, out: chosen(
        mechanism, workspace, scheme, state, t, step, out
    )


register_scheme(MuntheKaas, attempt_on_tree)
register_scheme(MuntheKaasWithRows, attempt_with_rows)
register_scheme(Products, attempt_products)
register_scheme(Gauss, attempt_gauss)
register_scheme(Rattlie, attempt_rattlie)
register_scheme(LinearlyImplicit, attempt_linearly_implicit)
register_scheme(HalfExplicit, attempt_half_explicit)
