"""Figures with matplotlib, drawn to SVG and PNG without a display.

A figure is a row of panels.  On a page every panel is its own SVG, so that a phone can stack them;
as files, a figure is one picture.  Colours are those of `theme`; in SVG they become CSS variables,
so a figure follows the reader's light or dark scheme.
"""

import hashlib
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from html import escape
from math import ceil
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from chasles.result.atomic_file import checked_file, write_text, write_whole
from chasles.view.theme import LIGHT, SANS, style_variables, with_variables

Draw = Callable[[Axes], None]
Given = ParamSpec("Given")
#: Labels by which `place` knows what stands in the margins of a panel.
END_NAME, NAMED_ROWS = "end name", "named rows"
LEGEND_BELOW, LEGEND_ROW = "legend below", 0.17  # inches
POINTS = 72.0  # an inch
KINDS = (".png", ".svg")
PANEL = (4.6, 2.75)  # inches; on the page a panel is about this many times 100 px wide

RC: Any = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.parse_math": False,  # a dollar in a name is a dollar
    "axes.edgecolor": LIGHT["axis"],
    "axes.labelcolor": LIGHT["muted"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.titlesize": 10.0,
    "axes.titlecolor": LIGHT["ink"],
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "axes.titley": 1.0,  # no tick label stands above: nothing to look for at every drawing
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 0.8,
    "xtick.color": LIGHT["axis"],
    "ytick.color": LIGHT["axis"],
    "xtick.labelcolor": LIGHT["muted"],
    "ytick.labelcolor": LIGHT["muted"],
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "text.color": LIGHT["ink"],
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "path.simplify_threshold": 0.4,
}


@dataclass(frozen=True)
class Panel:
    """One picture: a drawing on axes, and words for readers who cannot see it."""

    draw: Draw
    label: str
    size: tuple[float, float] = PANEL
    phone_size: tuple[float, float] | None = None  # drawn again, smaller, for narrow screens


@dataclass(frozen=True)
class Figure:
    """Panels that belong together, with a caption that says what to see."""

    name: str
    panels: Sequence[Panel]
    title: str = ""
    caption: str = ""
    columns: int = 2  # at most

    @cached_property
    def drawn(self) -> tuple[str, ...]:
        """Every panel as an <svg> element: drawn once, for a page and for a file."""
        return tuple(inline_svg(p, f"{self.name}-{k}") for k, p in enumerate(self.panels))


def drawing(draw: Callable[Concatenate[Axes, Given], None]) -> Callable[Given, Draw]:
    """A function of axes and more as one of the rest, which returns what draws on axes."""

    @wraps(draw)
    def make(*given: Given.args, **named: Given.kwargs) -> Draw:
        return lambda ax: draw(ax, *given, **named)

    return make


# --- output ---------------------------------------------------------------------------------------


def grid_of(figure: Figure) -> tuple[int, int]:
    """Rows and columns of cells of the first panel's size."""
    columns = min(figure.columns, len(figure.panels))
    return ceil(len(figure.panels) / columns), columns


def canvas_of(figure: Figure) -> Canvas:
    """All panels on one canvas, row by row."""
    rows, columns = grid_of(figure)
    width, height = figure.panels[0].size
    canvas = Canvas(figsize=(columns * width, rows * height))
    for index, panel in enumerate(figure.panels):
        row, column = divmod(index, columns)
        ax = canvas.add_axes((column / columns, 1.0 - (row + 1) / rows, 1.0 / columns, 1.0 / rows))
        panel.draw(ax)
        place(ax, (column * width, (rows - 1 - row) * height), panel.size, canvas)
    return canvas


def place(ax: Axes, corner: tuple[float, float], cell: tuple[float, float], canvas: Canvas) -> None:
    """Margins by what stands in them, in inches: fixed ones align the panels of a page."""
    left, right, bottom, top = (0.66, 0.12, 0.5, 0.34)
    ends = [len(text.get_text()) for text in ax.texts if text.get_label() == END_NAME]
    if ends:
        right = 0.16 + 0.068 * max(ends)
    if not ax.axison:
        left = right = bottom = top = 0.02
    elif ax.get_label() == NAMED_ROWS:
        names = [len(tick.get_text()) for tick in ax.get_yticklabels()]
        left, right = 0.2 + 0.068 * max(names), 0.5
    legend = ax.get_legend()
    named = "" if legend is None else str(legend.get_label())
    if legend is not None and named.startswith(LEGEND_BELOW):
        at, rows = bottom, int(named.removeprefix(LEGEND_BELOW))
        bottom += LEGEND_ROW * rows + 0.05
        drop = at / (cell[1] - bottom - top)
        legend.set_bbox_to_anchor((0.5, -drop), ax.transAxes)
    width, height = canvas.get_size_inches()
    ax.set_position((
        (corner[0] + left) / width,
        (corner[1] + bottom) / height,
        (cell[0] - left - right) / width,
        (cell[1] - bottom - top) / height,
    ))  # fmt: skip


