"""A model as plain data, and back: dictionaries, lists, numbers and strings, nothing to run.

What can be written to TOML or JSON.  A function of the user's own is code, so it is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from chasles.model import couplings, drivers, forces, joint_forces, joints, loads, rolling
from chasles.model.body import Body, checked_axis
from chasles.model.checks import checked_positive, checked_vector
from chasles.model.errors import InvalidModel, InvalidSignal, UnknownName, one_line, told
from chasles.model.model import Model
from chasles.model.shapes import Box, Cylinder, Sphere
from chasles.model.signals import Signal
from chasles.model.waves import Linear, Ramp, Sine, Table

Kinds = dict[str, type[Any]]


def by_name(*kinds: type[Any]) -> Kinds:
    return {kind.__name__: kind for kind in kinds}


JOINTS = by_name(
    joints.Spherical,
    joints.Revolute,
    joints.Prismatic,
    joints.Cylindrical,
    joints.Helical,
    joints.Planar,
    joints.Fixed,
    couplings.Universal,
    couplings.ConstantVelocity,
    couplings.Distance,
    couplings.PointOnLine,
    couplings.PointOnPlane,
    couplings.Gear,
    rolling.RollingSphere,
    rolling.RollingDisc,
)
FORCES = by_name(
    forces.Spring,
    forces.Bushing,
    joint_forces.JointSpring,
    joint_forces.TorsionSpring,
    joint_forces.JointFriction,
    joint_forces.Motor,
    loads.Load,
    loads.Drag,
)
DRIVERS = by_name(drivers.Driver, drivers.PointDriver)
SHAPES = by_name(Box, Cylinder, Sphere)
WAVES: dict[str, Callable[..., Signal]] = {
    "Linear": Signal.linear,
    "Ramp": Signal.ramp,
    "Sine": Signal.sine,
    "Table": lambda times, values: Signal.table(times, values),
}
PARTS: dict[str, Kinds] = {"joints": JOINTS, "forces": FORCES, "drivers": DRIVERS}


def to_plain(model: Model) -> dict[str, Any]:
    """The model as plain data; what is left out (None) is left out there too.

    >>> model = Model([Body("ball", 1.0, (1, 1, 1))], gravity=(0, 0, 0))
    >>> from_plain(to_plain(model)) == model
    True
    """
    plain: dict[str, Any] = {
        "gravity": list(model.gravity),
        "bodies": [without_kind(plain_part(body, f"body '{body.name}'")) for body in model.bodies],
    }
    for what in PARTS:
        plain[what] = [
            plain_part(part, f"{what.removesuffix('s')} '{part.name}'")
            for part in getattr(model, what)
        ]
    return plain


def from_plain(plain: Any) -> Model:
    """The model that `to_plain` made plain, checked like any other."""
    known = ("bodies", *PARTS, "gravity")
    table = checked_table(plain, "model")
    for key in table:
        if key not in known:
            raise UnknownName.among("part", key, known, where="model")
    bodies = [
        made(Body, checked_table(part, place), place) for place, part in entries(table, "bodies")
    ]
    parts = {
        what: [made_of(kinds, part, place) for place, part in entries(table, what)]
        for what, kinds in PARTS.items()
    }
    gravity = {"gravity": table["gravity"]} if "gravity" in table else {}
    return Model(bodies, **parts, **gravity)


def plain_part(part: Any, where: str) -> dict[str, Any]:
    """The kind of a part and all that its `__init__` takes."""
    plain = {"kind": type(part).__name__}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.init and value is not None:
            plain[field.name] = plain_value(value, f"{where}: {field.name}")
    return plain


def plain_value(value: Any, where: str) -> Any:
    if isinstance(value, tuple):
        return [plain_value(each, where) for each in value]
    if isinstance(value, Box | Cylinder | Sphere):
        return plain_part(value, where)
    if isinstance(value, Signal) and is_wave(value):
        wave = plain_part(value.function, where)
        del wave["order"]
        return wave
    if isinstance(value, Signal):
        value = value.function
    if callable(value):
        raise InvalidModel(
            f"{where} is {told(value)}: a function of your own cannot be saved.",
            "Sample it: Signal.table(t, values); or keep the script that makes the model.",
        )
    return value


def is_wave(signal: Signal) -> bool:
    """Whether a signal was made by name, so that its data say all about it."""
    return isinstance(signal.function, Linear | Ramp | Sine | Table) and signal == signal_of(
        signal.function
    )


def signal_of(wave: Any) -> Signal:
    """The signal of a wave, with the wave's own derivatives."""
    data = {field.name: getattr(wave, field.name) for field in fields(wave)}
    return Signal(*(type(wave)(**(data | {"order": order})) for order in range(3)))


