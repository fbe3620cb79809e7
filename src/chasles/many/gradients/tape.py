"""The tape of a run: its recorded steps, forward and in reverse.

States are kept in segments: of a long run only those at which segments begin, and the others are
computed again on the way back.  Memory grows as the root of the number of steps.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from chasles.build.start.redundancy import Redundancy
from chasles.core.arrays import Floats
from chasles.integrators.advance import UNSEEN
from chasles.many.ensembles.members import Members, records_of
from chasles.many.gradients.branches import Branch, ListedBranch
from chasles.many.traced.llvm_ir import used_inputs
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.many.traced.running import Shelf
from chasles.model import InvalidOption

#: Numbers of states that are kept at once without segments: 64 MB.
MOST_KEPT = 2**23
#: Branches of a run that are recorded, at the most.
MOST_VARIANTS = 40
#: Operations of a step beyond which it is read from a list.
MOST_COMPILED = 10_000
SHELF = Shelf()


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
        self.taken: list[tuple[int, int, Branch]] = []  # (first, last, branch) of the last stretch
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
