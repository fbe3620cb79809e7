"""A run on one page: its film, its numbers and its plots, self-contained."""

from base64 import b64encode
from html import escape
from pathlib import Path

import matplotlib as mpl

from chasles.model.tables import Table, small
from chasles.result.atomic_file import checked_file, write_text
from chasles.result.result import Result
from chasles.view.curves import plot_result
from chasles.view.film import make_film
from chasles.view.labels import figure_of
from chasles.view.picture import picture_of
from chasles.view.plots import RC, png_of
from chasles.view.report import page, paragraphs, section


def write_report(result: Result, path: str | Path, title: str | None = None) -> Path:
    """Write the page of a run as an .html file."""
    target = checked_file(path, (".html", ".htm"), "report: the page")
    words = title or f"A run of {result.model!r}"
    film = make_film([result], ["run"], title=words)
    gaps = ["gaps"] if result.model.joints else []
    plots = ("energy", "energy error", *gaps, "momentum")
    body = (
        f"<header><h1>{escape(words)}</h1>{paragraphs(escape(about(result)))}</header>\n<main>"
        + section("film", "Film", film._repr_html_())
        + section("model", "Model", image(picture_of(result.model), f"Picture of {words}"))
        + section("joints", "Joints", joints_table(result))
        + section("plots", "Plots", *(plot(result, what) for what in plots))
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
    rows = [
        (
            escape(joint.name),
            joint.kind,
            small(result.violation(joint).max()),
            small(result.violation(joint, part="rotation").max()),
        )
        for joint in result.model.joints
    ]
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


def plot(result: Result, what: str) -> str:
    """A plot of the run as a picture in the page."""
    with mpl.rc_context(RC):
        return image(png_of(figure_of(plot_result(result, what)), 144), f"{what} over time")


def image(png: bytes, words: str) -> str:
    data = b64encode(png).decode()
    return (
        f'<img src="data:image/png;base64,{data}" alt="{escape(words)}"'
        ' style="max-width:100%;height:auto;max-height:28rem">'
    )