def made_of(kinds: Kinds, part: Any, where: str) -> Any:
    """The part of the kind that its table names."""
    table = checked_table(part, where)
    kind = checked_kind(table, kinds, where)
    return made(kinds[kind], without_kind(table), where)


def made(kind: type[Any], table: Mapping[str, Any], where: str) -> Any:
    """A part from its table, whose own checks apply."""
    takes = [field.name for field in fields(kind) if field.init]
    for key in table:
        if key not in takes:
            raise UnknownName.among("field", key, takes, where=where)
    values = {
        key: MAKERS[key](value, f"{where}, {key}") if key in MAKERS else value
        for key, value in table.items()
    }
    try:
        return kind(**values)
    except TypeError as error:
        raise incomplete(kind.__name__, table, where, error) from None


def made_signal(wave: Any, where: str) -> Signal:
    """A signal by its name and numbers, checked as when a user makes it."""
    table = checked_table(wave, where)
    kind = checked_kind(table, WAVES, where)
    try:
        return WAVES[kind](**without_kind(table))
    except InvalidSignal as error:
        raise InvalidModel(f"{where}: {error.what}", error.remedy) from None
    except TypeError as error:
        raise incomplete(kind, table, where, error) from None


def made_shape(shape: Any, where: str) -> Any:
    """A shape, all of whose sizes are positive."""
    table = checked_table(shape, where)
    kind = checked_kind(table, SHAPES, where)
    sizes = without_kind(table)
    if "size" in sizes:
        x, y, z = checked_vector(sizes["size"], "size", where, InvalidModel)
        sizes["size"] = tuple(positive(edge, "edge", where) for edge in (x, y, z))
    for length in ("radius", "length"):
        if length in sizes:
            sizes[length] = positive(sizes[length], length, where)
    if "axis" in sizes:
        checked_axis(sizes["axis"], where)
    try:
        return SHAPES[kind](**sizes)
    except TypeError as error:
        raise incomplete(kind, table, where, error) from None


def positive(value: Any, what: str, where: str) -> float:
    return checked_positive(value, what, "m", where, InvalidModel)


def incomplete(kind: str, table: Mapping[str, Any], where: str, error: TypeError) -> InvalidModel:
    return InvalidModel(
        f"{where}: no {kind} can be made of {sorted(table)}: {one_line(error)}.",
        "Give all the fields that this kind has, and no others.",
    )


def entries(table: Mapping[str, Any], what: str) -> list[tuple[str, Any]]:
    """The tables of one list, each with its place for messages."""
    parts = table.get(what, [])
    if not isinstance(parts, list | tuple):
        raise InvalidModel(f"model: {what} is {told(parts)}.", "Give a list of tables.")
    return [(f"{what}[{index}]", part) for index, part in enumerate(parts)]


def checked_table(part: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(part, Mapping) or not all(isinstance(key, str) for key in part):
        raise InvalidModel(
            f"{where} is {told(part)}, which is no table.", "Give names and their values."
        )
    return part


def without_kind(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != "kind"}


def checked_kind(table: Mapping[str, Any], kinds: Mapping[str, Any], where: str) -> str:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise UnknownName.among("kind", kind, kinds, where=where)
    return kind


#: how the fields that are tables themselves are made
MAKERS: dict[str, Callable[[Any, str], Any]] = {
    "shape": made_shape,
    "target": made_signal,
    "effort": made_signal,
    "motion": made_signal,
}
