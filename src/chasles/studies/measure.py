"""One run, and what it says: gaps of joints, energy, momenta, cost of a step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.methods import find_method
from chasles.many.quiet import simulate_quietly, steps_between
from chasles.model import GROUND, Model, SimulationStopped, Spherical
from chasles.result.result import Result


@dataclass(frozen=True)
class Candidate:
    """One way to run a model: a label and keyword arguments of `simulate`."""

    label: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> int:
        return find_method(self.options["method"]).order


# --- one run --------------------------------------------------------------------------------------

#: Length of one timed run, and how many are taken in turn; the fastest counts, so short ones do.
TIMED_SECONDS, TIMED_REPEATS = 0.01, 10
FEWEST_TIMED, MOST_TIMED = 20, 4000
#: A trajectory keeps about this many states.
KEPT_STATES = 5000


@dataclass(frozen=True)
class Gap:
    """By how much one joint is open at the saved times."""

    translation: Floats = field(repr=False)  # (T,) m
    rotation: Floats = field(repr=False)  # (T,) rad

    @property
    def metres(self) -> float:
        return float(self.translation.max())

    @property
    def radians(self) -> float:
        return float(self.rotation.max())

    @property
    def worst(self) -> float:
        """The larger of the two numbers, m or rad."""
        return max(self.metres, self.radians)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A run, and what it says of joints, energy and momenta.

    cost  microseconds per step, or None where it was not timed
    """

    candidate: Candidate
    result: Result = field(repr=False)
    cost: float | None = None

    @property
    def label(self) -> str:
        return self.candidate.label

    @property
    def t(self) -> Floats:
        return self.result.t

    @property
    def finished(self) -> bool:
        return self.result.status == "finished"

    @property
    def steps(self) -> int:
        return int(self.result.provenance["steps"])

    @cached_property
    def gaps(self) -> dict[str, Gap]:
        """Of every joint."""
        with blown_up():
            return {
                name: Gap(self.result.violation(name), self.result.violation(name, "rotation"))
                for name in self.result.model.joint_names
            }

    def gap_units(self, joint: str) -> tuple[str, ...]:
        """The units in which a joint can be open: "m" (or a custom joint's own), "rad", or both."""
        setup = self.result.problem.setup
        rows = setup.units(setup.joint_index[joint])
        kinds = ("m" if any(unit != "rad" for unit in rows) else "", "rad" if "rad" in rows else "")
        return tuple(unit for unit in kinds if unit)

    @property
    def worst_gap(self) -> float:
        """Over all joints, m or rad; infinite if the run could not be finished."""
        if not self.finished:
            return inf
        return max((gap.worst for gap in self.gaps.values()), default=0.0)

    @cached_property
    def energy_error(self) -> Floats:
        """(T,) (E - E0 - work of forces and drivers) / largest kinetic energy."""
        with blown_up():
            largest = max(float(self.result.kinetic_energy().max()), np.finfo(float).tiny)
            return self.result.energy_balance() / largest

    @property
    def energy_drift(self) -> float:
        """The largest error; infinite if the run could not be finished."""
        return float(np.abs(self.energy_error).max()) if self.finished else inf

    @cached_property
    def momentum_drifts(self) -> tuple[float | None, float | None]:
        """The largest `momentum_errors` of linear and of angular momentum."""
        with blown_up():
            linear, angular = momentum_errors(self.result)
        return (
            None if linear is None else float(linear.max()),
            None if angular is None else float(angular.max()),
        )

    @property
    def momentum_drift(self) -> float | None:
        return self.momentum_drifts[0]

    @property
    def angular_drift(self) -> float | None:
        return self.momentum_drifts[1]


def blown_up() -> Any:
    """Numbers of a run that stopped may be too large to square."""
    return np.errstate(over="ignore", invalid="ignore")


def measure(model: Model, candidate: Candidate, until: float) -> Outcome:
    """Run one candidate to `until`; a run that stops keeps what it reached."""
    return Outcome(candidate, run_of(model, until, candidate.options))


def run_of(model: Model, until: float, options: Mapping[str, Any]) -> Result:
    """A run that keeps some thousands of states; one that stops keeps what it reached."""
    every = steps_between(until, options["step"], KEPT_STATES)
    try:
        return simulate_quietly(model, until, **options, save_every=every, progress=False)
    except SimulationStopped as stopped:
        if stopped.result is None:
            raise
        return stopped.result


