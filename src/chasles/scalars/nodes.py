"""A recorded calculation: a list of operations, the comparisons it took for granted, its results.

`Program.replay` runs the list on other inputs, operation by operation, with the very same rounding
as the code that was recorded.  Where a guard fails, that code would have gone another way: the
answer is the number of the guard instead, and the caller runs the code itself.
"""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.scalars.elementary import plain_compensated, plain_two_product, plain_two_sum


@dataclass(slots=True, unsafe_hash=True)  # nobody changes one, and freezing costs half the time
class Place:
    """The result of a node; any other operand is a number."""

    index: int


Operand = Place | float


@dataclass(slots=True, unsafe_hash=True)
class Node:
    """One operation: the name of a primitive, and what it is applied to."""

    name: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class Guard:
    """A comparison whose outcome was taken for granted."""

    name: str
    left: Operand
    right: Operand
    outcome: bool


def numpy_name(name: str) -> str:
    """What NumPy calls a function of `math`."""
    return f"arc{name[1:]}" if name.startswith("a") else name


def places_of(operands: Iterable[Operand]) -> list[int]:
    """Indices of the places among operands."""
    return [x.index for x in operands if isinstance(x, Place)]


def divide(a: float, b: float) -> float:
    """Quotients as in machine code: infinite or NaN where b = 0."""
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def or_nan(function: Callable[..., float]) -> Callable[..., float]:
    """A function of `math` that answers NaN outside its domain, as machine code does."""

    def value(*args: float) -> float:
        try:
            return function(*args)
        except ValueError:
            return math.nan

    return value


def maximum(a: float, b: float) -> float:
    return max(a, b)


#: Functions of `math`, and the numbers that they take.
OF_MATH = {**dict.fromkeys(
    ("sqrt", "sin", "cos", "tan", "tanh", "exp", "log", "atan", "asin", "acos"), 1,
), "atan2": 2}  # fmt: skip
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def picked(comparison: Callable[[float, float], bool]) -> Callable[..., float]:
    """One of the last two of four numbers, by a comparison of the first two."""
    return lambda left, right, a, b: float(a if comparison(left, right) else b)


