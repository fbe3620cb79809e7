"""What a claim is, and the rules by which measured numbers become a verdict."""

from dataclasses import dataclass, field
from math import log10

from chasles.studies.paper.study import Measure

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
