"""What redundant constraints cost: four-bar ladders, against the same ladders with none."""

from typing import Any

import numpy as np
from findings import Figure, Findings, Requirement
from libraries import microseconds, race
from spaces import stepper

LOOPS = (25, 50, 100, 200)
BODY_STEPS = 20_000  # bodies times steps of one timed run
STEP = 1e-5  # s: the ladder hardly moves, and a cost does not depend on the step
#: Redundant against independent constraints; growth with the number of loops; solve / refuse.
COST_LIMIT, GROWTH_LIMIT, FREE_LIMIT = 1.6, 1.1, 1.03
AXIS = (0.0, 0.0, 1.0)


def ladder(loops: int, redundant: bool) -> Any:
    """Square four-bar loops side by side, pushed over.

    With revolutes alone every loop has three redundant rows.  With a ball joint and a cylindrical
    joint on each beam there are none, and the motion is the same.
    """
    import chasles as ch

    feet = np.array([(k, 0.0, 0.0) for k in range(loops + 1)])
    heads = feet + (0.0, 1.0, 0.0)

    def rod(name: str, start: np.ndarray, end: np.ndarray, **motion: Any) -> Any:
        x = (end - start) / np.linalg.norm(end - start)
        turn = np.column_stack((x, np.cross(AXIS, x), AXIS))
        return ch.Body.box(
            name, (np.linalg.norm(end - start), 0.1, 0.1), mass=1.0, position=(start + end) / 2,
            rotation=turn, **motion,
        )  # fmt: skip

    posts = [rod("post 0", feet[0], heads[0], angular_velocity=(0, 0, -1.0))]
    posts += [rod(f"post {k}", feet[k], heads[k]) for k in range(1, loops + 1)]
    beams = [rod(f"beam {k}", heads[k], heads[k + 1]) for k in range(loops)]
    joints: list[Any] = [
        ch.Revolute(f"foot {k}", ch.GROUND, post, feet[k], AXIS) for k, post in enumerate(posts)
    ]
    for k, beam in enumerate(beams):
        left, right = f"left {k}", f"right {k}"
        if redundant:
            joints.append(ch.Revolute(left, posts[k], beam, heads[k], AXIS))
            joints.append(ch.Revolute(right, beam, posts[k + 1], heads[k + 1], AXIS))
        else:
            joints.append(ch.Spherical(left, posts[k], beam, heads[k]))
            joints.append(ch.Cylindrical(right, beam, posts[k + 1], heads[k + 1], AXIS))
    return ch.Model(posts + beams, joints, gravity=(0, -9.81, 0))


def redundant_ladders(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Time per step of both kinds of ladder, and how it grows."""
    names = (
        "ladders: redundant / independent constraints, worst length",
        "ladders: exponent of growth with the number of loops",
        "ladders without redundancy: redundant='solve' / 'refuse'",
    )
    limits = (COST_LIMIT, GROWTH_LIMIT, FREE_LIMIT)
    measured: tuple[float | None, ...] = (None, None, None)
    if "chasles" in libraries:
        measured = measured_ladders(effort, findings)
    for what, value, limit in zip(names, measured, limits, strict=True):
        findings.requirements.append(Requirement(what, value, limit))


def measured_ladders(effort: Any, findings: Findings) -> tuple[float, float, float]:
    """Worst ratio, exponent of growth, and cost of looking for redundancy."""
    ratios, times = [], []
    for loops in LOOPS:
        steps = max(20, BODY_STEPS // (2 * loops + 1))
        contenders = {
            redundant: microseconds(stepper(ladder(loops, redundant), step=STEP), steps)
            for redundant in (True, False)
        }
        best = race(contenders, effort.rounds)
        ratios.append(best[True] / best[False])
        times.append(best[True])
        variant = f"{loops} loops of revolutes, per step"
        findings.figures.append(Figure("redundancy", "chasles", variant, best[True], "us"))
    growth = float(np.polyfit(np.log(LOOPS), np.log(times), 1)[0])
    looked = {
        choice: microseconds(stepper(ladder(LOOPS[0], False), step=STEP, redundant=choice), 400)
        for choice in ("solve", "refuse")
    }
    best_look = race(looked, effort.rounds)
    free = best_look["solve"] / best_look["refuse"]
    return max(ratios), growth, free


CASES = {"redundancy": redundant_ladders}
