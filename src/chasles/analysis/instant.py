r"""A model at one time: its forces, its rows, and the motions that they leave free.

At a configuration q the bodies may move along the tangent space $\ker J(q)$.  Its basis Z is
orthonormal in a metric, $Z^T M Z = 1$, and $J^+$, with $J J^+ J = J$ and $Z^T M J^+ = 0$, is the
shortest way back to the constraints.  Both come from a singular value decomposition of $J L^{-T}$,
$M = L L^T$, so joints that repeat each other change nothing.  M is the mass matrix where it matters
how fast bodies move, and a rounder one where only the way counts.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.tangent import Tangent, tangent
from chasles.core.arrays import TWIST, Floats, Integers, System
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.evaluate import make_workspace
from chasles.core.forces.on_coordinate import ON_COORDINATE
from chasles.core.forces.registry import FORCES
from chasles.core.ordering import make_plan
from chasles.dynamics.equations import dense_jacobian, dense_mass
from chasles.dynamics.solver import Solver
from chasles.model import InconsistentStart, InvalidModel, Model
from chasles.spaces import resolve_spaces
from chasles.start.closure import joint_rows
from chasles.start.consistent import driven_rates, initial_state
from chasles.start.redundancy import DEPENDENT, equilibrated, joint_of_row
from chasles.system.build import build, check_closed, real_rows
from chasles.system.state import State
from chasles.system.turns import angle_columns, first_integrals, integrals_at

#: Joints further open (m, rad), or slipping faster (by the largest speed), than this are refused.
OPEN = 1e-6
#: Squares of singular values further apart than this are not told by a product of matrices.
ILL_CONDITIONED = 1e-10
#: More bodies than this make matrices that are not small any more: they are kept sparse.
MOST_BODIES = 30


@dataclass(frozen=True)
class HeldSignals:
    """Functions of time that have stopped."""

    row: Floats

    @property
    def count(self) -> int:
        return len(self.row)

    def sample(self, times: Floats) -> Floats:
        return np.tile(self.row, (len(times), 1))


class Metric:
    """A positive matrix M (6n, 6n), and L^-T of M = L L^T."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix
        self.unweighted = np.linalg.inv(np.linalg.cholesky(matrix)).T


@dataclass(frozen=True)
class Free:
    """The motions that J leaves free at one configuration, in a metric."""

    metric: Metric
    basis: Floats  # Z (6n, d)
    back: Floats  # J^+ (6n, rows)
    repeated: Floats  # (rows, r): combinations of rows that vanish


@dataclass(frozen=True)
class Terms:
    """J, Q and eta at one state; only the rows that are constraints."""

    jacobian: Floats  # (rows, 6n)
    forces: Floats  # (6n,)
    eta: Floats  # (rows,)


