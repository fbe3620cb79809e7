"""A model at one time: its forces, its rows, and what it is weighed by."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.extended import (
    Coordinate,
    Tie,
    coupled_joints,
    extended,
    ties_of,
    users_formulas,
)
from chasles.analysis.tangent import Tangent, placed, tangent
from chasles.build.start.consistent import driven_rates, initial_state, typical_speeds
from chasles.build.start.factor import inverses, joined
from chasles.build.start.free_bodies import terms_at
from chasles.build.start.redundancy import equilibrated, joint_of_row, rank_of
from chasles.build.start.rows import constraint_rows, gaps_and_rows, jacobian_at, mass_matrices
from chasles.build.system.build import Setup, build, check_closed, real_rows
from chasles.build.system.coordinates import (
    Key,
    angle_columns,
    coupled_places,
    coupled_sizes,
    first_integrals,
    integrals_at,
)
from chasles.build.system.gaps import row_units
from chasles.build.system.state import State
from chasles.core.arrays import TWIST, Floats, Integers, System, Workspace, make_workspace
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.forces.actuator import ACTUATOR
from chasles.core.forces.registry import FORCES
from chasles.core.kinds import METRE
from chasles.model import InconsistentStart, InvalidModel, Model
from chasles.spaces import resolve_spaces

#: Joints further open than this fraction of their lever (or of 1 rad), or slipping faster than it
#: of what moves or turns fastest, are refused.
OPEN = 1e-6


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
class Terms:
    """J, Q and eta at one state; only the rows that are constraints."""

    entries: Floats  # (padded rows, 12) of J on bodies a and b of every joint
    jacobian: Any  # (rows, unknowns), sparse
    forces: Floats  # (unknowns,)
    eta: Floats  # (rows,)
    ties: list[Tie]  # of the couplings, whose rows are the last


@dataclass(frozen=True)
class Instant:
    """A model whose functions of time have stopped at t.

    Unknowns are the twists of all bodies, then the rates of coordinates beside them; rows those of
    joints and drivers, then of the coordinates, then of couplings (see `extended`).
    """

    setup: Setup
    t: float
    signals: Floats
    real: Integers  # rows of joints and drivers among the padded ones of J
    coordinates: dict[Key, Coordinate] = field(default_factory=dict)

    @property
    def system(self) -> System:
        return self.setup.system

    @property
    def bodies(self) -> int:
        """How many unknowns are twists of bodies."""
        return 6 * self.system.body_count

    @property
    def count(self) -> int:
        """Of all unknowns."""
        return self.bodies + len(self.coordinates)

    @cached_property
    def rows(self) -> Integers:
        """Of all constraints among the padded ones of J."""
        own = [coordinate.row for coordinate in self.coordinates.values()]
        found = np.concatenate((self.real, own, coupled_places(self.setup)))
        return np.asarray(found, np.int64)

    @cached_property
    def signs(self) -> Floats:
        """(rows,) -1 of coordinates whose joints have their bodies in the opposite order."""
        signs, first = np.ones(len(self.rows)), len(self.real)
        own = [coordinate.sign for coordinate in self.coordinates.values()]
        signs[first : first + len(own)] = own
        return signs

    @cached_property
    def mass(self) -> Any:
        """The mass matrix of all unknowns, sparse: rotors have theirs."""
        inertia = [np.full((1, 1), c.inertia) for c in self.coordinates.values()]
        return joined([*mass_matrices(self.system), *inertia])

    @cached_property
    def blocks(self) -> list[Floats]:
        """Blocks of a positive metric: the mass matrix, and something where there is no mass."""
        found = list(mass_matrices(self.system))
        heavy = [block for block in found if block[5, 5] > 0.0] or [np.eye(6)]
        found = [block if block[5, 5] > 0.0 else heavy[0] for block in found]
        if self.coordinates:
            rows = self.jacobian(self.evaluated(self.setup.absolute, self.integrals), [])
            own = self.of_coordinates(rows)
            size = np.asarray(own.multiply(own @ inverses(found)).sum(axis=1)).ravel()
            found += [np.full((1, 1), max(c.inertia, 1.0 / s))
                      for c, s in zip(self.coordinates.values(), size)]  # fmt: skip
        return found

    @cached_property
    def inverse(self) -> Any:
        """The inverse of that metric, sparse."""
        return inverses(self.blocks)

    def terms(self, absolute: Floats, angles: Floats) -> Terms:
        """J, Q and eta at an absolute state; `angles` are the unwrapped joint angles."""
        found = self.evaluated(absolute, angles)
        ties = self.ties(absolute, angles)
        forces, eta = np.zeros(self.count), self.signs * found.eta[self.rows]
        forces[: self.bodies] = found.forces
        jacobian = self.jacobian(found, ties)
        if ties:
            velocity = self.velocity(jacobian, absolute)
            bends = [velocity[t.columns] @ t.slopes @ velocity[t.columns] for t in ties]
            eta[len(eta) - len(ties) :] = -np.array(bends)
        return Terms(found.jacobian, jacobian, forces, eta, ties)

    def jacobian(self, found: Workspace, ties: list[Tie]) -> Any:
        """J of all rows on all unknowns, sparse."""
        from scipy.sparse import diags

        rows = constraint_rows(self.setup, found.jacobian).matrix(self.count)[self.rows]
        if not self.coordinates and not ties:
            return rows
        own = np.arange(len(self.coordinates))[:, None]
        first, last = len(self.real), len(self.rows) - len(ties)
        blocks = [(first + own, self.bodies + own, -np.ones((*own.shape, 1)))]
        blocks += [tie.in_row(last + k, tie.entries) for k, tie in enumerate(ties)]
        return (diags(self.signs) @ rows + placed(blocks, rows.shape)).tocsr()

    def of_coordinates(self, jacobian: Any) -> Any:
        """The rows of coordinates beside the bodies, on the twists of the bodies."""
        first = len(self.real)
        return jacobian[first : first + len(self.coordinates), : self.bodies]

    def velocity(self, jacobian: Any, absolute: Floats) -> Floats:
        """Of all unknowns."""
        twists = absolute[:, TWIST:].ravel()
        return np.concatenate((twists, self.of_coordinates(jacobian) @ twists))

    def evaluated(self, absolute: Floats, angles: Floats) -> Workspace:
        """J, eta and Q, whether or not they can be solved for V'."""
        found = terms_at(self.setup, absolute, self.t, angles)
        self.check_finite(found.forces, found.jacobian)
        return found

    def forces(self, absolute: Floats, angles: Floats) -> Floats:
        """Q on the bodies."""
        return self.evaluated(absolute, angles).forces

    def ties(self, absolute: Floats, angles: Floats) -> list[Tie]:
        """The rows of the couplings."""
        places = {key: self.bodies + k for k, key in enumerate(self.coordinates)}
        return ties_of(self.setup, places, absolute, self.turned(angles))

    def turned(self, angles: Floats) -> dict[str, float]:
        """Unwrapped angles by joint."""
        columns = angle_columns(self.setup)
        return {joint: float(angles[own[0]]) for joint, own in columns.items()}

    def rank(self, entries: Floats, absolute: Floats, chosen: Any = slice(None)) -> int:
        """Of J with these entries (padded rows, 12): of all rows, or some."""
        own = [coordinate.row for coordinate in self.coordinates.values()]
        rows = self.rows[chosen]
        rows = rows[~np.isin(rows, own)]
        return len(own) + rank_of(equilibrated(self.setup, entries, absolute)[0][rows])

    def tangent(self, absolute: Floats, angles: Floats) -> Tangent:
        """Derivatives of Q and J."""
        index = self.setup.joint_index
        formulas = {index[name]: f for name, f in users_formulas(self.setup).items()}
        return tangent(self.system, absolute, self.signals, angles, formulas, self.count)

    def padded(self, values: Floats) -> Floats:
        """Values of the constraints among the padded rows."""
        out = np.zeros(self.system.row_count)
        out[self.rows] = self.signs * values
        return out

    def gaps(self, absolute: Floats, angles: Floats) -> Floats:
        """g of every row (m, rad); zero for a row that restricts speeds only."""
        workspace, first = make_workspace(self.system), len(self.real)
        workspace.signals[: len(self.signals)] = self.signals
        gaps = gaps_and_rows(self.setup, workspace, absolute, self.turned(angles))[self.rows]
        gaps[first : first + len(self.coordinates)] = 0.0
        return gaps

    @property
    def units(self) -> Any:
        """Of every row of joints and drivers."""
        return row_units(self.system)[self.real]

    @property
    def integrals(self) -> Floats:
        """Angles of joints at the state that the instant was made for."""
        return first_integrals(self.setup)

    def counted(self, absolute: Floats, near: Floats) -> Floats:
        """The same at another state, with the turns that bring them closest to former ones."""
        return integrals_at(self.setup, absolute, self.turned(near))

    def holonomic(self) -> Integers:
        """The rows that restrict positions: a wheel rolls where it likes."""
        keep = np.ones(self.system.row_count, bool)
        joints = self.system.joints
        for first, kind in zip(joints.first_row.tolist(), joints.kind):
            keep[[first + row for row in CONSTRAINTS[kind].rolling]] = False
        return np.flatnonzero(keep[self.rows])

    def state(self, absolute: Floats, angles: Floats) -> State:
        """An absolute state in words."""
        return State.from_absolute(self.t, self.setup.model, absolute, self.turned(angles))

    def check_finite(self, forces: Floats, jacobian: Floats) -> None:
        """Refuse a state at which a force or a joint is not a number."""
        if np.isfinite(forces).all() and np.isfinite(jacobian).all():
            return
        self.setup.raise_users_errors()
        where = int(np.argmin(np.isfinite(forces))) // 6
        raise InvalidModel(
            f"the forces on body '{list(self.setup.body_index)[where]}' are not finite.",
            "Look for a spring whose ends have met, or a formula that divides by zero.",
        )


