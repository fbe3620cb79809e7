"""What a user is told of compiling: once for every wait, in words, never at the cost of a run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.event import Listener, register

from chasles.notices import notice, while_waiting

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
