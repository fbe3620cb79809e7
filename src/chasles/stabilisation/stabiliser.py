"""One word of the user's, and what a run needs for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, overload
from chasles.model import UnknownName
from chasles.stabilisation.feedback import Baumgarte, Feedback, make_feedback
from chasles.stabilisation.projection import Projection
from chasles.stabilisation.residuals import borrow_residuals, make_residuals
from chasles.system.build import Setup

PROJECTION, BAUMGARTE, GGL = "projection", "baumgarte", "ggl"
ALL_JOINTS = " of all joints"
#: What `stabilise` may be, beside None and a Baumgarte.
STABILISERS = tuple(
    word + extent for extent in ("", ALL_JOINTS) for word in (PROJECTION, BAUMGARTE, GGL)
)


class Unstabilised(NamedTuple):
    """Joints are left to themselves: a kernel of its own, without the code for more."""

    active: int


Stabiliser = Unstabilised | Projection | Feedback


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
    return Choice(stabilise.removesuffix(ALL_JOINTS), stabilise.endswith(ALL_JOINTS))


def make_stabiliser(
    setup: Setup, choice: Choice | None, held: Sequence[str], step: float
) -> Stabiliser:
    """Storage for the joints and drivers to hold; nothing if there are none."""
    if choice is None or not held:
        return Unstabilised(0)
    system = setup.system
    joints = np.zeros(system.joint_count, np.int64)
    joints[[setup.joint_index[name] for name in held]] = 1
    found = make_residuals(system, joints)
    if choice.word == PROJECTION:
        return Projection(1, found)
    if choice.word == GGL:
        return make_feedback(found, system, (1.0 / step, 0.0, 1.0 / step))
    rates = choice.rates or Baumgarte.for_step(step)
    return make_feedback(found, system, (2.0 * rates.alpha, rates.beta**2, 0.0))


def borrow_stabiliser(stabiliser: Any) -> Any:
    """The same with borrowed arrays, for use inside a kernel."""
    return stabiliser


@overload(borrow_stabiliser)
def _borrow_stabiliser_compiled(stabiliser):
    kind = stabiliser.instance_class
    if kind is Projection:
        return lambda stabiliser: Projection(stabiliser.active, borrow_residuals(stabiliser.found))
    if kind is Feedback:
        return lambda stabiliser: Feedback(
            stabiliser.active,
            borrow_residuals(stabiliser.found),
            stabiliser.damping,
            stabiliser.stiffness,
            stabiliser.drift_gain,
            borrow(stabiliser.pull),
            borrow(stabiliser.drift),
        )
    return lambda stabiliser: Unstabilised(stabiliser.active)
