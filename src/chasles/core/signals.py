"""Functions of time (stub, replaced by the signals branch)."""

from typing import Any, NamedTuple

from chasles.compiled import routine


class Signals(NamedTuple):
    count: int


@routine
def put_signals(signals: Any, t: float, out: Any) -> None:
    if signals.count > 0:
        out[0] = t
