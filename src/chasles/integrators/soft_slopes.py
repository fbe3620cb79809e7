"""Slopes of linearly implicit stages: what other accelerations change."""

from typing import Any

from chasles.compiled import hot


@hot
def yield_to(mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float, out: Any) -> None:
    """The displacements and velocities of a stage within gamma h = `reach`, into `out`.

    With k_v = a + delta: of the poses sums + reach (u + sums_v + reach k_v), of the velocities
    sums_v + reach k_v.
    """
    rates = mechanism.tree.rate_count
    for k in range(rates):
        at = rates + k
        out[at] = sums[at] + reach * (slope[at] + delta[at])
        out[k] = sums[k] + reach * (slope[k] + out[at])


@hot
def take_delta(mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float) -> None:
    """k_v = a + delta; the poses follow: u + sums_v + reach k_v."""
    rates = mechanism.tree.rate_count
    for k in range(rates):
        slope[rates + k] += delta[rates + k]
        slope[k] += sums[rates + k] + reach * slope[rates + k]


@hot
def mean_velocity(mechanism: Any, point: Any, slope: Any, half: float, out: Any) -> None:
    """v + h k_v / 2, at the place of velocities."""
    tree = mechanism.tree
    for k in range(tree.rate_count):
        at = tree.rate_count + k
        out[at] = point[tree.stored_count + k] + half * slope[at]
