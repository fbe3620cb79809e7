"""A model ready to step: its setup, start and workspace, checked at the start."""

from dataclasses import dataclass, replace

import numpy as np

from chasles.build.dynamics.maximal import MaximalForm, Solved
from chasles.build.start.closure import gaps_and_rows
from chasles.build.start.conflicts import TOO_LIGHT, Motion, check_agreement, energy_scale
from chasles.build.start.consistent import initial_state
from chasles.build.start.kkt import constraint_rows
from chasles.build.start.redundancy import (
    RANK_LIMIT,
    Redundancy,
    find_redundancy,
    free_pivots,
    is_redundant,
    joint_of_row,
    redundancy_error,
    scale_error,
    singular_error,
    unsolved,
)
from chasles.build.system.build import Setup, build, check_closed, rotor_places
from chasles.core.arrays import TWIST, Floats
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.core.workspace import Workspace, make_workspace
from chasles.model import InvalidModel, Model
from chasles.spaces import resolve_spaces
from chasles.spaces.on_subgroups import subgroup_tree

__all__ = ["Solver", "joint_of_row", "make_solver", "singular_error"]

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
#: mu of the damped factor, as a fraction of each row's free pivot: eps / mu is the relative error
#: of one solve along what repeats itself, and what is within mu of doing so costs more solves.
#: With less, rows that swap their parts do so too fast for the watch (Bennett's linkage).
DAMPING = 1e-7
HARDLY_DAMPED = 1e-12


@dataclass(frozen=True)
class Solver:
    """The start of a model, what is known of its joints there, and scratch for one run."""

    setup: Setup
    form: MaximalForm
    work: Workspace
    start: Floats  # (n, 18) absolute state at t = 0
    redundancy: Redundancy | None = None

    def with_own_scratch(self) -> "Solver":
        """The same for one more run, which may go on at the same time as others."""
        return replace(self, work=make_workspace(self.setup.system))


def make_solver(
    setup: Setup, damp: bool = False, refuse: bool = False, check: bool = True
) -> Solver:
    """Check the start, complete its velocities, and look for redundant joints.

    Redundant joints are solved for on a damped factor, and reported, or refused; `damp` takes that
    factor in any case.  Without `check`, joints may be open at the start and velocities forbidden.
    """
    if check:
        check_closed(setup)
    work = make_workspace(setup.system)
    gaps_and_rows(setup.system, work, setup.absolute)  # J at the initial pose
    start = initial_state(setup, work.jacobian) if check else setup.absolute
    form = MaximalForm.plain(setup)
    free = free_pivots(setup, work.jacobian)
    independent = never_depend(setup.model)
    has_rows = not independent or bool(subgroup_tree(setup.model, setup.spaces, setup.fit).cut)
    if not has_rows and spread_of(setup, free) < SANE:
        return Solver(setup, form, work, start)  # there is nothing to be solved for
    redundant = not independent and repeats_itself(form, work.jacobian, free)
    few = setup.system.row_count <= RANK_LIMIT
    if setup.model.couplings and few and not redundant:  # their rows are not in the factor
        redundant = is_redundant(setup, work.jacobian, setup.absolute)
    # In a tree of lower pairs a pivot is small where much hangs on a joint: 1/n^3 in long chains.
    if not independent:
        form = form.with_floors(SINGULAR * free)
    damp = damp and not independent  # where no pose is singular, there is none to be passed
    if not redundant and not damp and lost_row(form, start, free) is None:
        return Solver(setup, form, work, start)
    form, redundancy = damped_form(form, start, free, refuse, check)
    return Solver(setup, form, work, start, redundancy)


