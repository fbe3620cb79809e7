"""Initial velocities: what the user gave, completed so that the joints are satisfied."""

import numpy as np

from chasles.build.start.factor import DampedKkt, joined
from chasles.build.start.redundancy import contradiction, joint_of_row, listed
from chasles.build.start.rows import HEAVY, Rows, constraint_rows, scaled, weigh, weights
from chasles.build.system.build import Setup
from chasles.build.system.gaps import row_units
from chasles.core.arrays import POSE_R, TWIST, Floats
from chasles.model import CustomCoupling, InconsistentStart

#: Joint velocities larger than this fraction of what the bodies' would make of them are refused.
VELOCITY_TOLERANCE = 1e-9
#: Less than this (rad/s, m/s) is what rounding makes of a driver that begins at rest.
NO_SPEED = 1e-14
#: The least speed in terms of that of a pendulum: its fraction VELOCITY_TOLERANCE is rounding.
RESTING = 1e-3
#: Models with more unknown velocities than this are completed by a sparse factorisation.
DENSE_LIMIT = 400
#: Further solves of a dense one for what rounding left: long chains and light bodies lose digits.
REFINEMENTS = 2
#: mu of that factorisation.
PROXIMAL_WEIGHT = 1e-9
#: Weight of velocities left out beside given ones, and solves in which it fades away.
LIGHT, LIGHT_SOLVES = 1e-6, 4


def initial_state(setup: Setup, jacobian: Floats) -> Floats:
    """Absolute poses and twists (n, 18) at the start; `jacobian` (rows, 12) is J at those poses.

    Velocities left out are those of least kinetic energy that the joints allow beside the given
    ones: zero where nothing moves, zero total momentum for a floating system.
    """
    absolute = setup.absolute.copy()
    twists, known = given_twists(setup)
    rows = constraint_rows(setup, jacobian, absolute)
    if rows.count > 0:
        rates = driven_rates(setup)
        twists = completed(setup, rows, twists, known, rates)
        if forbidden(setup, rows, twists, rates):
            check_speeds_agree(setup, rows, rates)
            raise velocity_error(setup, rows.times(twists) - rates)
    absolute[:, TWIST : TWIST + 6] = twists
    return absolute


def driven_rates(setup: Setup, t: float = 0.0) -> Floats:
    """What J V is at a time: the rates that drivers prescribe, and zero."""
    rates, joints = np.zeros(setup.system.row_count), setup.system.joints
    driven = np.flatnonzero(joints.drive >= 0)
    if driven.size:
        now = setup.signals.sample(np.array([t]))[0]
        rates[joints.first_row[driven]] = now[joints.drive[driven] + 1]
    return rates


