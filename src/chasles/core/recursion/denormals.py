"""Numbers far below round-off are set to zero (flushed) in long chains.

Each link feels what moves one end of a chain some times less than the link before, until products
of such numbers are subnormal, and multiplications of these take a hundred times as long.  Forces
(N, N m), accelerations, multipliers, inertias and mobilities below NEGLIGIBLE are forty orders of
magnitude below round-off in a model of any size.  Products of four numbers above it are normal.
Links of equal mass pass on a quarter, so that LONG bodies are 120 orders of magnitude; shorter
chains are left as they are.  In long ones every so many bodies flush such numbers
(`build_tree.flushing_bodies`).
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
