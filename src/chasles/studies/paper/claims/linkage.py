"""Claims about the closed 3-bar linkage."""

from chasles.studies.paper.claims.rules import (
    ALIKE,
    DRIFTS,
    EXACT,
    Claim,
    Measure,
    alike,
    energy_claim,
    gap_measure,
    metres,
    verdict,
)
from chasles.studies.paper.study import Study
from chasles.view.theme import scientific


def base_joints(study: Study) -> Claim:
    proper, product = (study.run("three-bar", s) for s in ("SE3", "SO3xR3"))
    a = max(proper.gap(j) for j in ("joint 1", "joint 3"))
    b = max(product.gap(j) for j in ("joint 1", "joint 3"))
    return Claim(
        key="three-bar-base",
        quote="constraints are perfectly satisfied […], i.e. the base joints",
        where="3-bar linkage, joints 1 and 3",
        proper=metres(a),
        product=metres(b),
        rule=f"SE(3) below {scientific(EXACT, 0)} m, SO(3)×ℝ³ above {scientific(DRIFTS, 0)} m",
        verdict=verdict(a < EXACT and b > DRIFTS),
        comment="On SE(3) only: the paper's sentence does not say so, its figures a) and b) do.",
        subgroup=metres(max(study.chosen("three-bar").gap(j) for j in ("joint 1", "joint 3"))),
        figure="three-bar-joint-1",
        measures=tuple(gap_measure(o, j) for o in (proper, product) for j in o.gaps),
    )


def three_bar_joint_2(study: Study) -> Claim:
    proper, product = (study.run("three-bar", s) for s in ("SE3", "SO3xR3"))
    a, b = proper.gap("joint 2"), product.gap("joint 2")
    screw = [study.run("three-bar", s, "screw").gap("joint 2") for s in ("SE3", "SO3xR3")]
    return Claim(
        key="three-bar-joint-2",
        quote="violation of joint 2 connecting the two bodies is similar for both formulations",
        where="3-bar linkage, joint 2",
        proper=metres(a),
        product=metres(b),
        rule=f"within a factor {ALIKE:g}",
        verdict=verdict(alike(a, b)),
        comment=f"Similar, but SE(3) is worse, by a factor of {a / b:.4f}. Joint 2 closes the loop,"
        " and drifts in subgroups, too. That it drifts less there is the form of its constraint,"
        " which subgroups have as a screw: in this form SE(3) leaves"
        f" {metres(screw[0])} and SO(3)×ℝ³ {metres(screw[1])}.",
        subgroup=metres(study.chosen("three-bar").gap("joint 2")),
        figure="three-bar-joint-2",
        measures=(
            gap_measure(proper, "joint 2"),
            gap_measure(product, "joint 2"),
            Measure("ratio of joint 2, SE(3)/SO(3)xR3", a / b),
        ),
    )


def three_bar_energy(study: Study) -> Claim:
    return energy_claim(
        study,
        "three-bar",
        "three-bar-energy",
        "also the energy drift of both formulations is similar",
        "3-bar linkage, drift of total energy",
        "three-bar-energy",
    )
