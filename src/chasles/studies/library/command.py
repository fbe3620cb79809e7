"""`chasles library`: the list, one benchmark, or all of them with their page."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from textwrap import wrap

from chasles.model.tables import Table
from chasles.result.atomic_file import write_text
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check, Quantity, checks_table
from chasles.studies.library.catalogue import library
from chasles.studies.output import tell, writable
from chasles.studies.words import filled, text_of
from chasles.view.theme import scientific

IMAGES = Path("images") / "library"
FILMS = Path("films")
LINE = 96  # characters


def listing() -> str:
    """One line per benchmark."""
    rows = [(b.name, b.title, str(b.freedom), first_sentence(b.about)) for b in library]
    return Table(("name", "title", "dof", "about"), rows, left=(0, 1, 3)).text()


def run_one(name: str, out: Path) -> tuple[str, bool]:
    """Run a benchmark, write its picture, film and result; what to print, and whether it passed."""
    benchmark = library.get(name)
    folder = writable(out)
    result, checks, drawn, film = made(benchmark, folder, folder)
    saved = result.save(folder / f"{benchmark.name}.nc")
    lines = [
        f"{benchmark.name}: {benchmark.title}",
        wrapped(benchmark.source),
        "",
        wrapped(benchmark.about),
        "",
        parameters_table(benchmark),
        "",
        checks_table(checks),
        "",
        f"{drawn}\n{film}\n{saved}",
    ]
    return "\n".join(lines), all(check.passed for check in checks)


def run_all(out: Path) -> tuple[str, bool]:
    """Run every benchmark; write library.md, its pictures and its films."""
    folder, films = writable(out / IMAGES), writable(out / FILMS)
    checks: dict[str, list[Check]] = {}
    for benchmark in library:
        checks[benchmark.name] = made(benchmark, folder, films)[1]
    target = out / "library.md"
    write_text(target, page(checks))
    failed = [
        f"{name}: {check}" for name, own in checks.items() for check in own if not check.passed
    ]
    count = sum(len(own) for own in checks.values())
    words = f"{target}: {len(checks)} benchmarks, {count} checks, {len(failed)} of them failed"
    return "\n".join([words, *failed]), not failed


def wrapped(text: str) -> str:
    return "\n".join(wrap(text, LINE))


def made(benchmark: Benchmark, folder: Path, films: Path) -> tuple[Result, list[Check], Path, Path]:
    """The run of a benchmark, after a word on it, its checks, its picture and its film."""
    steps = round(benchmark.until / benchmark.step)
    tell(f"{benchmark.name}, {benchmark.until:g} s in {steps} steps")
    result = benchmark.run()
    drawn = benchmark.picture(result, folder / f"{benchmark.name}.png")
    film = benchmark.film(result, films / f"{benchmark.name}.html")
    return result, benchmark.check(result), drawn, film


def parameters_table(benchmark: Benchmark) -> str:
    """Names and values, flush left."""
    widest = max(len(name) for name in benchmark.parameters)
    return "\n".join(
        f"  {name.ljust(widest)}  {quantity(value)}".rstrip()
        for name, value in benchmark.parameters.items()
    )


def quantity(value: Quantity) -> str:
    """A number, or several in parentheses, with the unit.

    >>> quantity(((0.1, 2), "m"))
    '(0.1, 2) m'
    """
    number, unit = value
    if isinstance(number, int | float):
        return f"{number:.12g} {unit}".strip()
    return f"({', '.join(f'{x:.12g}' for x in number)}) {unit}".strip()


def first_sentence(text: str) -> str:
    return text.split(". ")[0].split(": ")[0].rstrip(".") + "."


# --- the page: every benchmark with its source, picture, parameters and checks --------------------


def page(checks: Mapping[str, Sequence[Check]]) -> str:
    """Markdown with all benchmarks that were run."""
    names = [name for name in library.names() if name in checks]
    head = text_of("library", "page.md")
    return "\n".join([head, *(section(library.get(name), checks[name]) for name in names)])


def section(benchmark: Benchmark, checks: Sequence[Check]) -> str:
    run = f"{benchmark.until:g} s with steps of {benchmark.step:g} s"
    parameters = [
        *((name, quantity(value)) for name, value in benchmark.parameters.items()),
        ("degrees of freedom", str(benchmark.freedom)),
        ("run", ", ".join([run, *(f"`{k}={v!r}`" for k, v in benchmark.options.items())])),
    ]
    measured = [
        (c.what, *(f"{scientific(value)} {c.unit}".rstrip() for value in (c.value, c.limit)))
        for c in checks
    ]
    curves = benchmark.drawing.title
    return filled(text_of("library", "section.md"), {
        "benchmark": vars(benchmark),
        "escaped": escape(benchmark.title),
        "curves": curves[0].lower() + curves[1:],
        "picture": (IMAGES / f"{benchmark.name}.png").as_posix(),
        "film": (FILMS / f"{benchmark.name}.html").as_posix(),
        "parameters": Table(("parameter", "value"), parameters).markdown(),
        "checks": Table(("check", "value", "allowed"), measured).markdown(),
    })  # fmt: skip
