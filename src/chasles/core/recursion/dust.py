"""Numbers that are nothing are made zero, where a chain is long.

What moves one end of a chain is felt by every link some times less than by the one before, until
products of such numbers are subnormal, and multiplications of these take a hundred times as long
as others.  Forces (N, N m) that links hand on, and multipliers, below DUST would have to grow by
more than forty orders of magnitude to be seen beside rounding errors, in a model of any size that
there is; beyond them all is zero.  Accelerations that are not zero are then some DUST or larger:
products of four numbers that come from them are normal.  Links of equal mass hand on a quarter,
so that LONG bodies are 120 orders of magnitude; models with fewer are left as they are.
"""

from typing import Any

from chasles.compiled import formula
from chasles.scalars.elementary import absolute, pick

DUST = 1e-70
LONG = 200


@formula
def swept(x: Any) -> Any:
    return pick(absolute(x) < DUST, 0.0, x)


@formula
def swept3(v: Any) -> Any:
    return swept(v[0]), swept(v[1]), swept(v[2])
