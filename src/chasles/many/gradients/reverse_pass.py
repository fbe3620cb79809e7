r"""A run, the value of a function of it, and what every kept state weighs in that.

Forward mode carries derivatives along a few directions with every number of a step,

$$ \dot y_{k+1} = \frac{\partial\Phi}{\partial y}\,\dot y_k
   + \frac{\partial\Phi}{\partial p}\,\dot p $$

for the very steps $y_{k+1} = \Phi(y_k, p)$ of the run.  Nothing of the run is kept.  Eight
directions cost two nanoseconds a node, the way back two and a half for any number of them: forward
mode is for a few directions, and for runs too long to be kept.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.many.ensembles.observe import read_program
from chasles.many.gradients.reader import LANES
from chasles.many.gradients.tape import Branch, Tape
from chasles.many.gradients.trajectory import Trajectory, answer_of
from chasles.many.traced.adjoint import adjoint
from chasles.scalars.nodes import Program


class ReversePass:
    """A run of a tape, the value of a function of it, and what its kept states weigh in that.

    block     the first state block
    begins    (first, last, block) of segments
    taken     (first, last, branch) of all steps
    kept      (T,) steps after which the function sees the run
    t         (T,) s
    absolute  (T, n, 18)
    value     of the function
    seeds     (T, width) its derivatives with respect to the kept blocks
    """

    def __init__(self, tape: Tape, function: Callable[[Trajectory], Any], every: int) -> None:
        stepper = tape.stepper
        self.tape, self.block = tape, stepper.first_block()
        self.begins: list[tuple[int, int, Floats]] = []
        self.taken: list[tuple[int, int, Branch]] = []
        self.last_states = np.zeros((1, tape.width))
        table = self.go(every)
        self.t = tape.step * self.kept.astype(float)
        self.absolute = stepper.absolute(np.ascontiguousarray(table[:, : stepper.layout.integrals]))
        run = Trajectory(stepper.solver.setup, self.t, self.absolute)
        self.value, weights = run.weights(answer_of(function, run))
        self.seeds = seeds_of(tape, table, self.t, weights)

    def go(self, every: int) -> Floats:
        """The kept blocks (T, width)."""
        tape, block = self.tape, self.block.copy()
        rows, kept = [block.copy()], [0]
        for first, last in tape.segments():
            self.begins.append((first, last, block.copy()))
            self.last_states = tape.segment(block, first, last)
            self.taken += tape.taken
            block = self.last_states[-1].copy()
            chosen = [k for k in range(first + 1, last + 1) if k % every == 0 or k == tape.steps]
            rows += [self.last_states[k - first].copy() for k in chosen]
            kept += chosen
        self.kept = np.array(kept)
        return np.array(rows)

    def back(self) -> Floats:
        """Weights of the first block; those of parameters add up in the tape."""
        tape, weights = self.tape, np.zeros(self.tape.width)
        for number, (first, last, begin) in enumerate(reversed(self.begins)):
            states = tape.segment(begin, first, last) if number > 0 else self.last_states
            own = np.zeros((last - first, tape.width))
            chosen = (self.kept > first) & (self.kept <= last)
            own[self.kept[chosen] - first - 1] = self.seeds[chosen]
            tape.back(states, first, own, weights)
        return weights + self.seeds[0]


def placing(tape: Tape, block: Floats) -> Program:
    """(block, time, parameters) -> absolute state (n * 18,)."""

    def absolute(mechanism: Any, workspace: Any) -> Any:
        width = mechanism.system.body_count * ABSOLUTE_WIDTH
        return [workspace.absolute[k] for k in range(width)]

    return read_program(tape.stepper, absolute, block, tape.places, signals=False)


def seeds_of(tape: Tape, table: Floats, t: Floats, weights: Floats) -> Floats:
    """Weights of blocks (T, width) from those of poses (T, n, 18); those of parameters add up."""
    program, width, count = placing(tape, table[0]), tape.width, len(tape.parameters)
    chosen = np.flatnonzero(weights.any(axis=(1, 2)))
    constant = np.broadcast_to(tape.parameters, (len(chosen), count))
    inputs = np.concatenate([table[chosen], t[chosen, None], constant], axis=1)
    given = weights[chosen].reshape(len(chosen), weights[0].size)
    rows = adjoint(program).on_arrays(np.concatenate([inputs, given], axis=1).T).T
    tape.totals[:count] += rows[:, width + 1 :].sum(axis=0)
    found = np.zeros(table.shape)
    found[chosen] = rows[:, :width]
    return found


def along_directions(reverse_pass: ReversePass, blocks: Floats, parameters: Floats) -> Floats:
    """Derivatives (p,) of the sum of seeds times kept blocks.

    `blocks` (width, p) and `parameters` (P, p) are the directions.
    """
    count = blocks.shape[1]
    lanes = [np.pad(one, ((0, 0), (0, -count % LANES))) for one in (blocks, parameters)]
    parts = [in_lanes(reverse_pass, *(one[:, first : first + LANES] for one in lanes))
             for first in range(0, count, LANES)]  # fmt: skip
    return np.concatenate(parts)[:count]


def in_lanes(reverse_pass: ReversePass, slope: Floats, parameters: Floats) -> Floats:
    """The same along LANES directions."""
    tape = reverse_pass.tape
    seeds = dict(zip(reverse_pass.kept.tolist(), reverse_pass.seeds, strict=True))
    still, now = np.zeros((2, LANES)), reverse_pass.block
    total: Floats = seeds[0] @ slope
    for begin, end, branch in reverse_pass.taken:
        for k in range(begin, end):
            times = tape.step * k, tape.step * (k + 1)
            found = branch.lanes.evaluate(
                np.concatenate([now, times, tape.parameters]),
                np.concatenate([slope, still, parameters]),
            )
            assert found is not None, "guards held when the run was taken"
            now, slope = found, branch.lanes.output_slopes()
            if k + 1 in seeds:
                total = total + seeds[k + 1] @ slope
    return total
