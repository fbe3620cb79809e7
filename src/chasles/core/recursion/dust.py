"""Numbers that are nothing are made zero, where a chain is long.

What moves one end of a chain is felt by every link some times less than by the one before: after
some hundred links it is 1e-300, and multiplications of subnormal numbers take a hundred times as
long as others.  Forces (N, N m), accelerations (m/s^2, rad/s^2) and multipliers below DUST would
have to grow by more than a hundred orders of magnitude to be seen beside anything that a model is
about, in any units; squares of what is left are normal numbers.  Models of fewer than LONG bodies
are left as they are: there is nothing to gain.
"""

from typing import Any

from chasles.compiled import formula
from chasles.scalars.elementary import absolute, pick

DUST = 1e-140
LONG = 64


@formula
def swept(x: Any) -> Any:
    return pick(absolute(x) < DUST, 0.0, x)


@formula
def swept3(v: Any) -> Any:
    return swept(v[0]), swept(v[1]), swept(v[2])
