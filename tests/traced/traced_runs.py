"""Two runs of one model: by the generic kernel, and by machine code recorded on the way."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.traced.stepping import TracedSteps
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of


@dataclass(frozen=True)
class Ended:
    """Where a run came to: the last block, the points kept on the way, step and outcome."""

    block: Floats
    points: Floats
    reached: tuple[int, int]
    steps: TracedSteps | None = None

    def bits(self) -> tuple[bytes, bytes, tuple[int, int]]:
        return self.block.tobytes(), self.points.tobytes(), self.reached


def stepper(model, spaces="auto", method="rk4", step=1e-3, until=1.0, **options):
    """A stepper as `simulate` makes it."""
    settings = make_settings(ByHand(model, method=method, spaces=spaces, **options))
    return stepper_of(settings, step, until)


def run(made, step, steps, save_every=7, quick=None, pieces=1):
    """Steps from the start, in so many pieces."""
    block = made.first_block()
    points = np.zeros((steps // save_every + 1, made.layout.kept))
    advance = made.advance_generic if quick is None else quick.advance
    ends = np.linspace(0, steps, pieces + 1).astype(int).tolist()
    reached = 0, -1
    for first, last in pairwise(ends):
        grid = (0.0, step, first, last, steps)
        reached = advance(block, np.zeros_like(block), grid, save_every, 1, points, 0)
        if reached[0] < last:
            break
    return Ended(block, points, reached, quick)


def both_runs(model, steps=300, step=1e-3, pieces=1, contract=False, **options):
    """(traced, generic)"""
    until = steps * step
    made = stepper(model, step=step, until=until, **options)
    traced = run(made, step, steps, quick=TracedSteps(made, step, contract), pieces=pieces)
    return traced, run(stepper(model, step=step, until=until, **options), step, steps)
