r"""Couplings of joint coordinates: planetary and bevel gears, racks, belts, differentials, mimics.

$$ \sum_i f_i(q_i) = \mathrm{offset}, \qquad f_i(q) = c_{i1} q + c_{i2} q^2 + \ldots $$

over coordinates of any joints of the model.  With the multiplier $\lambda$ it pushes along
every coordinate with $-\lambda f_i'(q_i)$: together these do no work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from chasles.model.checks import Invalid, checked_number, in_brackets
from chasles.model.coordinates import (
    ANGLE,
    AUTO,
    DISPLACEMENT,
    checked_coordinate,
    checked_joint_name,
    resolved_coordinate,
)
from chasles.model.drivers import AnyDriver
from chasles.model.errors import InvalidCoupling, UnknownName, short_repr
from chasles.model.fields import Number, Taken, unset
from chasles.model.joints import Joint
from chasles.model.signals import Signal
from chasles.model.words import Coordinate
from chasles.scalars.polynomial import polynomial

#: Joint, coordinate, and the coefficients of its first, second, ... power.
Term = tuple[str, Coordinate, tuple[float, ...]]
STILL = Signal.constant(0.0)
EXAMPLE = "Give coefficients by joint: {'sun': 20, 'planet': 20}."


def checked_terms(terms: Any, what: str, where: str, invalid: Invalid) -> tuple[Term, ...]:
    """What is coupled, from a dict by joint or from a list of (joint, coordinate, coefficients)."""
    if isinstance(terms, Mapping):
        listed = [(*checked_key(key, where, invalid), value) for key, value in terms.items()]
    elif isinstance(terms, tuple | list) and all(
        isinstance(term, tuple | list) and len(term) == 3 for term in terms
    ):
        listed = [(*checked_key((term[0], term[1]), where, invalid), term[2]) for term in terms]
    else:
        raise invalid(f"{where}: {what} must be a dict by joint, got {short_repr(terms)}.", EXAMPLE)
    if len(listed) < 2:
        raise invalid(
            f"{where}: {what} must name two coordinates or more, got {len(listed)}.",
            "A coordinate that is alone is held by a Driver, or by another joint.",
        )
    return tuple(
        (joint, word, checked_powers(value, joint, where, invalid)) for joint, word, value in listed
    )


def checked_key(key: Any, where: str, invalid: Invalid) -> tuple[str, Coordinate]:
    """A joint, or a joint and its coordinate."""
    joint, word = key if isinstance(key, tuple) and len(key) == 2 else (key, AUTO)
    name = checked_joint_name(joint, "joint", where, invalid)
    return name, checked_coordinate(word, "coordinate", where, invalid)


def checked_powers(value: Any, joint: str, where: str, invalid: Invalid) -> tuple[float, ...]:
    """The coefficients of a coordinate and of its powers, not all of them zero."""
    what = f"the coefficient of '{joint}'"
    given = value if isinstance(value, tuple | list | np.ndarray) else (value,)
    powers = [checked_number(number, what, where, invalid) for number in given]
    while len(powers) > 1 and powers[-1] == 0.0:
        powers.pop()
    if not any(powers):
        raise invalid(
            f"{where}: {what} must not be 0: the joint would take no part.",
            f"Leave '{joint}' out, or give its coefficient.",
        )
    return tuple(powers)


Terms = Annotated[Taken[Any, tuple[Term, ...]], checked_terms]


class Coupling(AnyDriver):
    """A constraint on joint coordinates q: the weighted sum of c q equals `offset`.

    Parameters
    ----------
    terms
        Joint -> coefficient c, or (c1, c2, ...) for c1 q + c2 q^2 + ... For a joint with two
        coordinates: "sleeve.displacement" or (sleeve, "displacement").
    offset
        Value of the sum, in the unit of the terms.

    Notes
    -----
    Coordinates are those of `Result.coordinate`: of b relative to a. Examples: two gears on one
    carrier {"sun on carrier": 20, "planet": 30} (teeth); relative to the ground {"sun": 20,
    "carrier": -20, "planet": 30}; a rack {"pinion": radius, "rack": -1}; a belt {"small": r,
    "large": -R}; a differential {"left": 1, "right": 1, "cage": -2}; a mimic joint a = 2 b + 0.1:
    {"a": 1, "b": -2} with offset=0.1.

    It acts along every coordinate with its coefficient times one number (`Result.effort`) and does
    no work.

    Examples
    --------
    >>> Coupling("mesh", {"sun": 20, "carrier": -20, "planet": (30, 0.5)}).terms[2]
    ('planet', 'auto', (30.0, 0.5))
    """

    locked = ("coupling",)
    word = "coupling"
    invalid = InvalidCoupling

    motion: Signal = unset(STILL)
    terms: Terms
    offset: Number = 0.0

    @property
    def drives(self) -> str:
        terms = (
            f"{in_words(powers)} {joint if coordinate == 'auto' else f'{joint}.{coordinate}'}"
            for joint, coordinate, powers in self.terms
        )
        return " + ".join(terms).replace(" + -", " - ")

    @property
    def summary(self) -> str:
        return f"coupling {self.name}: {self.drives} = {self.offset:g}"

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint for joint, _, _ in self.terms)

    @property
    def is_linear(self) -> bool:
        """Whether no coordinate is there with a power above one."""
        return all(not any(powers[1:]) for _, _, powers in self.terms)

    def values(self, coordinates: Sequence[Any]) -> Any:
        """The sum less the offset at coordinates (numbers or arrays) in the order of the terms."""
        return sum(f[0] for f in self.derivatives(coordinates)) - self.offset

    def derivatives(self, coordinates: Sequence[Any]) -> list[Any]:
        """Value, first and second derivative of every term's function."""
        return [
            polynomial(q, len(powers), (0.0, *powers), 0)
            for q, (_, _, powers) in zip(coordinates, self.terms, strict=True)
        ]


def placed_coupling(coupling: Coupling, joints: Mapping[str, Joint]) -> Coupling:
    """The coupling of joints that exist, every coordinate by its own word, and once."""
    terms: list[Term] = []
    for name, word, powers in coupling.terms:
        joint, asked = spelled(name, word, joints, coupling.where)
        resolved = resolved_coordinate(joints[joint], asked, coupling.where, InvalidCoupling)
        if any((joint, resolved) == known[:2] for known in terms):
            raise coupling._wrong(
                f"the {resolved} of joint '{joint}' is named twice.",
                "Add its coefficients.",
            )
        terms.append((joint, resolved, powers))
    return coupling if tuple(terms) == coupling.terms else replace(coupling, terms=tuple(terms))


def spelled(
    name: str, word: Coordinate, joints: Mapping[str, Joint], where: str
) -> tuple[str, Coordinate]:
    """A joint and a coordinate; "sleeve.displacement" is both in one word."""
    if name in joints:
        return name, word
    for known in (ANGLE, DISPLACEMENT):
        joint = name.removesuffix(f".{known}")
        if word == AUTO and joint != name and joint in joints:
            return joint, known
    raise UnknownName.among("joint", name, joints, where=where)


def in_words(powers: tuple[float, ...]) -> str:
    """Coefficients as people read them."""
    return f"{powers[0]:g}" if len(powers) == 1 else in_brackets(powers)
