"""Derivatives of chains of hinges, whose steps are read from lists, beside a run.

    python benchmarks/run.py --only large-gradient

CPU time of a step, the best of some rounds in which all take turns.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import models
import numpy as np
from findings import Figure, Findings, Requirement
from libraries import race
from traced import STEP, clock, make_stepper

from chasles.many.ensembles.members import image_of
from chasles.many.gradients.gradient import make_tape
from chasles.many.gradients.reader import LANES
from chasles.many.gradients.reverse_pass import ReversePass, in_lanes
from chasles.run.stepper import Stepper

STEPS = 40
#: Runs that a derivative may cost in forward mode.
LIMIT = 3.0


def timed(work: Callable[[], Any]) -> Callable[[], float]:
    """Microseconds a step."""

    def measured() -> float:
        began = time.process_time()
        work()
        return 1e6 * (time.process_time() - began) / STEPS

    return measured


def journey_of(stepper: Stepper) -> ReversePass:
    tape = make_tape(stepper, np.zeros(image_of(stepper).numbers.size, bool), STEP, STEPS)
    return ReversePass(tape, lambda run: run.position(run.model.bodies[-1])[-1, 2], STEPS)


def large_gradient(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Eight derivatives carried along, and all of them by the way back."""
    for bodies in (16, 64):
        case = f"gradient of {bodies} hinges"
        stepper = make_stepper(models.revolute_chain(bodies))
        began = time.process_time()
        reverse_pass = journey_of(stepper)
        seconds = time.process_time() - began
        width = reverse_pass.tape.width
        count = len(reverse_pass.tape.parameters)
        lanes = np.random.default_rng(1).normal(size=(width, LANES)), np.zeros((count, LANES))
        contenders = {
            "run": clock(stepper, stepper.advance_generic, STEPS),
            f"{LANES} derivatives, forward": timed(partial(in_lanes, reverse_pass, *lanes)),
            "all derivatives, reverse": timed(reverse_pass.back),
        }
        best = race(contenders, max(5, effort.rounds))
        for word, value in best.items():
            findings.figures.append(Figure(case, "chasles", word, value, "us/step"))
        findings.figures.append(Figure(case, "chasles", "recording", seconds, "s"))
        run, forward, _ = best.values()
        ratio = forward / run / LANES
        findings.requirements.append(Requirement(f"{case}: a derivative / run", ratio, LIMIT))


CASES = {"large-gradient": large_gradient}
