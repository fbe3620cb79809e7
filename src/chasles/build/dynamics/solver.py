"""A model ready to step: its setup, start and workspace, checked at the start."""

from dataclasses import dataclass, replace

import numpy as np

from chasles.build.start.consistent import initial_state
from chasles.build.start.free_bodies import MaximalForm, Solved
from chasles.build.start.redundancy import (
    RANK_LIMIT,
    Redundancy,
    contradiction,
    find_redundancy,
    is_redundant,
    joint_of_row,
    redundancy_error,
    scale_error,
    unsolved,
)
from chasles.build.start.rows import (
    constraint_rows,
    free_pivots,
    jacobian_at,
    mass_matrices,
    weigh,
    weights,
)
from chasles.build.system.build import Setup, build, check_closed, rotor_places
from chasles.core.arrays import TWIST, Floats, Integers, Workspace, make_workspace
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.model import InconsistentStart, InvalidModel, Model
from chasles.spaces import resolve_spaces
from chasles.spaces.on_subgroups import subgroup_tree
from chasles.spaces.tree import LIGHT

#: A row whose pivot falls below this fraction of its free value is redundant at the start ...
REDUNDANT = 1e-10
#: ... and singular during a run.
SINGULAR = 1e-13
#: ... and looked at more closely in loops below this fraction.
SUSPICIOUS = 1e-4
#: Logarithm of the range of free pivots and 1 / m in which a model needs no closer look.
SANE = 30.0
#: Rows that miss more than this fraction of what is added up in them are lost in rounding.
LOST = 1e-6
#: Constraint accelerations that miss by more than this fraction contradict each other.
CONFLICT = 1e-6
TOO_LIGHT = "Check the units of the bodies, or give the lightest more mass."
ON_PAIRS = "Take spaces='auto', without rows='all': light bodies are solved for on their joints. "
#: mu of the damped factor, as a fraction of each row's free pivot: eps / mu is the relative error
#: of one solve along what repeats itself, and what is within mu of doing so costs more solves.
#: With less, rows that swap their parts do so too fast for the watch (Bennett's linkage).
DAMPING = 1e-7
HARDLY_DAMPED = 1e-12


@dataclass(frozen=True)
class Solver:
    """The start of a model, what is known of its joints there, and a workspace for one run."""

    setup: Setup
    form: MaximalForm
    workspace: Workspace
    start: Floats  # (n, 18) absolute state at t = 0
    jacobian: Floats  # (rows, 12) J there
    free: Floats  # (rows,) what the pivot of each row would be without the other joints
    redundancy: Redundancy | None = None

    def with_own_workspace(self) -> "Solver":
        """The same for one more run, which may go on at the same time as others."""
        return replace(self, workspace=make_workspace(self.setup.system))


def make_solver(
    setup: Setup, damp: bool = False, refuse: bool = False, check: bool = True
) -> Solver:
    """Check the start, complete its velocities, and look for redundant joints.

    Redundant joints are solved for on a damped factor, and reported, or refused; `damp` takes that
    factor in any case.  Without `check`, joints may be open at the start and velocities forbidden.
    """
    if check:
        check_closed(setup)
    workspace, jacobian = make_workspace(setup.system), jacobian_at(setup.system, setup.absolute)
    start = initial_state(setup, jacobian) if check else setup.absolute
    independent = never_depend(setup.model)
    least = least_weight(setup, check) if needs_lift(setup) else 0.0
    form = MaximalForm.plain(setup, least)
    free = free_pivots(setup, jacobian, least)
    has_rows = not independent or bool(subgroup_tree(setup.model, setup.spaces, setup.fit).cut)
    if not has_rows and spread_of(setup, free) < SANE:
        # there is nothing to be solved for
        return Solver(setup, form, workspace, start, jacobian, free)
    redundant = not independent and repeats_itself(form, jacobian, free)
    few = setup.system.row_count <= RANK_LIMIT
    if setup.model.couplings and few and not redundant:  # their rows are not in the factor
        redundant = is_redundant(setup, jacobian, setup.absolute)
    # In a tree of lower pairs a pivot is small where much hangs on a joint: 1/n^3 in long chains.
    if not independent:
        form = form.sharing(replace(form, floors=SINGULAR * free))
    damp = damp and not independent  # where no pose is singular, there is none to be passed
    if not redundant and not damp and lost_row(form, form.at(start), free) is None:
        return Solver(setup, form, workspace, start, jacobian, free)
    form, redundancy = damped_form(form, start, free, refuse, check)
    return Solver(setup, form, workspace, start, jacobian, free, redundancy)


