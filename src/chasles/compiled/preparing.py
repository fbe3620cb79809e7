"""How something is compiled: the options, what a user is told, and what is kept away meanwhile.

A user is told once for every wait, in words, and never at the cost of a run.
"""

import gc
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.event import Listener, register

from chasles.compiled.ownership import unlock
from chasles.compiled.passes import COMPILER
from chasles.compiled.shortcuts import shortcuts
from chasles.notices import notice, while_waiting

#: No exception on division by zero: kernels look at their results instead.
JIT_OPTIONS: dict[str, Any] = {"error_model": "numpy", "pipeline_class": COMPILER}
#: Compiling that takes less than this is not worth a word (s).
A_MOMENT = 1.5


class FirstCompile(Listener):
    """Adds up the seconds that kernels and their routines are waited for, and tells them."""

    def __init__(self) -> None:
        self.kernels: dict[int, Any] = {}  # by the id of their dispatcher; None: a routine's
        self.compiles = False  # since it was told: here, or in a process that was waited for
        self.under_way = 0
        self.began = 0.0
        self.seconds = 0.0  # spent so far
        self.reported = 0.0  # of these
        self.silent = False

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the seconds until machine code is there, whatever they are spent on."""
        if self.under_way == 0:
            self.began = time.perf_counter()
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            if self.under_way == 0:
                self.seconds += time.perf_counter() - self.began

    def on_start(self, event: Any) -> None:
        key = id(event.data["dispatcher"])
        if key in self.kernels:
            self.compiles = True
            kernel = self.kernels[key]
            if kernel is not None and kernel.seconds >= A_MOMENT and not self.silent:
                while_waiting(f"compiling {kernel.what}")

    def on_end(self, event: Any) -> None:
        pass

    def add(self, seconds: float) -> None:
        """Seconds of something else that is compiled, and not worth a word."""
        self.seconds += seconds
        self.reported += seconds

    def tell(self, kernel: Any) -> None:
        """A call of a kernel is over: say how long one waited for machine code, if that was long.

        Loading it from files is not worth a word.
        """
        taken, self.reported = self.seconds - self.reported, self.seconds
        compiles, self.compiles = self.compiles, False
        if compiles and taken >= A_MOMENT and not self.silent:
            notice(f"compiled {kernel.what} in {taken:.0f} s, {kernel.times}")


FIRST_COMPILE = FirstCompile()
register("numba:compile", FIRST_COMPILE)


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
