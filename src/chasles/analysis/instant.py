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
from chasles.build.dynamics.equations import dense_jacobian, dense_mass
from chasles.build.dynamics.maximal import terms_at
from chasles.build.start.closure import gaps_of
from chasles.build.start.consistent import driven_rates, initial_state, typical_speeds
from chasles.build.start.redundancy import DEPENDENT, equilibrated, joint_of_row
from chasles.build.system.build import Setup, build, check_closed, real_rows
from chasles.build.system.state import State
from chasles.build.system.turns import angle_columns, first_integrals, integrals_at
from chasles.core.arrays import TWIST, Floats, Integers, System
from chasles.core.constraints.kind import METRE
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.forces.actuator import ACTUATOR
from chasles.core.forces.registry import FORCES
from chasles.core.workspace import Workspace
from chasles.model import InconsistentStart, InvalidModel, Model
from chasles.spaces import resolve_spaces

#: Joints further open than this fraction of their lever (or of 1 rad), or slipping faster than it
#: of what moves or turns fastest, are refused.
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

    entries: Floats  # (padded rows, 12) of J on bodies a and b of every joint
    jacobian: Floats  # (rows, 6n)
    forces: Floats  # (6n,)
    eta: Floats  # (rows,)


@dataclass(frozen=True)
class Instant:
    """A model whose functions of time have stopped at t."""

    setup: Setup
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
        found = self.evaluated(absolute, angles)
        jacobian = dense_jacobian(self.system, found.jacobian)[self.rows]
        return Terms(found.jacobian, jacobian, found.forces, found.eta[self.rows])

    def evaluated(self, absolute: Floats, angles: Floats) -> Workspace:
        """J, eta and Q, whether or not they can be solved for V'."""
        found = terms_at(self.setup, absolute, self.t, angles)
        self.check_finite(found.forces, found.jacobian)
        return found

    def forces(self, absolute: Floats, angles: Floats) -> Floats:
        """Q."""
        return self.evaluated(absolute, angles).forces

    @property
    def system(self) -> System:
        return self.setup.system

    def rank(self, entries: Floats, chosen: Integers | slice = slice(None)) -> int:
        """Of J with these entries (padded rows, 12): of all rows, or some."""
        scaled = equilibrated(self.setup, entries)[self.rows[chosen]]
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
        return gaps_of(self.system, self.signals, absolute)[self.rows]

    def units(self) -> list[str]:
        """Of every real row."""
        joints = range(self.system.joint_count)
        return [unit for index in joints for unit in self.setup.units(index)]

    def rates(self) -> Floats:
        """J V as the drivers ask for, (rows,)."""
        return driven_rates(self.setup, self.t)[self.rows]

    @property
    def integrals(self) -> Floats:
        """Angles of joints at the state that the instant was made for."""
        return first_integrals(self.setup)

    def counted(self, absolute: Floats, near: Floats) -> Floats:
        """The same at another state, with the turns that bring them closest to former ones."""
        setup = self.setup
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
        setup = self.setup
        turned = {joint: angles[columns[0]] for joint, columns in angle_columns(setup).items()}
        return State.from_absolute(self.t, setup.model, absolute, turned)

    def check_finite(self, forces: Floats, jacobian: Floats) -> None:
        """Refuse a state at which a force or a joint is not a number."""
        if np.isfinite(forces).all() and np.isfinite(jacobian).all():
            return
        for formula in self.setup.kept_alive:
            error = getattr(formula, "error", None)
            if error is not None:
                raise error
        where = int(np.argmin(np.isfinite(forces))) // 6
        raise InvalidModel(
            f"the forces on body '{list(self.setup.body_index)[where]}' are not finite.",
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
    system = setup.system
    t, absolute = 0.0 if state is None else state.t, setup.absolute
    if state is None:
        check_closed(setup)
        absolute = initial_state(setup, terms_at(setup, absolute).jacobian)
    row = setup.signals.sample(np.array([t]))[0] if system.signal_count else np.zeros(1)
    if held:
        row = without_rates(system, row)
    if system.signal_count:
        still: Any = HeldSignals(row)
        setup = replace(setup, signals=still)
    return Instant(setup, t, row, real_rows(system)), absolute


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
    motors = system.forces.signal[system.forces.kind == FORCES.code(ACTUATOR)]
    row[motors[motors >= 0] + 1] = 0.0  # their efforts stay
    return row


def check_gaps(instant: Instant, absolute: Floats) -> None:
    """Refuse a state in which a joint is open."""
    sizes = instant.setup.row_sizes[instant.rows]
    refuse(instant, instant.gaps(absolute), OPEN * sizes, "open by {:.3g} {}")


def check_speeds(instant: Instant, absolute: Floats, rates: Floats) -> None:
    """Refuse a state in which bodies move against a joint; `rates` (rows,) are J V."""
    setup = instant.setup
    spin, speed = typical_speeds(setup, absolute[:, TWIST:])
    scales = np.array([speed if unit == METRE else spin for unit in instant.units()])
    driven = instant.rates()
    refuse(instant, rates - driven, OPEN * (scales + np.abs(driven)), "slipping by {:.3g} {}/s")


def refuse(instant: Instant, values: Floats, allowed: Floats, how: str) -> None:
    """Raise if a row is violated by more than is allowed of it."""
    excess = np.abs(values) - allowed
    if np.all(excess <= 0.0):
        return
    worst = int(np.argmax(excess))
    name, component = joint_of_row(instant.setup, int(instant.rows[worst]))
    amount = how.format(abs(values[worst]), instant.units()[worst])
    raise InconsistentStart(
        f"joint '{name}' (direction {component}) is {amount} at this state.",
        "Take a state in which the joints hold: one of a result, or of an equilibrium.",
    )
