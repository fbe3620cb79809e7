"""Steps of a run by machine code made for its model, and by the generic kernel where that ends.

A recorded step stops before a step whose guards fail.  The generic kernel takes that one, and the
recorded step comes back.  Where guards go on to fail, the model has come to another branch of its
formulas: another step is recorded there, and both are tried from then on.

A recorded step takes a quarter to nine tenths of the generic one, so that recording and compiling
pay back after a million steps.  But the generic kernel takes some ten seconds to compile: where it
is neither loaded nor on disk, a small model needs a tenth of a second instead.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from chasles.compiled import FIRST_COMPILE
from chasles.core.arrays import Floats
from chasles.core.outcomes import OK
from chasles.integrators.advance import SEEN, advance
from chasles.many.traced.machine import Grid, Variant, machine_code
from chasles.many.traced.record import Key, NotTraceable, Path, record, tally_of
from chasles.run.stepper import Stepper

#: Where functions of time are.
SIGNALS: Path = (0, "tree_work", "signals")
#: Recordings of one run, at the most; each costs a compile.
MOST_VARIANTS = 4
#: Steps in a row that no recording takes, before another is made.
ASTRAY = 8
#: Steps taken otherwise at once, at the most, where guards go on to fail.
MOST_AT_ONCE = 256
GENERIC, TRACED, AUTO = "generic", "traced", "auto"
KERNELS = (AUTO, GENERIC, TRACED)
#: Steps from which on a recording pays back, though the generic kernel is at hand.  Measured: the
#: top gains 0.19 us a step for 0.05 s, the double pendulum 0.25 us for 0.28 s.
MANY_STEPS = 1_000_000
#: Bodies beyond which it never does: the time to compile grows faster than the step.
MOST_BODIES = 6
#: Operations of a step beyond which compiling them takes seconds.
MOST_OPERATIONS = 15_000
#: Steps below which plain Python is as quick.
FEW_STEPS = 20
#: Seconds spent on recordings, in this process, after which the generic kernel is compiled after
#: all: it serves every run that follows.
PATIENCE = 5.0
#: Steps whose guards fail that are read as plain Python, a few ms each, before it is compiled.
PLAIN_STEPS = 300

as_written = getattr(advance, "py_func", advance)


@dataclass
class TracedSteps:
    """Advances blocks as `Stepper.advance_generic` does, to the last bit.

    With `contract`, products and sums are rounded once where the processor can: faster, and equal
    to rounding only.
    """

    stepper: Stepper
    step: float
    contract: bool = False
    most_operations: int = 2**62  # of a recording; larger ones take too long to compile
    plainly: int = 0  # steps that may be read as plain Python before the generic kernel is compiled
    variants: list[Variant] = field(default_factory=list)
    taken: int = 0  # steps of the recordings
    otherwise: int = 0  # steps of the generic kernel
    astray: int = 0  # of these, in a row
    refusal: str = ""  # why nothing can be recorded
    seconds_in_all: ClassVar[float] = 0.0  # that recordings took in this process

    def __post_init__(self) -> None:
        """Inputs of motors are put among the functions of time between two steps."""
        self.inputs = tuple(self.stepper.solver.setup.signals.inputs.values())
        self.held = np.zeros(max(1, len(self.inputs)))

    def __str__(self) -> str:
        if not self.variants:
            return f"generic ({self.refusal})" if self.refusal else "generic"
        return f"traced, {self.taken} of {self.taken + self.otherwise} steps"

    def advance(
        self, block: Floats, spare: Floats, grid: Grid, save_every: int, monitoring: int,
        saved: Floats, first_row: int = 0,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps of a grid on a block, in place: (step reached, outcome)."""
        origin, step, first, last, end = grid
        rest = save_every, saved, first_row
        if monitoring != SEEN or step != self.step or self.refusal:
            return self.generic(block, spare, grid, save_every, monitoring, *rest[1:])
        block += 0.0  # as after every step: no negative zeros
        index = first
        while index < last:
            reached = self.advance_recorded(block, (origin, step, index, last, end), *rest)
            if reached > index:
                self.astray = 0
                self.taken += reached - index
                index = reached
                continue
            if self.records_now(block, (origin, step, index, last, end)):
                continue
            count = min(last - index, self.next_count())
            piece = (origin, step, index, index + count, end)
            index, outcome = self.generic(block, spare, piece, save_every, monitoring, *rest[1:])
            self.otherwise += count
            self.astray += count
            if outcome != OK:
                return index, outcome
        return index, OK

    def generic(
        self, block: Floats, spare: Floats, grid: Grid, save_every: int, monitoring: int,
        saved: Floats, first_row: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps by the generic kernel, or as it is written where it would have to be compiled."""
        rest = block, spare, grid, save_every, monitoring, saved, first_row
        count, stepper, before = max(1, grid[3] - grid[2]), self.stepper, block.copy()
        if count > self.plainly:
            return stepper.advance_generic(*rest)
        self.plainly -= count
        try:
            with np.errstate(all="ignore"):
                reached, outcome = as_written(
                    stepper.mechanism, stepper.workspace, stepper.scheme, *rest
                )
        except (ArithmeticError, ValueError):  # Python refuses where machine code answers NaN
            block[:] = before
            return stepper.advance_generic(*rest)
        return int(reached), int(outcome)

    def next_count(self) -> int:
        """How many steps the generic kernel takes before a recording is tried again."""
        return 1 if self.plainly > 0 else min(MOST_AT_ONCE, max(1, self.astray))

    def advance_recorded(
        self, block: Floats, grid: Grid, save_every: int, saved: Floats, first_row: int
    ) -> int:
        """Steps by the first recording that takes any: the step reached."""
        first, signals = grid[2], self.stepper.workspace.signals
        for k, column in enumerate(self.inputs):
            self.held[k] = signals[column]
        for k, variant in enumerate(self.variants):
            reached = variant.code.of_one(block, self.held, saved, grid, save_every, first_row)
            if reached > first:
                for what, count in enumerate(variant.recording.counted):
                    tally_of(self.stepper.scheme)[what] += count * (reached - first)
                if k:
                    self.variants.insert(0, self.variants.pop(k))
                return reached
        return first

    def records_now(self, block: Floats, grid: Grid) -> bool:
        """Record a step here if it is time for that; whether one was."""
        if self.refusal or len(self.variants) >= MOST_VARIANTS:
            return False
        if self.variants and self.astray < ASTRAY:
            return False
        origin, step, index, _, _ = grid
        times = origin + step * index, origin + step * (index + 1)
        records = self.stepper.mechanism, self.stepper.workspace, self.stepper.scheme
        began = time.perf_counter()
        try:
            parameters: list[Key] = [(SIGNALS, column) for column in self.inputs]
            recording = record(records, block, times, step, parameters)
            operations = len(recording.step.nodes)
            if operations > self.most_operations:
                raise NotTraceable(f"{operations} operations a step")
            code = machine_code(recording, self.stepper.layout.kept, self.contract)
        except (NotTraceable, RuntimeError) as error:  # the latter by an older LLVM
            if not self.variants:
                self.refusal, self.plainly = str(error), 0
            return False
        finally:
            seconds = time.perf_counter() - began
            TracedSteps.seconds_in_all += seconds
            FIRST_COMPILE.add(seconds)  # these are not seconds of steps
        self.variants.insert(0, Variant(recording, code))
        self.astray = 0
        return True


# --- where it pays ---


def with_recorded_steps(
    stepper: Stepper, kernel: str, step: float, steps: int, iterates: bool = False
) -> Stepper:
    """The stepper with steps that are recorded, if these are wanted, or pay.

    A method that iterates never pays: every iteration is written out, which takes minutes to
    compile, and a step that takes one more or one less fails the guards.
    """
    if kernel == GENERIC or (kernel == AUTO and (iterates or not pays(stepper, steps))):
        return stepper
    plainly = 0 if generic_at_hand(stepper) else PLAIN_STEPS
    most = MOST_OPERATIONS if kernel == AUTO else 2**62
    recorded = TracedSteps(stepper, step, most_operations=most, plainly=plainly)
    return replace(stepper, recorded=recorded)


def pays(stepper: Stepper, steps: int) -> bool:
    """Whether a run of so many steps is sooner at its end."""
    if stepper.mechanism.system.body_count > MOST_BODIES or steps < FEW_STEPS:
        return False
    if generic_at_hand(stepper):
        return steps >= MANY_STEPS
    return TracedSteps.seconds_in_all < PATIENCE


def generic_at_hand(stepper: Stepper) -> bool:
    """Whether the generic kernel can be called without compiling it."""
    known: Any = getattr(advance, "at_hand", None)
    return known is None or known(generic_arguments(stepper))


def generic_arguments(stepper: Stepper) -> tuple[Any, ...]:
    block: Floats = np.zeros(1)
    return (*stepper.lent, block, block, (0.0, 0.0, 0, 0, 0), 1, 0, np.zeros((1, 1)), 0)