@dataclass(frozen=True)
class Instant:
    """A model whose functions of time have stopped at t."""

    solver: Solver
    t: float
    signals: Floats
    rows: Integers  # real rows of J among the padded ones

    @cached_property
    def inertia(self) -> Metric:
        """The mass matrix."""
        return Metric(dense_mass(self.system))

    @cached_property
    def roundness(self) -> Metric:
        """The mass matrix with every inertia replaced by the largest one."""
        return Metric(np.diag(self.weights))

    @cached_property
    def weights(self) -> Floats:
        """The diagonal of that."""
        return round_mass(self.system)

    def terms(self, absolute: Floats, angles: Floats) -> Terms:
        """J, Q and eta at an absolute state; `angles` are the unwrapped joint angles."""
        forces, work = self.forces(absolute, angles), self.solver.work
        jacobian = dense_jacobian(self.system, work.jacobian)[self.rows]
        return Terms(jacobian, forces, work.eta[self.rows])

    def forces(self, absolute: Floats, angles: Floats) -> Floats:
        """Q; J and eta stay in the solver's workspace, whether or not it can be solved for V'."""
        self.solver.evaluate(absolute[None], np.array([self.t]), angles[None])
        work = self.solver.work
        self.check_finite(work.forces, work.jacobian)
        return work.forces.copy()

    @property
    def system(self) -> System:
        return self.solver.setup.system

    def rank(self, chosen: Integers | slice = slice(None)) -> int:
        """Of all rows or some, as they were evaluated last."""
        scaled = equilibrated(self.solver.setup, self.solver.work)[self.rows[chosen]]
        if not len(scaled):
            return 0
        s = np.linalg.svd(scaled, compute_uv=False)
        return int(np.sum(s > DEPENDENT * s[0]))

    @property
    def mass(self) -> Floats:
        return self.inertia.matrix

    def free(self, jacobian: Floats, rank: int, metric: Metric) -> Free:
        """The tangent space of constraints."""
        inverse, weighted = evened(jacobian, metric)
        u, s, vt = np.linalg.svd(weighted)
        shortest = (vt[:rank].T / s[:rank]) @ u[:, :rank].T
        return Free(
            metric=metric,
            basis=metric.unweighted @ vt[rank:].T,
            back=metric.unweighted @ shortest * inverse,
            repeated=inverse[:, None] * u[:, rank:],
        )

    def way_back(self, jacobian: Floats, rank: int, metric: Metric) -> Floats:
        """J^+ alone, by J M^-1 J^T: much faster, and good enough for a correction."""
        inverse, weighted = evened(jacobian, metric)
        values, vectors = np.linalg.eigh(weighted @ weighted.T)
        values, vectors = values[len(values) - rank :], vectors[:, len(values) - rank :]
        if rank and values[0] < ILL_CONDITIONED * values[-1]:
            return self.free(jacobian, rank, metric).back
        shortest = weighted.T @ ((vectors / values) @ vectors.T)
        return metric.unweighted @ shortest * inverse

    @property
    def is_large(self) -> bool:
        """Whether its matrices are kept sparse."""
        return self.system.body_count > MOST_BODIES

    def tangent(self, absolute: Floats, angles: Floats) -> Tangent:
        """Derivatives of Q and J."""
        return tangent(self.system, absolute, self.signals, angles)

    def padded(self, values: Floats) -> Floats:
        """Values of the real rows among the padded ones."""
        out = np.zeros(self.system.row_count)
        out[self.rows] = values
        return out

    def gaps(self, absolute: Floats) -> Floats:
        """g of every real row (m, rad); zero for a row that restricts speeds only."""
        work = self.solver.work
        work.signals[: len(self.signals)] = self.signals
        out = np.zeros(6 * self.system.body_count + self.system.row_count)
        joint_rows(self.system, work, np.ascontiguousarray(absolute), out)
        return -out[6 * self.system.body_count :][self.rows]

    def rates(self) -> Floats:
        """J V as the drivers ask for, (rows,)."""
        return driven_rates(self.solver.setup, self.t)[self.rows]

    @property
    def integrals(self) -> Floats:
        """Angles of joints at the state that the instant was made for."""
        return first_integrals(self.solver.setup)

    def counted(self, absolute: Floats, near: Floats) -> Floats:
        """The same at another state, with the turns that bring them closest to former ones."""
        setup = self.solver.setup
        former = {joint: near[columns[0]] for joint, columns in angle_columns(setup).items()}
        return integrals_at(setup, absolute, former)

    def holonomic(self) -> Integers:
        """The rows that restrict positions, among the real ones: a wheel rolls where it likes."""
        keep = np.ones(self.system.row_count, bool)
        joints = self.system.joints
        for first, kind in zip(joints.first_row.tolist(), joints.kind):
            keep[[first + row for row in CONSTRAINTS[kind].rolling]] = False
        return np.flatnonzero(keep[self.rows])

    def state(self, absolute: Floats, angles: Floats) -> State:
        """An absolute state in words."""
        setup = self.solver.setup
        turned = {joint: angles[columns[0]] for joint, columns in angle_columns(setup).items()}
        return State.from_absolute(self.t, setup.model, absolute, turned)

    def check_finite(self, forces: Floats, jacobian: Floats) -> None:
        """Refuse a state at which a force or a joint is not a number."""
        if np.isfinite(forces).all() and np.isfinite(jacobian).all():
            return
        for formula in self.solver.setup.kept_alive:
            error = getattr(formula, "error", None)
            if error is not None:
                raise error
        where = int(np.argmin(np.isfinite(forces))) // 6
        raise InvalidModel(
            f"the forces on body '{list(self.solver.setup.body_index)[where]}' are not finite.",
            "Look for a spring whose ends have met, or a formula that divides by zero.",
        )


