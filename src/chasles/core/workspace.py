"""What a right-hand side writes: made once per run, so that steps allocate nothing."""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ANSWER_WIDTH,
    EXCHANGE_WIDTH,
    ROW_WIDTH,
    Floats,
    System,
)


class Workspace(NamedTuple):
    """Poses, rows, forces and functions of time of one stage."""

    absolute: Floats  # (n, ABSOLUTE_WIDTH) poses and twists
    jacobian: Floats  # (rows, ROW_WIDTH)
    eta: Floats  # (rows,)
    rhs: Floats  # (6 n,) wrenches of forces
    forces: Floats  # (6 n,) Q, where it is asked for
    residual: Floats  # (6 n + rows,) what rows miss, behind zeros
    search: Floats  # (6 n,) twists of all bodies
    signals: Floats  # (signals,) the time and all functions of time, at this stage
    quadratures: Floats  # (quadratures,) integrals at this stage
    quadrature_rates: Floats  # (quadratures,)
    exchange: Floats  # (EXCHANGE_WIDTH,) what a user's formula is given ...
    answer: Floats  # (ANSWER_WIDTH,) ... and what it answers
    formula_gaps: Floats  # (rows,) g of joints by formulas, where their rows were last assembled


def make_workspace(system: System) -> Workspace:
    """Scratch for a model."""
    bodies, rows = system.body_count, system.row_count
    return Workspace(
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        eta=np.zeros(rows),
        rhs=np.zeros(6 * bodies),
        forces=np.zeros(6 * bodies),
        residual=np.zeros(6 * bodies + rows),
        search=np.zeros(6 * bodies),
        signals=np.zeros(max(1, system.signal_count)),
        quadratures=np.zeros(system.quadrature_count),
        quadrature_rates=np.zeros(system.quadrature_count),
        exchange=np.zeros(EXCHANGE_WIDTH),
        answer=np.zeros(ANSWER_WIDTH),
        formula_gaps=np.zeros(rows),
    )
