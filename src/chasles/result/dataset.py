"""A trajectory as a labelled dataset.

xarray is imported when it is used: that takes longer than a small run.
"""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chasles.build.fingerprints import DIGEST, model_fingerprint
from chasles.build.problem import Problem
from chasles.build.start.redundancy import joint_of_row
from chasles.build.system.build import Setup, real_rows
from chasles.build.system.coordinates import angle_columns, coordinate_keys, gap
from chasles.build.system.state import in_world, rotations
from chasles.core.arrays import POSE_X, TWIST, Floats
from chasles.model import InvalidModel, Model
from chasles.model.plain import to_plain
from chasles.result import energy
from chasles.result.provenance import Provenance

if TYPE_CHECKING:
    from xarray import Dataset

    from chasles.result.trajectory import Trajectory

#: Version of the layout below; readers refuse files of a later one.
FORMAT = 1


class Table(NamedTuple):
    """A trajectory with names: variables and coordinates are (dimensions, values, attributes)."""

    coordinates: dict[str, Any]
    variables: dict[str, Any]
    attributes: dict[str, Any]


def make_table(run: "Trajectory") -> Table:
    """The trajectory with named dimensions, units, and where it came from."""
    setup = run.problem.setup
    model = setup.model
    axes = ["x", "y", "z"]
    variables = over_time(run)
    coordinates = {
        "time": variables.pop("time"),
        "body": (("body",), list(model.body_names), {"long_name": "name of a body"}),
        "axis": (("axis",), axes, {"long_name": "axis of the world"}),
        "body_axis": (("body_axis",), axes, {"long_name": "axis of the body frame"}),
    }
    if setup.start is not None:
        variables.update(of_start(setup, setup.start))
    if model.joints:
        names = list(model.joint_names)
        coordinates["joint"] = (("joint",), names, {"long_name": "name of a joint"})
    if "integrals" in variables:
        named = [f"work of {name}" for name in (*model.force_names, *model.driver_names)]
        angles = {k: name for name, at in angle_columns(setup).items() for k in at}
        named += [f"angle of {angles[k]}" for k in range(len(named), run.integrals.shape[1])]
        coordinates["integral"] = (("integral",), named, {"long_name": "what is integrated"})
    if "coordinates" in variables:
        keys = [f"{word} of {joint}" for joint, word in coordinate_keys(model)]
        coordinates["joint_coordinate"] = (("joint_coordinate",), keys, {})
    if "multipliers" in variables:
        named = ["padding"] * setup.system.row_count
        for row in real_rows(setup.system).tolist():
            named[row] = " ".join(joint_of_row(setup, row))
        coordinates["constraint_row"] = (("constraint_row",), named, {})
    inputs = setup.signals.given
    if inputs is not None:
        text = "inputs of motors and servos, each held from its time on"
        coordinates["input_time"] = described(("input_time",), inputs.times, "s", "time")
        motors = list(setup.signals.inputs)
        coordinates["input"] = (("input",), motors, {"long_name": "name of a motor"})
        variables["inputs"] = described(("input_time", "input"), inputs.values, "1", text)
    begin = run.checkpoint
    going_on = {} if begin is None else {"checkpoint": begin.as_text()}
    attributes = {
        **attributes_of(run.problem, run.provenance, text_of(model)), "status": run.status,
        "message": run.message, **going_on,
    }  # fmt: skip
    return Table(coordinates, variables, attributes)


def over_time(run: "Trajectory") -> dict[str, Any]:
    """All that has a value at every time: each value is of its own time alone."""
    setup, t, absolute, integrals = run.problem.setup, run.t, run.absolute, run.integrals
    variables = {"time": described(("time",), t.copy(), "s", "time"), **of_bodies(setup, absolute)}
    with np.errstate(over="ignore", invalid="ignore"):  # a run that stopped may end at 1e200 m/s
        variables.update(of_all(setup, absolute, integrals))
    if setup.model.joints:
        gaps = np.array([gap(setup, name, absolute, t) for name in setup.model.joint_names])
        angle, length = np.linalg.norm(gaps, axis=3).transpose(1, 2, 0)
        dims, open_by = ("time", "joint"), "by which a joint is open"
        variables["violation"] = described(dims, length, "m", f"distance {open_by}")
        variables["violation_angle"] = described(dims, angle, "rad", f"angle {open_by}")
    if integrals.size:
        text = "work of forces and drivers (J), then unwrapped angles (rad)"
        variables["integrals"] = described(("time", "integral"), integrals.copy(), "1", text)
    if run.coordinates is not None and run.coordinates.size:
        text = "joint coordinates, as they were integrated: angles (rad), displacements (m)"
        dims = ("time", "joint_coordinate")
        variables["coordinates"] = described(dims, run.coordinates.copy(), "1", text)
    if run.multipliers is not None and run.multipliers.size:
        text = "multipliers of the constraint rows, as the method found them: N, N m"
        dims = ("time", "constraint_row")
        variables["multipliers"] = described(dims, run.multipliers.copy(), "1", text)
    return variables


