"""What is suspect about a run that has ended: one list of checks, before its result is made.

A joint that holds by itself in its space, or that is projected, is closed to rounding; one that
drifts opens with the error of the method, which is small against the mechanism or the motion is
wrong.  The energy balance likewise.  A run that breaks either ends with a warning that names the
time, the joint or force, and a step that would do.
"""

from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

import numpy as np

from chasles.build.start.redundancy import joint_of_row, lightest_body
from chasles.build.system.build import Setup
from chasles.build.system.gaps import alike, length_rows
from chasles.core.arrays import POSE_X, TWIST, Floats
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.mechanism import AccuracyLimits
from chasles.core.state_block import (
    AT_START,
    MISSED_ROW,
    MISSED_SINCE,
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    SUPPLIED,
    UNBALANCED_SINCE,
    WIDEST_GAP,
    WIDEST_ROW,
    WORST_GAP,
    WORST_MISS,
    WORST_SHARE,
    StateBlock,
)
from chasles.integrators.bliedf import Bliedf
from chasles.integrators.generalized_alpha import GeneralizedAlpha
from chasles.integrators.rattlie import RATTLIE
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import Contact, CustomForce, JointStop
from chasles.result import energy
from chasles.run.half_steps import (
    has_impacts,
    lost_attitudes,
    try_steps,
    turning_forces,
    unseen_energy,
)
from chasles.run.loop import Ended
from chasles.run.stepper import Stepper

#: Gaps, as fractions of the joint's lever, beyond which an exact joint is not exact (ten times what
#: projection lets pass; a random walk of ulps on SE(3) is there after 1e8 steps), and beyond which
#: one that drifts has left the mechanism.
EXACT, DRIFTING = 1e-8, 1e-2
#: A body that moves by less than this fraction of its size in a step stands still but for rounding.
UNSEEN = 1e-10
#: A driver that moves by less than this fraction of its size in a step rests: 1e-6 rad/s at 1 ms.
AT_REST = 1e-9
#: Steps of one body (a second), of those that ask functions of users, and halvings at the most that
#: are tried for a step that would do.
MOST_PROBED, MOST_ASKED, MOST_HALVINGS = 200_000, 2_000, 10
#: Rounding of reactions, as a share of the usual ones, that is told of models as many levers away
#: from the origin.
ROUNDED, FAR = 3e-5, 1e3
#: How the warning of an energy balance that does not close begins.
UNBALANCED = "the energy balance misses"
#: What else may be done where forces do work.
STIFF = " If a spring, damper or contact is stiff, take method='{}'."
#: What an implicit method does with vibrations that its steps do not resolve.
DAMPED = (
    " If forces are stiff: the method damps vibrations that its steps do not resolve, whose energy"
    " is missing here. The slow motion may then be right, but work and energy are not."
)


def make_accuracy_limits(setup: Setup, drifting: Iterable[str], step: float) -> AccuracyLimits:
    """What is promised of a run with this step, in which these joints drift."""
    speed = UNSEEN * setup.longest_lever / step
    still = float(setup.system.bodies.mass.sum()) * speed * speed
    gaps = allowed_gaps(setup, drifting)
    bodies = [setup.model.body(name) for name in setup.body_index]
    places = np.array([body.position for body in bodies], float).reshape(-1, 3)
    lengths = length_rows(setup.system)
    return AccuracyLimits(gaps, setup.row_sizes, lengths, AT_REST / step, still, places)


def allowed_gaps(setup: Setup, drifting: Iterable[str]) -> Floats:
    """(rows,) Largest gap (m, rad) allowed in each row; 0: no limit (rows that restrict speeds,
    and formulas of users, which have no unit).
    """
    joints, sizes = setup.system.joints, setup.row_sizes
    fraction = np.full(setup.system.joint_count, EXACT)
    for name in (*drifting, *setup.model.driver_names):
        fraction[setup.joint_index[name]] = DRIFTING
    gaps = np.zeros_like(sizes)
    for (code, _, rows), members in alike(joints).items():
        kind = CONSTRAINTS[code]
        for row in () if kind.calls_user else kind.measured_of(rows):
            at = joints.first_row[members] + row
            gaps[at] = fraction[members] * sizes[at]
    return gaps


