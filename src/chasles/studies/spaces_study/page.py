"""The study as a page: the text of page.md with the measured numbers in their places."""

from functools import partial
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

from chasles.model.tables import Table
from chasles.studies.output import Study
from chasles.studies.spaces_study import cases, endurance, loops
from chasles.studies.spaces_study.cases import FAST, RULES
from chasles.studies.spaces_study.drawings import NAMES, figures, relative_errors
from chasles.studies.words import page_of
from chasles.view.theme import scientific as sci

RULE_NAMES = [NAMES[rule] for rule in RULES]


def page(data: dict[str, Any]) -> str:
    return page_of("spaces_study", data, {
        "ground_table": pair_table(data["ground"]),
        "moving_table": pair_table(data["moving"]),
        "observed_orders": ", ".join(f"{k} {v:.2f}" for k, v in data["orders"]["observed"].items()),
        "tree_table": tree_table(data["trees"]),
        "redundant_step_ms": f"{1e3 * loops.REDUNDANT_STEP:g}",
        "redundant_table": redundant_table(data["redundant"]),
        "verdict": verdict(data["predictions"]["wrong"]),
        **endurance_values(data),
        **kept_values(data["kept"]),
        **loop_values(data["loops"]),
        **cost_values(data["cost"]),
        **cayley_values(data["cayley"]),
    })  # fmt: skip


def number(value: float | None) -> str:
    """A figure of a run; one that broke off says so."""
    if value is None:
        return "–"
    return sci(value) if isfinite(value) else "broke off"


