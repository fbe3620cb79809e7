"""Where a run stands after a whole step: all that it takes to go on with the same bits."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from chasles.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state block after step `index` of the grid origin + step * k, and what inputs hold.

    block   (width,) see `core.state_block`
    inputs  (motors,) in the model's order
    events  (k, 2) times and rows of the singular poses met so far
    counted (3,) evaluations, iterations and factorisations so far
    """

    block: Floats
    origin: float
    step: float
    index: int
    inputs: Floats
    events: Floats
    counted: Floats = field(default_factory=lambda: np.zeros(3))

    def as_plain(self) -> tuple[dict[str, Any], Floats]:
        """Words for JSON, and all numbers in one array."""
        parts = self.block, self.inputs, self.events.ravel(), self.counted
        words = {
            "sizes": [part.size for part in parts],
            "origin": self.origin.hex(), "step": self.step.hex(), "index": self.index,
        }  # fmt: skip
        return words, np.concatenate(parts)

    @classmethod
    def from_plain(cls, words: Any, numbers: Floats) -> Self:
        block, inputs, events, *counted = np.split(numbers, np.cumsum(words["sizes"])[:-1])
        origin, step = float.fromhex(words["origin"]), float.fromhex(words["step"])
        return cls(
            block.copy(), origin, step, int(words["index"]), inputs.copy(),
            events.reshape(-1, 2).copy(), *(part.copy() for part in counted),
        )  # fmt: skip

    def as_text(self) -> str:
        """All of it as JSON, the numbers as their bytes in base 64."""
        words, numbers = self.as_plain()
        code = b64encode(numbers.astype("<f8").tobytes()).decode()
        return json.dumps({**words, "numbers": code})

    @classmethod
    def from_text(cls, text: str) -> Self:
        words = json.loads(text)
        return cls.from_plain(words, np.frombuffer(b64decode(words["numbers"]), "<f8"))

    @property
    def time(self) -> float:
        """s"""
        return self.origin + self.step * self.index
