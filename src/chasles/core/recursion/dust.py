"""Numbers that are nothing are made zero, where a chain is long.

What moves one end of a chain is felt by every link some times less than by the one before: after
some hundred links it is 1e-300, and multiplications of subnormal numbers take a hundred times as
long as others.  Forces (N, N m) that links hand on and multipliers below DUST would have to grow by
more than a hundred orders of magnitude to be seen beside anything that a model is about, in any
units.  Beyond them all is zero: accelerations that are not are some DUST or larger, so that squares
of the velocities which they make are normal numbers.  Links halve what they hand on about twice:
LONG bodies take 114 orders of magnitude, and models with fewer are left as they are.
"""

from typing import Any

from chasles.compiled import formula
from chasles.scalars.elementary import absolute, pick

DUST = 1e-140
LONG = 200


@formula
def swept(x: Any) -> Any:
    return pick(absolute(x) < DUST, 0.0, x)


@formula
def swept3(v: Any) -> Any:
    return swept(v[0]), swept(v[1]), swept(v[2])
