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
from chasles.core.constraints.kind import METRE
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.outcomes import OK
from chasles.core.stage import Promises
from chasles.core.state_block import (
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    WORST_GAP,
    WORST_SHARE,
    StateBlock,
)
from chasles.start.consistent import gyration_radii, longest_lever
from chasles.stepper import Stepper
from chasles.system.build import Setup

#: Gaps, as fractions of the joint's lever, beyond which an exact joint is not exact (rounding of
#: 1e8 steps stays below), and beyond which one that drifts has left the mechanism.
EXACT, DRIFTING = 1e-7, 1e-2
#: A body that moves by less than this fraction of its size in a step stands still but for rounding.
UNSEEN = 1e-10
#: A driver that moves by less than this fraction of its size in a step rests: 1e-6 rad/s at 1 ms.
AT_REST = 1e-9
#: Steps of one body (a second) and halvings at the most that are tried for a step that would do.
MOST_PROBED, MOST_HALVINGS = 200_000, 10


def make_promises(setup: Setup, drifting: Iterable[str], step: float) -> Promises:
    """What is promised of a run with this step, in which these joints drift."""
    sizes = row_sizes(setup)
    still = float(setup.system.bodies.mass.sum()) * (UNSEEN * longest_lever(setup) / step) ** 2
    return Promises(promised_gaps(setup, drifting, sizes), sizes, AT_REST / step, still)


def row_sizes(setup: Setup) -> Floats:
    """(rows,) What gaps and speeds of every row of J are compared with: a length, or 1 rad.

    The length is the lever of the joint, or the radius of gyration of its bodies if that is longer.
    """
    bodies, joints = setup.system.bodies, setup.system.joints
    gyration = np.append(gyration_radii(bodies), 0.0)
    levers = [
        np.where(ends >= 0, np.maximum(np.linalg.norm(points, axis=1), gyration[ends]), 0.0)
        for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b))
    ]
    sizes = np.ones(setup.system.row_count)
    for index, lever in enumerate(np.maximum(*levers)):
        for row, unit in enumerate(setup.units(index), int(joints.first_row[index])):
            sizes[row] = lever if unit == METRE else 1.0
    return sizes


def promised_gaps(setup: Setup, drifting: Iterable[str], sizes: Floats) -> Floats:
    """(rows,) By how much (m, rad) every row may be open; 0 where nothing is promised.

    Rows that restrict speeds only have no gap, and a user's formula no unit to compare with.
    """
    joints, loose = setup.system.joints, set(drifting) | set(setup.model.driver_names)
    gaps = np.zeros_like(sizes)
    for index, name in enumerate(setup.joint_index):
        kind = CONSTRAINTS[joints.kind[index]]
        if not kind.calls_user:
            rows = joints.first_row[index] + np.array(kind.measured_of(joints.rows[index]), int)
            gaps[rows] = (DRIFTING if name in loose else EXACT) * sizes[rows]
    return gaps


def broken_promises(stepper: Stepper, block: Floats, step: float) -> list[str]:
    """What is wrong with a run that ended at this block, in words; nothing if nothing is."""
    alarm = StateBlock(block, stepper.layout).alarm()
    said = []
    if alarm[OPEN_SINCE] != NEVER:
        gap, name, _ = worst_gap(stepper, block)
        word = "driver" if name in stepper.solver.setup.model.driver_names else "joint"
        said.append(
            f"{word} '{name}' opened by {gap}, first seen at"
            f" t = {alarm[OPEN_SINCE]:.6g} s: more than its space promises. Take a smaller step"
            f" than {step:g} s, or project the joints: stabilise='projection of all joints'."
        )
    if alarm[UNBALANCED_SINCE] != NEVER:
        since = float(alarm[UNBALANCED_SINCE])
        better = step_that_would_do(stepper, step, since)
        remedy = f"{better:.2g} s would do" if better else f"smaller than {step:g} s"
        said.append(
            f"the energy balance misses {100.0 * alarm[WORST_SHARE]:.3g} % of the energy exchanged,"
            f" more than 1 % since t = {since:.6g} s{culprit(stepper, block)}: the motion after"
            f" that is not right. Take a smaller step ({remedy}) or a method of higher order."
        )
    return said


def worst_gap(stepper: Stepper, block: Floats) -> tuple[str, str, float]:
    """The gap of a run that is largest against what was promised: in words, its joint, in m or rad.

    No words where nothing has a gap.
    """
    alarm, setup = StateBlock(block, stepper.layout).alarm(), stepper.solver.setup
    if not alarm[WORST_GAP] > 0.0:
        return "", "", 0.0
    row = int(alarm[OPEN_ROW])
    index = int(np.searchsorted(setup.system.joints.first_row, row, side="right")) - 1
    gap = float(alarm[WORST_GAP] * stepper.mechanism.promises.gaps[row])
    unit = setup.units(index)[row - int(setup.system.joints.first_row[index])]
    return f"{gap:.3g} {unit}", list(setup.joint_index)[index], gap


def checks(stepper: Stepper, block: Floats) -> dict[str, float | str]:
    """What was looked at on the way, for the provenance."""
    gap, joint, _ = worst_gap(stepper, block)
    share = float(StateBlock(block, stepper.layout).alarm()[WORST_SHARE])
    return {"worst_gap": f"{gap} in '{joint}'" if gap else "none", "imbalance": share}


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
    watch, bodies = stepper.mechanism.watch, stepper.mechanism.system.body_count
    events = int(watch.count[0])
    nowhere = np.zeros((1, 1))
    for halving in range(1, MOST_HALVINGS + 1):
        shorter = step / 2**halving
        steps = ceil(until / shorter)
        if steps * bodies > MOST_PROBED:
            break
        block = stepper.first_block()
        grid = (0.0, shorter, 0, steps, steps)
        _, outcome = stepper.advance(block, block.copy(), grid, 2**62, 1, nowhere)
        watch.count[0] = events  # what a trial passes is not the run's
        alarm = StateBlock(block, stepper.layout).alarm()
        if outcome == OK and alarm[UNBALANCED_SINCE] == NEVER:
            return shorter
    return None
