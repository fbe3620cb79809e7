"""The outcome of a simulation: named access to the trajectory, and where it came from."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from chasles.core.arrays import DRIVEN_TURN, POSE_R, POSE_X, TWIST, Floats
from chasles.dynamics.own_multipliers import own_wrenches
from chasles.dynamics.tree_readout import coupling_multipliers
from chasles.groups.so3 import so3_from_matrix
from chasles.model import (
    AnySensor,
    Body,
    Coupling,
    CustomCoupling,
    InvalidOption,
    Joint,
    JointForce,
    Model,
    UnknownName,
)
from chasles.model.checks import checked_vector
from chasles.model.coordinate_coupling import spelled
from chasles.model.coordinates import checked_coordinate, resolved_coordinate
from chasles.model.errors import told
from chasles.model.notebook import pairs
from chasles.model.words import BodyAxes, Coordinate
from chasles.problem import Problem, wrench_history
from chasles.result import diagnostics
from chasles.result.audit import audited
from chasles.result.between import state_at
from chasles.result.checkpoint import Checkpoint
from chasles.result.dataset import Table, make_table, over_time, to_xarray
from chasles.result.diagnostics import Reaction
from chasles.result.provenance import Provenance
from chasles.result.reading import sensor_values, to_frame
from chasles.result.readout import (
    ForceHistory,
    PointHistory,
    accelerations,
    force_history,
    joint_effort,
    point_history,
)
from chasles.result.sealed import check_kinds, checked_target, write, write_whole
from chasles.result.slices import rows_of, sliced
from chasles.result.tables import WRITERS
from chasles.result.uniqueness import UniqueReactions, unique_reactions
from chasles.spaces import Designation
from chasles.spaces.certificate import Certificate
from chasles.start.assembly import Assembly
from chasles.start.redundancy import Redundancy
from chasles.system.coordinates import coordinate_keys
from chasles.system.coupled import coupled_gap
from chasles.system.gaps import components
from chasles.system.state import State
from chasles.system.turns import angle_columns, counted_angles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from xarray import Dataset

    from chasles.view.film import Film
    from chasles.view.live import Live

#: Bytes of states that are looked at at once where a run may be longer than memory.
WINDOW_BYTES = 2**23


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The result of a run: states at the saved times, looked up by name.

    Parameters
    ----------
    problem
        The model, the space of every body, and the set-up.
    t
        (T,) saved times, s.
    absolute
        (T, n, 18) states of the bodies in the internal order.
    integrals
        (T, quadratures) work of forces and drivers, and unwrapped angles.
    provenance
        How the run was made: spaces, method, step, versions, counts.
    status
        "finished", "stopped" if the run could not continue, or "interrupted" by Ctrl-C.
    message
        The status in words.
    coordinates
        (T, coordinates) of joints that were integrated; None or NaN where poses determine them.
    checkpoint
        What is needed to continue the run: see `simulate(start=result)`.
    multipliers
        (T, rows) of constraints, for methods that have their own; NaN at the start.

    Notes
    -----
    Results are made by `simulate`, `Simulation.result` and `load`. Arrays are read-only. A result
    may be used from several threads at once.

    Examples
    --------
    >>> import chasles as ch
    >>> ball = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    >>> result = ch.simulate(ch.Model([ball]), until=1.0, step=1e-2)
    >>> result.position("ball")[-1].round(3).tolist()
    [0.0, 0.0, -4.905]
    """

    problem: Problem = field(repr=False)
    t: Floats
    absolute: Floats = field(repr=False)
    integrals: Floats = field(repr=False)
    provenance: Provenance
    status: str = "finished"
    message: str = ""
    coordinates: Floats | None = field(default=None, repr=False)
    checkpoint: Checkpoint | None = field(default=None, repr=False)
    multipliers: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("t", "absolute", "integrals", "coordinates", "multipliers"):
            if getattr(self, name) is None:
                continue
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # a copy's arrays are its own, and read-only as well
        self.__post_init__()

    def __repr__(self) -> str:
        p = self.provenance
        return (
            f"Result({self.status}: {len(self.t)} states, t = {self.t[0]:g} .. {self.t[-1]:g} s,"
            f" {self._stepped()}, {self.model!r}; worst gap {p.worst_gap}, energy"
            f" balanced to {p.imbalance:.1e}, {p.seconds_in_steps:.2g} s"
            f"{', with warnings' if self.warnings else ''})"
        )

    def _stepped(self) -> str:
        """The method, and the length of its steps; where they were chosen, their mean."""
        p = self.provenance
        if "rtol" in p:
            return f"{p.method} in {p.steps} steps, {p.step:.3g} s in the mean"
        return f"{p.method} at step {p.step:g} s"

    def _repr_html_(self) -> str:
        """What a notebook shows of a run."""
        p = self.provenance
        rows = [
            ("run", f"{self.status}, t = {self.t[0]:g} .. {self.t[-1]:g} s, {len(self.t)} states"),
            ("model", repr(self.model)),
            ("method", f"{self._stepped()}, {p.seconds_in_steps:.2g} s in all"),
            ("worst gap", str(p.worst_gap)),
            ("energy balanced to", f"{p.imbalance:.1e}"),
            *(("warning", text) for text in self.warnings),
        ]
        return pairs(rows)

    @property
    def model(self) -> Model:
        return self.problem.model

    @property
    def events(self) -> dict[str, Floats]:
        """Event -> the times at which it happened, s."""
        found = self.provenance.others.get("events", {})
        return {name: np.array(times, float) for name, times in found.items()}

    @property
    def designation(self) -> Designation:
        """The space of every body with its reason, and which joints drift."""
        return self.problem.designation

    @property
    def redundancy(self) -> Redundancy | None:
        """Redundant constraints, and the joints whose reactions are not unique. None if there are
        none.
        """
        return self.problem.redundancy

    @cached_property
    def unique_reactions(self) -> UniqueReactions:
        """Which components of which reactions are unique, and which redundant joints share."""
        setup = self.problem.setup
        start = setup.absolute if setup.start is None else setup.start
        return unique_reactions(self.problem, start)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Texts about what is suspect in this run. Empty if nothing is."""
        return tuple(self.provenance.get("warnings", ()))

    @property
    def singular_poses(self) -> tuple[tuple[float, str, str], ...]:
        """(time in s, joint, direction) of the singular configurations that were met."""
        return self.provenance.singular_poses

    @property
    def assembly(self) -> Assembly | None:
        """How bodies were moved to close the joints at the start. None without `close=True`."""
        report, start = self.provenance["assembly"], self.problem.setup.start
        if report == "none" or start is None:
            return None
        setup = self.problem.setup
        state = self._state(0.0, start, setup.angles, setup.displacements)
        return Assembly.from_dict(report, state)

    # --- motion of a body ---

    def position(self, body: Body | str) -> Floats:
        """Centre of mass of a body in world coordinates.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        ndarray
            (T, 3), m.
        """
        return self._body(body)[:, POSE_X : POSE_X + 3]

    def rotation(self, body: Body | str) -> Floats:
        """Rotation matrices of a body, from body to world.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        ndarray
            (T, 3, 3).
        """
        return self._body(body)[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)

    def velocity(self, body: Body | str) -> Floats:
        """Velocity of the centre of mass of a body in world axes.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        ndarray
            (T, 3), m/s.
        """
        return np.einsum("tij,tj->ti", self.rotation(body), self._body(body)[:, TWIST + 3 :])

    def angular_velocity(self, body: Body | str, axes: BodyAxes = "body") -> Floats:
        """Angular velocity of a body.

        Parameters
        ----------
        body
            The body or its name.
        axes
            Axes of the components: "body" or "world".

        Returns
        -------
        ndarray
            (T, 3), rad/s.
        """
        return self._along(body, self._body(body)[:, TWIST : TWIST + 3], axes)

    def angular_acceleration(self, body: Body | str, axes: BodyAxes = "body") -> Floats:
        """Angular acceleration of a body.

        omega' is the same vector in both: the body's own turning does not change omega.

        Parameters
        ----------
        body
            The body or its name.
        axes
            Axes of the components: "body" or "world".

        Returns
        -------
        ndarray
            (T, 3), rad/s^2.
        """
        rate = self._rates[:, self.problem.setup.body_index[self.model.body(body).name], :3]
        return self._along(body, rate, axes)

    def quaternion(self, body: Body | str) -> Floats:
        """Unit quaternions (w, x, y, z) of a body, from body to world, without jumps of sign.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        ndarray
            (T, 4).
        """
        q = np.stack(so3_from_matrix(components(self._body(body), POSE_R, 9)), axis=-1)
        flips = np.sum(q[1:] * q[:-1], axis=1) < 0.0
        return q * np.where(np.cumsum(np.concatenate(([False], flips))) % 2, -1.0, 1.0)[:, None]

    def acceleration(self, body: Body | str) -> Floats:
        """Acceleration of the centre of mass of a body in world axes.

        Parameters
        ----------
        body
            The body or its name.

        Returns
        -------
        ndarray
            (T, 3), m/s^2.
        """
        return self.point(body, self.model.body(body).position).acceleration

    def point(self, body: Body | str, at: Any) -> PointHistory:
        """Path, velocity and acceleration of a point of a body, in world axes.

        Parameters
        ----------
        body
            The body or its name.
        at
            The point in world coordinates of the model as entered, m.

        Returns
        -------
        PointHistory
            With `position`, `velocity` and `acceleration`, each (T, 3).
        """
        found = self.model.body(body)
        where = f"point of body '{found.name}'"
        point = checked_vector(at, "at", where, InvalidOption)
        lever = np.array(found.rotation).T @ (np.array(point) - np.array(found.position))
        index = self.problem.setup.body_index[found.name]
        return point_history(self.absolute[:, index], self._rates[:, index], lever)

    def sensor(self, sensor: AnySensor | str) -> Floats:
        """Reading of a sensor over time, in its `unit`.

        Parameters
        ----------
        sensor
            The sensor or its name.

        Returns
        -------
        ndarray
            (T,), (T, 3), or (T, 4) for a quaternion.
        """
        return sensor_values(self, self.model.sensor(sensor))

    def state(self, index: int = -1) -> State:
        """Poses and velocities of all bodies at one saved time.

        Parameters
        ----------
        index
            Index of the saved time. -1 is the last.
        """
        count = len(self.t)
        whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
        if not whole or not -count <= index < count:
            raise InvalidOption(
                f"state {told(index)} was asked for, but the result has {count} states.",
                f"Give a whole number from 0 to {count - 1}, or from -{count} to -1.",
            )
        t, absolute = float(self.t[index]), self.absolute[index]
        angles = counted_angles(self.problem.setup, absolute, self._turns(index))
        if self.coordinates is None:
            return self._state(t, absolute, angles)
        pairs = zip(coordinate_keys(self.model), self.coordinates[index].tolist())
        known = {key: value for key, value in pairs if np.isfinite(value)}
        angles |= {joint: x for (joint, word), x in known.items() if word == "angle"}
        others = {joint: x for (joint, word), x in known.items() if word == "displacement"}
        return self._state(t, absolute, angles, others)

    def at(self, t: float) -> State:
        """Poses and velocities of all bodies at any time of the run.

        Between saved states the motion of each body is interpolated in its configuration space, by
        the cubic that has the saved poses and velocities (error of fourth order in their distance).
        Lower-pair joints of trees stay closed to round-off. Forces and impacts that jump between
        two saved states are not seen.

        Parameters
        ----------
        t
            Time, s, from `t[0]` to `t[-1]`.

        Returns
        -------
        State
            At a saved time, the saved one.

        Examples
        --------
        >>> import chasles as ch
        >>> ball = ch.Body.sphere("ball", radius=0.1, mass=1.0)
        >>> result = ch.simulate(ch.Model([ball]), until=1.0, step=0.1)
        >>> result.at(0.25).position.round(9).tolist()
        [[0.0, 0.0, -0.3065625]]
        """
        return state_at(self, t)

    def __len__(self) -> int:
        """The number of saved states."""
        return len(self.t)

    @overload
    def __getitem__(self, index: int) -> State: ...
    @overload
    def __getitem__(self, index: slice) -> "Result": ...
    def __getitem__(self, index: int | slice) -> "State | Result":
        """The state of a number, or a Result with some of the states: result[::10]."""
        return sliced(self, index) if isinstance(index, slice) else self.state(index)

    def __iter__(self) -> Iterator[State]:
        """All states, one after the other."""
        return map(self.state, range(len(self.t)))

    # --- joints ---

    def violation(
        self,
        joint: Joint | str,
        part: Literal["translation", "rotation"] = "translation",
        vector: bool = False,
    ) -> Floats:
        """Constraint violation (gap) of a joint.

        Parameters
        ----------
        joint
            The joint, coupling or driver, or its name.
        part
            "translation" in m, or "rotation" in rad. Free directions count as 0.
        vector
            Whether to return vectors in world axes.

        Returns
        -------
        ndarray
            (T,), or (T, 3) with vector=True. For a coupling: the error of its sum, (T,).
        """
        named = {coupling.name: coupling for coupling in self.model.couplings}
        asked = getattr(joint, "name", joint)
        if isinstance(asked, str) and asked in named and isinstance(part, str):
            coupling = named[asked]
            if isinstance(coupling, CustomCoupling):
                return np.abs(coupled_gap(self.problem.setup, coupling, self.absolute))
            return np.abs(coupling.values([self.coordinate(j, w) for j, w, _ in coupling.terms]))
        rotation, translation = diagnostics.gap(
            self.problem.setup, self._joint(joint), self.absolute, self.t
        )
        parts = {"translation": translation, "rotation": rotation}
        if not isinstance(part, str) or part not in parts:
            raise InvalidOption(
                f"violation: part must be 'translation' or 'rotation', got {told(part)}.",
                "Use part='translation' (m) or part='rotation' (rad).",
            )
        return parts[part] if vector else np.linalg.norm(parts[part], axis=1)

    def certificate(self, joint: Joint | str) -> Certificate:
        """Why a joint stays closed, or which bracket of motions makes it drift.

        Parameters
        ----------
        joint
            The joint or its name.

        Returns
        -------
        Certificate
            With a bound for the effect of round-off, and what this run measured.
        """
        return audited(self, self.designation.certificate(joint))

    def reaction(self, joint: Joint | str, by: str = "method") -> Reaction:
        """Force and torque of a joint on its bodies at every saved time.

        Parameters
        ----------
        joint
            The joint or driver, or its name.
        by
            "method": the multipliers of the method, if it has its own (index 2 or 3). "motion":
            always from the equations of motion.

        Returns
        -------
        Reaction
            Forces in N, torques in N m, in world axes.
        """
        if by not in ("method", "motion"):
            raise UnknownName.among("choice", by, ("method", "motion"), where="reaction: by")
        name = self._joint(joint)
        couplings = {coupling.name: coupling for coupling in self.model.couplings}
        if name in couplings and isinstance(couplings[name], CustomCoupling):
            raise UnknownName(
                f"coupling '{name}' pushes on several bodies, and has no point of its own.",
                f"result.effort('{name}'), times the derivative of its formula by a motion, is what"
                " it exerts along that.",
            )
        if name in couplings:
            raise UnknownName(
                f"coupling '{name}' pushes along the coordinates of several joints, and has no"
                " point of its own.",
                f"result.effort('{name}') is what it exerts along its first coordinate,"
                " effort(..., on=joint) along another.",
            )
        wrenches = self._wrenches if by == "method" else self._wrenches_of_motion
        return diagnostics.reaction(self.problem, name, self.absolute, wrenches)

    def coordinate(self, joint: Joint | str, which: Coordinate = "auto") -> Floats:
        """Coordinate of a joint: angle (rad, without wrap-around) or displacement (m).

        Parameters
        ----------
        joint
            The joint or its name.
        which
            "auto", "angle" or "displacement".

        Returns
        -------
        ndarray
            (T,). 0 at the poses entered, unless the joint has a `zero`.
        """
        name, kind = self._coordinate(joint, which)
        if self.coordinates is not None:
            found = self.coordinates[:, coordinate_keys(self.model).index((name, kind))]
            if not np.isnan(found).all():
                return found
        return diagnostics.coordinate(
            self.problem.setup, name, kind, self.absolute, self.t, self.integrals
        )

    def coordinate_rate(self, joint: Joint | str, which: Coordinate = "auto") -> Floats:
        """Rate of a joint's coordinate.

        Parameters
        ----------
        joint
            The joint or its name.
        which
            "auto", "angle" or "displacement".

        Returns
        -------
        ndarray
            (T,), rad/s or m/s.
        """
        name, kind = self._coordinate(joint, which)
        return diagnostics.coordinate_rate(self.problem.setup, name, kind, self.absolute)

    def effort(self, driver: Any, on: Joint | str | None = None) -> Floats:
        """Torque (N m) or force (N) of a driver, motor or joint force along its coordinate.

        So does every force on a joint: springs, friction.  Times the coordinate's rate, it is
        their power.  A coupling pushes along several coordinates: `on` names the joint, or
        "sleeve.displacement"; its first if left out.  Of a `CustomCoupling` it is the number that
        the derivative of its formula by a motion is multiplied with.

        Parameters
        ----------
        driver
            The driver, force or coupling, or its name.
        on
            For a coupling: the joint, or (joint, coordinate), along which it acts.

        Returns
        -------
        ndarray
            (T,). Times the rate of the coordinate it is the power.
        """
        asked = getattr(driver, "name", driver)
        coupled = [c for c in self.model.couplings if c.name == asked]
        if coupled:
            return self._coupling_effort(coupled[0], on)
        if on is not None:
            raise InvalidOption(
                f"effort: {told(asked)} is not a coupling, and acts along one coordinate.",
                "Leave on= out.",
            )
        if isinstance(asked, str) and asked in self.model.force_names:
            acting = self.model.force(asked)
            if isinstance(acting, JointForce):
                found = self.force(asked)
                return joint_effort(self.problem.setup, acting, found, self.absolute)
        name = self._driver(driver)
        index = self.problem.setup.joint_index[name]
        frame = self.reaction(name).in_joint_frame
        turning = int(self.problem.setup.system.joints.locked[index]) == DRIVEN_TURN
        return frame[1][:, 2] if turning else frame[0][:, 2]

    def _coupling_effort(self, coupling: Coupling, on: Any) -> Floats:
        terms, where = coupling.terms, f"effort of {coupling.where}"
        number = [c.name for c in self.model.couplings].index(coupling.name)
        if not terms:
            if on is not None:
                raise InvalidOption(
                    f"{where}: it acts on bodies, along no joint in particular.", "Leave on= out."
                )
            return np.asarray(self._multipliers[:, number])
        index = 0
        if on is not None:
            joints = {joint.name: joint for joint in self.model.joints}
            name = spelled(getattr(on, "name", on), "auto", joints, where)
            matching = [
                k for k, t in enumerate(terms) if t[0] == name[0] and name[1] in ("auto", t[1])
            ]
            if not matching:
                raise UnknownName.among("joint", on, coupling.joints, where=where)
            index = matching[0]
        coordinates = [self.coordinate(joint, word) for joint, word, _ in terms]
        slope = coupling.derivatives(coordinates)[index][1]
        return np.asarray(slope * self._multipliers[:, number])

    @cached_property
    def _multipliers(self) -> Floats:
        """Of all couplings (T, c)."""
        return coupling_multipliers(
            self.problem.setup, self.absolute, self.t, self.integrals, self.coordinates
        )

    def force(self, force: Any) -> ForceHistory:
        """What a force exerts on its bodies over time.

        Parameters
        ----------
        force
            The force or its name.

        Returns
        -------
        ForceHistory
            With force (N), torque (N m), power (W) and elongation (m).
        """
        name = getattr(force, "name", force)
        if not isinstance(name, str) or name not in self.model.force_names:
            raise UnknownName.among("force", name, self.model.force_names)
        return force_history(self.problem.setup, name, self.absolute, self.t, self.integrals)

    def work(self, force: Any) -> Floats:
        """Work of a force or driver on the bodies since the start.

        Parameters
        ----------
        force
            The force or driver, or its name.

        Returns
        -------
        ndarray
            (T,), J. For springs only the work of their dampers: the rest is potential energy.
        """
        name = getattr(force, "name", force)
        names = [f.name for f in self.model.forces] + [d.name for d in self.model.drivers]
        if not isinstance(name, str) or name not in names:
            raise UnknownName.among("force or driver", name, names)
        return self.integrals[:, names.index(name)]

    @cached_property
    def _wrenches_of_motion(self) -> Floats:
        return wrench_history(self.problem, self.absolute, self.t, self.integrals, self.coordinates)

    @cached_property
    def _wrenches(self) -> Floats:
        found = self._wrenches_of_motion
        if self.multipliers is None:
            return found
        return own_wrenches(
            self.problem.setup, self.absolute, self.t, self.integrals, self.coordinates,
            self.multipliers, found,
        )  # fmt: skip

    @cached_property
    def _rates(self) -> Floats:
        """V' (T, n, 6)."""
        return accelerations(
            self.problem.setup,
            self.absolute,
            self.t,
            self.integrals,
            self._wrenches,
            self.coordinates,
        )

    # --- invariants ---

    def kinetic_energy(self) -> Floats:
        """Kinetic energy of all bodies, and of rotors (armature).

        Returns
        -------
        ndarray
            (T,), J.
        """
        return diagnostics.kinetic_of_all(self.problem.setup, self.absolute)

    def potential_energy(self) -> Floats:
        """Potential energy of gravity (zero at the world's origin) and of springs.

        Returns
        -------
        ndarray
            (T,), J.
        """
        setup = self.problem.setup
        stored = diagnostics.stored(setup, self.absolute, self.integrals).sum(axis=1)
        return diagnostics.potential(setup, self.absolute).sum(axis=1) + stored

    def energy(self) -> Floats:
        """Kinetic and potential energy.

        Returns
        -------
        ndarray
            (T,), J.
        """
        return self.kinetic_energy() + self.potential_energy()

    def energy_balance(self) -> Floats:
        """Energy gained since the first state minus the work of all forces and drivers since then.

        Returns
        -------
        ndarray
            (T,), J. Zero except for the error of the method and the loss in inelastic impacts.
        """
        energy, work = self.energy(), self._work_done()
        return energy - energy[0] - (work - work[0])

    def _work_done(self) -> Floats:
        """Of all forces and drivers since the start of the run (T,)."""
        count = len(self.model.forces) + len(self.model.drivers)
        return np.asarray(self.integrals[:, :count].sum(axis=1))

    def momentum(self) -> Floats:
        """Total linear momentum in world axes.

        Returns
        -------
        ndarray
            (T, 3), N s.
        """
        return diagnostics.linear_momentum(self.problem.setup, self.absolute)

    def angular_momentum(self) -> Floats:
        """Total angular momentum about the world's origin, in world axes.

        Returns
        -------
        ndarray
            (T, 3), N m s.
        """
        return diagnostics.angular_momentum(self.problem.setup, self.absolute)

    # --- to look at (the view is above us: imported when called) ---

    def plot(self, what: Any = None, path: Any = None, **options: Any) -> "Axes":
        """Plot curves over time.

        Parameters
        ----------
        what
            A body, joint, force, driver or sensor, or its name; "energy", "momentum", "gaps",
            ...; or a list.
        path
            Write .png, .svg or .pdf, too.
        part
            For a body: "position", "velocity", "angular velocity". For a joint: "coordinate",
            "gap", "reaction". For a force: "force", "torque", "power", "work", "elongation",
            "effort".
        ax
            Matplotlib axes to draw on, instead of new ones.

        Returns
        -------
        Axes
            The matplotlib axes.
        """
        from chasles.view.curves import plot_result

        return plot_result(self, what, path, **options)

    def animate(self, path: Any = None, **options: Any) -> "Path | Film":
        """Make a film: .html for any browser, .gif, or .mp4 (with ffmpeg).

        Parameters
        ----------
        path
            The file. None: return a Film, which a notebook shows.
        options
            As in `chasles.animate`.
        """
        from chasles.view.animation import animate

        return animate(self, path, **options)

    def view(self, **options: Any) -> "Live":
        """Show the run live in the browser (needs the extra `view`)."""
        from chasles.view.live import view

        return view(self, **options)

    # --- elsewhere ---

    def frame(self) -> "DataFrame":
        """All quantities as a pandas table, one row for every saved time.

        The index is the time in s. Columns are named by part and quantity: "top.x", "top.vx",
        "hinge.angle", "hinge.gap", "tip.x" of a sensor, "energy.kinetic". `frame.attrs["units"]`
        has the unit of each.
        """
        return to_frame(self)

    def to_pandas(self) -> "DataFrame":
        """The same as `frame`."""
        return self.frame()

    def to_xarray(self) -> "Dataset":
        """All quantities as an xarray Dataset with the dimensions time, body, joint and axis, and
        units.
        """
        return to_xarray(self._table())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the run to a file, atomically. An existing file is replaced.

        Parameters
        ----------
        path
            ".nc": a NetCDF file with the content of `to_xarray` and everything needed to
            continue; `load` reads it. The others are for other programs, with all digits:
            ".csv": the table of `frame`; its first line has names with units, "t [s]", "top.x [m]".
            ".parquet": the same table by columns (needs pyarrow). ".mat": the same for MATLAB,
            with names such as `top_x`. ".npz": the arrays of `to_xarray` for NumPy.

        Notes
        -----
        Python functions are not stored: give the model to `load` then.
        """
        target = checked_target(path, WRITERS)
        if fill := WRITERS.get(target.suffix.lower()):
            return write_whole(target, partial(fill, self))
        check_kinds(self.model)
        first, *others = self._windows()
        more = (
            over_time(w.problem.setup, w.t, w.absolute, w.integrals, w.coordinates, w.multipliers)
            for w in others
        )
        return write(first._table(), target, len(self.t), more)

    # --- helpers ---

    def _windows(self) -> list["Result"]:
        """The same run in pieces, one after the other, which take little memory each."""
        rows = max(2, WINDOW_BYTES // max(1, self.absolute[0].nbytes))
        ends = np.linspace(0, len(self.t), max(1, len(self.t) // rows) + 1).astype(int).tolist()
        return [rows_of(self, slice(first, last)) for first, last in pairwise(ends)]

    def _state(
        self, t: float, absolute: Floats, angles: Mapping[str, float],
        displacements: Mapping[str, float] | None = None,
    ) -> State:  # fmt: skip
        """A state from rows in the order of calculation."""
        order = [self.problem.setup.body_index[name] for name in self.model.body_names]
        return State.from_absolute(t, self.model, absolute[order], angles, displacements)

    def _turns(self, index: int) -> dict[str, float]:
        """The angles that were integrated to count turns, by joint."""
        columns = angle_columns(self.problem.setup)
        return {joint: float(self.integrals[index, at[0]]) for joint, at in columns.items()}

    def _table(self) -> Table:
        return make_table(
            self.problem, self.t, self.absolute, self.integrals, self.provenance, self.status,
            self.message, self.coordinates, self.checkpoint, self.multipliers,
        )  # fmt: skip

    def _body(self, body: Body | str) -> Floats:
        return self.absolute[:, self.problem.setup.body_index[self.model.body(body).name]]

    def _along(self, body: Body | str, vector: Floats, axes: str) -> Floats:
        """A vector in body axes, along the axes that were asked for."""
        if not isinstance(axes, str) or axes not in ("body", "world"):
            raise InvalidOption(f"axes must be 'body' or 'world', got {told(axes)}.", "Name one.")
        return vector if axes == "body" else np.einsum("tij,tj->ti", self.rotation(body), vector)

    def _joint(self, joint: Joint | str) -> str:
        """The name of a joint or driver of the model."""
        name = getattr(joint, "name", joint)
        if isinstance(name, str) and name in self.model.driver_names:
            return name
        return self.model.joint(joint).name

    def _driver(self, driver: Any) -> str:
        """The name of a driver."""
        name = getattr(driver, "name", driver)
        if isinstance(name, str) and name in self.model.force_names:
            raise UnknownName(
                f"there is no driver '{name}': it is a force ({self.model.force(name).kind}), and"
                " only drivers and forces on a joint have an effort along a coordinate.",
                f"result.force('{name}') has force, torque and power, result.work('{name}') the"
                " work.",
            )
        if isinstance(name, str) and name in self.model.joint_names:
            acting: tuple[Any, ...] = (*self.model.drivers, *self.model.forces)
            moving = [part.name for part in acting if getattr(part, "joint", None) == name]
            named = ", ".join(f"'{part}'" for part in moving)
            raise UnknownName(
                f"there is no driver '{name}': it is a joint, and efforts are those of what acts"
                f" along its coordinate: {named or 'nothing does'}.",
                f"Ask for one of them: result.effort('{moving[0]}')."
                if moving
                else f"result.reaction('{name}') has what the joint itself exerts.",
            )
        return self.model.driver(name).name

    def _coordinate(self, joint: Joint | str, which: str) -> tuple[str, str]:
        """A joint's name, and which of its coordinates is meant."""
        found = self.model.joint(joint)
        where = f"coordinate of joint '{found.name}'"
        return found.name, resolved_coordinate(
            found, checked_coordinate(which, where, InvalidOption), where, InvalidOption
        )
