"""An ensemble on two cores beside the same on one, in wall time.

    python benchmarks/run.py --only cores

What a virtual machine calls two cores may be two threads of one.  So loops of pure arithmetic are
timed in the same way: what they do not gain nobody can.
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
LOOPS = 8  # pieces of arithmetic, ten milliseconds each


def ensemble_seconds(threads: int) -> Callable[[], float]:
    model, spins = many_tops(scenes.heavy_top())

    def measured() -> float:
        found = ch.ensemble(
            model, {"top.angular_velocity": spins}, MEMBER_STEPS * STEP, STEP, threads=threads,
            save_every=MEMBER_STEPS,
        )  # fmt: skip
        return float(found.attrs["seconds_in_steps"])

    return measured


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
    try:
        best = race(
            {
                (word, threads): clock(threads)
                for word, clock in (("arithmetic", arithmetic_seconds), ("tops", ensemble_seconds))
                for threads in (1, 2)
            },
            max(7, effort.rounds) if effort.rounds > 2 else 2,
        )
    finally:
        os.sched_setaffinity(0, pinned)
    ratios = {word: best[word, 2] / best[word, 1] for word in ("arithmetic", "tops")}
    for word, ratio in ratios.items():
        figure = Figure("two cores", "chasles", f"{word}, two / one", ratio, "of the time")
        findings.figures.append(figure)
    findings.requirements.append(Requirement(what, ratios["tops"], LIMIT))


CASES = {"cores": two_cores}
