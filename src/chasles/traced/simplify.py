"""Shorter programs with the same bits: equal operations once, and none that nobody needs.

Only what is exact in floating point is used: a sum or product of the same two numbers is the same
in either order.  x + 0, 0 * x and the like stay, since they change signs of zeros and hide
infinities.
"""

import math
from typing import Any

from chasles.scalars.nodes import Guard, Node, Operand, Place, Program

#: Operations that do not mind the order of their operands.
COMMUTATIVE = ("add", "multiply")


def simplified(program: Program) -> Program:
    """The same program, shared and trimmed."""
    return shared(program).trimmed()


def shared(program: Program) -> Program:
    """Equal operations on equal operands once; guards once."""
    place_of = {k: Place(k) for k in range(program.inputs)}  # old place -> new
    found: dict[Any, Place] = {}
    nodes: list[Node] = []

    def moved(operand: Operand) -> Operand:
        return place_of[operand.index] if isinstance(operand, Place) else operand

    for k, node in enumerate(program.nodes):
        operands = tuple(moved(x) for x in node.operands)
        key = node.name, keys_of(node.name, operands)
        if key not in found:
            found[key] = Place(program.inputs + len(nodes))
            nodes.append(Node(node.name, operands))
        place_of[program.inputs + k] = found[key]
    guards = {Guard(g.name, moved(g.left), moved(g.right), g.outcome): None for g in program.guards}
    outputs = tuple(moved(x) for x in program.outputs)
    return Program(program.inputs, tuple(nodes), tuple(guards), outputs)


def keys_of(name: str, operands: tuple[Operand, ...]) -> tuple[Any, ...]:
    """What tells operands apart: places, and numbers with the sign of zero."""
    keys = tuple(key_of(x) for x in operands)
    return tuple(sorted(keys)) if name in COMMUTATIVE else keys


def key_of(operand: Operand) -> tuple[Any, ...]:
    if isinstance(operand, Place):
        return 0, operand.index, 0.0
    return 1, operand, math.copysign(1.0, operand)
