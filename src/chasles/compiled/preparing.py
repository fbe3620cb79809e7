"""How something is compiled: the options, and what is kept away while it lasts."""

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chasles.compiled.notice import FIRST_COMPILE
from chasles.compiled.ownership import unlock
from chasles.compiled.passes import COMPILER
from chasles.compiled.shortcuts import shortcuts

#: No exception on division by zero: kernels look at their results instead.
JIT_OPTIONS: dict[str, Any] = {"error_model": "numpy", "pipeline_class": COMPILER}


@contextmanager
def preparing() -> Iterator[None]:
    """Machine code is loaded or compiled: undisturbed, by shortcuts, and by one process."""
    with FIRST_COMPILE.timed(), interrupts_deferred(), without_collection(), shortcuts():
        try:
            yield
        finally:
            unlock()


@contextmanager
def without_collection() -> Iterator[None]:
    """No garbage collection: a compiler's graphs live to the end, and looking costs a tenth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Ctrl-C is raised at the latest afterwards: a callback from C would swallow it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler: Any = before
    seen: list[tuple[Any, Any]] = []

    def noted(number: Any, frame: Any) -> None:
        seen.append((number, frame))
        handler(number, frame)

    signal.signal(signal.SIGINT, noted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:  # and nothing was raised
        handler(*seen[-1])
