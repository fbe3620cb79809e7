"""A run of the same formulas in thirty digits: what doubles lose is rounding, and no more.

The reference trajectories have 22 digits and come from other formulas.
"""

import csv
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
from combinations import one_at_a_time
from mechanisms import double_pendulum, heavy_top
from mpmath_runs import positions_in_mpmath, steps_in_mpmath
from traced_runs import run, stepper

DIGITS, UNTIL = 30, 0.1
MODELS = {"top": heavy_top, "pendulum": double_pendulum}
TABLES = Path(__file__).parent.parent / "reference"
CASES = pytest.mark.parametrize(
    "name, space", one_at_a_time(MODELS, ("auto", "SE3"), base=("top", "auto"))
)


def reference(name):
    """Centres of mass at the end."""
    with (TABLES / f"ref_{name}.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if float(row["t"]) == UNTIL]
    with mpmath.workdps(DIGITS):
        return [[mpmath.mpf(row[column]) for column in ("rx", "ry", "rz")] for row in rows]


@cache
def both(name, space, step):
    """State blocks of the run in thirty digits and of that in doubles, and the stepper."""
    count = round(UNTIL / step)
    made = stepper(MODELS[name](), spaces=space, step=step)
    inner = made.layout.integrals
    fine = steps_in_mpmath(made, made.first_block(), step, count, DIGITS)
    coarse = run(stepper(MODELS[name](), spaces=space, step=step), step, count).block
    return fine, coarse, inner, made


@CASES
def test_doubles_differ_by_rounding_from_thirty_digits(name, space):
    """Less than a rounding of the largest number in every step."""
    step = 2e-3
    fine, coarse, inner, _ = both(name, space, step)
    with mpmath.workdps(DIGITS):
        apart = max(
            float(abs(a - mpmath.mpf(b)))
            for a, b in zip(fine[:inner], coarse[:inner].tolist(), strict=True)
        )
    assert 0.0 < apart < np.finfo(float).eps * np.abs(coarse[:inner]).max() * UNTIL / step


@CASES
def test_thirty_digits_agree_with_the_reference_to_the_error_of_the_method(name, space):
    """Which falls as the fourth power of the step, up to a share that falls with the step."""
    errors = []
    for step in (1e-3, 5e-4):
        fine, _, _, made = both(name, space, step)
        with mpmath.workdps(DIGITS):
            found = positions_in_mpmath(made, fine, DIGITS)
            errors.append(float(max(
                abs(a - b) for one, other in zip(found, reference(name), strict=True)
                for a, b in zip(one, other, strict=True)
            )))  # fmt: skip
    assert errors[1] < 1e-7
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)
