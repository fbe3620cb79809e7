"""What a run promises of itself, and what is said when it does not keep it.

A joint that holds by itself in its space, or that is projected, is closed to rounding; one that
drifts opens with the error of the method, which is small against the mechanism or the motion is
wrong.  The energy balance likewise.  A run that breaks either ends with a warning that names the
time, the joint or force, and a step that would do.
"""

from collections.abc import Iterable
from math import ceil

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.outcomes import OK
from chasles.core.stage import Promises
from chasles.core.state_block import (
    NEVER,
    OPEN_JOINT,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    WORST_GAP,
    WORST_SHARE,
    StateBlock,
)
from chasles.stepper import Stepper
from chasles.system.build import Setup

#: Gaps, as fractions of the joint's lever, beyond which an exact joint is not exact (rounding of
#: 1e8 steps stays below), and beyond which one that drifts has left the mechanism.
EXACT, DRIFTING = 1e-7, 1e-2
#: A body that moves by less than this fraction of its size in a step stands still but for rounding.
UNSEEN = 1e-10
#: Steps at the most, and halvings, that are tried to find a step that would do.
MOST_PROBED, MOST_HALVINGS = 20_000, 10


def make_promises(setup: Setup, drifting: Iterable[str], step: float) -> Promises:
    """What is promised of a run with this step, in which these joints drift."""
    bodies, joints = setup.system.bodies, setup.system.joints
    lengths = np.sqrt(bodies.inertia[:, :3].max(axis=1) / bodies.mass).tolist()
    lengths += np.linalg.norm(joints.point_b, axis=1).tolist()
    still = float(bodies.mass.sum()) * (UNSEEN * max(lengths) / step) ** 2
    return Promises(promised_gaps(setup, drifting), still)


def promised_gaps(setup: Setup, drifting: Iterable[str]) -> Floats:
    """By how much (m, rad) every joint and driver may be open; 0 where nothing is promised.

    A user's formula has no unit to compare with.
    """
    joints, loose = setup.system.joints, set(drifting) | set(setup.model.driver_names)
    levers = np.maximum(
        np.where(joints.a >= 0, np.linalg.norm(joints.point_a, axis=1), 0.0),
        np.linalg.norm(joints.point_b, axis=1),
    )
    reach = np.where(levers > 0.0, levers, levers.max(initial=0.0) or 1.0)
    share = np.array([DRIFTING if name in loose else EXACT for name in setup.joint_index])
    # Entries of g are metres and radians side by side; a lever above 1 m must not excuse angles.
    by_user = np.array([CONSTRAINTS[kind].calls_user for kind in joints.kind], bool)
    return np.where(by_user, 0.0, share * np.minimum(reach, 1.0))


def broken_promises(stepper: Stepper, block: Floats, step: float) -> list[str]:
    """What is wrong with a run that ended at this block, in words; nothing if nothing is."""
    alarm = StateBlock(block, stepper.layout).alarm()
    names = list(stepper.solver.setup.joint_index)
    said = []
    if alarm[OPEN_SINCE] != NEVER:
        worst = int(alarm[OPEN_JOINT])
        word = "driver" if names[worst] in stepper.solver.setup.model.driver_names else "joint"
        gap = alarm[WORST_GAP] * stepper.mechanism.promises.gaps[worst]
        said.append(
            f"{word} '{names[worst]}' opened by {gap:.3g} (m or rad), first seen at"
            f" t = {alarm[OPEN_SINCE]:.6g} s: more than its space promises. Take a smaller step"
            f" than {step:g} s, or project the joints: stabilise='projection of all joints'."
        )
    if alarm[UNBALANCED_SINCE] != NEVER:
        since = float(alarm[UNBALANCED_SINCE])
        better = step_that_would_do(stepper, step, since)
        remedy = f"{better:.2g} s would do" if better else f"smaller than {step:g} s"
        said.append(
            f"the energy balance misses {100.0 * alarm[WORST_SHARE]:.2g} % of the energy exchanged,"
            f" more than 1 % since t = {since:.6g} s{culprit(stepper, block)}: the motion after"
            f" that is not right. Take a smaller step ({remedy}) or a method of higher order."
        )
    return said


def culprit(stepper: Stepper, block: Floats) -> str:
    """The force or driver that did most of the work."""
    model = stepper.solver.setup.model
    names = [*model.force_names, *model.driver_names]
    work = np.abs(StateBlock(block, stepper.layout).integrals()[: len(names)])
    if not names or not work.max() > 0.0:
        return ""
    return f" (most of it through '{names[int(np.argmax(work))]}')"


def step_that_would_do(stepper: Stepper, step: float, until: float) -> float | None:
    """A shorter step with which the balance closes up to then; None if none was found soon."""
    watch = stepper.mechanism.watch
    events = int(watch.count[0])
    nowhere = np.zeros((1, 1))
    for halving in range(1, MOST_HALVINGS + 1):
        shorter = step / 2**halving
        steps = ceil(until / shorter)
        if steps > MOST_PROBED:
            break
        block = stepper.first_block()
        grid = (0.0, shorter, 0, steps, steps)
        _, outcome = stepper.advance(block, block.copy(), grid, 2**62, 1, nowhere)
        watch.count[0] = events  # what a trial passes is not the run's
        alarm = StateBlock(block, stepper.layout).alarm()
        if outcome == OK and alarm[UNBALANCED_SINCE] == NEVER:
            return shorter
    return None