def given_twists(setup: Setup) -> tuple[Floats, np.ndarray]:
    """Body twists with zeros where a velocity was left out, and which entries were given.

    Velocities of centres of mass are given in the world, and stay so if a body has been turned.
    """
    count = len(setup.body_index)
    twists, known = np.zeros((count, 6)), np.zeros((count, 6), bool)
    now = setup.absolute[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
    if setup.start is not None:
        then = setup.start[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
        twists[:] = setup.start[:, TWIST : TWIST + 6]
        if not np.array_equal(now, then):
            twists[:, 3:] = np.einsum("bji,bjk,bk->bi", now, then, twists[:, 3:])
        return twists, ~known
    for body in setup.model.bodies:
        index = setup.body_index[body.name]
        if body.angular_velocity is not None:
            twists[index, :3], known[index, :3] = body.angular_velocity, True
        if body.velocity is not None:
            twists[index, 3:], known[index, 3:] = body.velocity, True
    twists[:, 3:] = np.einsum("bji,bj->bi", now, twists[:, 3:])
    return twists, known


def completed(setup: Setup, rows: Rows, twists: Floats, known: np.ndarray, rates: Floats) -> Floats:
    """Twists with the unknown entries of least kinetic energy that bring J V to the rates."""
    wanted = rates - rows.times(twists)
    if known.all() or not wanted.any():
        return twists
    free = np.flatnonzero(~known.ravel())
    if free.size > DENSE_LIMIT:
        return twists + least_change(setup, rows, wanted, np.where(known, HEAVY, 1.0))
    flat, (body, part) = twists.ravel().copy(), np.divmod(free, 6)
    metric = weights(setup.system)[body[:, None], part[:, None], part]
    metric = np.where(body[:, None] == body, metric, 0.0)
    flat[free] = least_energy_dense(metric, rows.dense(twists.size)[:, free], wanted)
    return flat.reshape(twists.shape)


def least_energy_dense(metric: Floats, jacobian: Floats, wanted: Floats) -> Floats:
    r"""$V = L^{-T} z$, $M = L L^T$, the shortest z with $J L^{-T} z = \mathrm{wanted}$."""
    lower = np.linalg.cholesky(metric)
    weighted = np.linalg.solve(lower, jacobian.T).T
    found = np.zeros(jacobian.shape[1])
    for _ in range(1 + REFINEMENTS):
        z = np.linalg.lstsq(weighted, wanted - jacobian @ found, rcond=1e-12)[0]
        found += np.linalg.solve(lower.T, z)
    return found


def least_change(setup: Setup, rows: Rows, wanted: Floats, heavier: Floats) -> Floats:
    r"""The least twists x (n, 6) with J x = wanted, in the mass metric; `heavier` (n, 6) weighs it.

    $$ \min\ \tfrac12 |x_k|_M^2 + \tfrac\epsilon2 |x_u - \hat x_u|_M^2, \qquad
       J_k x_k + J_u x_u = \mathrm{wanted}, $$

    where a part u that is lighter by $\epsilon$ costs nothing: $\hat x_u$ is the last solution, so
    that its weight fades.
    """
    mass, moves, light = weights(setup.system), heavier < HEAVY, heavier < 1.0
    metric = scaled(mass, heavier)
    scale = rows.unit_scale(scaled(np.linalg.inv(mass), moves))
    factor = DampedKkt(joined(metric), rows.matrix(heavier.size), PROXIMAL_WEIGHT, scale)
    change = np.zeros(heavier.size)
    for _ in range(LIGHT_SOLVES if light.any() else 1):
        change = factor.solve(np.where(light.ravel(), weigh(metric, change), 0.0), wanted)
    return np.where(moves, change.reshape(-1, 6), 0.0)


def nearest_allowed(
    setup: Setup, rows: Rows, twists: Floats, known: np.ndarray, fixed: np.ndarray, rates: Floats
) -> Floats:
    """Given twists, changed as little as possible in the mass metric until the joints allow them.

    Those that are `fixed` stay.  Those left out cost nothing, and are completed anew.
    """
    heavier = np.where(known, np.where(fixed, HEAVY, 1.0), LIGHT)
    near = twists + least_change(setup, rows, rates - rows.times(twists), heavier)
    return completed(setup, rows, np.where(known, near, 0.0), known, rates)


def forbidden(setup: Setup, rows: Rows, twists: Floats, rates: Floats) -> bool:
    r"""Whether the joints do not allow these twists.

    A row may miss a fraction of $\sum_k |J_{ik}| \hat V_k$, with the largest angular and linear
    velocities of the model for $\hat V$, each at least the other by the levers of the joints: the
    same in all units.  A mechanism at rest, which has speeds of rounding only, is measured by a
    pendulum of that length.
    """
    moving = rows.sizes() @ typical_speeds(setup, twists)
    allowed = VELOCITY_TOLERANCE * (moving + np.abs(rates)) + NO_SPEED
    return bool(np.any(np.abs(rows.times(twists) - rates) > allowed))


def typical_speeds(setup: Setup, twists: Floats) -> tuple[float, float]:
    """How fast a mechanism turns (rad/s) and moves (m/s), at the least as a pendulum begins to."""
    spin, speed = np.abs(twists.reshape(-1, 2, 3)).max(axis=(0, 2), initial=0.0)
    lever = setup.longest_lever or 1.0  # frames alone may have none
    falling = RESTING * np.sqrt(np.linalg.norm(setup.model.gravity) / lever)
    spin = max(spin, speed / lever, falling)
    return float(spin), float(spin * lever)


def check_speeds_agree(setup: Setup, rows: Rows, rates: Floats) -> None:
    """Refuse drivers whose speeds no velocities whatever can meet."""
    if not rates.any():
        return
    still = np.zeros((len(setup.body_index), 6))
    best = completed(setup, rows, still, np.zeros_like(still, bool), rates)
    if forbidden(setup, rows, best, rates):
        raise InconsistentStart(
            contradiction(setup, rows.times(best) - rates, "speeds", "at t = 0"),
            "Leave one of them out, or give motions that the joints allow together.",
        )


def velocity_error(setup: Setup, residual: Floats) -> InconsistentStart:
    """Initial velocities that a joint does not allow."""
    worst = int(np.argmax(np.abs(residual)))
    name = joint_of_row(setup, worst)[0]
    a, b = setup.bodies_of(name)
    word = "driver" if name in setup.model.driver_names else "joint"
    who = f"'{a}' and '{b}'"
    for coupling in setup.model.couplings:
        if coupling.name == name:
            joints = f"the bodies of joints {listed(list(coupling.joints))}"
            tied = listed(list(coupling.bodies)) if isinstance(coupling, CustomCoupling) else ""
            word, who = "coupling", tied or joints
    unit = row_units(setup.system)[worst]
    return InconsistentStart(
        f"the initial velocities of {who} violate {word} '{name}' by"
        f" {abs(residual[worst]):.3g} {f'{unit}/s' if unit else 'per s'}.",
        "Leave velocity or angular_velocity out where the joints determine it: it is filled in; or"
        " take the nearest that they allow: simulate(..., close=True).",
    )
