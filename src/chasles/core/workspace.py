"""What a right-hand side writes: made once per run, so that steps allocate nothing."""

from typing import Annotated, NamedTuple

from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ANSWER_WIDTH,
    EXCHANGE_WIDTH,
    ROW_WIDTH,
    Floats,
    System,
    sizes_of,
    storage,
)


class Workspace(NamedTuple):
    """Poses, rows, forces and functions of time of one stage."""

    absolute: Annotated[Floats, "n", ABSOLUTE_WIDTH]  # poses and twists
    jacobian: Annotated[Floats, "rows", ROW_WIDTH]
    eta: Annotated[Floats, "rows"]
    rhs: Annotated[Floats, "6 n"]  # wrenches of forces
    forces: Annotated[Floats, "6 n"]  # Q, where it is asked for
    residual: Annotated[Floats, "6 n + rows"]  # what rows miss, behind zeros
    search: Annotated[Floats, "6 n"]  # twists of all bodies
    signals: Annotated[Floats, "signals"]  # the time and all functions of time, at this stage
    quadratures: Annotated[Floats, "quadratures"]  # integrals at this stage
    quadrature_rates: Annotated[Floats, "quadratures"]
    exchange: Annotated[Floats, EXCHANGE_WIDTH]  # what a user's formula is given ...
    answer: Annotated[Floats, ANSWER_WIDTH]  # ... and what it answers
    formula_gaps: Annotated[Floats, "rows"]  # g of joints by formulas, as last assembled


def make_workspace(system: System) -> Workspace:
    """Workspace for a model."""
    return storage(Workspace, sizes_of(system))
