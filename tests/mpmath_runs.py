"""Steps of a run on mpmath numbers: the same formulas as plain Python, with any digits."""

import mpmath

from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_X
from chasles.core.outcomes import OK
from chasles.core.recursion.kinematics import kinematics, place
from chasles.integrators.advance import UNSEEN
from chasles.many.ensembles.members import records_of
from chasles.many.traced.record import plain_step
from chasles.scalars.traced import Unboxing


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


def positions_in_mpmath(made, block, digits):
    """Centres of mass (n, 3), a list of lists."""
    mechanism, workspace, _ = Unboxing().of(records_of(made))
    with mpmath.workdps(digits):
        kinematics(mechanism.tree, list(block), mechanism.tree_work.rows)
        place(mechanism.tree, list(block), mechanism.tree_work.rows, workspace.absolute)
    absolute, count = workspace.absolute, mechanism.system.body_count
    return [
        [absolute[ABSOLUTE_WIDTH * body + POSE_X + k] for k in range(3)] for body in range(count)
    ]
