"""`sweep`: many runs of a model, and what they say together."""

from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Executor
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.many.sweeps.plan import Plan, make_plan
from chasles.many.sweeps.store import Store, open_store
from chasles.many.sweeps.work import full_name, measure_fingerprint, reached_by, run_task
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import checked_callable, checked_positive
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords, explained
from chasles.model.tables import Shown, Table, plain
from chasles.notices import progress_bar
from chasles.result.result import Result
from chasles.run.options import CHOOSING
from chasles.run.preparation import check_progress

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import DataArray

#: Failed and slow runs that are shown.
SHOWN = 5


@dataclass(frozen=True, repr=False)
class Sweep(Shown):
    """The runs of a sweep, in order.

    Parameters
    ----------
    plan
        The combinations.
    runs
        For each: run, values, status, message, measured, warnings, seconds.
    measured
        The measure and the user's functions and values that it uses. If one of them changes,
        stored runs belong to another sweep.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as threads:
    ...     runs = ch.sweep(model, {"ball.mass": [1.0, 2.0]}, 0.1, 1e-2, executor=threads)
    >>> list(runs.frame()["ball.mass"])
    [1.0, 2.0]
    """

    plan: Plan
    runs: tuple[dict[str, Any], ...]
    measured: str = ""

    @property
    def failed(self) -> tuple[dict[str, Any], ...]:
        """Those that were not finished."""
        return tuple(run for run in self.runs if run["status"] != "finished")

    def slowest(self, count: int = SHOWN) -> tuple[dict[str, Any], ...]:
        """The runs that took the longest time.

        Parameters
        ----------
        count
            How many.

        Returns
        -------
        tuple of dict
            Entries of `runs`, the slowest first.
        """
        return tuple(sorted(self.runs, key=lambda run: -run["seconds"])[:count])

    def values(self, name: str) -> "DataArray":
        """A measured quantity over the grid of the sweep.

        Parameters
        ----------
        name
            Name of the quantity in `measured` of the runs.

        Returns
        -------
        DataArray
            One axis for each parameter, with its values if they are numbers. NaN where a run does
            not have the quantity.
        """
        from xarray import DataArray

        flat = [flattened(run["measured"]).get(name) for run in self.runs]
        kinds = {key for run in self.runs for key in flattened(run["measured"])}
        UnknownName.check("measured value", name, sorted(kinds), "sweep")
        shape = np.shape(next(value for value in flat if value is not None))
        array = np.full((len(self.runs), *shape), np.nan)
        for k, value in enumerate(flat):
            if value is None:
                continue
            try:
                array[k] = value
            except (TypeError, ValueError):
                raise InvalidOption(
                    f"sweep: '{name}' of run {k} is {short_repr(value)}, which is not"
                    f" {f'an array of shape {shape}' if shape else 'a number'}.",
                    "Measure numbers, or arrays of one shape in all runs; frame() has the others.",
                ) from None
        names, coordinates = self.axes()
        whole = array.reshape(*self.plan.shape, *shape)
        inner = [f"component {k}" if k else "component" for k in range(len(shape))]
        return DataArray(whole, dims=[*names, *inner], coords=coordinates, name=name)

    def axes(self) -> tuple[list[str], dict[str, Any]]:
        """Names of the axes of the grid, and their values where they are single ones."""
        plan = self.plan
        names = ["model"] if len(plan.models) > 1 else []
        coordinates: dict[str, Any] = {"model": list(plan.models)} if names else {}
        if plan.together:
            names += ["run"] if plan.axes else []
            return names, coordinates
        for path, entries in plan.axes.items():
            names.append(path)
            if all(isinstance(entry, float | int | str) for entry in entries):
                coordinates[path] = entries
        return names, coordinates

    def frame(self) -> "DataFrame":
        """A row for every run: values, status, what was measured."""
        from pandas import DataFrame

        return DataFrame(
            [
                {**run["values"], "status": run["status"], **flattened(run["measured"]),
                 "seconds": run["seconds"]}
                for run in self.runs
            ]
        )  # fmt: skip

    def ranges(self) -> list[list[str]]:
        """Of every number measured: its name, least and greatest value, and in which run."""
        found: dict[str, list[tuple[float, int]]] = {}
        for run in self.runs:
            for name, value in flattened(run["measured"]).items():
                if isinstance(value, float | int) and isfinite(value):
                    found.setdefault(name, []).append((float(value), run["run"]))
        ends = {name: (min(seen), max(seen)) for name, seen in found.items()}
        return [
            [name, f"{least:.3g}", str(first), f"{greatest:.3g}", str(last)]
            for name, ((least, first), (greatest, last)) in ends.items()
        ]

    def _parts(self) -> list[str | Table]:
        finished = sum(run["status"] == "finished" for run in self.runs)
        spent = sum(run["seconds"] for run in self.runs)
        lines: list[str | Table] = [
            f"{finished} of {len(self.plan)} runs finished, {plain(spent)} s of computing:"
            f" {' x '.join(self.axes()[0]) or 'one run'}"
        ]
        if self.measured:
            lines.append(self.measured)
        warned = [run for run in self.runs if run.get("warnings")]
        if warned:
            first, *_ = warned
            lines.append(f"{len(warned)} with warnings; run {first['run']}: {first['warnings'][0]}")
        for run in self.failed[:SHOWN]:
            why = run["message"].splitlines()[0]
            lines.append(f"run {run['run']} {run['values']} {run['status']}: {why}")
        if len(self.failed) > SHOWN:
            lines.append(f"... and {len(self.failed) - SHOWN} more that were not finished")
        ranges = self.ranges()
        if ranges:
            header = ["measured", "least", "in run", "greatest", "in run"]
            lines.append(Table(header, ranges))
            lines.append("All of it: frame(), or values(name) over the grid; --csv or --json.")
        rows = [[str(r["run"]), f"{r['seconds']:.3g}", str(r["values"])] for r in self.slowest(3)]
        lines.append(Table(["slowest", "s", "values"], rows))
        return lines

    __repr__ = Shown.__str__


