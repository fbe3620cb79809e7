"""What is measured.  Each case adds its figures and the requirements that it decides."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cores
import implicit
import large_gradients
import numpy as np
import precision
import redundancy
import robots
import roofline
import scenes
import spaces
import startup
import traced
from findings import Figure, Findings, Requirement
from libraries import microseconds, race
from scenes import Scene

Libraries = dict[str, Any]
SPACES = ("auto", "framed", "SE3", "SO3xR3")
ONE_SECOND = 1000  # steps; an implicit method's cost depends on the motion, so it is fixed

#: Centres of mass at t = 0.1 s, from the reference trajectories (Gragg-Bulirsch-Stoer of order 24
#: in minimal coordinates and 140-bit arithmetic; error below 1e-20).
MOMENT = 0.1  # s
REFERENCE = {
    "heavy top": [(0.3777808114240308, 0.1325351929250429, -0.2995264281430314)],
    "double pendulum": [
        (-0.0981631730195051, 0.0188671584677601, -0.0028322771924977),
        (-0.2223812243584110, 0.1034372539122990, -0.0764054010606372),
    ],
}
#: Metres after 0.1 s at a step of 1 ms.  Generalized-alpha is of second order, which shows on the
#: fast mechanisms; the others are released at rest.
TOLERANCE_FAST = {"chasles": 1e-6, "MuJoCo": 1e-6, "Exudyn": 2e-3}
TOLERANCE_SLOW = {"chasles": 1e-6, "MuJoCo": 1e-6, "Exudyn": 1e-5, "Pinocchio": 1e-9}
#: Exponent of the time per step against the number of bodies, from the shortest to the longest.
CHAIN_GROWTH, TREE_GROWTH = 1.05, 1.1
#: In the study of growth: with 10 steps, 4096 bodies take 1.5 times as long for each as with 160,
#: because what a run does once is counted as well; with 100 that is some percent.
FEWEST_STEPS = 100


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    small_steps: int  # for one or two bodies
    body_steps: int  # bodies times steps, in the study of growth
    chains: Sequence[int] = (64, 256, 1024, 4096, 16384)
    trees: Sequence[int] = (250, 500, 1000)


FULL = Effort(rounds=7, small_steps=10_000, body_steps=40_000)
QUICK = Effort(rounds=2, small_steps=2_000, body_steps=10_000)


def same_motion(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    """All libraries integrate the same mechanisms: reference trajectories, then each other."""
    worst = dict.fromkeys(libraries, 0.0)

    def compare(
        names: Iterable[str], scene: Scene, expected: np.ndarray, tolerance: dict[str, float]
    ) -> None:
        for name in names:
            found = libraries[name].positions(scene, MOMENT)
            error = float(np.abs(found - expected).max())
            worst[name] = max(worst[name], error / tolerance[name])
            findings.figures.append(Figure("motion", name, scene.name, error, "m"))

    for scene in (scenes.heavy_top(), scenes.double_pendulum()):
        names = [name for name in libraries if name in TOLERANCE_FAST]
        compare(names, scene, np.array(REFERENCE[scene.name]), TOLERANCE_FAST)
    if "MuJoCo" in libraries:
        mujoco = libraries["MuJoCo"]
        for scene in (scenes.spherical_chain(8), scenes.star(8)):
            others = [name for name in libraries if name in ("chasles", "Exudyn")]
            compare(others, scene, mujoco.positions(scene, MOMENT), TOLERANCE_SLOW)
        hinges, mixed = scenes.revolute_chain(8), scenes.random_tree(8)  # not in Exudyn
        for scene, able in ((hinges, ("chasles", "Pinocchio")), (mixed, ("chasles",))):
            names = [name for name in libraries if name in able]
            compare(names, scene, mujoco.positions(scene, MOMENT), TOLERANCE_SLOW)
    for name, error in worst.items():
        what = f"motion: worst position error of {name} / tolerance"
        findings.requirements.append(Requirement(what, error, 1.0))


def heavy_top(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    against_mujoco(scenes.heavy_top(), 0.35, libraries, effort, findings)


def double_pendulum(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    against_mujoco(scenes.double_pendulum(), 0.6, libraries, effort, findings)


def against_mujoco(
    scene: Scene,
    limit: float,
    libraries: Libraries,
    effort: Effort,
    findings: Findings,
) -> None:
    """Small mechanisms, step for step; Exudyn for information, over the first second."""
    contenders = chasles_in(SPACES, libraries, scene, effort.small_steps)
    if "MuJoCo" in libraries:
        mujoco = libraries["MuJoCo"].stepper(scene)
        contenders["MuJoCo", "RK4"] = microseconds(mujoco, effort.small_steps)
    if "Exudyn" in libraries:
        exudyn = libraries["Exudyn"].stepper(scene)
        contenders["Exudyn", "generalized-alpha"] = microseconds(exudyn, ONE_SECOND)
    if "Pinocchio" in libraries:  # for information: called from Python, half of it is the call
        pinocchio = libraries["Pinocchio"].stepper(scene)
        contenders["Pinocchio", "4 aba, no integration"] = microseconds(pinocchio, ONE_SECOND)
    best = timed(scene.name, contenders, effort, findings)
    ratio = quotient(best, ("chasles", "rk4, auto"), ("MuJoCo", "RK4"))
    findings.requirements.append(Requirement(f"{scene.name}: chasles / MuJoCo RK4", ratio, limit))


def chain(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    """The first second of a falling chain of 256; MuJoCo, cubic in its length, takes few steps."""
    scene = scenes.spherical_chain(256)
    contenders = chasles_in(("auto", "SE3"), libraries, scene, ONE_SECOND)
    if "Exudyn" in libraries:
        exudyn = libraries["Exudyn"].stepper(scene)
        contenders["Exudyn", "generalized-alpha"] = microseconds(exudyn, ONE_SECOND)
        # For information: its cheapest stretch, in which the chain has hardly moved.
        contenders["Exudyn", "its first 50 steps"] = microseconds(exudyn, 50)
    if "MuJoCo" in libraries:
        contenders["MuJoCo", "RK4"] = microseconds(libraries["MuJoCo"].stepper(scene), 3)
    best = timed(scene.name, contenders, effort, findings, rounds=min(effort.rounds, 3))
    ratio = quotient(best, ("chasles", "rk4, auto"), ("Exudyn", "generalized-alpha"))
    what = f"{scene.name}: chasles / Exudyn generalized-alpha"
    findings.requirements.append(Requirement(what, ratio, 0.045))


def hinges(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    """A step of a chain of 64 hinges against the accelerations alone, from Pinocchio."""
    scene = scenes.revolute_chain(64)
    steps = max(50, effort.small_steps // 10)
    contenders = chasles_in(("auto", "framed"), libraries, scene, steps)
    if "Pinocchio" in libraries:
        pinocchio = libraries["Pinocchio"].stepper(scene)
        contenders["Pinocchio", "4 aba, no integration"] = microseconds(pinocchio, steps)
    best = timed(scene.name, contenders, effort, findings)
    ratio = quotient(best, ("chasles", "rk4, auto"), ("Pinocchio", "4 aba, no integration"))
    what = f"{scene.name}: chasles step / four calls of Pinocchio's aba"
    findings.requirements.append(Requirement(what, ratio, 0.35))


def spherical_growth(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    growth("spherical chain", scenes.spherical_chain, effort.chains, libraries, effort, findings)


def revolute_growth(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    growth("revolute chain", scenes.revolute_chain, effort.chains, libraries, effort, findings)


def star_growth(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    growth("star", scenes.star, effort.trees, libraries, effort, findings)


def tree_growth(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    growth("random tree", scenes.random_tree, effort.trees, libraries, effort, findings)


def growth(
    kind: str,
    scene_of: Callable[[int], Scene],
    sizes: Sequence[int],
    libraries: Libraries,
    effort: Effort,
    findings: Findings,
) -> None:
    """The exponent of time per step against size, fitted over all sizes."""
    exponent = None
    limit = CHAIN_GROWTH if kind.endswith("chain") else TREE_GROWTH
    if "chasles" in libraries:
        contenders = {
            ("chasles", f"N = {size}"): microseconds(
                libraries["chasles"].stepper(scene_of(size)),
                max(FEWEST_STEPS, effort.body_steps // size),
            )
            for size in sizes
        }
        best = timed(f"growth: {kind}", contenders, effort, findings)
        exponent = float(np.polyfit(np.log(sizes), np.log(list(best.values())), 1)[0])
    what = f"growth: {kind}, exponent from N = {sizes[0]} to {sizes[-1]}"
    findings.requirements.append(Requirement(what, exponent, limit))


def start_up(libraries: Libraries, effort: Effort, findings: Findings) -> None:
    """Whole processes, interpreter included."""
    limits = {"import": 0.8, "heavy top, warm cache": 1.5, "heavy top, first-ever compile": 30.0}
    found = startup.measure(rounds=5) if "chasles" in libraries else None
    for what, limit in limits.items():
        seconds = found.seconds[what] if found else None
        findings.requirements.append(Requirement(f"start-up: {what}, s", seconds, limit))
        if seconds is not None:
            findings.figures.append(Figure("start-up", "chasles", what, seconds, "s"))
    ahead = startup.cpu_seconds() if found else {}
    for what, limit in startup.LIMITS.items():
        findings.requirements.append(
            Requirement(f"start-up: {what}, CPU-s", ahead.get(what), limit)
        )
        if found:
            findings.figures.append(Figure("start-up", "chasles", what, ahead[what], "CPU-s"))
    silent = found.silent_compilations if found else None
    what = "start-up: compilations not announced on stderr"
    findings.requirements.append(Requirement(what, silent, 0))
    if found:
        for what, step in (
            ("heavy top, where compiled", found.step_where_compiled),
            ("heavy top, from the cache", found.step_from_cache),
        ):
            findings.figures.append(Figure("start-up", "chasles", what, step, "us/step"))


def chasles_in(
    spaces: Sequence[str], libraries: Libraries, scene: Scene, steps: int
) -> dict[tuple[str, str], Callable[[], float]]:
    if "chasles" not in libraries:
        return {}
    stepper = libraries["chasles"].stepper
    return {
        ("chasles", f"rk4, {space}"): microseconds(stepper(scene, space), steps) for space in spaces
    }


def timed(
    case: str,
    contenders: dict[tuple[str, str], Callable[[], float]],
    effort: Effort,
    findings: Findings,
    rounds: int | None = None,
) -> dict[tuple[str, str], float]:
    best = race(contenders, rounds or effort.rounds)
    for (library, variant), value in best.items():
        findings.figures.append(Figure(case, library, variant, value, "us/step"))
    return best


def quotient(
    best: dict[tuple[str, str], float], ours: tuple[str, str], theirs: tuple[str, str]
) -> float | None:
    return best[ours] / best[theirs] if ours in best and theirs in best else None


CASES: dict[str, Callable[[Libraries, Effort, Findings], None]] = {
    "motion": same_motion,
    "top": heavy_top,
    "pendulum": double_pendulum,
    "chain": chain,
    "hinges": hinges,
    "spherical": spherical_growth,
    "revolute": revolute_growth,
    "star": star_growth,
    "tree": tree_growth,
    **spaces.CASES,
    **redundancy.CASES,
    **precision.CASES,
    **implicit.CASES,
    **robots.CASES,
    **roofline.CASES,
    **cores.CASES,
    **traced.CASES,
    **large_gradients.CASES,
    "startup": start_up,
}
