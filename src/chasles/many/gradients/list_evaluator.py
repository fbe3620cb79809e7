"""Evaluation of a listing: forward, in reverse, or with derivatives in lanes."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.listing import listing_of
from chasles.many.gradients.reader_ir import BACK, LANES, SLOPES, VALUES, reader_ir
from chasles.many.traced.machine import compiled
from chasles.many.traced.running import POINTER, WHOLE
from chasles.scalars.nodes import Program


@cache
def readers() -> tuple[Any, dict[str, Any]]:
    """The loops in memory: the same for all models, made once in a tenth of a second."""
    code = compiled(reader_ir())
    kinds = (POINTER,) * 4 + (WHOLE,)
    return code, {name: code.function(name, *kinds) for name in (VALUES, SLOPES, BACK)}


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
        self._readers[BACK](*self._arguments)
        found: Floats = self.slopes[self.inputs].copy()
        self.slopes[self.inputs] = 0.0
        self.slopes[self.constants] = 0.0
        return found
