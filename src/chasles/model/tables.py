"""Tables: cells under a header, as text, Markdown or HTML, and as notebooks show them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

#: What is written, or that and the value by which a column is sorted.
Cell = str | tuple[str, float | str]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header.

    left  columns flush left in text: the first so many, or those of these numbers

    >>> print(Table(("joint", "gap"), [("elbow", "3.1")]).text())
    joint  gap
    -----  ---
    elbow  3.1
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int | Collection[int] = 1

    @property
    def lines(self) -> list[list[str]]:
        """The words of all cells, those of the header first."""
        rows = [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in self.rows]
        return [list(self.header), *rows]

    def text(self) -> str:
        """Columns as wide as their widest cell."""
        widths = [max(map(len, column)) for column in zip(*self.lines)]
        flush = range(self.left) if isinstance(self.left, int) else self.left
        sides = ["<" if column in flush else ">" for column in range(len(widths))]
        written = [
            "  ".join(map("{:{}{}}".format, line, sides, widths)).rstrip() for line in self.lines
        ]
        if len(widths) - 1 in flush:  # of long sentences, say
            widths[-1] = len(self.header[-1])
        rule = "  ".join("-" * width for width in widths).rstrip()
        return "\n".join([written[0], rule, *written[1:]])

    def markdown(self) -> str:
        head, *rows = self.lines
        return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))

    def plain_html(self) -> str:
        """For notebooks; cells are text."""
        tags = ["th", *["td"] * len(self.rows)]
        head, *rows = (
            "<tr>" + "".join(f"<{tag}>{escape(word)}</{tag}>" for word in line) + "</tr>"
            for tag, line in zip(tags, self.lines)
        )
        return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"

    def html(
        self, name: str = "", numeric: Collection[int] = (), cards: bool = False,
        labelled: Collection[int] = (),
    ) -> str:  # fmt: skip
        """A table whose columns sort on click; cells are HTML.

        With `cards`, each row becomes a card on a narrow screen, where the `labelled` cells repeat
        the names of their columns.
        """

        def cell(k: int, content: Cell) -> str:
            html, key = (content, None) if isinstance(content, str) else content
            sort = "" if key is None else f' data-sort="{escape(str(key))}"'
            label = f' data-label="{escape(self.header[k])}"' if k in labelled else ""
            return f"<td{' class=n' if k in numeric else ''}{sort}{label}>{html}</td>"

        head = "".join(
            f'<th scope="col"{" class=n" if k in numeric else ""}><button>{column}</button></th>'
            for k, column in enumerate(self.header)
        )
        rows = ("".join(cell(k, content) for k, content in enumerate(row)) for row in self.rows)
        kind = "sortable cards" if cards else "sortable"
        identity = f' id="{name}"' if name else ""
        return (
            f'<div class="scroll"><table{identity} class="{kind}"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table></div>"
        )


def small(value: float | None, digits: int = 1) -> str:
    """A number that may be tiny: 3.4e-14, 0, or a dash where there is none.

    `digits` are those after the point.
    """
    if value is None:
        return "-"
    if value == 0.0:
        return "0"
    return f"{value:.{digits}e}" if isfinite(value) else "not finite"


def plain(value: float) -> str:
    """Three significant digits, without exponent where that reads well."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def finite(value: Any, digits: int | None = None) -> Any:
    """Data with null for numbers that are not finite, which JSON does not have.

    With `digits`, numbers have so many.
    """
    if isinstance(value, dict):
        return {str(key): finite(entry, digits) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry, digits) for entry in value]
    if not isinstance(value, float):
        return value
    if not isfinite(value):
        return None
    return value if digits is None else float(f"{value:.{digits}g}")


class Shown:
    """What prints as lines and tables; notebooks show the same."""

    def _parts(self) -> list[str | Table]:
        """Lines and tables, in order."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(part if isinstance(part, str) else part.text() for part in self._parts())

    def _repr_html_(self) -> str:
        """Its tables, as a notebook shows them."""
        return "".join(
            part.plain_html() if isinstance(part, Table) else f"<pre>{escape(part)}</pre>"
            for part in self._parts() if part
        )  # fmt: skip


def pairs(rows: list[tuple[str, str]]) -> str:
    """Two columns: what, and its value."""
    body = "".join(
        f"<tr><th>{escape(what)}</th><td>{escape(value)}</td></tr>" for what, value in rows
    )
    return f"<table><tbody>{body}</tbody></table>"
