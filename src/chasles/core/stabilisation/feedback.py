r"""Feedback of gaps into the equations of motion: Baumgarte's, and that of Gear, Gupta, Leimkuhler.

Baumgarte (1972) asks the accelerations to close what is open:

$$ J \dot V = \eta - 2\alpha\,J V - \beta^2 g . $$

Gear, Gupta and Leimkuhler (1985) leave the accelerations to the velocities, and give the kinematic
equation multipliers of its own.  An explicit method needs their equations with both constraints
differentiated once: bodies move with W instead of V,

$$ W = V + M^{-1} J^T \mu, \quad J W = -g / h, \qquad J \dot V = \eta - J V / h . $$

Both g and J V are those at the *start* of the step (J V in J W = J V + J (W - V) is the stage's).
Fed back at every stage with a rate of 1/h they would make the equations stiff, and a method of
order p would lose its order to that of its stages; once per step they are part of the data, of
the size of the errors made so far, and the order is kept.

So sampled, Baumgarte's terms map a gap and its rate (g, h g') of one step to those of the next by

$$ \begin{pmatrix} 1 - \tfrac12(\beta h)^2 & 1 - \alpha h \\
   -(\beta h)^2 & 1 - 2 \alpha h \end{pmatrix}, $$

whose eigenvalues both vanish for alpha = 3/(4h), beta = 1/h: the default; a gap is closed in two
steps.  The other method closes it in one.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.stabilisation.record import FED_BACK


@routine
def pull_joints(system: Any, work: Any, stabiliser: Any) -> None:
    """At a stage, before its equations are solved."""
    if stabiliser.kind == FED_BACK:
        for row in range(system.row_count):
            work.eta[row] += stabiliser.pull[row]
