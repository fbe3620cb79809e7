"""Aligned tables of text."""

from collections.abc import Sequence
from math import isfinite


def aligned_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Columns as wide as their widest cell, the first `left` of them flush left."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]

    def line_of(cells: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths))
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join(
        [line_of(header), "  ".join("-" * width for width in widths), *map(line_of, rows)]
    )


def small(value: float | None) -> str:
    """A number that may be tiny: 3.4e-14, 0, or a dash where there is none."""
    if value is None:
        return "-"
    if value == 0.0:
        return "0"
    return f"{value:.1e}" if isfinite(value) else "not finite"


def plain(value: float) -> str:
    """Three significant digits, without exponent where that reads well."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
