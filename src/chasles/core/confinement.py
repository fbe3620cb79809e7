r"""Slopes stay in the algebra of the joint that carries the body: a constant projector.

**Lemma.**  Let the chart of a body keep a joint to its reference (see `spaces.exactness`, case 1).
Then what the joint allows is, in the velocity variable U of the chart, a constant subspace h: in
the axes of the joint some components are zero,

$$ e_k\cdot w = 0, \qquad
   f_k\cdot u = p\,\delta_{kz}\,e_z\cdot w \qquad\text{for the locked } k, $$

with e the joint's axes on the body, f those on the reference for SO(3)xR3 (whose u is a velocity
in the axes of the reference) and on the body for SE(3) (whose u is first taken to the joint's
point), and p the pitch.  Accelerations with $J\dot V = \eta$ have $\dot U\in h$.

*Proof.*  $J V = 0$ is $U\in h$ at every pose that the joint allows, and eta is defined such that
$J\dot V = \eta$ is the derivative of $J V = 0$ along the motion; h does not depend on the pose.

In doubles $\dot U$ leaves h by an ulp, and what has left is not brought back: on SO(3)xR3 the rows
turn with the body while u does not, so off h there is $u' = \omega\times u$, which a method
multiplies by $R(i\omega h)$ in every step; |R| > 1 for every step of Euler, midpoint and Heun.  So
the locked components are taken away from every slope and from the velocity after every step.  They
are computed and subtracted, not what is free computed and kept: a small number is rounded, and the
free components keep all of their digits.  As they are rounding errors, no metric matters.

Where redundant rows contradict each other off the closed pose (Bennett's linkage, whose loop is
not closed at a stage), $J\dot V = \eta$ has no solution and the lemma no premise.  More than
rounding is removed then: of all accelerations that miss some rows, one is taken that misses none
of this joint, and the joint at which the loop is cut has what is left.  `removed` tells how much.

**Ties.**  Where two charts have the same reference and keep a joint between them together (case 2),
the allowed velocities are a constant subspace of both, $N_a U_a + N_b U_b = 0$, with N the rows of
J at the start in the variables of the charts.  Body b is then corrected after body a,

$$ U_b \leftarrow U_b - N_b^+ (N_a U_a + N_b U_b) . $$

The motions of h commute unless the body turns in space (or, on SE(3), in a plane): dexp^-1 is 1
there, and the angle of a step has no limit.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, formula, hot, kernel, routine
from chasles.core.arrays import (
    CHART_WIDTH,
    SE3_CODE,
    VELOCITY,
    Floats,
    Integers,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.blocks.small import dot6, get6
from chasles.core.rows import column
from chasles.groups.vectors import add, axpy, cross, dot, sub
from chasles.scalars.elementary import absolute, maximum

ALL_THREE = 0b111
ZERO = (0.0, 0.0, 0.0)


class Confinement(NamedTuple):
    """What the charts keep of the bodies' velocities; nothing is locked of those that keep none."""

    joint: Integers  # (n,) the joint, or -1
    locked: Integers  # (n,) bits of the locked components, as in Joints
    commutes: Integers  # (n,) 1 where the motions allowed commute
    spin_axes: Floats  # (n, 9) of the joint on the body
    slide_axes: Floats  # (n, 9) on the reference, or on the body for SE(3)
    lever: Floats  # (n, 3) SE(3): from the centre of mass to the joint's point
    pitch: Floats  # (n,)
    size: Floats  # (n,) what slides are large or small against (m)
    removed: Floats  # (n,) the largest component removed in this step, sizes or rad per s^2
    ties: Integers  # (k, 2) bodies b and a whose charts keep a joint together, in order
    tie_a: Floats  # (k, 36) N_b^+ N_a
    tie_b: Floats  # (k, 36) N_b^+ N_b
    tie_count: int  # k


def free_confinement(bodies: int) -> Confinement:
    """Nothing locked."""
    return Confinement(
        joint=np.full(bodies, -1, np.int64),
        locked=np.zeros(bodies, np.int64),
        commutes=np.zeros(bodies, np.int64),
        spin_axes=np.zeros((bodies, 9)),
        slide_axes=np.zeros((bodies, 9)),
        lever=np.zeros((bodies, 3)),
        pitch=np.zeros(bodies),
        size=np.ones(bodies),
        removed=np.zeros(bodies),
        ties=np.zeros((0, 2), np.int64),
        tie_a=np.zeros((0, 36)),
        tie_b=np.zeros((0, 36)),
        tie_count=0,
    )


