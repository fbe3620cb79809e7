"""Members that leave the lanes: steps by the generic kernel, and reasons.

Of those that went on to the end, what is suspect: the alarms that every state carries.
"""

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.outcomes import OK
from chasles.core.state_block import MISSED_SINCE, NEVER, OPEN_SINCE, UNBALANCED_SINCE
from chasles.integrators.advance import SEEN
from chasles.many.ensembles.members import Members, records_of
from chasles.many.traced.loop_ir import ACCUMULATED
from chasles.many.traced.record import Key, own_leaves, with_number
from chasles.many.traced.stepping import TracedSteps
from chasles.model import ChaslesWarning
from chasles.run.checks import alarms_in_words
from chasles.run.stepper import Stepper
from chasles.run.stops import explained


class Loan:
    """A stepper that takes on the numbers of any member."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        found = own_leaves(records_of(stepper)).items()
        self.arrays = {path: value for path, value in found if isinstance(value, np.ndarray)}

    def with_numbers(self, places: Sequence[Key], values: Floats) -> Stepper:
        """The stepper with other numbers at some places."""
        own = records_of(self.stepper)
        records: Any = own
        for (path, entry), value in zip(places, values, strict=True):
            if path in self.arrays:
                self.arrays[path].reshape(-1)[entry] = value
            else:
                records = with_number(records, path, float(value))
        if records is own:
            return self.stepper
        return replace(self.stepper, mechanism=records[0], scheme=records[2])


def in_threads(threads: int, work: Callable[[Any], None], pieces: Sequence[Any]) -> None:
    """Some work for each of some pieces."""
    if threads == 1 or len(pieces) == 1:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, pieces))


class Finisher:
    """Steppers, one per thread, that take on the numbers of any member."""

    def __init__(
        self, members: Members, make: Callable[[], Stepper], threads: int, plainly: int
    ) -> None:
        self.members, self.make, self.threads = members, make, threads
        self.steppers: SimpleQueue[Loan] = SimpleQueue()
        self.plainly = plainly  # steps as plain Python before the generic kernel is compiled

    # --- steppers ---

    def borrow(self) -> Loan:
        try:
            return self.steppers.get_nowait()
        except Empty:
            return Loan(self.make())

    def of(self, member: int, loan: Loan) -> Stepper:
        """The stepper with the numbers of a member."""
        return loan.with_numbers(self.members.places, self.members.parameters[member])

    def pristine(self, member: int) -> Stepper:
        """One for a recording, which nobody else uses."""
        return self.of(member, Loan(self.make()))

    # --- work ---

    def each(self, group: Integers, work: Callable[[int, Stepper], None]) -> None:
        """Some work for each of some members, in threads."""

        def one(member: int) -> None:
            odd = self.members.odd.get(member)
            if odd is not None:
                work(member, odd)
                return
            loan = self.borrow()
            try:
                work(member, self.of(member, loan))
            finally:
                self.steppers.put(loan)

        in_threads(self.threads, one, group.tolist())

    def advance(self, state: Any, group: Integers, counts: Any) -> None:
        """So many steps of each member, or fewer if it ends or stops."""
        wanted = dict(zip(group.tolist(), np.atleast_1d(counts).tolist(), strict=True))

        def work(member: int, stepper: Stepper) -> None:
            first = int(state.at[member])
            self.steps(state, member, stepper, first, min(state.steps, first + wanted[member]))

        self.each(group, work)

    def steps(self, state: Any, member: int, stepper: Stepper, first: int, last: int) -> None:
        """Few of them as plain Python, where the kernel would have to be compiled."""
        block, spare = state.blocks[member], np.zeros(state.blocks.shape[1])
        every = state.every
        first_row = first // every + 1
        rows = np.zeros((max(1, last // every - first_row + 1), stepper.layout.kept))
        quick = TracedSteps(stepper, np.nan, plainly=self.plainly)
        self.plainly = max(0, self.plainly - (last - first))
        grid = (0.0, state.step, first, last, state.steps)
        index, outcome = quick.generic(block, spare, grid, every, SEEN, rows, first_row)
        state.otherwise += index - first
        state.at[member] = index
        self.keep(state, member, rows[: index // every - first_row + 1], first_row)
        state.going[member] = index < state.steps and outcome == OK
        if outcome != OK:
            t = state.step * index
            why = explained(stepper, block, spare, t, state.step, outcome)
            self.members.status[member] = f"stopped: {why.what}"

    def keep(self, state: Any, member: int, rows: Floats, first_row: int) -> None:
        """Points of a member, or what is observed of them."""
        if state.observe is not None:
            self.observe(state, member, rows, first_row)
        else:
            state.points[member, first_row : first_row + len(rows)] = rows

    def observe(self, state: Any, member: int, rows: Floats, first_row: int) -> None:
        """What is observed at points, as the lanes accumulate it."""
        if not len(rows):
            return
        inputs = np.zeros((len(rows), state.observe.inputs))
        inputs[:, : rows.shape[1]] = rows
        width, table = state.blocks.shape[1], state.observed[member]
        inputs[:, width] = state.step * ((first_row + np.arange(len(rows))) * state.every)
        inputs[:, width + 1 :] = self.members.parameters[member]
        values = state.observe.on_arrays(inputs.T)
        assert table.shape[1] == ACCUMULATED
        table[:, 0] = np.fmax(table[:, 0], np.fmax.reduce(values, axis=1))
        table[:, 1] = np.fmin(table[:, 1], np.fmin.reduce(values, axis=1))
        table[:, 2] = np.add.accumulate(np.column_stack([table[:, 2], values]), axis=1)[:, -1]
        table[:, 3] = values[:, -1]


def member_warnings(blocks: Floats, finisher: Finisher) -> list[str]:
    """What `simulate` would warn of, for every member by its last state; "" where of nothing."""
    first, said = finisher.members.stepper.layout.alarm, [""] * len(blocks)
    since = blocks[:, [first + k for k in (OPEN_SINCE, MISSED_SINCE, UNBALANCED_SINCE)]]

    def work(member: int, stepper: Stepper) -> None:
        said[member] = "; ".join(alarms_in_words(stepper, blocks[member]).values())

    finisher.each(np.flatnonzero((since != NEVER).any(axis=1)), work)
    return said


def warn_of_suspects(said: Sequence[str], step: float) -> None:
    """One warning for all of them."""
    suspect = [k for k, text in enumerate(said) if text]
    if suspect:
        warn_of_members(
            f"{len(suspect)} of {len(said)} members are suspect; member {suspect[0]}:"
            f" {said[suspect[0]]}. The variable `warnings` has all of them. Take a smaller step"
            f" than {step:g} s, or a method of higher order.", 5,
        )  # fmt: skip


def warn_of_members(what: str, level: int) -> None:
    """Warn whoever called `ensemble`."""
    warnings.warn(f"ensemble: {what}", ChaslesWarning, stacklevel=level)
