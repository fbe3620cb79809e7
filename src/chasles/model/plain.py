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
from functools import partial
from inspect import Parameter, signature
from typing import Any, ClassVar
from warnings import warn

import numpy as np

from chasles.model.body import Body
from chasles.model.checks import IDENTITY
from chasles.model.errors import ChaslesError, ChaslesWarning, InvalidModel, UnknownName, short_repr
from chasles.model.model import Model
from chasles.model.parts import KINDS
from chasles.model.shapes import Shape
from chasles.model.signals import Components, Signal
from chasles.model.waves import Wave

Plain = dict[str, Any]
Kinds = Mapping[str, type[Any]]


#: Numbers of a mesh, as base64 of their bytes; and what shapes have where nothing is said.
PACKED = {"vertices": "<f8", "triangles": "<i8"}
POSE = {"position": (0.0, 0.0, 0.0), "rotation": IDENTITY, "colour": None}
SIGNALS = ("target", "effort", "motion")  # fields that hold a function of time
VECTORS = ("force", "torque")  # fields that hold three numbers or three functions of time
WRITTEN = (dict, list, str)  # what stands for a function of time, rightly or not
PARTS: dict[str, Kinds] = {what: kind.kinds for what, kind in KINDS.items() if what != "bodies"}
LISTS = ("bodies", *PARTS)
#: How their kinds are called in messages.
WORDS = {"bodies": "body kind", "shapes": "shape", "signals": "signal kind"}
WORDS |= {what: f"{what.removesuffix('s')} kind" for what in PARTS}


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
    return Reader().model(plain)


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
    return {name: data_of(getattr(body, name), body.where) for name in made_of(Body)}


def part_to_plain(part: Any, where: str) -> Plain:
    """The kind of a part, and all that it takes to make it; a shape's pose only if it has one."""
    plain: Plain = {"kind": part.kind}
    usual = POSE if isinstance(part, Shape) else {}
    for name in made_of(type(part)):
        value = getattr(part, name)
        if name not in usual or repr(value) != repr(usual[name]):  # -0.0 is not 0.0
            plain[name] = data_of(value, f"{where}: {name}")
    return plain


def has_code(part: Any) -> bool:
    """Whether a joint, force or driver holds a function of the user's own."""
    try:
        part_to_plain(part, part.where)
    except InvalidModel:
        return True
    return False


