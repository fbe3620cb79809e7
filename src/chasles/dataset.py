"""A trajectory as a labelled dataset, and as a NetCDF file that holds all of it or does not exist.

xarray and the file formats are imported when they are used: they take longer than a small run.
"""

import hashlib
import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chasles import diagnostics
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.model import InvalidFile, InvalidOption
from chasles.model.errors import told
from chasles.model.plain import to_plain
from chasles.system.build import Setup

if TYPE_CHECKING:
    from xarray import Dataset

#: Version of the layout below; readers refuse files of a later one.
FORMAT = 1
#: The last line of a file: a digest of all before it, which readers of HDF5 do not look at.
SEAL = b"\nchasles sha256 %s\n"
SEAL_LENGTH = len(SEAL % bytes(64))


class Table(NamedTuple):
    """A trajectory with names: variables and coordinates are (dimensions, values, attributes)."""

    coordinates: dict[str, Any]
    variables: dict[str, Any]
    attributes: dict[str, Any]


def make_table(
    t: Floats,
    setup: Setup,
    absolute: Floats,
    provenance: dict[str, Any],
    status: str,
    message: str,
    integrals: Floats | None,
) -> Table:
    """The trajectory with named dimensions, units, and where it came from."""
    model = setup.model
    axes = ["x", "y", "z"]
    coordinates = {
        "time": described(("time",), t, "s", "time"),
        "body": (("body",), list(model.body_names), {"long_name": "name of a body"}),
        "axis": (("axis",), axes, {"long_name": "axis of the world"}),
        "body_axis": (("body_axis",), axes, {"long_name": "axis of the body frame"}),
    }
    variables = of_bodies(setup, absolute)
    if setup.start is not None:
        variables.update(of_start(setup, setup.start))
    with np.errstate(over="ignore", invalid="ignore"):  # a run that stopped may end at 1e200 m/s
        variables.update(of_all(setup, absolute, integrals))
    if model.joints:
        names = list(model.joint_names)
        coordinates["joint"] = (("joint",), names, {"long_name": "name of a joint"})
        variables.update(of_joints(setup, absolute, t))
    if integrals is not None and integrals.size:
        named = [f"work of {name}" for name in (*model.force_names, *model.driver_names)]
        named += [f"angle {k}" for k in range(integrals.shape[1] - len(named))]
        coordinates["integral"] = (("integral",), named, {"long_name": "what is integrated"})
        text = "work of forces and drivers (J), then unwrapped angles (rad)"
        variables["integrals"] = described(("time", "integral"), integrals, "1", text)
    attributes = {
        "title": f"chasles: {model!r}",
        "chasles_format": FORMAT,
        "model": json.dumps(to_plain(model), allow_nan=False),
        "spaces": json.dumps({name: asdict(space) for name, space in setup.spaces.items()}),
        "provenance": json.dumps(provenance),
        "start_angles": json.dumps(dict(setup.angles)),
        "status": status,
        "message": message,
    }
    return Table(coordinates, variables, attributes)


def to_xarray(table: Table) -> "Dataset":
    from xarray import Dataset

    return Dataset(table.variables, table.coordinates, table.attributes)


def of_bodies(setup: Setup, absolute: Floats) -> dict[str, Any]:
    """Poses and velocities, bodies in the model's order."""
    ordered = absolute[:, [setup.body_index[name] for name in setup.model.body_names]]
    rotation = ordered[..., POSE_R : POSE_R + 9].reshape(*ordered.shape[:2], 3, 3)
    body_velocity = ordered[..., TWIST + 3 : TWIST + 6]
    world, own = ("time", "body", "axis"), ("time", "body", "body_axis")
    return {
        "position": described(
            world, ordered[..., POSE_X : POSE_X + 3], "m", "centre of mass in the world"
        ),
        "rotation": described(
            (*world, "body_axis"), rotation, "1", "rotation matrix from the body frame to the world"
        ),
        "velocity": described(
            world,
            np.einsum("tbij,tbj->tbi", rotation, body_velocity),
            "m/s",
            "velocity of the centre of mass in the world",
        ),
        "angular_velocity": described(
            own, ordered[..., TWIST : TWIST + 3], "rad/s", "angular velocity in the body frame"
        ),
        "body_velocity": described(
            own, body_velocity, "m/s", "velocity of the centre of mass in the body frame"
        ),
    }


