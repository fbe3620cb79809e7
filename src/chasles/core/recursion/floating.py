r"""Floating trees keep their momentum, their angular momentum and the path of their centre of mass.

For a system that nothing ties to the ground, with mass m, centre of mass X, momentum P and angular
momentum L about X,

$$ \dot X = P/m, \qquad \dot P = F, \qquad \dot L = \sum (r_i - X)\times f_i + t_i . $$

A Munthe-Kaas method on joint coordinates integrates none of these nine numbers exactly, because
they are not linear in the velocities.  They are integrated beside the coordinates, as linear
variables of the same method, and after a step the whole system is moved accordingly.  That changes
no joint coordinate, and the move is of the size of the step's error: the order stays.

X and P are restored by shifting the root and its velocity.  L is restored in one of two ways.
Either the pose turns about X until the direction fits, which leaves the energy alone, and
velocities gain

$$ \delta\omega = \Theta^{-1}L_{now}\,(|L|/|L_{now}| - 1), $$

Theta being the inertia of the locked system about X; or they gain $\Theta^{-1}(L - L_{now})$ right
away.  The second alone would spin slender bodies about their axis, the first alone would turn a
system whose parts move but which has hardly an L.  The one that disturbs less is taken, turns
weighed by the energy T relative to X: $\phi^2 T$ against $\frac12\delta L\cdot\Theta^{-1}\delta L$.
A step misses no direction by more than the locked system turns in it: what asks for more is an L
that is only round-off.

All sums are formed relative to the root, so that neither a boost nor a distance from the origin
costs digits.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, formula, once, routine
from chasles.core.arrays import Floats, Integers, add3, clear, get6, mat9, put3, put4, vec3, vec4
from chasles.core.blocks.small import ldl3, solve3
from chasles.core.placed import pose_of
from chasles.core.recursion.inertia import rotated, spread
from chasles.core.recursion.kinematics import find_speeds, kinematics
from chasles.core.recursion.tree import FREE, OMEGA, POINT, ROW, SPEED, TURN
from chasles.groups.so3 import so3_compose, so3_matrix, so3_normalise
from chasles.groups.vectors import ZERO, add, axpy, cross, dot, matvec, scale, sub, tmatvec
from chasles.scalars.elementary import sqrt

#: Per floating system: the path X, the momentum P, the angular momentum L about X.
PATH, MOMENTUM, SPIN, FLOATING_WIDTH = 0, 3, 6, 9
#: Sums of a system, relative to its root: m r, m u, angular momentum, inertia, twice the energy.
FIRST, LINEAR_SUM, ANGULAR_SUM, INERTIA_SUM, ENERGY_SUM, SUM_WIDTH = 0, 3, 6, 9, 15, 16
#: Turning the pose is taken even where it disturbs somewhat more: it costs no energy.
PREFERENCE = 10.0


class FloatingSystems(NamedTuple):
    """The floating systems of a tree, and storage for their sums."""

    count: int
    member: Integers  # (n,) the floating system of every body, or -1
    roots: Integers  # (count,)
    mass: Floats  # (count,)
    sums: Floats  # (count, SUM_WIDTH)


def find_floating(tree: Any, cuts: Iterable[tuple[int, int, bool]]) -> FloatingSystems:
    """Free roots with all that they carry, but for those that cut joints tie to something else.

    `cuts` are their two bodies, -1 for the ground, and whether their wrenches on both balance.

    What a chart is relative to is tied as well: moving it would carry along a body that has a
    momentum of its own.  Bodies on SE(3) or relative charts keep what their charts keep.
    """
    root = np.arange(tree.body_count)
    for body, parent in enumerate(tree.parent):
        root[body] = root[parent] if parent >= 0 else body
    tied: set[int] = set()
    for a, b, balanced in cuts:
        if a < 0 or b < 0 or root[a] != root[b] or not balanced:
            tied.update(int(root[k]) for k in (a, b) if k >= 0)
    for base, parent in zip(tree.base, tree.parent):
        if parent < 0 <= base:
            tied.add(int(root[base]))
    roots = [int(k) for k in np.flatnonzero(tree.pair == FREE) if int(k) not in tied]
    member = np.full(tree.body_count, -1, np.int64)
    for k, body in enumerate(roots):
        member[root == body] = k
    return FloatingSystems(
        count=len(roots),
        member=member,
        roots=np.array(roots, np.int64),
        mass=np.array([tree.mass[member == k].sum() for k in range(len(roots))]),
        sums=np.zeros((len(roots), SUM_WIDTH)),
    )


def floating_at_start(
    floating: FloatingSystems, mass: Floats, inertia: Floats, absolute: Floats
) -> Floats:
    """(count, FLOATING_WIDTH) of absolute states (n, 18), inertias (n, 3, 3) about the COMs."""
    out = np.zeros((floating.count, FLOATING_WIDTH))
    turn, place = absolute[:, :9].reshape(-1, 3, 3), absolute[:, 9:12]
    omega, velocity = absolute[:, 12:15], np.einsum("nij,nj->ni", turn, absolute[:, 15:18])
    for k in range(floating.count):
        of = floating.member == k
        shares = mass[of] / floating.mass[k]
        base, speed = place[floating.roots[k]], velocity[floating.roots[k]]
        centre, mean = shares @ (place[of] - base), shares @ (velocity[of] - speed)
        arms, slips = place[of] - base - centre, velocity[of] - speed - mean
        own = np.einsum("nij,njk,nk->ni", turn[of], inertia[of], omega[of])
        spin = (own + mass[of, None] * np.cross(arms, slips)).sum(axis=0)
        out[k] = np.concatenate((base + centre, floating.mass[k] * (speed + mean), spin))
    return out


# --- slopes ---


@once
def put_floating_slopes(mechanism: Any, workspace: Any, point: Any, slope_out: Any) -> None:
    """P/m, F and the torque about X of every floating system."""
    tree, floating, layout = mechanism.tree, mechanism.floating, mechanism.layout
    now = beyond(point, layout.floating)
    out = beyond(slope_out, 2 * tree.rate_count + layout.floating - layout.integrals)
    for k in range(floating.count):
        at = FLOATING_WIDTH * k
        put3(out, at + PATH, scale(1.0 / floating.mass[k], vec3(now, at + MOMENTUM)))
        put3(out, at + MOMENTUM, scale(floating.mass[k], vec3(tree.gravity, 0)))
        put3(out, at + SPIN, ZERO)
    if mechanism.tree_work.has_wrenches != 0:
        add_loads(tree, floating, mechanism.tree_work.wrenches, workspace.absolute, out)


@routine
def add_loads(tree: Any, floating: Any, wrenches: Any, absolute: Any, out: Any) -> None:
    """Wrenches on bodies, in their own axes at their centres of mass.

    Arms are those from where the centre of mass is, relative to the root: the path X agrees with
    it up to the method's error and the rounding of places, which forces would make torques of.
    """
    find_centres(tree, floating, absolute)
    for body in range(tree.body_count):
        k = floating.member[body]
        if k >= 0:
            turn, place = pose_of(absolute, body)
            force = matvec(turn, vec3(wrenches, 6 * body + 3))
            torque = matvec(turn, vec3(wrenches, 6 * body))
            base = pose_of(absolute, floating.roots[k])[1]
            arm = sub(sub(place, base), vec3(floating.sums, SUM_WIDTH * k + FIRST))
            add3(out, FLOATING_WIDTH * k + MOMENTUM, force)
            add3(out, FLOATING_WIDTH * k + SPIN, add(torque, cross(arm, force)))


@routine
def find_centres(tree: Any, floating: Any, absolute: Any) -> None:
    """Where centres of mass are relative to roots, into the first sums."""
    clear(floating.sums, floating.count * SUM_WIDTH)
    for body in range(tree.body_count):
        k = floating.member[body]
        if k >= 0:
            place, base = pose_of(absolute, body)[1], pose_of(absolute, floating.roots[k])[1]
            at, share = SUM_WIDTH * k + FIRST, tree.mass[body] / floating.mass[k]
            put3(floating.sums, at, axpy(share, sub(place, base), vec3(floating.sums, at)))


# --- the end of a step ---


@formula
def lever_triangle(s: Any, a: Any, b: Any) -> Any:
    r"""$s\,(2\,a\cdot b\,1 - ab^T - ba^T)/2$, lower triangle: what levers add to inertias."""
    x, y, z = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    half = -0.5 * s
    return (
        s * (y + z),
        half * (a[1] * b[0] + a[0] * b[1]), s * (x + z),
        half * (a[2] * b[0] + a[0] * b[2]), half * (a[2] * b[1] + a[1] * b[2]), s * (x + y),
    )  # fmt: skip


@routine
def add_body(tree: Any, rows: Any, body: int, sums: Any, at: int) -> None:
    r"""A body's share of the sums, relative to the root's point O, after `find_speeds`.

    With P its joint's point, u its velocity and mc the first moment about P,

    $$ p = m u + \omega\times mc, \quad h_O = \Theta_P\omega + mc\times u + P\times p, \quad
       2T = \omega\cdot(\Theta_P\omega + 2\,mc\times u) + m u^2 . $$
    """
    row = body * ROW
    turn, omega = mat9(rows, row + TURN), vec3(rows, row + OMEGA)
    point, speed = vec3(rows, row + POINT), vec3(rows, row + SPEED)
    mass, moment = tree.mass[body], matvec(turn, vec3(tree.moment, 3 * body))
    inertia = rotated(turn, get6(tree.inertia, 6 * body))
    turning, swung = spread(inertia, omega), cross(moment, speed)
    linear = axpy(mass, speed, cross(omega, moment))
    angular = add(add(turning, swung), cross(point, linear))
    own, cross_terms = lever_triangle(mass, point, point), lever_triangle(2.0, point, moment)
    energy = dot(omega, turning) + 2.0 * dot(omega, swung) + mass * dot(speed, speed)
    add3(sums, at + FIRST, axpy(mass, point, moment))
    add3(sums, at + LINEAR_SUM, linear)
    add3(sums, at + ANGULAR_SUM, angular)
    for k in range(6):
        sums[at + INERTIA_SUM + k] += inertia[k] + own[k] + cross_terms[k]
    sums[at + ENERGY_SUM] += energy


@once
def correct_floating(mechanism: Any, state: Any, step: float) -> None:
    """At the end of a step, move floating systems to their paths and momenta in the state."""
    tree, floating, rows = mechanism.tree, mechanism.floating, mechanism.tree_work.rows
    kinematics(tree, state, rows)
    find_speeds(tree, state, rows, False)
    clear(floating.sums, floating.count * SUM_WIDTH)
    for body in range(tree.body_count):
        if floating.member[body] >= 0:
            add_body(tree, rows, body, floating.sums, SUM_WIDTH * floating.member[body])
    for k in range(floating.count):
        put_back(mechanism, k, state, step)


@routine
def put_back(mechanism: Any, k: int, state: Any, step: float) -> None:
    """One floating system: turn and shift the root, correct its velocities."""
    tree, floating, layout = mechanism.tree, mechanism.floating, mechanism.layout
    carry, wanted = beyond(state, layout.carry), beyond(state, layout.floating)
    sums, at, goal, mass = floating.sums, SUM_WIDTH * k, FLOATING_WIDTH * k, floating.mass[k]
    body = floating.roots[k]
    q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
    centre = scale(1.0 / mass, vec3(sums, at + FIRST))
    linear = vec3(sums, at + LINEAR_SUM)
    drift = scale(1.0 / mass, linear)  # of X against the root
    now = sub(vec3(sums, at + ANGULAR_SUM), cross(centre, linear))
    lever, about = lever_triangle(mass, centre, centre), get6(sums, at + INERTIA_SUM)
    factor = ldl3((
        about[0] - lever[0], about[1] - lever[1], about[2] - lever[2],
        about[3] - lever[3], about[4] - lever[4], about[5] - lever[5],
    ))  # fmt: skip
    energy = 0.5 * (sums[at + ENERGY_SUM] - dot(drift, linear))
    turn, gain = momentum_correction(factor, energy, now, vec3(wanted, goal + SPIN), step)
    # R turns by `turn`; X and P are where they should be, the root relative to them.
    put4(state, q, so3_normalise(so3_compose(turn, vec4(state, q))))
    matrix = so3_matrix(turn)
    arm = matvec(matrix, centre)
    put3(state, q + 4, sub(vec3(wanted, goal + PATH), arm))
    slip = add(matvec(matrix, drift), cross(gain, arm))
    speed = scale(1.0 / mass, vec3(wanted, goal + MOMENTUM))
    put3(state, v + 3, sub(speed, slip))
    add3(state, v, tmatvec(so3_matrix(vec4(state, q)), gain))
    for c in range(3):  # nothing of these is rounding that a next step could make good
        carry[tree.rate_at[body] + 3 + c] = 0.0
        carry[tree.rate_count + tree.rate_at[body] + 3 + c] = 0.0


@routine
def momentum_correction(factor: Any, energy: Any, now: Any, wanted: Any, step: float) -> Any:
    """(quaternion, gain of angular velocity) that give a system its angular momentum back."""
    missing = sub(wanted, now)
    gain = solve3(factor, missing)
    straight = ((1.0, 0.0, 0.0, 0.0), gain)
    sizes = sqrt(dot(now, now)), sqrt(dot(wanted, wanted))
    both = sizes[0] * sizes[1]
    if not both > 0.0:
        return straight
    apart = sub(scale(1.0 / sizes[0], now), scale(1.0 / sizes[1], wanted))
    angle2 = dot(apart, apart)
    if angle2 > 1.0 or angle2 * energy > 0.5 * PREFERENCE * dot(missing, gain):
        return straight
    spin = solve3(factor, now)
    if angle2 > step * step * dot(spin, spin):
        return straight
    axis = cross(now, wanted)
    turn = so3_normalise((both + dot(now, wanted), axis[0], axis[1], axis[2]))
    longer = scale(sizes[1] / sizes[0] - 1.0, now)  # what is left, before the turn
    return turn, matvec(so3_matrix(turn), solve3(factor, longer))
