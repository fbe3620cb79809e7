"""What a claim is, and the rules by which measured figures become a verdict."""

from dataclasses import dataclass, field
from math import log10

from chasles.studies.paper.runs import Case, CaseResult
from chasles.studies.paper.study import Study
from chasles.view.theme import scientific

HOLDS, FAILS, ONLY_IF = "holds", "does not hold", "holds only if"

#: A joint holds "exactly" if it stays closed to this, m: rounding, not truncation.
EXACT = 1e-12
#: A joint "drifts" if it opens by more than this, m.
DRIFTS = 1e-9
#: Two figures are "similar" if neither is more than this many times the other.
ALIKE = 3.0
#: "Two orders of magnitude": a factor between these, which rounds to two orders.
TWO_ORDERS = (10**1.5, 10**2.5)
#: "Generally better": better in at least this part of the random starts.
GENERALLY = 0.75


@dataclass(frozen=True)
class Measure:
    """A measured figure, its unit, and where it comes from: runs, or words for anything else."""

    label: str
    value: float
    unit: str = ""
    cases: tuple[Case, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can be tested, and what the data say.

    quote       the paper's words, in a few of them
    where       section or figure of the paper
    proper      the figure on SE(3), in words; `product` the same on SO(3)xR3
    subgroup    the same in the subgroups of the joints, which the paper does not have
    rule        how the verdict follows from the figures
    verdict     HOLDS, FAILS or ONLY_IF
    condition   after "holds only if"; empty otherwise
    comment     one or two sentences: what is behind it
    figure      id of the figure that shows it
    topic       our words after the quote, where it does not say what it is about
    """

    key: str
    quote: str
    where: str
    proper: str
    product: str
    rule: str
    verdict: str
    comment: str
    figure: str
    condition: str = ""
    topic: str = ""
    subgroup: str = "–"
    measures: tuple[Measure, ...] = field(default=(), repr=False)


def alike(a: float, b: float) -> bool:
    return a > 0 and b > 0 and abs(log10(a / b)) <= log10(ALIKE)


def two_orders(ratio: float) -> bool:
    return TWO_ORDERS[0] <= ratio <= TWO_ORDERS[1]


def verdict(holds: bool) -> str:
    return HOLDS if holds else FAILS


def gap_measure(outcome: CaseResult, joint: str) -> Measure:
    name = f"gap of {joint}"
    return Measure(name, outcome.gap(joint), "m", (outcome.case,))


def energy_measure(outcome: CaseResult) -> Measure:
    return Measure("energy drift", outcome.energy_drift(), "of T0", (outcome.case,))


def metres(value: float) -> str:
    return f"{scientific(value)}\u00a0m"


def energy_claim(
    study: Study, example: str, key: str, quote: str, where: str, figure: str
) -> Claim:
    proper, product = (study.run(example, s) for s in ("SE3", "SO3xR3"))
    a, b = proper.energy_drift(), product.energy_drift()
    other = [study.run(example, s, "screw").energy_drift() for s in ("SE3", "SO3xR3")]
    return Claim(
        key=key,
        quote=quote,
        where=where,
        proper=scientific(a),
        product=scientific(b),
        rule=f"within a factor {ALIKE:g}",
        verdict=verdict(alike(a, b)),
        comment=f"In the screw form: {scientific(other[0])} and {scientific(other[1])}.",
        subgroup=scientific(study.chosen(example).energy_drift()),
        figure=figure,
        measures=(energy_measure(proper), energy_measure(product)),
    )


def wins_by_spin(study: Study, kind: str) -> str:
    """In how many random starts SE(3) is better, for every spin and form: none is left out."""
    counts = []
    for form in ("space", "screw"):
        ratios = [study.random_ratios(kind, spin, form) for spin in study.spins]
        wins = ", ".join(str(int((r < 1).sum())) for r in ratios)
        counts.append(f"{wins} ({form} form)")
    spins = ", ".join(f"{spin:g}" for spin in study.spins)
    return f"SE(3) is better in {' and '.join(counts)} of {len(ratios[0])} starts at {spins} rad/s."
