"""What stands beside the scene of the live viewer: a curve of choice, and a body's numbers."""

from typing import Any

import numpy as np

from chasles.result.result import Result
from chasles.view.film import curves_of
from chasles.view.panels import scaled
from chasles.view.theme import LIGHT

POINTS = 400  # of a curve
#: Colours of a film's curves that have no colour of their own.
INKS = {"--a": "#2f66b3", "--b": "#a86c10", "--ink": LIGHT["ink"]}
CALM = 1e-17  # zero on a logarithmic axis


class Plot:
    """One curve of the film's, by a list of their names: energies and coordinates, then errors."""

    def __init__(self, gui: Any, result: Result) -> None:
        import viser.uplot as uplot  # late: an extra

        self.uplot, self.result = uplot, result
        self.curves = {curve[0]: curve for curve in curves_of([result])}
        every = max(1, len(result.t) // POINTS)
        self.shown = slice(None, None, every)
        self.t = np.asarray(result.t[self.shown], dtype=float)
        self.gui, self.drawn = gui, None
        self.choice = gui.add_dropdown("Curve", tuple(self.curves), hint="What is drawn over time")
        self.said = gui.add_markdown("")
        self.choice.on_update(lambda _: self.draw())
        self.draw()

    def draw(self) -> None:
        """The chosen curve; what is zero throughout is said, not drawn."""
        name, unit, log, series = self.curves[self.choice.value]
        values = [np.asarray(read(self.result), float)[self.shown] for _, _, read in series]
        if self.drawn is not None:
            self.drawn.remove()
            self.drawn = None
        zero = not any(own.any() for own in values)
        self.said.content = f"{name}: zero throughout" if zero else ""
        self.said.visible = zero
        if zero:
            return
        factor, power = scaled(float(np.abs(values).max())) if not log else (1.0, "")
        drawn = [np.maximum(own, CALM) if log else own / factor for own in values]
        inks = [INKS.get(ink or "--a", ink) for _, ink, _ in series]
        uplot, title = self.uplot, f"{name}, {power} {unit}".replace(",  ", ", ")
        self.drawn = self.gui.add_uplot(
            data=(self.t, *drawn),
            series=(uplot.Series(label="t"), *(
                uplot.Series(label=label or name, stroke=ink, width=2)
                for (label, _, _), ink in zip(series, inks)
            )),
            scales={"x": uplot.Scale(time=False),
                    "y": uplot.Scale(distr=3) if log else uplot.Scale(auto=True)},
            title=title, aspect=1.6, order=self.said.order + 0.5,
        )  # fmt: skip


def numbers_of(result: Result, body: str, frame: int) -> str:
    """A body's numbers at a saved time, as the film's card says them."""
    x, y, z = np.round(result.position(body)[frame], 3) + 0.0  # which makes -0 a 0
    speed = float(np.linalg.norm(result.velocity(body)[frame]))
    rate = float(np.linalg.norm(result.angular_velocity(body)[frame]))
    rows = {
        "mass": f"{result.model.body(body).mass:.4g} kg",
        "place": f"{x:.3f}, {y:.3f}, {z:.3f} m",
        "speed": f"{speed:.4g} m/s",
        "rate of rotation": f"{rate:.4g} rad/s",
    }
    lines = [f"| {what} | {value} |" for what, value in rows.items()]
    return "\n".join([f"| {escaped(body)} | |", "|---|---|", *lines])


def escaped(name: str) -> str:
    """A name as Markdown that is nothing but text."""
    return "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in name)