def flattened(measured: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Names with dots in the place of nested dicts."""
    flat: dict[str, Any] = {}
    for key, value in measured.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


@checked_keywords
@explained
def sweep(
    model: Model | Mapping[str, Model],
    vary: Mapping[str, Sequence[Any]],
    until: float,
    step: float | None = None,
    *,
    together: bool = False,
    measure: Callable[[Result], Mapping[str, Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    executor: Executor | str | None = None,
    workers: int | None = None,
    into: str | Path | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Run a model with many values of its parameters and options, in parallel.

    Parameters
    ----------
    model
        A Model, or several by name.
    vary
        Path -> values: a number or vector of the model, "top.mass", "pivot.at", "gravity"; or
        an option of `simulate`: "method", "spaces", "step", "stabilise", ...
    together
        Whether the values belong together, one by one. Otherwise all combinations are run.
    measure
        Function of a Result that returns a dict of numbers to store. Default: last positions
        and velocities, largest violation and energy error.
    options
        Other options of `simulate`, for all runs.
    executor
        An Executor, or the address of a Dask scheduler, "tcp://host:8786" (needs
        the package distributed). Default: processes on this machine.
    workers
        Number of processes. As many as cores if left out.
    into
        Folder to store runs as they finish. The same call continues where it stopped. It is
        another call if the measure has changed, or a function, class or value of your own
        modules that it uses. A measure whose values cannot be compared is refused.

    Returns
    -------
    Sweep
        The runs, and tables of what was measured.

    Notes
    -----
    A run that fails is stored with its reason and does not stop the others. A worker that dies is
    replaced. The numbers are those of single runs, to the last bit.

    Other processes must find the functions of the measure, the model and the options. So these
    functions are defined by `def` in a module, or in a script whose other lines stand under
    `if __name__ == "__main__":`. Threads (`executor=ThreadPoolExecutor(4)`) take any function.

    Examples
    --------
    >>> import chasles as ch
    >>> top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=2.0, position=(0.5, 0, 0))
    >>> model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     runs = ch.sweep(model, {"top.mass": [1.0, 2.0]}, 0.1, 1e-2, executor=threads)
    >>> runs.values("gap").shape
    (2,)
    """
    check_progress(progress, "sweep")
    until = checked_positive(until, "until", "s", "sweep", InvalidOption)
    common = {**checked_options(options), "until": until}
    if step is not None:
        common["step"] = checked_positive(step, "step", "s", "sweep", InvalidOption)
    if measure is not None:
        checked_callable(measure, "measure", "measure(result)", "sweep", InvalidOption)
    plan = make_plan(model, vary, together, common)
    methods = [common.get("method"), *plan.axes.get("method", ())]
    check_steps_are_chosen({*common, *plan.axes}, methods)
    named = "" if into is None else measure_fingerprint(measure, needed=True)
    place = TemporaryDirectory(prefix="chasles-sweep-") if into is None else nullcontext(into)
    with (
        place as folder,
        closing(open_store(folder, f"{plan.fingerprint}-{named}", len(plan))) as store,
    ):
        carry_out(plan, store, measure, executor, workers, progress)
    records = {record["run"]: record for record in store.records}
    said = "" if measure is None else measured_by(measure)
    return Sweep(plan, tuple(records[number] for number in sorted(records)), said)


def checked_options(options: Any) -> dict[str, Any]:
    if not isinstance(options, Mapping | None):
        raise InvalidOption(
            f"sweep: options must be a dict of options of simulate, got {short_repr(options)}.",
            "Give options={'method': 'rk4'}, say, or leave it out.",
        )
    return dict(options or {})


def check_steps_are_chosen(given: Set[str], chosen: Sequence[Any]) -> None:
    """Refuse a sweep none of whose runs has a step, or an accuracy from which steps follow."""
    if not given & {"step", *CHOOSING} and "auto" not in chosen:
        raise InvalidOption(
            "sweep: step was left out.",
            "Give it in seconds, step=1e-3, or an accuracy, options={'tol': 1e-6}. In a file:"
            " step = 1e-3 above [vary], or tol = 1e-6 in [run].",
        )


def measured_by(measure: Any) -> str:
    """The measure, and what of the user's own it uses."""
    used = list(dict.fromkeys(reached_by(measure)))[1:]
    return f"measured by {full_name(measure)}" + (f", which uses {', '.join(used)}" if used else "")


def carry_out(
    plan: Plan, store: Store, measure: Any, executor: Any, workers: Any, progress: bool | None
) -> None:
    """The runs that are not in the store yet."""
    from chasles.many.sweeps.pool import carried_out, make_crew  # late: it brings multiprocessing

    done = {record["run"] for record in store.records}
    if len(done) >= len(plan):
        return
    crew = make_crew(executor, workers, {"the measure": measure, **plan.parts})
    waiting = (task for task in plan.tasks() if task.number not in done)
    try:
        with progress_bar(total=len(plan), initial=len(done), unit="run", progress=progress) as bar:
            for records in carried_out(crew, waiting, partial(run_task, measure=measure)):
                store.append(records)
                bar.update(len(records))
    finally:
        crew.close()
