"""A scalar that records what is done to it.

Formulas and routines are plain Python, so they run on traced scalars as they stand.  Each carries
its value; a comparison takes the branch of that value and leaves a guard.  The contract of what is
traceable:

* branches on values go through `choose` or `if`: each leaves a guard, to hold in every replay;
* the larger of two numbers is `maximum`, one of two that are both known is `pick`: nodes, where
  an `if` would leave a guard that fails often;
* sums that keep their rounding error are `two_sum`, `two_product` and `compensated`, opaque nodes;
* a traced scalar never becomes a float, and loops do not end where a value says so, or the number
  of rounds is guarded, too.

Only exact identities are folded: x * 1, x / 1, x - 0.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chasles.scalars.elementary import select
from chasles.scalars.nodes import (
    COMPARISONS,
    OF_MATH,
    PAIRS,
    PRIMITIVES,
    Guard,
    Node,
    Operand,
    Place,
    Program,
    numpy_name,
)


class Tape:
    """The nodes and guards of a recording."""

    def __init__(self) -> None:
        self.inputs = 0
        self.nodes: list[Node] = []
        self.guards: dict[Guard, None] = {}

    def input(self, value: float) -> "Traced":
        """The next input, recorded at a value."""
        assert not self.nodes, "inputs come before the first operation"
        self.inputs += 1
        return Traced(self, float(value), Place(self.inputs - 1))

    def record(self, name: str, operands: tuple[Any, ...]) -> Any:
        """The result of a primitive: a traced scalar, or two of them."""
        value = PRIMITIVES[name](*(value_of(x) for x in operands))
        place = self.put(name, *map(operand_of, operands))
        if name not in PAIRS:
            return Traced(self, float(value), place)
        return tuple(
            Traced(self, float(value[k]), self.put("part", place, k)) for k in range(len(value))
        )

    def put(self, name: str, *operands: Operand) -> Place:
        self.nodes.append(Node(name, operands))
        return Place(self.inputs + len(self.nodes) - 1)

    def program(self, outputs: Sequence[Any]) -> Program:
        """What was recorded, with the places of the outputs."""
        places = tuple(operand_of(x) for x in outputs)
        return Program(self.inputs, tuple(self.nodes), tuple(self.guards), places)


class Condition:
    """A comparison of traced scalars: whoever asks for its truth takes it for granted."""

    __slots__ = ("guard", "tape")

    def __init__(self, tape: Tape, guard: Guard) -> None:
        self.tape, self.guard = tape, guard

    def __bool__(self) -> bool:
        self.tape.guards[self.guard] = None
        return self.guard.outcome

    def pick(self, a: Any, b: Any) -> "Traced":
        """a or b by the condition, which is part of the program and not taken for granted."""
        guard = self.guard
        operands = guard.left, guard.right, operand_of(a), operand_of(b)
        place = self.tape.put(f"pick {guard.name}", *operands)
        return Traced(self.tape, float(value_of(a if guard.outcome else b)), place)


@select.register(Condition)
def _assume_and_guard(
    condition: Condition, if_true: Any, if_false: Any, args: tuple[Any, ...]
) -> Any:
    return (if_true if condition else if_false)(*args)


class NotRecorded(TypeError):
    """A number of a record was to become a float, which has no record."""


class Traced:
    """A number, where it came from, and the tape that knows."""

    __slots__ = ("place", "tape", "value")

    def __init__(self, tape: Tape, value: float, place: Place) -> None:
        self.tape, self.value, self.place = tape, value, place

    def __repr__(self) -> str:
        return f"Traced({self.value:g})"

    def primitive(self, name: str, operands: tuple[Any, ...]) -> Any:
        """A primitive of traced scalars and numbers; `elementary` calls this."""
        return self.tape.record(name, operands)

    # --- arithmetic ---

    def __add__(self, other: Any) -> "Traced":
        return self.primitive("add", (self, other))

    def __radd__(self, other: Any) -> "Traced":
        return self.primitive("add", (other, self))

    def __sub__(self, other: Any) -> "Traced":
        return self if is_number(other, 0.0) else self.primitive("subtract", (self, other))

    def __rsub__(self, other: Any) -> "Traced":
        return self.primitive("subtract", (other, self))

    def __mul__(self, other: Any) -> "Traced":
        return self if is_number(other, 1.0) else self.primitive("multiply", (self, other))

    def __rmul__(self, other: Any) -> "Traced":
        return self if is_number(other, 1.0) else self.primitive("multiply", (other, self))

    def __truediv__(self, other: Any) -> "Traced":
        return self if is_number(other, 1.0) else self.primitive("divide", (self, other))

    def __rtruediv__(self, other: Any) -> "Traced":
        return self.primitive("divide", (other, self))

    def __pow__(self, power: float) -> "Traced":
        """A square is a product, as in machine code."""
        return self * self if is_number(power, 2.0) else self.primitive("power", (self, power))

    def __neg__(self) -> "Traced":
        return self.primitive("negative", (self,))

    def __pos__(self) -> "Traced":
        return self

    def __abs__(self) -> "Traced":
        return self.primitive("absolute", (self,))

    # --- comparisons ---

    def compared(self, name: str, other: Any) -> Condition:
        outcome = COMPARISONS[name](self.value, value_of(other))
        return Condition(self.tape, Guard(name, self.place, operand_of(other), outcome))

    __hash__ = None

    def __bool__(self) -> bool:
        return bool(self.compared("!=", 0.0))

    def __float__(self) -> float:
        raise NotRecorded("a traced scalar cannot become a float: what it came from would be lost")


def method_of(name: str) -> Callable[..., Traced]:
    """A primitive as a method."""
    return lambda self, *others: self.primitive(name, (self, *others))


def comparison_by(name: str) -> Callable[[Traced, Any], Condition]:
    return lambda self, other: self.compared(name, other)


for _name in (*OF_MATH, "floor"):  # under the names that NumPy looks for
    setattr(Traced, numpy_name(_name), method_of(_name))
for _word, _name in zip(("lt", "le", "gt", "ge", "eq", "ne"), COMPARISONS, strict=True):
    setattr(Traced, f"__{_word}__", comparison_by(_name))


def is_number(x: Any, number: float) -> bool:
    return isinstance(x, float | int) and x == number


def value_of(x: Any) -> Any:
    """The number itself; a condition counts as 0 or 1, and is guarded."""
    if isinstance(x, Traced):
        return x.value
    return float(bool(x)) if isinstance(x, Condition) else x


def operand_of(x: Any) -> Operand:
    return x.place if isinstance(x, Traced) else value_of(x)


def memory_of(array: Any) -> tuple[int, int]:
    """Where the numbers of an array are, and how many bytes."""
    return array.__array_interface__["data"][0], array.nbytes


class Unboxing:
    """Records with flat lists for arrays, however nested: lists can hold traced scalars.

    Arrays that share memory share a list.
    """

    def __init__(self, make: Callable[[Any], Any] = lambda array: array.reshape(-1).tolist()):
        self.make = make
        self.lists: dict[tuple[int, int], tuple[Any, Any]] = {}  # memory -> (array, its list)

    def of(self, record: Any) -> Any:
        if isinstance(record, np.ndarray):
            return self.list_of(record)
        if hasattr(record, "_fields"):
            return type(record)(*(self.of(part) for part in record))
        return tuple(map(self.of, record)) if isinstance(record, tuple) else record

    def list_of(self, array: Any) -> Any:
        key = memory_of(array)
        if array.nbytes == 0:
            return []
        if key not in self.lists:
            self.lists[key] = array, self.make(array)
        return self.lists[key][1]


def recorded(function: Callable[..., Sequence[Any]], inputs: Sequence[float]) -> Program:
    """The program of a function from a list of numbers to a list of numbers, at some inputs."""
    tape = Tape()
    scalars = [tape.input(x) for x in inputs]
    return tape.program(list(function(scalars)))
