"""Models and runs as TOML files: data only, written to be read by people.

A file goes through three doors: it is small and shallow (`limits`), its keys mean something once
their units are taken out (`units`), and its values are those of a model: the parts themselves check
them, as they check a user's own words.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from chasles.io.limits import check_keys, check_tree, text_of
from chasles.io.run_options import (
    RUN_TYPES,
    check_not_of_python,
    check_types,
    checked_run,
    run_to_plain,
)
from chasles.io.toml_text import write_text
from chasles.io.units import in_si
from chasles.model import Body, ChaslesError, InvalidFile, Model
from chasles.model.model import checked_model
from chasles.model.plain import (
    REQUIRED,
    SIGNALS,
    VECTORS,
    Reader,
    body_to_plain,
    data_of,
    defaults_of,
    placed_at,
    to_plain,
)

#: How a body may be made, beside by mass and inertia.
SOLIDS: dict[str, Callable[..., Body]] = {
    "box": Body.box, "cylinder": Body.cylinder, "rod": Body.rod, "sphere": Body.sphere,
    "frame": Body.frame,
}  # fmt: skip
#: What every body takes, and what a rotation in words is said by.
START = ("position", "rotation", "velocity", "angular_velocity")
TURN = {"axis", "angle", "euler", "angles", "quaternion"}
#: Of the solids that bodies may be made as: what says how large they are.
SIZES = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length", "axis"),
    "rod": ("length", "axis"),
}  # fmt: skip
#: Kinds of joints and forces that are about an angle alone, or about a displacement alone.
TURNS = {
    "revolute": True, "spherical": True, "prismatic": False, "spring": False, "torsionspring": True,
}  # fmt: skip


def read_toml(path: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """The model of a file, and its options for `simulate`."""
    source, text = text_of(path)
    with placed_at(f"'{source}'"):
        return parsed(text, source)


def parsed(text: str, source: Path) -> tuple[Model, dict[str, Any]]:
    """Model and options of a text; errors say where in the file, but not which file it is."""
    document = decoded(text, source)
    run = parsed_run(document.pop("run", {}))
    return FileReader(document).model(document), run


def parsed_run(table: dict[str, Any]) -> dict[str, Any]:
    """The options for `simulate` of a table [run], by the same rules wherever it stands."""
    check_not_of_python(table)
    plain = in_si(table, set(RUN_TYPES), "run") if isinstance(table, dict) else table
    check_types(plain, RUN_TYPES, "run")
    return checked_run(plain)


def decoded(text: str, source: Path) -> dict[str, Any]:
    """The tables of a text, if it is TOML and not made to choke its reader."""
    check_keys(text, source)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise InvalidFile(
            f"'{source}' is nested too deep.", "A model has lists of tables of numbers."
        ) from None
    except (ValueError, OverflowError) as error:
        raise InvalidFile(
            f"'{source}' is not TOML: {' '.join(str(error).split())[:200]}.",
            "Correct the text there; see toml.io.",
        ) from None
    check_tree(document, source)
    return document


# --- keys and their units -------------------------------------------------------------------------


class FileReader(Reader):
    """Reads what people write: units in the names of keys, and solids beside mass and inertia."""

    kinds: ClassVar[dict[str, Any]] = {**Reader.kinds, "bodies": {"body": Body, **SOLIDS}}

    def __init__(self, document: Mapping[str, Any]) -> None:
        listed = document.get("joints")
        joints = [j for j in listed if isinstance(j, dict)] if isinstance(listed, list) else []
        #: name -> kind of every joint that says both; what else is wrong is refused later
        self.joints = {j["name"]: j.get("kind") for j in joints if isinstance(j.get("name"), str)}

    def expected(self, make: Any) -> dict[str, Any]:
        """A solid may have a start; what is left out of it is not given."""
        known = super().expected(make)
        if make in SOLIDS.values():
            known |= dict.fromkeys(START)
            del known["start"]
        return known

    def of_kind(self, table: Any, what: str, where: str) -> tuple[Any, dict[str, Any]]:
        make, fields = super().of_kind(table, what, where)
        if make in SOLIDS.values():
            fields = {name: value for name, value in fields.items() if value is not None}
        return make, fields

    def fields(self, table: Any, expected: dict[str, Any], where: str) -> dict[str, Any]:
        """A table in SI units."""
        if isinstance(table, dict):
            table = in_si(table, set(expected), where, self.turning(table))
            if isinstance(table.get("rotation"), dict):
                table["rotation"] = in_si(table["rotation"], TURN, f"{where}, rotation")
        return super().fields(table, expected, where)

    def turning(self, part: Mapping[str, Any]) -> bool | None:
        """Whether the numbers of a part are about turning or shifting; None: both, or not known."""
        if part.get("coordinate") in ("angle", "displacement"):
            return bool(part["coordinate"] == "angle")
        kind, joint = part.get("kind"), part.get("joint")
        if isinstance(joint, str):
            kind = self.joints.get(joint, kind)
        return TURNS.get(kind) if isinstance(kind, str) else None


# --- writing --------------------------------------------------------------------------------------


def write_model(
    model: Model, path: str | os.PathLike[str], run: Mapping[str, Any] | None = None
) -> Path:
    """Write a model, and options of `simulate`, as a TOML file."""
    return write_text(document_of(model, run), path)


def document_of(model: Model, run: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The tables of a file: what differs from the defaults."""
    checked_model(model)
    plain = to_plain(model)
    plain["bodies"] = [
        brief_body(table, body) for table, body in zip(plain["bodies"], model.bodies)
    ]
    for what in ("joints", "forces", "drivers", "sensors"):
        parts = getattr(model, what)
        plain[what] = [
            brief(table, defaults_of(type(part))) for table, part in zip(plain.get(what, []), parts)
        ]
    if run is not None:
        plain["run"] = run_to_plain(run)
    return plain


