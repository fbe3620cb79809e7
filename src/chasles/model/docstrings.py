"""Docstrings: what several classes or methods take is described once.

A class has, of every parameter that its own text leaves out, what the classes say that it derives
from.  A method has the usual meaning of its parameters, and what it returns.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import cleandoc, signature
from typing import Any, TypeVar

Made = TypeVar("Made", bound=Callable[..., Any])

HEAD = "Parameters\n----------\n"
ENTRY = re.compile(r"^(\w+)\n((?:    .+\n?)+)", re.M)
#: The title of what comes after parameters.
SECTION = re.compile(r"^(?:Returns|Raises|Notes|Examples)\n-+$", re.M)


def parameters_in(text: str | None) -> dict[str, str]:
    """Name -> its lines, of the section Parameters of a docstring."""
    section = cleandoc(text or "").partition(HEAD)[2].partition("\n\n")[0]
    return {name: lines.rstrip() for name, lines in ENTRY.findall(section)}


def with_parameters(text: str, names: Iterable[str], meanings: Mapping[str, str]) -> str:
    """A docstring that describes these parameters: by itself, or else by their meanings.

    >>> print(with_parameters("A ball.", ["radius"], {"radius": "    Radius, m."}))
    A ball.
    <BLANKLINE>
    Parameters
    ----------
    radius
        Radius, m.
    """
    text = cleandoc(text)
    known = {**meanings, **parameters_in(text)}
    described = [f"{name}\n{known[name]}" for name in names if name in known]
    if not described:
        return text
    before, found, after = text.partition(HEAD)
    if found:
        after = after.partition("\n\n")[2]
    else:
        title = SECTION.search(text)
        at = title.start() if title else len(text)
        before, after = text[:at], text[at:]
    return "\n\n".join(filter(None, (before.rstrip(), HEAD + "\n".join(described), after)))


def explain(made: Any, meanings: Mapping[str, str]) -> None:
    """Describe the parameters that the text of a function or class leaves out, by their meanings.

    These are texts without indentation.
    """
    known = {name: f"    {text}" for name, text in meanings.items()}
    made.__doc__ = with_parameters(made.__doc__ or "", signature(made).parameters, known)


#: What functions that run a model mean by the names of their parameters.
OF_RUNS = {
    "model": "The model.",
    "until": "End time, s.",
    "step": "Length of a step, s.",
    "methods": "Names, Tableaus or Methods.",
    "acceleration": "Form of the acceleration constraints: see `simulate`.",
    "progress": "Whether to show a progress bar. Default: if it takes longer than a moment.",
    **dict.fromkeys(("method", "spaces", "stabilise"), "As in `simulate`."),
}


def explained(made: Made) -> Made:
    """A function or a class with the usual meaning of parameters that its text leaves out."""
    explain(made, OF_RUNS)
    return made


def inherit_parameters(cls: type) -> None:
    """Describe what a class takes as the classes do that it derives from."""
    meanings: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        meanings |= parameters_in(base.__doc__)
    if cls.__doc__:
        cls.__doc__ = with_parameters(cls.__doc__, signature(cls).parameters, meanings)


#: What methods mean by the names of their parameters.
USUAL = {
    "body": "The body or its name.",
    "joint": "The joint or its name.",
    "which": '"auto", "angle" or "displacement".',
    "axes": 'Axes of the components: "body" or "world".',
    "force": "The force or its name.",
    "sensor": "The sensor or its name.",
}


def documented(returns: str, **meanings: str) -> Callable[[Made], Made]:
    """A method with sections on its parameters and on what it returns: "(T, 3), m" of an array.

    Of other types, "Reaction: Forces in N" say.
    """
    known = {name: f"    {text}" for name, text in (USUAL | meanings).items()}
    named = re.fullmatch(r"(\w+): (.+)", returns)
    kind, shape = named.groups() if named else ("ndarray", returns)

    def with_sections(method: Made) -> Made:
        text = with_parameters(method.__doc__ or "", signature(method).parameters, known)
        before, examples, after = text.partition("Examples\n--------\n")
        section = f"Returns\n-------\n{kind}\n    {shape}."
        method.__doc__ = "\n\n".join(filter(None, (before.rstrip(), section, examples + after)))
        return method

    return with_sections