def made_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields that the maker of a part takes."""
    return tuple(field.name for field in fields_of(kind) if field.init)


def data_of(value: Any, where: str = "") -> Any:
    """The value of a field: tuples as lists, numbers of meshes as text, signals by their waves."""
    if isinstance(value, Signal):
        wave = value.function
        if isinstance(wave, Wave) and value == Signal.of(wave):
            return part_to_plain(wave, where)
        value = wave
    if isinstance(value, Components):
        value = value.signals
    if isinstance(value, Shape):
        return part_to_plain(value, where)
    if isinstance(value, tuple):
        return [data_of(entry, where) for entry in value]
    if isinstance(value, np.ndarray):
        return b64encode(value.astype(value.dtype.newbyteorder("<")).tobytes()).decode("ascii")
    if callable(value):
        raise InvalidModel(
            f"{where} is {short_repr(value)}: a function of your own cannot be saved.",
            "Keep the script that makes the model; for a motion, a Signal.table(t, values) or a"
            " Signal.expression('sin(t)') is saved.",
        )
    return value


# --- reading --------------------------------------------------------------------------------------


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


class Reader:
    """Makes a model of plain data; every list and table of it is read by a method of its own."""

    #: What tables may describe, by their kind.
    kinds: ClassVar[dict[str, Any]] = {
        "bodies": {"body": Body}, **PARTS, "shapes": Shape.kinds, "signals": Wave.kinds
    }  # fmt: skip

    def model(self, plain: Any) -> Model:
        fields = self.fields(plain, defaults_of(Model), "model")
        read: dict[str, Callable[[Any, str], Any]] = {
            "bodies": self.body, **{what: partial(self.part, what) for what in PARTS}
        }  # fmt: skip
        lists = {what: self.each(fields[what], what, one) for what, one in read.items()}
        notes = checked_list(fields["notes"], "notes")
        return Model(**{**fields, **lists, "notes": notes})

    def each(self, plain: Any, where: str, read: Callable[[Any, str], Any]) -> list[Any]:
        """What a list describes, entry by entry."""
        return [read(entry, f"{where}[{k}]") for k, entry in enumerate(checked_list(plain, where))]

    def body(self, plain: Any, where: str) -> Any:
        """A body, which need not say its kind."""
        return self.part(
            "bodies", {"kind": "body", **plain} if isinstance(plain, dict) else plain, where
        )

    def part(self, what: str, plain: Any, where: str) -> Any:
        """A body, joint, force, driver or sensor."""
        make, fields = self.of_kind(plain, what, where)
        for name in SIGNALS:
            if name in fields:
                fields[name] = self.of_time(fields[name], f"{where}, {name}")
        for name in VECTORS:
            if isinstance(fields.get(name), list):
                fields[name] = self.each(fields[name], f"{where}, {name}", self.of_time)
        if isinstance(fields.get("shape"), dict):
            fields["shape"] = self.shape(fields["shape"], f"{where}, shape")
        if isinstance(fields.get("shapes"), list):
            fields["shapes"] = self.each(fields["shapes"], f"{where}, shapes", self.shape)
        with placed_at(where):
            return make(**fields)

    def shape(self, plain: Any, where: str) -> Shape:
        make, fields = self.of_kind(plain, "shapes", where)
        for name in PACKED.keys() & fields.keys():
            try:
                data = b64decode(fields[name], validate=True)
                fields[name] = np.frombuffer(data, PACKED[name]).reshape(-1, 3)
            except (TypeError, ValueError, binascii.Error):
                raise InvalidModel(
                    f"{where}, {name} is not base64 of rows of three numbers.",
                    "Write the data with to_plain.",
                ) from None
        with placed_at(where):
            shape: Shape = make(**fields)
        return shape

    def of_time(self, plain: Any, where: str) -> Any:
        """A signal, if it stands for one."""
        return self.signal(plain, where) if isinstance(plain, WRITTEN) else plain

    def signal(self, plain: Any, where: str) -> Signal:
        """A signal by its kind; a text alone is an expression."""
        if isinstance(plain, str):
            plain = {"kind": "expression", "text": plain}
        wave, fields = self.of_kind(plain, "signals", where)
        try:
            made: Signal = getattr(Signal, wave.kind)(*fields.values())
            return made
        except ChaslesError as error:
            raise InvalidModel(f"{where}: {error.what}", error.remedy) from None

    def of_kind(self, table: Any, what: str, where: str) -> tuple[Any, Plain]:
        """What a table describes, and all that it takes to make it."""
        if not isinstance(table, dict):
            raise wrong(where, f"must be a dict, got {short_repr(table)}.")
        make = self.kinds[what][self.checked_kind(table.get("kind"), what, where)]
        fields = self.fields(table, {"kind": REQUIRED, **self.expected(make)}, where)
        del fields["kind"]
        return make, fields

    def expected(self, make: Any) -> dict[str, Any]:
        """What something is made of, with its defaults."""
        return defaults_of(make)

    def checked_kind(self, kind: Any, what: str, where: str) -> str:
        known = self.kinds[what]
        if kind is None:
            raise InvalidModel(
                f"{where} has no 'kind'.", f"Give kind = ..., one of {', '.join(known)}."
            )
        others = [name for name in LISTS if str(kind) in self.kinds[name]]
        if others and what in LISTS and what not in others:
            raise UnknownName(
                f"{where}: there is no {WORDS[what]} '{kind}'.", f"It belongs to [[{others[0]}]]."
            )
        return UnknownName.check(WORDS[what], kind, known, where)

    def fields(self, table: Any, expected: dict[str, Any], where: str) -> Plain:
        """The expected keys of a table, which has no others; those left out by their defaults."""
        if not isinstance(table, dict):
            raise wrong(where, f"must be a dict of {', '.join(expected)}, got {short_repr(table)}.")
        for key in table:
            UnknownName.check("field", key, expected, where)
        for key, default in expected.items():
            if key not in table and default is REQUIRED:
                raise InvalidModel(f"{where} has no '{key}'.", f"Give {key} = ...; {MODEL_FORM}")
        return {**expected, **table}


MODEL_FORM = "Model.write shows the form."


def checked_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list) and value != ():  # left out
        how = f"Write [[{where}]] in two brackets before each." if where in LISTS else MODEL_FORM
        raise InvalidModel(f"{where} must be a list, got {short_repr(value)}.", how)
    return list(value)


def wrong(where: str, what: str) -> ChaslesError:
    return InvalidModel(f"{where} {what}", MODEL_FORM)
