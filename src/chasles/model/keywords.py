"""Keywords that do not exist are refused in words, with the one that was probably meant."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import CO_VARKEYWORDS
from typing import Any, TypeVar, cast

from chasles.model.errors import UnknownName

Made = TypeVar("Made", bound=Callable[..., Any])


class UnknownKeyword(UnknownName, TypeError):
    """A keyword that a function or class does not take."""


def checked_keywords(made: Made, more: Iterable[str] = ()) -> Made:
    """The same function or class, with a ChaslesError for unknown keywords.

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

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        if named and not open_ended:
            for keyword in named:
                if keyword not in known:
                    raise UnknownKeyword.among("keyword", keyword, known, where=title(given, name))
        return function(*given, **named)

    return call


def title(given: tuple[Any, ...], name: str) -> str:
    """What was being made, with its name if that came first."""
    called = next((value for value in given[:2] if isinstance(value, str)), None)
    return name if called is None else f"{name} '{called}'"
