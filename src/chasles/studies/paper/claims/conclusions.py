"""The claims of the paper's abstract and conclusion, on models that put them to the test."""

import numpy as np

from chasles.studies.paper import beyond
from chasles.studies.paper.claims.rules import (
    ALIKE,
    EXACT,
    FAILS,
    HOLDS,
    ONLY_IF,
    Claim,
    Measure,
    alike,
    gap_measure,
    metres,
    verdict,
)
from chasles.studies.paper.operations import operations_of_a_stage
from chasles.studies.paper.runs import CaseResult
from chasles.studies.paper.study import PAPER_SPACES, Study
from chasles.view.theme import scientific

FOUR = ("heavy-top", "double-pendulum", "floating-pair", "three-bar")


def conclusion_claims(study: Study) -> list[Claim]:
    claims = []
    if all(study.has(key) for key in FOUR):
        claims.append(best_overall(study))
    if study.has("heavy-top"):
        claims.append(slowly_moving_body(study))
    if study.has("floating-pair"):
        claims.append(equivalent_otherwise(study))
    claims.append(more_complex(study))
    return claims


def best_overall(study: Study) -> Claim:
    """The sentence sums up the four examples, so it is held against all of their figures.

    That base joints are perfect does not make a loop better: the sum of its gaps is no smaller.
    """
    shown = {key: [study.run(key, s) for s in PAPER_SPACES] for key in FOUR}
    gaps = [[o.gap(joint) for o in pair] for pair in shown.values() for joint in pair[0].gaps]
    energies = [[o.energy_drift() for o in pair] for pair in shown.values()]
    better = [sum(a < b for a, b in table) for table in (gaps, energies)]
    most = 2 * better[0] > len(gaps) and 2 * better[1] > len(energies)
    loops = [study.loop_gap(o) for o in shown["three-bar"]]
    sizes = [study.loop_size(o) for o in shown["three-bar"]]
    identity = max(float(np.abs(loop - turns).max()) for loop, turns in loops)
    screw = [study.run("three-bar", s, "screw") for s in PAPER_SPACES]
    screw_sizes = [study.loop_size(o) for o in screw]
    inside = [study.chosen(key) for key in FOUR]
    held = [o.gap(joint) < EXACT for o in inside for joint in o.gaps]
    return Claim(
        key="best-overall",
        quote="The results confirm that the SE(3) formulation yields the best overall performance",
        topic=", a sentence about the four examples",
        where="Conclusion",
        proper=f"smaller gap in {better[0]} of {len(gaps)} joints, smaller energy drift in"
        f" {better[1]} of {len(energies)} examples",
        product=f"in {len(gaps) - better[0]} and {len(energies) - better[1]}",
        subgroup=f"{sum(held)} of {len(held)} joints at rounding",
        rule="SE(3) better in more than half of the joints and of the energy drifts",
        verdict=verdict(most),
        comment="Of these four, with these starts; random starts of two of them do not favour SE(3)"
        " (claims on the pendulum and the floating pair). In the 3-bar the loop gap is"
        " redistributed, not reduced: the sum of the gaps around the loop depends on the rotations"
        f" alone (to {scientific(identity)} m), and both groups turn the links alike:"
        f" {metres(sizes[0])} on SE(3) and {metres(sizes[1])} on SO(3)×ℝ³. In the screw form they"
        f" turn differently: {metres(screw_sizes[0])} and {metres(screw_sizes[1])}.",
        figure="loop-identity",
        measures=(
            Measure("joints with the smaller gap on SE(3)", float(better[0])),
            Measure("examples with the smaller energy drift on SE(3)", float(better[1])),
            *(
                Measure("loop gap", size, "m", (o.case,))
                for size, o in zip(sizes, shown["three-bar"])
            ),
            *(
                Measure("loop gap, screw form", size, "m", (o.case,))
                for size, o in zip(screw_sizes, screw)
            ),
            Measure(
                "residual of the loop identity",
                identity,
                "m",
                tuple(o.case for o in shown["three-bar"]),
            ),
        ),
    )


