"""Stabilisation of joints: one word of the user's, and what a run needs for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from chasles.build.system.build import Setup
from chasles.core.stabilisation import FED_BACK, PROJECTED, UNSTABILISED, Stabiliser, make_record
from chasles.model import InvalidOption, UnknownName, words
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


PROJECTION, BAUMGARTE, GGL, NONE = "projection", "baumgarte", "ggl", "none"
ALL_JOINTS = " of all joints"
#: What `stabilise` may be, beside None and a Baumgarte.
STABILISERS: tuple[str, ...] = get_args(words.Stabiliser)


@dataclass(frozen=True)
class Choice:
    """A stabiliser in words: which one, and whether of all joints or of those that drift."""

    word: str
    all_joints: bool
    rates: Baumgarte | None = None

    def __str__(self) -> str:
        extent = ALL_JOINTS if self.all_joints else ""
        if self.rates is None:
            return self.word + extent
        return f"{self.word} (alpha {self.rates.alpha:g}, beta {self.rates.beta:g} 1/s){extent}"


def chosen_stabiliser(stabilise: Any) -> Choice | None:
    """What is meant by the option `stabilise`."""
    if stabilise is None:
        return None
    if isinstance(stabilise, Baumgarte):
        return Choice(BAUMGARTE, False, stabilise)
    if not isinstance(stabilise, str) or stabilise not in STABILISERS:
        raise UnknownName.among("stabiliser", stabilise, STABILISERS, where="stabilise")
    if stabilise == NONE:
        return None
    return Choice(stabilise.removesuffix(ALL_JOINTS), stabilise.endswith(ALL_JOINTS))


def make_stabiliser(
    setup: Setup, choice: Choice | None, held: Sequence[str], step: float
) -> Stabiliser:
    """Storage for the joints and drivers to hold; nothing if there are none."""
    system = setup.system
    joints = np.zeros(system.joint_count, np.int64)
    if choice is None or not held:
        return make_record(system, UNSTABILISED, joints, (0.0, 0.0, 0.0))
    joints[[setup.joint_index[name] for name in held]] = 1
    if choice.word == PROJECTION:
        return make_record(system, PROJECTED, joints, (0.0, 0.0, 0.0))
    if choice.word == GGL:
        return make_record(system, FED_BACK, joints, (1.0 / step, 0.0, 1.0 / step))
    rates = choice.rates or Baumgarte.for_step(step)
    return make_record(system, FED_BACK, joints, (2.0 * rates.alpha, rates.beta**2, 0.0))
