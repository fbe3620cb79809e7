"""Fields of parts, each said once: what is taken for it, how it is checked, and what is kept.

    stiffness: Annotated[float, not_negative("N/m")]
    at: Annotated[Taken[ArrayLike, Vector3], checked_vector]

From this follow the constructor of a part and its types, its checks, its repr and its tables in
files (`chasles.model.registered`, `chasles.model.plain`).  A check is called with the value, the
name of the field, how messages begin and the class of errors; it returns what is kept.
"""

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin

from chasles.model.checks import (
    Invalid,
    Vector3,
    check_flag,
    checked_callable,
    checked_direction,
    checked_not_negative,
    checked_number,
    checked_positive,
    checked_vector,
)
from chasles.model.errors import ChaslesError, UnknownName, short_repr
from chasles.model.words import ArrayLike

Given = TypeVar("Given")
Kept = TypeVar("Kept")
Check = Callable[[Any, str, str, Invalid], Any]


class Taken(Generic[Given, Kept]):
    """A field that is given as one type and kept as another."""

    if TYPE_CHECKING:

        def __get__(self, part: Any, owner: Any = None) -> Kept: ...
        def __set__(self, part: Any, value: Given) -> None: ...


def check_of(hint: Any) -> Check | None:
    """The check in an annotation, if there is one: the last, which narrows another kind."""
    return next(filter(callable, reversed(getattr(hint, "__metadata__", ()))), None)


def given_as(hint: Any) -> Any:
    """The type that signatures show."""
    plain = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    return get_args(plain)[0] if get_origin(plain) is Taken else plain


def given(*, default: Any, repr: bool = True, kw_only: bool = False) -> Any:
    """A field that the constructor takes, and that may be left out."""
    return field(default=default, repr=repr, kw_only=kw_only)


def unset(default: Any, *, init: Literal[False] = False) -> Any:
    """A field that the constructor of this kind does not take."""
    return field(default=default, init=init, repr=False)


# --- checks ---------------------------------------------------------------------------------------


def optional(check: Check) -> Check:
    """The same of what may also be None."""
    return lambda value, *where: None if value is None else check(value, *where)


def needed(word: str, check: Check) -> Check:
    """The same of what may not be None."""

    def checked(value: Any, what: str, where: str, invalid: Invalid) -> Any:
        if value is None:
            raise left_out(what, word, where, invalid)
        return check(value, what, where, invalid)

    return checked


def left_out(what: str, word: str, where: str, invalid: Invalid) -> ChaslesError:
    return invalid(
        f"{where}: {what} must be {word}, got None.", f"Give {what}=(x, y, z) in world coordinates."
    )


def positive(unit: str) -> Check:
    return lambda value, what, *where: checked_positive(value, what, unit, *where)


def not_negative(unit: str) -> Check:
    return lambda value, what, *where: checked_not_negative(value, what, unit, *where)


def function(call: str) -> Check:
    """Of a function that is called like that."""
    return lambda value, what, *where: checked_callable(value, what, call, *where)


def word(known: Any) -> Check:
    """One of the words of a Literal."""
    words = get_args(known)
    *others, last = (f"'{one}'" for one in words)

    def checked(value: Any, what: str, where: str, invalid: Invalid) -> Any:
        if not isinstance(value, str) or value not in words:
            hint = UnknownName.among("word", value, words).remedy.partition("Known:")[0]
            raise invalid(
                f"{where}: {what} must be {', '.join(others)} or {last}, got {short_repr(value)}.",
                f"{hint}Give one of these, {what}={others[0]} say.",
            )
        return value

    return checked


# --- kinds of fields ------------------------------------------------------------------------------

Flag = Annotated[bool, check_flag]
Number = Annotated[float, checked_number]
Point = Annotated[Taken[ArrayLike, Vector3], checked_vector]
PointOrNone = Annotated[Taken[ArrayLike | None, Vector3 | None], optional(checked_vector)]
Place = Annotated[Taken[ArrayLike, Vector3], needed("a point", checked_vector)]
Direction = Annotated[Taken[ArrayLike, Vector3], checked_direction]
DirectionOrNone = Annotated[Taken[ArrayLike | None, Vector3 | None], optional(checked_direction)]
Pin = Annotated[Taken[ArrayLike, Vector3], needed("a direction", checked_direction)]