def make_instant(model: Model, state: State | None, held: bool) -> tuple[Instant, Floats]:
    """A model at a state, or as it was entered, and that state in rows (n, 18).

    `held`: drivers and motors keep where they are.
    """
    setup = build(model, resolve_spaces(model, "SE3"), "screw", state, coupled_joints(model))
    system = setup.system
    t, absolute = 0.0 if state is None else state.t, setup.absolute
    if state is None:
        check_closed(setup)
        absolute = initial_state(setup, jacobian_at(system, absolute))
    row = setup.signals.sample(np.array([t]))[0] if system.signal_count else np.zeros(1)
    if held:
        row = without_rates(system, row)
    if system.signal_count:
        still: Any = HeldSignals(row)
        setup = replace(setup, signals=still)
    setup, coordinates = extended(setup)
    return Instant(setup, t, row, real_rows(system), coordinates), absolute


def without_rates(system: System, row: Floats) -> Floats:
    """Functions of time that stop: what drivers and motors follow has no rate any more."""
    row = row.copy()
    drives = system.joints.drive
    for first in drives[drives >= 0]:
        row[first + 1 : first + 3] = 0.0
    motors = system.forces.signal[system.forces.kind == FORCES.code(ACTUATOR)]
    row[motors[motors >= 0] + 1] = 0.0  # their efforts stay
    return row


