"""The page of the library: every benchmark with its source, picture, parameters and checks."""

from collections.abc import Mapping, Sequence
from html import escape

from chasles.model.tables import Table
from chasles.studies.library.benchmark import Benchmark, Check
from chasles.studies.library.catalogue import library
from chasles.studies.library.command import FILMS, IMAGES, quantity
from chasles.studies.words import text_of
from chasles.view.theme import scientific


def page(checks: Mapping[str, Sequence[Check]]) -> str:
    """Markdown with all benchmarks that were run."""
    names = [name for name in library.names() if name in checks]
    head = text_of("library", "page.md")
    return "\n".join([head, *(section(library.get(name), checks[name]) for name in names)])


def section(benchmark: Benchmark, checks: Sequence[Check]) -> str:
    options = ", ".join(f"`{key}={value!r}`" for key, value in benchmark.options.items())
    title = benchmark.drawing.title
    run = f"{benchmark.until:g} s with steps of {benchmark.step:g} s"
    parameters = [
        *((name, quantity(value)) for name, value in benchmark.parameters.items()),
        ("degrees of freedom", str(benchmark.freedom)),
        ("run", f"{run}{', ' if options else ''}{options}"),
    ]
    measured = [
        (c.what, *(f"{scientific(value)} {c.unit}".rstrip() for value in (c.value, c.limit)))
        for c in checks
    ]
    return "\n".join([
        f"## {benchmark.name}: {benchmark.title}",
        "",
        f"*{benchmark.source}*",
        "",
        benchmark.about,
        "",
        f"```{{figure}} {(IMAGES / benchmark.name).as_posix()}.png",
        f":alt: {benchmark.title} at some instants; beside it, {lower(title)} over time",
        "",
        f"{benchmark.title}: {lower(title)}.",
        "```",
        "",
        "```{raw} html",
        f'<iframe class="film" src="{(FILMS / benchmark.name).as_posix()}.html"'
        f' title="Film of {escape(benchmark.title)}" loading="lazy"></iframe>',
        "```",
        "",
        Table(("parameter", "value"), parameters).markdown(),
        "",
        Table(("check", "value", "allowed"), measured).markdown(),
        "",
    ])  # fmt: skip


def lower(title: str) -> str:
    return title[0].lower() + title[1:]
