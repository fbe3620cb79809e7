"""A model that runs elsewhere: its step as WebAssembly, and starts for positions of sliders.

Every position of the sliders is set up here, as `simulate` would set it up; what differs between
positions are entries of the first block and numbers of the records.  Sliders that move different
entries have tables of their own, the others one for all their combinations.  Entries that only
judge a run (alarms, promises) may depend on several: they are added up, and move nothing.  A step
is recorded where the runs at the ends of the sliders need it: each way that its guards go is a
module.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.core.step_checks import energy_of_placed, potential_of_placed
from chasles.many.ensembles.finish import Loan
from chasles.many.ensembles.members import (
    Members,
    different,
    image_of,
    make_members,
    numbers_of,
)
from chasles.many.ensembles.observe import read_program, violation
from chasles.many.ensembles.step_branches import Recorder, StepBranch, affordable
from chasles.many.traced.formulas import formulas_in_python
from chasles.many.traced.wasm import READ, inexact, read_ir, wasm_module
from chasles.model import InvalidOption
from chasles.run.stepper import Stepper
from chasles.scalars.nodes import Program

MOST_POSITIONS = 200  # of sliders that are coupled, all combinations together
POSE = 12  # numbers of a body's pose: rotation, then place
Positions = tuple[int, ...]  # of every slider
Make = Callable[[Positions], Stepper]


@dataclass
class Table:
    """What some sliders decide: rows of entries, the last slider's positions fastest."""

    sliders: tuple[int, ...]
    columns: Any
    rows: Floats


@dataclass
class Portable:
    """What it takes to run a model elsewhere.

    base  the first block and the parameters, one after the other, at the sliders' first values
    kept  positions of every slider
    """

    step: float
    members: Members
    base: Floats
    kept: list[list[int]]
    tables: list[Table]
    branches: list[StepBranch]
    read: bytes
    words: list[str]  # what is read beside the poses
    stopped: list[tuple[Positions, int]]  # positions of sliders, and the step that was not recorded

    @property
    def width(self) -> int:
        return len(self.members.image.block)

    @cached_property
    def inexact(self) -> list[str]:
        """Functions of libm that a step calls."""
        return inexact([name for branch in self.branches for name in branch.imports])


def portable(
    make: Make, counts: Sequence[int], first: Positions, step: float, steps: int, where: str
) -> Portable:
    """A model whose set-up `make` gives for every position of sliders; `first` are theirs now."""
    groups = coupled_sliders(make, counts, first)
    kept = [kept_positions(counts[k], first[k], len(group))
            for k in range(len(counts)) for group in groups if k in group]  # fmt: skip
    positions = [first]
    for group in groups:
        for combination in product(*(kept[k] for k in group)):
            positions.append(moved(first, dict(zip(group, combination))))
    members = make_members(lambda k: make(positions[k]), len(positions))
    check_members(members, positions, where)
    whole = np.concatenate((members.blocks + 0.0, members.parameters), axis=1)
    tables, at = [], 1
    for group in groups:
        rows = whole[at : at + prod(len(kept[k]) for k in group)]
        at += len(rows)
        columns = np.flatnonzero(different(rows, whole[0]).any(axis=0))
        tables.append(Table(group, columns, rows[:, columns]))
    ends = [moved(first, {k: at}) for k, own in enumerate(kept) for at in (own[0], own[-1])]
    chosen = [0, *(positions.index(at) for at in ends)]
    recorder = Recorder(members, Loan(make(first)), step, where)
    with formulas_in_python(members.stepper.solver.setup.model):
        for k in dict.fromkeys(chosen):
            recorder.follow(k, affordable(steps, recorder, len(chosen)))
        read, words = readout(members)
    return Portable(
        step, members, whole[0], kept, tables, recorder.branches, read, words,
        [(positions[k], reached) for k, reached in recorder.stopped.items()],
    )  # fmt: skip


# --- sliders ---


def kept_positions(count: int, first: int, together: int) -> list[int]:
    """Those of a slider that are set up: all, or evenly spread ones where combinations are many."""
    most = int(MOST_POSITIONS ** (1.0 / together))
    if count <= most:
        return list(range(count))
    spread = np.unique(np.linspace(0, count - 1, most).astype(int))
    spread[np.abs(spread - first).argmin()] = first
    return [int(k) for k in spread]


