"""Baumgarte's stabilisation with rates of one's own."""

from dataclasses import dataclass

from chasles.model import InvalidOption
from chasles.model.checks import checked_not_negative
from chasles.model.keywords import checked_keywords


@checked_keywords
@dataclass(frozen=True)
class Baumgarte:
    """Baumgarte's stabilisation with rates of the user's choice, 1/s.

    J V' = eta - 2 alpha J V - beta^2 g.  alpha = beta is critical damping.  The word "baumgarte"
    takes alpha = 3/(4 step) and beta = 1/step, which close a gap in two steps; a multiple of
    these of more than about two makes the run unstable.

    >>> Baumgarte(alpha=50.0, beta=50.0)
    Baumgarte(alpha=50.0, beta=50.0)
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            object.__setattr__(
                self, name, checked_not_negative(value, name, "1/s", "Baumgarte", InvalidOption)
            )

    @classmethod
    def for_step(cls, step: float) -> "Baumgarte":
        """The rates that close a gap in two steps."""
        return cls(alpha=0.75 / step, beta=1.0 / step)
