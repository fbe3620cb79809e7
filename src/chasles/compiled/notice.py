"""What a user is told while kernels are compiled: once, in words, never at the cost of a run."""

import time
from typing import Any

from numba.core.event import Listener, register

from chasles.notices import notice

#: Compiling that is expected to take less than this is not worth a word (s).
A_MOMENT = 1.5


class FirstCompile(Listener):
    """Tells that a kernel is being compiled, which happens once per machine and source."""

    def __init__(self) -> None:
        self.kernels: dict[int, Any] = {}  # by the id of their dispatcher
        self.started: dict[int, float] = {}
        self.seconds = 0.0  # spent so far
        self.silent = False

    def on_start(self, event: Any) -> None:
        key = id(event.data["dispatcher"])
        if key in self.kernels and not self.started:
            self.started[key] = time.perf_counter()
            kernel = self.kernels[key]
            if kernel.seconds >= A_MOMENT and not self.silent:
                notice(f"compiling {kernel.what}: about {kernel.seconds:g} s, {kernel.times}")

    def on_end(self, event: Any) -> None:
        began = self.started.pop(id(event.data["dispatcher"]), None)
        if began is not None:
            self.seconds += time.perf_counter() - began


FIRST_COMPILE = FirstCompile()
register("numba:compile", FIRST_COMPILE)