def coupled_sliders(
    make: Make, counts: Sequence[int], first: Positions
) -> list[tuple[int, ...]]:  # fmt: skip
    """Groups of sliders: those that move the same entries are in one."""

    def vector(at: Positions) -> Floats:
        """First block and all numbers of the records."""
        return image_of(make(at)).whole + 0.0

    ends = [(0, count - 1) for count in counts]
    singles = [(k, at) for k, pair in enumerate(ends) for at in pair]
    moves = ~judging_entries(make(first))
    base = vector(first)
    alone = {(k, at): vector(moved(first, {k: at})) for k, at in singles}
    changed = {single: different(row, base) & moves for single, row in alone.items()}
    for corner in product(*ends):
        overlaid = base.copy()  # what it would be if every slider moved entries of its own
        for single in enumerate(corner):
            overlaid[changed[single]] = alone[single][changed[single]]
        if (different(overlaid, vector(corner)) & moves).any():
            return [tuple(range(len(counts)))]  # entries that depend on several at once
    return together([changed[k, low] | changed[k, high] for k, (low, high) in enumerate(ends)])


def judging_entries(stepper: Stepper) -> Any:
    """Which numbers of a block and of records decide about warnings, and about no motion."""
    block = np.arange(stepper.layout.width) >= stepper.layout.seen
    numbers = [np.full(np.size(value), "promises" in path)
               for path, value in numbers_of(stepper).items()]  # fmt: skip
    return np.concatenate((block, *numbers))


def moved(positions: Positions, others: dict[int, int]) -> Positions:
    return tuple(others.get(k, at) for k, at in enumerate(positions))


def together(changed: Sequence[Any]) -> list[tuple[int, ...]]:
    """Sliders that move the same entries, together."""
    groups: list[tuple[tuple[int, ...], Any]] = []
    for k, own in enumerate(changed):
        meeting = [g for g in groups if (g[1] & own).any()]
        groups = [g for g in groups if not (g[1] & own).any()]
        sliders = tuple(sorted([k, *(i for g in meeting for i in g[0])]))
        groups.append((sliders, np.any([own, *(g[1] for g in meeting)], axis=0)))
    return [sliders for sliders, _ in groups]


def check_members(members: Members, positions: Sequence[Positions], where: str) -> None:
    refused = next((k for k, words in enumerate(members.status) if words), None)
    if refused is not None:
        raise InvalidOption(
            f"{where}: at positions {positions[refused]} of the sliders the model cannot"
            f" start: {members.status[refused].removeprefix('refused: ')}",
            "Give sliders= with smaller ranges.",
        )
    if members.odd:
        raise InvalidOption(
            f"{where}: a slider changes the structure of the model, and not only numbers.",
            "Leave it out, or keep it away from values where something vanishes.",
        )


# --- what is read from a state ---


def readout(members: Members) -> tuple[bytes, list[str]]:
    """A module that reads poses, the energies and the gaps of joints, and names of the latter."""
    stepper = members.stepper
    model, setup = stepper.solver.setup.model, stepper.solver.setup
    joints = list(model.joint_names)

    def values(with_gaps: bool) -> Callable[[Any, Any], list[Any]]:
        def found(mechanism: Any, workspace: Any) -> list[Any]:
            out = []
            for body in model.body_names:
                at = setup.body_index[body] * ABSOLUTE_WIDTH
                out += [workspace.absolute[at + k] for k in range(POSE)]
            out.append(energy_of_placed(mechanism.system, workspace))
            out.append(potential_of_placed(mechanism, mechanism.tree.gravity, workspace)[0])
            if with_gaps:
                out += [
                    violation(setup.joint_index[j])(mechanism.system, workspace) for j in joints
                ]
            return out

        return found

    def program(with_gaps: bool) -> Program:
        block = members.blocks[0] + 0.0
        return read_program(stepper, values(with_gaps), block, members.places, signals=False)

    words = ["kinetic", "potential", *joints]
    try:
        made = program(True)
    except Exception:  # a joint of an unusual kind: poses and energies are enough
        made, words = program(False), words[:2]
    text = read_ir(made, len(members.image.block))
    return wasm_module(text, READ)[0], words
