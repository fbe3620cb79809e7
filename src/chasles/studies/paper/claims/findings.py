"""What the data say of each claim: a verdict, figures, and numbers for its words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.integrators.tableaux import METHODS
from chasles.studies.paper import examples
from chasles.studies.paper.claims.rules import (
    DRIFTS,
    EXACT,
    FAILS,
    GENERALLY,
    HOLDS,
    ONLY_IF,
    Measure,
    alike,
    energy_measure,
    gap_measure,
    two_orders,
    verdict,
)
from chasles.studies.paper.printed_top import MIXED, operations_of_a_stage
from chasles.studies.paper.study import FORMS, PAPER_SPACES, CaseResult, Study
from chasles.studies.words import filled, words

PAPER_T0 = 13_970.0  # J, printed as 13.97 kJ


@dataclass(frozen=True)
class Finding:
    verdict: str
    measures: Sequence[Measure]
    values: dict[str, Any] = field(default_factory=dict)  # by name, for the words


# --- one number on both groups --------------------------------------------------------------------


def compared(study: Study, entry: dict[str, Any]) -> Finding:
    """The gap of joints, or the energy drift, of an example, judged by the rule of the entry."""
    example, joints = entry["needs"][0], entry.get("joints", ())

    def size(outcome: CaseResult) -> float:
        return max(map(outcome.gap, joints)) if joints else outcome.energy_drift

    runs = study.pair(example)
    a, b = map(size, runs)
    values: dict[str, Any] = {
        "a": a,
        "b": b,
        "inside": size(study.chosen(example)),
        "framed": size(study.run(example, "framed")),
        "screw": [size(o) for o in study.pair(example, "screw")],
        "factor": a / b if b else np.inf,
    }
    measures = [gap_measure(o, j) for o in runs for j in entry.get("measured", joints)]
    measures += [Measure(entry["ratio"], a / b)] if "ratio" in entry else []
    if "random" in entry:
        more, median = random_starts(study, entry["random"])
        values |= more
        measures.append(median)
    holds = {
        "exact": a < EXACT and b > DRIFTS,
        "smaller": a < b,
        "alike": alike(a, b),
        "generally": values.get("share", 0.0) >= GENERALLY,
    }
    return Finding(
        verdict(holds[entry["judged"]]), measures or [energy_measure(o) for o in runs], values
    )


def random_starts(study: Study, kind: str) -> tuple[dict[str, Any], Measure]:
    """How often SE(3) is better in random starts, and the median of the ratios."""
    spin = study.spins[0]
    ratios = study.random_ratios(kind, spin)
    median = float(np.median(ratios))
    plural = {"pendulum": "pendulums", "floating": "floating pairs"}[kind]
    cases = tuple(study.case(n, s) for n in study.random_names(kind, spin) for s in PAPER_SPACES)
    measure = Measure(
        f"median of SE(3)/SO(3)xR3 over {len(ratios)} random {plural}", median, cases=cases
    )
    values = {
        "spin": spin,
        "starts": len(ratios),
        "median": median,
        "wins": int((ratios < 1).sum()),
        "losses": int((ratios > 1).sum()),
        "share": float(np.mean(ratios < 1)),
        "random_inside": study.random_in_subgroups(kind, spin),
        "by_spin": wins_by_spin(study, kind),
    }
    return values, measure


def wins_by_spin(study: Study, kind: str) -> str:
    """In how many random starts SE(3) is better, for every spin and form: none is left out."""
    counts = []
    for form in FORMS:
        ratios = [study.random_ratios(kind, spin, form) for spin in study.spins]
        wins = ", ".join(str(int((r < 1).sum())) for r in ratios)
        counts.append(f"{wins} ({form} form)")
    spins = ", ".join(f"{spin:g}" for spin in study.spins)
    return f"SE(3) is better in {' and '.join(counts)} of {len(ratios[0])} starts at {spins} rad/s."


# --- the heavy top and the pendulum ---------------------------------------------------------------


def initial_energy(study: Study) -> Finding:
    outcome = study.run("heavy-top", "SE3")
    value = outcome.kinetic_at_start
    measures = [Measure("kinetic energy at the start", value, "J", (outcome.case,))]
    return Finding(verdict(round(value / 10) * 10 == PAPER_T0), measures, {"a": value})


def any_tableau(study: Study) -> Finding:
    methods = [study.options.method] if study.options.quick else list(METHODS)
    runs = {s: [study.run("heavy-top", s, method=m) for m in methods] for s in PAPER_SPACES}
    gaps = {s: [o.gap("pivot") for o in runs[s]] for s in runs}
    inside = max(study.chosen("heavy-top", method=m).gap("pivot") for m in methods)
    crude = next((o for o in runs["SE3"] if o.case.method == "euler"), runs["SE3"][0])
    several = len(methods) > 1
    values = {
        "a": max(gaps["SE3"]),
        "least": min(gaps["SO3xR3"]),
        "most": max(gaps["SO3xR3"]),
        "held": filled("at most {a:m}" if inside > 0.0 else "{a:m}", {"a": inside}),
        "tableaux": f"{len(methods)} Munthe-Kaas tableau{'x' if several else ''}",
        "crude": crude.case.method,
        "crude_gap": crude.gap("pivot"),
        "crude_energy": 100 * crude.energy_drift,
        "shown": "tableaux" if several else "heavy-top-pivot",
    }
    measures = [gap_measure(o, "pivot") for s in runs for o in runs[s]]
    return Finding(verdict(max(gaps["SE3"]) < EXACT), measures, values)


def top_energy(study: Study) -> Finding:
    """Two orders of magnitude: depends on which of the paper's two right-hand sides is used."""
    short, longer = study.pair("heavy-top"), study.pair("heavy-top", longer=True)
    screw, mixed = study.pair("heavy-top", "screw"), study.printed(MIXED)
    (a, b), long, screwed = ([o.energy_drift for o in pair] for pair in (short, longer, screw))
    drift, first = np.abs(mixed.kinetic / mixed.kinetic[0] - 1), study.first(mixed)
    ratios = {
        "ratio": b / a,
        "ratio_long": long[1] / long[0],
        "screw_ratio": screwed[1] / screwed[0],
        "mixed_ratio": float(drift[first].max()) / a,
        "mixed_long": float(drift.max()) / long[0],
    }
    values = {
        **ratios,
        "a": a,
        "b": b,
        "inside": study.chosen("heavy-top").energy_drift,
        "until": longer[0].case.until,
        "wider": float(mixed.gap[first].max()) / short[1].gap("pivot"),
        "screw": screwed[1],
    }
    source = f"printed_top {MIXED}"
    measures = [
        *map(energy_measure, (*short, *longer, *screw)),
        Measure("ratio of the energy drifts", ratios["ratio"]),
        Measure("ratio of the energy drifts, longer", ratios["ratio_long"]),
        Measure("ratio in the screw form", ratios["screw_ratio"], "", tuple(o.case for o in screw)),
        Measure("ratio with mixed eta", ratios["mixed_ratio"], source=source),
        Measure("ratio with mixed eta, longer", ratios["mixed_long"], source=source),
    ]
    by_mixing = ONLY_IF if two_orders(ratios["mixed_ratio"]) else FAILS
    return Finding(HOLDS if two_orders(ratios["ratio"]) else by_mixing, measures, values)


