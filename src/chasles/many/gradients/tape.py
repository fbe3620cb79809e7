"""The tape of a run: its recorded steps, forward and in reverse.

States are kept in segments: of a long run only those at which segments begin, and the others are
computed again on the way back.  Memory grows as the root of the number of steps.
"""

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np

from chasles.build.start.redundancy import Redundancy
from chasles.core.arrays import Floats
from chasles.integrators.advance import UNSEEN
from chasles.many.ensembles.members import Members, records_of
from chasles.many.gradients.reader import ListEvaluator
from chasles.many.traced.llvm_ir import used_inputs
from chasles.many.traced.machine import MachineCode, Shelf, adjoint_code, machine_code
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.model import InvalidOption

#: Numbers of states that are kept at once without segments: 64 MB.
MOST_KEPT = 2**23
#: Branches of a run that are recorded, at the most.
MOST_VARIANTS = 40
#: Operations of a step beyond which it is read from a list.  Machine code is some eight times as
#: fast, but takes 0.3 ms to make for every node, and every branch of a model needs its own.
MOST_COMPILED = 10_000
SHELF = Shelf()


class Branch:
    """A recorded step with parameters, by machine code."""

    def __init__(self, recording: Recording, parameters: Floats, step: float) -> None:
        self.recording, self.parameters, self.step = recording, parameters, step
        self.given = np.append(parameters, 0.0)

    @cached_property
    def code(self) -> MachineCode:
        return machine_code(self.recording, self.recording.width)

    @cached_property
    def way_back(self) -> Any:
        return adjoint_code(self.recording)

    @cached_property
    def lanes(self) -> ListEvaluator:
        """The step with derivatives carried along."""
        return ListEvaluator(self.recording.step, lanes=True)

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        """Steps from `index` on while guards hold: the step reached.

        `now` becomes the state there; the state after step k goes to row k - first of `states`.
        """
        grid = (0.0, self.step, index, last, 2**62)
        return self.code.of_one(now, self.given, states, grid, 1, first)

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        """Back along steps from states (count, width); weights of the last state become those of
        the first, seeds (count, width) join them, and totals grow by those of parameters.
        """
        arrays = states, self.given, np.ascontiguousarray(seeds), weights, totals
        given = (x.ctypes.data for x in arrays)
        self.way_back(*given, 0.0, self.step, begin, len(states))


class ListedBranch(Branch):
    """By reading a list: one that keeps all its numbers for the way back, or the one with lanes."""

    def __init__(
        self, recording: Recording, parameters: Floats, step: float, returns: bool
    ) -> None:
        super().__init__(recording, parameters, step)
        self.evaluator = ListEvaluator(recording.step) if returns else self.lanes

    def inputs(self, state: Floats, index: int) -> Floats:
        times = self.step * index, self.step * (index + 1)
        return np.concatenate([state, times, self.parameters])

    def forward(self, now: Floats, states: Floats, first: int, index: int, last: int) -> int:
        for k in range(index, last):
            found = self.evaluator.evaluate(self.inputs(now, k))
            if found is None:
                return k
            now[:] = found
            states[k + 1 - first] = now
        return last

    def back(
        self, states: Floats, seeds: Floats, weights: Floats, totals: Floats, begin: int
    ) -> None:
        width, count = self.recording.width, len(self.parameters)
        for k in range(len(states) - 1, -1, -1):
            self.evaluator.evaluate(self.inputs(states[k], begin + k))
            found = self.evaluator.back(weights + seeds[k])
            weights[:] = found[:width]
            totals[:count] += found[len(found) - count :]


