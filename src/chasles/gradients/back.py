"""A run of recorded steps, and the way back along them.

States are kept in segments: of a long run only those at which segments begin, and the others are
computed again on the way back.  Memory grows as the root of the number of steps.
"""

import ctypes
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.ensembles.members import records_of
from chasles.integrators.advance import UNSEEN
from chasles.model import InvalidOption
from chasles.scalars.nodes import Place, Program
from chasles.stepper import Stepper
from chasles.traced.adjoint import adjoint
from chasles.traced.back_ir import BACK, back_ir
from chasles.traced.loop_ir import RUN, run_ir
from chasles.traced.machine import compiled
from chasles.traced.record import NotTraceable, Parameter, Recording, record
from chasles.traced.stepping import SIGNATURE, WHOLE

#: Numbers of states that are kept at once without segments: 64 MB.
MOST_KEPT = 2**23
#: Branches of a run that are recorded, at the most.
MOST_VARIANTS = 40
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_double
BACK_SIGNATURE = (POINTER,) * 6 + (NUMBER,) * 2 + (ctypes.c_int64,) * 2


@dataclass(frozen=True)
class Branch:
    """A recorded step, forwards and back."""

    recording: Recording
    forward: Any
    back: Any
    carried: Floats
    alive: Any  # keeps the functions


@dataclass
class Course:
    """Steps of one model with parameters."""

    stepper: Stepper
    places: list[Parameter]
    parameters: Floats
    step: float
    steps: int

    def __post_init__(self) -> None:
        self.branches: list[Branch] = []
        self.width = self.stepper.layout.width
        self.taken: list[tuple[int, int, Branch]] = []  # (first, last, branch) of the last stretch
        self.totals = np.zeros(max(1, len(self.parameters)))
        self.given = np.ascontiguousarray(np.append(self.parameters, 0.0))

    # --- forwards ---

    def stretch(self, block: Floats, first: int, last: int) -> Floats:
        """States (last - first + 1, width), the first of which is given."""
        states = np.zeros((last - first + 1, self.width))
        states[0] = block
        self.taken, index, now = [], first, block.copy()
        pending = np.zeros(1, np.int64)
        while index < last:
            for branch in (*self.branches, None):
                chosen = branch or self.record(now, index)
                reached = chosen.forward(
                    now.ctypes.data, chosen.carried.ctypes.data, self.given.ctypes.data,
                    states.ctypes.data, pending.ctypes.data, 0.0, self.step, index, last,
                    2**62, 1, first,
                )  # fmt: skip
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
        times = t, self.step * (index + 1)
        try:
            with np.errstate(all="ignore"):
                found = record(
                    records_of(self.stepper), block, times, self.step,
                    parameters=self.places, looking=UNSEEN,
                )  # fmt: skip
        except NotTraceable as error:
            raise stopped(t, str(error)) from error
        recording = replace(found, look=nothing_seen(found))
        forward = compiled(run_ir(recording, self.width))
        text = back_ir(
            adjoint(recording.step), self.width, len(recording.carried), recording.parameters
        )
        back = compiled(text)
        carried = np.array([array.flat[entry] for array, entry in recording.carried] or [0.0])
        branch = Branch(
            recording, forward.function(RUN, *SIGNATURE, result=WHOLE),
            back.function(BACK, *BACK_SIGNATURE), carried, (forward, back),
        )  # fmt: skip
        self.branches.insert(0, branch)
        return branch

    # --- back ---

    def back(self, states: Floats, first: int, seeds: Floats, weights: Floats) -> None:
        """Weights of the last state become those of the first; seeds (steps, width) join them."""
        for begin, end, branch in reversed(self.taken):
            rows = slice(begin - first, end - first)
            now, given = states[rows], np.ascontiguousarray(seeds[rows])
            branch.back(
                now.ctypes.data, branch.carried.ctypes.data, self.given.ctypes.data,
                given.ctypes.data, weights.ctypes.data, self.totals.ctypes.data, 0.0, self.step,
                begin, end - begin,
            )  # fmt: skip

    def segments(self) -> list[tuple[int, int]]:
        """Stretches of steps whose states are kept at once."""
        if self.steps * self.width <= MOST_KEPT:
            return [(0, self.steps)]
        length = max(1, min(isqrt(self.steps) + 1, MOST_KEPT // self.width))
        return [(k, min(k + length, self.steps)) for k in range(0, self.steps, length)]


def nothing_seen(recording: Recording) -> Program:
    """A look that changes nothing: what is watched is not part of the motion."""
    inputs = recording.look.inputs
    return Program(inputs, (), (), tuple(Place(k) for k in range(recording.width)))


def stopped(t: float, why: str) -> InvalidOption:
    return InvalidOption(
        f"gradient: the step after t = {t:.6g} s cannot be differentiated: {why}.",
        "Take a smaller step, or leave out functions that are called by address.",
    )