def evened(jacobian: Floats, metric: Metric) -> tuple[Floats, Floats]:
    """J L^-T with rows of length 1, and what they were multiplied by."""
    weighted = jacobian @ metric.unweighted
    length = np.linalg.norm(weighted, axis=1)
    inverse = 1.0 / np.where(length > 0.0, length, 1.0)
    return inverse, inverse[:, None] * weighted


def make_instant(model: Model, state: State | None, held: bool) -> tuple[Instant, Floats]:
    """A model at a state, or as it was entered, and that state in rows (n, 18).

    `held`: drivers and motors keep where they are.
    """
    setup = build(model, resolve_spaces(model, "SE3"), start=state)
    system, plan = setup.system, make_plan(setup.system)
    # Joints may repeat each other: only J and Q are asked for, and they do not depend on it.
    solver = Solver(setup, plan, make_workspace(system, plan), setup.absolute)
    t, absolute = 0.0 if state is None else state.t, setup.absolute
    if state is None:
        check_closed(setup)
        solver.evaluate(absolute[None])
        absolute = initial_state(setup, solver.work.jacobian)
    row = setup.signals.sample(np.array([t]))[0] if system.signal_count else np.zeros(1)
    if held:
        row = without_rates(system, row)
    if system.signal_count:
        still: Any = HeldSignals(row)
        solver = replace(solver, setup=replace(setup, signals=still))
    return Instant(solver, t, row, real_rows(system)), absolute


def round_mass(system: System) -> Floats:
    """The diagonal mass matrix of bodies that resist rotation about every axis alike, (6n,).

    In this metric bodies take the straightest way if they turn about a fixed axis while their
    centres of mass move straight.  In that of the mass, a thin rod would spin about itself all the
    way, which costs it nothing.
    """
    largest, mass = system.bodies.inertia[:, :3].max(axis=1), system.bodies.mass
    return np.column_stack((*(largest,) * 3, *(mass,) * 3)).ravel()


def without_rates(system: System, row: Floats) -> Floats:
    """Functions of time that stop: what drivers and motors follow has no rate any more."""
    row = row.copy()
    drives = system.joints.drive
    for first in drives[drives >= 0]:
        row[first + 1 : first + 3] = 0.0
    motors = system.forces.signal[system.forces.kind == FORCES.code(ON_COORDINATE)]
    row[motors[motors >= 0] + 1] = 0.0  # their efforts stay
    return row


def check_gaps(instant: Instant, absolute: Floats) -> None:
    """Refuse a state in which a joint is open."""
    refuse(instant, instant.gaps(absolute), OPEN, "open by {:.3g} (m or rad)")


def check_speeds(instant: Instant, absolute: Floats, rates: Floats) -> None:
    """Refuse a state in which bodies move against a joint; `rates` (rows,) are J V."""
    slip = rates - instant.rates()
    fastest = max(1.0, float(np.abs(absolute[:, TWIST:]).max()))
    refuse(instant, slip, OPEN * fastest, "slipping by {:.3g} (m/s or rad/s)")


def refuse(instant: Instant, values: Floats, allowed: float, how: str) -> None:
    """Raise if a row is violated by more than is allowed."""
    if np.abs(values).max(initial=0.0) <= allowed:
        return
    worst = int(np.argmax(np.abs(values)))
    name, component = joint_of_row(instant.solver.setup, int(instant.rows[worst]))
    raise InconsistentStart(
        f"joint '{name}' (direction {component}) is {how.format(abs(values[worst]))} at this"
        " state.",
        "Take a state in which the joints hold: one of a result, or of an equilibrium.",
    )
