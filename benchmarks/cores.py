"""An ensemble on two cores beside the same on one, in wall time.

    python benchmarks/run.py --only cores

What a virtual machine calls two cores may be two threads of one, and others may be at work on them.
So loops of pure arithmetic are timed in the same way: what they do not gain nobody can, and where
they do not the limit is not judged.  The CPU time per thread shows what two threads take from each
other: nothing, if it is half of what one needs.
"""

import ctypes
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scenes
from clocks import CORES, STEP
from findings import Figure, Findings, Requirement
from libraries import race
from roofline import ROUNDS, fma_ir
from traced import MEMBER_STEPS, many_tops

import chasles as ch
from chasles.traced.machine import compiled

#: Two cores in the time of one, at the most: 1.8 times as fast.
LIMIT = 1 / 1.8
#: What arithmetic has to gain, else the two cores are one, or not free.
FREE = 0.55
LOOPS = 4  # pieces of arithmetic, some ten milliseconds each
ROUNDS_OF_ALL = 40  # short ones: it is enough that others leave both cores alone in one of them


def ensemble_seconds(threads: int) -> Callable[[], float]:
    model, spins = many_tops(scenes.heavy_top())

    def measured() -> float:
        found = ch.ensemble(
            model, {"top.angular_velocity": spins}, MEMBER_STEPS * STEP, STEP, threads=threads,
            save_every=MEMBER_STEPS,
        )  # fmt: skip
        return float(found.attrs["seconds_in_steps"])

    return measured


def cpu_of(measured: Callable[[], float], threads: int) -> Callable[[], float]:
    """CPU seconds per thread."""

    def per_thread() -> float:
        began = time.process_time()
        measured()
        return (time.process_time() - began) / threads

    return per_thread


def arithmetic_seconds(threads: int) -> Callable[[], float]:
    code = compiled(fma_ir(4))
    function = code.function("peak", ctypes.c_void_p, ctypes.c_int64)

    def work(_: int) -> Any:
        memory = np.full(64, 0.5)
        function(memory.ctypes.data, 10 * ROUNDS)
        return code  # alive as long as this is

    def measured() -> float:
        began = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(LOOPS)))
        return time.perf_counter() - began

    return measured


def two_cores(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """The best of several rounds: others must leave both cores alone in one of them."""
    what = "10000 heavy tops: time on two cores / on one"
    if len(CORES) < 2:
        findings.notes.append("one core was given: two are not measured")
        findings.requirements.append(Requirement(what, None, LIMIT))
        return
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(CORES)[:2]))
    kinds = {"arithmetic": arithmetic_seconds, "tops": ensemble_seconds}
    contenders: dict[Any, Callable[[], float]] = {}
    for word, clock in kinds.items():
        for threads in (1, 2):
            contenders[word, threads] = clock(threads)
            contenders[word, threads, "CPU"] = cpu_of(clock(threads), threads)
    try:
        best = race(contenders, ROUNDS_OF_ALL if effort.rounds > 2 else 2)
    finally:
        os.sched_setaffinity(0, pinned)
    ratios = {}
    for word in kinds:
        ratios[word] = best[word, 2] / best[word, 1]
        shared = best[word, 2, "CPU"] / best[word, 1, "CPU"]
        tell(findings, f"{word}, two / one", ratios[word])
        tell(findings, f"{word}, CPU time per thread, two / one", shared)
    free = ratios["arithmetic"] <= FREE
    findings.requirements.append(Requirement(what, ratios["tops"] if free else None, LIMIT))
    if not free:
        findings.notes.append("two cores were not free, or are one: the gain of two is not judged")


def tell(findings: Findings, variant: str, value: float) -> None:
    findings.figures.append(Figure("two cores", "chasles", variant, value, "of the time"))


CASES = {"cores": two_cores}
