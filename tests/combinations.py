"""Parts of a product that stand for the whole: the others are in `make slow`.

A scheme does not know the space of a body, a pair does not know the scheme, and the elimination
knows neither.  So it takes two of them to be wrong together, and not three.
"""

from itertools import combinations, product
from typing import Any

import pytest


def pairwise(*axes: Any) -> list[Any]:
    """The product of some lists; every two values of different lists meet in a quick test.

    As few as possible are quick; which ones depends on the lists alone.
    """
    values = [list(axis) for axis in axes]
    whole = list(product(*(range(len(axis)) for axis in values)))
    meetings = {where: set(meetings_of(where)) for where in whole}
    waiting = set().union(*meetings.values())
    quick = set()
    while waiting:
        best = max(whole, key=lambda where: len(meetings[where] & waiting))
        waiting -= meetings[best]
        quick.add(best)
    return marked(values, quick)


def one_at_a_time(*axes: Any, base: tuple[Any, ...]) -> list[Any]:
    """The product of some lists; quick are those that differ from `base` in one value at most."""
    values = [list(axis) for axis in axes]
    usual = [axis.index(value) for axis, value in zip(values, base)]
    whole = product(*(range(len(axis)) for axis in values))
    quick = {where for where in whole if sum(k != u for k, u in zip(where, usual)) <= 1}
    return marked(values, quick)


def covering(items: list[Any], words: Any, together: int = 2) -> list[Any]:
    """Some of the items: any two (or so many) of the words of one, words(item), meet in one of
    the chosen.
    """
    meetings = [set(combinations(sorted(words(item)), together)) for item in items]
    waiting, chosen = set().union(*meetings), []
    while waiting:
        best = max(range(len(items)), key=lambda k: len(meetings[k] & waiting))
        waiting -= meetings[best]
        chosen.append(items[best])
    return chosen or items


def meetings_of(where: tuple[int, ...]) -> Any:
    return combinations(enumerate(where), 2)


def marked(values: list[list[Any]], quick: set[tuple[int, ...]]) -> list[Any]:
    return [
        pytest.param(
            *(axis[k] for axis, k in zip(values, where)),
            marks=() if where in quick else pytest.mark.slow,
        )
        for where in product(*(range(len(axis)) for axis in values))
    ]