def text_of(model: Model) -> str:
    """A model as JSON; after a "#", why there is none of one with functions of the user's own."""
    try:
        return json.dumps(to_plain(model), allow_nan=False)
    except InvalidModel as error:
        return f"# {error.what}"


def attributes_of(problem: Problem, provenance: Provenance, model_text: str) -> dict[str, Any]:
    setup = problem.setup
    digest = {DIGEST: model_fingerprint(setup.model)} if model_text.startswith("#") else {}
    return {
        **digest,
        "title": f"chasles: {setup.model!r}",
        "chasles_format": FORMAT,
        "model": model_text,
        "spaces": json.dumps({name: asdict(space) for name, space in setup.spaces.items()}),
        "by_hand": json.dumps(problem.choice.by_hand),
        "cut": json.dumps(problem.choice.cut),
        "provenance": json.dumps(provenance.as_dict()),
        "start_angles": json.dumps(dict(setup.angles)),
        "start_displacements": json.dumps(dict(setup.displacements)),
    }


def to_xarray(table: Table) -> "Dataset":
    from xarray import Dataset

    return Dataset(table.variables, table.coordinates, table.attributes)


def of_bodies(setup: Setup, absolute: Floats) -> dict[str, Any]:
    """Poses and velocities, bodies in the model's order."""
    ordered = absolute[:, setup.model_order]
    rotation, velocity = rotations(ordered), in_world(ordered, ordered[..., TWIST + 3 :])
    body_velocity = ordered[..., TWIST + 3 : TWIST + 6]
    position, spin = ordered[..., POSE_X : POSE_X + 3], ordered[..., TWIST : TWIST + 3]
    world, own = ("time", "body", "axis"), ("time", "body", "body_axis")
    moving, turns = "velocity of the centre of mass", "rotation matrix from the body frame to the"
    return {
        "position": described(world, position, "m", "centre of mass in the world"),
        "rotation": described((*world, "body_axis"), rotation, "1", f"{turns} world"),
        "velocity": described(world, velocity, "m/s", f"{moving} in the world"),
        "angular_velocity": described(own, spin, "rad/s", "angular velocity in the body frame"),
        "body_velocity": described(own, body_velocity, "m/s", f"{moving} in the body frame"),
    }


def of_start(setup: Setup, start: Floats) -> dict[str, Any]:
    """Where a run began that did not begin as the model was entered."""
    return {
        f"start_{name}": (dims[1:], values[0], {**attributes, "time": "start of the run"})
        for name, (dims, values, attributes) in of_bodies(setup, start[None]).items()
    }


def of_all(setup: Setup, absolute: Floats, integrals: Floats) -> dict[str, Any]:
    """Energy and momenta of the whole model."""
    kinetic = energy.kinetic_of_all(setup, absolute)
    potential = energy.potential_of_all(setup, absolute, integrals)
    linear = energy.linear_momentum(setup, absolute)
    angular = energy.angular_momentum(setup, absolute)
    one, vector = ("time",), ("time", "axis")
    of, about = "of gravity (zero at the origin of the world) and springs", "about the origin"
    return {
        "kinetic_energy": described(one, kinetic, "J", "kinetic energy"),
        "potential_energy": described(one, potential, "J", of),
        "energy": described(one, kinetic + potential, "J", "kinetic and potential energy"),
        "momentum": described(vector, linear, "N s", "linear momentum in the world"),
        "angular_momentum": described(
            vector, angular, "N m s", f"angular momentum {about} of the world"
        ),
    }


def described(dims: tuple[str, ...], values: Floats, units: str, long_name: str) -> Any:
    return dims, values, {"units": units, "long_name": long_name}
