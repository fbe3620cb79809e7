"""A step of a run, and a look at a state, recorded where the run stands.

What survives a step is the state block: a step that goes on from anything else is not recorded.
Everything of the mechanism is a constant of the program, unless it is named as a parameter.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.outcomes import OK
from chasles.core.step_checks import monitor_energy, monitor_gaps
from chasles.integrators.advance import SEEN, take_step
from chasles.many.traced.simplify import simplified, simplified_step
from chasles.scalars.nodes import Place, Program
from chasles.scalars.traced import Tape, Unboxing, memory_of

Records = tuple[Any, Any, Any]  # mechanism, workspace, scheme
Path = tuple[int | str, ...]
#: A number of the records: where its array is, and which entry; of a number by itself entry 0.
Key = tuple[Path, int]


class NotTraceable(Exception):
    """A step that cannot be recorded, and why."""


@dataclass(frozen=True)
class Recording:
    """Programs of a step and of a look.

    step     (block, times of its begin and end, parameters) -> block
    look     (block, time, parameters) -> block
    counted  what a step adds to the tally of its scheme, if that has one
    """

    step: Program
    monitor: Program
    counted: tuple[float, ...] = ()

    @property
    def width(self) -> int:
        """Of a block."""
        return len(self.step.outputs)

    @property
    def parameters(self) -> int:
        """How many there are."""
        return self.step.inputs - self.width - 2


def own_leaves(records: Records) -> dict[Path, Any]:
    """All arrays and numbers of nested records; each array once: some stand in several records."""
    found: dict[Path, Any] = {}
    known = set()
    for path, value in leaves(records):
        if isinstance(value, np.ndarray):
            if memory_of(value) in known:
                continue
            known.add(memory_of(value))
        found[path] = value
    return found


def leaves(record: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All arrays and numbers, and where they are."""
    if isinstance(record, np.ndarray | float | int):
        yield path, record
    elif isinstance(record, tuple):
        names = getattr(record, "_fields", range(len(record)))
        for name, part in zip(names, record, strict=True):
            yield from leaves(part, (*path, name))


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

    @property
    def survives(self) -> bool:
        return not self.read.isdisjoint(self.written)


def plain_step(
    records: Records, state: list[Any], times: Any, step: float, monitoring: int = SEEN
) -> tuple[list[Any], int]:
    """A step in plain Python: (the block after it, outcome)."""
    out = [0.0] * len(state)
    outcome = take_step(*records, state, times, step, monitoring, out)
    return out, outcome


def tally_of(scheme: Any) -> Any:
    """The array in which a scheme counts what it does, or None."""
    return getattr(scheme, "tally", None)


def record(
    records: Records, block: Floats, times: tuple[float, float], step: float,
    parameters: Sequence[Key] = (), monitoring: int = SEEN,
) -> Recording:  # fmt: skip
    """Record a step, and a look at the state before it, unless nobody looks."""
    try:
        with np.errstate(all="ignore"):
            stepped, counted = record_step(records, block, times, step, parameters, monitoring)
            if monitoring == SEEN:
                looked = record_reading(records, monitored, block, times[0], parameters)
            else:
                block_again = tuple(Place(k) for k in range(len(block)))
                looked = Program(len(block) + 1 + len(parameters), (), (), block_again)
    except NotTraceable:
        raise
    except Exception as error:  # whatever it is, the generic kernel helps
        raise NotTraceable(f"{type(error).__name__}: {error}") from error
    return Recording(stepped, looked, counted)


class Opened:
    """Records with lists for arrays, in which traced inputs are put."""

    def __init__(self, records: Records, tape: Tape) -> None:
        self.tape, self.leaves, self.tally = tape, own_leaves(records), tally_of(records[2])
        self.boxes = Unboxing(lambda array: Noted(array.reshape(-1).tolist()))
        self.records = self.boxes.of(records)

    def numbers(self, path: Path) -> Any:
        """The list in the place of an array."""
        return self.boxes.list_of(self.leaves[path])

    def put_inputs(self, keys: Sequence[Key]) -> None:
        for path, entry in keys:
            if isinstance(self.leaves[path], np.ndarray):
                value = self.leaves[path].reshape(-1)[entry]
                list.__setitem__(self.numbers(path), entry, self.tape.input(value))
            else:
                traced = self.tape.input(float(self.leaves[path]))
                self.records = with_number(self.records, path, traced)

    def survivors(self) -> list[Path]:
        """Arrays that a step has read before it wrote them, but for the tally.

        Of a step that is as good as its state block there are none.
        """
        tally = None if self.tally is None else memory_of(self.tally)
        return [path for path, array in self.leaves.items()
                if isinstance(array, np.ndarray) and array.size and self.numbers(path).survives
                and memory_of(array) != tally]  # fmt: skip

    def counted(self) -> tuple[float, ...]:
        """What a step has added to the tally."""
        if self.tally is None:
            return ()
        pairs = zip(self.boxes.list_of(self.tally), self.tally.tolist(), strict=True)
        return tuple(after - before for after, before in pairs)


def with_number(record: Any, path: Path, value: Any) -> Any:
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
    parameters: Sequence[Key], monitoring: int,
) -> tuple[Program, tuple[float, ...]]:  # fmt: skip
    """The program, and what the step counts."""
    tape = Tape()
    opened = Opened(records, tape)
    state = [tape.input(x) for x in block.tolist()]
    t = tape.input(times[0]), tape.input(times[1])
    opened.put_inputs(parameters)
    out, outcome = plain_step(opened.records, state, t, step, monitoring)
    if outcome != OK:
        raise NotTraceable("the step to be recorded fails")
    for path in opened.survivors():
        raise NotTraceable(f"the step goes on from '{path[-1]}', which is not in its state")
    return simplified_step(tape.program(out)), opened.counted()


def monitored(mechanism: Any, workspace: Any, state: Any, t: Any) -> Any:
    """The state after a look."""
    monitor_energy(mechanism, workspace, state, t)
    monitor_gaps(mechanism, workspace, state, t)
    return state


def record_reading(
    records: Records, read: Callable[[Any, Any, Any, Any], Sequence[Any]], block: Floats, t: float,
    parameters: Sequence[Key],
) -> Program:  # fmt: skip
    """(block, time, parameters) -> what is read of a mechanism, workspace, state and time."""
    tape = Tape()
    opened = Opened(records, tape)
    state = [tape.input(x) for x in block.tolist()]
    now = tape.input(t)
    opened.put_inputs(parameters)
    mechanism, workspace, _ = opened.records
    return simplified(tape.program(read(mechanism, workspace, state, now)))