def of_start(setup: Setup, start: Floats) -> dict[str, Any]:
    """Where a run began that did not begin as the model was entered."""
    return {
        f"start_{name}": (dims[1:], values[0], {**attributes, "time": "start of the run"})
        for name, (dims, values, attributes) in of_bodies(setup, start[None]).items()
    }


def of_joints(setup: Setup, absolute: Floats, t: Floats) -> dict[str, Any]:
    """By how much every joint is open."""
    names = setup.model.joint_names
    gaps = np.array([diagnostics.gap(setup, name, absolute, t) for name in names])
    angle, length = np.linalg.norm(gaps, axis=3).transpose(1, 2, 0)
    dims = ("time", "joint")
    return {
        "violation": described(dims, length, "m", "distance by which a joint is open"),
        "violation_angle": described(dims, angle, "rad", "angle by which a joint is open"),
    }


def of_all(setup: Setup, absolute: Floats, integrals: Floats | None) -> dict[str, Any]:
    """Energy and momenta of the whole model."""
    kinetic = diagnostics.kinetic(setup, absolute).sum(axis=1)
    potential = diagnostics.potential(setup, absolute).sum(axis=1)
    potential += diagnostics.stored(setup, absolute, integrals).sum(axis=1)
    linear = diagnostics.linear_momentum(setup, absolute)
    angular = diagnostics.angular_momentum(setup, absolute)
    vector = ("time", "axis")
    return {
        "kinetic_energy": described(("time",), kinetic, "J", "kinetic energy"),
        "potential_energy": described(
            ("time",), potential, "J", "of gravity (zero at the origin of the world) and springs"
        ),
        "energy": described(("time",), kinetic + potential, "J", "kinetic and potential energy"),
        "momentum": described(vector, linear, "N s", "linear momentum in the world"),
        "angular_momentum": described(
            vector, angular, "N m s", "angular momentum about the origin of the world"
        ),
    }


def described(dims: tuple[str, ...], values: Floats, units: str, long_name: str) -> Any:
    return dims, values, {"units": units, "long_name": long_name}


# --- files ---------------------------------------------------------------------------------------


def write(table: Table, path: str | os.PathLike[str]) -> Path:
    """Write a NetCDF file under another name beside `path`, then rename it: all or nothing."""
    target = checked_path(path)
    if not os.path.isdir(target.parent):
        raise InvalidFile(
            f"'{target}' cannot be written: there is no folder '{target.parent}'.",
            "Make the folder first, or save elsewhere.",
        )
    contents = to_netcdf(table)
    part = target.with_name(f".chasles-{secrets.token_hex(8)}.part")
    try:
        with part.open("wb") as file:
            file.write(contents)
            file.write(SEAL % hashlib.sha256(contents).hexdigest().encode())
            file.flush()
            os.fsync(file.fileno())  # on the disk before its name is
        os.replace(part, target)
    except OSError as error:
        raise InvalidFile(
            f"'{target}' cannot be written: {error.strerror or error}.",
            "Save elsewhere, or make room and allow writing there.",
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return target


def to_netcdf(table: Table) -> memoryview:
    """The bytes of a NetCDF file.  HDF5 may crash on a disk that fills up, memory is safe."""
    import h5netcdf
    import h5py

    buffer = BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.attrs.update(table.attributes)
        file.dimensions = {name: len(table.coordinates[name][1]) for name in table.coordinates}
        for name, (dims, values, attributes) in (table.coordinates | table.variables).items():
            kind = h5py.string_dtype() if isinstance(values, list) else np.dtype("<f8")
            variable = file.create_variable(name, dims, kind)
            variable[...] = np.array(values, object) if isinstance(values, list) else values
            variable.attrs.update(attributes)
    return buffer.getbuffer()


def is_sealed(path: Path) -> bool | None:
    """Whether a file is as it was sealed; None if it never was, or was cut short or written to."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END) - SEAL_LENGTH
        if length < 0:
            return None
        file.seek(length)
        found = file.read()
        if not found.startswith(SEAL.partition(b"%")[0]):
            return None
        file.seek(0)
        digest = hashlib.sha256()
        while length > 0:
            piece = file.read(min(length, 2**20))
            digest.update(piece)
            length -= len(piece)
        return found == SEAL % digest.hexdigest().encode()


def checked_path(path: Any) -> Path:
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text or "\0" in text:
        raise InvalidOption(f"path is {told(path)}.", "Give the name of a file.")
    return Path(text)
