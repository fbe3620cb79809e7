"""Members that leave the lanes: steps by the generic kernel, looks that are due, and reasons."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.outcomes import OK
from chasles.ensembles.members import Members, own_leaves
from chasles.integrators.advance import SEEN, SEEN_LAST
from chasles.stepper import Stepper
from chasles.stops import explained
from chasles.traced.lanes_ir import ACCUMULATED
from chasles.traced.record import Parameter
from chasles.traced.stepping import TracedSteps


class Finisher:
    """Steppers, one per thread, that take on the numbers of any member."""

    def __init__(
        self, members: Members, make: Callable[[], Stepper], step: float, threads: int, plainly: int
    ) -> None:
        self.members, self.make, self.step, self.threads = members, make, step, threads
        self.steppers: SimpleQueue[tuple[Stepper, list[Any]]] = SimpleQueue()
        self.made = 0
        self.plainly = plainly  # steps as plain Python before the generic kernel is compiled

    # --- steppers ---

    def borrow(self) -> tuple[Stepper, list[Any]]:
        """A stepper, and its integers as they were made."""
        if self.steppers.empty():
            stepper = self.make()
            whole = [leaf.value for leaf in own_leaves(stepper)
                     if isinstance(leaf.value, np.ndarray)]  # fmt: skip
            return stepper, [(array, array.copy()) for array in whole]
        return self.steppers.get()

    def of(self, member: int, fresh: tuple[Stepper, list[Any]]) -> Stepper:
        """The stepper with the numbers of a member, as if it were just made."""
        stepper, whole = fresh
        for array, copy in whole:
            array[...] = copy
        return self.members.with_parameters(stepper, self.members.parameters[member])

    def pristine(self, member: int) -> Stepper:
        """One for a recording, which nobody else uses."""
        fresh = self.borrow()
        stepper = self.of(member, fresh)
        self.steppers.put(fresh)
        return stepper

    def parameters(self, stepper: Stepper) -> list[Parameter]:
        """The parameters as inputs of a recording of a stepper."""
        numbers = {leaf.path: leaf.value for leaf in own_leaves(stepper)}
        return [Parameter(numbers[leaf.path], entry, leaf.path)
                for leaf, entry in self.members.places()]  # fmt: skip

    # --- work ---

    def each(self, group: Integers, work: Callable[[int, Stepper], None]) -> None:
        def one(member: int) -> None:
            fresh = self.borrow()
            try:
                odd = self.members.odd.get(member)
                work(member, self.of(member, fresh) if odd is None else odd)
            finally:
                self.steppers.put(fresh)

        if self.threads == 1 or len(group) == 1:
            for member in group.tolist():
                one(member)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(one, group.tolist()))

    def advance(self, course: Any, group: Integers, counts: Any) -> None:
        """So many steps of each member, or fewer if it ends or stops."""
        wanted = dict(zip(group.tolist(), np.atleast_1d(counts).tolist(), strict=True))

        def work(member: int, stepper: Stepper) -> None:
            first = int(course.at[member])
            last = min(course.steps, first + wanted[member])
            self.steps(course, member, stepper, first, last)

        self.each(group, work)

    def steps(self, course: Any, member: int, stepper: Stepper, first: int, last: int) -> None:
        block, spare = course.blocks[member], np.zeros(course.blocks.shape[1])
        kept, every = stepper.layout.kept, course.every
        first_row = first // every + 1
        rows = np.zeros((max(1, last // every - first_row + 1), kept))
        grid = (0.0, course.step, first, last, course.steps)
        plain = TracedSteps(stepper, np.nan, plainly=self.plainly)
        if last - first > self.plainly:
            plain.plainly = 0
        self.plainly = max(0, self.plainly - (last - first))
        index, outcome = first, OK
        while index < last and outcome == OK:
            piece = (grid[0], grid[1], index, index + 1, grid[4]) if plain.plainly else grid
            index, outcome = plain.generic(block, spare, piece, every, SEEN, rows, first_row)
        course.otherwise += index - first
        course.at[member] = index
        ready = index // every - first_row + 1
        if course.observe is None:
            course.points[member, first_row : first_row + ready] = rows[:ready]
        else:
            self.observe(course, member, rows[:ready], first_row)
        course.going[member] = index < course.steps and outcome == OK
        if outcome != OK:
            t = course.step * index
            why = explained(stepper, block, spare, t, course.step, outcome)
            self.members.status[member] = f"stopped: {why.what}"

    def look(self, course: Any, group: Integers) -> None:
        """Looks that guards have held up, and what is to be kept there."""

        def work(member: int, stepper: Stepper) -> None:
            index, block = int(course.at[member]), course.blocks[member]
            plain = TracedSteps(stepper, np.nan, plainly=1)
            grid = (0.0, course.step, index, index, course.steps)
            nowhere = np.zeros((1, 1))
            plain.generic(block, block.copy(), grid, 1, SEEN_LAST, nowhere, 0)
            course.pending[member] = False
            course.going[member] = index < course.steps
            if index % course.every == 0:
                row = block[: stepper.layout.kept]
                if course.observe is None:
                    course.points[member, index // course.every] = row
                else:
                    self.observe(course, member, row[None], index // course.every)

        self.each(group, work)

    def observe(self, course: Any, member: int, rows: Floats, first_row: int) -> None:
        """What is observed at points, as the lanes accumulate it."""
        width = course.blocks.shape[1]
        parameters = self.members.parameters[member]
        for k, row in enumerate(rows):
            block = np.zeros(width)
            block[: len(row)] = row
            t = course.step * ((first_row + k) * course.every)
            values, _ = course.observe.replay([*block, t, *parameters])
            table = course.observed[member]
            assert table.shape[1] == ACCUMULATED
            table[:, 0] = np.where(np.array(values) > table[:, 0], values, table[:, 0])
            table[:, 1] = np.where(np.array(values) < table[:, 1], values, table[:, 1])
            table[:, 2] += values
            table[:, 3] = values
