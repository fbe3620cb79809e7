r"""What a run keeps: joints, momentum, angular momentum, path and energy, method by method.

For a floating chain P and L (about the centre of mass) are constant and the centre of mass goes
straight, $X = X_0 + t P / m$; for one on a fixed ball joint, in gravity, L about that joint has a
constant component along gravity.
"""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.result.result import Result
from chasles.studies import gallery
from chasles.studies.spaces_study.cases import RULES, run

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


def path_error(model: Model, result: Result) -> float:
    """The largest distance of the centre of mass from its straight path, m."""
    masses = np.array([body.mass for body in model.bodies])
    total = float(masses.sum())
    centre: Floats = sum(m * result.position(b) for m, b in zip(masses, model.bodies)) / total
    straight = centre[0] + result.t[:, None] * result.momentum()[0] / total
    return float(np.linalg.norm(centre - straight, axis=1).max())


def kept() -> dict[str, Any]:
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
    found = {
        "gap": outcome.worst_gap,
        "P": outcome.momentum_drift,
        "L": outcome.angular_drift,
        "E": outcome.energy_drift,
    }
    if name == "floating":
        found["X"] = path_error(model, outcome.result)
    return {quantity: float(found[quantity] or 0.0) for quantity in QUANTITIES[name]}
