"""Everything that survives a step, in one flat array with a named layout.

A rollback, a side step to a wanted time, a restart, a file, an ensemble (N, width): each is a copy.
The first `kept` numbers are the point at which the equations of motion are evaluated, and what a
history keeps.
"""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import Floats

#: Energy that went into the bodies, and how much was exchanged in all (J).
SUPPLIED, EXCHANGED, SUPPLY_WIDTH = 0, 1, 2
#: The kinetic energy at the start (J); the largest share of the exchanged energy that the balance
#: misses and since when it is too large (s); the largest gap as a multiple of what was promised,
#: its row of J, and since when; the largest share of its acceleration that a row misses, its number
#: and since when; the widest gap itself (m or rad) and its row; the potential energy at the last
#: look (J).
AT_START, WORST_SHARE, UNBALANCED_SINCE = 0, 1, 2
WORST_GAP, OPEN_ROW, OPEN_SINCE = 3, 4, 5
WORST_MISS, MISSED_ROW, MISSED_SINCE = 6, 7, 8
WIDEST_GAP, WIDEST_ROW = 9, 10
POTENTIAL, ALARM_WIDTH = 11, 12
#: Since when, as long as all is well.
NEVER = -1.0


class Layout(NamedTuple):
    """Where the parts of a state block begin."""

    coordinates: int  # stored numbers of the pairs, then velocities
    integrals: int  # (quadratures,) work of forces and drivers, unwrapped angles
    supply: int  # (SUPPLY_WIDTH,)
    floating: int  # path, momentum and spin of what floats (see `recursion.floating`)
    multipliers: int  # (rows,) lambda of a method that has its own, as it found them
    kept: int  # so long is the point
    carry: int  # two per velocity, and what floats: what rounding took from sums so far
    history: int  # what a method keeps from step to step
    seen: int  # (watched joints, SEEN_WIDTH)
    fastest: int  # (1,) largest rate of a driver so far, in sizes per second (see `AccuracyLimits`)
    # (rows,) 1 for rows that have a multiplier, where some are chosen (see `selecting`)
    chosen: int
    alarm: int  # (ALARM_WIDTH,) see `step_checks`
    removed: int  # (1,) the largest miss of a constant row that was taken from velocities
    width: int


def make_layout(
    coordinates: int, integrals: int, carry: int, seen: int, *, floating: int = 0, chosen: int = 0,
    multipliers: int = 0, history: int = 0,
) -> Layout:  # fmt: skip
    """The layout of blocks whose parts have these sizes.

    `multipliers` and `history` are what a method keeps beside it.
    """
    sizes = (
        coordinates, integrals, SUPPLY_WIDTH, floating, multipliers, 0, carry, history, seen, 1,
        chosen, ALARM_WIDTH, 1,
    )  # fmt: skip
    starts = np.concatenate(([0], np.cumsum(sizes))).tolist()
    return Layout(*starts)


class StateBlock(NamedTuple):
    """A state block as Python sees it: views of one array."""

    block: Floats
    layout: Layout

    def coordinates(self) -> Floats:
        """Whatever places and moves the bodies, flat."""
        return self.block[: self.layout.integrals]

    def integrals(self) -> Floats:
        return self.block[self.layout.integrals : self.layout.supply]

    def seen(self) -> Floats:
        return self.block[self.layout.seen : self.layout.fastest]

    def alarm(self) -> Floats:
        return self.block[self.layout.alarm : self.layout.removed]
