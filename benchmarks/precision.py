"""What so many digits of a motion cost: the best method here beside the peers' own, at equal error.

    python benchmarks/run.py --only precision

The error is the largest distance, in any coordinate, of a centre of mass from the reference
trajectories (22 digits) at t = 0.1, 0.2 and 0.5 s.  Everyone takes the longest steps with which the
error is below the level: `fewest_steps` finds them by the same rule for all.  CPU time of the steps
alone, the best of some rounds in which all take turns.
"""

import csv
from collections.abc import Callable
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import models
import numpy as np
import scenes
from clocks import clock, make_stepper
from findings import Figure, Findings, Requirement, Series
from libraries import race
from scenes import Scene

import chasles as ch
from chasles.many.quiet import simulate_quietly
from chasles.many.traced.stepping import TracedSteps

TABLES = Path(__file__).parent.parent / "tests" / "reference"
UNTIL, PARTS = 0.5, 5
KNOWN = (0, 1, 4)  # parts of the time at whose ends the reference is stored
LEVELS = (1e-4, 1e-6, 1e-8)  # m
METHODS = ("rk4", "cf4", "tsit5", "dopri5", "butcher6", "dop853")
#: The best method against generalized-alpha of Exudyn, and against RK4 of MuJoCo.
LIMITS = {"Exudyn": 1 / 20, "MuJoCo": 1 / 8}
#: Exudyn's Newton iteration: its default, and one that is enough for six digits.
NEWTON = (1e-8, 1e-6)
MOST_STEPS = 10**6
STALLED = 10_000  # steps from which on an error that does not fall is a floor
#: An error this close below its level is close enough.
NEAR = 0.75
#: Seconds that a timed contender takes about, so that clocks resolve it.
LONG_ENOUGH = 2e-3
GENERIC = ", generic kernel"
Key = tuple[str, str]


