"""Members in the lanes of registers, on all cores; those whose guards fail are handed on.

All members begin at step 0.  A recorded step takes those that it can as far as it can; members that
stop are grouped by the step they have reached.  What holds up many is recorded anew, what holds up
few is taken by the generic kernel for a few steps, and then they come back.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.many.ensembles.finish import Finisher, in_threads
from chasles.many.ensembles.members import Members, records_of
from chasles.many.traced.loop_ir import ACCUMULATED
from chasles.many.traced.machine import Shelf, Variant, machine_code
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.scalars.nodes import Program

#: Recordings of an ensemble, at the most.
MOST_VARIANTS = 8
#: A share of all members that stops together is worth a recording.
WORTH = 0.02
#: Members in one piece of work of a thread.
PIECE = 512


@cache
def lane_count() -> int:
    """Doubles in a register; registers of 512 bits where there are any."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4


SHELF = Shelf()


class EnsembleState:
    """Where all members stand: at the start, to begin with.

    at        (members,) steps taken
    going     (members,) whether they are on their way
    strikes   (members,) how often the generic kernel had to help
    points    (members, rows, kept) what is kept, or of no rows where quantities are observed
    observed  (members, quantities, ACCUMULATED) largest, smallest, sum, last
    """

    def __init__(
        self, members: Members, step: float, steps: int, every: int, points: Floats,
        observe: Program | None = None,
    ) -> None:  # fmt: skip
        count = len(members.blocks)
        self.members, self.step, self.steps, self.every = members, step, steps, every
        self.blocks, self.points, self.observe = members.blocks, points, observe
        quantities = 0 if observe is None else len(observe.outputs)
        self.observed = np.zeros((count, quantities, ACCUMULATED))
        self.observed[:, :, 0], self.observed[:, :, 1] = -np.inf, np.inf
        self.at, self.strikes = np.zeros((2, count), np.int64)
        self.going: Any = np.array([not status for status in members.status])
        self.in_lanes, self.otherwise = 0, 0  # steps
        self.look(np.flatnonzero(self.going))

    def look(self, group: Integers) -> None:
        """Count what is observed of members where they stand now, which no step does for them."""
        if self.observe is None:
            return
        for k in range(0, len(group), PIECE):
            own = group[k : k + PIECE]
            times, parameters = self.step * self.at[own], self.members.parameters[own]
            inputs = np.column_stack((self.blocks[own], times, parameters))
            values, table = self.observe.on_arrays(inputs.T).T, self.observed[own]
            self.observed[own] = np.stack(
                (
                    np.fmax(table[..., 0], values), np.fmin(table[..., 1], values),
                    table[..., 2] + values, values,
                ),
                axis=2,
            )  # fmt: skip

    def look_at_the_end(self) -> None:
        """Count the last step, where it is not one of every so many."""
        if self.steps % self.every:
            self.look(np.flatnonzero(self.at == self.steps))


