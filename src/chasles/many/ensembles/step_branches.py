"""Branches of a step of a model, each recorded once: as machine code here, and as WebAssembly.

A recorded step holds while its guards do.  Runs follow the recorded branches; where none
leads on, the step from there is recorded as another branch.
"""

from dataclasses import dataclass

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.ensembles.finish import Loan
from chasles.many.ensembles.members import Members, not_recorded, records_of
from chasles.many.traced.formulas import with_picked_pieces
from chasles.many.traced.loop_ir import RUN, run_ir
from chasles.many.traced.machine import Variant, machine_code
from chasles.many.traced.record import NotTraceable, Recording, record
from chasles.many.traced.wasm import wasm_module
from chasles.model import InvalidOption
from chasles.notices import while_waiting
from chasles.run.stepper import Stepper

MOST_OPERATIONS = 100_000  # of a step, all branches together: half a minute to record, 0.5 MB
MOST_BRANCHES = 64
RUN_THROUGH = 4_000_000_000  # operations of all steps that are run while branches are looked for
LEAST_STEPS = 500  # of each run
ENDLESS = 2**62  # steps between saved states: none is saved
NOWHERE = np.zeros((1, 1))


@dataclass
class StepBranch:
    """A recorded step, and its module."""

    native: Variant
    wasm: bytes
    imports: list[str]


class Recorder:
    """Ways of a step that runs from some members take, found by running them."""

    def __init__(self, members: Members, loan: Loan, step: float, where: str) -> None:
        self.members, self.loan, self.step, self.where = members, loan, step, where
        self.branches: list[StepBranch] = []
        self.stopped: dict[int, int] = {}  # members, and the step that is not recorded

    @property
    def operations(self) -> int:
        """Of a step, all branches together."""
        return sum(size_of_step(branch.native.recording) for branch in self.branches)

    def follow(self, k: int, steps: int) -> None:
        """Run a member by the recorded branches, and record another one where none leads on."""
        stepper = self.loan.with_numbers(self.members.places, self.members.parameters[k])
        block = self.members.blocks[k] + 0.0
        values = np.append(self.members.parameters[k], 0.0)
        index = 0
        while index < steps:
            reached = self.advanced(block, values, index, steps)
            if reached == index and self.add_branch(stepper, block, index):
                reached = self.advanced(block, values, index, steps)
            if reached == index:
                self.stopped[k] = index
                return
            index = reached

    def advanced(self, block: Floats, values: Floats, index: int, last: int) -> int:
        """Steps by the first branch that takes any, on a block in place: the step reached."""
        grid = (0.0, self.step, index, last, ENDLESS)
        for branch in self.branches:
            reached = branch.native.code.of_one(block, values, NOWHERE, grid)
            if reached > index:
                return int(reached)
        return index

    def add_branch(self, stepper: Stepper, block: Floats, index: int) -> bool:
        """Record the step from here on, if it can be recorded and has room beside the others."""
        if len(self.branches) >= MOST_BRANCHES:
            return False
        while_waiting(f"{self.where}: recording way {len(self.branches) + 1} of a step")
        times = self.step * index, self.step * (index + 1)
        places, records = self.members.places, records_of(stepper)
        numbers = records[0].system.signals.numbers
        asked = [entry for path, entry in places if self.loan.arrays.get(path) is numbers]
        try:
            made = record(with_picked_pieces(records, asked), block, times, self.step, places)
        except NotTraceable as error:
            if self.branches:
                return False
            film = "; or make a film: result.animate('film.html')"
            raise not_recorded(self.where, error, film) from error
        if self.operations + size_of_step(made) > MOST_OPERATIONS:
            if self.branches:
                return False
            raise InvalidOption(
                f"{self.where}: a step of this model takes {size_of_step(made)} operations, more"
                f" than the {MOST_OPERATIONS} that a page holds.",
                "Make a film: result.animate('film.html').",
            )
        kept = self.members.stepper.layout.kept
        module, imports = wasm_module(run_ir(made, kept), RUN)
        native = Variant(made, machine_code(made, kept))
        self.branches.append(StepBranch(native, module, imports))
        return True


def size_of_step(recording: Recording) -> int:
    """Its operations."""
    return len(recording.step.nodes)


def affordable(steps: int, recorder: Recorder, runs: int) -> int:
    """Steps that each of some runs may take: all, or as many as are run in a few seconds."""
    one = max(1, recorder.operations // max(1, len(recorder.branches)))
    return min(steps, max(LEAST_STEPS, RUN_THROUGH // (runs * one)))
