"""A step of a run, and a look at a state, recorded where the run stands.

What survives a step is the state block, and a few numbers of scratch that a step reads before it
writes them: these are inputs and outputs, too.  Everything else of the mechanism is a constant of
the program, unless it is named as a parameter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.judge import look_at_energy, look_at_gaps
from chasles.core.outcomes import OK
from chasles.integrators.advance import SEEN, take_step
from chasles.many.traced.simplify import simplified, simplified_step
from chasles.scalars.nodes import Place, Program
from chasles.scalars.traced import Tape, Unboxing

Records = tuple[Any, Any, Any]  # mechanism, scratch, scheme


class NotTraceable(Exception):
    """A step that cannot be recorded, and why."""


@dataclass(frozen=True)
class Recording:
    """Programs of a step and of a look.

    step     (block, times of its begin and end, what is carried, parameters)
             -> (block, what is carried)
    look     (block, time, parameters) -> block
    carried  entries of arrays that outlive a step beside the block: (array, entry)
    fixed    integers that the step found and left as they are: (array, entry, value)
    """

    width: int
    step: Program
    look: Program
    carried: tuple[tuple[Any, int], ...]
    fixed: tuple[tuple[Any, int, int], ...]
    parameters: int


@dataclass(frozen=True)
class Parameter:
    """A number of the records that differs from member to member.

    An entry of an array, or a field by the path to it.
    """

    array: Any
    entry: int
    path: tuple[int | str, ...]


class Noted(list):
    """A list that knows which of its entries were read before they were written, and which were."""

    def __init__(self, entries: Any) -> None:
        super().__init__(entries)
        self.read: set[int] = set()
        self.written: set[int] = set()

    def __getitem__(self, k: Any) -> Any:
        if k not in self.written:
            self.read.add(k)
        return super().__getitem__(k)

    def __setitem__(self, k: Any, value: Any) -> None:
        self.written.add(k)
        super().__setitem__(k, value)

    def survivors(self) -> list[int]:
        return sorted(self.read & self.written)


def plain_step(
    records: Records, state: list[Any], times: Any, step: float, looking: int = SEEN
) -> tuple[list[Any], int]:
    """A step in plain Python: (the block after it, outcome)."""
    out = [0.0] * len(state)
    outcome = take_step(*records, state, times, step, looking, out)
    return out, outcome


def survivors(
    records: Records, block: Floats, times: Any, step: float, looking: int
) -> tuple[Any, Any]:
    """Entries of arrays that a step reads before it writes them: numbers, and integers."""
    boxes = Unboxing(lambda array: Noted(array.reshape(-1).tolist()))
    opened = boxes.of(records)
    _, outcome = plain_step(opened, block.tolist(), times, step, looking)
    if outcome != OK:
        raise NotTraceable("the step to be recorded fails")
    carried, fixed = [], []
    for array, noted in boxes.lists.values():
        for entry in noted.survivors():
            if array.dtype.kind == "f":
                carried.append((array, entry))
                continue
            found = int(array.reshape(-1)[entry])
            if noted[entry] != found:
                raise NotTraceable("the step to be recorded changes its choices")
            fixed.append((array, entry, found))
    return tuple(carried), tuple(fixed)


def record(
    records: Records, block: Floats, times: tuple[float, float], step: float,
    held: Sequence[tuple[Any, int]] = (), parameters: Sequence[Parameter] = (),
    looking: int = SEEN,
) -> Recording:  # fmt: skip
    """Record a step, and a look at the state before it, unless nobody looks.

    `held` are entries of scratch that others write between two steps.
    """
    width = len(block)
    try:
        with np.errstate(all="ignore"):
            carried, fixed = survivors(records, block, times, step, looking)
            carried += tuple(place for place in held)
            stepped = record_step(records, block, times, step, carried, parameters, looking)
            if looking == SEEN:
                looked = record_reading(records, look_at, block, times[0], parameters)
            else:
                block_again = tuple(Place(k) for k in range(width))
                looked = Program(width + 1 + len(parameters), (), (), block_again)
    except NotTraceable:
        raise
    except Exception as error:  # whatever it is, the generic kernel helps
        raise NotTraceable(f"{type(error).__name__}: {error}") from error
    return Recording(width, stepped, looked, carried, fixed, len(parameters))


def with_inputs(
    boxes: Unboxing, tape: Tape, entries: Sequence[tuple[Any, int]]
) -> list[tuple[Any, int]]:
    """Inputs for entries of arrays, put where they belong: (list, entry)."""
    places = []
    for array, entry in entries:
        numbers = boxes.list_of(array)
        numbers[entry] = tape.input(numbers[entry])
        places.append((numbers, entry))
    return places


def with_parameter_inputs(
    opened: Any, boxes: Unboxing, tape: Tape, parameters: Sequence[Parameter]
) -> Any:
    """The records with inputs for parameters."""
    for parameter in parameters:
        if isinstance(parameter.array, np.ndarray):
            with_inputs(boxes, tape, [(parameter.array, parameter.entry)])
        else:
            traced = tape.input(float(parameter.array))
            opened = with_number(opened, parameter.path, traced)
    return opened


def with_number(record: Any, path: tuple[int | str, ...], value: Any) -> Any:
    """Nested records with another number at a path."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(first, str):
        return record._replace(**{first: with_number(getattr(record, first), rest, value)})
    return tuple(
        with_number(part, rest, value) if k == first else part for k, part in enumerate(record)
    )


def record_step(
    records: Records, block: Floats, times: tuple[float, float], step: float,
    carried: Sequence[tuple[Any, int]], parameters: Sequence[Parameter], looking: int,
) -> Program:  # fmt: skip
    tape, boxes = Tape(), Unboxing()
    opened = boxes.of(records)
    state = [tape.input(x) for x in block.tolist()]
    t = tape.input(times[0]), tape.input(times[1])
    places = with_inputs(boxes, tape, carried)
    opened = with_parameter_inputs(opened, boxes, tape, parameters)
    out, outcome = plain_step(opened, state, t, step, looking)
    if outcome != OK:
        raise NotTraceable("the step to be recorded fails")
    program = tape.program([*out, *(numbers[k] for numbers, k in places)])
    return simplified_step(program, len(block))


def look_at(mechanism: Any, scratch: Any, state: Any, t: Any) -> Any:
    """The state after a look."""
    look_at_energy(mechanism, scratch, state, t)
    look_at_gaps(mechanism, scratch, state, t)
    return state


def record_reading(
    records: Records, read: Callable[[Any, Any, Any, Any], Sequence[Any]], block: Floats, t: float,
    parameters: Sequence[Parameter],
) -> Program:  # fmt: skip
    """(block, time, parameters) -> what is read of a mechanism, scratch, state and time."""
    tape, boxes = Tape(), Unboxing()
    opened = boxes.of(records)
    state = [tape.input(x) for x in block.tolist()]
    now = tape.input(t)
    mechanism, scratch, _ = with_parameter_inputs(opened, boxes, tape, parameters)
    return simplified(tape.program(read(mechanism, scratch, state, now)))
