"""The claims of the paper's abstract and conclusion, on models that put them to the test."""

import numpy as np

from chasles.paper import beyond
from chasles.paper.claims.rules import (
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
from chasles.paper.operations import operations_of_a_stage
from chasles.paper.study import Study
from chasles.view.theme import scientific


def conclusion_claims(study: Study) -> list[Claim]:
    claims = []
    if study.has("heavy-top"):
        claims.append(slowly_moving_body(study))
    if study.has("floating-pair"):
        claims.append(equivalent_otherwise(study))
    claims.append(more_complex(study))
    return claims


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
        " it. Relative to the platform the pivot holds to"
        f" {metres(study.chosen(name).gap('pivot'))}.",
        figure="platform",
        measures=(
            gap_measure(proper, "pivot"),
            gap_measure(product, "pivot"),
            gap_measure(study.run(beyond.platform_name(0.0), "SE3"), "pivot"),
        ),
    )


def equivalent_otherwise(study: Study) -> Claim:
    """A body in free flight is "another case": its momentum tells the groups apart."""
    name = "free body"
    runs = [study.run(name, s) for s in ("SE3", "SO3xR3")]
    losses = []
    for outcome in runs:
        momentum = outcome.result.momentum()
        size = np.linalg.norm(momentum[0])
        losses.append(float(np.abs(momentum - momentum[0]).max() / size))
    return Claim(
        key="equivalent-otherwise",
        quote="in all other cases both formulations are equivalent",
        where="Abstract; here: one body in free flight, its linear momentum",
        proper=f"momentum off by {scientific(losses[0])}",
        product=f"momentum off by {scientific(losses[1])}",
        rule=f"loss of linear momentum within a factor {ALIKE:g}",
        verdict=verdict(alike(*losses)),
        comment="A free body's centre of mass moves on a straight line, which is a subgroup of"
        " SO(3)×ℝ³ and not of SE(3): here the direct product is the exact one.",
        figure="free-body",
        measures=tuple(
            Measure("relative loss of linear momentum", loss, "", (outcome.case,))
            for loss, outcome in zip(losses, runs)
        ),
    )


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
