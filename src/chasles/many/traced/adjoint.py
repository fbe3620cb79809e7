r"""Reverse mode on the node list: the adjoint of a program is a program.

For outputs y = f(x) and weights $\bar y$ it computes $\bar x = f'(x)^T\bar y$: the nodes of f
again, then one sweep back over them.  Sums that keep their rounding error count as the sums that
they are, and the error itself as zero.  Branches are those that were recorded.
"""

from collections.abc import Callable
from functools import partial
from math import nan
from types import SimpleNamespace
from typing import Any

from chasles.many.traced.simplify import simplified
from chasles.scalars.dual import rules_of
from chasles.scalars.nodes import OF_MATH, Node, Operand, Place, Program, numpy_name
from chasles.scalars.traced import Tape, Traced, operand_of


class Sweep(Tape):
    """Nodes as they are added, and what has come back to every place so far."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.first = program.inputs  # of the weights of outputs, which are inputs, too
        self.inputs = program.inputs + len(program.outputs)
        for node in program.nodes:
            self.put(node.name, *map(self.moved, node.operands))
        self.back: dict[Any, Operand] = {}  # place -> weight

    def moved(self, x: Operand) -> Operand:
        """A place of the program, behind the weights of its outputs."""
        if isinstance(x, Place) and x.index >= self.first:
            return Place(x.index + self.inputs - self.first)
        return x

    def record(self, name: str, operands: tuple[Any, ...]) -> Traced:
        """The result of an operation that somebody else writes out; its value is no matter."""
        return Traced(self, nan, self.put(name, *map(operand_of, operands)))

    def times(self, a: Operand, b: Operand) -> Operand:
        for one, other in ((a, b), (b, a)):
            if one == 1.0:
                return other
        return self.put("multiply", a, b)

    def add(self, to: Operand, weight: Operand, name: str = "add") -> None:
        """Weight comes back to a place, or is taken from it; constants do not mind."""
        if not isinstance(to, Place):
            return
        key = to.index
        if key in self.back:
            self.back[key] = self.put(name, self.back[key], weight)
        else:
            self.back[key] = weight if name == "add" else self.put("negative", weight)


def adjoint(program: Program) -> Program:
    """(inputs, weights of the outputs) -> weights of the inputs; guards are left out."""
    sweep = Sweep(program)
    for k, output in enumerate(program.outputs):
        sweep.add(sweep.moved(output), Place(sweep.first + k))
    for k in range(len(program.nodes) - 1, -1, -1):
        here = sweep.inputs + k
        node = sweep.nodes[k]
        if node.name == "part":
            if here in sweep.back and node.operands[1] == 0:  # the other part is rounding
                whole = node.operands[0]
                assert isinstance(whole, Place)
                sweep.add(whole, sweep.back[here])
        elif here in sweep.back:
            name = "pick" if node.name.startswith("pick ") else node.name
            RULES[name](sweep, node, Place(here), sweep.back[here])
    return simplified(sweep.program([sweep.back.get(k, 0.0) for k in range(sweep.first)]))


# --- rules: of a node, its own place and the weight that came back to it ---

Rule = Callable[[Sweep, Node, Place, Operand], None]


def of_sum(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    for x in node.operands:
        sweep.add(x, g)


def of_difference(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    sweep.add(node.operands[0], g)
    sweep.add(node.operands[1], g, "subtract")


def of_product(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    a, b = node.operands
    if isinstance(a, Place):
        sweep.add(a, sweep.times(g, b))
    if isinstance(b, Place):
        sweep.add(b, sweep.times(g, a))


def of_quotient(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    a, b = node.operands
    share = sweep.put("divide", g, b)
    sweep.add(a, share)
    if isinstance(b, Place):
        sweep.add(b, sweep.put("multiply", share, here), "subtract")


def of_negative(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    sweep.add(node.operands[0], g, "subtract")


def of_absolute(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    a = node.operands[0]
    sweep.add(a, sweep.put("pick <", a, 0.0, sweep.put("negative", g), g))


def of_power(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    a, n = node.operands
    assert not isinstance(n, Place)
    slope = a if n == 2.0 else sweep.put("power", a, n - 1.0)
    sweep.add(a, sweep.put("multiply", g, sweep.put("multiply", n, slope)))


def of_maximum(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    a, b = node.operands
    sweep.add(a, sweep.put("pick >", b, a, 0.0, g))
    sweep.add(b, sweep.put("pick >", b, a, g, 0.0))


def of_pick(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    left, right, a, b = node.operands
    if isinstance(a, Place):
        sweep.add(a, sweep.put(node.name, left, right, g, 0.0))
    if isinstance(b, Place):
        sweep.add(b, sweep.put(node.name, left, right, 0.0, g))


def of_atan2(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    y, x = node.operands
    squares = sweep.put("add", sweep.put("multiply", x, x), sweep.put("multiply", y, y))
    share = sweep.put("divide", g, squares)
    sweep.add(y, sweep.put("multiply", share, x))
    sweep.add(x, sweep.put("multiply", share, y), "subtract")


def of_nothing(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    """Constant between its jumps."""


def of_root(sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    """0.5 / sqrt(x); at the tip of |v| none of its slopes is better than 0."""
    slope = sweep.put("pick ==", here, 0.0, 0.0, sweep.put("divide", 0.5, here))
    sweep.add(node.operands[0], sweep.put("multiply", g, slope))


#: h, h' and h'' of functions of a number; those that nobody asks for are left out in the end.
OF_TRACED = rules_of(SimpleNamespace(
    **{name: lambda x, name=name: x.primitive(name, (x,)) for name in OF_MATH}
))  # fmt: skip


def by_chain(name: str, sweep: Sweep, node: Node, here: Place, g: Operand) -> None:
    """A function of one number, by its derivative."""
    (x,) = node.operands
    if isinstance(x, Place):
        _, slope, _ = OF_TRACED[numpy_name(name)](Traced(sweep, nan, x))
        sweep.add(x, sweep.put("multiply", g, operand_of(slope)))


RULES: dict[str, Rule] = {
    "add": of_sum,
    "subtract": of_difference,
    "multiply": of_product,
    "divide": of_quotient,
    "negative": of_negative,
    "absolute": of_absolute,
    "power": of_power,
    "maximum": of_maximum,
    "pick": of_pick,
    "atan2": of_atan2,
    "floor": of_nothing,
    "two_sum": of_sum,
    "two_product": of_product,
    "compensated": of_sum,
    **{name: partial(by_chain, name) for name, arity in OF_MATH.items() if arity == 1},
    "sqrt": of_root,
}
