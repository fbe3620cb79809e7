"""The outcome of a simulation: named access to the trajectory, and where it came from."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from chasles.build.start.assembly import Assembly
from chasles.build.start.redundancy import Redundancy
from chasles.build.system.coordinates import angle_columns, coordinate_keys, counted_angles
from chasles.build.system.state import State
from chasles.core.arrays import Floats
from chasles.model import AnyDriver, AnySensor, Body, Force, InvalidOption, Joint
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords, explained_film
from chasles.model.plain import check_kinds
from chasles.model.tables import pairs, small
from chasles.model.words import ViewDirection
from chasles.result.atomic_file import checked_target, write, write_whole
from chasles.result.between import rows_of, sliced, state_at
from chasles.result.bodies import OfBodies, OfEnergy
from chasles.result.dataset import make_table, over_time, to_xarray
from chasles.result.joints import OfForces
from chasles.result.reading import sensor_values, to_frame
from chasles.result.tables import WRITERS
from chasles.result.uniqueness import UniqueReactions, unique_reactions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from xarray import Dataset

    from chasles.view.film import Film
    from chasles.view.live import Live

#: What has curves over time.
Plotted = Body | Joint | Force | AnyDriver | AnySensor | str
#: Bytes of states that are looked at at once where a run may be longer than memory.
WINDOW_BYTES = 2**23


class Result(OfBodies, OfForces, OfEnergy):
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

    def __repr__(self) -> str:
        p = self.provenance
        return (
            f"Result({self.status}: {len(self.t)} states, t = {self.t[0]:g} .. {self.t[-1]:g} s,"
            f" {self._stepped()}, {self.model!r};"
            f"{f' worst gap {p.worst_gap},' if self.model.joints else ''} energy balanced to"
            f" {small(p.imbalance)}, {p.seconds_in_steps:.2g} s"
            f"{', with warnings' if self.warnings else ''})"
        )

    def _stepped(self) -> str:
        """The method, and the length of its steps; where they were chosen, their mean."""
        p = self.provenance
        if "rtol" in p:
            return f"{p.method} in {p.steps} steps, {p.step:.3g} s on average"
        return f"{p.method} at step {p.step:g} s"

    def _repr_html_(self) -> str:
        """What a notebook shows of a run."""
        p = self.provenance
        rows = [
            ("run", f"{self.status}, t = {self.t[0]:g} .. {self.t[-1]:g} s, {len(self.t)} states"),
            ("model", repr(self.model)),
            ("method", f"{self._stepped()}, {p.seconds_in_steps:.2g} s in all"),
            *([("worst gap", str(p.worst_gap))] if self.model.joints else []),
            ("energy balanced to", small(p.imbalance)),
            *(("warning", text) for text in self.warnings),
        ]
        return pairs(rows)

    @property
    def events(self) -> dict[str, Floats]:
        """Event -> the times at which it happened, s."""
        found = self.provenance.others.get("events", {})
        return {name: np.array(times, float) for name, times in found.items()}

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
        return unique_reactions(setup, start)

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
                f"state {short_repr(index)} was asked for, but the result has {count} states.",
                f"Give a whole number from 0 to {count - 1}, or from -{count} to -1.",
            )
        t, absolute = float(self.t[index]), self.absolute[index]
        turns = angle_columns(self.problem.setup)  # angles that were integrated to count turns
        near = {joint: float(self.integrals[index, at[0]]) for joint, at in turns.items()}
        angles = counted_angles(self.problem.setup, absolute, near)
        others: dict[str, float] = {}
        known = () if self.coordinates is None else self.coordinates[index].tolist()
        for (joint, word), value in zip(coordinate_keys(self.model), known):
            if np.isfinite(value):
                (angles if word == "angle" else others)[joint] = value
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

    if not TYPE_CHECKING:  # so that a type checker refuses it, too

        def __getattr__(self, name: str) -> Any:
            hint = "  Did you mean 't'?" if name in ("time", "times") else ""
            raise AttributeError(f"a Result has no attribute '{name}'.{hint}", name=name, obj=self)

    def __iter__(self) -> Iterator[State]:
        """All states, one after the other."""
        return map(self.state, range(len(self.t)))

    # --- to look at (the view is above us: imported when called) ---

    @checked_keywords
    def plot(
        self,
        what: Plotted | Sequence[Plotted] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        part: str | None = None,
        ax: "Axes | None" = None,
        size: tuple[float, float] = (6.4, 3.6),
    ) -> "Axes":
        """Plot curves over time.

        Parameters
        ----------
        what
            A body, joint, force, driver or sensor, or its name; "energy", "momentum", "gaps",
            ...; or a list. Default: "energy".
        path
            Write .png, .svg or .pdf, too.
        part
            For a body: "position", "velocity", "angular velocity". For a joint: "coordinate",
            "gap", "reaction". For a force: "force", "torque", "power", "work", "elongation",
            "effort".
        ax
            Matplotlib axes to draw on, instead of new ones.
        size
            Width and height of the figure, inches.

        Returns
        -------
        Axes
            The matplotlib axes.
        """
        from chasles.view.curves import plot_result

        return plot_result(self, what, path, part=part, ax=ax, size=size)

    @explained_film
    @checked_keywords
    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        labels: Sequence[str] | None = None,
        layout: Literal["side by side", "overlaid"] = "side by side",
        title: str | None = None,
        view: ViewDirection = "auto",
        frames: int | None = None,
        forces: bool = True,
        speed: float | None = None,
        fps: float = 25.0,
        size: tuple[int, int] | None = None,
        follow: Body | str | None = None,
        live: bool = False,
        sliders: Mapping[str, tuple[float, float]] | None = None,
    ) -> "Path | Film":
        """Make a film: .html for any browser, .gif, .mp4 (with ffmpeg), or .glb for Blender.

        Returns
        -------
        Path or Film
            The file that was written, or the film.
        """
        from chasles.view.animation import animate

        return animate(
            self, path, labels=labels, layout=layout, title=title, view=view, frames=frames,
            forces=forces, speed=speed, fps=fps, size=size, follow=follow, live=live,
            sliders=sliders,
        )  # fmt: skip

    @checked_keywords
    def view(
        self, *, port: int = 8080, block: bool | None = None, follow: Body | str | None = None
    ) -> "Live":
        """Show the run in a viewer in the browser: its film, with every saved state.

        Parameters
        ----------
        port
            Port of the server, on this machine only. If it is taken, the next free one.
        block
            Wait until Ctrl-C. By default the viewer runs as long as the returned object exists.
        follow
            Body that the camera follows.

        Returns
        -------
        Live
            The viewer.
        """
        from chasles.view.live import view

        return view(self, port, block, follow)

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
        return to_xarray(make_table(self))

    @checked_keywords
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
        return write(make_table(first), target, len(self.t), map(over_time, others))

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
        rows = absolute[self.problem.setup.model_order]
        return State.from_absolute(t, self.model, rows, angles, displacements)
