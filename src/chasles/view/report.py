"""One self-contained page: styles, figures and a little script inside, nothing fetched.

The pieces are plain strings of HTML; `page` puts them into a document.
"""

import re
from dataclasses import replace
from html import escape
from importlib.resources import files

from chasles.view.film import filled, read
from chasles.view.plots import Figure, Panel, inline_svg
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
        panel_block(panel, f"{figure.name}-{index}") for index, panel in enumerate(figure.panels)
    )
    title = f"<strong>{figure.title}.</strong> " if figure.title else ""
    return (
        f'<figure id="{figure.name}" class="{"wide" if wide else "narrow"}">'
        f'<div class="panels columns-{min(figure.columns, len(figure.panels))}">{panels}</div>'
        f"<figcaption>{title}{figure.caption}</figcaption></figure>"
    )


def panel_block(panel: Panel, salt: str) -> str:
    if panel.phone_size is None:
        return f'<div class="panel">{inline_svg(panel, salt)}</div>'
    small = replace(panel, size=panel.phone_size)
    return (
        f'<div class="panel for-wide">{inline_svg(panel, salt)}</div>'
        f'<div class="panel for-phone">{inline_svg(small, f"{salt}-phone")}</div>'
    )


def section(name: str, title: str, *content: str, level: int = 2) -> str:
    return f'<section id="{name}"><h{level}>{title}</h{level}>{"".join(content)}</section>'


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def film_block(film: str, name: str, caption: str) -> str:
    """A film in its frame; it is made when the reader comes near, and plays while it is seen."""
    return f'<div class="film" id="{name}">{film}<p class="small">{caption}</p></div>'
