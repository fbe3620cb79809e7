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
from chasles.many.traced.record import Key, NotTraceable, Recording, record
from chasles.many.traced.running import Shelf, machine_code
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


@dataclass(frozen=True)
class Variant:
    """A recording of the step, its machine code for a pack of members, and what it carries."""

    recording: Recording
    run: Any
    carried: dict[Key, float]  # and what that is at the start


SHELF = Shelf()


class EnsembleState:
    """Where all members stand: at the start, to begin with.

    at        (members,) steps taken
    going     (members,) whether they are on their way
    pending   (members,) whether the look at the last step is still due
    strikes   (members,) how often the generic kernel had to help
    points    (members, rows, kept) what is kept, or of no rows where quantities are observed
    observed  (members, quantities, ACCUMULATED) largest, smallest, sum, last
    carried   (members,) each, by key
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
        self.pending: Any = np.zeros(count, bool)
        self.carried: dict[Key, Floats] = {}
        self.in_lanes, self.otherwise = 0, 0  # steps


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
        for variant in self.variants:
            self.carry(variant)

    def carry(self, variant: Variant) -> None:
        for key, value in variant.carried.items():
            self.state.carried.setdefault(key, np.full(len(self.state.at), value))

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
            waiting = left[state.pending[left]]
            if len(waiting):
                self.finisher.monitor(state, waiting)
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
        columns = [state.carried[key] for key in variant.carried]
        carried = np.array([column[group] for column in columns]).reshape(len(columns), count).T
        parameters = state.members.parameters[group]
        observed = state.observed[group].reshape(count, -1)
        tables = state.blocks[group], carried, parameters, observed
        rows = self.rows_from(first)
        (states, carried, observed), history, ends, pending = self.advanced(
            variant, tables, rows, first
        )
        state.blocks[group] = states
        for k, column in enumerate(columns):
            column[group] = carried[:, k]
        if observed.size:
            state.observed[group] = observed.reshape(count, *state.observed.shape[1:])
        if rows:
            row = 1 + first // state.every + np.arange(rows)
            history[row[None, :] > (ends // state.every)[:, None]] = np.nan  # those that stopped
            state.points[group, row[0] :] = history
        state.in_lanes += int((ends - first).sum())
        state.at[group] = ends
        state.pending[group] = pending
        state.going[group] = (ends < state.steps) | pending

    def advanced(
        self, variant: Variant, tables: Sequence[Floats], rows: int, first: int
    ) -> tuple[Sequence[Floats], Any, Integers, Any]:
        """What becomes of some members.

        From tables (members, numbers) of blocks, what is carried, parameters and what is observed:
        these but for the parameters, rows (members, rows, kept), steps reached, whose look is due.
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

        states, carried, parameters, observed = map(packed, tables)
        saved = np.zeros((packs, rows, kept, lanes))
        reached, pending = variant.run(
            states, carried, parameters, saved, observed,
            (0.0, state.step, first, state.steps, state.steps), state.every,
            first // state.every + 1,
        )  # fmt: skip
        history = np.moveaxis(saved, 3, 1).reshape(packs * lanes, rows, kept)[:count]
        own = [unpacked(table) for table in (states, carried, observed)]
        return own, history, reached[:count], pending[:count]

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
        stepper, loan = self.finisher.pristine(member)
        loan.give(state.carried, member)
        times = state.step * first, state.step * (first + 1)
        try:
            recording = record(
                records_of(stepper), state.blocks[member], times, state.step,
                parameters=state.members.places,
            )  # fmt: skip
            run = self.machine_code(recording)
        except NotTraceable as error:
            self.refusal = str(error)
            return False
        firsts = {key: float(loan.as_made(*key)) for key in recording.carried}
        self.variants.insert(0, Variant(recording, run, firsts))
        self.carry(self.variants[0])
        return True

    def machine_code(self, recording: Recording) -> Any:
        kept, observe = self.state.points.shape[2], self.state.observe
        return machine_code(recording, kept, self.contract, self.lanes, observe)

    def otherwise(self, left: Integers) -> None:
        """Steps by the generic kernel: more each time, to the end where nothing is recorded."""
        state = self.state
        counts = 4 ** (1 + state.strikes[left])
        state.strikes[left] += 1
        if self.refusal or any(variant.recording.fixed for variant in self.variants):
            counts[:] = state.steps  # choices that a step makes are lost on the way back
        self.finisher.advance(state, left, counts)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
