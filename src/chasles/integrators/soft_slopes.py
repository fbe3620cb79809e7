"""Slopes of linearly implicit stages, whatever the mechanism: what other accelerations change."""

from typing import Any

from chasles.compiled import hot
from chasles.core.arrays import CHART_WIDTH, VELOCITY
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import on, seam


@seam
@hot
def yield_to(mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float, out: Any) -> None:
    """The displacements and velocities of a stage within gamma h = `reach`, into `out`.

    With k_v = a + delta: of the poses sums + reach (u + sums_v + reach k_v), of the velocities
    sums_v + reach k_v.
    """
    for body in range(mechanism.system.body_count):
        at = SLOPE_WIDTH * body
        for c in range(at, at + 6):
            out[c + 6] = sums[c + 6] + reach * (slope[c + 6] + delta[c + 6])
            out[c] = sums[c] + reach * (slope[c] + out[c + 6])


@seam
@hot
def take_delta(mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float) -> None:
    """k_v = a + delta; the poses follow: u + sums_v + reach k_v."""
    for body in range(mechanism.system.body_count):
        at = SLOPE_WIDTH * body
        for c in range(at, at + 6):
            slope[c + 6] += delta[c + 6]
            slope[c] += sums[c + 6] + reach * slope[c + 6]


@seam
@hot
def mean_velocity(mechanism: Any, point: Any, slope: Any, half: float, out: Any) -> None:
    """v + h k_v / 2, at the place of velocities."""
    for body in range(mechanism.system.body_count):
        at = SLOPE_WIDTH * body + 6
        for c in range(6):
            velocity = point[CHART_WIDTH * body + VELOCITY + c]
            out[at + c] = velocity + half * slope[at + c]


@seam
@hot
def wrench_at(mechanism: Any, scratch: Any, k: int) -> float:
    """A component of the forces on the bodies at the last stage."""
    force: float = scratch.forces[k]
    return force


@on(yield_to, TreeMechanism)
@hot
def yield_on_tree(
    mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float, out: Any
) -> None:
    rates = mechanism.tree.rate_count
    for k in range(rates):
        at = rates + k
        out[at] = sums[at] + reach * (slope[at] + delta[at])
        out[k] = sums[k] + reach * (slope[k] + out[at])


@on(take_delta, TreeMechanism)
@hot
def take_on_tree(mechanism: Any, slope: Any, delta: Any, sums: Any, reach: float) -> None:
    rates = mechanism.tree.rate_count
    for k in range(rates):
        slope[rates + k] += delta[rates + k]
        slope[k] += sums[rates + k] + reach * slope[rates + k]


@on(mean_velocity, TreeMechanism)
@hot
def mean_on_tree(mechanism: Any, point: Any, slope: Any, half: float, out: Any) -> None:
    tree = mechanism.tree
    for k in range(tree.rate_count):
        at = tree.rate_count + k
        out[at] = point[tree.stored_count + k] + half * slope[at]


@on(wrench_at, TreeMechanism)
@hot
def wrench_on_tree(mechanism: Any, scratch: Any, k: int) -> float:
    force: float = mechanism.memory.wrenches[k]
    return force


on(yield_to, LoopMechanism)(yield_on_tree)
on(take_delta, LoopMechanism)(take_on_tree)
on(mean_velocity, LoopMechanism)(mean_on_tree)
on(wrench_at, LoopMechanism)(wrench_on_tree)
