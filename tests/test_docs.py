"""What the documentation says runs, renders and is complete."""

import doctest
import importlib
import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

import chasles as ch
from chasles.view import picture

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
SOURCE = Path(ch.__file__).parent
CELL = re.compile(r"^```(?:\{code-cell\} *)?(?:python3|python)\n(.*?)^```", re.M | re.S)
CELL_OPTIONS = re.compile(r"\A(?::[^\n]*\n)+\n?")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$`])\$([^$]+?)\$", re.S)


def cells(page: Path) -> list[tuple[int, str]]:
    """(line before its first, source) of every Python block of a page."""
    text = page.read_text("utf-8")
    found = []
    for cell in CELL.finditer(text):
        options = CELL_OPTIONS.match(cell[1])
        skipped = options.end() if options else 0
        found.append((text.count("\n", 0, cell.start(1) + skipped), cell[1][skipped:]))
    return found


WITH_CODE = [page for page in PAGES if cells(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_all_code_of_the_page_runs_in_order(page, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(picture, "MOST_PIXELS", 1e5)  # nobody looks at them here
    matplotlib.use("Agg")
    names: dict[str, object] = {}
    for line, source in cells(page):
        exec(compile("\n" * line + source, str(page), "exec"), names)  # errors show the page's line


def test_the_pages_with_code_are_found():
    assert {"index", "guide", "equations"} <= {page.stem for page in WITH_CODE}
    assert len(cells(DOCS / "guide.md")) >= 10


def test_every_public_name_has_its_entry():
    pages = "\n".join(page.read_text("utf-8") for page in DOCS.glob("api-*.md"))
    entries = re.findall(r"\.\. auto(?!summary)\w+:: (\w+)", pages)
    assert sorted(entries) == sorted(ch.__all__)


def test_the_summary_of_the_api_names_everything():
    tables = re.findall(r":nosignatures:\n\n((?:   \w+\n)+)", (DOCS / "api.md").read_text("utf-8"))
    assert sorted("".join(tables).split()) == sorted(ch.__all__)


@pytest.mark.parametrize("name", ch.__all__)
def test_every_public_name_has_an_example_that_runs(name):
    thing = getattr(ch, name)
    home = importlib.import_module(type(thing).__module__ if name == "GROUND" else thing.__module__)
    parser, said = doctest.DocTestParser(), []
    examples = parser.get_doctest(inspect.getdoc(thing), {**vars(home)}, name, None, 0)
    assert examples.examples, name
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(examples, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("thing", [ch.Result.at, ch.UnknownName.among])
def test_examples_of_methods_run(thing):
    examples = doctest.DocTestParser().get_doctest(
        inspect.getdoc(thing), {"UnknownName": ch.UnknownName}, thing.__name__, None, 0
    )
    assert examples.examples and doctest.DocTestRunner().run(examples).failed == 0


def parameters_of(text: str) -> list[str]:
    """The names in the section Parameters of a docstring."""
    section = inspect.cleandoc(text).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    return [line for line in section.splitlines() if line and not line.startswith(" ")]


@pytest.mark.parametrize("name", [name for name in ch.__all__ if callable(getattr(ch, name))])
def test_docstrings_describe_parameters_that_exist(name):
    described = getattr(ch, name)
    members = vars(described).values() if inspect.isclass(described) else ()
    for thing in (described, *filter(inspect.isfunction, members)):
        described_names = parameters_of(thing.__doc__ or "")
        if described_names and not any(
            kind.kind is kind.VAR_KEYWORD for kind in inspect.signature(thing).parameters.values()
        ):
            assert set(described_names) <= set(inspect.signature(thing).parameters), thing


@pytest.mark.parametrize(
    "name", [name for name in ch.__all__ if inspect.isclass(getattr(ch, name))]
)
def test_classes_describe_every_parameter(name):
    """Those of their bases, too; a Simulation takes the options of simulate."""
    thing = getattr(ch, name)
    described = parameters_of(thing.__doc__ or "")
    if described and thing is not ch.Simulation:
        assert set(inspect.signature(thing).parameters) == set(described)


#: Phrases that readers had to translate; docs/words.md has what to write instead.
DIALECT = (
    "to rounding", "need not be said", "is told", "are told", "cannot open", "gone on with",
    "joints that repeat each other", "gives way", "off its balance", "there and back",
    "what carries", "prepares its", "in the mean", "may be wrong by", "hangs on it",
    "open with the error", "moves along with",
)  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [DOCS.parent / "README.md", DOCS.parent / "PACKAGE.md", *PAGES],
    ids=lambda page: page.stem,
)
def test_pages_are_in_plain_words(page):
    if page.stem != "words":
        text = " ".join(page.read_text("utf-8").split()).lower()
        assert not [phrase for phrase in DIALECT if phrase in text]


def public_things() -> list[tuple[str, object]]:
    """(name, thing) of every public name and of the public members of every public class."""
    found = []
    for name in ch.__all__:
        thing = getattr(ch, name)
        found.append((name, thing))
        for parent in inspect.getmro(thing) if inspect.isclass(thing) else ():
            if parent.__module__.startswith("chasles."):
                members = vars(parent).items()
                found += [(f"{name}.{k}", member) for k, member in members if k[0] != "_"]
    return found


def test_docstrings_are_in_plain_words():
    said = []
    for name, thing in public_things():
        text = " ".join((getattr(thing, "__doc__", None) or "").split()).lower()
        said += [(name, phrase) for phrase in DIALECT if phrase in text]
    assert said == []


@pytest.mark.parametrize(
    "path", [*SOURCE.glob("studies/*/words.toml"), SOURCE / "cli" / "commands.toml"], ids=str
)
def test_words_of_pages_and_commands_are_plain(path):
    text = " ".join(path.read_text("utf-8").replace("\\\n", "").split()).lower()
    assert not [phrase for phrase in DIALECT if phrase in text]


#: Arguments that are data of any kind, or of a kind that only the called function knows.
OF_ANY_KIND = {
    "Coupling.terms",  # joint -> ratio, in several spellings
    "Mesh.vertices", "Mesh.triangles",  # any array
    "NoEquilibrium.residual", "SimulationStopped.result",  # classes of layers above the model
    "compare.candidates",  # options of a run
    "ensemble.vary", "sweep.vary", "sweep.options",  # path or option -> values of its own type
    "gradient.function",  # a number, of whatever type the derivatives need
    "read_run.return", "Sweep.runs", "sweep.measure",  # tables
}  # fmt: skip
#: What Any stands in without meaning anything: shapes of arrays, results of functions.
ANY_IN_PASSING = re.compile(
    r"(?:numpy\.)?ndarray\[tuple\[typing\.Any, \.\.\.\]|Callable\[\.\.\., (?:typing\.)?Any\]"
)


@pytest.mark.parametrize("name", [name for name in ch.__all__ if callable(getattr(ch, name))])
def test_public_names_have_their_sections_and_types(name):
    thing = getattr(ch, name)
    text = inspect.getdoc(thing)
    assert "Examples\n--------\n" in text
    try:
        signature = inspect.signature(thing)
    except ValueError:  # a warning
        return
    described = [text]
    if inspect.isclass(thing) and issubclass(thing, Exception):
        described = [parent.__doc__ or "" for parent in inspect.getmro(thing)]
    sections = ("Parameters\n", "Attributes\n")
    if signature.parameters:
        assert any(section in one for one in described for section in sections)
    kinds = {part: parameter.annotation for part, parameter in signature.parameters.items()}
    for part, kind in {**kinds, "return": signature.return_annotation}.items():
        assert kind is not inspect.Parameter.empty or part in ("return", "self"), part
        words = kind if isinstance(kind, str) else inspect.formatannotation(kind)
        if f"{name}.{part}" not in OF_ANY_KIND:
            assert not re.search(r"\bAny\b", ANY_IN_PASSING.sub("", words)), part


def test_every_how_to_has_code():
    sections = re.split(r"^### ", (DOCS / "how-to.md").read_text("utf-8"), flags=re.M)[1:]
    assert len(sections) >= 30
    assert all("```{code-cell}" in section for section in sections)


