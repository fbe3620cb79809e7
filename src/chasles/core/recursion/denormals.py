"""Numbers far below round-off are set to zero (flushed) in long chains.

What moves one end of a chain is felt by every link some times less than by the one before, until
products of such numbers are subnormal, and multiplications of these take a hundred times as long
as others.  Forces (N, N m) that links hand on, accelerations and multipliers below DUST would have
to grow by more than forty orders of magnitude to be seen beside rounding errors, in a model of any
size that there is; so would what they meet in inertias (kg, kg m, kg m^2) and mobilities.  Beyond
them all is zero.  What comes from numbers that are not zero is then some DUST or larger: products
of four are normal.  Links of equal mass hand on a quarter, so that LONG bodies are 120 orders of
magnitude; shorter chains are left as they are.  In long ones every so many bodies flush such
numbers (`build_tree.flushing_bodies`): what they leave is ten orders of magnitude smaller where the
next one does.
"""

from typing import Any

from chasles.compiled import formula
from chasles.scalars.elementary import absolute, pick

NEGLIGIBLE = 1e-70
LONG = 200


@formula
def flushed(x: Any) -> Any:
    return pick(absolute(x) < NEGLIGIBLE, 0.0, x)


@formula
def flushed3(v: Any) -> Any:
    return flushed(v[0]), flushed(v[1]), flushed(v[2])


@formula
def flushed6(m: Any) -> Any:
    return flushed3((m[0], m[1], m[2])) + flushed3((m[3], m[4], m[5]))


@formula
def flushed_inertia(a: Any) -> Any:
    """(I, H, M) without what is nothing."""
    i, h, m = a
    h = flushed6(h[:6]) + flushed3(h[6:])
    return flushed6(i), h, flushed6(m)
