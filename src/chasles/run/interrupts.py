"""Ctrl-C during a run: the run ends after the piece of steps that it is at, and nothing is lost."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `result` holds everything up to the last good state."""

    def __init__(self, result: Any) -> None:
        super().__init__(f"interrupted at t = {result.t[-1]:g} s; .result holds the run so far")
        self.result = result


@contextmanager
def ctrl_c(told: Callable[[], None]) -> Iterator[None]:
    """Call `told` at the first Ctrl-C instead of raising KeyboardInterrupt; the second one raises.

    Only the main thread hears signals, and who handles Ctrl-C in a way of their own keeps it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, handler)
        told()

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
