"""Keywords that do not exist, and arguments that are missing, are refused in words."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import CO_VARKEYWORDS
from typing import Any, TypeVar, cast

from chasles.model.errors import ChaslesError, UnknownName
from chasles.notices import silence

Made = TypeVar("Made", bound=Callable[..., Any])


class UnknownKeyword(UnknownName, TypeError):
    """A keyword that a function or class does not take."""


class MissingArgument(ChaslesError, TypeError):
    """An argument that a function or class cannot do without."""


def checked_keywords(made: Made, more: Iterable[str] = ()) -> Made:
    """The same function or class, with a ChaslesError for unknown keywords and missing arguments.

    `more` are those that it takes as **.  What else may be wrong with a call is left to Python.
    """
    if isinstance(made, type):
        made.__init__ = checked_call(made.__init__, made.__name__, more)  # type: ignore[misc]
        return made
    return cast(Made, checked_call(made, made.__qualname__, more))


def checked_call(function: Any, name: str, more: Iterable[str] = ()) -> Any:
    code = function.__code__
    open_ended = bool(code.co_flags & CO_VARKEYWORDS) and not more
    count = code.co_argcount + code.co_kwonlyargcount
    known = dict.fromkeys((*code.co_varnames[code.co_posonlyargcount : count], *more))
    for own in ("self", "cls"):
        known.pop(own, None)
    needed = code.co_varnames[: code.co_argcount - len(function.__defaults__ or ())]
    defaults = function.__kwdefaults__ or {}
    by_name = [n for n in code.co_varnames[code.co_argcount : count] if n not in defaults]

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        if named and not open_ended:
            for keyword in named:
                if keyword not in known:
                    raise UnknownKeyword.among("keyword", keyword, known, where=title(given, name))
        missing = [one for one in (*needed[len(given) :], *by_name) if one not in named]
        if missing:
            raise missing_argument(missing, title(given, name))
        if named.get("progress") is False:
            with silence():
                return function(*given, **named)
        return function(*given, **named)

    return call


def missing_argument(missing: list[str], where: str) -> MissingArgument:
    words = ", ".join(f"'{name}'" for name in missing[:-1])
    words = f"{words} and '{missing[-1]}'" if words else f"'{missing[0]}'"
    return MissingArgument(
        f"{where}: {words} {'is' if len(missing) == 1 else 'are'} missing.",
        f"Give {', '.join(f'{name}=...' for name in missing)}; help() says what"
        f" {'it is' if len(missing) == 1 else 'they are'}.",
    )


def title(given: tuple[Any, ...], name: str) -> str:
    """What was being made, with its name if that came first; "": an object of a class."""
    name = name or type(given[0]).__name__
    called = next((value for value in given[:2] if isinstance(value, str)), None)
    return name if called is None else f"{name} '{called}'"
