"""What a chosen space costs: auto against SE(3) everywhere, projection against none."""

from collections.abc import Callable
from statistics import median
from typing import Any

from findings import Figure, Findings, Requirement
from libraries import microseconds, race

STEP = 1e-3
#: auto may cost this much more than SE(3) everywhere; projection this much more than none.
AUTO_LIMIT, PROJECTION_LIMIT = 1.3, 1.5
LOOPS = 50
BODY_STEPS = 8_000  # bodies times steps of one timed run


def stepper(model: Any, step: float = STEP, **options: Any) -> Callable[[int], float]:
    """Seconds that so many steps take."""
    from clocks import make_stepper, seconds_of

    return seconds_of(make_stepper(model, step=step, **options), step)


def auto_against_se3(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """The four examples of the paper, and a chain of 64 on ball joints."""
    if "chasles" not in libraries:
        findings.requirements.append(Requirement("spaces: auto / SE3", None, AUTO_LIMIT))
        return
    from chasles.studies.gallery import chain
    from chasles.studies.paper.examples import EXAMPLES

    models = {key: e.model for key, e in EXAMPLES.items() if e.in_paper} | {"chain 64": chain(64)}
    for name, model in models.items():
        steps = max(50, BODY_STEPS // len(model.bodies))
        contenders = {
            spaces: microseconds(stepper(model, spaces=spaces), steps)
            for spaces in ("auto", "SE3", "SO3xR3")
        }
        best = race(contenders, effort.rounds)
        for spaces, value in best.items():
            findings.figures.append(Figure(f"spaces: {name}", "chasles", spaces, value, "us/step"))
        ratio = best["auto"] / best["SE3"]
        findings.requirements.append(Requirement(f"spaces: {name}, auto / SE3", ratio, AUTO_LIMIT))


def projection_of_loops(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Random closed loops with the cut joint projected after every step, against none."""
    what = f"projection: worst of {LOOPS} random loops / unstabilised"
    if "chasles" not in libraries:
        findings.requirements.append(Requirement(what, None, PROJECTION_LIMIT))
        return
    from chasles.studies.gallery import random_loop

    ratios: dict[str, list[float]] = {"projection": [], "projection of all joints": []}
    for seed in range(LOOPS):
        model = random_loop(seed)
        contenders = {
            stabilise: microseconds(stepper(model, stabilise=stabilise), 1000)
            for stabilise in (None, *ratios)
        }
        best = race(contenders, effort.rounds)
        for stabilise, found in ratios.items():
            found.append(best[stabilise] / best[None])
    for stabilise, found in ratios.items():
        middle = Figure("projection", "chasles", f"{stabilise}, median / none", median(found), "")
        findings.figures.append(middle)
    findings.requirements.append(Requirement(what, max(ratios["projection"]), PROJECTION_LIMIT))


CASES = {"spaces": auto_against_se3, "projection": projection_of_loops}
