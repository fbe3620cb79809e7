"""Turning what a user wrote into plain floats, or saying precisely why it cannot be done.

`where` opens every message ("body 'top'"), `what` names the quantity ("position").
"""

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

import numpy as np

from chasles.model.errors import ChaslesError, one_line, short_repr
from chasles.model.words import Floats

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
Invalid = type[ChaslesError]

#: Letters and bytes, which Python and NumPy would read as numbers.
Bytes = bytes | bytearray | memoryview
NOT_FINITE = "must be finite"
IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def checked_name(name: object, kind: str, invalid: Invalid) -> str:
    """A name is a string with something to read in it, on one line."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise invalid(
            f"the name of a {kind} must be a non-empty string of printable characters, got"
            f" {short_repr(name)}.",
            f"Give the {kind} a name such as '{kind} 1'.",
        )
    return name


def checked_number(
    value: Any, what: str, where: str, invalid: Invalid, forms: str = "a number"
) -> float:
    """One finite real number; `forms` are all that would have been taken."""
    refuse_units(value, what, where, invalid)
    try:
        if isinstance(value, str | Bytes | bool | np.bool_ | np.complexfloating):
            raise TypeError
        if np.ma.is_masked(value):
            raise ValueError
        with np.errstate(over="ignore"):
            number = float(value)
    except Exception:  # also what an object says that is asked for its number
        raise invalid(
            f"{where}: {what} must be {forms}, got {short_repr(value)}.", "Give one real number."
        ) from None
    if not np.isfinite(number):
        raise invalid(f"{where}: {what} {NOT_FINITE}, got {number}.", "Give a finite number.")
    return number


def quantity(number: float, unit: str) -> str:
    """A number with its unit, if it has one."""
    return f"{number:g} {unit}".rstrip()


def in_brackets(vector: Iterable[float], form: str = "g") -> str:
    """A vector in a message: (1, 0, 0)."""
    return "(" + ", ".join(format(x, form) for x in vector) + ")"


def in_unit(unit: str) -> str:
    return f", in {unit}" if unit else ""


def checked_positive(value: Any, what: str, unit: str, where: str, invalid: Invalid) -> float:
    """One finite number greater than zero."""
    number = checked_number(value, what, where, invalid)
    if number <= 0.0:
        raise invalid(
            f"{where}: {what} must be positive, got {quantity(number, unit)}.",
            f"Give {what} greater than zero{in_unit(unit)}.",
        )
    return number


def checked_not_negative(value: Any, what: str, unit: str, where: str, invalid: Invalid) -> float:
    """One finite number that is zero or more."""
    number = checked_number(value, what, where, invalid)
    if number < 0.0:
        raise invalid(
            f"{where}: {what} must not be negative, got {quantity(number, unit)}.",
            f"Give {what} of zero or more{in_unit(unit)}.",
        )
    return number


def checked_count(
    value: Any, what: str, most: int | None, where: str, invalid: Invalid, least: int = 1
) -> int:
    """A whole number from `least` to `most`, or as large as you like."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        span = f", {least} or more" if most is None else f" from {least} to {most}"
        raise invalid(
            f"{where}: {what} must be a whole number{span}, got {short_repr(value)}.",
            f"Give a whole number{span}.",
        )
    return int(value)


def check_flag(value: Any, what: str, where: str, invalid: Invalid) -> bool:
    """Refuse what is neither True nor False."""
    if not is_flag(value):
        raise invalid(
            f"{where}: {what} must be True or False, got {short_repr(value)}.",
            f"Give {what}=True or {what}=False.",
        )
    return bool(value)


def checked_callable(
    value: Any, what: str, call: str, where: str, invalid: Invalid
) -> Callable[..., Any]:
    """Something that can be called; `call` shows how it will be."""
    if not callable(value):
        raise invalid(
            f"{where}: {what} must be a function, got {short_repr(value)}.",
            f"Give a function, called as {call}.",
        )
    function: Callable[..., Any] = value
    return function


def answer_of(
    function: Callable[..., Any], given: Iterable[Any], what: str, remedy: str, invalid: Invalid,
    **at: float,
) -> Any:  # fmt: skip
    """What a function of the user's own says; what it raises is told, and where: at=0.1."""
    try:
        return function(*given)
    except ChaslesError:
        raise
    except Exception as error:
        places = [f"{name} = {x:g}{' s' if name == 't' else ''}" for name, x in at.items()]
        when = f" at {', '.join(places)}" if places else ""
        said = f"{what} raised {type(error).__name__}{when}: {one_line(error)}"
        raise invalid(said, remedy) from error


def checked_array(value: Any, what: str, where: str, invalid: Invalid) -> Floats:
    """Finite real numbers of any shape."""
    numbers = real_array(value, what, where, invalid)
    if not np.isfinite(numbers).all():
        raise invalid(
            f"{where}: {what} {NOT_FINITE}, got {short_repr(numbers.tolist())}.",
            "Give finite numbers.",
        )
    return numbers


