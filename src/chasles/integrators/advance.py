"""The compiled half of the time loop: attempt a step with any scheme, judge, accept, save.

A scheme is a named tuple (its constants and storage) and a routine

    attempt(mechanism, workspace, scheme, state, t, step, out) -> outcome

that combines slopes of `stage`.  Registering the pair is all it takes; each kind of record gets a
kernel of its own, compiled when it is first used.
"""

from collections.abc import Callable
from typing import Any

from chasles.compiled import FIRST_COMPILE, beyond, borrow, hot, kernel, overload
from chasles.core.arrays import copy
from chasles.core.outcomes import OK
from chasles.core.step_checks import begin_step, end_step, monitor_energy, monitor_gaps
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


#: Whether steps are looked at: not at all, as a run does, or only the state after the last.
UNSEEN, SEEN, SEEN_LAST = 0, 1, 2
#: Steps between two looks at gaps and the energy balance.  Both add up: nothing is missed.
MONITOR_EVERY = 16


def seconds_compiling() -> float:
    """Seconds that this process has spent on compiling kernels so far."""
    return FIRST_COMPILE.seconds


@hot
def take_step(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, times: Any, step: float,
    monitoring: int, out: Any,
) -> int:  # fmt: skip
    """One step between two times: OK if `out` may be accepted; it has no negative zeros."""
    begin_step(mechanism, workspace, state, times[0])
    outcome = attempt(mechanism, workspace, scheme, state, times[0], step, out)
    if outcome == OK:
        outcome = end_step(mechanism, workspace, state, times[1], step, monitoring, out)
    written = mechanism.layout.width if mechanism.loops.row_count > 0 else mechanism.layout.seen
    for k in range(written):  # what comes after is as in `state`
        out[k] = out[k] + 0.0  # -0 becomes 0: recorded steps need not know their signs
    return outcome


@hot
def exchange(one: Any, other: Any, width: int) -> None:
    """Two blocks change places."""
    for k in range(width):
        one[k], other[k] = other[k], one[k]


@kernel("the time loop of this kind of run", seconds=8)
def advance(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, spare: Any, grid: Any, save_every: int,
    monitoring: int, saved: Any, first_row: int,
) -> Any:  # fmt: skip
    """Advance a state block in place along a grid: (step reached, outcome).

    `grid` is (origin, step, first, last, end): step k goes from origin + step * k to the next,
    whatever the piece it is taken in; after step `end` the run is over.  `monitoring` is UNSEEN,
    SEEN or SEEN_LAST, which also looks at a state where no step is to be taken.  The point after
    step k goes to row k // save_every - first_row of `saved` if save_every divides k.  If the
    outcome is not OK, `state` is the last good state and `spare` what came after it.
    """
    model, work, method = borrow(mechanism), borrow(workspace), borrow(scheme)
    now, then, history = borrow(state), borrow(spare), borrow(saved)
    origin, step, first, last, end = grid
    width, kept = model.layout.width, model.layout.kept
    for index in range(first, last):
        times = (origin + step * index, origin + step * (index + 1))
        outcome = take_step(model, work, method, now, times, step, monitoring, then)
        if outcome != OK:
            if (index - first) % 2 == 1:
                exchange(now, then, width)
            return index, outcome
        now, then = then, now
        if monitoring == SEEN and ((index + 1) % MONITOR_EVERY == 0 or index + 1 == end):
            monitor_energy(model, work, now, times[1])
            monitor_gaps(model, work, now, times[1])
        if (index + 1) % save_every == 0:
            slot = (index + 1) // save_every - first_row
            copy(now, beyond(history, slot * kept), kept)
    if (last - first) % 2 == 1:
        exchange(now, then, width)
        now, then = then, now
    if monitoring == SEEN_LAST:
        monitor_energy(model, work, now, origin + step * last)
        monitor_gaps(model, work, now, origin + step * last)
    return last, OK