@dataclass
class Tape:
    """Steps of one member with parameters; if it `returns`, lists keep what the way back needs."""

    members: Members
    step: float
    steps: int
    returns: bool = True

    def __post_init__(self) -> None:
        self.stepper, self.places = self.members.stepper, self.members.places
        self.parameters: Floats = self.members.parameters[0]
        self.shelf: list[Recording] = SHELF.of(self.members.constants, self.step)
        self.branches: list[Branch] = []
        self.width = self.stepper.layout.width
        self.taken: list[tuple[int, int, Branch]] = []  # (first, last, branch) of the last segment
        self.totals = np.zeros(max(1, len(self.parameters)))

    @property
    def listed(self) -> bool:
        """Whether any branch is read from a list: one may be long where others are short."""
        return any(isinstance(branch, ListedBranch) for branch in self.branches)

    # --- forwards ---

    def segment(self, block: Floats, first: int, last: int) -> Floats:
        """States (last - first + 1, width), the first of which is given."""
        states = np.zeros((last - first + 1, self.width))
        states[0] = block
        self.taken, index, now = [], first, block.copy()
        while index < last:
            for branch in (*self.branches, None):
                chosen = branch or self.record(now, index)
                reached = chosen.forward(now, states, first, index, last)
                if reached > index:
                    self.taken.append((index, reached, chosen))
                    index = reached
                    break
            else:
                raise stopped(self.step * index, "its guards fail where it was recorded")
        return states

    def record(self, block: Floats, index: int) -> Branch:
        """The branch that the model takes at a state."""
        t = self.step * index
        if len(self.branches) >= MOST_VARIANTS:
            raise InvalidOption(
                f"gradient: the run took {MOST_VARIANTS} branches until t = {t:g} s, too many to"
                " differentiate each.",
                "Contacts and stops make such runs: make them softer, or the run shorter.",
            )
        recording = self.kept(block, t) or self.recorded(block, t)
        given = recording, self.parameters, self.step
        is_short = len(recording.step.nodes) <= MOST_COMPILED
        branch = Branch(*given) if is_short else ListedBranch(*given, self.returns)
        self.branches.insert(0, branch)
        return branch

    def kept(self, block: Floats, t: float) -> Recording | None:
        """A recording of an earlier run whose guards hold here."""
        taken = {id(branch.recording) for branch in self.branches}
        inputs = [*block, t, t + self.step, *self.parameters]
        for one in self.shelf:
            if id(one) not in taken and one.step.replay(inputs)[1] is None:
                return one
        return None

    def recorded(self, block: Floats, t: float) -> Recording:
        """The step at a state; what is watched is not part of the motion."""
        try:
            found = record(
                records_of(self.stepper), block, (t, t + self.step), self.step,
                parameters=self.places, monitoring=UNSEEN,
            )  # fmt: skip
        except NotTraceable as error:
            redundancy = self.stepper.solver.redundancy
            if redundancy is not None:
                raise redundant(redundancy) from error
            raise stopped(t, str(error)) from error
        self.shelf.insert(0, found)
        del self.shelf[MOST_VARIANTS:]
        return found

    # --- back ---

    def read(self) -> Any:
        """Which of the parameters any of the steps reads."""
        found = np.zeros(len(self.parameters), bool)
        for branch in self.branches:
            used = used_inputs(branch.recording.step)
            found |= np.array(used[len(used) - len(found) :], bool)
        return found

    def back(self, states: Floats, first: int, seeds: Floats, weights: Floats) -> None:
        """Weights of the last state become those of the first; seeds (steps, width) join them."""
        for begin, end, branch in reversed(self.taken):
            rows = slice(begin - first, end - first)
            branch.back(states[rows], seeds[rows], weights, self.totals, begin)

    def segments(self) -> list[tuple[int, int]]:
        """Stretches of steps whose states are kept at once."""
        if self.steps * self.width <= MOST_KEPT:
            return [(0, self.steps)]
        length = max(1, min(isqrt(self.steps) + 1, MOST_KEPT // self.width))
        return [(k, min(k + length, self.steps)) for k in range(0, self.steps, length)]


def redundant(found: Redundancy) -> InvalidOption:
    """Which of the rows repeat each other is decided anew in every step."""
    joints = ", ".join(f"'{joint}'" for joint in found.shared[:12])
    return InvalidOption(
        f"gradient: {found.rows - found.rank} of {found.rows} constraint rows"
        f" {'is' if found.rows - found.rank == 1 else 'are'} redundant (joints {joints}),"
        " and the minimum-norm solution among them cannot be differentiated here.",
        "Use joints without redundant constraints (a Spherical or Cylindrical in place of a"
        " Revolute), spaces='auto' where other spaces were given, or differences of two runs.",
    )


def stopped(t: float, why: str) -> InvalidOption:
    return InvalidOption(
        f"gradient: the step after t = {t:.6g} s cannot be differentiated: {why}.",
        "Take a smaller step and a one-step method such as 'rk4', and leave out functions that are"
        " called by address.",
    )
