"""One word of the user's, and what a run needs for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from chasles.build.system.build import Setup
from chasles.core.stabilisation.record import (
    FED_BACK,
    PROJECTED,
    UNSTABILISED,
    Stabiliser,
    make_record,
)
from chasles.integrators.stabilisation.baumgarte import Baumgarte
from chasles.model import UnknownName, words

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