def brief(table: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The table of a part without what is as `known` by default."""
    short = {**table}
    for name in SIGNALS:
        if isinstance(short.get(name), dict):
            signal = brief_signal(short[name])
            if name != "motion" or isinstance(signal, dict | str):  # a driver takes no number
                short[name] = signal
    for name in VECTORS:
        if isinstance(short.get(name), list):
            short[name] = brief_vector(short[name])
    return {
        name: value
        for name, value in short.items()
        if value is not None
        and (known.get(name, REQUIRED) is REQUIRED or not same(data_of(known[name]), value))
    }


def brief_body(table: dict[str, Any], body: Body) -> dict[str, Any]:
    """The table of a body: as a solid, if that makes the same one to the bit."""
    for kind, size in sizes(body):
        known = {**defaults_of(Body), **defaults_of(SOLIDS[kind])}
        look = {} if body.shape is None else {"colour": body.shape.colour}
        fields = {"name": body.name, **size, **look}
        fields |= {name: table[name] for name in START}
        try:
            is_solid = same(table, body_to_plain(SOLIDS[kind](**fields)))
        except ChaslesError:  # drawn so thin that a solid of that shape would have no inertia
            is_solid = False
        if is_solid:
            return {"kind": kind, **brief(fields, known)}
    shapes = table["shapes"]
    drawn = {"shape": shapes[0]} if len(shapes) == 1 else {"shapes": shapes} if shapes else {}
    rest = {name: value for name, value in table.items() if name != "shapes"}
    return brief({**rest, **drawn}, defaults_of(Body))


def sizes(body: Body) -> list[tuple[str, dict[str, Any]]]:
    """The solids that a body may be, and the keywords for size and mass that make it one."""
    shape = body.shape
    if body.mass == 0.0:
        return [("frame", {})]
    if shape is None or shape.kind not in SIZES:
        return []
    size = {name: data_of(getattr(shape, name)) for name in SIZES[shape.kind]}
    return [(shape.kind, {**size, "mass": body.mass})]


def same(first: Any, second: Any) -> bool:
    """Whether two values are the same to the bit; -0.0 is not 0.0."""
    return repr(first) == repr(second)


def brief_vector(entries: list[Any]) -> list[Any]:
    """Three numbers, or three functions of which constants are numbers, unless all of them are."""
    short = [brief_signal(entry) if isinstance(entry, dict) else entry for entry in entries]
    signals = any(isinstance(entry, dict) for entry in entries)
    return entries if signals and all(isinstance(entry, float) for entry in short) else short


def brief_signal(table: dict[str, Any]) -> Any:
    """An expression as its text, a constant as its number."""
    if table["kind"] == "expression":
        return table["text"]
    if table["kind"] == "linear" and same(0.0, table["slope"]):
        return table["offset"]
    return brief(table, defaults_of(Reader.kinds["signals"][table["kind"]]))
