"""The study's figures, from its numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from chasles.studies.spaces_study import endurance
from chasles.studies.spaces_study.cases import BOTH, METHODS, RULES
from chasles.view.panels import Series
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.study_panels import bars, distribution, dots, slopes

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
TALL, WIDE = (4.9, 4.0), (4.9, 3.4)
#: What is drawn along an axis.
GAP, SPEED = "largest gap in 1 s, m or rad", "speed of the pair in m/s (left: at rest)"


def figures(data: dict[str, Any]) -> tuple[Figure, ...]:
    trees, cayley, loops, long = data["trees"], data["cayley"], data["loops"], data["long"]
    return (
        figure("pairs", pairs(data["ground"], "Joint to the ground"),
               pairs(data["moving"], "Joint to a moving body")),
        figure("orders", panel(
            slopes, "Joint 2 of the double pendulum", series=order_series(data["orders"]),
            x_label="step in s", y_label="gap in m after 0.2 s",
        )),
        figure("trees",
            panel(distribution, "Worst joint of a tree", series=by_rule(trees["gap"]), label=GAP),
            panel(distribution, "Energy", series=by_rule(trees["energy"]),
                  label="largest |E − E₀| / max T")),
        figure("long", panel(
            slopes, "Eight links on ball joints", series=by_rule(long, long["steps"]),
            x_label="steps of 1 ms", y_label="largest gap so far, m",
        )),
        moving(data["floating"], data["platform"]),
        kept(data["kept"]["floating"]),
        figure("loops", cuts(loops["three-bar"], "3-bar"),
               cuts(loops["slider-crank"], "Slider-crank")),
        figure("cuts", panel(
            distribution, f"{len(loops['random'])} random loops, projected",
            series=choices(loops["random"]), label="error of the motion / that of the best choice",
        )),
        figure("cost", cost(data["cost"])),
        figure("cayley", panel(
            dots, "Joint to the ground on SE(3)", categories=list(cayley), label=GAP,
            series=[
                Series(name, [row[name][1] for row in cayley.values()], colour)
                for name, colour in (("exp", "se3"), ("Cayley", "product"))
            ],
        )),
    )  # fmt: skip


def moving(flight: dict[str, Any], platform: dict[str, Any]) -> Figure:
    """Moving frames of reference: a pair in flight, and a top on a platform."""
    boosts = [max(boost, 0.01) for boost in flight["boost"]]  # zero at the left edge

    def flown(what: str, title: str, label: str) -> Panel:
        series = by_rule({rule: flight[rule][what] for rule in RULES}, boosts)
        return panel(slopes, title, series=series, x_label=SPEED, y_label=label)

    return figure("moving",
        flown("gap", "Floating pair: joint", "gap in m"),
        flown("momentum", "Floating pair: momentum", "relative drift"),
        panel(slopes, "Top on a platform", series=by_rule(platform, platform["speed"]),
              x_label="speed of the platform in m/s", y_label="gap in m"),
    )  # fmt: skip


def kept(table: dict[str, Any]) -> Figure:
    """What the floating chain keeps: a panel per quantity, a row per method."""

    def errors(quantity: str, title: str, label: str) -> Panel:
        found = {r: [table[r][m][quantity] for m in endurance.METHODS] for r in RULES}
        return panel(dots, title, TALL, categories=endurance.METHODS, series=by_rule(found),
                     label=label)  # fmt: skip

    return figure("kept",
        errors("gap", "Joints", "largest gap, m"),
        errors("P", "Linear momentum P", "relative drift"),
        errors("L", "Angular momentum L", "relative drift"),
        errors("X", "Path X of the centre of mass", "largest error, m"),
        errors("E", "Energy E", "relative drift"),
    )  # fmt: skip


def figure(name: str, *panels: Panel) -> Figure:
    return Figure(name, panels, columns=3)


def panel(
    kind: Callable[..., Draw], title: str, size: tuple[float, float] = WIDE, **given: Any
) -> Panel:
    """A panel of a kind, named by its title."""
    return Panel(kind(title=title, **given), title, size)


def by_rule(values: Mapping[str, Any], x: Sequence[float] = ()) -> list[Series]:
    """A series for every rule."""
    return [Series(NAMES[rule], values[rule], LOOKS[rule][1], x) for rule in RULES]


def pairs(table: dict[str, Any], title: str) -> Panel:
    """Gaps of the lower pairs, in the charts that have a colour."""
    series = [
        Series(NAMES[chart], [charts[chart]["median"] for charts in table.values()], colour)
        for chart in next(iter(table.values()))
        if (colour := LOOKS[chart][1])
    ]
    return panel(dots, title, TALL, categories=list(table), series=series, label=GAP)


def order_series(table: dict[str, Any]) -> list[Series]:
    """Every method on SE(3), and the worst of them in the two spaces that hold the joint."""
    colours, steps = ("product", "y", "se3", "other"), table["step"]
    series = [Series(f"{m} on SE(3)", table["SE3"][m], c, steps) for m, c in zip(METHODS, colours)]
    for rule, colour in (("framed", "x"), ("subgroups", "chosen")):
        worst = np.array(list(table[rule].values())).max(axis=0)
        series.append(Series(f"all four, {rule}", worst, colour, steps))
    return series


def cuts(loop: dict[str, Any], title: str) -> Panel:
    """Errors of a loop, closed by each of its joints in turn."""
    rows, blank = loop["cuts"], float("nan")
    whole = loop["others"]["SO3xR3, projected"]["error"]
    series = [
        Series(name, [row[key]["error"] for row in rows.values()] + [blank], colour)
        for key, name, colour in (
            ("none", "no projection", "product"),
            ("projected", "loop-closing joint projected", "chosen"),
        )
    ]  # fmt: skip
    series.append(Series("all joints projected", [blank] * len(rows) + [whole], "se3"))
    names = [f"closed by {joint}" for joint in rows] + ["SO(3)×ℝ³, all projected"]
    label = "error of the motion in 0.5 s, m"
    return panel(dots, title, categories=names, series=series, label=label)


def choices(random: list[dict[str, Any]]) -> list[Series]:
    """Which joint closes a loop, in the middle or at its end: what that does to the motion."""
    colours = ("chosen", "y", "product", "se3")
    found = zip(relative_errors(random).items(), colours)
    return [Series(name, values, colour) for (name, values), colour in found]


def relative_errors(random: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Errors of the motion with projection over that of the loop's best choice."""
    found: dict[str, list[float]] = {
        "middle joint closes": [], "end joint closes": [], "worst joint closes": [],
        "SO(3)×ℝ³, all joints projected": [],
    }  # fmt: skip
    for loop in random:
        errors = [row["projected"]["error"] for row in loop["cuts"].values()]
        whole = loop["others"]["SO3xR3, projected"]["error"]
        shown = (errors[len(errors) // 2], errors[-1], max(errors), whole)
        for values, error in zip(found.values(), shown):
            values.append(error / min(errors))
    return found


def cost(table: dict[str, Any]) -> Panel:
    sizes = table["bodies"]
    shown = [0, len(sizes) // 2, len(sizes) - 1]
    series = [
        Series(NAMES[rule], [times[k] / sizes[k] for k in shown], LOOKS[rule][1])
        for rule, times in table.items()
        if rule != "bodies"
    ]
    lengths = [f"{sizes[k]} bodies" if sizes[k] > 1 else "1 body" for k in shown]
    return panel(bars, "Cost of a step", TALL, categories=lengths, series=series,
                 label="µs per body and RK4 step")  # fmt: skip
