r"""From a tangent vector to a neighbouring point: what every Lie-group scheme is made of.

A scheme knows points (poses, velocities and integrals), slopes $F = (v, \dot v)$ there, and how
both combine:

$$ x \to x\,\tau(\Phi), \qquad k = d\tau^{-1}_{-\Phi} F . $$

The map $\tau$ is data of the tree: exp, or the Cayley map (see `recursion.motion`).  Velocities and
integrals live in a vector space, where $\tau$ is addition.  A slope has two numbers per velocity,
then one per integral.
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, once, routine
from chasles.core.arrays import clear
from chasles.core.recursion import motion
from chasles.core.recursion.floating import FLOATING_WIDTH
from chasles.core.state_block import SUPPLY_WIDTH
from chasles.scalars.errorfree import compensated


@formula
def slope_length(mechanism: Any) -> int:
    """How many numbers a slope has."""
    return 2 * mechanism.tree.rate_count + linear_count(mechanism)


@formula
def linear_count(mechanism: Any) -> int:
    """How many variables are integrals of the motion: these are added up."""
    flown = FLOATING_WIDTH * mechanism.floating.count
    return mechanism.system.quadrature_count + SUPPLY_WIDTH + flown


@hot
def add_integrals(mechanism: Any, point: Any, increment: Any, count: int, out: Any) -> None:
    """Integrals, supply and what floating systems keep, so many of them, grow by increments."""
    at, into = mechanism.layout.integrals, 2 * mechanism.tree.rate_count
    for k in range(count):
        out[at + k] = point[at + k] + increment[into + k]


@routine
def add_floating(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """What floating systems keep, rounded once per step and not at all on average."""
    layout, rates = mechanism.layout, 2 * mechanism.tree.rate_count
    at, into = layout.floating, rates + layout.floating - layout.integrals
    for k in range(FLOATING_WIDTH * mechanism.floating.count):
        out[at + k], carry_out[rates + k] = compensated(
            point[at + k], carry[rates + k], increment[into + k]
        )


@once
def retract(mechanism: Any, point: Any, increment: Any, out: Any) -> None:
    """out = point * tau(increment), integrals included."""
    motion.retract(mechanism.tree, point, increment, out)
    add_integrals(mechanism, point, increment, linear_count(mechanism), out)


@once
def pull_back(mechanism: Any, increment: Any, slope: Any) -> int:
    """The slope of a point at `increment`, in place, as a slope of the increment: OK or TURNED."""
    outcome: int = motion.pull_back(mechanism.tree, increment, slope)
    return outcome


@once
def finish(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """out = point * tau(increment), rounded once per step and not at all on average.

    Positions and velocities carry what rounding took from them into the next step, and products of
    unit quaternions get their length back, so that joints stay closed over millions of steps.
    """
    motion.finish(mechanism.tree, point, increment, carry, out, carry_out)
    # Where out is point, what floats must not grow twice.
    integrals = mechanism.layout.floating - mechanism.layout.integrals
    add_integrals(mechanism, point, increment, integrals, out)
    add_floating(mechanism, point, carry, increment, out, carry_out)


@hot
def finish_step(mechanism: Any, state: Any, increment: Any, out: Any) -> None:
    """`finish` for blocks, which have what rounding took in them."""
    carry = mechanism.layout.carry
    finish(mechanism, state, beyond(state, carry), increment, out, beyond(out, carry))


@hot
def combine(weights: Any, first: int, count: int, step: float, slopes: Any, length: int,
            out: Any) -> None:  # fmt: skip
    """out = step * sum_l weights[first + l] slopes_l; `slopes` holds `length` numbers each."""
    begun = False
    for stage in range(count):
        weight, at = step * weights[first + stage], stage * length
        if weight != 0.0 and begun:
            for k in range(length):
                out[k] += weight * slopes[at + k]
        elif weight != 0.0:
            begun = True
            for k in range(length):
                out[k] = weight * slopes[at + k]
    if not begun:
        clear(out, length)
