r"""The first steps of a run once more, as they were and with half the step: what does it miss?

Of a method of order p, the difference is the error but for a part in $2^p$; what the whole run
misses is more in proportion, at least.
"""

from collections.abc import Callable
from math import ceil

import numpy as np

from chasles.core.arrays import POSE_R, Floats
from chasles.core.outcomes import OK
from chasles.integrators.advance import UNSEEN
from chasles.integrators.methods import Method
from chasles.run.loop import Run
from chasles.run.stepper import Stepper
from chasles.run.time_grid import NEVER

#: Steps of one body that are repeated at the most, and how often the step is halved.
MOST_REPEATED, MOST_HALVINGS = 20_000, 6
#: So many times on the way states are compared.
LOOKS = 8
#: (n,) How far the bodies of two absolute states (n, 18) are apart, in whatever counts.
Measure = Callable[[Floats, Floats], Floats]


def can_be_repeated(run: Run, method: Method) -> bool:
    """Whether its first steps can be taken again: nobody steered it, and it chose no steps."""
    grid = run.grid
    whole = grid.first == 0 and grid.origin == 0.0 and grid.until < np.inf and run.can_go_on
    alone = run.control.controller is None and run.stopped is None and run.index > 0
    return whole and alone and method.history is None and method.foreign is None


def missed_by(run: Run, measure: Measure, parts: int = 1) -> tuple[float, str] | None:
    """(What steps a whole part as long miss in the end, by which body); None where steps fail."""
    return Repeated(run.stepper, run.grid.step / parts, run.steps_in_all * parts, measure).missed()


def step_that_would_do(run: Run, measure: Measure, limit: float) -> float | None:
    """A shorter step that misses no more than a limit; None if none was found soon."""
    for halving in range(1, MOST_HALVINGS + 1):
        missed = missed_by(run, measure, 2**halving)
        if missed is None:
            return None
        if missed[0] <= limit:
            return run.grid.step / 2**halving
    return None


class Repeated:
    """The first of so many steps of a run, taken again with their length and with half of it."""

    def __init__(self, stepper: Stepper, step: float, steps: int, measure: Measure) -> None:
        self.stepper, self.step, self.steps, self.measure = stepper, step, steps, measure
        bodies = stepper.mechanism.system.body_count
        self.count = min(steps, MOST_REPEATED // bodies)

    def missed(self) -> tuple[float, str] | None:
        """(What the run misses in proportion, by which body); None where steps fail.

        Not a number where it has none.
        """
        if self.count < 1:
            return None
        watch = self.stepper.mechanism.watch
        events = int(watch.count[0])
        try:
            return self.compared()
        finally:
            watch.count[0] = events  # what a trial passes is not the run's

    def compared(self) -> tuple[float, str] | None:
        whole, halves = (self.stepper.first_block() for _ in range(2))
        worst, body, done = 0.0, 0, 0
        for look in range(1, LOOKS + 1):
            end = ceil(self.count * look / LOOKS)
            if not (self.advance(whole, done, end, 1) and self.advance(halves, done, end, 2)):
                return None
            done, apart = end, self.measure(self.absolute(whole), self.absolute(halves))
            if not apart.max() <= worst:  # NaN, too
                worst, body = float(apart.max()), int(apart.argmax())
        name = list(self.stepper.solver.setup.body_index)[body]
        return worst * self.steps / self.count, name

    def advance(self, block: Floats, first: int, last: int, parts: int) -> bool:
        """Steps from one to another, each in so many parts; whether all succeed."""
        if first == last:
            return True
        grid = (0.0, self.step / parts, parts * first, parts * last, parts * last)
        spare, nowhere = np.zeros_like(block), np.zeros((1, 1))
        _, outcome = self.stepper.advance(block, spare, grid, NEVER, UNSEEN, nowhere)
        return outcome == OK

    def absolute(self, block: Floats) -> Floats:
        width = self.stepper.layout.integrals
        found: Floats = self.stepper.absolute(block[None, :width])[0]
        return found


def angles_between(one: Floats, other: Floats) -> Floats:
    """(n,) By which the bodies of two absolute states are turned against each other."""
    turns = [state[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3) for state in (one, other)]
    return angles_of(turns[0].transpose(0, 2, 1) @ turns[1])


def angles_of(rotations: Floats) -> Floats:
    r"""(T,) Of rotations: $\sin\theta = |\mathrm{vee}(R - R^T)|/2$ is accurate where they are
    small, $\cos\theta = (\mathrm{tr} R - 1)/2$ elsewhere."""
    skew = (rotations - rotations.transpose(0, 2, 1))[:, [2, 0, 1], [1, 2, 0]]
    sine = 0.5 * np.linalg.norm(skew, axis=1)
    found: Floats = np.arctan2(sine, 0.5 * (np.trace(rotations, axis1=1, axis2=2) - 1.0))
    return found
