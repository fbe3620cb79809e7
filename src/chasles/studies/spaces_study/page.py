"""The study as a page: the text of page.md with the measured numbers in their places."""

from collections.abc import Sequence
from importlib.resources import files
from statistics import median
from string import Template
from typing import Any

from chasles.studies.spaces_study.cases import FAST
from chasles.studies.spaces_study.drawings import NAMES, relative_errors
from chasles.view.theme import scientific as sci

RULES = ("SE3", "SO3xR3", "auto")


class Text(Template):
    """@{name} stands for a value; dollars and braces are Markdown's own."""

    delimiter = "@"


def page(data: dict[str, Any]) -> str:
    """study.md."""
    text = files("chasles.studies.spaces_study").joinpath("page.md").read_text(encoding="utf-8")
    values = {
        "step_ms": f"{data['made']['step'] * 1e3:g}",
        "until": f"{data['made']['until']:g}",
        "ground_table": pair_table(data["ground"]),
        "moving_table": pair_table(data["moving"]),
        "observed_orders": observed(data["orders"]["observed"]),
        **tree_values(data["trees"]),
        **flight_values(data["floating"], data["platform"]),
        **loop_values(data["loops"]),
        **cost_values(data["cost"]),
        **cayley_values(data["cayley"]),
        **prediction_values(data["predictions"]),
    }
    return Text(text).substitute(values)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def times(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def pair_table(charts_of: dict[str, Any]) -> str:
    header = ["pair", *(NAMES[name] for name in next(iter(charts_of.values())))]
    rows = [
        [kind, *(sci(cell["median"]) for cell in charts.values())]
        for kind, charts in charts_of.items()
    ]
    return markdown_table(header, rows)


def observed(orders: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in orders.items())


def tree_values(data: dict[str, Any]) -> dict[str, str]:
    gaps, energy, sizes = data["gap"], data["energy"], data["bodies"]
    rows = [
        [NAMES[rule], sci(median(gaps[rule])), sci(max(gaps[rule])), sci(median(energy[rule]))]
        for rule in RULES
    ]
    header = ["spaces", "gap, median", "gap, largest", "energy drift, median"]
    return {
        "trees": str(len(sizes)),
        "tree_smallest": str(min(sizes)),
        "tree_largest": str(max(sizes)),
        "tree_auto": sci(median(gaps["auto"])),
        "tree_se3": sci(median(gaps["SE3"])),
        "tree_product": sci(median(gaps["SO3xR3"])),
        "tree_table": markdown_table(header, rows),
    }


def flight_values(flight: dict[str, Any], platform: dict[str, Any]) -> dict[str, str]:
    return {
        "boost": f"{flight['boost'][-1]:g}",
        "boost_still": sci(flight["SE3"]["gap"][0]),
        "boost_fast": sci(flight["SE3"]["gap"][-1]),
        "boost_product": sci(flight["SO3xR3"]["gap"][-1]),
        "boost_auto": sci(max(flight["auto"]["gap"])),
        "momentum_product": sci(max(flight["SO3xR3"]["momentum"])),
        "momentum_auto": sci(max(flight["auto"]["momentum"])),
        "platform_fixed": sci(platform["fixed pivot on SE3"]),
        "platform_speed": f"{platform['speed'][-1]:g}",
        "platform_fast": sci(platform["SE3"][-1]),
        "platform_slow_speed": f"{1e3 * platform['speed'][0]:g}",
        "platform_slow": sci(platform["SE3"][0]),
        "platform_auto": sci(max(platform["auto"])),
    }


def loop_values(loops: dict[str, Any]) -> dict[str, str]:
    errors = relative_errors(loops["random"])
    whole = errors["SO(3)×ℝ³, all joints projected"]
    return {
        "loop_table": loop_table(loops),
        "loops": str(len(loops["random"])),
        "middle_cut": times(median(errors["middle cut"])),
        "end_cut": times(median(errors["end cut"])),
        "worst_cut": times(median(errors["worst cut"])),
        "worst_cut_most": times(max(errors["worst cut"])),
        "whole_median": times(median(whole)),
        "whole_better": str(sum(value < 1 for value in whole)),
    }


def loop_table(loops: dict[str, Any]) -> str:
    header = ["loop", "spaces", "gap", "projected", "energy", "projected", "error, m", "projected"]
    rows = []
    for key, title in (("three-bar", "3-bar"), ("slider-crank", "slider-crank")):
        others = loops[key]["others"]
        for joint, row in loops[key]["cuts"].items():
            rows.append([title, f"cut {joint}", *loop_cells(row["none"], row["projected"])])
        for rule in RULES:
            cells = loop_cells(others[rule], others[f"{rule}, projected"])
            rows.append([title, NAMES[rule], *cells])
    return markdown_table(header, rows)


def loop_cells(plain: dict[str, float], projected: dict[str, float]) -> list[str]:
    both = (plain, projected)
    return [sci(one[what]) for what in ("gap", "energy", "error") for one in both]


def cost_values(cost: dict[str, Any]) -> dict[str, str]:
    rules = [rule for rule in cost if rule != "bodies"]
    rows = [
        [str(size), *(f"{cost[rule][k] / size:.2f}" for rule in rules)]
        for k, size in enumerate(cost["bodies"])
    ]
    ratios = [auto / se3 for auto, se3 in zip(cost["auto"], cost["SE3"])]
    return {
        "cost_table": markdown_table(["bodies", *(NAMES[rule] for rule in rules)], rows),
        "cost_ratio": f"{median(ratios):.2f}",
    }


def cayley_values(found: dict[str, Any]) -> dict[str, str]:
    coarse, fine = found["helical"]["Cayley"]
    others = [row["Cayley"][1] for kind, row in found.items() if kind != "helical"]
    return {
        "cayley_rate": f"{FAST:g}",
        "cayley_gap": sci(fine),
        "cayley_ratio": times(coarse / fine),
        "cayley_held": sci(max(others)),
        "exp_gap": sci(found["helical"]["exp"][1]),
    }


def prediction_values(found: dict[str, Any]) -> dict[str, str]:
    wrong = found["wrong"]
    verdict = "None was contradicted."
    if wrong:
        verdict = f"{len(wrong)} were wrong:\n\n" + "\n".join(f"* {line}" for line in wrong)
    return {
        "checked": str(found["checked"]),
        "predicted_exact": str(found["exact"]),
        "verdict": verdict,
    }
