"""chasles by its parts: steppers of a model, and the CPU time of their steps."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import chasles as ch
from chasles.core.outcomes import OK
from chasles.integrators.advance import SEEN
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of
from chasles.run.stepper import Stepper

STEP, NEVER = 1e-3, 2**62
#: Those that this process was given, before it is pinned to one of them.
CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def make_stepper(
    model: ch.Model, method: Any = "rk4", spaces: str = "auto", step: float = STEP, **others: Any
) -> Stepper:
    asked = ByHand(model, step, method=method, spaces=spaces, **others)
    return stepper_of(make_settings(asked), step, 1e3)


def seconds_of(stepper: Stepper, step: float = STEP) -> Callable[[int], float]:
    """CPU seconds of so many steps from the start, by the generic kernel."""
    return lambda steps: 1e-6 * steps * clock(stepper, stepper.advance_generic, steps, step)()


def clock(
    stepper: Stepper, advance: Callable[..., Any], steps: int, step: float = STEP, runs: int = 1
) -> Callable[[], float]:
    """Microseconds a step, of some runs from the start."""
    grid, nowhere = (0.0, step, 0, steps, steps), np.zeros((1, 1))
    first = stepper.first_block()

    def measured() -> float:
        blocks = [(first.copy(), first.copy()) for _ in range(runs)]
        began = time.process_time()
        ends = [advance(block, spare, grid, NEVER, SEEN, nowhere) for block, spare in blocks]
        taken = time.process_time() - began
        for reached, outcome in ends:
            if reached != steps or outcome != OK:
                raise RuntimeError(f"asked for {steps} steps, took {reached}")
        return 1e6 * taken / steps / runs

    return measured
