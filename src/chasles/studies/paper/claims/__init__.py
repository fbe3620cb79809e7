"""The paper's claims: each sentence that can be tested, its figures, and the verdict by a rule."""

from chasles.studies.paper.claims import floating, linkage, pendulum, top
from chasles.studies.paper.claims.conclusions import conclusion_claims
from chasles.studies.paper.claims.rules import Claim
from chasles.studies.paper.study import Study

CLAIMS = {
    "heavy-top": (top.initial_energy, top.top_exact, top.top_any_tableau, top.top_energy),
    "double-pendulum": (
        pendulum.pendulum_joint_1,
        pendulum.pendulum_generally_better,
        pendulum.pendulum_joint_2_larger,
        pendulum.pendulum_energy,
    ),
    "floating-pair": (floating.floating_alike, floating.floating_energy),
    "three-bar": (
        linkage.base_joints,
        linkage.three_bar_joint_2,
        linkage.three_bar_energy,
    ),
}


def all_claims(study: Study) -> list[Claim]:
    """Every claim about the examples of this report, in the paper's order."""
    claims = [make(study) for key, makers in CLAIMS.items() if study.has(key) for make in makers]
    return claims + conclusion_claims(study)
