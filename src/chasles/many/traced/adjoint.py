r"""Reverse mode on the node list: the adjoint of a program is a program.

For outputs y = f(x) and weights $\bar y$ it computes $\bar x = f'(x)^T\bar y$: the nodes of f
again, then one sweep back over them.  Sums that keep their rounding error count as the sums that
they are, and the error itself as zero.  Branches are those that were recorded.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan
from types import SimpleNamespace
from typing import Any

from chasles.many.traced.simplify import Copy, fold
from chasles.scalars.dual import rules_of
from chasles.scalars.nodes import COMPARISONS, OF_MATH, Operand, Place, Program, numpy_name
from chasles.scalars.traced import Traced, operand_of

#: Weights of the operands from the weight g of a result y, y itself and the operands.
Rule = Callable[..., Sequence[Any]]


class Sweep(Copy):
    """The nodes of a program, those of the way back, and the weights of all places so far."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.inputs += len(program.outputs)  # of the weights of outputs, which are inputs, too
        for node in program.nodes:
            self.places.append(self.put(node.name, *map(self.moved, node.operands)))
        self.weights: dict[int, Any] = {}

    def record(self, name: str, operands: tuple[Any, ...]) -> Any:
        return self.scalar(fold(self, name, *map(operand_of, operands)))

    def scalar(self, operand: Operand) -> Any:
        """An operand as the rules take it; its value is no matter."""
        return Traced(self, nan, operand) if isinstance(operand, Place) else operand

    def add(self, to: Operand, weight: Any) -> None:
        """Weight comes back to a place; constants do not mind."""
        if isinstance(to, Place):
            before = self.weights.get(to.index)
            self.weights[to.index] = weight if before is None else before + weight


def adjoint(program: Program) -> Program:
    """(inputs, weights of the outputs) -> weights of the inputs; guards are left out."""
    sweep = Sweep(program)
    for k, output in enumerate(program.outputs):
        sweep.add(sweep.moved(output), sweep.scalar(Place(program.inputs + k)))
    for k in range(len(sweep.nodes) - 1, -1, -1):
        node, here = sweep.nodes[k], Place(sweep.inputs + k)
        weight = sweep.weights.get(here.index)
        if weight is None:
            continue
        if node.name == "part":
            if node.operands[1] == 0:  # the other part is rounding
                sweep.add(node.operands[0], weight)
            continue
        found = RULES[node.name](weight, sweep.scalar(here), *map(sweep.scalar, node.operands))
        for operand, share in zip(node.operands, found, strict=True):
            sweep.add(operand, share)
    weights = [sweep.weights.get(k, 0.0) for k in range(program.inputs)]
    return sweep.program(weights).trimmed()


def of_power(g: Any, y: Any, a: Any, n: float) -> Sequence[Any]:
    return g * (n * (a if n == 2.0 else a ** (n - 1.0))), 0.0


def of_pick(name: str, g: Any, y: Any, left: Any, right: Any, a: Any, b: Any) -> Sequence[Any]:
    condition = COMPARISONS[name](left, right)
    return 0.0, 0.0, condition.pick(g, 0.0), condition.pick(0.0, g)


def of_atan2(g: Any, angle: Any, y: Any, x: Any) -> Sequence[Any]:
    share = g / (x * x + y * y)
    return share * x, -(share * y)


def of_root(g: Any, root: Any, x: Any) -> Sequence[Any]:
    """0.5 / sqrt(x); at the tip of |v| none of its slopes is better than 0."""
    return (g * (root == 0.0).pick(0.0, 0.5 / root),)


#: h, h' and h'' of functions of a number; those that nobody asks for are left out in the end.
OF_TRACED = rules_of(SimpleNamespace(
    **{name: lambda x, name=name: x.primitive(name, (x,)) for name in OF_MATH}
))  # fmt: skip


def by_chain(name: str, g: Any, y: Any, x: Any) -> Sequence[Any]:
    """A function of one number, by its derivative."""
    return (g * OF_TRACED[numpy_name(name)](x)[1],)


RULES: dict[str, Rule] = {
    "add": lambda g, y, a, b: (g, g),
    "subtract": lambda g, y, a, b: (g, -g),
    "multiply": lambda g, y, a, b: (g * b, g * a),
    "divide": lambda g, y, a, b: (g / b, -(g / b * y)),
    "negative": lambda g, y, a: (-g,),
    "absolute": lambda g, y, a: ((a < 0.0).pick(-g, g),),
    "power": of_power,
    "maximum": lambda g, y, a, b: ((b > a).pick(0.0, g), (b > a).pick(g, 0.0)),
    **{f"pick {name}": partial(of_pick, name) for name in COMPARISONS},
    "atan2": of_atan2,
    "floor": lambda g, y, a: (0.0,),
    "two_sum": lambda g, y, a, b: (g, g),
    "two_product": lambda g, y, a, b: (g * b, g * a),
    "compensated": lambda g, y, total, carry, term: (g, g, g),
    **{name: partial(by_chain, name) for name, arity in OF_MATH.items() if arity == 1},
    "sqrt": of_root,
}
