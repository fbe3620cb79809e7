"""A result with fewer of its states: `result[::10]`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.turns import angle_columns
from chasles.model import InvalidOption
from chasles.model.coordinates import ANGLE
from chasles.model.errors import short_repr
from chasles.result.trajectory import OVER_TIME

if TYPE_CHECKING:
    from chasles.result.result import Result


def sliced(result: "Result", index: Any) -> "Result":
    """Some of the states in their order, with a note of which; the run can go on from its end."""
    count = len(result.t)
    try:
        rows = range(*index.indices(count))
    except (AttributeError, TypeError, ValueError):
        rows = range(0)
    if not rows or rows.step < 0:
        raise InvalidOption(
            f"a result of {count} states was asked for its states {words_of(index)}.",
            "Give a number, or a slice that goes forward and has a state in it: result[::10].",
        )
    whole = with_counted_angles(result)
    told_before = result.provenance.get("slice")
    note = f"states {rows[0]} to {rows[-1]} in steps of {rows.step} of {count}"
    others = {**result.provenance.others,
              "slice": f"{told_before}; of those {note}" if told_before else note}  # fmt: skip
    return replace(
        rows_of(whole, slice(rows.start, rows.stop, rows.step)),
        provenance=replace(result.provenance, others=others),
        checkpoint=result.checkpoint if rows[-1] == count - 1 else None,
    )


def words_of(index: Any) -> str:
    if not isinstance(index, slice):
        return short_repr(index)
    parts = (
        "" if part is None else short_repr(part) for part in (index.start, index.stop, index.step)
    )
    return f"[{':'.join(parts)}]"


def rows_of(result: "Result", rows: Any) -> "Result":
    """The same with some of its states."""
    kept = {name: a[rows] for name in OVER_TIME if (a := getattr(result, name)) is not None}
    return replace(result, **kept)


def with_counted_angles(result: "Result") -> "Result":
    """Angles whose turns only the whole history tells are kept as numbers."""
    keys = coordinate_keys(result.model)
    counted = angle_columns(result.problem.setup)
    known = result.coordinates
    coordinates = np.full((len(result.t), len(keys)), np.nan) if known is None else known.copy()
    for column, (joint, word) in enumerate(keys):
        if word == ANGLE and joint not in counted and np.isnan(coordinates[:, column]).all():
            coordinates[:, column] = result.coordinate(joint, word)
    if np.isnan(coordinates).all():
        return result
    return replace(result, coordinates=coordinates)
