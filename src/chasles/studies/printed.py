"""What the answers of studies have in common: they print, they draw, and they refuse alike."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from chasles.model import InvalidOption
from chasles.model.checks import checked_array
from chasles.model.errors import short_repr
from chasles.model.tables import as_html


class Printed:
    """Shows itself as it prints, in notebooks with tables; `figure` is what `plot` draws."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return as_html(str(self))

    #: module and function that draw it
    drawn_by: ClassVar[str]

    def figure(self) -> Any:
        module, _, name = self.drawn_by.partition(":")
        return getattr(import_module(f"chasles.studies.{module}"), name)(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of it.

        With a path, the .png or .svg file that was written; without, a matplotlib Figure.
        """
        from chasles.view.plots import save_figure, shown_figure  # late: it draws

        return shown_figure(self.figure()) if path is None else save_figure(self.figure(), path)


def check_lists(where: str, **listed: Any) -> None:
    """Refuse what is not a list with something in it."""
    for what, values in listed.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise InvalidOption(
                f"{where}: {what} must be a list, got {short_repr(values)}.",
                f"Give a list of {what}.",
            )


def checked_falling(
    values: Any, where: str, what: str, rule: str, remedy: str, fewest: int = 0
) -> list[float]:
    """Positive numbers, at least so many different ones, the largest first."""
    array = np.atleast_1d(checked_array(values, what, where, InvalidOption))
    if array.ndim != 1 or len(set(array.tolist())) < fewest or not (array > 0).all():
        raise InvalidOption(f"{where}: {what} must be {rule}, got {short_repr(values)}.", remedy)
    return sorted(array.tolist(), reverse=True)
