"""Functions of time of a model, sampled together for the kernels."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from chasles.core.arrays import Floats

Check = Callable[[Floats, Floats], None]


@dataclass
class SignalList:
    """The columns of a table of signals: the time, then what was added, in that order."""

    samplers: list[Callable[[Floats], Floats]] = field(default_factory=list)
    checks: list[tuple[int, int, Check]] = field(default_factory=list)
    count: int = 0

    def add(
        self, sampler: Callable[[Floats], Floats], width: int, check: Check | None = None
    ) -> int:
        """Add `width` columns that `sampler(times)` (T, width) fills; their first number.

        During a run `check(times, columns)` may refuse what it finds at its stages.
        """
        self.count = max(self.count, 1)
        first = self.count
        self.samplers.append(sampler)
        self.count += width
        if check is not None:
            self.checks.append((first, self.count, check))
        return first

    def arrays(self):
        from chasles.core.signals import Signals

        return Signals(self.count)

    def need_time(self) -> None:
        """The time itself is wanted, by a user's formula."""
        self.count = max(self.count, 1)

    def sample(self, times: Floats) -> Floats:
        """The table (T, count)."""
        columns = [times[:, None], *(sampler(times) for sampler in self.samplers)]
        return np.ascontiguousarray(np.hstack(columns)[:, : self.count], np.float64)

    def sample_run(self, times: Floats) -> Floats:
        """The table at the stages of consecutive steps, looked through."""
        table = self.sample(times)
        for first, end, check in self.checks:
            check(times, table[:, first:end])
        return table
