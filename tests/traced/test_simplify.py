"""Folded programs compute the numbers of the recorded ones; blocks lose the signs of zeros."""

import math

import numpy as np
import pytest

from chasles.many.traced.simplify import folded, signed, simplified_step
from chasles.scalars.nodes import Guard, Node, Place, Program

BINARY = ("add", "subtract", "multiply", "divide", "maximum")
UNARY = ("negative", "absolute", "sin", "exp")
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, -4.0, 3.0, 0.1)
ODD = (0.0, -0.0, 1.0, -1.0, 2.5, -0.3)


def random_program(rng: np.random.Generator, inputs: int, length: int) -> Program:
    nodes: list[Node] = []

    def operand():
        if rng.random() < 0.4:
            return float(rng.choice(NUMBERS))
        return Place(int(rng.integers(inputs + len(nodes))))

    while len(nodes) < length:
        name = str(rng.choice(BINARY + UNARY))
        operands = (operand(), operand()) if name in BINARY else (operand(),)
        if name == "divide" and not isinstance(operands[1], Place) and operands[1] == 0.0:
            continue
        if any(isinstance(x, Place) for x in operands):
            nodes.append(Node(name, operands))
    outputs = tuple(Place(int(rng.integers(inputs + length))) for _ in range(inputs))
    return Program(inputs, tuple(nodes), (), outputs)


def values(program: Program, inputs: list[float]) -> list[float] | None:
    """The outputs, or None where something overflows or a quotient has no value."""
    places = tuple(Place(k) for k in range(program.inputs + len(program.nodes)))
    whole = Program(program.inputs, program.nodes, (), places)
    try:
        everything, _ = whole.replay(inputs)
    except OverflowError:
        return None
    if not all(map(math.isfinite, everything)):
        return None
    return program.replay(inputs)[0]


@pytest.mark.parametrize("seed", range(8))
def test_folding_changes_no_number(seed):
    rng = np.random.default_rng(seed)
    compared = 0
    for _ in range(150):
        program = random_program(rng, 5, 25)
        for _ in range(6):
            inputs = [float(x) for x in rng.choice(ODD, 5)]
            wanted = values(program, inputs)
            if wanted is not None:
                compared += 1
                assert folded(program).replay(inputs)[0] == wanted  # 0 == -0
    assert compared > 200


@pytest.mark.parametrize("seed", range(8))
def test_a_block_has_the_bits_of_the_recorded_step_without_negative_zeros(seed):
    rng = np.random.default_rng(100 + seed)
    width = 5  # and two times
    for _ in range(150):
        drawn = random_program(rng, width + 2, 25)
        program = Program(drawn.inputs, drawn.nodes, (), drawn.outputs[:width])
        step = simplified_step(program)
        assert len(step.nodes) <= len(program.nodes) + width
        for _ in range(6):
            inputs = [float(x) + 0.0 for x in rng.choice(ODD, width + 2)]
            wanted = values(program, inputs)
            if wanted is not None:
                found = np.array(step.replay(inputs)[0])
                assert found.tobytes() == (np.array(wanted) + 0.0).tobytes()


def test_products_with_zero_and_sums_with_it_are_left_out():
    x, y = Place(0), Place(1)
    nodes = (
        Node("multiply", (0.0, x)), Node("multiply", (y, y)), Node("add", (Place(2), Place(3))),
        Node("divide", (Place(4), 4.0)), Node("negative", (Place(5),)),
        Node("subtract", (x, Place(6))),
    )  # fmt: skip
    short = folded(Program(2, nodes, (), (Place(7),))).trimmed()
    assert [node.name for node in short.nodes] == ["multiply", "multiply", "add"]


def test_programs_that_see_signs_of_zeros_are_left_as_they_are():
    nodes = (Node("multiply", (0.0, Place(0))), Node("atan2", (Place(1), -1.0)))
    program = Program(1, nodes, (), (Place(2),))
    assert simplified_step(program).nodes == nodes


def test_guards_between_numbers_hold_for_ever_and_are_left_out():
    nodes = (Node("multiply", (0.0, Place(0))),)
    guards = (Guard("<", Place(1), 1.0, True), Guard("<", Place(0), 1.0, True))
    assert folded(Program(1, nodes, guards, (Place(0),))).guards == (guards[1],)


def test_a_constant_minus_zero_becomes_zero():
    program = Program(1, (), (), (-0.0,))
    (found,) = signed(program).outputs
    assert math.copysign(1.0, found) == 1.0