def slowly_moving_body(study: Study) -> Claim:
    name = beyond.platform_name(beyond.PLATFORM_SPEED)
    proper, product = (study.run(name, s) for s in ("SE3", "SO3xR3"))
    a, b = proper.gap("pivot"), product.gap("pivot")
    on_ground = study.run("heavy-top", "SE3").gap("pivot")
    at_rest = study.run(beyond.platform_name(0.0), "SE3").gap("pivot")
    return Claim(
        key="slowly-moving-body",
        quote="perfect reconstruction […] when a rigid body is connected to the ground (or to"
        " another slowly moving body) by a lower pair",
        where="Conclusion; here: the top on a 100 t platform at 1 m/s and 0.1 rad/s",
        proper=metres(a),
        product=metres(b),
        rule=f"SE(3) below {scientific(EXACT, 0)} m on the platform; failing that, on the ground",
        verdict=HOLDS if a < EXACT else ONLY_IF if on_ground < EXACT else FAILS,
        condition="" if a < EXACT or on_ground >= EXACT else "the other body is the ground",
        comment="On a moving body the absolute motion leaves the subgroup. The slower the platform,"
        f" the smaller the gap, yet even from rest it is {metres(at_rest)}, since the top shakes"
        " it. Relative to the platform, framed on the pivot, it holds to"
        f" {metres(study.run(name, 'framed').gap('pivot'))}.",
        subgroup=metres(study.chosen(name).gap("pivot")),
        figure="platform",
        measures=(
            gap_measure(proper, "pivot"),
            gap_measure(product, "pivot"),
            gap_measure(study.run(beyond.platform_name(0.0), "SE3"), "pivot"),
        ),
    )


def equivalent_otherwise(study: Study) -> Claim:
    """A pair in uniform flight is "another case": seen from beside it, it is the pair at rest."""
    name = beyond.boosted_name(beyond.BOOST)
    runs = [study.run(name, s) for s in PAPER_SPACES]
    resting = [study.run("floating-pair", s).gap("joint") for s in PAPER_SPACES]
    fastest = [
        study.run(beyond.boosted_name(beyond.BOOSTS[-1]), s).gap("joint") for s in PAPER_SPACES
    ]
    gaps = [o.gap("joint") for o in runs]
    free = [study.run("free body", s) for s in PAPER_SPACES]
    losses = [momentum_loss(outcome) for outcome in free]
    return Claim(
        key="equivalent-otherwise",
        quote="in all other cases both formulations are equivalent",
        where=f"Abstract; here: the paper's floating pair, flying at {beyond.BOOST:g} m/s",
        proper=metres(gaps[0]),
        product=metres(gaps[1]),
        subgroup=metres(study.chosen(name).gap("joint")),
        rule=f"gap of the joint within a factor {ALIKE:g}",
        verdict=verdict(alike(*gaps)),
        comment="The pair at rest, of which the claim holds"
        f" ({metres(resting[0])} and {metres(resting[1])}), seen from a moving frame: its joint"
        f" opens {gaps[0] / gaps[1]:.0f} times wider on SE(3), and {fastest[0] / fastest[1]:.0f}"
        f" times at {beyond.BOOSTS[-1]:g} m/s, while SO(3)×ℝ³ does not notice. One free body loses"
        f" {scientific(losses[0])} of its momentum on SE(3) and {scientific(losses[1])} on"
        " SO(3)×ℝ³, of which a straight line is a subgroup.",
        figure="free-flight",
        measures=(
            *(gap_measure(outcome, "joint") for outcome in runs),
            Measure("ratio of the gaps, SE(3)/SO(3)xR3", gaps[0] / gaps[1]),
            *(
                Measure("relative loss of linear momentum", loss, "", (outcome.case,))
                for loss, outcome in zip(losses, free)
            ),
        ),
    )


def momentum_loss(outcome: CaseResult) -> float:
    momentum = outcome.result.momentum()
    return float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))


def more_complex(study: Study) -> Claim:
    counts = {name: operations_of_a_stage(name) for name in ("SE3", "SO3xR3")}
    source = "counted in the formulas themselves, at a rotation of 0.1 rad"
    comment = "Sums, products and quotients in dexp⁻¹, exp and composition of one stage."
    if not study.options.quick:
        timed = study.microseconds_per_step.values()
        ratio = float(np.median([times["SE3"] / times["SO3xR3"] for times in timed]))
        comment += (
            f" Of a whole step the difference is {100 * (ratio - 1):.0f} % of the time, measured on"
            " this machine: the constrained dynamics cost the same on both."
        )
    return Claim(
        key="more-complex",
        quote="the SE(3) update scheme is computationally more complex",
        where="Conclusion",
        proper=f"{counts['SE3']} operations",
        product=f"{counts['SO3xR3']} operations",
        rule="SE(3) takes more operations for the update of a stage",
        verdict=verdict(counts["SE3"] > counts["SO3xR3"]),
        comment=comment,
        figure="beyond" if study.options.quick else "cost",
        measures=tuple(
            Measure(f"operations of a stage's update, {name}", float(count), source=source)
            for name, count in counts.items()
        ),
    )
