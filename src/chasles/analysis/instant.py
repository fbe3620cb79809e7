r"""A model at one time: its forces, its rows, and the motions that they leave free.

At a configuration q the bodies may move along the tangent space $\ker J(q)$.  Its basis Z is
orthonormal in the mass metric, $Z^T M Z = 1$, and $J^+$, with $J J^+ J = J$ and $Z^T M J^+ = 0$, is
the way back to the constraints that moves the least mass.  Both come from a singular value
decomposition of $J L^{-T}$, $M = L L^T$, so joints that repeat each other change nothing.
"""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from chasles.analysis.poses import moved
from chasles.analysis.tangent import Tangent, flattened, tangent
from chasles.dynamics.coupling_rows import assemble_any
from chasles.dynamics.equations import dense_jacobian, dense_mass
from chasles.dynamics.redundancy import DEPENDENT, equilibrated, joint_of_row
from chasles.dynamics.solver import Solver, make_solver
from chasles.model import ChaslesError, InconsistentStart, InvalidModel, InvalidOption, Model
from chasles.model.errors import told
from chasles.model.model import checked_model
from chasles.spaces import resolve_spaces
from chasles.stabilisation.projection import put_any_residual
from chasles.system.arrays import (
    CUSTOM,
    DRIVE,
    FIRST_ROW,
    FORCE_ANGLE,
    FORCE_KIND,
    FORCE_SIGNAL,
    KIND,
    ON_COORDINATE,
    POSE_X,
    ROLLING_DISC,
    ROLLING_SPHERE,
    TWIST,
    Floats,
    Integers,
    System,
)
from chasles.system.build import build, real_rows
from chasles.system.state import State

#: More bodies than this make matrices that are not small any more.
MOST_BODIES = 300


@dataclass(frozen=True)
class HeldSignals:
    """Functions of time that have stopped."""

    row: Floats

    @property
    def count(self) -> int:
        return len(self.row)

    def sample(self, times: Floats) -> Floats:
        return np.tile(self.row, (len(times), 1))


@dataclass(frozen=True)
class Free:
    """The motions that J leaves free at one configuration."""

    basis: Floats  # Z (6n, d)
    back: Floats  # J^+ (6n, rows)
    repeated: Floats  # (rows, r): combinations of rows that vanish


@dataclass(frozen=True)
class Terms:
    """J, Q and eta at one state; only the rows that are constraints."""

    jacobian: Floats  # (rows, 6n)
    forces: Floats  # (6n,)
    eta: Floats  # (rows,)
    rank: int


@dataclass(frozen=True)
class Instant:
    """A model whose functions of time have stopped at t."""

    solver: Solver
    t: float
    signals: Floats
    mass: Floats  # M (6n, 6n)
    unweighted: Floats  # L^-T (6n, 6n), M = L L^T
    rows: Integers  # real rows of J among the padded ones
    flat: System

    def terms(self, absolute: Floats, angles: Floats) -> Terms:
        """J, Q and eta at an absolute state; `angles` are the unwrapped joint angles."""
        solver = self.solver
        solver.evaluate(absolute[None], np.array([self.t]), angles[None])
        jacobian = dense_jacobian(self.system, solver.work.jacobian)[self.rows]
        terms = Terms(
            jacobian,
            solver.work.forces.copy(),
            solver.work.eta[self.rows],
            self.rank(np.arange(len(self.rows))),
        )
        self.check_finite(terms)
        return terms

    @property
    def system(self) -> System:
        return self.solver.setup.system

    def rank(self, chosen: Integers) -> int:
        """Of some rows, as they were evaluated last."""
        if not chosen.size:
            return 0
        scaled = equilibrated(self.solver.setup, self.solver.work)[self.rows[chosen]]
        if not np.isfinite(scaled).all():
            return 0
        s = np.linalg.svd(scaled, compute_uv=False)
        return int(np.sum(s > DEPENDENT * s[0]))

    def free(self, jacobian: Floats, rank: int) -> Free:
        """The tangent space of constraints."""
        weighted = jacobian @ self.unweighted
        length = np.linalg.norm(weighted, axis=1)
        inverse = 1.0 / np.where(length > 0.0, length, 1.0)
        u, s, vt = np.linalg.svd(inverse[:, None] * weighted)
        shortest = (vt[:rank].T / s[:rank]) @ u[:, :rank].T
        return Free(
            basis=self.unweighted @ vt[rank:].T,
            back=self.unweighted @ shortest * inverse,
            repeated=inverse[:, None] * u[:, rank:],
        )

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
        count, state = 6 * self.system.body_count, absolute.ravel().tolist()
        out = [0.0] * (count + self.system.row_count)
        work = SimpleNamespace(
            signals=self.signals.tolist(), exchange=np.zeros(36), answer=np.zeros(84)
        )
        for joint in range(self.system.joint_count):
            if self.system.joint_bodies[joint, KIND] == CUSTOM:  # its formula answers all at once
                assemble_any(self.flat, joint, state, work, {}, {})
            put_any_residual(self.flat, joint, state, work, out)
        return -np.array(out[count:])[self.rows]

    def rates(self) -> Floats:
        """J V as the drivers ask for, (rows,)."""
        rates, ends = np.zeros(self.system.row_count), self.system.joint_bodies
        for end in ends[ends[:, DRIVE] >= 0]:
            rates[end[FIRST_ROW]] = self.signals[end[DRIVE] + 1]
        return rates[self.rows]

    def holonomic(self) -> Integers:
        """The rows that restrict positions, among the real ones: a wheel rolls where it likes."""
        keep = np.ones(self.system.row_count, bool)
        for end in self.system.joint_bodies:
            if end[KIND] in (ROLLING_SPHERE, ROLLING_DISC):
                keep[end[FIRST_ROW] : end[FIRST_ROW] + 2] = False
        return np.flatnonzero(keep[self.rows])

    def check_finite(self, terms: Terms) -> None:
        """Refuse a state at which a force or a joint is not a number."""
        if np.isfinite(terms.forces).all() and np.isfinite(terms.jacobian).all():
            return
        for formula in self.solver.setup.kept_alive:
            error = getattr(formula, "error", None)
            if error is not None:
                raise error
        where = int(np.argmin(np.isfinite(terms.forces))) // 6
        raise InvalidModel(
            f"the forces on body '{list(self.solver.setup.body_index)[where]}' are not finite.",
            "Look for a spring whose ends have met, or a formula that divides by zero.",
        )


