"""A recorded step that is gone through forwards and back: as machine code, or as a list.

Machine code is some eight times as fast, but takes 0.3 ms to make for every node, and every branch
of a model needs its own.  A list is read at once.
"""

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.listing import listing_of
from chasles.many.gradients.reader_ir import BACK as BACK_READ
from chasles.many.gradients.reader_ir import LANES, SLOPES, VALUES, reader_ir
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.loop_ir import BACK, back_ir
from chasles.many.traced.machine import Code, compiled
from chasles.many.traced.record import Recording
from chasles.many.traced.running import NUMBER, POINTER, WHOLE, MachineCode, machine_code
from chasles.scalars.nodes import Program

BACK_SIGNATURE = (POINTER,) * 5 + (NUMBER,) * 2 + (WHOLE,) * 2


# --- lists ---


@cache
def readers() -> tuple[Any, dict[str, Any]]:
    """The loops in memory: the same for all models, made once in a tenth of a second."""
    code = compiled(reader_ir())
    kinds = (POINTER,) * 4 + (WHOLE,)
    return code, {name: code.function(name, *kinds) for name in (VALUES, SLOPES, BACK_READ)}


class ListEvaluator:
    """A program to be read; with `lanes` it carries derivatives along, without it goes back."""

    def __init__(self, program: Program, lanes: bool = False) -> None:
        self.listing = listing = listing_of(program, reuse=lanes)
        self.values = np.zeros(listing.size)
        self.values[listing.constants] = listing.numbers
        self.slopes = np.zeros((listing.size, LANES) if lanes else listing.size)
        first = len(listing.constants)
        self.inputs = slice(first, first + program.inputs)
        self.constants = slice(0, first)
        self._arguments = (
            self.values.ctypes.data, self.slopes.ctypes.data, listing.rows.ctypes.data,
            listing.runs.ctypes.data, len(listing.runs),
        )  # fmt: skip
        self._readers = readers()[1]

    def evaluate(
        self, inputs: Floats | Sequence[float], slopes: Floats | None = None
    ) -> Floats | None:
        """The outputs, or None where a guard fails.

        `slopes` (inputs, LANES) are those along which they are differentiated, if they are, and
        `output_slopes` what becomes of them.
        """
        self.values[self.inputs] = inputs
        if slopes is not None:
            self.slopes[self.inputs] = slopes
        self._readers[VALUES if slopes is None else SLOPES](*self._arguments)
        if not self.listing.holds(self.values):
            return None
        found: Floats = self.values[self.listing.outputs]
        return found

    def output_slopes(self) -> Floats:
        found: Floats = self.slopes[self.listing.outputs]
        return found

    def back(self, weights: Floats) -> Floats:
        """Weights of the inputs from those of the outputs, at what was evaluated last."""
        np.add.at(self.slopes, self.listing.outputs, weights)
        self._readers[BACK_READ](*self._arguments)
        found: Floats = self.slopes[self.inputs].copy()
        self.slopes[self.inputs] = 0.0
        self.slopes[self.constants] = 0.0
        return found


# --- steps ---


class Branch:
    """A recorded step with parameters, by machine code."""

    def __init__(self, recording: Recording, parameters: Floats, step: float) -> None:
        self.recording, self.parameters, self.step = recording, parameters, step
        self.given = np.append(parameters, 0.0)

    @cached_property
    def code(self) -> MachineCode:
        return machine_code(self.recording, self.recording.width)

    @cached_property
    def adjoint_code(self) -> tuple[Code, Any]:
        return adjoint_code(self.recording)

    @cached_property
    def lanes(self) -> ListEvaluator:
        """The step with derivatives carried along."""
        return ListEvaluator(self.recording.step, lanes=True)

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        """Steps from `index` on while guards hold: the step reached.

        `now` becomes the state there; the state after step k goes to row k - first of `states`.
        """
        grid = (0.0, self.step, index, last, 2**62)
        return self.code.of_one(now, self.given, states, grid, 1, first)

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        """Back along steps from states (count, width); weights of the last state become those of
        the first, seeds (count, width) join them, and totals grow by those of parameters.
        """
        arrays = states, self.given, np.ascontiguousarray(seeds), weights, totals
        run = self.adjoint_code[1]
        run(*(x.ctypes.data for x in arrays), 0.0, self.step, begin, len(states))


@lru_cache(maxsize=64)
def adjoint_code(recording: Recording) -> tuple[Code, Any]:
    """Machine code of the adjoint, which is kept alive, and its function."""
    program = adjoint(recording.step)
    code = compiled(back_ir(program, recording.width, recording.parameters))
    return code, code.function(BACK, *BACK_SIGNATURE)


class ListedBranch(Branch):
    """By reading a list: one that keeps all its numbers for the way back, or the one with lanes."""

    def __init__(
        self, recording: Recording, parameters: Floats, step: float, returns: bool
    ) -> None:
        super().__init__(recording, parameters, step)
        self.evaluator = ListEvaluator(recording.step) if returns else self.lanes

    def inputs(self, state: Floats, index: int) -> Floats:
        times = self.step * index, self.step * (index + 1)
        return np.concatenate([state, times, self.parameters])

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        for k in range(index, last):
            found = self.evaluator.evaluate(self.inputs(now, k))
            if found is None:
                return k
            now[:] = found
            states[k + 1 - first] = now
        return last

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        width, count = self.recording.width, len(self.parameters)
        for k in range(len(states) - 1, -1, -1):
            self.evaluator.evaluate(self.inputs(states[k], begin + k))
            found = self.evaluator.back(weights + seeds[k])
            weights[:] = found[:width]
            totals[:count] += found[len(found) - count :]
