"""A model as plain data, and back: dicts, lists, strings and floats, as JSON has them.

Floats keep every bit (JSON writes the shortest text that reads back the same).  Reading makes the
bodies and joints anew, so plain data is checked like a user's own words.  What a part has a default
for may be left out.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields as fields_of
from inspect import Parameter, signature
from typing import Any
from warnings import warn

import numpy as np

from chasles.model.body import Body
from chasles.model.checks import IDENTITY
from chasles.model.drivers import AnyDriver
from chasles.model.errors import ChaslesError, ChaslesWarning, InvalidModel, UnknownName, short_repr
from chasles.model.expressions import Expression
from chasles.model.forces import Force
from chasles.model.joints import Joint
from chasles.model.model import Model
from chasles.model.sensors import AnySensor
from chasles.model.shapes import Shape
from chasles.model.signals import Components, Signal
from chasles.model.waves import Linear, Ramp, Sine, Table, Wave

Plain = dict[str, Any]
Kinds = Mapping[str, type[Any]]


WAVES: Kinds = {kind.__name__.lower(): kind for kind in (Linear, Ramp, Sine, Table, Expression)}
SHAPES: Kinds = Shape.kinds
#: Numbers of a mesh, as base64 of their bytes; and what shapes have where nothing is said.
PACKED = {"vertices": "<f8", "triangles": "<i8"}
POSE = {"position": (0.0, 0.0, 0.0), "rotation": IDENTITY, "colour": None}
SIGNALS = ("target", "effort", "motion")  # fields that hold a function of time
VECTORS = ("force", "torque")  # fields that hold three numbers or three functions of time
PARTS: dict[str, Kinds] = {
    "joints": Joint.kinds,
    "forces": Force.kinds,
    "drivers": AnyDriver.kinds,
    "sensors": AnySensor.kinds,
}
BODY = ("name", "mass", "inertia", "position", "rotation", "velocity", "angular_velocity", "shapes")


def to_plain(model: Model) -> Plain:
    """The model as plain data; a function of the user's own is code, and is refused."""
    check_kinds(model)
    warn_of_classes(model)
    plain: Plain = {
        "bodies": [body_to_plain(body) for body in model.bodies],
        "joints": [],
        "gravity": list(model.gravity),
    }
    for what in PARTS:
        if parts := getattr(model, what):
            plain[what] = [part_to_plain(part, part.where) for part in parts]
    if model.notes:
        plain["notes"] = list(model.notes)
    return plain


def from_plain(plain: Any) -> Model:
    """The model that `to_plain` was given, or an error that says where the data is wrong."""
    fields = checked_fields(plain, defaults_of(Model), "model")
    bodies = [
        body_from_plain(body, f"bodies[{index}]")
        for index, body in enumerate(checked_list(fields["bodies"], "bodies"))
    ]
    parts = {
        what: [
            part_from_plain(part, kinds, f"{what.removesuffix('s')} kind", f"{what}[{index}]")
            for index, part in enumerate(checked_list(fields[what], what))
        ]
        for what, kinds in PARTS.items()
    }
    notes = checked_list(fields["notes"], "notes")
    return Model(**{**fields, "bodies": bodies, **parts, "notes": notes})


def check_kinds(model: Model) -> None:
    """Refuse parts of classes that files do not know; what holds code is refused for that."""
    for what, kinds in PARTS.items():
        for part in getattr(model, what):
            own = type(part)
            if own in kinds.values() or any(callable(getattr(part, n)) for n in made_of(own)):
                continue
            raise InvalidModel(
                f"'{part.name}' is of the class {own.__name__}, which files do not know: they"
                " cannot describe how to make it again.",
                f"Declare it for files, class {own.__name__}({own.__mro__[1].__name__},"
                " in_files=True), and import it where they are read.",
            )