def log_slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of log y over log x, an observed order; nan with fewer than two points."""
    if len(points) < 2:
        return nan
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


# --- momenta --------------------------------------------------------------------------------------


def momentum_errors(result: Result) -> tuple[Floats | None, Floats | None]:
    """Relative errors (T,) of linear and angular momentum, None where they are not conserved.

    A model that does not touch the ground keeps linear momentum, less what gravity adds, and
    angular momentum about its centre of mass.  One that hangs on a single fixed ball joint keeps
    angular momentum about it: all of it without gravity, else what points along gravity.
    With other forces, or drivers, nothing is said.
    """
    model = result.model
    if model.forces or model.drivers:
        return None, None
    grounded = [joint for joint in model.joints if GROUND.name in (joint.a, joint.b)]
    gravity = np.array(model.gravity)
    if not grounded:
        total = sum(body.mass for body in model.bodies)
        expected = total * gravity * result.t[:, None]
        linear = result.momentum() - expected
        energy = np.sqrt(2 * total * result.kinetic_energy().max())  # |p| <= sqrt(2 m T)
        return drift_of(linear, energy), drift_of(*spin_about_centre(result))
    points = {joint.at for joint in grounded}
    if len(points) > 1 or not all(isinstance(joint, Spherical) for joint in grounded):
        return None, None
    arm = np.array(next(iter(points)))
    about = result.angular_momentum() - np.cross(arm, result.momentum())
    scale = float(np.linalg.norm(about, axis=1).max())
    strength = float(np.linalg.norm(gravity))
    if strength > 0:
        about = (about @ gravity / strength)[:, None]
    return None, drift_of(about, scale)


def spin_about_centre(result: Result) -> tuple[Floats, float]:
    """Angular momentum about the centre of mass (T, 3), and the size of its largest part."""
    centre, total_mass = centre_of_mass(result)
    drift = result.momentum() / total_mass
    total = np.zeros((len(result.t), 3))
    largest = 0.0
    for body in result.model.bodies:
        inertia = np.array(body.inertia)
        spin = result.rotation(body) @ (result.angular_velocity(body) @ inertia)[..., None]
        lever, speed = result.position(body) - centre, result.velocity(body) - drift
        part = body.mass * np.cross(lever, speed) + spin[..., 0]
        total += part
        largest = max(largest, float(np.linalg.norm(part, axis=1).max()))
    return total, largest


def centre_of_mass(result: Result) -> tuple[Floats, float]:
    """Of the whole model (T, 3), m, and its mass, kg."""
    bodies = result.model.bodies
    total = float(sum(body.mass for body in bodies))
    weighted = np.sum([body.mass * result.position(body) for body in bodies], axis=0)
    return weighted / total, total


def drift_of(values: Floats, scale: float) -> Floats:
    size = np.linalg.norm(values - values[0], axis=1)
    return size / scale if scale > 0 else size


# --- cost -----------------------------------------------------------------------------------------


def costs(
    model: Model,
    candidates: Sequence[Candidate],
    until: float,
    repeats: int = TIMED_REPEATS,
) -> list[float]:
    """Microseconds per step of each candidate: the best of `repeats`, taken in turn.

    All meet the same disturbances.  The first lap loads compiled code, which takes longer than the
    steps; the second finds how many steps to time, and later ones take more if it was disturbed.
    A cost does not depend on the length of a step, so short ones are timed: no method fails them.
    """
    counts = [FEWEST_TIMED] * len(candidates)
    best = [inf] * len(candidates)
    for lap in range(-1, repeats + 1):
        for index, candidate in enumerate(candidates):
            seconds = timed(model, candidate.options, until, counts[index])
            if seconds is None or lap < 0:
                continue
            if lap:
                best[index] = min(best[index], 1e6 * seconds / counts[index])
            wanted = TIMED_SECONDS * counts[index] / max(seconds, 1e-7)
            counts[index] = max(counts[index], int(min(MOST_TIMED, wanted)))
    return best


def timed(model: Model, options: dict[str, Any], until: float, steps: int) -> float | None:
    """Seconds that so many steps take, or None if the run stops before."""
    step = min(options["step"], until / MOST_TIMED)
    try:
        result = simulate_quietly(
            model, steps * step, **{**options, "step": step}, save_every=steps, progress=False
        )
    except SimulationStopped:
        return None
    return float(result.provenance["seconds_in_steps"])
