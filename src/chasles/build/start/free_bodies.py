r"""All bodies free, all joints and drivers rows: what is solved at the start and read at states.

$$ \begin{pmatrix} M & J^T \\ J & -\mu \end{pmatrix}
   \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
   \begin{pmatrix} Q \\ \eta \end{pmatrix}, $$

by the program of a tree whose pairs are all free, whether or not the rows of J are independent.

Reactions of all joints, which rows repeat others, and the equations of motion laid open are about
this form, whatever spaces a run takes; but reactions of models with couplings and frames without
mass, which have a little here, and of light bodies, which have more (see `tree_problem`).
Scratch is made per call and never leaves: whoever asks, from whichever thread, gets arrays of their
own.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.build.start.factor import DampedKkt, joined
from chasles.build.start.rows import constraint_rows, least_inertia, lifted, weights
from chasles.build.system.build import Setup, real_rows
from chasles.build.system.build_tree import build_tree, free_link, with_feathers
from chasles.build.system.tree_setup import TreeStorage, cuts_of, rotor_cuts
from chasles.build.system.tree_state import states_of
from chasles.core.arrays import ROW_WIDTH, Floats, Integers, Workspace, make_workspace, storage
from chasles.core.mechanism import Equations
from chasles.core.outcomes import OK
from chasles.core.recursion.groups import Loops, LoopWorkspace
from chasles.core.recursion.reactions import LastState, solve_states
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import BY_WRENCH, Tree, make_tree_workspace
from chasles.core.terms import terms_of


class Solved(NamedTuple):
    """The equations at states: OK, or the row that stopped it, and what was found.

    J, eta and Q of the last state are in `workspace`, its pivots in `loop_work`.
    """

    outcome: int
    accelerations: Floats  # (T, n, 6) V'
    multipliers: Floats  # (T, padded rows) lambda
    efforts: Floats  # (T, v) generalised forces: those of drivers, along their coordinates
    wrenches: Floats  # (T, m, 12) of the joints on their bodies a and b, body frames at the COM
    last: LastState
    workspace: Workspace
    loop_work: LoopWorkspace

    @property
    def is_solved(self) -> bool:
        return self.outcome == OK

    @property
    def acceleration(self) -> Floats:
        """V' (6n,) at the last state."""
        return self.accelerations[-1].ravel()


