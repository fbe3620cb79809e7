r"""Moving on the pairs: x tau(increment), and the slope of a Munthe-Kaas method.

SO(3) is the only factor with brackets, but for bodies on SE(3).  On all others exp is addition and
dexp^-1 is 1.  The map tau is exp, or the Cayley map: on one axis $2\arctan(x/2)$, whose inverse
differential is $1 + x^2/4$; or exp whose dexp^-1 is summed up to some brackets only, for
comparisons.

Near full turns of a step the rate of an increment has a pole.

$$ |\mathrm{dexp}^{-1}_{-x}\,y| = \frac{|x|/2}{|\sin(|x|/2)|}\,|y| \qquad\text{for } y\perp x :$$

at $|x| = 2\pi k$ no rate of the increment x moves the axis of rotation.  A step that stretches its
rates tenfold (from 5.7 rad) is refused.  Where x and y commute, as in a uniform rotation, dexp^-1
is 1 whatever the angle.
"""

from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import put3, put4, put_twist, twist6, vec3, vec4
from chasles.core.outcomes import OK, TURNED
from chasles.core.recursion.tree import (
    CAYLEY,
    EXP,
    FREE,
    REVOLUTE,
    SE3_PAIR,
    SPHERICAL,
    TRUNCATED,
    coordinates_of,
)
from chasles.groups.coefficients import half_angle
from chasles.groups.se3 import (
    se3_bracket,
    se3_cay,
    se3_compose,
    se3_dcay_inv,
    se3_dexp_inv,
    se3_exp,
)
from chasles.groups.so3 import so3_cay, so3_compose, so3_dexp_inv, so3_exp, so3_normalise
from chasles.groups.vectors import ZERO, add, axpy, cross, dot, neg
from chasles.scalars.elementary import absolute, atan2, compensated, cos, sin, sqrt

#: Shorter increments (squared, 3 rad) are not looked at: they stretch rates 1.5 times at the most.
SHORT = 9.0
#: Rates are stretched so much at the most.
MOST_STRETCHED = 10.0
#: Sine between two axes that are one to rounding.
PARALLEL = 1e-9


@formula
def near_full_turn(x: Any) -> bool:
    """Whether dexp^-1 stretches rates too much at the rotation vector x."""
    square = dot(x, x)
    if square <= SHORT:
        return False
    half = 0.5 * sqrt(square)
    return half > MOST_STRETCHED * absolute(sin(half))


@formula
def parallel(x: Any, y: Any) -> bool:
    """Whether two vectors are along one line, to rounding."""
    across = cross(x, y)
    return dot(across, across) <= PARALLEL * PARALLEL * dot(x, x) * dot(y, y)


@formula
def commute(x: Any, y: Any) -> bool:
    """Whether two twists commute in SE(3), to rounding."""
    if not parallel(x[0], y[0]):
        return False
    across = add(cross(x[0], y[1]), cross(x[1], y[0]))
    size = dot(x[0], x[0]) * dot(y[1], y[1]) + dot(x[1], x[1]) * dot(y[0], y[0])
    return dot(across, across) <= PARALLEL * PARALLEL * size


#: B_k / k! of dexp^-1, with Bernoulli's numbers.
BERNOULLI = (1.0, -1.0 / 2.0, 1.0 / 12.0, 0.0, -1.0 / 720.0, 0.0, 1.0 / 30240.0)


@formula
def turned(c: Any, s: Any, angle: Any) -> Any:
    """(cos, sin) after a turn by a short angle; no rounding is worth a normalisation here."""
    half, k = half_angle(angle * angle)
    sine = k * angle
    x, y = 1.0 - 2.0 * sine * sine, 2.0 * sine * half
    return c * x - s * y, s * x + c * y


# --- maps ---


@formula
def angle_of(tau: int, x: Any) -> Any:
    """The angle of an increment about one axis."""
    return 2.0 * atan2(0.5 * x, 1.0) if tau == CAYLEY else x


@formula
def turn_of(tau: int, x: Any) -> Any:
    """tau(x) in SO(3)."""
    return so3_cay(x) if tau == CAYLEY else so3_exp(x)


@formula
def motion_of(tau: int, x: Any) -> Any:
    """tau(x) in SE(3)."""
    return se3_cay(x) if tau == CAYLEY else se3_exp(x)


@formula
def turn_rate(tau: int, x: Any, omega: Any) -> Any:
    """dtau^-1 at x of SO(3)."""
    if tau == EXP:
        return so3_dexp_inv(x, omega)
    return other_motion_rate(tau, (x, ZERO), (omega, ZERO))[0]


@formula
def motion_rate(tau: int, x: Any, twist: Any) -> Any:
    """dtau^-1 at x of SE(3)."""
    if tau == EXP:
        return se3_dexp_inv(x, twist)
    return other_motion_rate(tau, x, twist)