#: What a node can be.  The last three are opaque: their inner differences are rounding errors,
#: which algebra takes for zero.  They have two results, told apart by "part".
PRIMITIVES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": divide,
    "negative": operator.neg,
    "absolute": abs,
    "power": operator.pow,
    "maximum": maximum,
    "part": operator.getitem,
    **{name: or_nan(getattr(math, name)) for name in OF_MATH},
    **{f"pick {name}": picked(compared) for name, compared in COMPARISONS.items()},
    "floor": lambda x: float(math.floor(x)) if math.isfinite(x) else x,
    "two_sum": plain_two_sum,
    "two_product": plain_two_product,
    "compensated": plain_compensated,
}
#: The same on arrays, with the same bits: NumPy's own sines have others.
ON_ARRAYS: dict[str, Callable[..., Any]] = {
    **{name: np.vectorize(function, otypes=[float]) for name, function in PRIMITIVES.items()},
    **{name: PRIMITIVES[name] for name in (
        "add", "subtract", "multiply", "negative", "absolute", "power", "part", "two_sum",
        "two_product", "compensated",
    )},
    "divide": np.divide, "sqrt": np.sqrt, "floor": np.floor,
    "maximum": lambda a, b: np.where(b > a, b, a),
    **{f"pick {name}": lambda left, right, a, b, compared=compared:
       np.where(compared(left, right), a, b) for name, compared in COMPARISONS.items()},
}  # fmt: skip
PAIRS = ("two_sum", "two_product", "compensated")
#: Numbers that an operation takes.
ARITY = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum"), 2),
    **dict.fromkeys(("negative", "absolute", "floor"), 1),
    **OF_MATH,
    **{f"pick {name}": 4 for name in COMPARISONS},
    "two_sum": 2, "two_product": 2, "compensated": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """Nodes in the order of their evaluation; the first `inputs` places are the inputs."""

    inputs: int
    nodes: tuple[Node, ...]
    guards: tuple[Guard, ...]
    outputs: tuple[Operand, ...]

    @property
    def results(self) -> list[Operand]:
        """What has to be known in the end: outputs, and both sides of every guard."""
        return [*self.outputs, *(x for guard in self.guards for x in (guard.left, guard.right))]

    def replay(self, inputs: Sequence[float]) -> tuple[list[float], int | None]:
        """The outputs at other inputs, and the first guard that fails there, or None."""
        if len(inputs) != self.inputs:
            raise ValueError(f"the program takes {self.inputs} inputs, got {len(inputs)}")
        outputs, sides = self.read(
            [float(x) for x in inputs], lambda name, operands: PRIMITIVES[name](*operands), float
        )
        compared = zip(self.guards, sides)
        failed = (
            k for k, (guard, two) in enumerate(compared)
            if COMPARISONS[guard.name](*two) != guard.outcome
        )  # fmt: skip
        return outputs, next(failed, None)

    def read(
        self, inputs: Sequence[Any], apply: Callable[[str, list[Any]], Any],
        constant: Callable[[float], Any],
    ) -> tuple[list[Any], list[tuple[Any, Any]]]:  # fmt: skip
        """The outputs, and both sides of every guard: as numbers, or as words of a language.

        apply     (name of a primitive, operands) -> its result, or both of its results
        constant  a number as an operand
        """
        values = list(inputs)

        def value(operand: Operand) -> Any:
            return values[operand.index] if isinstance(operand, Place) else constant(operand)

        for node in self.nodes:
            if node.name == "part":
                whole, part = node.operands
                assert isinstance(whole, Place) and not isinstance(part, Place)
                values.append(values[whole.index][int(part)])
            else:
                values.append(apply(node.name, [value(x) for x in node.operands]))
        sides = [(value(guard.left), value(guard.right)) for guard in self.guards]
        return [value(x) for x in self.outputs], sides

    def on_arrays(self, inputs: Any) -> Any:
        """The outputs (outputs, T) at T inputs (inputs, T) at once; guards are not asked."""
        values: list[Any] = list(inputs)
        last = {x: k for k, node in enumerate(self.nodes) for x in places_of(node.operands)}
        kept = set(places_of(self.outputs))

        def value(operand: Operand) -> Any:
            return values[operand.index] if isinstance(operand, Place) else operand

        with np.errstate(all="ignore"):
            for k, node in enumerate(self.nodes):
                values.append(ON_ARRAYS[node.name](*map(value, node.operands)))
                for x in places_of(node.operands):  # what nobody needs any more leaves memory
                    if last[x] == k and x not in kept:
                        values[x] = None
        shape = (len(self.outputs), np.shape(inputs)[1])
        return np.array([np.broadcast_to(value(x), shape[1:]) for x in self.outputs]).reshape(shape)

    def trimmed(self) -> "Program":
        """The same without nodes that neither an output nor a guard needs."""
        needed = set(places_of(self.results))
        for k in range(len(self.nodes) - 1, -1, -1):
            if self.inputs + k in needed:
                needed.update(places_of(self.nodes[k].operands))
        return self.reordered([k for k in range(len(self.nodes)) if self.inputs + k in needed])

    def reordered(self, order: Sequence[int]) -> "Program":
        """Some nodes, or all of them, in an order in which each still follows its operands."""
        new = {k: Place(k) for k in range(self.inputs)}
        new.update({self.inputs + k: Place(self.inputs + at) for at, k in enumerate(order)})

        def moved(x: Operand) -> Operand:
            return new[x.index] if isinstance(x, Place) else x

        nodes = (self.nodes[k] for k in order)
        return Program(
            self.inputs,
            tuple(Node(node.name, tuple(map(moved, node.operands))) for node in nodes),
            tuple(Guard(g.name, moved(g.left), moved(g.right), g.outcome) for g in self.guards),
            tuple(map(moved, self.outputs)),
        )
