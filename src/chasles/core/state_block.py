"""Everything that survives a step, in one flat array with a named layout.

A rollback, a side step to a wanted time, a restart, a file, an ensemble (N, width): each is a copy.
The first `kept` numbers are the point at which the equations of motion are evaluated, and what a
history keeps.
"""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import CHART_WIDTH, Floats, System

#: Per body: what rounding took from position and velocity so far.
CARRY_WIDTH = 9
#: Energy that went into the bodies, and how much was exchanged in all (J).
SUPPLIED, EXCHANGED, SUPPLY_WIDTH = 0, 1, 2
#: The kinetic energy at the start (J); the largest share of the exchanged energy that the balance
#: misses and since when it is too large (s); the largest gap as a multiple of what was promised,
#: its row of J, and since when; the largest share of its acceleration that a row misses, its number
#: and since when; the widest gap itself (m or rad) and its row; of a tree its potential energy at
#: the last look (J).
AT_START, WORST_SHARE, UNBALANCED_SINCE = 0, 1, 2
WORST_GAP, OPEN_ROW, OPEN_SINCE = 3, 4, 5
WORST_MISS, MISSED_ROW, MISSED_SINCE = 6, 7, 8
WIDEST_GAP, WIDEST_ROW = 9, 10
POTENTIAL, ALARM_WIDTH = 11, 12
#: Whether all rows have been independent since the start, and whether the next step may be solved
#: without damping; steps that were solved with it (see `regime`).
FREED, PLAIN, DAMPED_STEPS, REGIME_WIDTH = 0, 1, 2, 3
#: Since when, as long as all is well.
NEVER = -1.0


class Layout(NamedTuple):
    """Where the parts of a state block begin; n bodies, on charts or in coordinates of a tree."""

    chart: int  # (n, CHART_WIDTH); of a tree its stored numbers and velocities
    integrals: int  # (quadratures,) work of forces and drivers, unwrapped angles
    supply: int  # (SUPPLY_WIDTH,)
    flight: int  # of a tree: path, momentum and spin of what floats (see `recursion.flight`)
    multipliers: int  # (rows,) lambda of a method that has its own, as it found them
    kept: int  # so long is the point
    carry: int  # (n, CARRY_WIDTH); of a tree two per degree of freedom
    history: int  # what a method keeps from step to step
    momentum: int  # (floating systems, 3)
    seen: int  # (watched joints, SEEN_WIDTH)
    fastest: int  # (1,) largest rate of a driver so far, in sizes per second (see `Promises`)
    regime: int  # (REGIME_WIDTH,) see `regime`
    alarm: int  # (ALARM_WIDTH,) see `judge`
    removed: int  # (n,) the largest opening, in sizes or rad, that a projector kept a step from
    width: int


def make_layout(
    system: System, floating: int, seen: int, multipliers: int = 0, history: int = 0
) -> Layout:
    """The layout of a model with so many floating systems and so many numbers that watch it.

    `multipliers` and `history` are what a method keeps beside it.
    """
    bodies = system.body_count
    return layout_of(
        CHART_WIDTH * bodies, system.quadrature_count, CARRY_WIDTH * bodies, floating, seen, bodies,
        multipliers=multipliers, history=history,
    )  # fmt: skip


def layout_of(
    coordinates: int, integrals: int, carry: int, floating: int, seen: int, confined: int = 0,
    flight: int = 0, multipliers: int = 0, history: int = 0,
) -> Layout:  # fmt: skip
    """The layout of blocks whose parts have these sizes."""
    sizes = (
        coordinates, integrals, SUPPLY_WIDTH, flight, multipliers, 0, carry, history, 3 * floating,
        seen, 1, REGIME_WIDTH, ALARM_WIDTH, confined,
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

    def chart(self) -> Floats:
        """(n, CHART_WIDTH)"""
        return self.block[: self.layout.integrals].reshape(-1, CHART_WIDTH)

    def integrals(self) -> Floats:
        return self.block[self.layout.integrals : self.layout.supply]

    def momentum(self) -> Floats:
        return self.block[self.layout.momentum : self.layout.seen].reshape(-1, 3)

    def seen(self) -> Floats:
        return self.block[self.layout.seen : self.layout.fastest]

    def regime(self) -> Floats:
        return self.block[self.layout.regime : self.layout.alarm]

    def alarm(self) -> Floats:
        return self.block[self.layout.alarm : self.layout.removed]

    def removed(self) -> Floats:
        """(n,)"""
        return self.block[self.layout.removed : self.layout.width]