@dataclass
class LaneRun:
    """The runs of all members."""

    state: EnsembleState
    finisher: Finisher
    threads: int
    contract: bool = False
    lanes: int = field(default_factory=lane_count)
    refusal: str = ""
    least_steps: int = 0  # of all members that wait, for which a recording pays back

    def __post_init__(self) -> None:
        """Recordings of an ensemble that differs in nothing but its members are taken up again."""
        state = self.state
        self.variants: list[Variant] = SHELF.of(
            state.members.constants, self.device, state.step, state.points.shape[2],
            state.observe, self.lanes, self.contract,
        )  # fmt: skip

    @property
    def device(self) -> str:
        """Where they run."""
        return "cpu"

    def go(self) -> None:
        """All members to their end."""
        state = self.state
        while state.going.any():
            first = int(state.at[state.going].min())
            group = np.flatnonzero(state.going & (state.at == first))
            left = self.through_lanes(group, first)
            if len(left) and not self.records(left, first):
                self.otherwise(left)

    def through_lanes(self, group: Integers, first: int) -> Integers:
        """Let every recording take what it can of a group; those that none has moved."""
        state, left = self.state, group
        for variant in tuple(self.variants):
            if not len(left) or first >= state.steps:
                break
            self.take(variant, left, first)
            left = left[state.going[left] & (state.at[left] == first)]
        return left

    def take(self, variant: Variant, group: Integers, first: int) -> None:
        pieces = [group[k : k + PIECE] for k in range(0, len(group), PIECE)]

        def work(piece: Integers) -> None:
            self.piece(variant, piece, first)

        in_threads(self.threads, work, pieces)

    def rows_from(self, first: int) -> int:
        """Rows that are kept after a step."""
        state = self.state
        kept = state.points.shape[1] - 1 - first // state.every
        return 0 if state.observe is not None else max(0, kept)

    def piece(self, variant: Variant, group: Integers, first: int) -> None:
        """Some members as far as they come, all from one step."""
        state, count = self.state, len(group)
        parameters = state.members.parameters[group]
        observed = state.observed[group].reshape(count, -1)
        tables = state.blocks[group], parameters, observed
        rows = self.rows_from(first)
        states, observed, history, ends = self.advanced(variant, tables, rows, first)
        state.blocks[group] = states
        if observed.size:
            state.observed[group] = observed.reshape(count, *state.observed.shape[1:])
        if rows:
            row = 1 + first // state.every + np.arange(rows)
            history[row[None, :] > (ends // state.every)[:, None]] = np.nan  # those that stopped
            state.points[group, row[0] :] = history
        state.in_lanes += int((ends - first).sum())
        state.at[group] = ends
        state.going[group] = ends < state.steps

    def advanced(
        self, variant: Variant, tables: Sequence[Floats], rows: int, first: int
    ) -> tuple[Floats, Floats, Any, Integers]:
        """What becomes of some members.

        From tables (members, numbers) of blocks, parameters and what is observed: blocks, what is
        observed, rows (members, rows, kept), steps reached.
        """
        state, lanes, count = self.state, self.lanes, len(tables[0])
        packs, kept = -(-count // lanes), state.points.shape[2]
        filled = np.minimum(np.arange(packs * lanes), count - 1)

        def packed(table: Floats) -> Floats:
            chosen = table[filled].reshape(packs, lanes, table.shape[1])
            return np.ascontiguousarray(np.swapaxes(chosen, 1, 2))

        def unpacked(table: Floats) -> Floats:
            turned = np.swapaxes(table, 1, 2)
            back: Floats = turned.reshape(packs * lanes, table.shape[1])[:count]
            return back

        states, parameters, observed = map(packed, tables)
        saved = np.zeros((packs, rows, kept, lanes))
        reached = variant.code(
            states, parameters, saved, observed,
            (0.0, state.step, first, state.steps, state.steps), state.every,
            first // state.every + 1,
        )  # fmt: skip
        history = np.moveaxis(saved, 3, 1).reshape(packs * lanes, rows, kept)[:count]
        return unpacked(states), unpacked(observed), history, reached[:count]

    def records(self, left: Integers, first: int) -> bool:
        """Record a step at one of these members, if that is worth it."""
        state = self.state
        share = max(self.lanes, int(WORTH * len(state.at)))
        if self.refusal or len(self.variants) >= MOST_VARIANTS:
            return False
        if self.variants and len(left) < share:
            return False
        if len(left) * (state.steps - first) < self.least_steps:
            return False
        member = int(left[0])
        times = state.step * first, state.step * (first + 1)
        records = records_of(self.finisher.pristine(member))
        try:
            recording = record(
                records, state.blocks[member], times, state.step, state.members.places
            )
            code = self.machine_code(recording)
        except NotTraceable as error:
            self.refusal = str(error)
            return False
        self.variants.insert(0, Variant(recording, code))
        return True

    def machine_code(self, recording: Recording) -> Any:
        kept, observe = self.state.points.shape[2], self.state.observe
        return machine_code(recording, kept, self.contract, self.lanes, observe)

    def otherwise(self, left: Integers) -> None:
        """Steps by the generic kernel: more each time, to the end where nothing is recorded."""
        state = self.state
        counts = 4 ** (1 + state.strikes[left])
        state.strikes[left] += 1
        if self.refusal:
            counts[:] = state.steps
        self.finisher.advance(state, left, counts)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