def warn_of_classes(model: Model) -> None:
    """Say which bodies come back as plain ones: they move alike, but are of other classes."""
    own = [body for body in model.bodies if type(body) is not Body]
    if own:
        names = ", ".join(f"'{body.name}' ({type(body).__name__})" for body in own[:5])
        more = f" and {len(own) - 5} more" if len(own) > 5 else ""
        warn(
            f"files hold {names}{more} as plain bodies: classes of your own, and what they hold"
            " beside the fields of Body, are not kept.",
            ChaslesWarning,
            stacklevel=2,
        )


def body_to_plain(body: Body) -> Plain:
    plain = {name: listed(getattr(body, name)) for name in BODY}
    plain["shapes"] = [shape_to_plain(shape) for shape in body.shapes]
    return plain


def body_from_plain(plain: Any, where: str) -> Body:
    if isinstance(plain, dict) and "shape" in plain:  # the word for one alone
        if "shapes" in plain:
            raise wrong(where, "has both 'shape' and 'shapes'.")
        one = plain["shape"]
        rest = {name: value for name, value in plain.items() if name != "shape"}
        plain = {**rest, "shapes": [] if one is None else [one]}
    known = {name: value for name, value in defaults_of(Body).items() if name in BODY}
    fields = checked_fields(plain, {**known, "shapes": ()}, where)
    shapes = [
        shape_from_plain(shape, f"{where}, shapes[{index}]")
        for index, shape in enumerate(checked_list(fields["shapes"], f"{where}, shapes"))
    ]
    with placed_at(where):
        return Body(**{**fields, "shapes": shapes})


def part_to_plain(part: Any, where: str) -> Plain:
    """The kind of a joint, force or driver, and all that it takes to make it."""
    return {
        "kind": part.kind,
        **{
            name: value_to_plain(getattr(part, name), f"{where}: {name}")
            for name in made_of(type(part))
        },
    }


def has_code(part: Any) -> bool:
    """Whether a joint, force or driver holds a function of the user's own."""
    try:
        part_to_plain(part, part.where)
    except InvalidModel:
        return True
    return False


def part_from_plain(plain: Any, kinds: Kinds, what: str, where: str) -> Any:
    kind = kinds[checked_kind(plain, kinds, what, where)]
    fields = checked_fields(plain, {"kind": REQUIRED, **defaults_of(kind)}, where)
    values = {name: value for name, value in fields.items() if name != "kind"}
    with_signals(values, dict | list | str, signal_from_plain, where)
    if isinstance(values.get("shape"), dict):
        values["shape"] = shape_from_plain(values["shape"], f"{where}, shape")
    with placed_at(where):
        return kind(**values)


def shape_to_plain(shape: Shape) -> Plain:
    """The kind and all that it takes to make it; a pose only where there is one."""
    plain: Plain = {"kind": shape.kind}
    for name in made_of(type(shape)):
        value = getattr(shape, name)
        if name in PACKED:
            value = b64encode(value.astype(PACKED[name]).tobytes()).decode("ascii")
        if name not in POSE or repr(value) != repr(POSE[name]):  # -0.0 is not 0.0
            plain[name] = listed(value)
    return plain


def shape_from_plain(plain: Any, where: str) -> Shape:
    kind = checked_kind(plain, SHAPES, "shape", where)
    where = f"{where}, {kind}"
    fields = checked_fields(plain, {"kind": REQUIRED, **defaults_of(SHAPES[kind])}, where)
    values = {name: value for name, value in fields.items() if name != "kind"}
    for name, number in PACKED.items():
        if name in values:
            try:
                values[name] = np.frombuffer(b64decode(values[name], validate=True), number)
                values[name] = values[name].reshape(-1, 3)
            except (TypeError, ValueError, binascii.Error):
                raise InvalidModel(
                    f"{where}, {name} is not base64 of rows of three numbers.",
                    "Write the data with to_plain.",
                ) from None
    shape: Shape = SHAPES[kind](**values)
    return shape