def feathery(setup: Setup) -> Integers:
    """Bodies that have mass, but too little or too near their centre for rows of all joints.

    Those compare 1 / m of all, and 1 / I with it on the lever of the mechanism.
    """
    bodies = setup.system.bodies
    heaviest, lever = bodies.mass.max(initial=0.0), setup.longest_lever or 0.0
    spin = np.linalg.eigvalsh(mass_matrices(setup.system)[:, :3, :3])[:, 0]
    light = (bodies.mass < LIGHT * heaviest) | (spin < LIGHT * bodies.mass * lever * lever)
    return np.flatnonzero(light & (bodies.mass > 0.0))


def needs_lift(setup: Setup) -> bool:
    """Whether bodies are too light for the rows of all joints."""
    return not never_depend(setup.model) and feathery(setup).size > 0


def remedy(form: MaximalForm) -> str:
    """What to do about bodies that are too light: on their joints they need not be heavier."""
    charted = form.least == 0.0 and needs_lift(form.setup)
    return ON_PAIRS + TOO_LIGHT if charted else TOO_LIGHT


def least_weight(setup: Setup, runs: bool = True) -> float:
    """What bodies weigh where rows are questioned, as a fraction of the heaviest.

    Light ones that joints carry are solved for on their pairs; of others 1 / m is in the run, if
    the model `runs`.
    """
    if not runs:
        return LIGHT
    parents = subgroup_tree(setup.model, setup.spaces, setup.fit).parents
    names = list(setup.body_index)
    return LIGHT if all(parents[names[body]] for body in feathery(setup)) else 0.0


def damped_form(
    form: MaximalForm, start: Floats, free: Floats, refuse: bool, check: bool
) -> tuple[MaximalForm, Redundancy | None]:
    """The same on a damped factor, which needs no independent rows; and which repeat others."""
    setup, form = form.setup, form.damped(DAMPING * free)
    solved = form.at(start)
    if solved.outcome == NOT_SOLVED:
        raise InvalidModel(unsolved(setup), remedy(form))
    if solved.outcome != OK:
        raise scale_error(*joint_of_row(setup, solved.outcome))
    jacobian, pivots = solved.workspace.jacobian, form.pivots(solved)
    redundancy = find_redundancy(setup, form.damping, jacobian, pivots, free, start)
    if refuse and redundancy is not None:
        raise redundancy_error(redundancy)
    if check:
        check_agreement(form, solved, start, free)
    lost = lost_row(form, solved, free) if check or redundancy is None else None
    if lost is not None and redundancy is not None:
        raise InvalidModel(unsolved(setup), remedy(form))
    if lost is not None:
        raise scale_error(*joint_of_row(setup, lost))
    return form, redundancy


def check_agreement(form: MaximalForm, solved: Solved, start: Floats, free: Floats) -> None:
    r"""Refuse constraints that contradict each other at the start: J V' = eta has no solution.

    A row is compared with what it can be at all, $|J\dot V|_i \le \sqrt{S_{ii}}\,|\dot V|_M$ with
    `free` for $S_{ii}$: whatever the units.  Where a solution with hardly any damping meets all
    constraints, only their scales are to blame.
    """
    setup = form.setup
    allowed = CONFLICT * np.sqrt(free) * energy_scale(setup, solved)
    missed = residual_rows(setup, solved)
    if np.all(np.abs(missed) <= allowed):
        return
    hardly = form.damped(HARDLY_DAMPED * free).at(start)
    if hardly.is_solved and np.all(np.abs(residual_rows(setup, hardly)) <= allowed):
        raise InvalidModel(unsolved(setup), remedy(form))
    raise InconsistentStart(
        contradiction(setup, missed, "accelerations", "at t = 0"),
        "Remove one of those that constrain the same motion differently, or start away from the"
        " singular pose if this is one.",
    )


