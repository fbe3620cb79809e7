"""Options of `simulate` as data: the table [run] of a model file.

Values of parts are checked by the parts themselves, those of options when a run is made: so that a
file is refused as a whole, their types are looked at here.
"""

from collections.abc import Mapping
from dataclasses import asdict
from types import UnionType
from typing import Any, Union, get_args, get_origin

from chasles.integrators.stabilisation import Baumgarte
from chasles.io.limits import MOST_STEPS
from chasles.model import Body, InvalidModel, InvalidOption, Joint, UnknownName
from chasles.model.checks import Invalid
from chasles.model.errors import short_repr
from chasles.model.plain import placed_at
from chasles.run.options import OF_PYTHON, as_data
from chasles.spaces import Designation, Space

SPACE_FIELDS = ("group", "at", "relative_to")
#: A joint coordinate: its value, or its value and its rate.
COORDINATE = float | list[float]
#: Options of `simulate` that are data; some are tables as well as words.
RUN_TYPES: dict[str, Any] = {
    **{name: option.metadata["data"] for name, option in as_data().items()},
    "spaces": str | dict[str, str | dict[str, str | list[float]]],
    "stabilise": str | dict[str, float],
    "start": dict[str, COORDINATE | dict[str, COORDINATE]],
}


WORDS: dict[Any, str] = {
    float: "a number", int: "a whole number", str: "a text", bool: "true or false",
    list: "a list", dict: "a table",
}  # fmt: skip


#: What to do instead of options that only Python has; others are functions.
INSTEAD = {
    "into": "On the command line --out FOLDER names the folder; in Python into=... does.",
    "resume": "On the command line give --resume; in Python resume=True.",
}


def check_not_of_python(table: Any) -> None:
    """Refuse options of `simulate` that no file can hold, and a start with a unit in its name."""
    for name in table if isinstance(table, dict) else ():
        if name in OF_PYTHON:
            raise InvalidModel(
                f"run: '{name}' is an option of simulate in Python, and not of files.",
                INSTEAD.get(name, f"Leave it out, and give it to simulate(..., {name}=...)."),
            )
        if name.startswith("start_"):
            raise InvalidModel(
                f"run: there is no field '{name}': start is a table of joints.",
                "Give start = { hinge = 0.5 } in rad or m, or { hinge = [0.5, 2.0] } with the"
                " rate in rad/s or m/s.",
            )


def check_types(
    table: Any, types: Mapping[str, Any], where: str, invalid: Invalid = InvalidModel
) -> None:
    """Refuse what is no table, keys that are not known, and values of other types than theirs."""
    if not isinstance(table, dict):
        raise invalid(f"{where} must be a table, got {short_repr(table)}.", "Give a table.")
    for name, value in table.items():
        if name not in types:
            unknown = UnknownName.among("key", name, types, where)
            raise invalid(unknown.what, unknown.remedy)
        found = misfit(f"{where}.{name}", value, types[name])
        if found is not None:
            place, wrong, kind = found
            words = " or ".join(WORDS[get_origin(one) or one] for one in alternatives(kind))
            raise invalid(
                f"{place} must be {words}, got {short_repr(wrong)}.", f"Give {words} there."
            )


def alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


#: An entry of other type than it must be: its place, what it is, and what it must be.
Misfit = tuple[str, Any, Any]


def misfit(place: str, value: Any, kind: Any) -> Misfit | None:
    """What does not fit in a value; a whole number is a number, and true is none."""
    inside = []
    for one in alternatives(kind):
        found = misfit_of(place, value, one)
        if found is None:
            return None
        inside += [found] if found[0] != place else []
    return inside[0] if inside else (place, value, kind)


def misfit_of(place: str, value: Any, kind: Any) -> Misfit | None:
    """The same for a type without alternatives."""
    held = get_args(kind)[-1:]  # of lists and tables
    if not held:
        known: Any = (float, int) if kind is float else kind
        fits = kind is Any or (
            (kind is bool) == isinstance(value, bool) and isinstance(value, known)
        )
        return None if fits else (place, value, kind)
    if not isinstance(value, get_origin(kind)):
        return place, value, kind
    is_table = isinstance(value, dict)
    for key, entry in value.items() if is_table else enumerate(value):
        found = misfit(f"{place}.{key}" if is_table else f"{place}[{key}]", entry, held[0])
        if found is not None:
            return found
    return None


def checked_run(table: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `simulate` from a table whose types are right."""
    run = dict(table)
    with placed_at("run"):
        check_steps(run)
        if isinstance(run.get("stabilise"), dict):
            rates = run["stabilise"]
            if set(rates) != {"alpha", "beta"}:
                raise InvalidModel(
                    f"stabilise must be a word or two rates, got {short_repr(rates)}.",
                    "Give {alpha = ..., beta = ...}, or a word.",
                )
            run["stabilise"] = Baumgarte(**rates)
        if isinstance(run.get("spaces"), dict):
            run["spaces"] = {name: space_from(s, name) for name, s in run["spaces"].items()}
    return run


def check_steps(run: Mapping[str, Any]) -> None:
    """Refuse more steps than a file may ask for; those of tolerances are as many as it takes."""
    until = run.get("until")
    for name in ("step", "max_step"):
        step = run.get(name)
        given = all(isinstance(x, float | int) for x in (until, step))
        if until is None or step is None or not given or step <= 0.0:
            continue  # simulate says what is missing or wrong
        if not until / step <= MOST_STEPS:
            raise InvalidOption(
                f"until is {until:g} s and {name} is {step:g} s, which makes {until / step:.1g}"
                " steps.",
                f"A file may ask for {MOST_STEPS:g} steps; take longer ones, or simulate in"
                " Python.",
            )


def space_from(space: Any, body: str) -> Any:
    if isinstance(space, str):
        return space
    for key in space:
        UnknownName.check("field", key, SPACE_FIELDS, f"spaces, {body}")
    if not isinstance(space.get("group"), str):
        raise InvalidModel(f"spaces, {body} has no 'group'.", 'Give group = "SE3", say.')
    return Space(**space)


def run_to_plain(run: Any) -> dict[str, Any]:
    """The table of keyword arguments of `simulate`; what is not data is refused."""
    if not isinstance(run, Mapping):
        raise InvalidOption(
            f"run must be a dict, got {short_repr(run)}.", 'Give a dict: run={"until": 1.0}.'
        )
    plain = {}
    for name, value in run.items():
        UnknownName.check("option", name, RUN_TYPES, "run")
        if value is not None:
            plain[name] = option_to_plain(value, f"run, {name}")
    with placed_at("run"):
        check_steps(plain)  # what is written can be read
    return plain


def option_to_plain(value: Any, where: str) -> Any:
    if isinstance(value, Designation):
        value = value.spaces
    if isinstance(value, Space | Baumgarte):
        return {key: option_to_plain(v, where) for key, v in asdict(value).items() if v is not None}
    if isinstance(value, Body | Joint):
        return value.name
    if isinstance(value, Mapping):
        return {option_to_plain(key, where): option_to_plain(v, where) for key, v in value.items()}
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [option_to_plain(entry, where) for entry in value]
    if isinstance(value, str | bool | int | float):
        return value
    raise InvalidOption(
        f"{where} is {short_repr(value)}, which is not data.",
        "Name it, or pass it to simulate itself.",
    )
