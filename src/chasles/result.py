"""The outcome of a simulation: named access to the trajectory, and where it came from."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles import diagnostics
from chasles.dataset import Table, make_table, to_xarray, write
from chasles.diagnostics import Reaction
from chasles.dynamics.redundancy import Redundancy
from chasles.dynamics.solver import Solver
from chasles.model import Body, InvalidOption, Joint, Model, UnknownName
from chasles.model.coordinates import checked_coordinate, resolved_coordinate
from chasles.model.errors import told
from chasles.stabilisation.assembly import Assembly
from chasles.system.arrays import DRIVEN_TURN, LOCKED, POSE_R, POSE_X, TWIST, Floats
from chasles.system.state import State
from chasles.system.turns import angle_columns, counted_angles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import Dataset

    from chasles.view.film import Film
    from chasles.view.live import Live


@dataclass(frozen=True, repr=False)
class Result:
    """A trajectory at the saved times.

    t           (T,) s
    model       what was simulated
    provenance  space and frame of every body, acceleration form, method, step, versions
    status      "finished", or "stopped" if the run could not go on
    message     the status in words
    """

    t: Floats
    solver: Solver = field(repr=False)
    absolute: Floats = field(repr=False)  # (T, n, 18)
    provenance: dict[str, Any]
    status: str = "finished"
    message: str = ""
    integrals: Floats | None = field(default=None, repr=False)  # (T, quadratures)

    def __repr__(self) -> str:
        p = self.provenance
        return (
            f"Result({self.status}: {len(self.t)} states, t = {self.t[0]:g} .. {self.t[-1]:g} s,"
            f" {p['method']} at step {p['step']:g} s, {self.model!r})"
        )

    @property
    def model(self) -> Model:
        return self.solver.setup.model

    @property
    def redundancy(self) -> Redundancy | None:
        """Which constraint rows repeat others, and whose reactions are not unique; None if none."""
        return self.solver.redundancy

    @property
    def singular_poses(self) -> tuple[tuple[float, str, str], ...]:
        """(time in s, joint, direction) where joints came to depend on each other."""
        return tuple((t, joint, row) for t, joint, row in self.provenance.get("singular_poses", ()))

    @property
    def assembly(self) -> Assembly | None:
        """What was moved to close the joints before the run; None unless it was asked for."""
        report, start = self.provenance.get("assembly", "none"), self.solver.setup.start
        if report == "none" or start is None:
            return None
        return Assembly.from_dict(report, self._state(0.0, start, self.solver.setup.angles))

    # --- motion of a body ---

    def position(self, body: Body | str) -> Floats:
        """Centre of mass in the world (T, 3), m."""
        return self._body(body)[:, POSE_X : POSE_X + 3]

    def rotation(self, body: Body | str) -> Floats:
        """Rotation matrices from the body frame to the world (T, 3, 3)."""
        return self._body(body)[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)

    def velocity(self, body: Body | str) -> Floats:
        """Velocity of the centre of mass in the world (T, 3), m/s."""
        return np.einsum("tij,tj->ti", self.rotation(body), self._body(body)[:, TWIST + 3 :])

    def angular_velocity(self, body: Body | str) -> Floats:
        """Angular velocity in the body frame (T, 3), rad/s."""
        return self._body(body)[:, TWIST : TWIST + 3]

    def state(self, index: int = -1) -> State:
        """All bodies at one saved time; index -1 is the last."""
        count = len(self.t)
        whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
        if not whole or not -count <= index < count:
            raise InvalidOption(
                f"state {told(index)} was asked for, but the result has {count} states.",
                f"Give a whole number from 0 to {count - 1}, or from -{count} to -1.",
            )
        angles = counted_angles(self.solver.setup, self.absolute[index], self._turns(index))
        return self._state(float(self.t[index]), self.absolute[index], angles)

    # --- joints ---

    def violation(
        self, joint: Joint | str, part: str = "translation", vector: bool = False
    ) -> Floats:
        """By how much a joint is open: (T,), or (T, 3) in world axes with vector=True.

        part="translation" in m, part="rotation" in rad; directions left free count as 0.
        """
        rotation, translation = diagnostics.gap(
            self.solver.setup, self._joint(joint), self.absolute, self.t
        )
        parts = {"translation": translation, "rotation": rotation}
        if not isinstance(part, str) or part not in parts:
            raise InvalidOption(
                f"violation part is {told(part)}.",
                "Use part='translation' (m) or part='rotation' (rad).",
            )
        return parts[part] if vector else np.linalg.norm(parts[part], axis=1)

    def reaction(self, joint: Joint | str) -> Reaction:
        """Force and torque of a joint on its bodies at every saved time."""
        return diagnostics.reaction(self.solver, self._joint(joint), self.absolute, self._wrenches)

    def coordinate(self, joint: Joint | str, which: str = "auto") -> Floats:
        """A joint's angle (rad, without wrap-around) or displacement (m) since the start (T,)."""
        name, kind = self._coordinate(joint, which)
        return diagnostics.coordinate(self.solver.setup, name, kind, self.absolute, self.t)

    def coordinate_rate(self, joint: Joint | str, which: str = "auto") -> Floats:
        """The rate of a joint's coordinate (T,), rad/s or m/s."""
        name, kind = self._coordinate(joint, which)
        return diagnostics.coordinate_rate(self.solver.setup, name, kind, self.absolute)

    def effort(self, driver: Any) -> Floats:
        """Force (N) or torque (N m) with which a driver moves its coordinate (T,)."""
        name = self.model.driver(getattr(driver, "name", driver)).name
        index = self.solver.setup.joint_index[name]
        frame = self.reaction(name).in_joint_frame
        turning = int(self.solver.setup.system.joint_bodies[index, LOCKED]) == DRIVEN_TURN
        return frame[1][:, 2] if turning else frame[0][:, 2]

    def work(self, force: Any) -> Floats:
        """Work of a force or driver on the bodies since the start (T,), J.

        Of springs only what their dampers take: the rest is potential energy.
        """
        name = getattr(force, "name", force)
        names = [f.name for f in self.model.forces] + [d.name for d in self.model.drivers]
        if not isinstance(name, str) or name not in names:
            raise UnknownName.among("force or driver", name, names)
        assert self.integrals is not None  # every run of a model with forces has them
        return self.integrals[:, names.index(name)]

    @cached_property
    def _wrenches(self) -> Floats:
        return diagnostics.reactions(self.solver, self.absolute, self.t, self.integrals)

    # --- invariants ---

    def kinetic_energy(self) -> Floats:
        """(T,), J."""
        return diagnostics.kinetic(self.solver.setup, self.absolute).sum(axis=1)

    def potential_energy(self) -> Floats:
        """Of gravity (zero at the world's origin) and springs (T,), J."""
        setup = self.solver.setup
        stored = diagnostics.stored(setup, self.absolute, self.integrals).sum(axis=1)
        return diagnostics.potential(setup, self.absolute).sum(axis=1) + stored

    def energy(self) -> Floats:
        """Kinetic and potential energy together (T,), J."""
        return self.kinetic_energy() + self.potential_energy()

    def energy_balance(self) -> Floats:
        """Energy gained since the start less the work of all forces and drivers (T,), J.

        Zero but for the error of the method.
        """
        energy = self.energy()
        count = len(self.model.forces) + len(self.model.drivers)
        supplied = 0.0 if self.integrals is None else self.integrals[:, :count].sum(axis=1)
        return energy - energy[0] - supplied

    def momentum(self) -> Floats:
        """Total linear momentum in the world (T, 3), N s."""
        return diagnostics.linear_momentum(self.solver.setup, self.absolute)

    def angular_momentum(self) -> Floats:
        """Total angular momentum about the world's origin (T, 3), N m s."""
        return diagnostics.angular_momentum(self.solver.setup, self.absolute)

    # --- to look at (the view is above us: imported when called) ---

    def plot(self, what: Any = None, path: Any = None, **options: Any) -> "Axes":
        """Curves over time on matplotlib axes; written to a .png, .svg or .pdf file if named.

        what   "energy", "momentum", "gaps", ...; or a body, joint, force or driver; or a list
        part   of a body: "position", "velocity", "angular velocity"; of a joint: "coordinate",
               "gap", "reaction"; left out, what is usual
        ax     matplotlib axes to draw on, instead of new ones
        """
        from chasles.view.curves import plot_result

        return plot_result(self, what, path, **options)

    def animate(self, path: Any = None, **options: Any) -> "Path | Film":
        """A film: .html to turn and scrub in any browser, offline; .gif; or .mp4 with ffmpeg.

        Without a path, a Film that a notebook shows.  Options are those of `chasles.animate`.
        """
        from chasles.view.animation import animate

        return animate(self, path, **options)

    def view(self, **options: Any) -> "Live":
        """Show the run live in the browser, through viser (the extra `view`)."""
        from chasles.view.live import view

        return view(self, **options)

    # --- elsewhere ---

    def to_xarray(self) -> "Dataset":
        """Everything as an xarray Dataset: dimensions time, body, joint and axis, with units."""
        return to_xarray(self._table())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write what `to_xarray` holds to a NetCDF file, whole or not at all.

        `load` reads it back.  A file of that name is replaced.
        """
        return write(self._table(), path)

    # --- helpers ---

    def _state(self, t: float, absolute: Floats, angles: Mapping[str, float]) -> State:
        """A state from rows in the order of calculation."""
        order = [self.solver.setup.body_index[name] for name in self.model.body_names]
        return State.from_absolute(t, self.model, absolute[order], angles)

    def _turns(self, index: int) -> dict[str, float]:
        """The angles that were integrated to count turns, by joint."""
        if self.integrals is None:
            return {}
        columns = angle_columns(self.solver.setup)
        return {joint: float(self.integrals[index, at[0]]) for joint, at in columns.items()}

    def _table(self) -> Table:
        return make_table(
            self.t, self.solver.setup, self.absolute, self.provenance, self.status, self.message,
            self.integrals,
        )  # fmt: skip

    def _body(self, body: Body | str) -> Floats:
        return self.absolute[:, self.solver.setup.body_index[self.model.body(body).name]]

    def _joint(self, joint: Joint | str) -> str:
        """The name of a joint or driver of the model."""
        name = getattr(joint, "name", joint)
        if isinstance(name, str) and name in self.model.driver_names:
            return name
        return self.model.joint(joint).name

    def _coordinate(self, joint: Joint | str, which: str) -> tuple[str, str]:
        """A joint's name, and which of its coordinates is meant."""
        found = self.model.joint(joint)
        where = f"coordinate of joint '{found.name}'"
        return found.name, resolved_coordinate(
            found, checked_coordinate(which, where, InvalidOption), where, InvalidOption
        )
