"""The study as a page: the text of page.md with the measured numbers in their places."""

from importlib.resources import files
from statistics import median
from string import Template
from typing import Any

from chasles.model.tables import Table
from chasles.studies.spaces_study.cases import BOTH, FAST, RULES
from chasles.studies.spaces_study.conservation_page import (
    endurance_values,
    kept_values,
    redundant_values,
)
from chasles.studies.spaces_study.drawings import NAMES, relative_errors
from chasles.view.theme import scientific as sci


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
        "both_ball": sci(data["moving"]["spherical"][BOTH]["largest"]),
        "se3_ground": sci(max(charts["SE3"]["largest"] for charts in data["ground"].values())),
        "observed_orders": observed(data["orders"]["observed"]),
        **tree_values(data["trees"]),
        **flight_values(data["floating"], data["platform"]),
        **endurance_values(data),
        **kept_values(data["kept"]),
        **loop_values(data["loops"]),
        **redundant_values(data["redundant"]),
        **cost_values(data["cost"]),
        **cayley_values(data["cayley"]),
        **prediction_values(data["predictions"]),
    }
    return Text(text).substitute(values)


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
    gaps, crude, energy, sizes = data["gap"], data["heun"], data["energy"], data["bodies"]
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
    return {
        "trees": str(len(sizes)),
        "tree_smallest": str(min(sizes)),
        "tree_largest": str(max(sizes)),
        "tree_framed": sci(median(gaps["framed"])),
        "tree_subgroups": sci(median(gaps["subgroups"])),
        "tree_se3": sci(median(gaps["SE3"])),
        "tree_product": sci(median(gaps["SO3xR3"])),
        "tree_table": Table(header, rows).markdown(),
    }


def flight_values(flight: dict[str, Any], platform: dict[str, Any]) -> dict[str, str]:
    return {
        "boost": f"{flight['boost'][-1]:g}",
        "boost_still": sci(flight["SE3"]["gap"][0]),
        "boost_fast": sci(flight["SE3"]["gap"][-1]),
        "boost_product": sci(flight["SO3xR3"]["gap"][-1]),
        "boost_framed": sci(max(flight["framed"]["gap"])),
        "boost_subgroups": sci(max(flight["subgroups"]["gap"])),
        "momentum_product": sci(max(flight["SO3xR3"]["momentum"])),
        "momentum_framed": sci(max(flight["framed"]["momentum"])),
        "momentum_subgroups": sci(max(flight["subgroups"]["momentum"])),
        "angular_se3": sci(flight["SE3"]["angular"][-1]),
        "angular_product": sci(flight["SO3xR3"]["angular"][-1]),
        "angular_framed": sci(flight["framed"]["angular"][-1]),
        "angular_subgroups": sci(flight["subgroups"]["angular"][-1]),
        "platform_fixed": sci(platform["fixed pivot on SE3"]),
        "platform_speed": f"{platform['speed'][-1]:g}",
        "platform_fast": sci(platform["SE3"][-1]),
        "platform_slow_speed": f"{1e3 * platform['speed'][0]:g}",
        "platform_slow": sci(platform["SE3"][0]),
        "platform_framed": sci(max(platform["framed"])),
        "platform_subgroups": sci(max(platform["subgroups"])),
    }


def loop_values(loops: dict[str, Any]) -> dict[str, str]:
    errors = relative_errors(loops["random"])
    whole = errors["SO(3)×ℝ³, all joints projected"]
    return {
        "loop_table": loop_table(loops),
        "loops": str(len(loops["random"])),
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
