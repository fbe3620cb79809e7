"""One self-contained page: styles, figures and a little script inside, nothing fetched.

The pieces are plain strings of HTML; `page` puts them into a document.  `write_report` makes the
page of a run: its film, its numbers and its plots.
"""

import re
from dataclasses import replace
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Literal

from matplotlib.axes import Axes

from chasles.model.tables import Table, small
from chasles.result.atomic_file import checked_file, write_text
from chasles.result.result import Result
from chasles.view.curves import plot_result
from chasles.view.film import filled, make_film, read
from chasles.view.picture import sketch
from chasles.view.plots import Figure, Panel, inline_svg
from chasles.view.stage import Stage
from chasles.view.theme import SANS, SERIF, style_variables

#: what `section` writes: name, level and title
SECTION = re.compile(r'<section id="([^"]+)"><h([23])>(.*?)</h[23]>')


def page(title: str, description: str, body: str) -> str:
    """A document; it fetches nothing, whatever is written in it."""
    fonts = f":root{{--sans:{SANS};--serif:{SERIF}}}"
    folder = files("chasles.view")
    return filled(folder / "report.html", {
        "title": escape(title),
        "description": escape(description),
        "style": style_variables() + fonts + read(folder / "report.css"),
        "contents": contents(body),
        "body": body,
        "script": read(folder / "report.js"),
    })  # fmt: skip


def contents(body: str) -> str:
    """Links to all sections and those within them: beside the text, or above it if narrow."""
    items = [
        f'<li class="level-{level}"><a href="#{name}">{title}</a></li>'
        for name, level, title in SECTION.findall(body)
    ]
    if not items:
        return ""
    return (
        '<nav class="toc" aria-label="Contents"><details open><summary>Contents</summary>'
        f"<ol>{''.join(items)}</ol></details></nav>\n"
    )


def figure_block(figure: Figure, wide: bool = True) -> str:
    """A figure with its panels side by side, or stacked on a narrow screen."""
    panels = "".join(
        panel_block(panel, drawn, f"{figure.name}-{index}")
        for index, (panel, drawn) in enumerate(zip(figure.panels, figure.drawn))
    )
    title = f"<strong>{figure.title}.</strong> " if figure.title else ""
    return (
        f'<figure id="{figure.name}" class="{"wide" if wide else "narrow"}">'
        f'<div class="panels columns-{min(figure.columns, len(figure.panels))}">{panels}</div>'
        f"<figcaption>{title}{figure.caption}</figcaption></figure>"
    )


def panel_block(panel: Panel, drawn: str, salt: str) -> str:
    if panel.phone_size is None:
        return f'<div class="panel">{drawn}</div>'
    small = replace(panel, size=panel.phone_size)
    return (
        f'<div class="panel for-wide">{drawn}</div>'
        f'<div class="panel for-phone">{inline_svg(small, f"{salt}-phone")}</div>'
    )


def section(name: str, title: str, *content: str, level: int = 2) -> str:
    return f'<section id="{name}"><h{level}>{title}</h{level}>{"".join(content)}</section>'


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def film_block(film: str, name: str, caption: str) -> str:
    """A film in its frame; it is made when the reader comes near, and plays while it is seen."""
    return f'<div class="film" id="{name}">{film}<p class="small">{caption}</p></div>'


PICTURE, PLOT, PHONE = (7.0, 4.4), (4.9, 2.9), (4.2, 2.8)  # inches, as `Panel` has them


def write_report(result: Result, path: str | Path, title: str | None = None) -> Path:
    """Write the page of a run as an .html file."""
    target = checked_file(path, (".html", ".htm"), "report: the page")
    words = title or f"A run of {result.model!r}"
    film = make_film(Stage([result], ["run"], title=words))
    body = (
        f"<header><h1>{escape(words)}</h1>{paragraphs(escape(about(result)))}</header>\n<main>"
        + section("film", "Film", film._repr_html_())
        + section("model", "Model", picture(result, f"Picture of {words}"))
        + section("joints", "Joints", joints_table(result))
        + section("plots", "Plots", plots(result))
        + section("provenance", "How it was computed", provenance_table(result))
        + "</main>"
    )
    write_text(target, page(words, f"Film, numbers and plots of {words}", body))
    return target


def about(result: Result) -> str:
    """What the run amounts to in a few sentences."""
    energy, balance = result.energy(), abs(result.energy_balance()).max()
    suspect = " ".join(f"Suspect: {text}" for text in result.warnings)
    return (
        f"{result.message.capitalize()} ({result.status}). Energy {energy[0]:.6g} J at the start,"
        f" {energy[-1]:.6g} J at the end. Largest energy-balance error {small(balance)} J."
        f" {suspect}"
    )


def joints_table(result: Result) -> str:
    """The largest constraint violation of every joint."""
    parts: tuple[Literal["translation", "rotation"], ...] = ("translation", "rotation")
    rows = []
    for joint in result.model.joints:
        largest = [small(result.violation(joint, part).max()) for part in parts]
        rows.append((escape(joint.name), joint.kind, *largest))
    if not rows:
        return paragraphs("There are no joints.")
    header = ("joint", "kind", "largest violation, m", "largest violation, rad")
    return Table(header, rows).html()


def provenance_table(result: Result) -> str:
    kept = {
        "method": "method",
        "order": "order of the method",
        "step": "step, s",
        "steps": "number of steps",
        "until": "end time, s",
        "acceleration": "form of the acceleration constraints",
        "stabilise": "stabilisation of joints",
        "redundancy": "redundant constraints",
    }
    rows = [(words, escape(str(result.provenance[name]))) for name, words in kept.items()]
    spaces = result.provenance["spaces"].items()
    rows += [(f"space of {escape(body)}", escape(space)) for body, space in spaces]
    return Table(("what", "value"), rows).html()


def picture(result: Result, words: str) -> str:
    """The model at its start, in the colours of the page."""
    panel = Panel(sketch(result.model), words, PICTURE, PHONE)
    return figure_block(Figure("picture", [panel]))


def plots(result: Result) -> str:
    """Plots of the run, light or dark as the page is, two in a row where there is room."""
    gaps = ["gaps"] if result.model.joints else []
    panels = [
        Panel(partial(draw, result, what), f"{what} over time", PLOT, PHONE)
        for what in ("energy", "energy error", *gaps, "momentum")
    ]
    return figure_block(Figure("plot", panels))


def draw(result: Result, what: str, ax: Axes) -> None:
    plot_result(result, what, ax=ax)
