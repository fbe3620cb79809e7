r"""Linear momentum of systems that float: kept as exactly as a single body keeps it.

In relative charts the momentum of a floating system, $P = \sum m_i \dot r_i$, is not a linear
function of the velocity variables, and a Runge-Kutta method loses it with its own error.  The
remedy is another velocity variable for the body all others are charted by: the mean velocity P / m
of the system instead of its own.  P obeys $\dot P = F$, F the external force, which is linear, so

$$ P_{n+1} = P_n + h \sum_j b_j F_j $$

is exact for gravity.  The root body's velocity is then shifted by $(P_{n+1} - P)/m$.  A shift of
the whole system changes no relative velocity: no joint opens.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    SO3XR3_CODE,
    TWIST,
    VELOCITY,
    Floats,
    Integers,
    System,
    put3,
    twist6,
    vec3,
)
from chasles.core.assemble import place_bodies, pose_of, twist_of
from chasles.groups.vectors import add, cross, matvec, scale


class Balance(NamedTuple):
    """The floating systems whose momentum is kept, and storage for it."""

    count: int  # floating systems
    member: Integers  # (n,) the floating system of every body, or -1
    roots: Integers  # (count,) the body that carries the others
    mass: Floats  # (count,)
    impulse: Floats  # (count, 3) of this step, per unit of time
    found: Floats  # (count, 3) momentum that the step arrived at
    absolute: Floats  # (n, 18)
    turn: Floats  # (n, 9)


def make_balance(system: System) -> Balance:
    """Floating systems of two bodies or more, all charted, one by one, from an absolute root.

    The root's chart has to be SO(3)xR3 at its centre of mass: its velocity is then linear momentum.
    """
    references = system.bodies.reference
    root = np.arange(system.body_count)
    for body, reference in enumerate(references):  # references come first
        root[body] = root[reference] if reference >= 0 else body
    tied: set[int] = set()
    for a, b in zip(
        system.joints.a, system.joints.b
    ):  # joined to the ground, or to the bodies of another root
        if a < 0 or b < 0 or root[a] != root[b]:
            tied.update(int(root[k]) for k in (a, b) if k >= 0)
    member = np.full(system.body_count, -1, np.int64)
    roots: list[int] = []
    for body in np.flatnonzero(references < 0):
        centred = system.bodies.group[body] == SO3XR3_CODE
        centred &= not system.bodies.frame_point[body].any()
        if centred and body not in tied and np.sum(root == body) > 1:
            member[root == body] = len(roots)
            roots.append(int(body))
    return balance_of(system, member, roots)


def no_balance(system: System) -> Balance:
    """Momentum is left to the method."""
    return balance_of(system, np.full(system.body_count, -1, np.int64), [])


def balance_of(system: System, member: Integers, roots: list[int]) -> Balance:
    return Balance(
        count=len(roots),
        member=member,
        roots=np.array(roots, np.int64),
        mass=np.array([system.bodies.mass[member == k].sum() for k in range(len(roots))]),
        impulse=np.zeros((len(roots), 3)),
        found=np.zeros((len(roots), 3)),
        absolute=np.zeros((system.body_count, ABSOLUTE_WIDTH)),
        turn=np.zeros((system.body_count, 9)),
    )


def momentum_of(system: System, balance: Balance, absolute: Floats) -> Floats:
    """Linear momentum (count, 3) of the floating systems at an absolute state (n, 18)."""
    momentum = np.zeros((balance.count, 3))
    for body in np.flatnonzero(balance.member >= 0):
        rotation = absolute[body, POSE_R : POSE_R + 9].reshape(3, 3)
        velocity = rotation @ absolute[body, TWIST + 3 : TWIST + 6]
        momentum[balance.member[body]] += system.bodies.mass[body] * velocity
    return momentum


@routine
def collect_impulse(system: Any, work: Any, balance: Any, weight: float) -> None:
    r"""Add weight times $\sum m_i\,\ddot r_i$, in which joint forces cancel, to the impulses."""
    for body in range(system.body_count):
        of = balance.member[body]
        if of >= 0:
            omega, v = twist_of(work.absolute, body)
            acceleration = add(twist6(work.rhs, 6 * body)[1], cross(omega, v))
            mass = system.bodies.mass[body]
            rotation = pose_of(work.absolute, body)[0]
            force = scale(weight * mass, matvec(rotation, acceleration))
            put3(balance.impulse, 3 * of, add(vec3(balance.impulse, 3 * of), force))


@routine
def keep_momentum(system: Any, balance: Any, step: float, momentum: Any, chart: Any) -> None:
    """Shift the root of every floating system to the momentum that its external forces give it.

    `momentum` is that at the start of the step, and then at its end.
    """
    place_bodies(system, chart, balance.absolute, balance.turn)
    for k in range(3 * balance.count):
        balance.found[k] = 0.0
    for body in range(system.body_count):
        of = balance.member[body]
        if of >= 0:
            rotation = pose_of(balance.absolute, body)[0]
            velocity = matvec(rotation, twist_of(balance.absolute, body)[1])
            share = scale(system.bodies.mass[body], velocity)
            put3(balance.found, 3 * of, add(vec3(balance.found, 3 * of), share))
    for of in range(balance.count):
        at = balance.roots[of] * CHART_WIDTH + VELOCITY + 3
        for c in range(3):
            momentum[3 * of + c] += step * balance.impulse[3 * of + c]
            missing = momentum[3 * of + c] - balance.found[3 * of + c]
            chart[at + c] += missing / balance.mass[of]
