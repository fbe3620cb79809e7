"""The models and runs of the study of integrators."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from chasles.integrators.methods import methods
from chasles.many.quiet import simulate_quietly
from chasles.model import (
    GROUND,
    Body,
    Bushing,
    ChaslesError,
    Driver,
    Model,
    Revolute,
    Signal,
    SimulationStopped,
    Spherical,
)
from chasles.studies import gallery
from chasles.studies.convergence import convergence
from chasles.studies.measure import Candidate, Outcome
from chasles.studies.work_precision import work_precision

SPACES = ("auto", "SE3", "SO3xR3")
#: Longest step of the orders, by the order of the method; halved twice.
LONGEST = {1: 2.5e-4, 2: 5e-4, 3: 1e-3, 4: 1e-3, 5: 2e-3, 6: 2e-3, 8: 5e-3}
UNTIL = 0.1
#: Of the long runs: steps that turn the top by a hundredth of a radian, and states that are kept.
STEP, ROWS = 2e-3, 400
#: Of the runs that show what accuracy costs.
COSTED = ("rk4", "cf4", "gauss4", "gauss6", "rattlie4", "half-explicit", "generalized-alpha",
          "dopri5", "dop853")  # fmt: skip


@dataclass(frozen=True)
class Scope:
    """How much is run: `quick` for a look, `slow` for a million steps."""

    quick: bool = False
    slow: bool = False

    @property
    def steps(self) -> int:
        return 1_000_000 if self.slow else 5_000 if self.quick else 50_000


def own_methods() -> list[str]:
    """All methods of this package that take steps of one length."""
    return [name for name, method in methods().items() if method.foreign is None]


def bushing_model() -> Model:
    """A rigid block on three rubber mounts, thrown; its fastest mode has about 60 Hz."""
    block = Body.box("block", size=(0.4, 0.3, 0.2), mass=10.0, velocity=(0.5, 0.2, 0.1),
                     angular_velocity=(1.0, -2.0, 1.5))  # fmt: skip
    places = ((0.2, 0.15, -0.1), (-0.2, 0.15, -0.1), (0.0, -0.15, -0.1))
    stiffness, damping = (2e5, 2e5, 4e5, 50, 50, 50), (200, 200, 300, 0.1, 0.1, 0.1)
    mounts = [
        Bushing(f"mount {k}", GROUND, block, at=at, stiffness=stiffness, damping=damping)
        for k, at in enumerate(places)
    ]
    return Model([block], [], mounts)


def driven_model() -> Model:
    """A driven crank that carries a rod on a ball joint."""
    crank = Body.rod("crank", mass=1.0, between=((0, 0, 0), (0.5, 0, 0)))
    rod = Body.box("rod", size=(0.6, 0.05, 0.1), mass=2.0, position=(0.8, 0, 0),
                   angular_velocity=(3.0, 2.0, 8.0))  # fmt: skip
    axle = Revolute("axle", GROUND, crank, at=(0, 0, 0), axis="z")
    ball = Spherical("ball", crank, rod, at=(0.5, 0, 0))
    motor = Driver("motor", axle, Signal.expression("sin(4*t)"))
    return Model([crank, rod], [axle, ball], drivers=[motor])


def slow_top() -> Model:
    """A top that turns by about a hundredth of a radian in a step."""
    top = Body.box("top", size=(0.1, 0.2, 0.4), mass=2.0, position=(0.5, 0, 0),
                   angular_velocity=(6.0, 2.0, 3.0))  # fmt: skip
    return Model([top], [Spherical("pivot", GROUND, top, at=(0, 0, 0))])


def models() -> dict[str, Model]:
    return {
        "heavy top": gallery.heavy_top(),
        "double pendulum": gallery.double_pendulum(),
        "3-bar": gallery.three_bar(),
        "block on rubber": bushing_model(),
        "driven crank": driven_model(),
    }


def orders(scope: Scope) -> dict[str, Any]:
    """Observed orders: model -> method -> spaces -> (pose, velocity), or why it was refused."""
    known = methods()
    chosen = {"heavy top": models()["heavy top"]} if scope.quick else models()
    found: dict[str, Any] = {name: {} for name in chosen}
    for name, model in chosen.items():
        for method in own_methods():
            longest = LONGEST[known[method].order]
            steps = [longest, longest / 2, longest / 4]
            table = convergence(
                model, UNTIL, steps, methods=[method], spaces=SPACES, progress=False
            )
            found[name][method] = {
                family.spaces: family.refused or [family.observed(), family.observed("velocity")]
                for family in table.families
            }
    return found


def work(scope: Scope) -> dict[str, Any]:
    """Error against evaluations and time of the top and the double pendulum."""
    return {
        name: work_precision(
            models()[name], 0.2, [4e-3, 2e-3, 1e-3, 5e-4], [1e-4, 1e-6, 1e-8, 1e-10],
            methods=COSTED, timing=not scope.quick, progress=False,
        ).as_dict()
        for name in ("heavy top", "double pendulum")
    }  # fmt: skip


def drift(scope: Scope) -> dict[str, Any]:
    """What long runs of a slow top keep: method -> spaces -> numbers, or why there are none."""
    model = slow_top()
    return {
        method: {space: kept(model, method, space, scope.steps) for space in SPACES}
        for method in own_methods()
    }


def kept(model: Model, method: str, spaces: str, steps: int) -> Any:
    """Largest gap (m), errors of the energy and of L along gravity, and the energy's trend.

    The trend is the slope of a line through the error of the energy over the steps, as a fraction
    of the largest kinetic energy per step; sigma is what the scatter about it makes uncertain.
    """
    try:
        result = simulate_quietly(
            model, steps * STEP, step=STEP, method=method, spaces=spaces,
            save_every=max(1, steps // ROWS), progress=False,
        )  # fmt: skip
    except SimulationStopped as stopped:
        return f"stopped: {stopped.what}"
    except ChaslesError as refused:
        return refused.what
    outcome = Outcome(Candidate(method), result)
    line, spread = np.polyfit(result.t / STEP, outcome.energy_error, 1, cov=True)
    angular = outcome.angular_drift
    return {
        "gap": float(result.violation("pivot").max()),
        "energy": outcome.energy_drift,
        "trend": float(line[0]),
        "sigma": float(np.sqrt(spread[0, 0])),
        "L": inf if angular is None else angular,
    }


def is_secular(row: dict[str, float]) -> bool:
    """Whether the energy's trend is more than scatter: four standard deviations, and rounding."""
    return abs(row["trend"]) > 4.0 * row["sigma"] and row["energy"] > 1e-12