@routine
def other_motion_rate(tau: int, x: Any, twist: Any) -> Any:
    """The same of other maps than exp; turns alone are twists that shift nothing."""
    if tau == CAYLEY:
        return se3_dcay_inv(x, twist)
    spin, slide = twist
    term = twist
    for k in range(1, tau - TRUNCATED + 1):
        term = se3_bracket(x, term)
        spin, slide = axpy(BERNOULLI[k], term[0], spin), axpy(BERNOULLI[k], term[1], slide)
    return spin, slide


# --- SE(3) ---


@routine
def se3_motion(tau: int, state: Any, q: int, increment: Any, v: int) -> Any:
    """(Q, x) tau(increment) in SE(3): the new Q, and by how much x grows."""
    return se3_compose((vec4(state, q), ZERO), motion_of(tau, twist6(increment, v)))


@routine
def se3_pull_back(tau: int, increment: Any, slope: Any, v: int) -> int:
    """dtau^-1 of SE(3) at -increment, in place: OK or TURNED."""
    x, twist = twist6(increment, v), twist6(slope, v)
    outcome = OK
    if tau == EXP and near_full_turn(x[0]):
        if commute(x, twist):
            return OK  # dexp^-1 is 1
        outcome = TURNED
    put_twist(slope, v, motion_rate(tau, (neg(x[0]), neg(x[1])), twist))
    return outcome


# --- all pairs ---


@formula
def grow(
    state: Any, at: int, by: Any, carry: Any, k: int, out: Any, carry_out: Any, ends: bool
) -> None:
    """A sum, which at the end of a step carries what rounding took from it into the next."""
    if ends:
        out[at], carry_out[k] = compensated(state[at], carry[k], by)
    else:
        out[at] = state[at] + by


@hot
def move(
    tree: Any, state: Any, increment: Any, carry: Any, out: Any, carry_out: Any, ends: bool
) -> None:
    """out = state tau(increment) on every pair; velocities are added."""
    for body in range(tree.body_count):
        pair, q, v = tree.pair[body], tree.stored_at[body], tree.rate_at[body]
        if pair >= SPHERICAL:
            shift = ZERO
            if pair == SE3_PAIR:
                turn, shift = se3_motion(tree.map, state, q, increment, v)
            else:
                turn = so3_compose(vec4(state, q), turn_of(tree.map, vec3(increment, v)))
                if pair >= FREE:
                    shift = vec3(increment, v + 3)
            put4(out, q, so3_normalise(turn) if ends else turn)
            if pair >= FREE:
                for k in range(3):
                    grow(state, q + 4 + k, shift[k], carry, v + 3 + k, out, carry_out, ends)
        elif pair < REVOLUTE:
            for k in range(pair):
                grow(state, q + k, increment[v + k], carry, v + k, out, carry_out, ends)
        else:
            angle = angle_of(tree.map, increment[v])
            grow(state, q, angle, carry, v, out, carry_out, ends)
            if ends:
                out[q + 1], out[q + 2] = cos(out[q]), sin(out[q])
            else:
                out[q + 1], out[q + 2] = turned(state[q + 1], state[q + 2], angle)
            for k in range(1, coordinates_of(pair)):
                grow(state, q + 2 + k, increment[v + k], carry, v + k, out, carry_out, ends)
    first, rates = tree.stored_count, tree.rate_count
    for k in range(rates):
        grow(state, first + k, increment[rates + k], carry, rates + k, out, carry_out, ends)


@hot
def retract(tree: Any, state: Any, increment: Any, out: Any) -> None:
    """out = state tau(increment) on every pair; velocities are added.

    The increment holds one number per degree of freedom for the pose, then one for the velocity.
    For stages: cosines and quaternions are as good as one product leaves them.
    """
    move(tree, state, increment, increment, out, out, False)


@hot
def finish(tree: Any, state: Any, increment: Any, carry: Any, out: Any, carry_out: Any) -> None:
    """`retract` for the end of a step: rounded once per step and not at all on average.

    Sums carry what rounding took from them into the next step, quaternions get their length back,
    cosines and sines are those of the angle.  out may be state, carry_out carry.
    """
    move(tree, state, increment, carry, out, carry_out, True)


@hot
def pull_back(tree: Any, increment: Any, slope: Any) -> int:
    """dtau^-1 at -increment of the velocities in `slope`, in place: OK or TURNED."""
    outcome, tau = OK, tree.map
    for body in range(tree.body_count):
        pair, v = tree.pair[body], tree.rate_at[body]
        if pair >= SPHERICAL:
            if pair == SE3_PAIR:
                if se3_pull_back(tau, increment, slope, v) != OK:
                    outcome = TURNED
                continue
            turn, omega = vec3(increment, v), vec3(slope, v)
            if tau == EXP and near_full_turn(turn):
                if parallel(turn, omega):
                    continue  # dexp^-1 is 1
                outcome = TURNED
            put3(slope, v, turn_rate(tau, neg(turn), omega))
        elif tau == CAYLEY and pair >= REVOLUTE:
            slope[v] *= 1.0 + 0.25 * increment[v] * increment[v]
    return outcome