def times(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def pair_table(charts_of: dict[str, Any]) -> str:
    header = ["pair", *(NAMES[name] for name in next(iter(charts_of.values())))]
    rows = [
        [kind, *(sci(cell["median"]) for cell in charts.values())]
        for kind, charts in charts_of.items()
    ]
    return Table(header, rows).markdown()


def tree_table(data: dict[str, Any]) -> str:
    header = ["spaces", "gap, median", "largest", "with heun: median", "largest",
              "energy drift, median"]  # fmt: skip
    parts = [(what, of) for what in ("gap", "heun") for of in (median, max)]
    parts.append(("energy", median))
    rows = [[NAMES[rule], *(sci(of(data[what][rule])) for what, of in parts)] for rule in RULES]
    return Table(header, rows).markdown()


def loop_values(loops: dict[str, Any]) -> dict[str, str]:
    middle, end, worst, whole = relative_errors(loops["random"]).values()
    return {
        "loop_table": loop_table(loops),
        "middle_cut": times(median(middle)),
        "end_cut": times(median(end)),
        "worst_cut": times(median(worst)),
        "worst_cut_most": times(max(worst)),
        "whole_median": times(median(whole)),
        "whole_better": str(sum(value < 1 for value in whole)),
    }


def loop_table(loops: dict[str, Any]) -> str:
    header = ["loop", "spaces", "gap", "projected", "energy", "projected", "error, m", "projected"]
    rows = []
    for key, title in (("three-bar", "3-bar"), ("slider-crank", "slider-crank")):
        cuts, others = loops[key]["cuts"], loops[key]["others"]
        found = {
            f"closed by {joint}": (row["none"], row["projected"]) for joint, row in cuts.items()
        }
        found |= {NAMES[rule]: (others[rule], others[f"{rule}, projected"]) for rule in RULES}
        rows += [
            [title, name, *(sci(one[what]) for what in ("gap", "energy", "error") for one in both)]
            for name, both in found.items()
        ]
    return Table(header, rows).markdown()


def redundant_table(data: dict[str, Any]) -> str:
    rows = [
        [name, method, *(" ∣ ".join(map(number, row[rule].values())) for rule in RULES)]
        for name, methods in data.items()
        for method, row in methods.items()
    ]
    return Table(["linkage", "method", *RULE_NAMES], rows).markdown()


def cost_values(cost: dict[str, Any]) -> dict[str, str]:
    rules = [rule for rule in cost if rule != "bodies"]
    rows = [
        [str(size), *(f"{cost[rule][k] / size:.2f}" for rule in rules)]
        for k, size in enumerate(cost["bodies"])
    ]
    table = Table(["bodies", *(NAMES[rule] for rule in rules)], rows).markdown()
    ratios = {
        f"cost_{rule}": f"{median(own / se3 for own, se3 in zip(cost[rule], cost['SE3'])):.2f}"
        for rule in ("framed", "subgroups")
    }
    return {"cost_table": table, **ratios}


def cayley_values(found: dict[str, Any]) -> dict[str, str]:
    coarse, fine = found["helical"]["Cayley"]
    others = [row["Cayley"][1] for kind, row in found.items() if kind != "helical"]
    return {
        "cayley_rate": f"{FAST:g}",
        "cayley_ratio": times(coarse / fine),
        "cayley_held": sci(max(others)),
    }


def verdict(wrong: list[str]) -> str:
    if not wrong:
        return "None was contradicted."
    return f"{len(wrong)} were wrong:\n\n" + "\n".join(f"* {line}" for line in wrong)


# --- what long runs keep --------------------------------------------------------------------------

SHOWN = ("gap", "P", "L", "X", "E")


def kept_values(data: dict[str, Any]) -> dict[str, str]:
    found = (e for spaces in data.values() for methods in spaces.values() for e in methods.values())
    rounding = [v for errors in found for v in errors.values() if v < endurance.ROUNDING]
    return {
        "kept_step_ms": f"{1e3 * endurance.STEP:g}",
        "kept_until": f"{endurance.UNTIL:g}",
        "kept_rounding": sci(endurance.ROUNDING, 0),
        "kept_largest": sci(max(rounding)),
        "kept_summary": kept_summary(data),
        **{f"kept_{chain}": kept_table(spaces) for chain, spaces in data.items()},
    }


def kept_summary(data: dict[str, Any]) -> str:
    """A row for every chain and space: rounding, or the span of the methods' errors."""
    rows = [
        [f"{chain}, {NAMES[rule]}", *(span(methods, quantity) for quantity in SHOWN)]
        for chain, spaces in data.items()
        for rule, methods in spaces.items()
    ]
    return Table(["chain, space", "gap, m", "P", "L", "X, m", "E"], rows).markdown()


def span(methods: dict[str, Any], quantity: str) -> str:
    values = [errors[quantity] for errors in methods.values() if quantity in errors]
    if not values:
        return "–"
    if max(values) < endurance.ROUNDING:
        return "**round-off**"
    return f"{number(max(values))} … {number(min(values))}"


def kept_table(spaces: dict[str, Any]) -> str:
    def cell(value: float) -> str:
        return f"**{sci(value)}**" if value < endurance.ROUNDING else number(value)

    found = [
        (NAMES[rule], method, errors)
        for rule, methods in spaces.items()
        for method, errors in methods.items()
    ]
    rows = [[name, method, *map(cell, errors.values())] for name, method, errors in found]
    return Table(["space", "method", *found[0][2]], rows).markdown()


def endurance_values(data: dict[str, Any]) -> dict[str, str]:
    spins, long = data["spins"], data["long"]
    labels = {
        "heun": f"heun, {endurance.SPEED:g} rad/s, 1 ms, {endurance.SPUN:g} s",
        "half turns": f"rk4, π rad a step, {endurance.HALF_TURNS} steps",
    }
    spun = [[label, *(number(spins[r][key]) for r in RULES)] for key, label in labels.items()]
    counts = [f"{count:,}".replace(",", " ") for count in long["steps"]]
    lasted = [[n, *(number(long[rule][k]) for rule in RULES)] for k, n in enumerate(counts)]
    return {
        "spin_table": Table(["run", *RULE_NAMES], spun).markdown(),
        "spin_se3": sci(max(spins["SE3"].values())),
        "long_table": Table(["steps", *RULE_NAMES], lasted).markdown(),
        "long_most": counts[-1],
    }


# --- all of it: run, draw, write ------------------------------------------------------------------

STUDY = Study("study.md", "study", {
    "ground": cases.pairs,
    "moving": partial(cases.pairs, moving=True),
    "orders": cases.orders,
    "trees": cases.trees,
    "spins": endurance.spins,
    "long": endurance.long_runs,
    "door": endurance.door,
    "floating": cases.floating,
    "platform": cases.platform,
    "kept": endurance.kept,
    "loops": loops.loops,
    "redundant": loops.redundant,
    "cost": cases.cost,
    "cayley": cases.cayley_against_exp,
    "predictions": lambda scope: scope.predictions,
}, page, figures)  # fmt: skip


def make_study(out: Path, quick: bool, slow: bool, progress: bool | None = None) -> str:
    """Write study.md, the figures and results.json to `out`; returns what to tell the user."""
    made = {"quick": quick, "step": cases.STEP, "until": cases.UNTIL}
    data = STUDY.measured(cases.Scope(quick, slow), progress, **made)
    predicted = data["predictions"]
    return (
        f"{STUDY.write(out, data, png=not quick)}: {predicted['checked']} predictions,"
        f" {len(predicted['wrong'])} of them wrong, in {data['made']['seconds']:g} s"
    )