@pytest.mark.parametrize("page", [DOCS.parent / "README.md", *PAGES], ids=lambda page: page.stem)
def test_files_that_pages_name_exist(page):
    """In backticks, from the root of the repository or of the package."""
    text = page.read_text("utf-8")
    named = re.findall(r"`((?:docs|tests|examples|benchmarks|[a-z_]+/)[\w./-]*\.py)`", text)
    missing = [n for n in named if not any((p / n).exists() for p in (DOCS.parent, SOURCE))]
    assert missing == []


def test_functions_that_the_equations_name_exist():
    code = "".join(file.read_text("utf-8") for file in SOURCE.rglob("*.py"))
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", (DOCS / "equations.md").read_text("utf-8")))
    assert [name for name in sorted(named) if f"def {name}(" not in code] == []


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in PAGES:
        for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text("utf-8"), flags=re.S):
            listed |= {line for line in block.splitlines() if line and not line.startswith(":")}
    assert listed == {page.stem for page in PAGES} - {"index"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_becomes_mathml(page):
    latex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml")
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    for display, inline in FORMULA.findall(text):
        latex2mathml.tex2mathml(display.strip() or inline, as_block=bool(display))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the pages, built without a warning."""
    for needed in ("sphinx", "furo", "myst_nb"):
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("html")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(folder)]
    source = str(DOCS.parent / "src")  # cells run in the folder of their page
    run = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": source}
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.slow
def test_every_picture_of_the_pages_has_an_alternative_text(built):
    for page in built.glob("*.html"):
        for tag in re.findall(r"<img[^>]*>", page.read_text("utf-8")):
            found = re.search(r'alt="([^"]*)"', tag)
            assert found and found[1] and not found[1].startswith("_images"), (page.name, tag[:200])


@pytest.mark.slow
def test_search_works_from_a_folder(built, browser):
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((built / "search.html").as_uri() + "?q=precession")
    page.locator("#search-results li a").first.wait_for(timeout=30000)
    assert "heavy top" in page.locator("#search-results li a").first.inner_text()
    page.locator("#search-results li a").first.click()
    page.get_by_role("heading", name="Tutorial: a heavy top").wait_for(timeout=30000)
    assert said == []
    page.close()


@pytest.mark.slow
def test_the_pages_build_without_a_warning_and_fetch_nothing(built):
    for page in built.glob("*.html"):
        fetched = re.findall(r'(?:src|<link[^>]*href)="(https?:[^"]*)"', page.read_text("utf-8"))
        assert not fetched, page.name


def test_every_joint_has_its_picture_in_the_conventions():
    text = (DOCS / "conventions.md").read_text("utf-8")
    for kind in ch.Joint.kinds:
        assert re.search(rf"!\[[^\]]+\]\(images/joints/{kind}\.png\)", text), kind
        assert (DOCS / "images" / "joints" / f"{kind}.png").stat().st_size > 3000


def test_the_script_draws_every_joint():
    script = runpy.run_path(str(DOCS.parent / "scripts" / "draw_joints.py"))
    assert set(script["MODELS"]) == set(ch.Joint.kinds)
    for make in script["MODELS"].values():
        assert len(make().bodies) == 2
