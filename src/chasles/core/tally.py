"""What methods that iterate count as they go: nobody can tell it from the number of steps.

evaluations     of accelerations or forces of the whole mechanism
iterations      of Newton's method, of a fixed point, or corrections of velocities
factorisations  of matrices of the whole mechanism beside those that evaluations factor themselves
"""

from typing import Any

from chasles.compiled import hot

EVALUATED, ITERATED, FACTORED = range(3)
TALLY_WIDTH = 3


@hot
def count_up(tally: Any, what: int, times: int) -> None:
    """Count so many more of a kind."""
    tally[what] += float(times)
