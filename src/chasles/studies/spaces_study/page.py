"""The study as a page: the text of page.md with the measured numbers in their places."""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

from chasles.model import Model
from chasles.model.tables import Table
from chasles.studies.output import answered, write_study
from chasles.studies.spaces_study import cases, endurance, loops
from chasles.studies.spaces_study.cases import FAST, RULES
from chasles.studies.spaces_study.drawings import NAMES, figures, relative_errors
from chasles.studies.words import page_of
from chasles.view.theme import scientific as sci


def page(data: dict[str, Any]) -> str:
    values = {
        "ground_table": pair_table(data["ground"]),
        "moving_table": pair_table(data["moving"]),
        "se3_ground": sci(max(charts["SE3"]["largest"] for charts in data["ground"].values())),
        "observed_orders": observed(data["orders"]["observed"]),
        **tree_values(data["trees"]),
        **endurance_values(data),
        **kept_values(data["kept"]),
        **loop_values(data["loops"]),
        **redundant_values(data["redundant"]),
        **cost_values(data["cost"]),
        **cayley_values(data["cayley"]),
        **prediction_values(data["predictions"]),
    }
    return page_of("spaces_study", data, values)


def times(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def pair_table(charts_of: dict[str, Any]) -> str:
    header = ["pair", *(NAMES[name] for name in next(iter(charts_of.values())))]
    rows = [
        [kind, *(sci(cell["median"]) for cell in charts.values())]
        for kind, charts in charts_of.items()
    ]
    return Table(header, rows).markdown()


def observed(orders: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in orders.items())


def tree_values(data: dict[str, Any]) -> dict[str, str]:
    gaps, crude, energy = data["gap"], data["heun"], data["energy"]
    rows = [
        [
            NAMES[rule],
            *(sci(of(found[rule])) for found in (gaps, crude) for of in (median, max)),
            sci(median(energy[rule])),
        ]
        for rule in RULES
    ]
    header = ["spaces", "gap, median", "largest", "with heun: median", "largest",
              "energy drift, median"]  # fmt: skip
    return {"tree_table": Table(header, rows).markdown()}


def loop_values(loops: dict[str, Any]) -> dict[str, str]:
    errors = relative_errors(loops["random"])
    whole = errors["SO(3)×ℝ³, all joints projected"]
    return {
        "loop_table": loop_table(loops),
        "middle_cut": times(median(errors["middle joint closes"])),
        "end_cut": times(median(errors["end joint closes"])),
        "worst_cut": times(median(errors["worst joint closes"])),
        "worst_cut_most": times(max(errors["worst joint closes"])),
        "whole_median": times(median(whole)),
        "whole_better": str(sum(value < 1 for value in whole)),
    }


def loop_table(loops: dict[str, Any]) -> str:
    header = ["loop", "spaces", "gap", "projected", "energy", "projected", "error, m", "projected"]
    rows = []
    for key, title in (("three-bar", "3-bar"), ("slider-crank", "slider-crank")):
        others = loops[key]["others"]
        for joint, row in loops[key]["cuts"].items():
            rows.append([title, f"closed by {joint}", *loop_cells(row["none"], row["projected"])])
        for rule in RULES:
            cells = loop_cells(others[rule], others[f"{rule}, projected"])
            rows.append([title, NAMES[rule], *cells])
    return Table(header, rows).markdown()


def loop_cells(plain: dict[str, float], projected: dict[str, float]) -> list[str]:
    both = (plain, projected)
    return [sci(one[what]) for what in ("gap", "energy", "error") for one in both]


def cost_values(cost: dict[str, Any]) -> dict[str, str]:
    rules = [rule for rule in cost if rule != "bodies"]
    rows = [
        [str(size), *(f"{cost[rule][k] / size:.2f}" for rule in rules)]
        for k, size in enumerate(cost["bodies"])
    ]

    def ratio(rule: str) -> str:
        return f"{median(own / se3 for own, se3 in zip(cost[rule], cost['SE3'])):.2f}"

    return {
        "cost_table": Table(["bodies", *(NAMES[rule] for rule in rules)], rows).markdown(),
        "cost_framed": ratio("framed"),
        "cost_subgroups": ratio("subgroups"),
    }


def cayley_values(found: dict[str, Any]) -> dict[str, str]:
    coarse, fine = found["helical"]["Cayley"]
    others = [row["Cayley"][1] for kind, row in found.items() if kind != "helical"]
    return {
        "cayley_rate": f"{FAST:g}",
        "cayley_ratio": times(coarse / fine),
        "cayley_held": sci(max(others)),
    }


def prediction_values(found: dict[str, Any]) -> dict[str, str]:
    wrong = found["wrong"]
    verdict = "None was contradicted."
    if wrong:
        verdict = f"{len(wrong)} were wrong:\n\n" + "\n".join(f"* {line}" for line in wrong)
    return {"verdict": verdict}


SHOWN = ("gap", "P", "L", "X", "E")


def number(value: float | None) -> str:
    """A figure of a run; one that broke off says so."""
    if value is None:
        return "–"
    return sci(value) if isfinite(value) else "broke off"


def kept_values(data: dict[str, Any]) -> dict[str, str]:
    found = (e for spaces in data.values() for methods in spaces.values() for e in methods.values())
    rounding = [v for errors in found for v in errors.values() if v < endurance.ROUNDING]
    pivoted = data["pivoted"]
    return {
        "kept_step_ms": f"{1e3 * endurance.STEP:g}",
        "kept_until": f"{endurance.UNTIL:g}",
        "kept_rounding": sci(endurance.ROUNDING, 0),
        "kept_largest": sci(max(rounding)),
        "kept_summary": "\n".join(summary(data)),
        "kept_floating": full_table(data["floating"], endurance.QUANTITIES["floating"]),
        "kept_pivoted": full_table(pivoted, endurance.QUANTITIES["pivoted"]),
    }


def summary(data: dict[str, Any]) -> Iterator[str]:
    """A row for every chain and space: rounding, or the span of the methods' errors."""
    for chain, spaces in data.items():
        for rule, methods in spaces.items():
            cells = [f"{chain}, {NAMES[rule]}"]
            for quantity in SHOWN:
                if quantity not in endurance.QUANTITIES[chain]:
                    cells.append("–")
                    continue
                values = [errors[quantity] for errors in methods.values()]
                cells.append(span(values))
            yield "| " + " | ".join(cells) + " |"


def span(values: list[float]) -> str:
    if max(values) < endurance.ROUNDING:
        return "**round-off**"
    return f"{number(max(values))} … {number(min(values))}"


def full_table(spaces: dict[str, Any], quantities: tuple[str, ...]) -> str:
    def cell(value: float) -> str:
        return f"**{sci(value)}**" if value < endurance.ROUNDING else number(value)

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


# --- all of it: run, draw, write ------------------------------------------------------------------


def measured(
    effort: cases.Effort, linkages: Mapping[str, Model], progress: bool | None = None
) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr; linkages are over-constrained loops."""
    ledger = cases.Ledger()
    questions: dict[str, Callable[[], Any]] = {
        "ground": lambda: cases.pairs(effort, ledger, moving=False),
        "moving": lambda: cases.pairs(effort, ledger, moving=True),
        "orders": cases.orders,
        "trees": lambda: cases.trees(effort, ledger),
        "spins": endurance.spins,
        "long": lambda: endurance.long_runs(effort),
        "door": endurance.door,
        "floating": cases.floating,
        "platform": cases.platform,
        "kept": endurance.kept,
        "loops": lambda: loops.loops(effort, ledger),
        "redundant": lambda: loops.redundant(linkages, ledger),
        "cost": lambda: cases.cost(effort),
        "cayley": cases.cayley_against_exp,
    }
    data = answered(questions, progress, quick=effort.quick, step=cases.STEP, until=cases.UNTIL)
    data["predictions"] = {"checked": ledger.checked, "exact": ledger.held, "wrong": ledger.wrong}
    return data


def make_study(
    out: Path, effort: cases.Effort, linkages: Mapping[str, Model], progress: bool | None = None
) -> str:
    """Write study.md, the figures and results.json to `out`; returns what to tell the user."""
    data = measured(effort, linkages, progress)
    drawn, images, png = figures(data), Path("images") / "study", not effort.quick
    target = write_study(out, images, "study.md", page(data), drawn, data, png)
    predicted = data["predictions"]
    return (
        f"{target}: {len(drawn)} figures, {predicted['checked']} predictions,"
        f" {len(predicted['wrong'])} of them wrong, in {data['made']['seconds']:g} s"
    )
