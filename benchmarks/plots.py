"""Pictures of the page about speed."""

from pathlib import Path
from typing import Any

Record = dict[str, Any]
COLOURS = {"chasles": "#1f5fa8", "MuJoCo": "#c2571a", "Exudyn": "#3a8a3f", "Pinocchio": "#7a4fa3"}
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def draw(record: Record, folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "chasles"  # the same figures, the same file
    work_precision(record, folder / "precision.svg")
    implicit_growth(record, folder / "implicit-growth.svg")
    limits(record, folder / "limits.svg")


def save(figure: Any, path: Path) -> None:
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def work_precision(record: Record, path: Path) -> None:
    """Error against CPU time, a panel for each mechanism."""
    from matplotlib import pyplot as plt

    names = ("heavy top", "double pendulum")
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True, layout="constrained")
    for panel, name in zip(panels, names, strict=True):
        found = [s for s in record["series"] if s["case"] == f"{name}, precision"]
        ours = 0
        for series in found:
            shade = 1.0 if series["library"] != "chasles" else 1.0 - 0.1 * ours
            panel.loglog(
                [1e6 * y for y in series["y"]], series["x"], alpha=shade,
                marker=MARKERS[ours % len(MARKERS)] if series["library"] == "chasles" else "o",
                color=COLOURS[series["library"]], markersize=5, linewidth=1.2,
                label=f"{series['library']} {series['variant']}",
                linestyle="--" if "Newton to 1e-06" in series["variant"] else "-",
            )  # fmt: skip
            ours += series["library"] == "chasles"
        panel.set_title(name)
        panel.set_xlabel("CPU time of the steps, µs")
        panel.grid(alpha=0.25)
    panels[0].set_ylabel("error of positions, m")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=8, frameon=False)
    save(figure, path)
    plt.close(figure)


def implicit_growth(record: Record, path: Path) -> None:
    """Microseconds per link of chains."""
    from matplotlib import pyplot as plt

    figure, panel = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
    found = [s for s in record["series"] if s["case"] == "implicit growth"]
    for k, series in enumerate(found):
        panel.loglog(
            series["x"],
            series["y"],
            marker=MARKERS[k],
            label=f"{series['library']}, {series['variant']}",
        )
    if found:
        panel.set_xticks(found[0]["x"], [str(x) for x in found[0]["x"]])
    panel.minorticks_off()
    panel.set_yticks([0.5, 1, 2, 5], ["0.5", "1", "2", "5"])
    panel.set_ylim(0.4, 8)
    panel.set_xlabel("links")
    panel.set_ylabel("CPU time per link and step, µs")
    panel.grid(alpha=0.25)
    figure.legend(loc="outside right center", fontsize=8, frameon=False)
    save(figure, path)
    plt.close(figure)


def limits(record: Record, path: Path) -> None:
    """Every measured row as a fraction of its limit."""
    from matplotlib import pyplot as plt

    rows = [r for r in record["requirements"] if r["measured"] and r["limit"]]
    rows = [r for r in rows if not r["what"].startswith("motion")]
    shares = [r["measured"] / r["limit"] for r in rows]
    figure, panel = plt.subplots(figsize=(9.5, 0.19 * len(rows) + 0.8), layout="constrained")
    places = range(len(rows))
    colours = [COLOURS["chasles"] if share <= 1 else COLOURS["MuJoCo"] for share in shares]
    panel.hlines(places, 1.0, shares, color=colours, linewidth=1)
    panel.scatter(shares, places, color=colours, s=14, zorder=3)
    panel.axvline(1.0, color="0.3", linewidth=1)
    panel.set_xscale("log")
    panel.set_yticks(places, [r["what"] for r in rows], fontsize=7)
    panel.invert_yaxis()
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_xlim(5e-3, 3)
    panel.set_xlabel("measured / limit: left of 1 it is met")
    panel.grid(axis="x", alpha=0.25)
    save(figure, path)
    plt.close(figure)
