"""Steps of a run on mpmath numbers: the same formulas as plain Python, with any digits."""

import mpmath

from chasles.core.outcomes import OK
from chasles.ensembles.members import records_of
from chasles.integrators.advance import UNSEEN
from chasles.traced.record import Unboxing, plain_step


def steps_in_mpmath(made, block, step, count, digits):
    """The state block after so many steps from another.

    Numbers of the model and coefficients of the method are the doubles that they are.
    """
    with mpmath.workdps(digits):
        records = Unboxing().of(records_of(made))
        state = [mpmath.mpf(x) for x in block]
        for k in range(count):
            times = step * k, step * (k + 1)
            state, outcome = plain_step(records, state, times, step, UNSEEN)
            assert outcome == OK
        return [mpmath.mpf(x) for x in state]
