r"""A body that turns far in a step: is the motion right, though its energy is?

A body that tumbles freely keeps its energy and its momentum to a percent with steps of a radian,
while its attitude is lost: the errors of its velocity are small and turn it on and on.  Nothing
that a run looks at on its way shows that.  So where a body that tumbles turns by FAR or more in a
step, at the start or at the end, or by less in very many, the first steps of the run are repeated,
as they were and with half the step (see `half_steps`).
"""

import numpy as np

from chasles.run.half_steps import angles_between, can_be_repeated, missed_by, step_that_would_do
from chasles.run.loop import Ended

#: rad in a step from which on a run is looked at; below, a thousand steps of order 2 miss a degree.
FAR = 0.25
#: rad by which an attitude is lost: three degrees.
LOST = 0.05


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
        missed = missed_by(run, angles_between)
    if missed is None or missed[0] <= LOST:
        return []
    angle, body = missed
    better = step_that_would_do(run, angles_between, LOST)
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