def second_joint_larger(study: Study) -> Finding:
    runs, joints = study.pair("double-pendulum"), ("joint 1", "joint 2")
    proper, product, inside = (
        [o.gap(j) for j in joints] for o in (*runs, study.chosen("double-pendulum"))
    )
    holds = all(second > first for first, second in (proper, product))
    measures = [gap_measure(o, j) for o in runs for j in joints]
    values = {"proper": proper, "product": product, "inside": inside}
    return Finding(verdict(holds), measures, values)


# --- abstract and conclusion, on models that put them to the test ---------------------------------


def best_overall(study: Study) -> Finding:
    """The sentence sums up the four examples, so it is held against all of their figures.

    That base joints are perfect does not make a loop better: the sum of its gaps is no smaller.
    """
    four = words()["claims"]["best-overall"]["needs"]
    shown = {key: study.pair(key) for key in four}
    gaps = [[o.gap(joint) for o in pair] for pair in shown.values() for joint in pair[0].gaps]
    energies = [[o.energy_drift for o in pair] for pair in shown.values()]
    better = [sum(a < b for a, b in table) for table in (gaps, energies)]
    of = [len(gaps), len(energies)]
    bars, screw = shown["three-bar"], study.pair("three-bar", "screw")
    sizes, screw_sizes = ([study.loop_size(o) for o in pair] for pair in (bars, screw))
    loops = [study.loop_gap(o) for o in bars]
    identity = max(float(np.abs(loop - turns).max()) for loop, turns in loops)
    held = [o.gap(joint) < EXACT for o in map(study.chosen, four) for joint in o.gaps]
    cases = tuple(o.case for o in bars)
    measures = [
        Measure("joints with the smaller gap on SE(3)", float(better[0])),
        Measure("examples with the smaller energy drift on SE(3)", float(better[1])),
        *(Measure("loop gap", size, "m", (o.case,)) for size, o in zip(sizes, bars)),
        *(
            Measure("loop gap, screw form", size, "m", (o.case,))
            for size, o in zip(screw_sizes, screw)
        ),
        Measure("residual of the loop identity", identity, "m", cases),
    ]
    values = {
        "better": better,
        "of": of,
        "worse": [all_ - own for all_, own in zip(of, better)],
        "held": sum(held),
        "inside": len(held),
        "identity": identity,
        "sizes": sizes,
        "screw": screw_sizes,
    }
    most = all(2 * own > all_ for own, all_ in zip(better, of))
    return Finding(verdict(most), measures, values)