@formula
def unlocked(locked: int, axes: Any, v: Any) -> Any:
    """v without its components along the locked axes, and the largest of these."""
    if locked == ALL_THREE:
        return ZERO, maximum(absolute(v[0]), maximum(absolute(v[1]), absolute(v[2])))
    largest = 0.0
    for k in range(3):
        if locked >> k & 1:
            axis = column(axes, k)
            part = dot(axis, v)
            v = axpy(-part, axis, v)
            largest = maximum(largest, absolute(part))
    return v, largest


@formula
def confined(group: int, locked: int, axes: Any, lever: Any, pitch: Any, twist: Any) -> Any:
    """A velocity (or its rate, or an increment) in h, and the largest spin and slide removed.

    `axes` are those for spins and those for slides.
    """
    spin, spun = unlocked(locked & ALL_THREE, axes[0], twist[0])
    slide = twist[1]
    if group == SE3_CODE:
        slide = add(slide, cross(spin, lever))
    advance = ZERO
    if pitch != 0.0:  # the thread's own advance is no slip
        along = dot(column(axes[0], 2), spin)
        advance = axpy(pitch * along, column(axes[1], 2), advance)
        slide = sub(slide, advance)
    slide, slid = unlocked(locked >> 3, axes[1], slide)
    slide = add(slide, advance)
    if group == SE3_CODE:
        slide = sub(slide, cross(spin, lever))
    return (spin, slide), spun, slid


@formula
def confined_to(group: int, confinement: Any, body: int, twist: Any) -> Any:
    """`confined` by the data of a body."""
    return confined(
        group,
        confinement.locked[body],
        (mat9(confinement.spin_axes, 9 * body), mat9(confinement.slide_axes, 9 * body)),
        vec3(confinement.lever, 3 * body),
        confinement.pitch[body],
        twist,
    )


@formula
def confined_rate(group: int, confinement: Any, body: int, rate: Any) -> Any:
    """U' in h; what was removed is noted."""
    kept, spun, slid = confined_to(group, confinement, body, rate)
    largest = maximum(spun, slid / confinement.size[body])
    confinement.removed[body] = maximum(confinement.removed[body], largest)
    return kept


@hot
def confine_velocities(system: Any, confinement: Any, point: Any) -> None:
    """The velocities of all bodies, each in its h."""
    for body in range(system.body_count):
        if confinement.locked[body] != 0:
            at = body * CHART_WIDTH + VELOCITY
            kept, _, _ = confined_to(
                system.bodies.group[body], confinement, body, twist6(point, at)
            )
            put_twist(point, at, kept)
    tie(confinement, point, VELOCITY, CHART_WIDTH, 0.0)


@routine
def tie(confinement: Any, values: Any, first: int, width: int, noted: float) -> None:
    """Correct the twists of tied bodies, `width` apart from `first` on; noted = 1: in the audit."""
    for k in range(confinement.tie_count):
        body = confinement.ties[2 * k]
        b, a = first + width * body, first + width * confinement.ties[2 * k + 1]
        of_a, of_b, largest = get6(values, a), get6(values, b), 0.0
        for c in range(6):
            at = 36 * k + 6 * c
            missed = dot6(get6(confinement.tie_a, at), of_a)
            missed += dot6(get6(confinement.tie_b, at), of_b)
            values[b + c] -= missed
            size = confinement.size[body] if c >= 3 else 1.0
            largest = maximum(largest, absolute(missed) / size)
        confinement.removed[body] = maximum(confinement.removed[body], noted * largest)


@hot
def note_removed(system: Any, confinement: Any, step: float, audit: Any) -> None:
    """By how much (of the size, or rad) what was removed would have opened joints in this step."""
    for body in range(system.body_count):
        audit[body] = maximum(audit[body], step * step * confinement.removed[body])
        confinement.removed[body] = 0.0


@kernel("velocities at the start", seconds=0.3, plain=(100_000, 300_000))
def confine_start(system: Any, confinement: Any, point: Any) -> None:
    """`confine_velocities` for Python."""
    confine_velocities(borrow(system), borrow(confinement), borrow(point))
