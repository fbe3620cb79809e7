"""Candidates of a comparison: spaces by rule, body by body, as a designation, or with options."""

from collections.abc import Mapping, Sequence
from typing import Any

from chasles.model import InvalidOption, Model
from chasles.model.checks import checked_positive
from chasles.model.errors import short_repr
from chasles.spaces import Space
from chasles.studies.measure import Candidate

#: What a candidate may set for itself; the rest is common to all.
OPTIONS = ("spaces", "method", "step", "acceleration", "stabilise")


def candidates_of(model: Model, given: Any, common: Mapping[str, Any]) -> list[Candidate]:
    """Candidates from a list of spaces, or a dict label -> spaces or options."""
    if isinstance(given, Mapping):
        named = [(str(label), value) for label, value in given.items()]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        named = [("", value) for value in given]
    else:
        raise InvalidOption(
            f"compare: candidates must be a list or a dict, got {short_repr(given)}.",
            'Give a list of spaces, ["SE3", "auto"], or a dict label -> spaces or options.',
        )
    if not named:
        raise InvalidOption("compare: there are no candidates.", 'Give at least one: ["auto"].')
    made: list[Candidate] = []
    for label, value in named:
        options = {**common, **options_of(model, value)}
        wanted = label or label_of(value)
        where = f"compare: candidate '{wanted}'"
        options["step"] = checked_positive(options["step"], "step", "s", where, InvalidOption)
        made.append(Candidate(unused(wanted, [c.label for c in made]), options))
    return made


def options_of(model: Model, value: Any) -> dict[str, Any]:
    """The options that a candidate sets: a dict of options, or spaces alone."""
    if (
        isinstance(value, Mapping)
        and value
        and not set(map(name_of, value)) & set(model.body_names)
    ):
        unknown = [key for key in value if key not in OPTIONS]
        if unknown:
            raise InvalidOption(
                f"compare: a candidate has the key {short_repr(unknown[0])}, which is neither a"
                " body nor an option.",
                f"Options are {', '.join(OPTIONS)}; bodies are {', '.join(model.body_names)}.",
            )
        return dict(value)
    return {"spaces": value}


def name_of(key: Any) -> Any:
    return getattr(key, "name", key)


def label_of(value: Any) -> str:
    if isinstance(value, str | Space):
        return str(value)
    if isinstance(value, Mapping):
        named = {key: getattr(v, "__name__", v) for key, v in value.items()}
        words = (str(v) if isinstance(v, str | Space) else short_repr(v) for v in named.values())
        return ", ".join(f"{name_of(key)}: {word}" for key, word in zip(named, words))
    return getattr(value, "__name__", type(value).__name__.lower())


def unused(label: str, taken: Sequence[str]) -> str:
    """The label, numbered where it was used before."""
    number, fresh = 1, label
    while fresh in taken:
        number += 1
        fresh = f"{label} ({number})"
    return fresh