def slowly_moving_body(study: Study) -> Finding:
    name = examples.platform_name(examples.PLATFORM_SPEED)
    resting = study.run(examples.platform_name(0.0), "SE3")
    runs = study.pair(name)
    a, b = (o.gap("pivot") for o in runs)
    values = {
        "a": a,
        "b": b,
        "inside": study.chosen(name).gap("pivot"),
        "framed": study.run(name, "framed").gap("pivot"),
        "at_rest": resting.gap("pivot"),
    }
    grounded = ONLY_IF if study.run("heavy-top", "SE3").gap("pivot") < EXACT else FAILS
    measures = [gap_measure(o, "pivot") for o in (*runs, resting)]
    return Finding(HOLDS if a < EXACT else grounded, measures, values)


def equivalent_otherwise(study: Study) -> Finding:
    """A pair in uniform flight is "another case": seen from beside it, it is the pair at rest."""
    names = [examples.boosted_name(v) for v in (examples.BOOST, examples.BOOSTS[-1])]
    runs, free = study.pair(names[0]), study.pair("free body")
    gaps, fastest, resting = (
        [o.gap("joint") for o in study.pair(name)] for name in (*names, "floating-pair")
    )
    losses = [momentum_loss(outcome) for outcome in free]
    values = {
        "boost": examples.BOOST,
        "gaps": gaps,
        "inside": study.chosen(names[0]).gap("joint"),
        "resting": resting,
        "wider": gaps[0] / gaps[1],
        "widest": fastest[0] / fastest[1],
        "fastest": examples.BOOSTS[-1],
        "losses": losses,
    }
    measures = [
        *(gap_measure(outcome, "joint") for outcome in runs),
        Measure("ratio of the gaps, SE(3)/SO(3)xR3", gaps[0] / gaps[1]),
        *(
            Measure("relative loss of linear momentum", loss, "", (outcome.case,))
            for loss, outcome in zip(losses, free)
        ),
    ]
    return Finding(verdict(alike(*gaps)), measures, values)


def momentum_loss(outcome: CaseResult) -> float:
    momentum = outcome.result.momentum()
    return float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))


def more_complex(study: Study) -> Finding:
    counts = {name: operations_of_a_stage(name) for name in PAPER_SPACES}
    source = "counted in the formulas themselves, at a rotation of 0.1 rad"
    timed, shown = "", "beyond"
    if not study.options.quick:
        times = study.microseconds_per_step.values()
        ratio = float(np.median([own["SE3"] / own["SO3xR3"] for own in times]))
        timed = (
            f" Of a whole step the difference is {100 * (ratio - 1):.0f} % of the time, measured on"
            " this machine: the constrained dynamics cost the same on both."
        )
        shown = "cost"
    measures = [
        Measure(f"operations of a stage's update, {name}", float(count), source=source)
        for name, count in counts.items()
    ]
    holds = verdict(counts["SE3"] > counts["SO3xR3"])
    return Finding(holds, measures, {**counts, "timed": timed, "shown": shown})


#: Claims that are more than a number on both groups.
FINDINGS: dict[str, Callable[[Study], Finding]] = {
    "top-initial-energy": initial_energy,
    "top-any-tableau": any_tableau,
    "top-energy": top_energy,
    "pendulum-joint-2-larger": second_joint_larger,
    "best-overall": best_overall,
    "slowly-moving-body": slowly_moving_body,
    "equivalent-otherwise": equivalent_otherwise,
    "more-complex": more_complex,
}
