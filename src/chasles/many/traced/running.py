"""Recorded steps as machine code that Python calls: of one system, or of packs of them in lanes.

Recordings of the last calls are kept: to record a step and to compile it takes longer than many
runs.
"""

import ctypes
import hashlib
from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.traced.loop_ir import ARRAYS, PACKS, packs_ir, run_ir
from chasles.many.traced.machine import compiled
from chasles.many.traced.record import Recording
from chasles.scalars.nodes import Program

POINTER, NUMBER, WHOLE = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
TIMES = (NUMBER,) * 2 + (WHOLE,) * 5
Grid = tuple[float, float, int, int, int]  # origin, step, first, last, end
#: Machine code that is kept in memory: to write it out takes longer than a short run.
KEPT = 64


class MachineCode:
    """Steps of packs of systems in lanes, or of one system."""

    def __init__(self, text: str) -> None:
        self.code = compiled(text)  # keeps the function alive
        self.run = self.code.function(PACKS, *(POINTER,) * len(ARRAYS), *(WHOLE,) * 2, *TIMES)

    def __call__(
        self, states: Floats, parameters: Floats, saved: Floats, observed: Floats, grid: Grid,
        every: int, first_row: int,
    ) -> Any:  # fmt: skip
        """Arrays (packs, numbers, lanes) in place: the steps reached."""
        packs, _, lanes = states.shape
        reached = np.zeros(packs * lanes, np.int64)
        arrays = (states, parameters, saved, reached, observed)
        given = (x.ctypes.data for x in arrays)
        self.run(*given, packs, saved.shape[1], *grid, every, first_row)
        return reached

    def of_one(
        self, block: Floats, parameters: Floats, saved: Floats, grid: Grid, every: int = 2**62,
        first_row: int = 0,
    ) -> int:  # fmt: skip
        """Steps while guards hold, in place: the step reached."""
        alone = block.reshape(1, -1, 1)
        return int(self(alone, parameters, saved[None], alone, grid, every, first_row)[0])


class Variant(NamedTuple):
    """A recording of the step, and its machine code: of one system, of packs, or for a device."""

    recording: Recording
    code: Any


@lru_cache(maxsize=KEPT)
def machine_code(
    recording: Recording, kept: int, contract: bool = False, lanes: int = 1,
    observe: Program | None = None,
) -> MachineCode:  # fmt: skip
    """Of one system, or of packs of several."""
    text = run_ir(recording, kept, lanes, contract, observe)
    return MachineCode(text + packs_ir(recording, kept, lanes, observe))


#: Models of which recordings are kept.
MOST = 16


class Shelf:
    """Lists of recordings by a digest of all that they depend on; the last used ones stay."""

    def __init__(self) -> None:
        self.lists: OrderedDict[str, list[Any]] = OrderedDict()

    def of(self, *parts: Any) -> list[Any]:
        """The list of what is told by its bytes, or by its repr."""
        contents = (part if isinstance(part, bytes) else repr(part).encode() for part in parts)
        key = hashlib.sha256(b"|".join(contents)).hexdigest()
        found = self.lists.setdefault(key, [])
        self.lists.move_to_end(key)
        while len(self.lists) > MOST:
            self.lists.popitem(last=False)
        return found
