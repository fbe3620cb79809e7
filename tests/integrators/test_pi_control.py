"""The step that is tried next, against Gustafsson's PI control as in DOPRI5."""

from types import SimpleNamespace

import numpy as np
import pytest

from chasles.integrators.adaptive import (
    LAST_ERROR,
    LONGEST,
    REJECTED,
    SAFETY,
    SHORTEST,
    SMALL_ERROR,
    next_step,
)

ROOM = 1 + max(LAST_ERROR, REJECTED)


def tried(error, last, k=5, rejected=0.0):
    control = np.zeros(ROOM)
    control[LAST_ERROR], control[REJECTED] = last, rejected
    step = next_step(SimpleNamespace(estimate=float(k)), 1.0, error, control)
    assert control[LAST_ERROR] == max(error, SMALL_ERROR)
    return step


@pytest.mark.parametrize("error, last", [(0.5, 0.5), (0.9, 0.1), (0.1, 0.9), (0.3, 0.7)])
def test_steps_are_those_of_dopri5(error, last):
    """Hairer, Norsett, Wanner: beta = 0.04, fac = err^(0.2 - 0.75 beta) / facold^beta."""
    assert tried(error, last) == pytest.approx(SAFETY * last**0.04 / error**0.17, rel=1e-14)


def test_errors_that_grow_shorten_the_step_more_than_errors_that_fall():
    """The integral part: the same error, after a smaller one, is on its way up."""
    assert tried(0.5, last=0.1) < tried(0.5, last=0.5) < tried(0.5, last=0.9)


def test_a_steady_error_settles_where_the_step_stays():
    """err = h^k: steps end where s err^(7 beta / 4 - 1 / k) = s h^-0.65 = 1."""
    for k in (3, 5, 8):
        for step in (0.2, 1.0):
            control, pair = np.zeros(ROOM), SimpleNamespace(estimate=float(k))
            control[LAST_ERROR] = 1e-4
            for _ in range(100):
                step = next_step(pair, step, step**k, control)
            assert step == pytest.approx(SAFETY ** (1.0 / 0.65), rel=1e-12)


def test_steps_change_within_bounds_and_do_not_grow_after_a_rejection():
    assert tried(1e-12, 1e3) == LONGEST and tried(1e9, 1e-4) == SHORTEST
    assert tried(1e-3, 1.0, rejected=1.0) == 1.0