def real_array(value: Any, what: str, where: str, invalid: Invalid) -> Floats:
    """Real numbers of any shape, also infinite ones and those that are no numbers."""
    refuse_units(value, what, where, invalid)
    try:
        array = np.asarray(None if isinstance(value, Bytes) else value)
    except Exception:  # ragged, or whatever an object says that is asked for its numbers
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "iuf" or np.ma.is_masked(value) or holds(value, is_flag):
        raise invalid(
            f"{where}: {what} must be an array of real numbers, got {short_repr(value)}.",
            "Give real numbers only, in rows of equal length.",
        )
    with np.errstate(over="ignore"):  # of numbers with more bits
        return array.astype(np.float64)


def is_scalar(value: Any) -> bool:
    """Whether it is an array that holds one number, and no list: NumPy calls it iterable."""
    return isinstance(value, np.ndarray) and value.ndim == 0


def pair_of(value: Any) -> tuple[float, float] | None:
    """Two finite real numbers, or None where it is something else."""
    try:
        first, second = checked_array(value, "it", "it", ChaslesError).tolist()
    except (ChaslesError, TypeError, ValueError):  # or one number, or three
        return None
    return (first, second) if type(first) is type(second) is float else None


def holds(value: Any, odd: Callable[[Any], bool]) -> bool:
    """Whether something odd stands among numbers in lists, which may hold themselves."""
    pending, seen = [value], set[int]()
    while pending:
        inner = pending.pop()
        if not isinstance(inner, list | tuple) or id(inner) in seen:
            continue
        seen.add(id(inner))
        others = [entry for entry in inner if type(entry) is not float]
        if any(map(odd, others)):
            return True
        pending += others
    return False


def is_flag(value: Any) -> bool:
    """True or False, which NumPy takes for 1 or 0."""
    return isinstance(value, bool | np.bool_)


def has_unit(value: Any) -> bool:
    """Whether it is a number or an array with a unit of its own, as pint's and astropy's are.

    NumPy drops such units: 500 mm would be 500 m.  Columns of tables may be called "unit", too, so
    it is the class that is asked.
    """
    own = getattr(value, "__dict__", ())
    return any(hasattr(type(value), word) or word in own for word in ("unit", "units"))


def refuse_units(value: Any, what: str, where: str, invalid: Invalid) -> None:
    if type(value) is not float and (has_unit(value) or holds(value, has_unit)):
        raise invalid(
            f"{where}: {what} must be plain numbers in SI units, got {short_repr(value)}, which"
            " has a unit of its own.",
            "Convert it first: x.to_base_units().magnitude of pint, x.si.value of astropy.",
        )


def shape_of(array: Floats) -> str:
    """The shape of numbers that have another one than they should, and the numbers."""
    if array.ndim == 0:
        return f"the number {array.item():.12g}"
    return f"shape {array.shape}: {short_repr(array.tolist())}"


def checked_vector(value: Any, what: str, where: str, invalid: Invalid) -> Vector3:
    """Three finite real numbers."""
    array = checked_array(value, what, where, invalid)
    if array.shape != (3,):
        raise invalid(
            f"{where}: {what} must be a vector of three numbers, got {shape_of(array)}.",
            "Give it as (x, y, z).",
        )
    return as_vector(array)


DIRECTIONS: dict[str, Vector3] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
UNIT = 2e-15  # the rounding of a vector that was divided by its length


def checked_direction(value: Any, what: str, where: str, invalid: Invalid) -> Vector3:
    """A direction of length 1, from a vector of any length but zero, or from "x" or "-x".

    Length 1 is left as it is.
    """
    if isinstance(value, str):
        if value not in DIRECTIONS:
            raise invalid(
                f"{where}: {what} must be a vector or the name of an axis, got"
                f" {short_repr(value)}.",
                "Give 'x', 'y', 'z', '-x', '-y' or '-z', or a direction (x, y, z).",
            )
        return DIRECTIONS[value]
    x, y, z = checked_vector(value, what, where, invalid)
    if abs(x * x + y * y + z * z - 1.0) <= UNIT:
        return (x, y, z)  # so that a joint copied or read from a file is the same to the bit
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        raise invalid(
            f"{where}: {what} is (0, 0, 0), which points nowhere.",
            "Give a direction in world coordinates, of any length but zero.",
        )
    x, y, z = x / largest, y / largest, z / largest  # so that squares neither over- nor underflow
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def checked_times(value: Any, where: str, invalid: Invalid) -> Floats:
    """A list of times; one alone counts as a list."""
    array = np.atleast_1d(checked_array(value, "times", where, invalid))
    if array.ndim != 1:
        raise invalid(
            f"{where}: times must be a list, got shape {array.shape}.", "Give times in s: [0, 0.1]."
        )
    return array


def as_vector(array: Floats) -> Vector3:
    x, y, z = array.tolist()
    return (x, y, z)


def as_matrix(array: Floats) -> Matrix3:
    return (as_vector(array[0]), as_vector(array[1]), as_vector(array[2]))


def fill(part: object, **values: object) -> None:
    """Give a frozen dataclass its fields: for its own `__init__` only."""
    for field, value in values.items():
        object.__setattr__(part, field, value)
