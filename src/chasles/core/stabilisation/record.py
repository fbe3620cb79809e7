"""What a step knows of stabilisation: one record for all kinds, so that one kernel serves them."""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers, System, sizes_of, storage
from chasles.core.stabilisation.residuals import Residuals

# Stabiliser.kind
UNSTABILISED, PROJECTED, FED_BACK = 0, 1, 2


class Stabiliser(NamedTuple):
    """Which joints are stabilised and how, and storage for it.

    kind is UNSTABILISED (joints are left to themselves), PROJECTED (they are closed after every
    step) or FED_BACK (what is open at the start of a step is fed back into its equations).
    """

    kind: int
    found: Residuals
    damping: float  # of feedback: 2 alpha, 1/s
    stiffness: float  # beta^2, 1/s^2
    drift_gain: float  # 1/h for Gear-Gupta-Leimkuhler, 0 for Baumgarte
    pull: Floats  # (rows,) what is added to eta during this step
    drift: Floats  # (6 n + rows,) W - V and mu


def make_record(
    system: System, kind: int, chosen: Integers, gains: tuple[float, float, float]
) -> Stabiliser:
    """`chosen` marks joints by 1; `gains` are damping, stiffness and drift_gain."""
    sizes, rows = sizes_of(system), system.row_count
    found = storage(Residuals, sizes, chosen=np.ascontiguousarray(chosen, np.int64))
    pull, drift = np.zeros(rows), np.zeros(6 * system.body_count + rows)
    return Stabiliser(kind, found, *gains, pull, drift)
