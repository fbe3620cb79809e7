"""Recorded runs from their folders: states stay on the disk until they are asked for."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from chasles.build.fingerprints import DIGEST, model_fingerprint
from chasles.build.problem import Problem, SpaceChoice, make_problem
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.signals import Inputs
from chasles.build.system.state import State
from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.model import ChaslesWarning, InvalidFile, Model
from chasles.model.errors import short_repr
from chasles.model.plain import from_plain
from chasles.result.provenance import Checkpoint, Provenance
from chasles.result.result import Result
from chasles.run.output import Saved
from chasles.run.preparation import with_inputs
from chasles.run.recorded import check_digests, mapped, mapped_inputs, read_commit, read_header
from chasles.spaces import Space

#: How a run may have ended.
STATUS = ("finished", "stopped", "interrupted")


def load_recording(folder: Path, model: Model | None = None) -> Result:
    """The run in a folder as far as it was acknowledged, finished or not."""
    header = read_header(folder)
    head, begin = read_commit(folder)
    check_digests(folder, header, head)
    if head["rows"] == 0:
        raise InvalidFile(
            f"the run in '{folder}' has no states yet: it was cut off at t = {begin.time:g} s,"
            " before the first of t_eval.",
            "Let it go on: simulate(..., into=folder, resume=True).",
        )
    ended = head["ended"] or cut_off(header, head, begin)
    provenance = Provenance.from_dict(ended["provenance"])
    found = model_of(header, model, folder)
    problem = recorded_problem(found, header, provenance)
    check_shape(problem, header["shape"])
    inputs = mapped_inputs(folder, len(header["inputs"]), head["inputs"])
    saved = mapped(folder, header["shape"], head["rows"])
    return result_of(problem, saved, inputs, ended, provenance, begin)


def result_of(
    problem: Problem, saved: Saved, inputs: Inputs | None, ended: dict[str, Any],
    provenance: Provenance, begin: Checkpoint | None,
) -> Result:  # fmt: skip
    """The result of saved states; a forged status and times that do not increase are refused."""
    times, status = saved.times, str(ended["status"])
    if times.ndim != 1 or not times.size:
        raise ValueError(f"time has shape {times.shape}")
    if not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
        raise ValueError("its times do not increase")
    if status not in STATUS:
        raise ValueError(f"its status is {short_repr(status)}")
    return Result(
        problem if inputs is None else with_inputs(problem, inputs), times, saved.absolute,
        saved.integrals, provenance, status, str(ended["message"]), saved.coordinates, begin,
        saved.multipliers,
    )  # fmt: skip


def check_shape(problem: Problem, shape: list[int]) -> None:
    """Refuse rows of other lengths than the model's."""
    system, model = problem.setup.system, problem.model
    fitting = (
        shape[1] == ABSOLUTE_WIDTH * len(model.bodies)
        and shape[2] == system.quadrature_count
        and shape[3] in (0, len(coordinate_keys(model)))
        and shape[4] in (0, system.row_count)
    )
    if not fitting:
        raise ValueError(f"its rows have the shape {shape}, which is not the model's")


def cut_off(header: dict[str, Any], head: dict[str, Any], begin: Checkpoint) -> dict[str, Any]:
    """How a run ended that could not say it itself."""
    events = {"events": head["events"]} if "events" in head else {}
    steps = head.get("steps", begin.index)
    provenance = {**json.loads(header["provenance"]), "steps": steps, **events}
    message = f"cut off after t = {begin.time:g} s, {steps} steps"
    return {"status": "interrupted", "message": message, "provenance": provenance}


ANOTHER = (
    "the model given to load is not the one of '{source}': a part, a function or a value that a"
    " function uses has changed (or the version of Python). Energies, forces and reactions are"
    " those of the model given. Bring along the model as it was simulated."
)
#: Frames from the warning to the call of `load`.
USERS_CALL = 5


def model_of(attributes: dict[str, Any], given: Model | None, source: Path) -> Model:
    """The model of a file: as it is written there, or as it is given."""
    text, names = str(attributes["model"]), json.loads(str(attributes["spaces"]))
    if given is not None:
        if set(given.body_names) != set(names):
            raise InvalidFile(
                f"the result in '{source}' is one of another model: its bodies are"
                f" {', '.join(names)}.",
                "Bring along the model that was simulated.",
            )
        if attributes.get(DIGEST, "") not in ("", model_fingerprint(given)):
            warnings.warn(ANOTHER.format(source=source), ChaslesWarning, stacklevel=USERS_CALL)
        return given
    if text.startswith("#"):
        raise InvalidFile(
            f"'{source}' does not hold the model: {text.removeprefix('# ')}",
            "Bring the model along: load(path, model=model).",
        )
    return from_plain(json.loads(text))


def problem_of(
    model: Model, attributes: dict[str, Any], provenance: Provenance, start: State | None = None
) -> Problem:
    """The problem of a saved run, which began at a state if not as entered."""
    plain = json.loads(attributes["spaces"])
    by_hand, cut = json.loads(attributes["by_hand"]), json.loads(attributes["cut"])
    choice = SpaceChoice(
        model,
        {name: Space(**plain[name]) for name in model.body_names},
        tuple(model.body(name, "spaces chosen by hand").name for name in by_hand),
        tuple(model.joint(name, "cut").name for name in cut),
    )
    return make_problem(
        choice, provenance.acceleration, start,
        damp=provenance.singular == "pass", fit=provenance.rows == "needed",
    )  # fmt: skip


def recorded_problem(model: Model, header: dict[str, Any], provenance: Provenance) -> Problem:
    """That of a recorded run, whose start is in the order of calculation."""
    problem = problem_of(model, header, provenance)
    if header["start"] is None:
        return problem
    rows: Floats = np.array([[float.fromhex(x) for x in row] for row in header["start"]])
    order = [problem.setup.body_index[name] for name in model.body_names]
    start = State.from_absolute(
        0.0, model, rows[order], json.loads(header["start_angles"]),
        json.loads(header["start_displacements"]),
    )  # fmt: skip
    return problem_of(model, header, provenance, start)
