"""Claims about the spherical double pendulum."""

import numpy as np

from chasles.studies.paper.claims.rules import (
    GENERALLY,
    Claim,
    Measure,
    energy_claim,
    gap_measure,
    metres,
    verdict,
    wins_by_spin,
)
from chasles.studies.paper.study import Study


def pendulum_joint_1(study: Study) -> Claim:
    proper, product = (study.run("double-pendulum", s) for s in ("SE3", "SO3xR3"))
    a, b = proper.gap("joint 1"), product.gap("joint 1")
    return Claim(
        key="pendulum-joint-1",
        quote="a generally better performance of the SE(3) formulation",
        topic=", here in joint 1",
        where="Double pendulum, joint 1",
        proper=metres(a),
        product=metres(b),
        rule="SE(3) smaller",
        verdict=verdict(a < b),
        comment="Joint 1 is a ball joint to ground, so it is the heavy top again.",
        subgroup=metres(study.chosen("double-pendulum").gap("joint 1")),
        figure="double-pendulum-joint-1",
        measures=(gap_measure(proper, "joint 1"), gap_measure(product, "joint 1")),
    )


def pendulum_generally_better(study: Study) -> Claim:
    proper, product = (study.run("double-pendulum", s) for s in ("SE3", "SO3xR3"))
    spin = study.spins[0]
    ratios = study.random_ratios("pendulum", spin)
    better = float(np.mean(ratios < 1))
    return Claim(
        key="pendulum-generally-better",
        quote="a generally better performance of the SE(3) formulation",
        topic=", here in joint 2",
        where="Double pendulum, joint 2",
        proper=f"{metres(proper.gap('joint 2'))}; better in"
        f" {int((ratios < 1).sum())} of {len(ratios)} random starts",
        product=f"{metres(product.gap('joint 2'))}; better in {int((ratios > 1).sum())}",
        rule=f"SE(3) smaller in at least {GENERALLY:.0%} of the random starts",
        verdict=verdict(better >= GENERALLY),
        comment=f"The median of SE(3)/SO(3)×ℝ³ is {np.median(ratios):.2f} at {spin:g} rad/s. "
        f"{wins_by_spin(study, 'pendulum')} Neither group knows that"
        " link 2 moves relative to link 1. Relative to link 1, framed on the joint, joint 2 holds"
        f" to {metres(study.run('double-pendulum', 'framed').gap('joint 2'))}.",
        subgroup=f"{metres(study.chosen('double-pendulum').gap('joint 2'))}; at most"
        f" {metres(study.random_in_subgroups('pendulum', spin))} in the random starts",
        figure="random-starts",
        measures=(
            gap_measure(proper, "joint 2"),
            gap_measure(product, "joint 2"),
            Measure(
                f"median of SE(3)/SO(3)xR3 over {len(ratios)} random pendulums",
                float(np.median(ratios)),
                cases=tuple(
                    study.case(n, s)
                    for n in study.random_names("pendulum", spin)
                    for s in ("SE3", "SO3xR3")
                ),
            ),
        ),
    )


def pendulum_joint_2_larger(study: Study) -> Claim:
    runs = [study.run("double-pendulum", s) for s in ("SE3", "SO3xR3")]
    gaps = [(o.gap("joint 1"), o.gap("joint 2")) for o in runs]
    inside = [study.chosen("double-pendulum").gap(joint) for joint in ("joint 1", "joint 2")]
    return Claim(
        key="pendulum-joint-2-larger",
        quote="the violation in joint 2 is higher than that in joint 1",
        where="Double pendulum",
        proper=f"joint 2 {metres(gaps[0][1])}, joint 1 {metres(gaps[0][0])}",
        product=f"joint 2 {metres(gaps[1][1])}, joint 1 {metres(gaps[1][0])}",
        rule="joint 2 larger than joint 1 on both groups",
        verdict=verdict(all(second > first for first, second in gaps)),
        comment="True with these absolute coordinates. With relative ones, framed on the joints,"
        " both are at rounding.",
        subgroup=f"joint 2 {metres(inside[1])}, joint 1 {metres(inside[0])}",
        figure="double-pendulum-joint-2",
        measures=tuple(gap_measure(o, j) for o in runs for j in ("joint 1", "joint 2")),
    )


def pendulum_energy(study: Study) -> Claim:
    return energy_claim(
        study,
        "double-pendulum",
        "pendulum-energy",
        "total energy drift is comparable for both formulations",
        "Double pendulum, drift of total energy",
        "double-pendulum-energy",
    )
