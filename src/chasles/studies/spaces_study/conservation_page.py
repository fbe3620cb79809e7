"""Tables of what is kept: by method and space, in fast and long runs, in redundant loops."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

from chasles.model.tables import Table
from chasles.studies.spaces_study import endurance, kept, loops
from chasles.studies.spaces_study.cases import RULES
from chasles.studies.spaces_study.drawings import NAMES
from chasles.view.theme import scientific as sci

SHOWN = ("gap", "P", "L", "X", "E")


def number(value: float | None) -> str:
    """A figure of a run; one that broke off says so."""
    if value is None:
        return "–"
    return sci(value) if isfinite(value) else "broke off"


def kept_values(data: dict[str, Any]) -> dict[str, str]:
    found = (e for spaces in data.values() for methods in spaces.values() for e in methods.values())
    rounding = [v for errors in found for v in errors.values() if v < kept.ROUNDING]
    pivoted = data["pivoted"]
    return {
        "kept_step_ms": f"{1e3 * kept.STEP:g}",
        "kept_until": f"{kept.UNTIL:g}",
        "kept_rounding": sci(kept.ROUNDING, 0),
        "kept_largest": sci(max(rounding)),
        "kept_summary": "\n".join(summary(data)),
        "kept_floating": full_table(data["floating"], kept.QUANTITIES["floating"]),
        "kept_pivoted": full_table(pivoted, kept.QUANTITIES["pivoted"]),
    }


def summary(data: dict[str, Any]) -> Iterator[str]:
    """A row for every chain and space: rounding, or the span of the methods' errors."""
    for chain, spaces in data.items():
        for rule, methods in spaces.items():
            cells = [f"{chain}, {NAMES[rule]}"]
            for quantity in SHOWN:
                if quantity not in kept.QUANTITIES[chain]:
                    cells.append("–")
                    continue
                values = [errors[quantity] for errors in methods.values()]
                cells.append(span(values))
            yield "| " + " | ".join(cells) + " |"


def span(values: list[float]) -> str:
    if max(values) < kept.ROUNDING:
        return "**round-off**"
    return f"{number(max(values))} … {number(min(values))}"


def full_table(spaces: dict[str, Any], quantities: tuple[str, ...]) -> str:
    def cell(value: float) -> str:
        return f"**{sci(value)}**" if value < kept.ROUNDING else number(value)

    rows = [
        [NAMES[rule], method, *(cell(errors[quantity]) for quantity in quantities)]
        for rule, methods in spaces.items()
        for method, errors in methods.items()
    ]
    return Table(["space", "method", *quantities], rows).markdown()


def endurance_values(data: dict[str, Any]) -> dict[str, str]:
    spins, long = data["spins"], data["long"]
    header = ["run", *(NAMES[rule] for rule in RULES)]
    labels = {
        "heun": f"heun, {endurance.SPEED:g} rad/s, 1 ms, {endurance.SPUN:g} s",
        "half turns": f"rk4, π rad a step, {endurance.HALF_TURNS} steps",
    }
    spun = [[label, *(number(spins[r][key]) for r in RULES)] for key, label in labels.items()]
    lasted = [
        [f"{count:,}".replace(",", " "), *(number(long[rule][k]) for rule in RULES)]
        for k, count in enumerate(long["steps"])
    ]
    return {
        "spin_table": Table(header, spun).markdown(),
        "spin_se3": sci(max(spins["SE3"].values())),
        "long_table": Table(["steps", *header[1:]], lasted).markdown(),
        "long_most": f"{max(long['steps']):,}".replace(",", " "),
    }


def redundant_values(data: dict[str, Any]) -> dict[str, str]:
    rows = [
        [
            name,
            method,
            *(f"{number(row[rule]['held'])} ∣ {number(row[rule]['drifting'])}" for rule in RULES),
        ]
        for name, methods in data.items()
        for method, row in methods.items()
    ]
    return {
        "redundant_step_ms": f"{1e3 * loops.REDUNDANT_STEP:g}",
        "redundant_table": Table(
            ["linkage", "method", *(NAMES[rule] for rule in RULES)], rows
        ).markdown(),
    }
