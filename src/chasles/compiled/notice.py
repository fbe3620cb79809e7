"""What a user is told of compiling: once for every wait, in words, never at the cost of a run."""

import time
from typing import Any

from numba.core.event import Listener, register

from chasles.notices import notice, while_waiting

#: Compiling that takes less than this is not worth a word (s).
A_MOMENT = 1.5


class FirstCompile(Listener):
    """Adds up the seconds that kernels and their routines are compiled for, and tells them."""

    def __init__(self) -> None:
        self.kernels: dict[int, Any] = {}  # by the id of their dispatcher; None: a routine's
        self.started: dict[int, float] = {}
        self.seconds = 0.0  # spent so far
        self.told = 0.0  # of these
        self.silent = False

    def on_start(self, event: Any) -> None:
        key = id(event.data["dispatcher"])
        if key in self.kernels and not self.started:
            self.started[key] = time.perf_counter()
            kernel = self.kernels[key]
            if kernel is not None and kernel.seconds >= A_MOMENT and not self.silent:
                while_waiting(f"compiling {kernel.what}")

    def on_end(self, event: Any) -> None:
        began = self.started.pop(id(event.data["dispatcher"]), None)
        if began is not None:
            self.seconds += time.perf_counter() - began

    def add(self, seconds: float) -> None:
        """Seconds of something else that is compiled, and not worth a word."""
        self.seconds += seconds
        self.told += seconds

    def tell(self, kernel: Any) -> None:
        """A call of a kernel is over: say how long compiling took, if that was long."""
        taken, self.told = self.seconds - self.told, self.seconds
        if taken >= A_MOMENT and not self.silent:
            notice(f"compiled {kernel.what} in {taken:.0f} s, {kernel.times}")


FIRST_COMPILE = FirstCompile()
register("numba:compile", FIRST_COMPILE)
