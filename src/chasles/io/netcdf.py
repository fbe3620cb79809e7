"""Results from files: the inverse of `Result.save`."""

import json
import os
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.signals import Inputs
from chasles.build.system.state import State
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats
from chasles.io.hdf5_heaps import check_heaps
from chasles.io.segments import load_recording, model_of, problem_of, result_of
from chasles.many.sweeps.store import PLAN
from chasles.model import ChaslesError, InvalidFile, Model
from chasles.model.errors import one_line, short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.result.atomic_file import SUFFIX, checked_path, is_intact
from chasles.result.dataset import FORMAT
from chasles.result.provenance import Checkpoint, Provenance
from chasles.result.result import Result
from chasles.result.tables import READERS
from chasles.run.output import Saved
from chasles.run.recorded import HEADER, SEGMENTS, is_recording

#: What a result is rebuilt from; everything else in a file follows from it.
ARRAYS = ("time", "position", "rotation", "angular_velocity", "body_velocity")
#: Where the run began; in files of runs that did not begin as their model was entered.
START = ("start_position", "start_rotation", "start_angular_velocity", "start_velocity")
#: What making a result of other data than ours ends in: a seal says that a file is whole, not who
#: wrote it.
FORGED = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, OSError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip
#: What not every file has.
OPTIONAL = ("integrals", "coordinates", "multipliers", "input_time", "inputs", *START)


@checked_keywords
def load(path: str | os.PathLike[str], model: Model | None = None) -> Result:
    """Load a saved result. It is identical to the result that was saved.

    Parameters
    ----------
    path
        A file that `Result.save` wrote, or the folder of a recorded run, finished or not. States
        of a recorded run are read from disk when they are needed.
    model
        The model. Needed where the model has Python functions, which files do not store. A warning
        says so if it is not the one that was simulated.

    Returns
    -------
    Result
        The result.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> import tempfile
    >>> run = ch.simulate(model, until=1.0, step=1e-2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = ch.load(run.save(f"{folder}/run.nc"))
    >>> bool((again.position("ball") == run.position("ball")).all())
    True
    """
    if model is not None:
        checked_model(model)
    source = checked_path(path)
    if not is_recording(source):
        if os.path.isdir(source):
            raise is_folder(source)
        if not os.path.isfile(source):
            raise missing(source)
        if source.suffix.lower() in READERS:
            read = READERS[source.suffix.lower()].format(short_repr(str(source)))
            raise InvalidFile(
                f"'{source}' is a table, which does not have the model: no result can be made of"
                " it.",
                f"Read it by {read}; save to '.nc' what is to be loaded again.",
            )
        check_intact(source)
        check_heaps(source)
    try:
        if os.path.isdir(source):
            return load_recording(source, model)
        return rebuilt(*contents(source), source, model)
    except FORGED as error:
        raise InvalidFile(
            f"'{source}' does not hold a result: {one_line(error)}.", "Save the result again."
        ) from error


def rebuilt(
    attributes: dict[str, Any], arrays: dict[str, Floats], source: Path, given: Model | None = None
) -> Result:
    """A result from the contents of a file.

    Nothing is solved: the solver and the designation are made when something asks for them.
    """
    provenance = Provenance.from_dict(json.loads(attributes["provenance"]))
    model = model_of(attributes, given, source)
    start = start_of(model, attributes, arrays)
    problem = problem_of(model, attributes, provenance, start)
    check_arrays(problem.setup, arrays, str(attributes["status"]) == "finished")
    text = attributes.get("checkpoint")
    begin = None if text is None else Checkpoint.from_text(str(text))
    inputs = Inputs(arrays["input_time"], arrays["inputs"]) if "inputs" in arrays else None
    saved = Saved(
        arrays["time"], absolute_states(problem.setup, arrays), arrays["integrals"],
        arrays.get("coordinates"), arrays.get("multipliers"),
    )  # fmt: skip
    return result_of(problem, saved, inputs, attributes, provenance, begin)


def check_arrays(setup: Setup, arrays: dict[str, Floats], is_finished: bool) -> None:
    """Refuse arrays of other shapes than the model's, and numbers that are none.

    A run that was stopped may end at anything; its times may not.
    """
    times, bodies = arrays["time"], len(setup.model.bodies)
    integrals = setup.system.quadrature_count
    if not integrals:
        arrays["integrals"] = np.zeros((len(times), 0))
    shapes = {
        "position": (bodies, 3), "rotation": (bodies, 3, 3), "angular_velocity": (bodies, 3),
        "body_velocity": (bodies, 3), "integrals": (integrals,),
    }  # fmt: skip
    if "coordinates" in arrays:
        shapes["coordinates"] = (len(coordinate_keys(setup.model)),)
    if "multipliers" in arrays:
        shapes["multipliers"] = (setup.system.row_count,)
    for name, shape in shapes.items():
        if arrays[name].shape != (len(times), *shape):
            expected = (len(times), *shape)
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {expected}")
        # Coordinates of cut joints are NaN, and so are multipliers that no step has found.
        whole = is_finished and name not in ("coordinates", "multipliers")
        if whole and not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} is not finite")


def start_of(model: Model, attributes: dict[str, Any], arrays: dict[str, Floats]) -> State | None:
    """The state at which the run began, if that was not the model as entered."""
    if START[0] not in arrays:
        return None
    position, rotation, angular_velocity, velocity = (arrays[name] for name in START)
    return State(
        0.0, model.body_names, position, rotation, velocity, angular_velocity,
        json.loads(attributes["start_angles"]),
        json.loads(attributes["start_displacements"]),
    )  # fmt: skip