def damped_form(
    form: MaximalForm, start: Floats, free: Floats, refuse: bool, check: bool
) -> tuple[MaximalForm, Redundancy | None]:
    """The same on a damped factor, which needs no independent rows; and which repeat others."""
    setup, form = form.setup, form.damped(DAMPING * free)
    solved = form.solve(start[None])
    if solved.outcome == NOT_SOLVED:
        raise InvalidModel(unsolved(setup), TOO_LIGHT)
    if solved.outcome != OK:
        raise scale_error(*joint_of_row(setup, solved.outcome))
    jacobian, pivots = solved.scratch.work.jacobian, form.pivots(solved)
    redundancy = find_redundancy(setup, form.damping, jacobian, pivots, free, start)
    if refuse and redundancy is not None:
        raise redundancy_error(redundancy)
    if check:
        check_agreement(
            setup, motion_of(form, solved), free, lambda: hardly_damped(form, start, free)
        )
    lost = lost_row(form, start, free) if check or redundancy is None else None
    if lost is not None and redundancy is not None:
        raise InvalidModel(unsolved(setup), TOO_LIGHT)
    if lost is not None:
        raise scale_error(*joint_of_row(setup, lost))
    return form, redundancy


def motion_of(form: MaximalForm, solved: Solved) -> Motion:
    """What was solved for last."""
    work, unknowns = solved.scratch.work, 6 * form.setup.system.body_count
    twists = work.absolute[:, TWIST : TWIST + 6]
    eta = work.eta.copy()
    eta[rotor_places(form.setup.system)[0]] = 0.0
    return Motion(twists, work.jacobian, eta, work.forces, solved.found[-1, :unknowns])


def hardly_damped(form: MaximalForm, start: Floats, free: Floats) -> Motion | None:
    """The same with hardly any damping, which tells a contradiction from bad scales."""
    form = form.damped(HARDLY_DAMPED * free)
    solved = form.solve(start[None])
    return motion_of(form, solved) if solved.outcome == OK else None


def never_depend(model: Model) -> bool:
    """Whether the rows of the joints are independent in every pose: in trees of lower pairs."""
    paired = all(joint.is_lower_pair for joint in model.joints) and not model.drivers
    return paired and not model.loops


def repeats_itself(form: MaximalForm, jacobian: Floats, free: Floats) -> bool:
    """Whether rows of the joints depend on each other at the start.

    In loops, a pivot that almost vanishes hides the dependency in the rounding errors of the next
    one: where one is suspicious, the rank decides.
    """
    setup = form.setup
    for fraction in (REDUNDANT, SUSPICIOUS):
        if form.with_floors(fraction * free).solve(setup.absolute[None]).outcome != OK:
            many = setup.system.row_count > RANK_LIMIT
            return fraction == REDUNDANT if many else is_redundant(setup, jacobian)
        if not setup.model.loops:
            return False
    return False


def lost_row(form: MaximalForm, start: Floats, free: Floats) -> int | None:
    r"""The row of J V' = eta that is solved worst at the start, if it is solved badly.

    A row may miss a fraction of $\sum_k |J_{ik}|\,(|\dot V_k| + \hat a_k)$, with $\hat a$ what the
    forces would make of the whole model in one piece: nothing else is there to compare with where
    it rests.
    """
    setup, system = form.setup, form.setup.system
    if not system.row_count:
        return None
    solved = form.solve(start[None])
    if solved.outcome != OK:
        return solved.outcome if solved.outcome >= 0 else None
    motion = motion_of(form, solved)
    typical = energy_scale(setup, motion) / np.sqrt(system.bodies.mass.sum())
    floor = np.repeat((typical / setup.longest_lever, typical), 3)
    rows = constraint_rows(setup, motion.jacobian)
    sizes = np.abs(motion.acceleration) + np.tile(floor, system.body_count)
    added = replace(rows, entries=np.abs(rows.entries)).times(sizes)
    allowed = LOST * (added + np.abs(motion.eta))
    excess = np.abs(rows.times(motion.acceleration) - motion.eta) - allowed
    worst = int(np.argmax(np.where(free > 0.0, excess, -1.0)))
    return worst if excess[worst] > 0.0 else None


def spread_of(setup: Setup, free: Floats) -> float:
    """Logarithm of the range of free pivots and 1 / m; NaN if one is no number."""
    mass = setup.system.bodies.mass
    return float(np.ptp(np.log(np.append(free[free != 0.0], 1.0 / mass[mass > 0.0]))))


def repeated_rows(model: Model) -> int:
    """Rows less their rank, at the poses entered, where joints may be open."""
    setup = build(model, resolve_spaces(model, "SE3"))
    redundancy = make_solver(setup, check=False).redundancy
    return 0 if redundancy is None else redundancy.rows - redundancy.rank
