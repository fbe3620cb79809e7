"""Public functions: names of what they take are checked, and their texts are completed."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS, cleandoc, signature
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, TypeVar, cast

from chasles.model.errors import ELSEWHERE, ChaslesError, UnknownName, short_repr
from chasles.notices import silence

Made = TypeVar("Made", bound=Callable[..., Any])


class UnknownKeyword(UnknownName, TypeError):
    """A keyword that a function or class does not take."""


class MissingArgument(ChaslesError, TypeError):
    """An argument that a function or class cannot do without."""


class ExcessArgument(ChaslesError, TypeError):
    """An argument that is given twice, or more of them than a function or class takes."""


class UnknownConstructor(UnknownName, AttributeError):
    """A constructor that a class does not have."""


class WithConstructors(type):
    """A class with constructors: one that it does not have is refused with those that it has."""

    if not TYPE_CHECKING:  # so that a type checker refuses it, too

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            makers = {n: maker for n, maker in vars(cls).items() if isinstance(maker, classmethod)}
            own = [n for n, maker in makers.items() if hasattr(maker.__func__, "__wrapped__")]
            error = UnknownConstructor.among("constructor", name, own, where=cls.__name__)
            error.remedy += vars(cls).get("_otherwise", "")
            raise error


def checked_keywords(made: Made, more: Iterable[str] = ()) -> Made:
    """The same function or class, with a ChaslesError for a call that does not fit.

    `more` are the keywords that it takes as **.
    """
    if isinstance(made, type):
        made.__init__ = checked_call(made.__init__, made.__name__, more)  # type: ignore[misc]
        return made
    return cast(Made, checked_call(made, made.__qualname__, more))


def checked_call(function: Any, name: str, more: Iterable[str] = ()) -> Any:
    code = function.__code__
    open_ended = bool(code.co_flags & CO_VARKEYWORDS) and not more
    count = code.co_argcount + code.co_kwonlyargcount
    places = code.co_varnames[: code.co_argcount]
    most = len(places) if not code.co_flags & CO_VARARGS else float("inf")
    known = dict.fromkeys((*code.co_varnames[code.co_posonlyargcount : count], *more))
    for own in ("self", "cls"):
        known.pop(own, None)
    needed = places[: code.co_argcount - len(function.__defaults__ or ())]
    defaults = function.__kwdefaults__ or {}
    by_name = [n for n in code.co_varnames[code.co_argcount : count] if n not in defaults]

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        if named and not open_ended:
            for keyword in named:
                if keyword not in known:
                    raise unknown_keyword(keyword, known, title(given, name))
            for place, value in zip(places, given):
                if place in named and place in known:
                    raise given_twice(place, value, named[place], title(given, name))
        if len(given) > most:
            raise too_many(len(given), places, known, title(given, name))
        missing = [one for one in (*needed[len(given) :], *by_name) if one not in named]
        if missing:
            raise missing_argument(missing, title(given, name))
        if named.get("progress") is False:
            with silence():
                return function(*given, **named)
        return function(*given, **named)

    return call


#: Options of `simulate` that other functions that run models are asked for.
OF_SIMULATE = (
    "rtol", "atol", "tol", "start", "events", "controller", "sample", "t_eval", "into", "resume",
    "close", "hold",
)  # fmt: skip


def unknown_keyword(keyword: str, known: Iterable[str], where: str) -> UnknownName:
    error = UnknownKeyword.among("keyword", keyword, known, where=where)
    names = set(known)
    if "options" in names and keyword in ELSEWHERE and "options" in ELSEWHERE[keyword]:
        error.remedy += f"  Give options={{'{keyword}': ...}}."
    elif keyword in OF_SIMULATE and {"model", "step"} <= names:
        error.remedy += f"  '{keyword}' is an option of simulate."
    return error


def missing_argument(missing: list[str], where: str) -> MissingArgument:
    words = ", ".join(f"'{name}'" for name in missing[:-1])
    words = f"{words} and '{missing[-1]}'" if words else f"'{missing[0]}'"
    return MissingArgument(
        f"{where}: {words} {'is' if len(missing) == 1 else 'are'} missing.",
        f"Give {', '.join(f'{name}=...' for name in missing)}; help() says what"
        f" {'it is' if len(missing) == 1 else 'they are'}.",
    )


def given_twice(argument: str, first: Any, second: Any, where: str) -> ExcessArgument:
    return ExcessArgument(
        f"{where}: '{argument}' is given twice: {short_repr(first)} by its place, and"
        f" {short_repr(second)} by its name.",
        f"Give it once; {argument}=... is the clearer way.",
    )


def too_many(
    count: int, places: tuple[str, ...], known: Iterable[str], where: str
) -> ExcessArgument:
    own = [place for place in places if place not in ("self", "cls")]
    named = [name for name in known if name not in own]
    takes = f"{len(own)} ({', '.join(own)})" if own else "none"
    return ExcessArgument(
        f"{where}: {count - len(places) + len(own)} arguments are given by their place, but it"
        f" takes {takes}.",
        f"Give the others by their names: {', '.join(f'{name}=...' for name in named[:3])}."
        if named
        else "Leave the others out.",
    )


def title(given: tuple[Any, ...], name: str) -> str:
    """What was being made, with its name if that came first; "": an object of a class."""
    name = name or type(given[0]).__name__
    called = next((value for value in given[:2] if isinstance(value, str)), None)
    return name if called is None else f"{name} '{called}'"


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
#: What functions that make films mean by theirs.
OF_FILMS = {
    "path": "The file. .html: one page that works without a network, to rotate, zoom and play."
    " .gif, or .mp4 (needs ffmpeg). .glb or .gltf for Blender and other viewers of glTF. None:"
    " return a Film, which a notebook shows.",
    "labels": "Names of the results. Default: what they differ in.",
    "layout": 'Of several results: "side by side" or "overlaid".',
    "title": "Title of the page. Default: the name of the file.",
    "view": '"auto", "xy", "xz", "yz", or (azimuth, elevation) in degrees.',
    "frames": "Largest number of saved states that a page shows. Default: as many as fit into"
    " about 3 MB.",
    "forces": "Whether a page shows the reactions of joints, springs, motors and loads as arrows.",
    "speed": "Of .gif and .mp4: seconds of motion per second of film. Default: a film of about"
    " 6 s.",
    "fps": "Of .gif and .mp4: frames per second, 1/s.",
    "size": "Of .gif and .mp4: width and height in pixels. Default: (720, 540), wider for results"
    " side by side.",
    "follow": "Body that the camera follows. On a page another one can be chosen.",
    "live": "Whether the page simulates the model itself, from its start, as WebAssembly. For"
    " small models.",
    "sliders": 'Ranges of the sliders of a live page: "gravity" (its magnitude, m/s²), the name of'
    ' a joint (its start), "hinge.rate", "top.mass", "top.angular_velocity.z", ... Default: a few'
    " of these.",
}


def explained(made: Made, meanings: Mapping[str, str] = OF_RUNS) -> Made:
    """A function or a class with the usual meaning of parameters that its text leaves out.

    Meanings are texts without indentation.
    """
    known = {name: indent(fill(text, 92), "    ") for name, text in meanings.items()}
    made.__doc__ = with_parameters(made.__doc__ or "", signature(made).parameters, known)
    return made


explained_film = partial(explained, meanings=OF_FILMS)


#: What parts mean by the names of their parameters, and by `name` of which word they are.
OF_PARTS = {
    "name": "Name of the {} in results.",
    "a": "First body: a Body, its name, or GROUND.",
    "b": "Second body: a Body, its name, or GROUND.",
    "body": "The body.",
    "joint": "The joint.",
    "coordinate": '"angle", "displacement" or "auto" (the angle, if the joint has both).',
    "radius": "Radius, m.",
}


def inherit_parameters(cls: Any) -> None:
    """Describe what a part takes as the classes do that it derives from, or in the usual words."""
    meanings = {name: f"    {text.format(cls.word)}" for name, text in OF_PARTS.items()}
    for base in reversed(cls.__mro__[1:]):
        meanings |= parameters_in(base.__doc__)
    if cls.__doc__:
        cls.__doc__ = with_parameters(cls.__doc__, signature(cls).parameters, meanings)


#: What methods mean by the names of their parameters.
USUAL = {
    "body": "The body or its name.",
    "joint": "The joint or its name.",
    "which": '"angle", "displacement" or "auto" (the angle, if the joint has both).',
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