def residual_rows(setup: Setup, solved: Solved) -> Floats:
    """(rows,) eta - J V', but of rotors, which are no constraints."""
    rows = constraint_rows(setup, solved.workspace.jacobian)
    missed: Floats = solved.workspace.eta - rows.times(solved.acceleration)
    missed[rotor_places(setup.system)[0]] = 0.0
    return missed


def energy_scale(setup: Setup, solved: Solved) -> float:
    r"""$\sqrt{\dot V^T M \dot V + Q^T M^{-1} Q + \omega^2\, V^T M V}$ of a solution.

    The last term, with the fastest rotation, is there for bodies that spin and are not accelerated.
    """
    mass, twists = weights(setup.system), solved.workspace.absolute[:, TWIST : TWIST + 6]
    total = solved.acceleration @ weigh(mass, solved.acceleration)
    total += solved.workspace.forces @ weigh(np.linalg.inv(mass), solved.workspace.forces)
    fastest = np.square(twists[:, :3]).sum(axis=1).max(initial=0.0)
    total += fastest * (twists.ravel() @ weigh(mass, twists))
    return float(np.sqrt(max(0.0, float(total))))


def never_depend(model: Model) -> bool:
    """Whether the rows of the joints are independent in every pose: in trees of lower pairs."""
    paired = all(joint.is_lower_pair for joint in model.joints) and not model.drivers
    return paired and not model.loops


def repeats_itself(form: MaximalForm, jacobian: Floats, free: Floats) -> bool:
    """Whether rows of the joints depend on each other at the start.

    In loops, a pivot that almost vanishes hides the dependency in the rounding errors of the next
    one: where one is suspicious, the rank decides.
    """
    setup, solved = form.setup, form.at(form.setup.absolute)
    certain = not form.is_regular(solved, REDUNDANT * free)
    closely = bool(setup.model.loops) and not form.is_regular(solved, SUSPICIOUS * free)
    if setup.system.row_count > RANK_LIMIT or not (certain or closely):
        return certain
    return is_redundant(setup, jacobian)


def lost_row(form: MaximalForm, solved: Solved, free: Floats) -> int | None:
    r"""The row of J V' = eta that is solved worst at the start, if it is solved badly.

    A row may miss a fraction of $\sum_k |J_{ik}|\,(|\dot V_k| + \hat a_k)$, with $\hat a$ what the
    forces would make of the whole model in one piece: nothing else is there to compare with where
    it rests.
    """
    setup, system = form.setup, form.setup.system
    if not system.row_count:
        return None
    if not solved.is_solved:
        return solved.outcome if solved.outcome >= 0 else None
    typical = energy_scale(setup, solved) / np.sqrt(system.bodies.mass.sum())
    floor = np.repeat((typical / setup.longest_lever, typical), 3)
    rows = constraint_rows(setup, solved.workspace.jacobian)
    sizes = np.abs(solved.acceleration) + np.tile(floor, system.body_count)
    added = replace(rows, entries=np.abs(rows.entries)).times(sizes)
    allowed = LOST * (added + np.abs(solved.workspace.eta))
    excess = np.abs(residual_rows(setup, solved)) - allowed
    worst = int(np.argmax(np.where(free > 0.0, excess, -1.0)))
    return worst if excess[worst] > 0.0 else None


def spread_of(setup: Setup, free: Floats) -> float:
    """Logarithm of the range of free pivots and 1 / m; NaN if one is no number; 0 if all are 0."""
    mass = setup.system.bodies.mass
    sizes = np.append(free[free != 0.0], 1.0 / mass[mass > 0.0])
    return float(np.ptp(np.log(sizes))) if sizes.size else 0.0


def repeated_rows(model: Model) -> int:
    """Rows less their rank, at the poses entered, where joints may be open."""
    setup = build(model, resolve_spaces(model, "SE3"))
    redundancy = make_solver(setup, check=False).redundancy
    return 0 if redundancy is None else redundancy.rows - redundancy.rank
