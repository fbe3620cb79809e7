"""An ensemble on two cores beside the same on one, in wall time.

    python benchmarks/run.py --only cores

What a virtual machine calls two cores may be two threads of one, and others may be at work on them.
So loops of pure arithmetic that last as long are timed in the same way: where these do not gain
the limit is not judged.  The CPU time of the longer thread is told beside it.  It does not count
what a thread waits for a lock or for its core, and decides nothing.

Runs are long enough that recording a step, which one thread does before all others (0.025 s of
CPU), is 2 % of them; of ensembles of a tenth of that length it is 17 %.
"""

import ctypes
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any

import numpy as np
import scenes
from clocks import CORES, STEP
from findings import Figure, Findings, Requirement
from roofline import ROUNDS, fma_ir
from traced import many_tops

import chasles as ch
from chasles.many.ensembles.lanes import LaneRun
from chasles.many.traced.machine import compiled

#: Two cores in the time of one, at the most: 1.8 times as fast.
LIMIT = 1 / 1.8
STEPS = 10_000  # of a member
LOOPS = 400  # pieces of arithmetic, three milliseconds each: as long as the ensemble
#: What arithmetic has to gain, else the two cores are one, or not free.
FREE = 0.55
LAPS = 6


Clock = Callable[[], tuple[float, float]]  # CPU seconds of the longest thread, and wall


class Threads:
    """CPU time of each thread that works through `timed`."""

    def __init__(self) -> None:
        self.taken: dict[int, float] = {}

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any) -> Any:
            began = time.thread_time()
            result = work(*args)
            own = threading.get_ident()
            self.taken[own] = self.taken.get(own, 0.0) + time.thread_time() - began
            return result

        return measured


def ensemble_clock(threads: int) -> Clock:
    model, spins = many_tops(scenes.heavy_top())

    def measured() -> tuple[float, float]:
        noted, plain = Threads(), LaneRun.piece
        LaneRun.piece = noted.timed(plain)  # type: ignore[method-assign]
        try:
            found = ch.ensemble(
                model, {"top.angular_velocity": spins}, STEPS * STEP, STEP,
                threads=threads, save_every=STEPS,
            )  # fmt: skip
        finally:
            LaneRun.piece = plain  # type: ignore[method-assign]
        return max(noted.taken.values()), float(found.attrs["seconds_in_steps"])

    return measured


def arithmetic_clock(threads: int) -> Clock:
    code = compiled(fma_ir(4))
    function = code.function("peak", ctypes.c_void_p, ctypes.c_int64)

    def work(_: int) -> Any:
        memory = np.full(64, 0.5)
        function(memory.ctypes.data, 10 * ROUNDS)
        return code  # alive as long as this is

    def measured() -> tuple[float, float]:
        noted, began = Threads(), time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(noted.timed(work), range(LOOPS)))
        return max(noted.taken.values()), time.perf_counter() - began

    return measured


def two_cores(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """The best of several rounds: two threads have to meet both cores in one of them."""
    what = "10000 heavy tops: time on two cores / on one"
    if len(CORES) < 2:
        findings.notes.append("one core was given: two are not measured")
        findings.requirements.append(Requirement(what, None, LIMIT))
        return
    kinds = {"arithmetic": arithmetic_clock, "tops": ensemble_clock}
    clocks = {(word, n): make(n) for word, make in kinds.items() for n in (1, 2)}
    best = dict.fromkeys(clocks, (inf, inf))
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(CORES)[:2]))
    try:
        for _ in range(LAPS if effort.rounds > 2 else 3):
            for key, measured in clocks.items():
                cpu, wall = measured()
                best[key] = min(best[key][0], cpu), min(best[key][1], wall)
    finally:
        os.sched_setaffinity(0, pinned)
    for word in kinds:
        for k, time_of in enumerate(("CPU time of the longer thread", "wall time")):
            ratio = best[word, 2][k] / best[word, 1][k]
            variant = f"{word}: {time_of}, two / one"
            findings.figures.append(Figure("two cores", "chasles", variant, ratio, ""))
    walls = {word: best[word, 2][1] / best[word, 1][1] for word in kinds}
    free = walls["arithmetic"] <= FREE
    findings.requirements.append(Requirement(what, walls["tops"] if free else None, LIMIT))
    if not free:
        findings.notes.append("two cores were not free, or are one: the gain of two is not judged")


CASES = {"cores": two_cores}