def solve(
    setup: Setup, equations: Equations, workspace: Workspace, carriers: Integers, points: Floats,
    inputs: tuple[Any, Any], given: Floats | None = None,
) -> Solved:  # fmt: skip
    """The equations of some tree at its points (T, q + v); for the arguments see `solve_states`.

    Under the multipliers (T, rows) that are `given`, if they are.
    """
    system, tree = setup.system, equations.tree
    count, rows = len(points), system.row_count
    last = storage(LastState, {"n": tree.body_count, "v": tree.rate_count})
    accelerations = np.zeros((count, tree.body_count, 6))
    multipliers = np.zeros((count, rows)) if given is None else given.copy()
    efforts = np.zeros((count, tree.rate_count))
    wrenches = np.zeros((count, system.joint_count, ROW_WIDTH))
    outcome = solve_states(
        equations, workspace, points, *inputs, int(given is not None), carriers, last,
        accelerations, multipliers, efforts, wrenches,
    )  # fmt: skip
    if outcome >= 0:
        outcome = int(equations.loops.source[outcome])  # a row of J
    return Solved(
        outcome, accelerations, multipliers, efforts, wrenches, last, workspace,
        equations.loop_work,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class MaximalForm:
    """The equations of all joints of a model.

    floors   (rows,) pivots below these are singular
    damping  (rows,) mu; zeros where no row is damped
    least    what bodies weigh at the least, as a fraction of the heaviest: for questions about rows
    """

    setup: Setup
    floors: Floats
    damping: Floats
    least: float = 0.0

    @classmethod
    def plain(cls, setup: Setup, least: float = 0.0) -> "MaximalForm":
        """Without floors and damping."""
        nothing = np.zeros(setup.system.row_count)
        return cls(setup, nothing, nothing, least)

    def damped(self, damping: Floats) -> "MaximalForm":
        """On a damped factor, whose pivots never vanish."""
        return self.sharing(replace(self, floors=0.0 * damping, damping=damping))

    def sharing(self, other: "MaximalForm") -> "MaximalForm":
        """Another form with the structure of this one, which depends on the model alone."""
        other.__dict__.update(tree=self.tree, structure=self.structure)
        return other

    @property
    def is_damped(self) -> bool:
        return bool(self.damping.any())

    @cached_property
    def tree(self) -> Tree:
        model = self.setup.model
        links = [free_link(model.body(name)) for name in self.setup.body_index]
        tree = build_tree(links, model.gravity)
        by = lifted(tree.mass, self.least)
        more = least_inertia(self.setup, self.least) * np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
        tree = tree._replace(mass=tree.mass * by, inertia=tree.inertia * by[:, None] + more)
        return with_feathers(tree)

    @cached_property
    def structure(self) -> Loops:
        """Rows and program; couplings act on any number of bodies, and are left out."""
        coupled = {coupling.name for coupling in self.setup.model.couplings}
        names = [name for name in self.setup.joint_index if name not in coupled]
        return make_loops(self.tree, cuts_of(self.setup, names) + rotor_cuts(self.setup, names))

    @cached_property
    def loops(self) -> Loops:
        rows = self.structure.source
        return self.structure._replace(
            floors=self.floors[rows], damping=self.damping[rows], is_damped=int(self.is_damped)
        )

    def equations(self, workspace: Workspace) -> Equations:
        """With storage of their own, for stages in a workspace: all forces act by wrenches."""
        along = [BY_WRENCH] * self.setup.system.force_count
        tree_work = make_tree_workspace(self.tree, workspace.signals, True, False, True, along)
        return TreeStorage(self.setup, self.tree, tree_work, workspace).equations(self.loops)

    def solve(
        self, absolute: Floats, times: Floats | None = None, integrals: Floats | None = None
    ) -> Solved:
        """The equations at absolute states (T, n, 18).

        Times are 0 unless given.  Without integrals (T, quadratures), angles are taken to be
        within half a turn.
        """
        workspace = make_workspace(self.setup.system)
        points = states_of(self.tree, absolute)
        carriers = np.full((self.tree.body_count, 3), -1)
        inputs = inputs_of(self.setup, len(points), times, integrals)
        equations = self.equations(workspace)
        return solve(self.setup, equations, workspace, carriers, points, inputs)

    def at(self, absolute: Floats, t: float = 0.0, integrals: Floats | None = None) -> Solved:
        """The equations at one absolute state (n, 18).

        Where the joints depend on each other, J, eta and Q are what they are, and what was to be
        found is NaN.
        """
        angles = None if integrals is None else integrals[None]
        solved = self.solve(absolute[None], np.array([t]), angles)
        if not solved.is_solved:
            for values in (solved.accelerations, solved.multipliers, solved.wrenches):
                values[:] = np.nan
        return solved

    def history(self, absolute: Floats, times: Floats, integrals: Floats) -> tuple[Floats, Floats]:
        """Joint wrenches (T, m, 12), and V' (T, n, 6), at absolute states (T, n, 18).

        NaN at states in which the joints depend on each other: no reaction is determined there.
        """
        solved = [self.solve(absolute, times, integrals)]
        if not solved[0].is_solved:
            solved = [self.at(*one) for one in zip(absolute, times, integrals)]
        rates = np.concatenate([one.accelerations for one in solved])
        return np.concatenate([one.wrenches for one in solved]), rates

    def speed_residual(
        self, absolute: Floats, t: float, integrals: Floats, rates: Floats
    ) -> Floats:
        """(rows,) rates - J V for the V that comes closest at an absolute state (n, 18).

        Only damped rows may miss anything.
        """
        system, found = self.setup.system, np.zeros_like(rates)
        if not self.is_damped:
            return found
        rows = constraint_rows(self.setup, terms_at(self.setup, absolute, t, integrals).jacobian)
        scale = 1.0 / np.sqrt(np.where(self.damping > 0.0, self.damping, 1.0))
        jacobian, metric = rows.matrix(6 * system.body_count), joined(weights(system))
        closest = DampedKkt(metric, jacobian, 1.0, scale).solve(np.zeros(metric.shape[0]), rates)
        own = real_rows(system)
        found[own] = (rates - rows.times(closest))[own]
        return found

    def is_regular(self, solved: Solved, floors: Floats) -> bool:
        """Whether all pivots of the last factor are above these floors."""
        return solved.is_solved and bool((self.pivots(solved) > floors).all())

    def pivots(self, solved: Solved) -> Floats:
        """(rows,) |D| of every row in the last factor, infinite where it has none."""
        out = np.full(self.setup.system.row_count, np.inf)
        inverses = solved.loop_work.inverses[: self.loops.row_count]
        out[self.loops.source] = np.abs(1.0 / np.where(inverses != 0.0, inverses, -np.inf))
        return out


def terms_at(
    setup: Setup, absolute: Floats, t: float = 0.0, integrals: Floats | None = None
) -> Workspace:
    """J, eta and Q at an absolute state (n, 18); they need no solution, nor independent rows."""
    workspace, angles = make_workspace(setup.system), None if integrals is None else integrals[None]
    inputs = inputs_of(setup, 1, np.array([t]), angles)
    terms_of(setup.lent, workspace, np.ascontiguousarray(absolute[None]), *inputs)
    return workspace


def inputs_of(
    setup: Setup, count: int, times: Floats | None, integrals: Floats | None
) -> tuple[Any, Any]:
    """Functions of time and integrals of so many states as kernels take them."""
    system, table = setup.system, np.zeros((count, 0))
    if system.signal_count:
        table = setup.signals.sample(np.zeros(count) if times is None else times)
    if integrals is None:
        integrals = np.zeros((count, system.quadrature_count))
    return np.ascontiguousarray(table), np.ascontiguousarray(integrals)
