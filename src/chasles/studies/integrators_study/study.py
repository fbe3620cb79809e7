"""`chasles study integrators`: run everything, draw it, write the page.

Imported where the command is called: it draws.
"""

from math import isfinite
from pathlib import Path
from typing import Any

from chasles.integrators.methods import methods
from chasles.model.tables import Table, small
from chasles.studies.figures import work_panels
from chasles.studies.integrators_study import cases
from chasles.studies.integrators_study.cases import SPACES, STEP, is_secular
from chasles.studies.output import Study
from chasles.studies.words import page_of
from chasles.studies.work_precision import Point, Work
from chasles.view.plots import Figure, Panel

# --- the page: tables and figures from the numbers ------------------------------------------------


def page(data: dict[str, Any]) -> str:
    orders = [order_table(name, rows) for name, rows in data["orders"].items()]
    return page_of("integrators_study", data, {
        "orders": "\n\n".join(orders),
        "refusals": refusals(data["orders"]),
        "step": f"{STEP * 1e3:g}",
        "drift": drift_table(data["drift"]),
    })  # fmt: skip


def order_table(name: str, rows: dict[str, Any]) -> str:
    known = methods()
    lines = [
        [f"`{method}`", str(known[method].order), *(slope(found[space]) for space in SPACES)]
        for method, found in rows.items()
    ]
    header = ["method", "order", *(f"`{space}`" for space in SPACES)]
    return f"### {name}\n\n{Table(header, lines).markdown()}"


def slope(found: Any) -> str:
    if isinstance(found, str):
        return "refused"
    return " / ".join("–" if not isfinite(value) else f"{value:.2f}" for value in found)


def refusals(orders: dict[str, Any]) -> str:
    """Each reason once, with the methods and spaces that it is about."""
    reasons: dict[str, list[str]] = {}
    for rows in orders.values():
        for method, by_space in rows.items():
            for space, found in by_space.items():
                if isinstance(found, str):
                    reasons.setdefault(found, []).append(f"`{method}` in `{space}`")
    lines = [[", ".join(dict.fromkeys(who)), why] for why, who in reasons.items()]
    return Table(["method and space", "reason"], lines).markdown() if lines else "Nothing."


def drift_table(drift: dict[str, Any]) -> str:
    lines = []
    for method, by_space in drift.items():
        for space, row in by_space.items():
            if not isinstance(row, str):
                trend = small(1e3 * row["trend"], 0) if is_secular(row) else "none"
                gap, energy, momentum = (small(row[name], 0) for name in ("gap", "energy", "L"))
                lines.append([f"`{method}`", f"`{space}`", gap, energy, trend, momentum])
    header = ["method", "spaces", "gap, m", "energy", "trend", "L along gravity"]
    return Table(header, lines).markdown()


def figures(data: dict[str, Any]) -> list[Figure]:
    """Error over evaluations, and over time where it was taken."""
    panels: list[Panel] = []
    for name, table in data["work"].items():
        works = [
            Work(w["method"], w["spaces"], w["kind"], tuple(Point(**p) for p in w["points"]))
            for w in table["works"] if w["points"]
        ]  # fmt: skip
        panels += work_panels(works, name, f"of the {name}")
    return [Figure("work", panels)]


# --- all of it: run, draw, write ------------------------------------------------------------------

STUDY = Study("integrators-study.md", "integrators", {
    "orders": cases.orders, "work": cases.work, "drift": cases.drift
}, page, figures)  # fmt: skip


def make_study(out: Path, quick: bool, slow: bool, progress: bool | None = None) -> str:
    """Write integrators-study.md, figures and results.json; returns what to tell the user."""
    scope = cases.Scope(quick, slow)
    data = STUDY.measured(scope, progress, steps=scope.steps)
    target = STUDY.write(out, data, png=True)
    return f"{target}: {len(data['drift'])} methods in {data['made']['seconds']:g} s"
