"""Sliders of a live page: what they are called, their positions, and what each changes.

They set gravity, where joints start, fields of parts, and the inputs of motors and servos.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.model import (
    Coupling,
    Driver,
    InvalidOption,
    Joint,
    JointStop,
    Model,
    Motor,
    UnknownName,
    input_of,
)
from chasles.model.coordinates import ANGLE
from chasles.model.errors import short_repr
from chasles.model.model import EARTH
from chasles.model.parameters import part_named, with_parameters
from chasles.run.control import own_target
from chasles.view.scene import Scene
from chasles.view.tracks import Header

POSITIONS = 41  # of a slider
MOST_SLIDERS = 4
UNITS = {"mass": "kg", "velocity": "m/s", "angular_velocity": "rad/s", "stiffness": "N/m",
         "damping": "N s/m", "gravity": "m/s²"}  # fmt: skip
RATE = ".rate"
DEGREES = 180.0 / np.pi


@dataclass(frozen=True)
class Slider:
    """A start value or a parameter: its path, and the values of its positions."""

    path: str
    name: str
    unit: str
    values: tuple[float, ...]
    first: int  # the position of the value that the result had
    scale: float = 1.0  # from values to what is shown

    def header(self, kept: Sequence[int]) -> Header:
        shown = [float(f"{self.values[k] * self.scale:.6g}") for k in kept]
        return {"name": self.name, "unit": self.unit, "values": shown,
                "at": list(kept).index(self.first)}  # fmt: skip


def changed(
    model: Model, values: Mapping[str, float]
) -> tuple[Model, dict[str, Any] | None, dict[str, float]]:
    """The model, joint coordinates to start at, and inputs of motors, for values of sliders."""
    fields: dict[str, Any] = {}
    inputs = {path: value for path, value in values.items() if path in motors_of(model)}
    start: dict[str, tuple[Any, Any]] = {}
    for path, value in values.items():
        joint = path.removesuffix(RATE)
        if path in inputs:
            continue
        if joint in model.joint_names:
            old = start.get(joint, (None, None))
            start[joint] = (old[0], value) if path.endswith(RATE) else (value, old[1])
        elif path == "gravity":
            pull = np.array(model.gravity if any(model.gravity) else EARTH)  # which way
            fields[path] = tuple(value * pull / np.linalg.norm(pull))
        elif path[-2:] in (".x", ".y", ".z"):
            vector = list(fields.get(path[:-2], field_of(model, path[:-2])))
            vector["xyz".index(path[-1])] = value
            fields[path[:-2]] = tuple(vector)
        else:
            fields[path] = value
    return with_parameters(model, fields) if fields else model, start or None, inputs


def motors_of(model: Model) -> dict[str, Motor]:
    """Motors and servos whose input a slider can be, by name."""
    motors = [f for f in model.forces if isinstance(f, Motor) and own_target(f) is not None]
    return {motor.name: motor for motor in motors if motor.name not in model.joint_names}


def field_of(model: Model, path: str) -> Any:
    name, _, field = path.rpartition(".")
    return getattr(part_named(model, name), field, None)


def sliders_of(
    model: Model, given: Mapping[str, Any] | None, where: str = "animate"
) -> list[Slider]:
    """Those that were asked for, or the usual ones."""
    ranges = usual_ranges(model) if given is None else given
    if not isinstance(ranges, Mapping) or len(ranges) > MOST_SLIDERS:
        raise InvalidOption(
            f"{where}: sliders must be a dict of at most {MOST_SLIDERS} ranges, got"
            f" {short_repr(given)}.",
            "Give {'gravity': (0, 20), 'hinge': (-1.5, 1.5)}, say.",
        )
    return [slider_of(model, path, span, f"{where}: sliders") for path, span in ranges.items()]


def usual_ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Inputs of motors, spin of free bodies, start of the first joints of a tree, gravity."""
    ranges: dict[str, tuple[float, float]] = {}
    for name, motor in list(motors_of(model).items())[:2]:
        ranges[name] = usual_input(model, motor)
    for body in model.bodies:
        own = [j for j in model.joints if body.name in (j.a, j.b)]
        spin = np.array(body.angular_velocity)
        if spin.any() and all(j.kind == "spherical" for j in own):
            axis = int(np.abs(spin).argmax())
            ends = sorted((0.0, 2.0 * float(spin[axis])))
            ranges[f"{body.name}.angular_velocity.{'xyz'[axis]}"] = (ends[0], ends[1])
            break
    if len(model.joints) <= len(model.bodies):  # no loops, which not every start closes
        for joint in free_joints(model)[:2]:
            ranges[joint.name] = usual_start(model, joint)
    strength = float(np.linalg.norm(model.gravity))
    if strength:
        ranges["gravity"] = (0.0, 2.0 * strength)
    return dict(list(ranges.items())[:MOST_SLIDERS])


