"""Shorter programs with the same numbers: equal operations once, none that nobody needs.

`shared` uses only what is exact in floating point: a sum or product of the same two numbers is the
same in either order.

`folded` leaves out what zeros and powers of two of the model make superfluous: 0 x, x + 0, x / 2^k.
Every result is the same number, but a zero may have the other sign, and 0 x is 0 even where x has
overflowed.  Signs of zeros are seen by nothing but quotients by zero, which are not finite either
way, and by atan2: programs with that are left as they are.  `take_step` gives no state with a
negative zero, and `signed` does the same for programs, so blocks are equal to the last bit.
"""

import math
from collections.abc import Callable
from typing import Any

from chasles.scalars.nodes import (
    COMPARISONS,
    PAIRS,
    PRIMITIVES,
    Guard,
    Node,
    Operand,
    Place,
    Program,
)
from chasles.scalars.traced import Tape

#: Operations that do not mind the order of their operands.
COMMUTATIVE = ("add", "multiply")


def simplified(program: Program) -> Program:
    """The same program, shared and trimmed."""
    return shared(program).trimmed()


def simplified_step(program: Program) -> Program:
    """A step that is folded, too: (block, its two times, parameters) -> block."""
    once = simplified(program)
    if any(node.name == "atan2" for node in once.nodes):
        return once
    return simplified(signed(folded(once)))


def shared(program: Program) -> Program:
    """Equal operations on equal operands once; guards once."""
    return Copy(program).rewritten(Copy.put)


class Copy(Tape):
    """A program in the making, and where the places of another one are in it."""

    def __init__(self, old: Program) -> None:
        super().__init__()
        self.old, self.inputs = old, old.inputs
        self.places: list[Operand] = [Place(k) for k in range(old.inputs)]  # by old place
        self.found: dict[Any, Place] = {}  # by operation and operands

    def moved(self, operand: Operand) -> Operand:
        return self.places[operand.index] if isinstance(operand, Place) else operand

    def put(self, name: str, *operands: Operand) -> Place:
        """A node, or the one that there is already."""
        key = name, keys_of(name, operands)
        if key not in self.found:
            self.found[key] = super().put(name, *operands)
        return self.found[key]

    def node(self, operand: Operand) -> Node | None:
        """The operation that an operand is the result of."""
        if not isinstance(operand, Place) or operand.index < self.inputs:
            return None
        return self.nodes[operand.index - self.inputs]

    def behind_minus(self, operand: Operand) -> Operand | None:
        """x where the operand is -x."""
        node = self.node(operand)
        return node.operands[0] if node is not None and node.name == "negative" else None

    def rewritten(self, put: Callable[..., Operand]) -> Program:
        """The other program with nodes as they are put here, its guards and its outputs."""
        for node in self.old.nodes:
            self.places.append(put(self, node.name, *map(self.moved, node.operands)))
        for g in self.old.guards:
            guard = Guard(g.name, self.moved(g.left), self.moved(g.right), g.outcome)
            if isinstance(guard.left, Place) or isinstance(guard.right, Place):
                self.guards[guard] = None
            else:  # between numbers, now: it holds for ever
                assert COMPARISONS[g.name](guard.left, guard.right) == g.outcome
        return self.program([self.moved(x) for x in self.old.outputs])


def keys_of(name: str, operands: tuple[Operand, ...]) -> tuple[Any, ...]:
    """What tells operands apart: places, and numbers with the sign of zero."""
    keys = tuple(key_of(x) for x in operands)
    return tuple(sorted(keys)) if name in COMMUTATIVE else keys


def key_of(operand: Operand) -> tuple[Any, ...]:
    if isinstance(operand, Place):
        return 0, operand.index, 0.0
    return 1, operand, math.copysign(1.0, operand)


# --- folding ---


def folded(program: Program) -> Program:
    """The same numbers with fewer operations; a zero may have the other sign."""
    return Copy(program).rewritten(fold)


def fold(copy: Copy, name: str, *operands: Operand) -> Operand:
    """The result of an operation: a number, an operand, or a node."""
    if name == "part" or name in PAIRS:
        return copy.put(name, *operands)
    if not any(isinstance(x, Place) for x in operands):
        return float(PRIMITIVES[name](*operands))
    rule = RULES.get(name)
    result = None if rule is None else rule(copy, *operands)
    return copy.put(name, *operands) if result is None else result


def is_number(operand: Operand, number: float) -> bool:
    return not isinstance(operand, Place) and operand == number


def fold_product(copy: Copy, a: Operand, b: Operand) -> Operand | None:
    for one, other in ((a, b), (b, a)):
        if is_number(one, 0.0):
            return 0.0
        if is_number(one, 1.0):
            return other
        if is_number(one, -1.0):
            return fold(copy, "negative", other)
        x = copy.behind_minus(one)
        if x is not None and not isinstance(other, Place):
            return fold(copy, "multiply", x, -other)
        if x is not None:
            return fold(copy, "negative", fold(copy, "multiply", x, other))
    return None


def fold_sum(copy: Copy, a: Operand, b: Operand) -> Operand | None:
    for one, other in ((a, b), (b, a)):
        if is_number(one, 0.0):
            return other
        x = copy.behind_minus(one)
        if x is not None:
            return fold(copy, "subtract", other, x)
    return None


def fold_difference(copy: Copy, a: Operand, b: Operand) -> Operand | None:
    if is_number(b, 0.0):
        return a
    if is_number(a, 0.0):
        return fold(copy, "negative", b)
    x, y = copy.behind_minus(a), copy.behind_minus(b)
    if y is not None:
        return fold(copy, "add", a, y)
    return None if x is None else fold(copy, "negative", fold(copy, "add", x, b))


def fold_quotient(copy: Copy, a: Operand, b: Operand) -> Operand | None:
    """x / 2^k is x 2^-k, to the last bit."""
    if is_number(a, 0.0):
        return 0.0
    if isinstance(b, Place) or abs(math.frexp(b)[0]) != 0.5 or not math.isfinite(1.0 / b):
        return None
    return fold(copy, "multiply", a, 1.0 / b)


def fold_minus(copy: Copy, a: Operand) -> Operand | None:
    """-(-x) is x, and -(x - y) is y - x."""
    node = copy.node(a)
    if node is not None and node.name == "subtract":
        return copy.put("subtract", node.operands[1], node.operands[0])
    return copy.behind_minus(a)


RULES: dict[str, Any] = {
    "multiply": fold_product, "add": fold_sum, "subtract": fold_difference,
    "divide": fold_quotient, "negative": fold_minus,
}  # fmt: skip


# --- signs of zeros ---


def signed(program: Program) -> Program:
    """The program of a step with + 0 at its results, which may be -0.

    The block before it and its times are known not to be.
    """
    known = len(program.outputs) + 2
    nodes, outputs = list(program.nodes), list(program.outputs)
    for k, x in enumerate(program.outputs):
        if not isinstance(x, Place):
            outputs[k] = x + 0.0
        elif x.index >= known:
            nodes.append(Node("add", (x, 0.0)))
            outputs[k] = Place(program.inputs + len(nodes) - 1)
    return Program(program.inputs, tuple(nodes), program.guards, tuple(outputs))
