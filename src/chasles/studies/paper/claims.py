"""The paper's claims: each sentence that can be tested, its numbers, and the verdict by a rule.

Their words are in words.toml.  A function here gives a verdict and the numbers for the words; those
that were measured say where they come from.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from chasles.integrators.tableaux import METHODS
from chasles.studies.paper import examples, rules
from chasles.studies.paper.printed_top import MIXED, operations_of_a_stage
from chasles.studies.paper.rules import (
    DRIFTS,
    EXACT,
    FAILS,
    GENERALLY,
    HOLDS,
    ONLY_IF,
    Claim,
    alike,
    two_orders,
    verdict,
)
from chasles.studies.paper.study import FORMS, PAPER_SPACES, CaseResult, Measure, Study, measures_in
from chasles.studies.words import filled, words

PAPER_T0 = 13_970.0  # J, printed as 13.97 kJ
#: The numbers on both groups and in the subgroups, where words say nothing else.
USUAL = {
    False: {"proper": "@{a | m}", "product": "@{b | m}", "subgroup": "@{inside | m}"},
    True: {"proper": "@{a | sci}", "product": "@{b | sci}", "subgroup": "@{inside | sci}"},
}
TEXTS = tuple(f.name for f in fields(Claim) if f.name not in ("key", "verdict", "measures"))
#: A verdict, and numbers by name: measures, or lists of them, or other values.
Finding = tuple[str, dict[str, Any]]


def all_claims(study: Study) -> list[Claim]:
    """Every claim about the examples of this report, in the paper's order."""
    entries = words()["claims"].items()
    return [claim(study, key, own) for key, own in entries if all(map(study.has, own["needs"]))]


def claim(study: Study, key: str, entry: dict[str, Any]) -> Claim:
    usual = USUAL["energy" in entry] if "judged" in entry else {}
    found, values = FINDINGS[key](study) if key in FINDINGS else compared(study, entry)
    named = {**vars(rules), **values}
    texts = {name: filled(t, named) for name, t in {**usual, **entry}.items() if name in TEXTS}
    if found != ONLY_IF:
        texts["condition"] = ""
    return Claim(key=key, verdict=found, measures=tuple(measures_in(values)), **texts)


# --- one number on both groups --------------------------------------------------------------------


def compared(study: Study, entry: dict[str, Any]) -> Finding:
    """The gap of joints, or the energy drift, of an example, judged by the rule of the entry."""
    example, joints = entry["needs"][0], entry.get("joints", ())

    def size(outcome: CaseResult) -> Measure:
        return max(map(outcome.gap, joints)) if joints else outcome.energy_drift

    runs = study.pair(example)
    a, b = map(size, runs)
    values: dict[str, Any] = {
        "a": a,
        "b": b,
        "gaps": [o.gap(j) for o in runs for j in (o.gaps if joints else ())],
        "inside": size(study.chosen(example)),
        "framed": size(study.run(example, "framed")),
        "screw": [size(o) for o in study.pair(example, "screw")],
        "factor": Measure(f"ratio of the {a.label}, SE(3)/SO(3)xR3", a / b if b else np.inf),
        **(random_starts(study, entry["random"]) if "random" in entry else {}),
    }
    holds = {
        "exact": a < EXACT and b > DRIFTS,
        "smaller": a < b,
        "alike": alike(a, b),
        "generally": values.get("share", 0.0) >= GENERALLY,
    }
    return verdict(holds[entry["judged"]]), values