def check_gaps(instant: Instant, absolute: Floats, angles: Floats) -> None:
    """Refuse a state in which a joint is open; `angles` has the whole turns of joints."""
    gaps = instant.gaps(absolute, angles)
    refuse(instant, gaps, OPEN * instant.setup.row_sizes[instant.real], "open by {:.3g} {}")
    sizes = coupled_sizes(instant.setup).values()
    for coupling, gap, size in zip(instant.setup.model.couplings, gaps[-len(sizes) :], sizes):
        if abs(gap) > OPEN * size:
            raise InconsistentStart(
                f"{coupling.where} is off by {abs(gap):.3g} at this state.",
                "Take a state in which couplings hold: one of a result, or of an equilibrium.",
            )


def check_speeds(instant: Instant, absolute: Floats, rates: Floats) -> None:
    """Refuse a state in which bodies move against a joint; `rates` (rows,) are J V."""
    setup = instant.setup
    spin, speed = typical_speeds(setup, absolute[:, TWIST:])
    scales = np.where(instant.units == METRE, speed, spin)
    driven = driven_rates(setup, instant.t)[instant.real]
    slips = rates[: len(driven)] - driven
    refuse(instant, slips, OPEN * (scales + np.abs(driven)), "slipping by {:.3g} {}/s")


def refuse(instant: Instant, values: Floats, allowed: Floats, how: str) -> None:
    """Raise if a row of a joint is violated by more than is allowed of it."""
    excess = np.abs(values[: len(allowed)]) - allowed
    if np.all(excess <= 0.0):
        return
    worst = int(np.argmax(excess))
    name, component = joint_of_row(instant.setup, int(instant.rows[worst]))
    amount = how.format(abs(values[worst]), instant.units[worst])
    raise InconsistentStart(
        f"joint '{name}' (direction {component}) is {amount} at this state.",
        "Take a state in which the joints hold: one of a result, or of an equilibrium.",
    )