def with_signals(
    fields: Plain, written: Any, change: Callable[[Any, str], Any], where: str
) -> None:
    """Change functions of time, as they are `written`, also where they are parts of a vector."""
    for name in (*SIGNALS, *VECTORS):
        value, place = fields.get(name), f"{where}, {name}"
        if name in VECTORS and isinstance(value, list):
            fields[name] = [
                change(entry, f"{place}[{index}]") if isinstance(entry, written) else entry
                for index, entry in enumerate(value)
            ]
        elif name in SIGNALS and isinstance(value, written):
            fields[name] = change(value, place)


def made_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields that the maker of a part takes."""
    return tuple(field.name for field in fields_of(kind) if field.init)


def value_to_plain(value: Any, where: str) -> Any:
    if isinstance(value, Signal):
        return signal_to_plain(value, where)
    if isinstance(value, Components):
        return [signal_to_plain(signal, where) for signal in value.signals]
    if isinstance(value, Shape):
        return shape_to_plain(value)
    if callable(value):
        raise own_function(value, where)
    return listed(value)


def signal_to_plain(signal: Signal, where: str) -> Plain:
    """A signal that was made by name: a line, a ramp, a sine or a table."""
    wave = signal.function
    if not isinstance(wave, Wave) or signal != Signal.of(wave):
        raise own_function(wave, where)
    numbers = {name: listed(getattr(wave, name)) for name in wave_fields(type(wave))}
    return {"kind": type(wave).__name__.lower(), **numbers}


def signal_from_plain(plain: Any, where: str) -> Signal:
    """A signal by its kind; a text alone is an expression."""
    if isinstance(plain, str):
        plain = {"kind": "expression", "text": plain}
    kind = checked_kind(plain, WAVES, "signal kind", where)
    names = wave_fields(WAVES[kind])
    known = defaults_of(WAVES[kind])
    expected = {"kind": REQUIRED, **{name: known[name] for name in names}}
    fields = checked_fields(plain, expected, where)
    try:
        made: Signal = getattr(Signal, kind)(*(fields[name] for name in names))
        return made
    except ChaslesError as error:
        raise InvalidModel(f"{where}: {error.what}", error.remedy) from None


def wave_fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in made_of(kind) if name != "order")


def own_function(function: Any, where: str) -> InvalidModel:
    return InvalidModel(
        f"{where} is {short_repr(function)}: a function of your own cannot be saved.",
        "Keep the script that makes the model; for a motion, a Signal.table(t, values) or a"
        " Signal.expression('sin(t)') is saved.",
    )


def listed(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    return [listed(entry) for entry in value] if isinstance(value, tuple) else value


REQUIRED = Parameter.empty


def defaults_of(made: Callable[..., Any]) -> dict[str, Any]:
    """What something is made of: name -> default, REQUIRED where there is none."""
    return {name: parameter.default for name, parameter in signature(made).parameters.items()}


@contextmanager
def placed_at(where: str) -> Iterator[None]:
    """Errors of a part say where in the data it stands."""
    try:
        yield
    except ChaslesError as error:
        if error.what.startswith(where):
            raise
        raise type(error)(f"{where}: {error.what}", error.remedy) from None


def checked_fields(plain: Any, expected: dict[str, Any], where: str) -> Plain:
    """A dict with the expected keys and no others; those left out by their defaults."""
    if not isinstance(plain, dict):
        raise wrong(where, f"must be a dict of {', '.join(expected)}, got {short_repr(plain)}.")
    for key in plain:
        UnknownName.check("field", key, expected, where)
    for key, default in expected.items():
        if key not in plain and default is REQUIRED:
            raise wrong(where, f"has no '{key}'.")
    return {**expected, **plain}


def checked_kind(plain: Any, known: Mapping[str, Any], what: str, where: str) -> str:
    """The kind that the data says it is of."""
    kind = plain.get("kind") if isinstance(plain, dict) else None
    return UnknownName.check(what, kind, known, where)


def checked_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list) and value != ():  # left out
        raise wrong(where, f"must be a list, got {short_repr(value)}.")
    return list(value)


def wrong(where: str, what: str) -> ChaslesError:
    return InvalidModel(f"{where} {what}", "Give the data as a model is written.")