def alarms_in_words(stepper: Stepper, block: Floats) -> dict[int, str]:
    """What is wrong with a run up to a state, by the entry of the alarm that says since when."""
    alarm, setup = StateBlock(block, stepper.layout).alarm(), stepper.solver.setup
    said = {}
    if alarm[OPEN_SINCE] != NEVER:
        gap, name = worst_gap(stepper, block)
        word = "driver" if name in setup.model.driver_names else "joint"
        said[OPEN_SINCE] = (
            f"{word} '{name}' drifted by {gap}, first seen at"
            f" t = {alarm[OPEN_SINCE]:.6g} s: more than its space promises"
        )
    if alarm[MISSED_SINCE] != NEVER:
        name, component = joint_of_row(setup, int(alarm[MISSED_ROW]))
        said[MISSED_SINCE] = (
            f"joint '{name}' (direction {component}) misses {100.0 * alarm[WORST_MISS]:.3g} % of"
            f" the acceleration it asks for, more than 1 % since t = {alarm[MISSED_SINCE]:.6g} s"
        )
    if alarm[UNBALANCED_SINCE] != NEVER:
        said[UNBALANCED_SINCE] = (
            f"{UNBALANCED} {100.0 * alarm[WORST_SHARE]:.3g} % of the energy exchanged, more than"
            f" 1 % since t = {alarm[UNBALANCED_SINCE]:.6g} s{culprit(stepper, block)}"
        )
    return said


def failed_checks(ended: Ended) -> list[str]:
    """What is wrong with a run, and what to do about it; nothing if nothing is."""
    stepper, step = ended.run.stepper, ended.run.pace.typical_step
    said = alarms_in_words(stepper, ended.block)
    if OPEN_SINCE in said:
        said[OPEN_SINCE] += (
            f". Take a smaller step than {step:g} s, or project the joints:"
            " stabilise='projection of all joints'."
        )
    if MISSED_SINCE in said:
        said[MISSED_SINCE] += (
            ": redundant constraints contradict each other, or the lightest body,"
            f" '{lightest_body(stepper.solver.setup)}', is too light for the others."
            f" Take a smaller step than {step:g} s, or give it more mass."
        )
    if UNBALANCED_SINCE in said:
        since = float(StateBlock(ended.block, stepper.layout).alarm()[UNBALANCED_SINCE])
        better = None
        if not (ended.run.control.steers or has_impacts(ended.run)):
            better = step_that_would_do(stepper, step, since)
        remedy = f"{better:.2g} s would do" if better else f"smaller than {step:g} s"
        said[UNBALANCED_SINCE] += (
            f": the motion after that is not right. Take a smaller step ({remedy}) or a method of"
            " higher order." + stiff_remedy(stepper)
        )
    return list(said.values())


def stiff_remedy(stepper: Stepper) -> str:
    """What else may be done where forces are stiff, which depends on what the method knows."""
    forces = stepper.solver.setup.model.forces
    if not forces or isinstance(stepper.scheme, LinearlyImplicit):
        return ""
    if isinstance(stepper.scheme, GeneralizedAlpha | Bliedf):
        return DAMPED
    together = any(isinstance(force, CustomForce) and force.others for force in forces)
    return STIFF.format("generalized-alpha" if together else "linearly-implicit")


def worst_gap(stepper: Stepper, block: Floats) -> tuple[str, str]:
    """The gap of a run that is largest against what was promised, in words, and its joint."""
    alarm = StateBlock(block, stepper.layout).alarm()
    row = int(alarm[OPEN_ROW])
    return in_words(stepper, float(alarm[WORST_GAP] * stepper.mechanism.accuracy.gaps[row]), row)


def in_words(stepper: Stepper, gap: float, row: int) -> tuple[str, str]:
    """A gap with its unit, and the joint of the row of J that it is in."""
    setup = stepper.solver.setup
    index = int(np.searchsorted(setup.system.joints.first_row, row, side="right")) - 1
    unit = setup.units(index)[row - int(setup.system.joints.first_row[index])]
    return f"{gap:.3g} {unit}", list(setup.joint_index)[index]


def checks(stepper: Stepper, block: Floats) -> dict[str, Any]:
    """What was looked at on the way, for the provenance."""
    alarm = StateBlock(block, stepper.layout).alarm()
    widest = "0" if stepper.solver.setup.model.joints else "none"
    if alarm[WIDEST_GAP] > 0.0:
        gap, joint = in_words(stepper, float(alarm[WIDEST_GAP]), int(alarm[WIDEST_ROW]))
        widest = f"{gap} in '{joint}'"
    return {
        "worst_gap": widest,
        "imbalance": float(alarm[WORST_SHARE]),
        "removed": stepper.removed(block),
    }


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
    setup, bodies = stepper.solver.setup, stepper.mechanism.system.body_count
    if any(isinstance(force, Contact | JointStop) for force in setup.model.forces):
        return None  # what a bounce misses shows after many of them
    most = MOST_ASKED if setup.asks_users else MOST_PROBED
    for halving in range(1, MOST_HALVINGS + 1):
        shorter = step / 2**halving
        steps = ceil(until / shorter)
        if steps * bodies > most:
            break
        block = stepper.first_block()
        succeeds = try_steps(stepper, block, shorter, 0, steps, 1)
        if succeeds and StateBlock(block, stepper.layout).alarm()[UNBALANCED_SINCE] == NEVER:
            return shorter
    return None


