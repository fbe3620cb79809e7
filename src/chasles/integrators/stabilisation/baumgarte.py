"""Baumgarte's stabilisation with rates of one's own."""

from dataclasses import dataclass

from chasles.model import InvalidOption
from chasles.model.checks import checked_not_negative
from chasles.model.keywords import checked_keywords


@checked_keywords
@dataclass(frozen=True)
class Baumgarte:
    """Baumgarte's stabilisation with chosen rates, for `simulate(stabilise=...)`.

    The acceleration constraints become J V' = eta - 2 alpha J V - beta^2 g. With alpha = beta a
    constraint violation (gap) decays with critical damping. `stabilise="baumgarte"` uses
    alpha = 3/(4 step) and beta = 1/step, which remove it in two steps. Rates of more than about
    twice these make the run unstable.

    Parameters
    ----------
    alpha
        Rate on velocities, 1/s.
    beta
        Rate on positions, 1/s.

    Examples
    --------
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
        """The rates that remove a constraint violation in two steps.

        Parameters
        ----------
        step
            Length of a step, s.

        Returns
        -------
        Baumgarte
            The stabiliser.
        """
        return cls(alpha=0.75 / step, beta=1.0 / step)
