"""Random mechanisms move as Newton's and Euler's equations in `mechanism.py` say.

Every seed is a model with joints, forces, drivers and couplings of any kinds.  It runs with rk4 on
the default spaces, and with another method on other ones; two step lengths are extrapolated by the
method's order, so that what is left is small against their difference.
"""

from typing import Any

import numpy as np
import pytest
from oracle.comparing import ORDERS, UNTIL, compared, is_documented, oracle_numbers, random_spaces
from oracle.mechanism import Mechanism, NoMotion
from oracle.random_models import Case, random_case

import chasles as ch

BATCHES, BATCH = 100, 100
#: Loops with a formula that ties two bodies: rows that meet what another group of rows left.
MET = (5167, 6422, 7912, 9842)
#: Stops with damping: forces jump where they are hit.
JUMPS = (4281, 8176)
#: Drivers that come to a singular pose, before which implicit stages do not converge.
TOWARDS_SINGULAR = (4974,)
METHODS = list(ORDERS)
#: Five models, one of each family, with every method; two of the five are quick.
FIVES = 5 * len(METHODS)
QUICK = {5 * k + (k + other) % 5 for k in range(len(METHODS)) for other in (0, 2)}


def check(case: Case, expected: Any, method: str, spaces: Any) -> bool:
    """Whether it ran and is right; one that differs from the oracle without a word fails."""
    try:
        found = compared(case, expected, method, spaces)
    except ch.ChaslesError as error:
        if not is_documented(error):
            raise
        return False
    assert found.agrees or found.is_told, (case.seed, case.family, method, spaces, found)
    return found.agrees


def check_seed(seed: int) -> bool:
    """Whether rk4 on the default spaces ran; what ran is right.

    Where the oracle comes to a singular pose there is no motion to compare.
    """
    case, rng = random_case(seed), np.random.default_rng((seed, 1))
    mechanism = Mechanism(case.model)
    try:
        expected = oracle_numbers(mechanism, mechanism.motion(UNTIL))
    except NoMotion:
        return False
    has_run = check(case, expected, "rk4", "auto")
    method = METHODS[seed // 5 % len(METHODS)]
    if not check(case, expected, method, random_spaces(rng, case.model)):
        check(case, expected, method, "auto")
    return has_run


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("seed", [*sorted(QUICK), *MET, *JUMPS, *TOWARDS_SINGULAR])
def test_a_random_mechanism_moves_as_newton_and_euler_say(seed):
    check_seed(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_so_do_the_others_of_every_family_with_every_method():
    ran = [check_seed(seed) for seed in range(FIVES) if seed not in QUICK]
    assert sum(ran) > 0.9 * len(ran)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_hundred_more_do(batch):
    seeds = range(1000 + BATCH * batch, 1000 + BATCH * (batch + 1))
    assert sum(check_seed(seed) for seed in seeds) > 0.9 * BATCH