def random_starts(study: Study, kind: str) -> dict[str, Any]:
    """How often SE(3) is better in random starts, and the median of the ratios."""
    spin = study.spins[0]
    gaps = study.random_pairs(kind, spin)
    ratios = study.random_ratios(kind, spin)
    plural = {"pendulum": "pendulums", "floating": "floating pairs"}[kind]
    label = f"median of SE(3)/SO(3)xR3 over {len(ratios)} random {plural}"
    runs = tuple(run for pair in gaps for gap in pair for run in gap.runs)
    return {
        "spin": spin,
        "starts": len(ratios),
        "median": Measure(label, float(np.median(ratios)), runs=runs),
        "wins": int((ratios < 1).sum()),
        "losses": int((ratios > 1).sum()),
        "share": float(np.mean(ratios < 1)),
        "random_inside": study.random_in_subgroups(kind, spin),
        "by_spin": wins_by_spin(study, kind),
    }


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
    value = study.run("heavy-top", "SE3").kinetic_at_start
    return verdict(round(value / 10) * 10 == PAPER_T0), {"a": value}


def any_tableau(study: Study) -> Finding:
    methods = [study.options.method] if study.options.quick else list(METHODS)
    proper, product = ([study.run("heavy-top", s, method=m) for m in methods] for s in PAPER_SPACES)
    gaps, drifting = ([o.gap("pivot") for o in runs] for runs in (proper, product))
    inside = max(study.chosen("heavy-top", method=m).gap("pivot") for m in methods)
    crude = proper[methods.index("euler")] if "euler" in methods else proper[0]
    several = len(methods) > 1
    return verdict(max(gaps) < EXACT), {
        "gaps": [gaps, drifting],
        "a": max(gaps),
        "least": min(drifting),
        "most": max(drifting),
        "held": filled("at most {a:m}" if inside > 0.0 else "@{a | m}", {"a": inside}),
        "tableaux": f"{len(methods)} Munthe-Kaas tableau{'x' if several else ''}",
        "crude": crude.candidate.options["method"],
        "crude_gap": crude.gap("pivot"),
        "crude_energy": 100 * crude.energy_drift,
        "shown": "tableaux" if several else "heavy-top-pivot",
    }


def top_energy(study: Study) -> Finding:
    """Two orders of magnitude: depends on which of the paper's two right-hand sides is used."""
    short, longer = study.pair("heavy-top"), study.pair("heavy-top", longer=True)
    screw, mixed = study.pair("heavy-top", "screw"), study.printed(MIXED)
    (a, b), long, screwed = ([o.energy_drift for o in pair] for pair in (short, longer, screw))
    drift = np.abs(mixed.kinetic / mixed.kinetic[0] - 1)
    source = f"printed_top {MIXED}"

    def ratio(what: str, value: float, source: str = "") -> Measure:
        return Measure(f"ratio {what}", value, source=source)

    values: dict[str, Any] = {
        "a": a,
        "b": b,
        "long": long,
        "screws": screwed,
        "screw": screwed[1],
        "inside": study.chosen("heavy-top").energy_drift,
        "until": longer[0].until,
        "wider": float(mixed.gap[study.first].max()) / short[1].gap("pivot"),
        "ratio": ratio("of the energy drifts", b / a),
        "ratio_long": ratio("of the energy drifts, longer", long[1] / long[0]),
        "screw_ratio": ratio("in the screw form", screwed[1] / screwed[0]),
        "mixed_ratio": ratio("with mixed eta", float(drift[study.first].max()) / a, source),
        "mixed_long": ratio("with mixed eta, longer", float(drift.max()) / long[0], source),
    }
    by_mixing = ONLY_IF if two_orders(values["mixed_ratio"]) else FAILS
    return HOLDS if two_orders(values["ratio"]) else by_mixing, values


def second_joint_larger(study: Study) -> Finding:
    runs = [*study.pair("double-pendulum"), study.chosen("double-pendulum")]
    proper, product, inside = ([o.gap(j) for j in ("joint 1", "joint 2")] for o in runs)
    holds = all(second > first for first, second in (proper, product))
    return verdict(holds), {"proper": proper, "product": product, "inside": inside}


# --- abstract and conclusion, on models that put them to the test ---------------------------------


