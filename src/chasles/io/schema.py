"""What a model file may say: the keys of parts, and the options of a run with their types.

Keys are the fields that make a part, so a file knows every part that the model layer has.  Values
of parts are checked by the parts themselves, those of options when a run is made: so that a file is
refused as a whole, their types are looked at here.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Union

import msgspec
from msgspec import UNSET, UnsetType

from chasles.model import Body
from chasles.model.plain import PARTS, SHAPES, WAVES, defaults_of, made_of, wave_fields
from chasles.run.options import as_data

Numbers = list[float]
#: How a body may be made, beside by mass and inertia.
SOLIDS: dict[str, Callable[..., Body]] = {
    "box": Body.box,
    "cylinder": Body.cylinder,
    "rod": Body.rod,
    "sphere": Body.sphere,
}
#: What every body takes, and what a rotation in words is said by.
START = ("position", "rotation", "velocity", "angular_velocity")
TURN = {"axis", "angle", "euler", "angles", "quaternion"}
SPACE = dict[str, str | Numbers]
#: A joint coordinate: its value, or its value and its rate.
COORDINATE = float | list[float]
#: Options of `simulate` that are data; some are tables as well as words.
RUN_TYPES: dict[str, Any] = {
    **{name: option.metadata["data"] for name, option in as_data().items()},
    "spaces": str | dict[str, str | SPACE],
    "stabilise": str | dict[str, float],
    "start": dict[str, COORDINATE | dict[str, COORDINATE]],
}
#: Keys of the file itself.
WHOLE = {"bodies", *PARTS, "gravity", "notes", "run"}
Keys = dict[str, set[str]]  # kind -> what its table may have


def keys_of(kinds: Mapping[str, type[Any]], names: Callable[[type[Any]], Any] = made_of) -> Keys:
    return {tag: {"kind", *names(kind)} for tag, kind in kinds.items()}


def wave_keys() -> Keys:
    return keys_of(WAVES, wave_fields)


def shape_keys() -> Keys:
    return keys_of(SHAPES)


def part_keys() -> dict[str, Keys]:
    """Of every list of parts."""
    bodies = {"body": {"kind", *defaults_of(Body)}}
    for tag, make in SOLIDS.items():
        bodies[tag] = {"kind", *defaults_of(make), *START} - {"start"}
    return {"bodies": bodies, **{what: keys_of(kinds) for what, kinds in PARTS.items()}}


@cache
def run_type() -> Any:
    """A table [run], each option of which may be left out."""
    options = [(name, Union[kind, UnsetType], UNSET) for name, kind in RUN_TYPES.items()]  # noqa: UP007
    run = msgspec.defstruct("run", options, forbid_unknown_fields=True)
    return msgspec.defstruct("file", [("run", run)])
