"""What a reproduced result is: whose, which digits, and how ours are made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chasles.model.tables import Table, small


@dataclass(frozen=True)
class TableRow:
    """One published number.

    what     how it was made, in words
    theirs   as printed, or "" where no number is at hand
    digits   to how many significant digits ours is to equal theirs; 0: it is not the same method
    options  with which ours is measured: the same method and step
    """

    what: str
    theirs: str
    digits: int
    options: Mapping[str, Any]
    note: str = ""


@dataclass(frozen=True)
class Case:
    """A published example.

    quantity    what the numbers are, with its unit
    source      where they were published
    measured    a number from options
    converged   the value that shorter steps lead to, or options of a method of order 8 for it
    sure        to how many significant digits that is known
    """

    name: str
    title: str
    quantity: str
    source: str
    measured: Callable[..., float]
    converged: Mapping[str, Any] | float
    rows: Sequence[TableRow]
    sure: int = 12
    remark: str = ""


@dataclass(frozen=True)
class Reproduced:
    """A case that was run: rows of (what, theirs, ours, digits in common, expected digits)."""

    case: Case
    converged: float
    rows: tuple[dict[str, Any], ...] = field(default=())

    @property
    def agrees(self) -> bool:
        """Whether every number that should be equal is."""
        return all(row["common"] >= row["expected"] for row in self.rows)

    def __str__(self) -> str:
        header = ["", "theirs", "ours", "digits in common", "off from converged"]
        rows = [
            [row["what"], row["theirs"] or "not at hand", f"{row['ours']:.{self.case.sure + 2}g}",
             str(row["common"]) if row["expected"] else "-",
             small(abs(row["ours"] - self.converged))]
            for row in self.rows
        ]  # fmt: skip
        notes = [f"{row['what']}: {row['note']}" for row in self.rows if row["note"]]
        lines = [
            f"{self.case.title}: {self.case.quantity}",
            f"source: {self.case.source}",
            Table(header, rows).text(),
            f"converged: {self.converged:.{self.case.sure}g}",
        ]
        return "\n".join([*lines, *notes, *([self.case.remark] if self.case.remark else [])])

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.case.name,
            "title": self.case.title,
            "quantity": self.case.quantity,
            "source": self.case.source,
            "converged": self.converged,
            "agrees": self.agrees,
            "rows": list(self.rows),
        }


def reproduced(case: Case) -> Reproduced:
    rows = []
    for row in case.rows:
        ours = case.measured(**row.options)
        common = digits_in_common(row.theirs, ours) if row.theirs else 0
        rows.append({"what": row.what, "theirs": row.theirs, "ours": ours, "common": common,
                     "expected": row.digits, "note": row.note})  # fmt: skip
    limit = case.converged
    converged = case.measured(**limit) if isinstance(limit, Mapping) else limit
    return Reproduced(case, converged, tuple(rows))


def digits_in_common(theirs: str, ours: float) -> int:
    r"""How many significant digits two numbers share: the largest n with $|a - b| \le 10^{-n}|a|$.

    >>> digits_in_common("-106.16651966441937", -106.16651966442005)
    14
    """
    value = float(theirs)
    if value == ours:
        return 17
    digits = 0
    while digits < 17 and abs(value - ours) <= 10.0 ** -(digits + 1) * abs(value):
        digits += 1
    return digits
