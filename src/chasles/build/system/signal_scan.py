"""Whether functions of time can be followed: judged by the motion, not by how a run is cut.

Steps are looked through in blocks by their numbers, with a step more on either side, so that every
pair of neighbouring stages is judged once, with all its neighbours, whatever came before it.
"""

from dataclasses import dataclass, field

import numpy as np

from chasles.build.system.signals import SignalList
from chasles.core.arrays import Floats, Integers
from chasles.model import ChaslesError

#: Steps in a block; how many times tell the size of a motion.
BLOCK, SAMPLES = 4096, 257
#: Rows that are asked for at once.
AT_ONCE = 256


@dataclass
class SignalScan:
    """Looks through the signals at the stages of a run of equal steps, t_n = origin + n step."""

    signals: SignalList
    step: float
    nodes: Floats  # c of the tableau
    steps: int
    origin: float = 0.0
    blocks: dict[int, tuple[int, ChaslesError] | None] = field(default_factory=dict)
    largest: Floats = field(init=False)  # (columns,) on the way

    def __post_init__(self) -> None:
        self.signals.confront_steps(self.step, self.steps, self.origin)
        glances = self.origin + np.linspace(0.0, self.step * self.steps, SAMPLES)
        table = np.abs(self.signals.rows(glances))
        self.largest = np.where(np.isfinite(table), table, 0.0).max(axis=0)

    def trouble(self, first: int, end: int) -> tuple[int, ChaslesError] | None:
        """The first of some steps that cannot be taken, and why."""
        for block in range(first // BLOCK, (end - 1) // BLOCK + 1):
            if block not in self.blocks:
                self.blocks[block] = self.judged(block)
            found = self.blocks[block]
            if found is not None and found[0] < end:
                return found
        return None

    def times(self, numbers: Integers) -> tuple[Floats, Integers]:
        """The times of all stages of some steps and of their end, and the steps they belong to.

        The time at which a step begins belongs to the step before.
        """
        stages = (self.origin + numbers[:, None] * self.step) + self.step * self.nodes
        owners = np.where(self.nodes > 0.0, numbers[:, None], np.maximum(numbers[:, None] - 1, 0))
        times = np.append(stages.ravel(), self.origin + (numbers[-1] + 1) * self.step)
        return times, np.append(owners.ravel(), numbers[-1])

    def judged(self, block: int) -> tuple[int, ChaslesError] | None:
        first, end = block * BLOCK, min((block + 1) * BLOCK, self.steps)
        numbers = np.arange(max(first - 1, 0), min(end + 1, self.steps))
        times, owners = self.times(numbers)
        table = self.rows_to_failure(times, (owners >= first) & (owners < end))
        times, owners = times[: len(table)], owners[: len(table)]
        finite = np.isfinite(table).all(axis=1)
        found = []
        ours = ~finite & (owners >= first) & (owners < end)
        if ours.any():
            at = int(np.argmax(ours))
            found.append((int(owners[at]), self.signals.failure(times[at : at + 1])))
        times, owners, table = times[finite], owners[finite], table[finite]
        begins = self.origin + first * self.step if first else -np.inf
        for broken in self.breaks(times, table):
            if broken[0] > begins:  # else the block before has found it
                found.append((int(owners[np.argmax(times == broken[0])]), broken[1]))
        found = [(step, error) for step, error in found if step < end]
        return min(found, key=lambda item: item[0]) if found else None

    def rows_to_failure(self, times: Floats, ours: np.ndarray) -> Floats:
        """Rows at some times, in order, to soon after the first of ours that is not finite.

        Calls that fail are slow, and the run stops at the first.
        """
        pieces = []
        for first in range(0, len(times), AT_ONCE):
            span = slice(first, first + AT_ONCE)
            pieces.append(self.signals.rows(times[span]))
            if (~np.isfinite(pieces[-1]).all(axis=1) & ours[span]).any():
                break
        return np.concatenate(pieces)

    def breaks(self, times: Floats, table: Floats) -> list[tuple[float, ChaslesError]]:
        """The first break of every motion that has one at some times, and why it is refused."""
        found = []
        for first, last, motion in self.signals.motions:
            broken = motion.first_break(times, table[:, first:last], self.largest[first:last])
            if broken is not None:
                found.append(broken)
        return found

    def sampled(self, times: Floats) -> Floats:
        """The rows at the stages of one step of another length, looked through."""
        table = self.signals.sample(times)
        for _, error in self.breaks(times, table):
            raise error
        return table
