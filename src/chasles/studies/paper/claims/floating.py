"""Claims about the two floating bodies."""

import numpy as np

from chasles.studies.paper.claims.rules import (
    ALIKE,
    Claim,
    Measure,
    alike,
    energy_claim,
    gap_measure,
    metres,
    verdict,
    wins_by_spin,
)
from chasles.studies.paper.study import Study


def floating_alike(study: Study) -> Claim:
    proper, product = (study.run("floating-pair", s) for s in ("SE3", "SO3xR3"))
    a, b = proper.gap("joint"), product.gap("joint")
    spin = study.spins[0]
    ratios = study.random_ratios("floating", spin)
    median = float(np.median(ratios))
    return Claim(
        key="floating-alike",
        quote="both formulations perform similarly regarding constraint satisfaction",
        where="Floating bodies",
        proper=metres(a),
        product=metres(b),
        rule=f"within a factor {ALIKE:g}",
        verdict=verdict(alike(a, b)),
        comment=f"Here the pair's centre of mass rests. Over {len(ratios)} random starts that drift"
        f" through space, SE(3)/SO(3)×ℝ³ has median {median:.2f} at {spin:g} rad/s."
        f" {wins_by_spin(study, 'floating')}",
        subgroup=f"{metres(study.chosen('floating-pair').gap('joint'))}; at most"
        f" {metres(study.random_in_subgroups('floating', spin))} in the random starts",
        figure="floating-pair-joint",
        measures=(
            gap_measure(proper, "joint"),
            gap_measure(product, "joint"),
            Measure(
                f"median of SE(3)/SO(3)xR3 over {len(ratios)} random floating pairs",
                median,
                cases=tuple(
                    study.case(n, s)
                    for n in study.random_names("floating", spin)
                    for s in ("SE3", "SO3xR3")
                ),
            ),
        ),
    )


def floating_energy(study: Study) -> Claim:
    return energy_claim(
        study,
        "floating-pair",
        "floating-energy",
        "also the kinetic energy drifts are similar",
        "Floating bodies, drift of kinetic energy",
        "floating-pair-energy",
    )
