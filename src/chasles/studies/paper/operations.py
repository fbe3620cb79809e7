"""How many operations a group's update takes: the formulas run on numbers that are recorded."""

from chasles.groups.se3 import se3_compose, se3_dexp_inv, se3_exp
from chasles.groups.so3xr3 import so3xr3_compose, so3xr3_dexp_inv, so3xr3_exp
from chasles.scalars.traced import Tape, Traced

UPDATES = {
    "SE3": (se3_dexp_inv, se3_exp, se3_compose),
    "SO3xR3": (so3xr3_dexp_inv, so3xr3_exp, so3xr3_compose),
}


def inputs(tape: Tape, *values: float) -> tuple[Traced, ...]:
    return tuple(tape.input(value) for value in values)


def operations_of(tape: Tape) -> int:
    return sum(node.name in ("add", "subtract", "multiply", "divide") for node in tape.nodes)


def operations_of_a_stage(group: str) -> int:
    """Additions, subtractions, multiplications and divisions in dexp^-1, exp and composition."""
    dexp_inv, exp, compose = UPDATES[group]
    tape = Tape()
    psi = inputs(tape, 0.04, -0.06, 0.07), inputs(tape, 0.1, 0.2, 0.3)
    velocity = inputs(tape, 10.0, 20.0, -30.0), inputs(tape, 1.0, 2.0, 3.0)
    pose = inputs(tape, 0.5, -0.5, 0.5, 0.5), inputs(tape, 1.0, 2.0, 3.0)
    dexp_inv(psi, velocity)
    compose(pose, exp(psi))
    return operations_of(tape)