def make_instant(model: Model, t: float, held: bool) -> tuple[Instant, Floats]:
    """A model at time t and its entered state; `held`: drivers and motors keep where they are."""
    if len(model.bodies) > MOST_BODIES:
        raise InvalidOption(
            f"the model has {len(model.bodies)} bodies; statics and linearisation work with dense"
            f" matrices and take {MOST_BODIES} at the most.",
            "Look at a part of the model, or simulate it with drag until it rests.",
        )
    solver = make_solver(build(model, resolve_spaces(model, "SE3")))
    system, setup = solver.setup.system, solver.setup
    row = setup.signals.sample(np.array([t]))[0] if system.signal_count else np.zeros(1)
    if held:
        row = without_rates(system, row)
    if system.signal_count:
        still: Any = HeldSignals(row)
        solver = replace(solver, setup=replace(setup, signals=still))
    mass = dense_mass(system)
    unweighted = np.linalg.inv(np.linalg.cholesky(mass)).T
    instant = Instant(solver, t, row, mass, unweighted, real_rows(system), flattened(system))
    return instant, solver.start


def without_rates(system: System, row: Floats) -> Floats:
    """Functions of time that stop: what drivers and motors follow has no rate any more."""
    row = row.copy()
    drives = system.joint_bodies[:, DRIVE]
    motors = system.force_ends[system.force_ends[:, FORCE_KIND] == ON_COORDINATE, FORCE_SIGNAL]
    for first in (*drives[drives >= 0], *motors[motors >= 0]):
        row[first + 1 : first + 3] = 0.0
    return row


def checked_state(state: Any, model: Model) -> State:
    """A state of this model."""
    if not isinstance(state, State):
        raise InvalidOption(
            f"state is {told(state)}, which is no State.", "Take one from a result: result.state()."
        )
    return state


#: Joints further open (m, rad), or slipping faster (by the largest speed), than this are refused.
OPEN = 1e-6


def check_joints(instant: Instant, absolute: Floats, terms: Terms) -> None:
    """Refuse a state in which a joint is open, or its bodies move against it."""
    velocity = absolute[:, TWIST:].ravel()
    slip = terms.jacobian @ velocity - instant.rates()
    fastest = max(1.0, float(np.abs(velocity).max()))
    for values, allowed, word in (
        (instant.gaps(absolute), OPEN, "open by {:.3g} (m or rad)"),
        (slip, OPEN * fastest, "slipping by {:.3g} (m/s or rad/s)"),
    ):
        if np.abs(values).max(initial=0.0) > allowed:
            worst = int(np.argmax(np.abs(values)))
            name, component = joint_of_row(instant.solver.setup, int(instant.rows[worst]))
            raise InconsistentStart(
                f"joint '{name}' (direction {component}) is"
                f" {word.format(abs(values[worst]))} at this state.",
                "Take a state in which the joints hold: one of a result, or of an equilibrium.",
            )
