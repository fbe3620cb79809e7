"""Where a run stands after a whole step: all that it takes to go on with the same bits."""

from dataclasses import dataclass

from chasles.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state block after step `index` of the grid origin + step * k, and what inputs hold.

    block   (width,) see `core.state_block`
    inputs  (motors,) in the model's order
    events  (k, 2) times and rows of the singular poses met so far
    """

    block: Floats
    origin: float
    step: float
    index: int
    inputs: Floats
    events: Floats

    @property
    def time(self) -> float:
        """s"""
        return self.origin + self.step * self.index
