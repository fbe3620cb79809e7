r"""A body that turns far in a step: is the motion right, though its energy is?

A body that tumbles freely keeps its energy and its momentum to a percent with steps of a radian,
while its attitude is lost: the errors of its velocity are small and turn it on and on.  Nothing
that a run looks at on its way shows that.  So where a body that tumbles turns by FAR or more in a
step, at the start or at the end, or by less in very many, the first steps of the run are repeated,
as they were and with half the step.  Of a method of order p, their difference is the error but for
a part in $2^p$; what the whole run misses is more in proportion, at least.
"""

from math import ceil

import numpy as np

from chasles.core.arrays import POSE_R, Floats
from chasles.core.outcomes import OK
from chasles.integrators.advance import UNSEEN
from chasles.integrators.methods import Method
from chasles.run.loop import Ended, Run
from chasles.run.stepper import Stepper
from chasles.run.time_grid import NEVER

#: rad in a step from which on a run is looked at; below, a thousand steps of order 2 miss a degree.
FAR = 0.25
#: rad by which an attitude is lost: three degrees.
LOST = 0.05
#: Steps of one body that are repeated at the most, and how often the step is halved.
MOST_REPEATED, MOST_HALVINGS = 20_000, 6
#: So many times on the way attitudes are compared.
LOOKS = 8


def lost_attitudes(ended: Ended) -> list[str]:
    """What is to be said of bodies that turn too far in a step; nothing if nothing is.

    Where the energy tells already that the motion is not right, nothing more is.
    """
    run, method = ended.run, ended.method
    if ended.said or not can_be_repeated(run, method):
        return []
    step, stepper = run.grid.step, run.stepper
    blocks = (stepper.first_block(), run.block)
    turned = step * max(float(stepper.spins(block)[0].max(initial=0.0)) for block in blocks)
    missed = None
    if is_far(turned, run.steps_in_all, method.order):
        missed = Repeated(stepper, step, run.steps_in_all).missed()
    if missed is None or missed[0] <= LOST:
        return []
    angle, body = missed
    better = step_that_would_do(run, step)
    remedy = f"{better:.4g} s would do" if better else f"smaller than {step:g} s"
    return [
        f"steps turn a body by {turned:.2g} rad, and the attitude of '{body}' misses about"
        f" {min(angle, np.pi):.2g} rad in the end, as steps half as long show: the energy may be"
        f" right, the motion is not. Take a smaller step ({remedy}) or a method of higher order."
    ]


def is_far(turned: float, steps: int, order: int) -> bool:
    r"""Whether steps that turn a body so far are to be looked at, or so many of them.

    The error of a step is a fraction of $\theta^{p+1}$ rad: a fifth for Heun's method, less for
    others.
    """
    if order < 2:
        return FAR <= turned < np.inf
    return FAR <= turned < np.inf or steps * turned ** (order + 1) > 1.0


def can_be_repeated(run: Run, method: Method) -> bool:
    """Whether its first steps can be taken again: nobody steered it, and it chose no steps."""
    grid = run.grid
    whole = grid.first == 0 and grid.origin == 0.0 and grid.until < np.inf and run.can_go_on
    alone = run.control.controller is None and run.stopped is None and run.index > 0
    return whole and alone and method.history is None and method.foreign is None


def step_that_would_do(run: Run, step: float) -> float | None:
    """A shorter step whose attitudes are not lost; None if none was found soon."""
    for halving in range(1, MOST_HALVINGS + 1):
        shorter = step / 2**halving
        missed = Repeated(run.stepper, shorter, run.steps_in_all * 2**halving).missed()
        if missed is None:
            return None
        if missed[0] <= LOST:
            return shorter
    return None


class Repeated:
    """The first of so many steps of a run, taken again with their length and with half of it."""

    def __init__(self, stepper: Stepper, step: float, steps: int) -> None:
        self.stepper, self.step, self.steps = stepper, step, steps
        bodies = stepper.mechanism.system.body_count
        self.count = min(steps, MOST_REPEATED // bodies)

    def missed(self) -> tuple[float, str] | None:
        """(rad that the run misses in proportion, by which body); None where steps fail."""
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
            done, angles = end, self.angles(whole, halves)
            if angles.max() > worst:
                worst, body = float(angles.max()), int(angles.argmax())
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

    def angles(self, one: Floats, other: Floats) -> Floats:
        """(n,) By which the bodies of two blocks are turned against each other."""
        width = self.stepper.layout.integrals
        turns = [
            self.stepper.absolute(block[None, :width])[0][:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
            for block in (one, other)
        ]
        return angles_of(turns[0].transpose(0, 2, 1) @ turns[1])


def angles_of(rotations: Floats) -> Floats:
    r"""(T,) Of rotations: $\sin\theta = |\mathrm{vee}(R - R^T)|/2$ is accurate where they are
    small, $\cos\theta = (\mathrm{tr} R - 1)/2$ elsewhere."""
    skew = (rotations - rotations.transpose(0, 2, 1))[:, [2, 0, 1], [1, 2, 0]]
    sine = 0.5 * np.linalg.norm(skew, axis=1)
    found: Floats = np.arctan2(sine, 0.5 * (np.trace(rotations, axis1=1, axis2=2) - 1.0))
    return found