def svg_of(canvas: Canvas, salt: str, **options: Any) -> str:
    """The canvas as an <svg> element whose colours are CSS variables; options are matplotlib's."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": salt}):
        canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, **options)
    return rounded(clean(buffer.getvalue()))


def clean(text: str) -> str:
    """Only the <svg> element, without what would leak into a page, with CSS variables."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'id="(?:figure|axes|patch|line2d|text|matplotlib\.axis|xtick|ytick|legend|'
                  r'LineCollection|PolyCollection|PathCollection|FillBetweenPolyCollection)_\d+"',
                  "", text)  # fmt: skip
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)  # would leak out
    text = re.sub(r" ?font-family: [^;\"]*;", "", text)  # the page's font, or the file's
    text = text.replace('transform="rotate(-0 ', 'data-x="(').replace("stroke-linejoin: miter", "")
    text = re.sub(r' data-x="\([^"]*"', "", text)
    return with_variables(text)


def rounded(text: str) -> str:
    """Coordinates to a hundredth of a point: half the size, the same picture."""

    def shorter(attribute: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", attribute[0])

    return re.sub(r' (?:d|x|y|points)="[^"]*"', shorter, text)


def inline_svg(panel: Panel, salt: str) -> str:
    """A panel for a page: scales with its column, named for screen readers."""
    with mpl.rc_context(RC):
        text = svg_of(canvas_of(Figure("", [panel])), salt)
    head, body = text.split(">", 1)
    head = re.sub(r' (?:width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{escape(panel.label)}">{body}'


def svg_file(figure: Figure) -> str:
    """The panels of a page in one picture, which follows the reader's light or dark scheme."""
    rows, columns = grid_of(figure)
    width, height = (POINTS * length for length in figure.panels[0].size)
    size = f'width="{columns * width:g}pt" height="{rows * height:g}pt"'
    box = f'viewBox="0 0 {columns * width:g} {rows * height:g}"'
    placed = [
        drawn.replace("<svg", f'<svg x="{k % columns * width:g}" y="{k // columns * height:g}"'
                      f' width="{POINTS * panel.size[0]:g}" height="{POINTS * panel.size[1]:g}"'
                      ' overflow="visible"', 1)
        for k, (panel, drawn) in enumerate(zip(figure.panels, figure.drawn))
    ]  # fmt: skip
    style = f"<style>{style_variables()} text{{font-family:{SANS}}}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>{style}{"".join(placed)}</svg>\n'


def save_files(figure: Figure, folder: Path, png: bool = True) -> list[Path]:
    """NAME.svg and NAME.png."""
    kinds = KINDS if png else (".svg",)
    return [save_figure(figure, folder / f"{figure.name}{kind}") for kind in kinds]


def save_figure(figure: Figure, path: str | Path) -> Path:
    """One file: .png on white, or .svg, which follows the reader's light or dark scheme."""
    target = checked_file(path, KINDS, "plot: the figure")
    if target.suffix.lower() == ".svg":
        return write_text(target, svg_file(figure))
    with mpl.rc_context(RC):
        canvas = canvas_of(figure)
        return write_whole(target, lambda file: file.write(png_of(canvas, 144)))


def shown_figure(figure: Figure) -> Canvas:
    """A figure to look at: matplotlib's, which a notebook shows."""
    with mpl.rc_context(RC):
        canvas = canvas_of(figure)
    canvas.set_facecolor("white")
    FigureCanvasAgg(canvas)
    canvas._repr_png_ = lambda: png_of(canvas)  # type: ignore[attr-defined]
    return canvas


def png_of(canvas: Canvas, dpi: int = 110) -> bytes:
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    return buffer.getvalue()


def formula_svg(tex: str) -> str:
    """A formula in matplotlib's dialect of TeX, drawn as paths, as an <svg> of its own size."""
    settings = {**RC, "svg.fonttype": "path", "mathtext.fontset": "cm", "font.size": 14.5,
                "text.parse_math": True}  # fmt: skip
    with mpl.rc_context(settings):
        canvas = Canvas(figsize=(0.1, 0.1))
        canvas.text(0, 0, f"${tex}$", color=LIGHT["ink"])
        text = svg_of(canvas, tex, bbox_inches="tight", pad_inches=0.02)
    unique = hashlib.sha256(tex.encode()).hexdigest()[:8]  # glyphs would share their ids
    text = re.sub(r'(id="|href="#)', rf"\g<1>f{unique}-", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(tex)}"', 1)
