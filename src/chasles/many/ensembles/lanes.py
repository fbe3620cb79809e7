"""Members in the lanes of registers, on all cores; those whose guards fail are handed on.

All members begin at step 0.  A recorded step takes those that it can as far as it can; members that
stop are grouped by the step they have reached.  What holds up many is recorded anew, what holds up
few is taken by the generic kernel for a few steps, and then they come back.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.many.ensembles.finish import Finisher, Key
from chasles.many.ensembles.members import Members, records_of
from chasles.many.traced.loop_ir import ACCUMULATED
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.many.traced.running import Shelf, machine_code_of_lanes
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


@dataclass
class Course:
    """Where all members stand.

    at        (members,) steps taken
    going     (members,) whether they are on their way
    points    (members, rows, kept) what is kept, or of no rows where quantities are observed
    observed  (members, quantities, ACCUMULATED)
    """

    members: Members
    step: float
    steps: int
    every: int
    blocks: Floats
    points: Floats
    observed: Floats
    at: Integers
    going: Any
    observe: Program | None = None
    pending: Any = None
    strikes: Any = None
    carried: dict[Key, Floats] = field(default_factory=dict)  # (members,) each
    in_lanes: int = 0  # steps
    otherwise: int = 0


@dataclass
class LaneRun:
    """The runs of all members."""

    course: Course
    finisher: Finisher
    threads: int
    contract: bool = False
    lanes: int = field(default_factory=lane_count)
    refusal: str = ""

    def __post_init__(self) -> None:
        """Recordings of an ensemble that differs in nothing but its members are taken up again."""
        course = self.course
        self.variants: list[Variant] = SHELF.of(
            course.members.constants, self.device, course.step, course.points.shape[2],
            course.observe, self.lanes, self.contract,
        )  # fmt: skip
        for variant in self.variants:
            self.carry(variant)

    def carry(self, variant: Variant) -> None:
        for key, value in variant.carried.items():
            self.course.carried.setdefault(key, np.full(len(self.course.at), value))

    @property
    def device(self) -> str:
        """Where they run."""
        return "cpu"

    def go(self) -> None:
        """All members to their end."""
        course = self.course
        while course.going.any():
            first = int(course.at[course.going].min())
            group = np.flatnonzero(course.going & (course.at == first))
            left = self.through_lanes(group, first)
            if len(left) and not self.records(left, first):
                self.otherwise(left)

    def through_lanes(self, group: Integers, first: int) -> Integers:
        """Let every recording take what it can of a group; those that none has moved."""
        course, left = self.course, group
        for variant in tuple(self.variants):
            if not len(left) or first >= course.steps:
                break
            self.take(variant, left, first)
            waiting = left[course.pending[left]]
            if len(waiting):
                self.finisher.look(course, waiting)
            left = left[course.going[left] & (course.at[left] == first)]
        return left

    def take(self, variant: Variant, group: Integers, first: int) -> None:
        pieces = [group[k : k + PIECE] for k in range(0, len(group), PIECE)]

        def work(piece: Integers) -> None:
            self.piece(variant, piece, first)

        if self.threads == 1 or len(pieces) == 1:
            for piece in pieces:
                work(piece)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, pieces))

    def piece(self, variant: Variant, group: Integers, first: int) -> None:
        """Some members as far as they come, all from one step."""
        course, lanes = self.course, self.lanes
        packs = -(-len(group) // lanes)
        filled = np.resize(group, packs * lanes)
        filled[len(group) :] = group[-1]

        def packed(table: Floats) -> Floats:
            chosen = table[filled].reshape(packs, lanes, -1)
            return np.ascontiguousarray(np.swapaxes(chosen, 1, 2))

        def unpacked(table: Floats) -> Floats:
            back: Floats = np.swapaxes(table, 1, 2).reshape(packs * lanes, -1)[: len(group)]
            return back

        states, parameters = packed(course.blocks), packed(course.members.parameters)
        observed = packed(course.observed.reshape(len(course.at), -1))
        columns = [course.carried[key] for key in variant.carried]
        carried = packed(np.stack(columns, axis=1)) if columns else np.zeros(1)
        rows, kept = course.points.shape[1:]
        rows_now = max(1, rows - 1 - first // course.every)
        saved = np.zeros((packs, rows_now if course.observe is None else 1, kept, lanes))
        reached, pending = variant.run(
            states, carried, parameters, saved, observed,
            (0.0, course.step, first, course.steps, course.steps), course.every,
            first // course.every + 1,
        )  # fmt: skip
        history = None
        if course.observe is None and rows > 1 + first // course.every:
            history = np.moveaxis(saved, 3, 1).reshape(packs * lanes, rows_now, kept)[: len(group)]
        self.put_back(
            group, first, unpacked(states),
            (columns, unpacked(carried) if columns else None),
            unpacked(observed), history, reached[: len(group)], pending[: len(group)],
        )  # fmt: skip

    def put_back(
        self, group: Integers, first: int, states: Floats, carried: Any, observed: Any,
        history: Any, ends: Integers, pending: Any,
    ) -> None:  # fmt: skip
        """Note how far some members have come."""
        course = self.course
        course.blocks[group] = states
        for k, column in enumerate(carried[0]):
            column[group] = carried[1][:, k]
        if observed is not None:
            course.observed[group] = observed.reshape(len(group), *course.observed.shape[1:])
        if history is not None:
            row = 1 + first // course.every + np.arange(history.shape[1])
            history[row[None, :] > (ends // course.every)[:, None]] = np.nan  # those that stopped
            course.points[group, row[0] :] = history
        course.in_lanes += int((ends - first).sum())
        course.at[group] = ends
        course.pending[group] = pending
        course.going[group] = (ends < course.steps) | pending

    def records(self, left: Integers, first: int) -> bool:
        """Record a step at one of these members, if that is worth it."""
        course = self.course
        share = max(self.lanes, int(WORTH * len(course.at)))
        if self.refusal or len(self.variants) >= MOST_VARIANTS:
            return False
        if self.variants and len(left) < share:
            return False
        member = int(left[0])
        stepper, loan = self.finisher.pristine(member)
        loan.give(course.carried, member)
        times = course.step * first, course.step * (first + 1)
        try:
            with np.errstate(all="ignore"):
                recording = record(
                    records_of(stepper), course.blocks[member], times, course.step,
                    parameters=loan.parameters(course.members.places),
                )  # fmt: skip
            run = self.machine_code(recording)
        except NotTraceable as error:
            self.refusal = str(error)
            return False
        keys = loan.keys(recording.carried)
        firsts = {(path, k): float(loan.copies[path].reshape(-1)[k]) for path, k in keys}
        self.variants.insert(0, Variant(recording, run, firsts))
        self.carry(self.variants[0])
        return True

    def machine_code(self, recording: Recording) -> Any:
        kept, observe = self.course.points.shape[2], self.course.observe
        return machine_code_of_lanes(recording, kept, self.lanes, self.contract, observe)

    def otherwise(self, left: Integers) -> None:
        """Steps by the generic kernel: more each time, to the end where nothing is recorded."""
        course = self.course
        counts = 4 ** (1 + course.strikes[left])
        course.strikes[left] += 1
        if self.refusal or any(variant.recording.fixed for variant in self.variants):
            counts[:] = course.steps  # choices that a step makes are lost on the way back
        self.finisher.advance(course, left, counts)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def nothing_observed(count: int, quantities: int) -> Floats:
    """(members, quantities, ACCUMULATED) before the first step."""
    table = np.zeros((count, quantities, ACCUMULATED))
    table[:, :, 0], table[:, :, 1] = -np.inf, np.inf
    return table
