r"""Steps of one length: pieces of them at once, or one by one where events are looked for.

What a step does depends on its index alone, never on the pieces.  Times between those of the grid
are reached by real steps of length $\theta h$ of the same method from the beginning of the step, on
a copy of the block: the steps themselves are those of a run without events, to the bit.  From an
impact on, shorter steps lead to the end of the step: times stay on the grid.
"""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.outcomes import NEWTON_FAILED, OK
from chasles.model import ChaslesError, InvalidFile, SimulationStopped
from chasles.result.provenance import Checkpoint
from chasles.run.pace import Pace
from chasles.run.stops import as_stop, explained
from chasles.run.time_grid import NEVER, whole_and_rest

#: What runs count of their steps.
COUNTED = ("evaluations", "iterations", "factorisations")
#: Into how many parts a step is divided at the most whose iteration does not converge: by 2 us
#: of 2 ms the contact of a foot of 0.1 kg and 10^7 N/m is resolved.
PARTS = 1024
#: So many steps may be divided, and a quarter of all; the first one may not.
SOME = 16
#: Where nothing is saved.
NOWHERE = np.zeros((1, 1))


class GridPace(Pace):
    """Steps of a grid, and shorter ones between its times."""

    def begin(self) -> None:
        run = self.run
        run.first = run.grid.first
        if run.is_resumed and run.output.record is not None:
            run.first -= min(run.first, run.output.record.head.get("steps", run.first))
        self.before, self.aside, self.other = (np.zeros_like(run.block) for _ in range(3))
        self.longest = np.inf  # of the next step, after an impact
        self.taken = 0  # steps, with those between the grid's
        self.divided, self.shortest = 0, run.grid.step  # steps that were, their shortest part, s
        if run.is_resumed and run.begun is not None:
            self.recall(run.begun)
        super().begin()

    def memory(self) -> Floats:
        """How many steps were divided, and their shortest part, s; nothing where none was."""
        return np.array([self.divided, self.shortest] if self.divided else [])

    def recall(self, begun: Checkpoint) -> None:
        """Go on with the count of divided steps."""
        if not begun.pace.size:
            return
        if begun.pace.size != 2 or not (
            0.0 <= begun.pace[0] <= begun.index and 0.0 < begun.pace[1] <= self.run.grid.step
        ):
            raise InvalidFile(
                "resume: what the checkpoint knows of its steps is not from a run.",
                "Take a copy of the folder that is whole, or simulate again.",
            )
        self.divided, self.shortest = int(begun.pace[0]), float(begun.pace[1])

    @property
    def is_ahead(self) -> bool:
        run, grid, output = self.run, self.run.grid, self.run.output
        if output.wanted is not None and run.watch is None:
            return output.served < len(output.wanted)
        return run.index < grid.steps or (grid.rest > 0.0 and run.reached < grid.until)

    def take(self, most: int) -> None:
        run, grid = self.run, self.run.grid
        first, every = run.index, run.output.every
        end = min(first + most, grid.steps)
        if run.watch is not None or end <= first:
            self.take_one()
            return
        if run.output.wanted is None:
            end = run.output.until(first, end)
        else:  # up to the step in which the next time is
            every, next_time = NEVER, run.output.wanted[run.output.served]
            end = min(end, whole_and_rest(next_time - grid.origin, grid.step)[0])
        end = self.ready(first, end)
        if run.stopped is not None:
            return
        run.index, outcome = run.stepper.advance(
            run.block, run.spare, (grid.origin, grid.step, first, end, grid.steps), every, 1,
            run.output.points, run.output.first_row,
        )  # fmt: skip
        if run.output.wanted is None:
            run.output.note()
        self.taken += run.index - first
        run.reached = grid.origin + grid.step * run.index
        if outcome != OK:
            try:
                self.take_in_parts(outcome)
            except SimulationStopped as failed:
                run.stopped = failed

    def ready(self, first: int, end: int) -> int:
        """How far steps may go at once: to the next sample, or a trouble.  Asks the controller."""
        run = self.run
        if run.scan is not None:
            trouble = run.scan.trouble(first, end)
            if trouble is not None and trouble[0] <= first:
                run.stopped = as_stop(trouble[1])
                return first
            end = end if trouble is None else trouble[0]
        run.ask()
        return run.control.until(first, end)

    def take_one(self) -> None:
        """A step, or a part of one: to the end of the step, or as far as an impact lets it."""
        run, grid = self.run, self.run.grid
        begin, index = run.reached, run.index
        begins, is_rest = begin == grid.time(index), index == grid.steps
        if begins:
            run.checkpoint()
            if is_rest:
                run.ask()
            else:
                self.ready(index, index + 1)
            if run.stopped is not None:
                return
        full = grid.until if is_rest else grid.time(index + 1)
        end, self.longest = min(full, begin + self.longest), np.inf
        is_whole = begins and end == full
        try:
            steps = grid.origin, grid.step, index, index + 1, grid.steps
            if is_rest or not is_whole:
                self.scan_side_step(begin, end)
                steps = begin, grid.rest if is_whole else end - begin, 0, 1, 1
            self.step_to(end, steps)
        except ChaslesError as failed:
            run.stopped = as_stop(failed)

    def step_to(self, end: float, steps: tuple[float, float, int, int, int]) -> None:
        """One step from the time reached, in parts if it must be."""
        run, begin = self.run, self.run.reached
        self.before[:], self.span = run.block, None
        shortest = self.take_whole(run.block, run.spare, begin, steps, int(steps[4] != 1))
        if shortest < steps[1]:
            self.note_division(shortest)
        run.reached, self.span = end, (begin, end)

    def take_whole(
        self, block: Floats, spare: Floats, begin: float,
        steps: tuple[float, float, int, int, int], monitoring: int = 0,
    ) -> float:  # fmt: skip
        """A step on a block, in parts if it must be; how long the shortest is, s."""
        self.taken += 1
        _, outcome = self.run.stepper.advance(block, spare, steps, NEVER, monitoring, NOWHERE)
        return steps[1] if outcome == OK else self.subdivide(outcome, block, begin, steps[1])

    def keep(self) -> None:
        run, grid = self.run, self.run.grid
        is_watched = run.watch is not None and not run.is_cut and run.index < grid.steps
        if is_watched and run.reached == grid.time(run.index + 1):
            run.index += 1
            self.put_on_grid()
        if run.output.wanted is not None:
            self.serve()

    def put_on_grid(self) -> None:
        """Keep the state after a step of the grid, if it is one of every so many."""
        run = self.run
        if run.output.wanted is None and run.index % run.output.every == 0:
            run.output.put(run.reached, run.block)

    @property
    def is_shortened(self) -> bool:
        """Whether the last state is after a shorter step."""
        run, wanted = self.run, self.run.output.wanted
        if wanted is None or run.watch is not None:
            return run.reached > run.grid.time(run.index)
        served = run.output.served
        return served > 0 and self.split(float(wanted[served - 1]))[1] > 0.0

    # --- states between the steps ---

    def split(self, t: float) -> tuple[int, float]:
        """A time as whole steps of the grid, and the seconds after them."""
        return whole_and_rest(t - self.run.grid.origin, self.run.grid.step)

    def state_at(self, t: float) -> Floats | None:
        run = self.run
        if run.stopped is not None:
            return None
        if run.watch is not None:
            if t >= run.reached or self.span is None:
                return run.block if t <= run.reached else None
            return self.real_step(self.before, self.span[0], t - self.span[0], t)
        whole, rest = self.split(t)
        if whole > run.index:
            return None
        if rest == 0.0:
            return run.block
        run.ask()
        begin = run.grid.time(whole)
        return None if run.stopped else self.real_step(run.block, begin, rest, begin + rest)

    def real_step(self, state: Floats, begin: float, length: float, end: float) -> Floats:
        """A step from a state, on a copy of it."""
        self.aside[:] = state
        if end == begin:
            return self.aside
        self.scan_side_step(begin, end)
        self.take_whole(self.aside, self.other, begin, (begin, length, 0, 1, 1))
        return self.aside

    def scan_side_step(self, begin: float, end: float) -> None:
        """Functions of time at the stages of a step that is not one of the grid."""
        scan = self.run.scan
        if scan is not None:
            scan.sampled(np.append(begin + (end - begin) * scan.nodes, end))

    # --- events ---

    def at(self, t: float) -> Floats:
        assert self.span is not None
        begin, end = self.span
        if t == end:
            return self.run.block
        return self.before if t == begin else self.real_step(self.before, begin, t - begin, t)

    def go_back(self, t: float) -> None:
        self.run.block[:] = self.at(t)
        self.run.reached = t

    def resume(self, longest: float) -> None:
        self.longest = longest

    # --- steps whose iteration does not converge ---

    def take_in_parts(self, outcome: int) -> None:
        """Take a step of the grid in parts."""
        run = self.run
        self.note_division(self.subdivide(outcome, run.block, run.reached, run.grid.step))
        run.index += 1
        self.taken += 1
        run.reached = run.grid.time(run.index)
        self.put_on_grid()

    def subdivide(self, outcome: int, block: Floats, t: float, step: float) -> float:
        """A step from t, in place, in halves, quarters, ... of it, as long as they may be: how long
        the shortest is, s.  Raises where that does not lead to its end, or it may not be divided.
        """
        run, taken = self.run, self.run.index
        if outcome != NEWTON_FAILED or taken == 0 or self.divided > SOME + taken // 4:
            # of what is too long at every step, the user should know
            raise self.explain(t, outcome)
        unit, done, length, shortest = step / PARTS, 0, PARTS // 2, PARTS
        begun, before = block.copy(), block.copy()
        while done < PARTS:
            begin = t + unit * done
            if run.scan is not None:
                run.scan.sampled(begin + unit * length * run.scan.nodes)
            grid = (begin, unit * length, 0, 1, 1)
            _, found = run.stepper.advance(block, run.spare, grid, NEVER, 0, NOWHERE)
            if found == OK:
                before[:] = block
                done, shortest = done + length, min(shortest, length)
                length *= 2 if done % (2 * length) == 0 and length < PARTS // 2 else 1
            elif length == 1:
                block[:] = begun
                raise self.explain(t, outcome)
            else:
                block[:], length = before, length // 2
        return unit * shortest

    def note_division(self, shortest: float) -> None:
        """A step was divided into parts of `shortest` s or more."""
        self.divided, self.shortest = self.divided + 1, min(self.shortest, shortest)

    # --- for the result ---

    @property
    def progress(self) -> tuple[int, int, str]:
        first = self.run.grid.first
        return self.run.index - first, self.run.grid.steps - first, "step"

    def counted(self) -> dict[str, int]:
        """Evaluations, iterations, factorisations; without a tally one evaluation a stage."""
        scheme = self.run.stepper.scheme
        tally = getattr(scheme, "tally", None)
        if tally is None:
            stages = getattr(scheme, "count", 0)
            # A tuple without this field has a method of that name.
            tally = np.array([0 if callable(stages) else int(stages) * self.taken, 0, 0])
            if self.run.is_resumed and self.run.begun is not None:
                tally[0] += int(self.run.begun.counted[0])
        return {name: int(number) for name, number in zip(COUNTED, tally)}

    def details(self) -> dict[str, Any]:
        return {"divided_steps": self.divided} if self.divided else {}

    @property
    def ending(self) -> str:
        if not self.divided:
            return ""
        return (
            f", {self.divided} of them in parts of {self.shortest:.2g} s or more, where Newton's"
            " iteration did not converge otherwise"
        )

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why the step after t failed, in words that name a body, a joint or a force."""
        run = self.run
        return explained(run.stepper, run.block, run.spare, t, run.grid.step, outcome)