#: Of the energy of the motion.  Measured at 2 ms: 0.013 for a quadruped that stands, 0.05 for a
#: ball whose bounce takes five steps, 0.5 where it takes less than two.
NOTICED = 0.05
#: States at the most that are looked at, with contacts (an impact is short) and without; and how
#: few of them may miss where the energy is.
MOST_STATES, SAMPLED_STATES, FEW_STATES = 100_000, 2_000, 50


def unfitted_signals(ended: Ended) -> list[str]:
    """Functions of time that are called at every stage."""
    return list(ended.setup.signals.notes())


def missed_energy(ended: Ended) -> list[str]:
    """Energy that a method made or lost, and impacts on soft contacts that steps did not resolve.

    The energy exchanged adds up over swings and bounces.  So the error is compared with the energy
    of the motion instead: a dropped ball must come back as high as it should.
    """
    setup, saved, model = ended.setup, ended.saved, ended.setup.model
    names = [f.name for f in model.forces if isinstance(f, Contact | JointStop)]
    if any(words.startswith(UNBALANCED) for words in ended.said):
        return []
    damps = isinstance(ended.run.stepper.scheme, LinearlyImplicit)  # what it does not resolve
    if not names and (has_impacts(ended.run) or damps or len(saved.times) < FEW_STATES):
        return []
    every = 1 + len(saved.times) // (MOST_STATES if names else SAMPLED_STATES)
    absolute, integrals = saved.absolute[::every], saved.integrals[::every]
    kinetic = energy.kinetic_of_all(setup, absolute)
    potential = energy.potential_of_all(setup, absolute, integrals)
    work = np.abs(integrals - integrals[0])[:, : len(model.forces)].sum(axis=1)
    # No force books what rigid ends take: it is in the supply.
    missed = left_at_the_end(ended)
    if names and not has_impacts(ended.run):
        # Stages of linearly implicit steps book work that balances over an unresolved impact.
        missed = float(np.abs(energy.balance(setup, absolute, integrals)).max())
    moving = float(np.ptp(kinetic) if names else np.max(kinetic))  # spinning exchanges nothing
    if not missed > unseen_energy(ended):  # a body that rests on a stop moves by round-off
        return []
    share = missed / (max(moving, np.ptp(potential), work.max(initial=0.0)) or np.inf)
    if not share > NOTICED:
        return []
    word = "contact" if len(names) == 1 else "contacts"
    what = f"impacts of {word} {', '.join(map(repr, names[:4]))}" if names else "the motion"
    after = "the motion after them" if names else "it"
    return [
        f"the energy error is {missed:.3g} J, {100.0 * share:.2g} % of that of the motion: steps of"
        f" {ended.run.pace.typical_step:g} s do not resolve {what}, and {after} is not right. Take"
        " a smaller step, or error control: method='dopri5', rtol=1e-6."
    ]


def left_at_the_end(ended: Ended) -> float:
    """The energy (J) that the last look found and nothing had supplied."""
    stepper, block = ended.run.stepper, ended.block
    state, supplied = StateBlock(block, stepper.layout), stepper.layout.supply + SUPPLIED
    kinetic = energy.kinetic_of_all(ended.setup, stepper.absolute(state.coordinates()[None]))
    return abs(float(kinetic[0] - state.alarm()[AT_START] - block[supplied]))


def rounded_reactions(ended: Ended) -> list[str]:
    r"""Multipliers from gaps are rounded as those: accelerations by $\epsilon |x| / h^2$."""
    run, setup, saved = ended.run, ended.setup, ended.saved
    own = ended.method.index == 3 or ended.method.name in RATTLIE
    if not own or run.stepper.mechanism.loops.row_count == 0 or not len(saved.times):
        return []
    far = float(np.abs(saved.absolute[..., POSE_X : POSE_X + 3]).max(initial=0.0))
    spin = float(np.abs(saved.absolute[..., TWIST : TWIST + 3]).max(initial=0.0))
    usual = float(np.linalg.norm(setup.model.gravity)) + spin * spin * setup.longest_lever
    step = run.pace.typical_step
    lost = 2.0 * np.finfo(float).eps * far / step / step
    if far <= FAR * setup.longest_lever or not lost > ROUNDED * usual > 0.0:
        return []
    better = "generalized-alpha index 2"
    return [
        f"reactions are lost in rounding by about {100.0 * lost / usual:.1g} % of those of gravity"
        f" and rotation: bodies are {far:.3g} m from the origin, and '{ended.method.name}' divides"
        f" gaps of joints there by the square of the step of {step:g} s. The motion is rounded far"
        f" less. Place the model nearer to the origin, or take method='{better}' or a longer step."
    ]


#: In the order in which they speak.
CHECKS: tuple[Callable[[Ended], list[str]], ...] = (
    failed_checks, lost_attitudes, turning_forces, unfitted_signals, missed_energy,
    rounded_reactions,
)  # fmt: skip


def suspicions(ended: Ended) -> tuple[str, ...]:
    """What all checks have to say of a run."""
    for check in CHECKS:
        ended.said.extend(check(ended))
    return tuple(ended.said)