def absolute_states(setup: Setup, arrays: dict[str, Floats]) -> Floats:
    """Rows (T, n, 18) in the order of the setup, from arrays in the order of the model."""
    order = setup.model_order
    absolute = np.zeros((len(arrays["time"]), len(order), ABSOLUTE_WIDTH))
    shape = absolute.shape[:2]
    absolute[:, order, POSE_R : POSE_R + 9] = arrays["rotation"].reshape(*shape, 9)
    absolute[:, order, POSE_X : POSE_X + 3] = arrays["position"].reshape(*shape, 3)
    absolute[:, order, TWIST : TWIST + 3] = arrays["angular_velocity"].reshape(*shape, 3)
    absolute[:, order, TWIST + 3 : TWIST + 6] = arrays["body_velocity"].reshape(*shape, 3)
    return absolute


def contents(source: Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Attributes and arrays of a file, or why they cannot be read."""
    import h5py  # a NetCDF file is an HDF5 file, and this one has no need of xarray

    try:
        with h5py.File(source, "r") as file:
            attributes = dict(file.attrs)
            check_format(source, attributes)
            names = [*ARRAYS, *(name for name in OPTIONAL if name in file)]
            return attributes, {name: numbers_in(file, name) for name in names}
    except ChaslesError:
        raise
    except Exception as error:  # HDF5 and its wrappers raise anything on a damaged file
        raise InvalidFile(
            f"'{source}' cannot be read: {' '.join(str(error).split()) or type(error).__name__}.",
            "Take a copy that is whole, or simulate again.",
        ) from error


def numbers_in(file: Any, name: str) -> Floats:
    """The numbers of a dataset that lie in the file itself, one by one.

    HDF5 would follow links to other files, read numbers out of them, unpack, and make up what is
    not written: a small file may then read any file of its reader's, or take all memory.
    """
    import h5py

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f"{name} is a link")
    dataset = file[name]
    if not isinstance(dataset, h5py.Dataset) or dataset.dtype != np.dtype("<f8"):
        raise ValueError(f"{name} is not an array of numbers")
    if dataset.external is not None or dataset.is_virtual:
        raise ValueError(f"{name} is in another file")
    if dataset.size and (
        dataset.chunks is not None or dataset.id.get_storage_size() != dataset.nbytes
    ):
        raise ValueError(f"{name} is not written out")
    return np.array(dataset[...], np.float64)


def check_intact(source: Path) -> None:
    """Look at the whole file before HDF5 does, which may hang or crash on a damaged one."""
    try:
        intact = is_intact(source)
    except OSError as error:
        raise InvalidFile(
            f"'{source}' cannot be read: {error.strerror or error}.", "Allow reading it."
        ) from error
    if intact is None:
        raise InvalidFile(
            f"'{source}' was not written by chasles, or was cut short or changed since: its"
            " checksum is missing at the end.",
            "Give a file that Result.save wrote, in a copy that is whole; read_model reads models.",
        )
    if not intact:
        raise InvalidFile(
            f"'{source}' is damaged: its contents do not match its checksum.",
            "Take a copy that is whole, or simulate again.",
        )


def check_format(source: Path, attributes: dict[str, Any]) -> None:
    """Refuse a file of a later layout."""
    written = np.ravel(attributes["chasles_format"])[0]  # NetCDF has lists of numbers only
    if written > FORMAT:
        raise InvalidFile(
            f"'{source}' has format {written}, but this version reads formats 1 to {FORMAT}.",
            "Update chasles to read it.",
        )


def is_folder(source: Path) -> InvalidFile:
    """A folder that is not the one of a recorded run: what is in it?"""
    if is_recording(source / SEGMENTS):
        return InvalidFile(
            f"'{source}' holds a run that was cut off, in '{SEGMENTS}'.",
            f"Load '{source / SEGMENTS}', or go on: chasles run FILE --out '{source}' --resume.",
        )
    if os.path.isfile(source / HEADER):
        return InvalidFile(
            f"'{source}' holds a run that was cut off before it kept anything.", "Run it again."
        )
    if os.path.isfile(source / PLAN):
        return InvalidFile(
            f"'{source}' holds the runs of a sweep.",
            "Repeat the call of sweep(..., into=folder) that wrote it: it repeats no run.",
        )
    results: list[str] = []
    with suppress(OSError):
        results = sorted(name for name in os.listdir(source) if name.endswith(SUFFIX))
    if results:
        return InvalidFile(
            f"'{source}' is a folder, and not the one of a recorded run.",
            f"Did you mean '{source / results[0]}'?",
        )
    return InvalidFile(
        f"'{source}' is a folder without a run: nothing in it was written by Result.save or"
        " simulate(..., into=folder).",
        "Name a file that was saved, or the folder of a recorded run.",
    )


def missing(source: Path) -> InvalidFile:
    """There is no such file: is there one of a similar name?"""
    if os.path.isdir(source):
        return InvalidFile(f"'{source}' is a folder.", "Name a file in it.")
    names: list[str] = []
    with suppress(OSError):
        names = [n for n in os.listdir(source.parent) if Path(n).suffix == source.suffix]
    close = get_close_matches(source.name, names, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else "Check the name and the folder."
    return InvalidFile(f"there is no file '{source}'.", hint)
