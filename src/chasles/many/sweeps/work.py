"""One run of a sweep, wherever it is made, and its measure: what comes back is plain data."""

import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np

from chasles.build.fingerprints import Reached, Unknown
from chasles.many.quiet import simulate_quietly, steps_between
from chasles.many.sweeps.plan import Task
from chasles.model import ChaslesError, InvalidOption, SimulationStopped
from chasles.model.errors import one_line, short_repr
from chasles.model.parameters import with_parameters
from chasles.result.result import Result

#: States at which a run is looked at where nothing is asked for.
LOOKS = 200
Measure = Callable[[Result], Mapping[str, Any]]


def end_of_run(result: Result) -> dict[str, Any]:
    """What is measured where nothing else is asked for."""
    kinetic = float(result.kinetic_energy().max())
    missed = float(np.abs(result.energy_balance()).max())
    names = result.model.joint_names
    return {
        "position": {body.name: result.position(body)[-1].tolist() for body in result.model.bodies},
        "velocity": {body.name: result.velocity(body)[-1].tolist() for body in result.model.bodies},
        "gap": max((float(result.violation(name).max()) for name in names), default=0.0),
        "energy_error": missed / kinetic if kinetic > 0.0 else missed,
    }


def run_task(task: Task, measure: Measure | None = None) -> dict[str, Any]:
    """The record of a run: number, values, status, message, what was measured, seconds.

    A run that fails leaves a record that says why; it never raises.
    """
    began = time.perf_counter()
    values = {path: in_words(value) for path, value in task.values.items()}
    record: dict[str, Any] = {"run": task.number, "values": values}
    try:
        record |= measured(task, measure)
    except ChaslesError as error:
        record |= {"status": "failed", "message": str(error), "measured": {}}
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {one_line(error)} ({last.name}, line {last.lineno})"
        record |= {"status": "failed", "message": message, "measured": {}}
    record["seconds"] = round(time.perf_counter() - began, 6)
    return record


def measured(task: Task, measure: Measure | None) -> dict[str, Any]:
    model = with_parameters(task.model, task.parameters)
    options = {"progress": False, **task.options}
    until = options.pop("until")
    if measure is None and "step" in options:
        options.setdefault("save_every", steps_between(until, options["step"], LOOKS))
    try:
        result = simulate_quietly(model, until, **options)
    except SimulationStopped as stopped:
        if stopped.result is None:
            raise
        result = stopped.result
    found = plain((measure or end_of_run)(result))
    if not isinstance(found, dict):
        raise TypeError(f"measure must return a dict of numbers, got {type(found).__name__}")
    return {
        "status": result.status, "message": result.message, "measured": found,
        "warnings": list(result.warnings),
    }  # fmt: skip


def in_words(value: Any) -> Any:
    """A value of what varies as data: a Tableau or Baumgarte, say, as it is printed."""
    try:
        return plain(value)
    except TypeError:
        return short_repr(value)


def plain(value: Any) -> Any:
    """Numbers, lists and dicts that JSON has; floats keep their bits."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.longdouble):
        return plain(float(value))
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, Real):
        try:
            held = float(value)
        except OverflowError:
            raise TypeError("measure returned a number beyond those of a double, 1.8e308") from None
        return value if isinstance(value, int) else held
    raise TypeError(f"measure returned a {type(value).__name__}, which is not a number")


# --- whether runs that are kept belong to a measure ---


def measure_fingerprint(measure: Any, needed: bool = False) -> str:
    """The same for the same measure: its name, and a digest of all that it reaches.

    Where runs are kept, it is `needed`, and a measure whose values cannot be told is refused.
    """
    if measure is None:
        return ""
    name = full_name(measure)
    try:
        return f"{name}-{Reached().digest(measure)}"
    except Unknown as unknown:
        if needed:
            raise InvalidOption(
                f"sweep: the measure {name} uses {unknown}, whose value cannot be written down:"
                " runs that are kept could be those of another one.",
                "Give the measure what it needs as numbers or text, or leave into out.",
            ) from None
        return name


def reached_by(measure: Any) -> tuple[str, ...]:
    """Names of the user's own functions, classes and values that a measure uses, and of itself."""
    reached = Reached()
    with suppress(Unknown):
        reached.digest(measure)
    return tuple(reached.names)


def full_name(measure: Any) -> str:
    kind = measure if hasattr(measure, "__qualname__") else type(measure)
    return f"{kind.__module__}.{kind.__qualname__}"
