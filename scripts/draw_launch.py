"""The figure of the docs about the cheapest launch of a top: python scripts/draw_launch.py.

It runs the example and draws what that tried.
"""

import runpy
from math import cos
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import chasles as ch

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "scale"


def main() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "optimal_launch.py"))
    plt.rcParams.update({"svg.hashsalt": "chasles", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained")
    draw_leans(left, example)
    draw_plane(right, example)
    for suffix in ("svg", "png"):
        figure.savefig(
            TARGET / f"optimal-launch.{suffix}",
            metadata={"Date": None} if suffix == "svg" else None,
        )


def draw_leans(axes: plt.Axes, example: dict) -> None:
    """How the lean of the top changes after three launches."""
    found = example["answer"].x
    launches = {
        "spin alone": (0.0, found[1]), "first guess": (5.0, 150.0), "cheapest steady": tuple(found)
    }  # fmt: skip
    for (name, launch), style in zip(launches.items(), ("C1:", "C0--", "C2-"), strict=True):
        run = ch.simulate(example["top"](*launch), until=1.0, step=1e-3, progress=False)
        lean = np.degrees(np.arccos(run.position("top")[:, 2] / example["ARM"]))
        energy = example["MOMENTS"] @ np.square(launch) / 2
        axes.plot(run.t, lean, style, label=f"{name}, {energy:.2f} J")
    axes.set(xlabel="t (s)", ylabel="lean (degrees)", ylim=(25.0, 95.0))
    axes.legend(loc="upper left", frameon=False)


def draw_plane(axes: plt.Axes, example: dict) -> None:
    """Energies of launches, those without nutation, and what the optimiser tried."""
    moments, across, axial = (example[name] for name in ("MOMENTS", "ACROSS", "AXIAL"))
    w, s = np.meshgrid(np.linspace(3.0, 30.0, 200), np.linspace(60.0, 200.0, 200))
    energy = (moments[0] * w**2 + moments[1] * s**2) / 2
    lines = axes.contour(w, s, energy, [0.5, 1.0, 1.5, 2.0], colors="0.75", linewidths=0.8)
    axes.clabel(lines, fmt="%.1f J", fontsize=8)
    rates = np.linspace(3.0, 30.0, 300)
    turning = across * rates**2 * cos(example["LEAN"]) + example["weight"]
    axes.plot(rates, turning / (axial * rates), "C2", label="without nutation")
    tried = np.array(example["tried"])
    axes.plot(*tried.T, "C0.", label=f"tried, {len(tried)} runs")
    axes.plot(*example["wanted"], "k*", ms=10, label="closed form")
    axes.set(xlabel="precession W (rad/s)", ylabel="spin w (rad/s)")
    axes.set(xlim=(3.0, 30.0), ylim=(60.0, 200.0))
    axes.legend(loc="upper right", frameon=False)


if __name__ == "__main__":
    main()
