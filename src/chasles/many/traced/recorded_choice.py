"""When steps are recorded: where that takes less time than it saves.

A recorded step takes a quarter to nine tenths of the generic one, so that recording and compiling
pay back after a million steps.  But the generic kernel takes some ten seconds to compile: where it
is neither loaded nor on disk, a small model needs a tenth of a second instead.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.advance import advance
from chasles.many.traced.stepping import TracedSteps
from chasles.run.stepper import Stepper

GENERIC, TRACED, AUTO = "generic", "traced", "auto"
KERNELS = (AUTO, GENERIC, TRACED)
#: Steps from which on a recording pays back, though the generic kernel is at hand.  Measured: the
#: top gains 0.19 us a step for 0.05 s, the double pendulum 0.25 us for 0.28 s.
MANY_STEPS = 1_000_000
#: Bodies beyond which it never does: the time to compile grows faster than the step.
MOST_BODIES = 6
#: Operations of a step beyond which compiling them takes seconds.
MOST_OPERATIONS = 15_000
#: Steps below which plain Python is as quick.
FEW_STEPS = 20
#: Seconds spent on recordings, in this process, after which the generic kernel is compiled after
#: all: it serves every run that follows.
PATIENCE = 5.0
#: Steps whose guards fail that are read as plain Python, a few ms each, before it is compiled.
PLAIN_STEPS = 300


def with_recorded_steps(
    stepper: Stepper, kernel: str, step: float, steps: int, iterates: bool = False
) -> Stepper:
    """The stepper with steps that are recorded, if these are wanted, or pay.

    A method that iterates never pays: every iteration is written out, which takes minutes to
    compile, and a step that takes one more or one less fails the guards.
    """
    if kernel == GENERIC or (kernel == AUTO and (iterates or not pays(stepper, steps))):
        return stepper
    plainly = 0 if generic_at_hand(stepper) else PLAIN_STEPS
    most = MOST_OPERATIONS if kernel == AUTO else 2**62
    recorded = TracedSteps(stepper, step, most_operations=most, plainly=plainly)
    return replace(stepper, recorded=recorded)


def pays(stepper: Stepper, steps: int) -> bool:
    """Whether a run of so many steps is sooner at its end."""
    if stepper.mechanism.system.body_count > MOST_BODIES or steps < FEW_STEPS:
        return False
    if generic_at_hand(stepper):
        return steps >= MANY_STEPS
    return TracedSteps.seconds_in_all < PATIENCE


def generic_at_hand(stepper: Stepper) -> bool:
    """Whether the generic kernel can be called without compiling it."""
    known: Any = getattr(advance, "at_hand", None)
    return known is None or known(generic_arguments(stepper))


def generic_arguments(stepper: Stepper) -> tuple[Any, ...]:
    block: Floats = np.zeros(1)
    return (*stepper.lent, block, block, (0.0, 0.0, 0, 0, 0), 1, 0, np.zeros((1, 1)), 0)
