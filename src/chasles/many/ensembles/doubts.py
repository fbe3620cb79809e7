"""What is suspect about members that went on to the end: the alarms that every state carries."""

import warnings
from collections.abc import Sequence

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.state_block import (
    MISSED_SINCE,
    NEVER,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    WORST_MISS,
    WORST_SHARE,
    Layout,
)
from chasles.model import ChaslesWarning


def doubts_of(blocks: Floats, layout: Layout) -> list[str]:
    """Words for every member, by its last state; "" where nothing is suspect."""
    alarms = blocks[:, layout.alarm : layout.removed]
    said = [""] * len(blocks)
    raised = alarms[:, [OPEN_SINCE, MISSED_SINCE, UNBALANCED_SINCE]] != NEVER
    for member in np.flatnonzero(raised.any(axis=1)):
        said[int(member)] = "; ".join(words_of(alarms[member]))
    return said


def words_of(alarm: Floats) -> list[str]:
    """What `simulate` would warn of, in short."""
    said = []
    if alarm[OPEN_SINCE] != NEVER:
        said.append(
            f"a joint drifted further than its space promises, t = {alarm[OPEN_SINCE]:.6g} s"
        )
    if alarm[MISSED_SINCE] != NEVER:
        said.append(
            f"a joint misses {100.0 * alarm[WORST_MISS]:.3g} % of its acceleration,"
            f" t = {alarm[MISSED_SINCE]:.6g} s"
        )
    if alarm[UNBALANCED_SINCE] != NEVER:
        said.append(
            f"the energy balance misses {100.0 * alarm[WORST_SHARE]:.3g} %, more than 1 % since"
            f" t = {alarm[UNBALANCED_SINCE]:.6g} s"
        )
    return said


def tell(said: Sequence[str], step: float) -> None:
    """One warning for all of them."""
    suspect = [k for k, text in enumerate(said) if text]
    if suspect:
        warnings.warn(
            f"ensemble: {len(suspect)} of {len(said)} members are suspect; member {suspect[0]}:"
            f" {said[suspect[0]]}. The variable `warnings` has all of them. Take a smaller step"
            f" than {step:g} s, or a method of higher order.",
            ChaslesWarning,
            stacklevel=4,
        )
