"""The study's figures, from its numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chasles.studies.spaces_study import endurance
from chasles.studies.spaces_study.cases import BOTH, METHODS, RULES
from chasles.view.plots import Figure, Panel
from chasles.view.study_panels import Series, bars, distribution, dots, slopes

#: space -> how it is called, and its colour where it is drawn
LOOKS = {
    "SE3": ("SE(3)", "se3"),
    "SO3xR3": ("SO(3)×ℝ³", "product"),
    "framed": ("framed", "other"),
    "subgroups": ("subgroups", "chosen"),
    "subgroup": ("its subgroup", "chosen"),
    BOTH: ("SO(3)×ℝ³, both on the joint", ""),
    "SO3xR3 at the COM": ("SO(3)×ℝ³ at the COM", "product"),
    "SO3xR3 on the joint": ("SO(3)×ℝ³ on the joint", "y"),
    "SE3 relative": ("SE(3) relative", "x"),
    "SO3xR3 relative, at the COM": ("SO(3)×ℝ³ relative, COM", "z"),
    "SO3xR3 relative, on the joint": ("SO(3)×ℝ³ relative, on joint", "other"),
    "SO3xR3 on joints": ("SO(3)×ℝ³ on joints", "y"),
}
NAMES = {space: name for space, (name, _) in LOOKS.items()}
COLOURS = {space: colour for space, (_, colour) in LOOKS.items() if colour}
TALL = (4.9, 4.0)
WIDE = (4.9, 3.4)


def figures(data: dict[str, Any]) -> tuple[Figure, ...]:
    return (
        pairs_figure(data),
        orders_figure(data["orders"]),
        trees_figure(data["trees"]),
        long_figure(data["long"]),
        moving_frames_figure(data),
        kept_figure(data["kept"]["floating"]),
        loops_figure(data["loops"]),
        cuts_figure(data["loops"]["random"]),
        cost_figure(data["cost"]),
        cayley_figure(data["cayley"]),
    )


def pairs_figure(data: dict[str, Any]) -> Figure:
    def panel(table: dict[str, Any], title: str) -> Panel:
        kinds = list(table)
        series = [
            Series(NAMES[chart], [table[k][chart]["median"] for k in kinds], COLOURS[chart])
            for chart in table[kinds[0]]
            if chart in COLOURS
        ]
        return Panel(dots(kinds, series, title, "largest gap in 1 s, m or rad"), title, TALL)

    return Figure("pairs", "", "", (
        panel(data["ground"], "Joint to the ground"),
        panel(data["moving"], "Joint to a moving body"),
    ))  # fmt: skip


def orders_figure(table: dict[str, Any]) -> Figure:
    colours = ("product", "y", "se3", "other")
    steps = table["step"]
    series = [Series(f"{m} on SE(3)", table["SE3"][m], c, steps) for m, c in zip(METHODS, colours)]
    series.append(Series("all four, framed", envelope(table["framed"]), "x", steps))
    series.append(Series("all four, subgroups", envelope(table["subgroups"]), "chosen", steps))
    draw = slopes(series, "Joint 2 of the double pendulum", "step in s", "gap in m after 0.2 s")
    return Figure("orders", "", "", (Panel(draw, "Gap against step", WIDE),), columns=1)


def by_rule(values: Mapping[str, Any], x: Sequence[float] = ()) -> list[Series]:
    """A series for every rule."""
    return [Series(NAMES[rule], values[rule], COLOURS[rule], x) for rule in RULES]


def envelope(rows: dict[str, list[float]]) -> list[float]:
    return np.array(list(rows.values())).max(axis=0).tolist()


def trees_figure(table: dict[str, Any]) -> Figure:
    def panel(what: str, title: str, label: str) -> Panel:
        return Panel(distribution(by_rule(table[what]), title, label), title, WIDE)

    return Figure("trees", "", "", (
        panel("gap", "Worst joint of a tree", "largest gap in 1 s, m or rad"),
        panel("energy", "Energy", "largest |E − E₀| / max T"),
    ))  # fmt: skip


def long_figure(table: dict[str, Any]) -> Figure:
    series = by_rule(table, table["steps"])
    draw = slopes(series, "Eight links on ball joints", "steps of 1 ms", "largest gap so far, m")
    return Figure("long", "", "", (Panel(draw, "Gap after many steps", WIDE),), columns=1)


def kept_figure(table: dict[str, Any]) -> Figure:
    """What the floating chain keeps: one panel per quantity, one row per method."""
    titles = {
        "gap": ("Joints", "largest gap, m"),
        "P": ("Linear momentum P", "relative drift"),
        "L": ("Angular momentum L", "relative drift"),
        "X": ("Path X of the centre of mass", "largest error, m"),
        "E": ("Energy E", "relative drift"),
    }
    panels = []
    for quantity, (title, label) in titles.items():
        errors = {rule: [table[rule][m][quantity] for m in endurance.METHODS] for rule in RULES}
        panels.append(Panel(dots(endurance.METHODS, by_rule(errors), title, label), title, TALL))
    return Figure("kept", "", "", tuple(panels), columns=3)


def moving_frames_figure(data: dict[str, Any]) -> Figure:
    flight, platform = data["floating"], data["platform"]
    boosts = [max(b, 0.01) for b in flight["boost"]]  # zero at the left edge

    def flown(what: str, title: str, label: str) -> Panel:
        series = by_rule({rule: flight[rule][what] for rule in RULES}, boosts)
        draw = slopes(series, title, "speed of the pair in m/s (left: at rest)", label)
        return Panel(draw, title, WIDE)

    series = by_rule(platform, platform["speed"])
    top = slopes(series, "Top on a platform", "speed of the platform in m/s", "gap in m")
    return Figure("moving", "", "", (
        flown("gap", "Floating pair: joint", "gap in m"),
        flown("momentum", "Floating pair: momentum", "relative drift"),
        Panel(top, "Gap of the pivot of a top on a platform", WIDE),
    ), columns=3)  # fmt: skip


def loops_figure(loops: dict[str, Any]) -> Figure:
    panels = []
    for key, title in (("three-bar", "3-bar"), ("slider-crank", "Slider-crank")):
        rows = loops[key]["cuts"]
        others = loops[key]["others"]
        names = [f"closed by {joint}" for joint in rows] + ["SO(3)×ℝ³, all projected"]
        whole = others["SO3xR3, projected"]["error"]
        blank = float("nan")
        series = [
            Series(
                "no projection", [r["none"]["error"] for r in rows.values()] + [blank], "product"
            ),
            Series(
                "loop-closing joint projected",
                [r["projected"]["error"] for r in rows.values()] + [blank],
                "chosen",
            ),
            Series("all joints projected", [blank] * len(rows) + [whole], "se3"),
        ]
        draw = dots(names, series, title, "error of the motion in 0.5 s, m")
        panels.append(Panel(draw, f"{title}: error by loop-closing joint", WIDE))
    return Figure("loops", "", "", tuple(panels))


def cuts_figure(random: list[dict[str, Any]]) -> Figure:
    """Which joint closes a loop, in the middle or at its end: what that does to the motion."""
    table = relative_errors(random)
    series = [
        Series(name, values, colour)
        for (name, values), colour in zip(table.items(), ("chosen", "y", "product", "se3"))
    ]
    draw = distribution(series, f"{len(random)} random loops, projected",
                        "error of the motion / that of the best choice")  # fmt: skip
    return Figure("cuts", "", "", (Panel(draw, "Error by loop-closing joint", WIDE),), columns=1)


def relative_errors(random: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Errors of the motion with projection over that of the loop's best choice."""
    found: dict[str, list[float]] = {
        "middle joint closes": [], "end joint closes": [], "worst joint closes": [],
        "SO(3)×ℝ³, all joints projected": [],
    }  # fmt: skip
    for loop in random:
        errors = [row["projected"]["error"] for row in loop["cuts"].values()]
        best = min(errors)
        found["middle joint closes"].append(errors[len(errors) // 2] / best)
        found["end joint closes"].append(errors[-1] / best)
        found["worst joint closes"].append(max(errors) / best)
        whole = loop["others"]["SO3xR3, projected"]["error"]
        found["SO(3)×ℝ³, all joints projected"].append(whole / best)
    return found


def cost_figure(table: dict[str, Any]) -> Figure:
    rules = [rule for rule in table if rule != "bodies"]
    sizes = np.array(table["bodies"], float)
    lengths = [f"{size} bodies" if size > 1 else "1 body" for size in table["bodies"]]
    shown = [0, len(sizes) // 2, len(sizes) - 1]
    series = [Series(NAMES[r], [table[r][k] / sizes[k] for k in shown], COLOURS[r]) for r in rules]
    draw = bars([lengths[k] for k in shown], series, "Cost of a step", "µs per body and RK4 step")
    return Figure("cost", "", "", (Panel(draw, "Cost per body and step", TALL),), columns=1)


def cayley_figure(table: dict[str, Any]) -> Figure:
    series = [
        Series("exp", [table[k]["exp"][1] for k in table], "se3"),
        Series("Cayley", [table[k]["Cayley"][1] for k in table], "product"),
    ]
    draw = dots(list(table), series, "Joint to the ground on SE(3)", "largest gap in 1 s, m or rad")
    return Figure("cayley", "", "", (Panel(draw, "Gap with exp and with Cayley", WIDE),), columns=1)
