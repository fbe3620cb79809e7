r"""What wears joints out, and what a run keeps: fast spins, many steps; momentum, path and energy.

For a floating chain P and L (about the centre of mass) are constant and the centre of mass goes
straight, $X = X_0 + t P / m$; for one on a fixed ball joint, in gravity, L about that joint has a
constant component along gravity.
"""

from math import pi
from typing import Any

import numpy as np

from chasles.model import GROUND, Body, Model, Revolute, Spherical
from chasles.result.result import Result
from chasles.studies import gallery
from chasles.studies.measure import centre_of_mass
from chasles.studies.spaces_study.cases import RULES, Scope, run

SPEED = 300.0  # rad/s
SPUN = 40.0  # s
HALF_TURNS = 50  # steps of pi rad
LONG_CHAIN, LONG_STEP = 8, 1e-3


def shaft(speed: float) -> Model:
    """A plate that turns uniformly about an axis beside its centre of mass, askew in the world."""
    axis, point = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.3, -0.2, 0.1])
    at = np.array([0.4, 0.1, 0.2])
    plate = Body.box(
        "plate", (0.4, 0.2, 0.1), mass=2.0, position=at,
        angular_velocity=speed * axis, velocity=np.cross(speed * axis, at - point),
    )  # fmt: skip
    bearing = Revolute("bearing", GROUND, plate, at=point, axis=axis)
    return Model([plate], [bearing], gravity=(0, 0, 0))


def spins(scope: Scope) -> dict[str, Any]:
    """The bearing of the shaft: Heun's method for a long time, and half a turn in every step."""
    step = 1e-3
    fast, faster = shaft(SPEED), shaft(pi / step)
    return {
        rule: {
            "heun": run(fast, rule, method="heun", step=step, until=SPUN).worst_gap,
            "half turns": run(faster, rule, step=step, until=HALF_TURNS * step).worst_gap,
        }
        for rule in RULES
    }


def long_runs(scope: Scope) -> dict[str, Any]:
    """The worst joint of a chain on ball joints, after more and more steps."""
    model = gallery.chain(LONG_CHAIN, spin=3.0)
    ends = [count * LONG_STEP for count in scope.long]
    gaps = {
        rule: [run(model, rule, step=LONG_STEP, until=end).worst_gap for end in ends]
        for rule in RULES
    }
    return {"steps": scope.long, **gaps}


def door(scope: Scope) -> dict[str, Any]:
    """A body on two ball joints: it can only turn about the line through them."""
    rng = np.random.default_rng(3)
    leaf = gallery.random_body(rng, "leaf", np.array([0.3, 0.1, 0.2]))
    balls = [
        Spherical(name, GROUND, leaf, at=(0, 0, height))
        for name, height in (("upper", 0.5), ("lower", -0.5))
    ]
    model = gallery.set_in_motion(Model([leaf], balls, gravity=(1, -2, -9)), rng, spin=10.0)
    return {rule: run(model, rule, method="heun").worst_gap for rule in RULES}


METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "dopri5", "butcher6", "dop853")
LENGTH, SPIN = 6, 3.0
#: Long enough for the error of order eight to stand clear of rounding, short enough for Euler's.
STEP, UNTIL = 5e-3, 0.5
#: Below this something is kept to rounding: ten times what rounding leaves, measured, and a
#: fifth of the smallest error of a method.
ROUNDING = 1e-13
QUANTITIES = {"floating": ("gap", "P", "L", "X", "E"), "pivoted": ("gap", "L", "E")}


def floating_chain() -> Model:
    """Six links on ball joints in free flight, their centre of mass in motion, no gravity."""
    held = gallery.chain(LENGTH)
    free = Model(held.bodies, held.joints[1:], gravity=(0, 0, 0))
    return gallery.set_in_motion(free, np.random.default_rng(LENGTH), SPIN)


def path_error(result: Result) -> float:
    """The largest distance of the centre of mass from its straight path, m."""
    centre, total = centre_of_mass(result)
    straight = centre[0] + result.t[:, None] * result.momentum()[0] / total
    return float(np.linalg.norm(centre - straight, axis=1).max())


def kept(scope: Scope) -> dict[str, Any]:
    """Largest errors: {chain: {rule: {method: {quantity: error}}}}; infinite if it broke off."""
    # The same six links, the first on a fixed ball joint, in gravity.
    chains = {"floating": floating_chain(), "pivoted": gallery.chain(LENGTH, spin=SPIN)}
    return {
        name: {rule: {m: errors(name, model, rule, m) for m in METHODS} for rule in RULES}
        for name, model in chains.items()
    }


def errors(name: str, model: Model, rule: str, method: str) -> dict[str, float]:
    """Gap in m, P, L and E relative, X in m."""
    outcome = run(model, rule, method=method, step=STEP, until=UNTIL)
    if not outcome.finished:
        return dict.fromkeys(QUANTITIES[name], float("inf"))
    linear, angular = outcome.momentum_drifts
    found = {"gap": outcome.worst_gap, "P": linear, "L": angular, "E": outcome.energy_drift}
    if name == "floating":
        found["X"] = path_error(outcome.result)
    return {quantity: float(found[quantity] or 0.0) for quantity in QUANTITIES[name]}
