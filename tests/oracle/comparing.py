"""A run of chasles beside the motion of the oracle."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle.jets import Floats
from oracle.mechanism import Mechanism
from oracle.random_models import Case

import chasles as ch

UNTIL, STEPS = 0.12, 24
FINE = 16  # times as many steps where a run stops and asks for shorter ones
#: Order of every method that is compared.
ORDERS = {
    "rk4": 4,
    "cf4": 4,
    "gauss2": 2,
    "gauss4": 4,
    "half-explicit": 4,
    "linearly-implicit": 2,
    "generalized-alpha": 2,
    "generalized-alpha index 2": 2,
    "bliedf2": 2,
    "rattlie": 2,
    "rattlie4": 4,
}
RULES = ("auto", "subgroups", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "framed")
#: What is left after extrapolation, as a fraction of the difference of two runs; and rounding.
LEFT, FLOOR = 0.5, 1e-9
#: ... with shorter steps beside a kink, whose errors no order extrapolates.
ALL = 1.0
#: At a kink, or where a stop with damping is hit, a method errs by what a step happens to hit: in
#: proportion to its length, and differently in the next run.  By so much with UNTIL / STEPS, in m,
#: rad and per s; models that differ by more have to approach the oracle with shorter steps.
KINK = 4e-3

#: What a method or a space may refuse, by the words of the documentation.
DOCUMENTED = (
    "needs a constant mass matrix",
    "restricts speeds that are not the rates of any",
    "refer to each other in a circle",
    "became singular after",
    "is close to a singular pose",
)


def is_documented(error: ch.ChaslesError) -> bool:
    return any(words in str(error) for words in DOCUMENTED)


def numbers_of(result: ch.Result, angles: list[Any]) -> Floats:
    """The last poses, velocities and angles of a run, in world axes."""
    found = []
    for body in result.model.body_names:
        turn = result.rotation(body)[-1]
        found += [
            result.position(body)[-1],
            turn.ravel(),
            result.velocity(body)[-1],
            turn @ result.angular_velocity(body)[-1],
        ]
    found.append([result.coordinate(joint, word)[-1] for joint, word in angles])
    return np.concatenate(found)


def oracle_numbers(mechanism: Mechanism, state: Floats) -> Floats:
    """The same of a state of the oracle."""
    bodies, angles = mechanism.bodies_at(state), mechanism.angles_at(state)
    found = []
    for k in range(mechanism.count):
        found += [bodies.r[k], bodies.rotation[k].ravel(), bodies.v[k], bodies.omega[k]]
    found.append(list(angles.values()))
    return np.concatenate(found)


@dataclass(frozen=True)
class Compared:
    """How far two runs are from each other, and their extrapolation from the oracle."""

    apart: float
    wrong: float
    kink: float  # what kinks may add to that
    left: float
    is_told: bool  # the run with the shorter steps says itself that it is not accurate

    @property
    def agrees(self) -> bool:
        return self.wrong <= self.left * self.apart + FLOOR + self.kink


def compared(case: Case, expected: Floats, method: str, spaces: Any, **options: Any) -> Compared:
    """Two runs, with steps as long as they may be: one that stops asks for shorter ones, and what
    differs at a kink has to approach the oracle with them.  One that stops may ask twice.
    """
    for count in (STEPS, FINE * STEPS):
        try:
            found = two_runs(case, expected, method, spaces, count, options)
            if found.agrees or not found.kink or count > STEPS:
                return found
        except ch.SimulationStopped as error:
            if "Take a smaller step" not in str(error) or is_documented(error):
                raise
    return two_runs(case, expected, method, spaces, FINE**2 * STEPS, options)


def two_runs(
    case: Case, expected: Floats, method: str, spaces: Any, count: int, options: dict[str, Any]
) -> Compared:
    """Runs with `count` steps and twice as many, extrapolated by the order of the method."""
    mechanism = Mechanism(case.model)
    runs = []
    for steps in (count, 2 * count):
        with warnings.catch_warnings(record=True) as words:
            warnings.simplefilter("always")
            result = ch.simulate(
                case.model, UNTIL, UNTIL / steps, method=method, spaces=spaces, **options
            )
        runs.append(numbers_of(result, mechanism.angles))
    better = runs[1] + (runs[1] - runs[0]) / (2 ** ORDERS[method] - 1)
    return Compared(
        float(np.abs(runs[1] - runs[0]).max()),
        float(np.abs(better - expected).max()),
        KINK * STEPS / count if case.has_kinks else 0.0,
        ALL if case.has_kinks and count > STEPS else LEFT,
        any("the motion after that is not" in str(word.message) for word in words),
    )


def random_spaces(rng: np.random.Generator, model: ch.Model) -> Any:
    """One rule for all bodies, or one for each."""
    if rng.random() < 0.6:
        return str(rng.choice(RULES))
    return {body: str(rng.choice(RULES[1:])) for body in model.body_names}
