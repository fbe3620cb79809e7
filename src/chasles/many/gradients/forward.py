r"""Forward mode: derivatives along a few directions, carried along with every number of a step.

$$ \dot y_{k+1} = \frac{\partial\Phi}{\partial y}\,\dot y_k
   + \frac{\partial\Phi}{\partial p}\,\dot p $$

for the very steps $y_{k+1} = \Phi(y_k, p)$ of the run.  Nothing of the run is kept.  Eight
directions cost two nanoseconds a node, the way back two and a half for any number of them: forward
mode is for a few directions, and for runs too long to be kept.
"""

from collections.abc import Sequence

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.journey import Journey
from chasles.many.gradients.reader_ir import LANES


def along_directions(journey: Journey, blocks: Floats, parameters: Floats) -> Floats:
    """Derivatives (p,) of the sum of seeds times kept blocks.

    `blocks` (width, p) and `parameters` (P, p) are the directions.
    """
    count = blocks.shape[1]
    found = np.zeros(count)
    for first in range(0, count, LANES):
        chosen = slice(first, min(first + LANES, count))
        lanes = [np.zeros((len(one), LANES)) for one in (blocks, parameters)]
        for lane, one in zip(lanes, (blocks, parameters), strict=True):
            lane[:, : chosen.stop - first] = one[:, chosen]
        found[chosen] = in_lanes(journey, lanes)[: chosen.stop - first]
    return found


def in_lanes(journey: Journey, lanes: Sequence[Floats]) -> Floats:
    """The same along LANES directions."""
    course, seeds = journey.course, dict(zip(journey.kept.tolist(), journey.seeds, strict=True))
    width, now, slope = course.width, journey.block, lanes[0]
    total: Floats = seeds[0] @ slope
    for begin, end, branch in journey.taken:
        carried = branch.carried[: len(branch.recording.carried)]
        constant = np.zeros((2 + len(carried), LANES))  # times, and what is carried
        for k in range(begin, end):
            times = course.step * k, course.step * (k + 1)
            found = branch.lanes.evaluate_with_slopes(
                np.concatenate([now, times, carried, course.parameters]),
                np.concatenate([slope, constant, lanes[1]]),
            )
            assert found is not None, "guards held when the run was taken"
            now, carried = found[:width], found[width:]
            slope = branch.lanes.output_slopes()[:width]
            if k + 1 in seeds:
                total = total + seeds[k + 1] @ slope
    return total
