"""A recorded step that is gone through forwards and back: as machine code, or as a list.

Machine code is some eight times as fast, but takes 0.3 ms to make for every node, and every branch
of a model needs its own.  A list is read at once.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.list_evaluator import ListEvaluator
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.back_ir import BACK, back_ir
from chasles.many.traced.machine import Code, compiled
from chasles.many.traced.record import Recording
from chasles.many.traced.running import NUMBER, POINTER, WHOLE, machine_code
from chasles.scalars.nodes import Program, places_of

BACK_SIGNATURE = (POINTER,) * 6 + (NUMBER,) * 2 + (WHOLE,) * 2


@dataclass
class Branch:
    """A recorded step, and what stands beside the block where it was recorded.

    If it `returns`, a list keeps what the way back needs.
    """

    recording: Recording
    carried: Floats
    parameters: Floats
    step: float
    returns: bool

    def __post_init__(self) -> None:
        """Make what each kind goes by."""

    @cached_property
    def lanes(self) -> ListEvaluator:
        """The step with derivatives carried along."""
        return ListEvaluator(self.recording.step, lanes=True)

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        """Steps from `index` on while guards hold: the step reached.

        `now` becomes the state there; the state after step k goes to row k - first of `states`.
        """
        raise NotImplementedError

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        """Back along steps from states (count, width); weights of the last state become those of
        the first, seeds (count, width) join them, and totals grow by those of parameters.
        """
        raise NotImplementedError


@lru_cache(maxsize=64)
def adjoint_code(step: Program, width: int, carried: int, parameters: int) -> tuple[Code, Any]:
    """Machine code of the adjoint, which is kept alive, and its function."""
    code = compiled(back_ir(adjoint(step), width, carried, parameters))
    return code, code.function(BACK, *BACK_SIGNATURE)


class CompiledBranch(Branch):
    """By machine code."""

    def __post_init__(self) -> None:
        self.code = machine_code(self.recording, self.recording.width)
        self.given = np.append(self.parameters, 0.0)

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        grid = (0.0, self.step, index, last, 2**62)
        return self.code.of_one(now, self.carried, self.given, states, grid, 1, first)[0]

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        recording = self.recording
        _, run = adjoint_code(
            recording.step, recording.width, len(recording.carried), recording.parameters
        )
        arrays = states, self.carried, self.given, np.ascontiguousarray(seeds), weights, totals
        run(*(x.ctypes.data for x in arrays), 0.0, self.step, begin, len(states))


class ListedBranch(Branch):
    """By reading a list: one that keeps all its numbers for the way back, or the one with lanes."""

    def __post_init__(self) -> None:
        self.evaluator = ListEvaluator(self.recording.step) if self.returns else self.lanes

    def inputs(self, state: Floats, index: int) -> Floats:
        times = self.step * index, self.step * (index + 1)
        return np.concatenate([state, times, self.carried, self.parameters])

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        width = self.recording.width
        for k in range(index, last):
            found = self.evaluator.evaluate(self.inputs(now, k))
            if found is None:
                return k
            now[:], self.carried = found[:width], found[width:]
            states[k + 1 - first] = now
        return last

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        width, count = self.recording.width, len(self.parameters)
        behind = np.zeros(len(self.carried))
        for k in range(len(states) - 1, -1, -1):
            self.evaluator.evaluate(self.inputs(states[k], begin + k))
            found = self.evaluator.back(np.concatenate([weights + seeds[k], behind]))
            weights[:] = found[:width]
            totals[:count] += found[len(found) - count :]


def depends_on_guesses(recording: Recording) -> bool:
    """Whether states depend on what a step leaves behind beside them, and not only audits do."""
    first = recording.width + 2  # behind the block and the times
    touched = set(range(first, first + len(recording.carried)))
    for k, node in enumerate(recording.step.nodes, recording.step.inputs):
        if not touched.isdisjoint(places_of(node.operands)):
            touched.add(k)
    return not touched.isdisjoint(places_of(recording.step.outputs[: recording.width]))
