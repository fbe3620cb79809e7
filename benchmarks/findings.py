"""What a benchmark finds, and how it is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    case: str
    library: str
    variant: str
    value: float
    unit: str


@dataclass(frozen=True)
class Requirement:
    """A promise: the measured number stays at or below the limit.  None: not measured."""

    what: str
    measured: float | None
    limit: float

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        return "pass" if self.measured <= self.limit else "FAIL"


@dataclass(frozen=True)
class Series:
    """Points of a curve."""

    case: str
    library: str
    variant: str
    x: Sequence[float]
    y: Sequence[float]


KINDS = ("figures", "series", "requirements", "notes")


@dataclass
class Findings:
    figures: list[Figure] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def all_passed(self) -> bool:
        return all(requirement.verdict == "pass" for requirement in self.requirements)

    def sizes(self) -> dict[str, int]:
        """How many there are of each kind."""
        return {kind: len(getattr(self, kind)) for kind in KINDS}

    def since(self, sizes: dict[str, int]) -> dict[str, Any]:
        """What came after there were so many, as data."""
        return {
            "figures": [asdict(figure) for figure in self.figures[sizes["figures"] :]],
            "series": [asdict(series) for series in self.series[sizes["series"] :]],
            "requirements": [
                asdict(r) | {"verdict": r.verdict}
                for r in self.requirements[sizes["requirements"] :]
            ],
            "notes": self.notes[sizes["notes"] :],
        }

    def as_text(self) -> str:
        figures = [(f.case, f.library, f.variant, rounded(f.value), f.unit) for f in self.figures]
        requirements = [
            (r.what, rounded(r.measured), rounded(r.limit), r.verdict) for r in self.requirements
        ]
        return "\n\n".join(
            [
                aligned_table(
                    ("case", "library", "variant", "measured", "unit"), grouped(figures), ">3"
                ),
                aligned_table(
                    ("requirement", "measured", "limit", "verdict"), requirements, ">1>2"
                ),
                "\n".join(self.notes),
            ]
        )


def rounded(value: float | None) -> str:
    """Three significant digits, without exponent where that reads well."""
    if value is None:
        return "-"
    if value == 0 or 1e-3 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1e}"


def grouped(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Each case's name only in its first row."""
    shown: list[tuple[str, ...]] = []
    last = None
    for case, *rest in rows:
        shown.append(("" if case == last else case, *rest))
        last = case
    return shown


def aligned_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str) -> str:
    """Aligned columns; ``right`` names the right-aligned ones: ">1>2"."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]

    def line_of(cells: Sequence[str]) -> str:
        aligned = [
            cell.rjust(width) if f">{i}" in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join([line_of(header), "  ".join("-" * w for w in widths), *map(line_of, rows)])