def reference(scene: Scene) -> np.ndarray:
    """Centres of mass at the known times, (times, links, 3)."""
    name = {"heavy top": "top", "double pendulum": "pendulum"}[scene.name]
    with (TABLES / f"ref_{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    times = [UNTIL * (part + 1) / PARTS for part in KNOWN]
    return np.array(
        [
            [[float(row[c]) for c in ("rx", "ry", "rz")] for row in rows if near(row["t"], t)]
            for t in times
        ]
    )


def near(text: str, t: float) -> bool:
    return abs(float(text) - t) < 1e-9


class Contender:
    """A method of a library on a scene: its error, and its time, with so many steps."""

    def __init__(
        self, path: Callable[[int], np.ndarray], clock: Callable[[int], Callable[[], float]],
        order: int, expected: np.ndarray,
    ) -> None:  # fmt: skip
        self.path, self.clock, self.order, self.expected = path, clock, order, expected
        self.known: dict[int, float] = {}

    def error(self, steps: int) -> float:
        if steps not in self.known:
            try:
                found = self.path(steps)[list(KNOWN)]
                self.known[steps] = float(np.nan_to_num(np.abs(found - self.expected), nan=1).max())
            except (RuntimeError, ch.SimulationStopped):  # steps too long for it
                self.known[steps] = 1.0
        return self.known[steps]

    def fewest_steps(self, level: float, first: int = 50) -> int | None:
        """About the least number of steps with which the error is below a level."""
        steps, passing, before = first, None, (0, 0.0)
        for _ in range(12):
            error = self.error(steps)
            if before[0] and steps > 2 * before[0] > STALLED and error > 0.8 * before[1]:
                break  # more steps do not help: what it iterates to is not enough
            before = steps, error
            if error <= level and (passing is None or steps < passing):
                passing = steps
                if error >= NEAR * level:
                    break
            change = (error / (0.9 * level)) ** (1 / self.order)
            next_steps = PARTS * ceil(steps * min(4.0, max(0.5, change)) / PARTS)
            if next_steps == steps or next_steps > MOST_STEPS:
                break
            steps = next_steps
        return passing


def chasles_path(model: ch.Model, scene: Scene, method: str, steps: int) -> np.ndarray:
    run = simulate_quietly(
        model, UNTIL, step=UNTIL / steps, method=method, save_every=steps // PARTS, progress=False
    )
    return np.stack([run.position(link.name)[1:] for link in scene.links], axis=1)


def chasles_clock(model: ch.Model, method: str, traced: bool, steps: int) -> Callable[[], float]:
    """Seconds of a run, by steps made for the model or by the generic kernel."""
    step = UNTIL / steps
    stepper = make_stepper(model, method, step=step)
    advance = TracedSteps(stepper, step).advance if traced else stepper.advance_generic
    measured = clock(stepper, advance, steps, step, runs=max(1, round(LONG_ENOUGH / steps / 4e-7)))
    return lambda: 1e-6 * steps * measured()


def contenders(libraries: dict[str, Any], scene: Scene) -> dict[Key, Contender]:
    expected = reference(scene)
    model = models.build(scene)
    found: dict[Key, Contender] = {}
    for method in METHODS:
        path = partial(chasles_path, model, scene, method)
        order = ch.methods()[method].order
        for traced, word in ((True, method), (False, method + GENERIC)):
            timed = partial(chasles_clock, model, method, traced)
            found["chasles", word] = Contender(path, timed, order, expected)
    if "MuJoCo" in libraries:
        peer = libraries["MuJoCo"]
        timed = partial(peer.run_clock, scene, UNTIL)
        found["MuJoCo", "RK4"] = Contender(
            partial(peer.path, scene, UNTIL, PARTS), timed, 4, expected
        )
    if "Exudyn" in libraries:
        peer = libraries["Exudyn"]
        for tolerance in NEWTON:
            found["Exudyn", f"generalized-alpha, Newton to {tolerance:.0e}"] = Contender(
                partial(peer.path, scene, UNTIL, PARTS, newton=tolerance),
                partial(peer.run_clock, scene, UNTIL, newton=tolerance), 2, expected,
            )  # fmt: skip
    return found


def precision(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Both mechanisms at all levels."""
    levels = LEVELS if effort.rounds > 2 else LEVELS[:2]
    for scene in (scenes.heavy_top(), scenes.double_pendulum()):
        ratios: dict[str, list[float]] = {peer: [] for peer in LIMITS}
        entered = contenders(libraries, scene)
        points: dict[Key, list[tuple[float, float]]] = {key: [] for key in entered}
        for level in levels:
            steps = {key: c.fewest_steps(level) for key, c in entered.items()}
            able = {key: n for key, n in steps.items() if n is not None}
            best = race(
                {key: entered[key].clock(n) for key, n in able.items()},
                min(effort.rounds, 1 if level < 1e-7 else 4),
            )
            for key, seconds in best.items():
                points[key].append((entered[key].error(able[key]), seconds))
            least = winners(best)
            tell(f"{scene.name}, error {level:.0e} m", best, able, findings)
            for peer in LIMITS:
                if peer in least and "chasles" in least:
                    ratios[peer].append(best[least["chasles"]] / best[least[peer]])
        for peer, limit in LIMITS.items():
            worst = max(ratios[peer]) if ratios[peer] else None
            what = f"{scene.name}: best method / {peer} at equal error, worst level"
            findings.requirements.append(Requirement(what, worst, limit))
        for (library, variant), found in faster_kernels(points).items():
            x, y = zip(*found, strict=True)
            findings.series.append(Series(f"{scene.name}, precision", library, variant, x, y))


def faster_kernels(
    points: dict[Key, list[tuple[float, float]]],
) -> dict[Key, list[tuple[float, float]]]:
    """(error, seconds) of every method, by the faster kernel at each level."""
    found: dict[Key, list[tuple[float, float]]] = {}
    for (library, variant), own in points.items():
        key = library, variant.removesuffix(GENERIC)
        pairs = zip(found.get(key, own), own, strict=True)
        found[key] = [min(pair, key=lambda point: point[1]) for pair in pairs]
    return {key: own for key, own in found.items() if own}


def winners(best: dict[Key, float]) -> dict[str, Key]:
    """Each library's fastest method."""
    found: dict[str, Key] = {}
    for key in sorted(best, key=best.__getitem__):
        found.setdefault(key[0], key)
    return found


def tell(case: str, best: dict[Key, float], steps: dict[Key, int], findings: Findings) -> None:
    """Each library's best, in microseconds."""
    for library, key in winners(best).items():
        variant = f"{key[1]}, {steps[key]} steps"
        findings.figures.append(Figure(case, library, variant, 1e6 * best[key], "us"))


CASES = {"precision": precision}