def free_joints(model: Model) -> list[Joint]:
    """Joints of one coordinate, which neither a driver nor a coupling holds, nor stops at once."""
    held: set[str] = set()
    for driver in model.drivers:
        held |= {driver.joint} if isinstance(driver, Driver) else set()
        held |= set(driver.joints) if isinstance(driver, Coupling) else set()
    single = [j for j in model.joints if len(j.coordinates) == 1 and j.name not in held]
    return [joint for joint in single if np.ptp(usual_start(model, joint)) > 0.0]


def usual_start(model: Model, joint: Joint) -> tuple[float, float]:
    """Half a turn, or a quarter of the model, to both sides of the start; no further than stops."""
    kind = joint.coordinates[0]
    middle = joint.at_start(kind)
    wide = 3.0 if kind == ANGLE else 0.25 * Scene(model).size
    low, high = middle - wide, middle + wide
    for stop in model.forces:
        if isinstance(stop, JointStop) and (stop.joint, stop.coordinate) == (joint.name, kind):
            low = low if stop.lower is None else max(low, stop.lower)
            high = high if stop.upper is None else min(high, stop.upper)
    return min(low, middle), max(high, middle)


def usual_input(model: Model, motor: Motor) -> tuple[float, float]:
    """As far as its limits, as what can lift the model, or half a turn about the target."""
    middle = own_target(motor) or 0.0
    turns = motor.coordinate == ANGLE
    size = Scene(model).size
    if input_of(motor) != "effort":
        wide = 3.0 if turns else 0.25 * size
        return middle - wide, middle + wide
    if isinstance(motor.limit, tuple) and np.isfinite(motor.limit).all():
        return motor.limit
    weight = sum(body.mass for body in model.bodies) * (np.linalg.norm(model.gravity) or 9.81)
    wide = float(f"{weight * (0.5 * size if turns else 1.0) / abs(motor.gear):.1g}")
    return -wide, wide


def slider_of(model: Model, path: Any, span: Any, where: str) -> Slider:
    low, high = checked_span(path, span, where)
    joint = str(path).removesuffix(RATE)
    name, unit, scale, value = str(path), "", 1.0, None
    if joint in model.joint_names:
        kinds = model.joint(joint).coordinates
        if len(kinds) != 1:
            raise InvalidOption(
                f"{where}: joint '{joint}' has {len(kinds)} coordinates.",
                "Name a joint with one: a revolute or a prismatic one.",
            )
        per = "/s" if str(path).endswith(RATE) else ""
        unit, scale = (f"°{per}", DEGREES) if kinds[0] == ANGLE else (f"m{per}", 1.0)
        name = f"{joint}, {'rate' if per else kinds[0]} at the start"
        value = 0.0 if per else model.joint(joint).at_start(kinds[0])
    elif path in motors_of(model):
        name, unit, scale, value = input_words(motors_of(model)[path])
    elif path == "gravity":
        value, unit, name = float(np.linalg.norm(model.gravity)), UNITS["gravity"], "gravity"
    else:
        axis = str(path)[-1] if str(path)[-2:] in (".x", ".y", ".z") else ""
        base = str(path)[:-2] if axis else str(path)
        found = field_of(model, base)
        value = found["xyz".index(axis)] if axis and found is not None else found
        field = base.rpartition(".")[2]
        name = f"{base.rpartition('.')[0]}, {field.replace('_', ' ')} {axis}".strip()
        unit = UNITS.get(field, "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        known = ["gravity", *motors_of(model), *model.joint_names,
                 *(f"{b}.mass" for b in model.body_names),
                 *(f"{b}.angular_velocity.z" for b in model.body_names)]  # fmt: skip
        raise UnknownName.among("slider", str(path), known, where=where)
    values = np.linspace(low, high, POSITIONS)
    first = int(np.abs(values - value).argmin())
    if not low <= value <= high:
        raise InvalidOption(
            f"{where}: '{path}' goes from {low:g} to {high:g}, but the result has {value:g}.",
            "Give a range with that value in it.",
        )
    values[first] = value
    return Slider(str(path), name, unit, tuple(values.tolist()), first, scale)


def input_words(motor: Motor) -> tuple[str, str, float, float]:
    """Name, unit, scale and value of the input of a motor or servo."""
    turns, kind, value = motor.coordinate == ANGLE, input_of(motor), own_target(motor) or 0.0
    if kind == "effort":
        return f"{motor.name}, {'torque' if turns else 'force'}", "N m" if turns else "N", 1.0, 0.0
    per = "/s" if kind == "rate" else ""
    word = "target rate" if per else "target"
    unit, scale = (f"°{per}", DEGREES) if turns else (f"m{per}", 1.0)
    return f"{motor.name}, {word}", unit, scale, value


def checked_span(path: Any, span: Any, where: str) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in span)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < high or not np.isfinite((low, high)).all():
        raise InvalidOption(
            f"{where}: the range of {short_repr(path)} must be two numbers, the smaller first,"
            f" got {short_repr(span)}.",
            "Give (low, high).",
        )
    return low, high