def best_overall(study: Study) -> Finding:
    """The sentence sums up the four examples, so it is held against all of their figures.

    That base joints are perfect does not make a loop better: the sum of its gaps is no smaller.
    """
    four = words()["claims"]["best-overall"]["needs"]
    shown = [study.pair(key) for key in four]
    gaps = [[o.gap(joint) for o in pair] for pair in shown for joint in pair[0].gaps]
    energies = [[o.energy_drift for o in pair] for pair in shown]
    better = [sum(a < b for a, b in table) for table in (gaps, energies)]
    of = [len(gaps), len(energies)]
    bars = study.pair("three-bar")
    loops = [study.loop_gap(o) for o in bars]
    identity = max(float(np.abs(loop - turns).max()) for loop, turns in loops)
    held = [o.gap(joint) < EXACT for o in map(study.chosen, four) for joint in o.gaps]
    runs = tuple(o.label for o in bars)
    most = all(2 * own > all_ for own, all_ in zip(better, of))
    return verdict(most), {
        "better": [
            Measure("joints with the smaller gap on SE(3)", better[0]),
            Measure("examples with the smaller energy drift on SE(3)", better[1]),
        ],
        "of": of,
        "worse": [all_ - own for all_, own in zip(of, better)],
        "held": sum(held),
        "inside": len(held),
        "identity": Measure("residual of the loop identity", identity, "m", runs),
        "sizes": [loop_size(study, o, "loop gap") for o in bars],
        "screw": [
            loop_size(study, o, "loop gap, screw form") for o in study.pair("three-bar", "screw")
        ],
    }


def loop_size(study: Study, outcome: CaseResult, label: str) -> Measure:
    return Measure(label, study.loop_size(outcome), "m", (outcome.label,))


def slowly_moving_body(study: Study) -> Finding:
    name = examples.PLATFORMS[examples.PLATFORM_SPEED]
    a, b = (o.gap("pivot") for o in study.pair(name))
    grounded = ONLY_IF if study.run("heavy-top", "SE3").gap("pivot") < EXACT else FAILS
    return HOLDS if a < EXACT else grounded, {
        "a": a,
        "b": b,
        "inside": study.chosen(name).gap("pivot"),
        "framed": study.run(name, "framed").gap("pivot"),
        "at_rest": study.run(examples.PLATFORMS[0.0], "SE3").gap("pivot"),
    }


def equivalent_otherwise(study: Study) -> Finding:
    """A pair in uniform flight is "another case": seen from beside it, it is the pair at rest."""
    boosted, most = examples.BOOSTED, max(examples.BOOSTED)
    names = [boosted[examples.BOOST], boosted[most], "floating-pair"]
    gaps, fastest, resting = ([o.gap("joint") for o in study.pair(name)] for name in names)
    return verdict(alike(*gaps)), {
        "boost": examples.BOOST,
        "gaps": gaps,
        "inside": study.chosen(names[0]).gap("joint"),
        "resting": resting,
        "wider": Measure("ratio of the gaps, SE(3)/SO(3)xR3", gaps[0] / gaps[1]),
        "widest": fastest[0] / fastest[1],
        "fastest": most,
        "losses": [momentum_loss(outcome) for outcome in study.pair("free body")],
    }


def momentum_loss(outcome: CaseResult) -> Measure:
    momentum = outcome.result.momentum()
    lost = float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))
    return Measure("relative loss of linear momentum", lost, "", (outcome.label,))


def more_complex(study: Study) -> Finding:
    source = "counted in the formulas themselves, at a rotation of 0.1 rad"
    counts = {
        name: Measure(
            f"operations of a stage's update, {name}", operations_of_a_stage(name), source=source
        )
        for name in PAPER_SPACES
    }
    timed, shown = "", "beyond"
    if not study.options.quick:
        times = study.microseconds_per_step.values()
        ratio = float(np.median([own["SE3"] / own["SO3xR3"] for own in times]))
        timed = (
            f" Of a whole step the difference is {100 * (ratio - 1):.0f} % of the time, measured on"
            " this machine: the constrained dynamics cost the same on both."
        )
        shown = "cost"
    holds = verdict(counts["SE3"] > counts["SO3xR3"])
    return holds, {**counts, "timed": timed, "shown": shown}


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
