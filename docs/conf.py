"""How the documentation is built: `make docs`, warnings are errors.

Pages are Markdown (MyST); code cells run while the page is built, so what is printed is what the
code says.  Docstrings stay as they read best in the source: numpydoc sections, or aligned lists
of names; both become lists of parameters, with the types of the signature (`typed_fields`).

Formulas become MathML, by the converter that comes with docutils.  MathJax, Sphinx's default, is
fetched from a server by every reader, and imgmath needs a LaTeX installation.  This needs neither,
works offline, vendors nothing, and every current browser draws it.  A formula that the converter
cannot read is a warning, and so an error.
"""

import html
import inspect
import re
import runpy
from collections.abc import Collection, Mapping
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.ext.napoleon import NumpyDocstring
from sphinx.util import logging
from sphinx.util.typing import stringify_annotation

from chasles.model.words import Stabiliser

project = "chasles"
author = "the chasles developers"
copyright = "the chasles developers, MIT licence"
version = release = version_of("chasles")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 900  # the first run of a machine compiles, and it may be busy
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "remove"  # progress and the first compilation

html_theme = "furo"
html_title = "chasles"
html_math_renderer = "mathml"
html_copy_source = False
html_show_search_summary = False  # summaries are fetched, which pages in a folder may not do
html_theme_options = {"navigation_with_keys": True}

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # they are in the lists of parameters
autosummary_generate = False  # entries are on the pages of their topics
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # types are those of the signature

logger = logging.getLogger(__name__)


# --- formulas -------------------------------------------------------------------------------------


MATHML = "http://www.w3.org/1998/Math/MathML"
ACCENTS = "˙¨^~¯"  # what \dot, \ddot, \hat, \tilde and \bar put above a letter
HTML_ENTITY = re.compile(r"&(?!lt;|gt;|amp;|quot;|apos;|#)\w+;")  # which XML does not know
ElementTree.register_namespace("", MATHML)


def mathml(node: nodes.Node, block: bool) -> str:
    tex = node.astext().strip()
    try:
        markup = "".join(tex2mathml(tex, as_block=block))
    except MathError as error:
        logger.warning("formula: %s\n  %s", error, tex, location=node)
        return f"<code>{html.escape(tex)}</code>"
    tree = ElementTree.fromstring(HTML_ENTITY.sub(lambda found: html.unescape(found[0]), markup))
    for element in tree.iter(f"{{{MATHML}}}munderover"):
        accented(element)
    return ElementTree.tostring(tree, encoding="unicode")


def accented(element: ElementTree.Element) -> None:
    """The index of an accented letter to its right: the converter puts it underneath."""
    base, index, accent = element
    if accent.text in ACCENTS:
        element.tag = f"{{{MATHML}}}msub"
        letter = ElementTree.Element(f"{{{MATHML}}}mover", accent="true")
        letter.extend((base, accent))
        element[:] = [letter, index]


def inline_formula(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node, block=False))
    raise nodes.SkipNode


def display_formula(writer: Any, node: nodes.math_block) -> None:
    anchor = f' id="equation-{node["label"]}"' if node.get("label") else ""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    writer.body.append(f'<div class="math"{anchor}>{number}{mathml(node, block=True)}</div>')
    raise nodes.SkipNode


# --- docstrings -----------------------------------------------------------------------------------

ENTRY = re.compile(r"^(?P<name>[a-z_][a-z_, 0-9]*?) {2,}(?P<text>\S.*)$")
LONGEST_ENTRY = re.compile(r"^(?P<name>[a-z_]+) (?P<text>\S.*)$")  # only one space is left
FIELD = re.compile(r"^:(?:param|ivar) (\w+):")
SEVERAL = re.compile(r"^:(param|ivar) (\w+(?:, \w+)+):(.*)$")
ARRAY = re.compile(r"(?:numpy\.)?ndarray\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]")
MODULE = re.compile(r"(?:\w+\.)+(?=[A-Za-z])|~")
#: Names of types that readers see spelled out.
SPELLED_OUT = {
    "Stabiliser": f"Literal[{', '.join(map(repr, get_args(Stabiliser)))}]",
    "Spaces": "str | Space | Designation | Mapping[Body | str, str | Space]",
    "Coordinates": "Mapping[Joint | str, float | tuple[float, float] | Mapping[str, float]]",
}


def as_rst(lines: list[str], parameters: Collection[str]) -> list[str]:
    """Docstrings in reStructuredText: aligned entries, $formulas$ and `code` translated."""
    text = "\n".join(lines)
    text = re.sub(r"\$\$(.+?)\$\$", display_as_rst, text, flags=re.DOTALL)
    text = re.sub(r"(?<![\\$])\$([^$\n]+)\$", r":math:`\1`", text)
    text = re.sub(r"(?<![:`\w])`([^`\n]+)`(?!`)", r"``\1``", text)
    out: list[str] = []
    column = 0  # where the text of the entries starts; 0 outside a list of entries
    for line in text.split("\n"):
        entry = ENTRY.match(line) or LONGEST_ENTRY.match(line)
        if entry and (entry.start("text") == column or ENTRY.match(line)):
            out += [""] * (column == 0) + entry_fields(entry["name"], entry["text"], parameters)
            column = entry.start("text")
        elif column and line.startswith(" "):
            out.append("    " + line.strip())
        else:
            out += [""] * (column > 0) + [line]
            column = 0
    return out


def entry_fields(names: str, text: str, parameters: Collection[str]) -> list[str]:
    """An entry of an aligned list, which may have several names, as fields."""
    first, *others = names.split(", ")
    kind = "param" if first in parameters else "ivar"
    fields = [f":{kind} {other}: as ``{first}``" for other in others]
    return [*fields, f":{kind} {first}: {text}"]


def display_as_rst(found: re.Match[str]) -> str:
    return "\n\n.. math::\n\n   " + " ".join(found[1].split()) + "\n\n"


def annotation(kind: Any) -> str:
    """A type in few words: without modules, arrays as arrays."""
    text = kind if isinstance(kind, str) else stringify_annotation(kind, "smart")
    text = MODULE.sub("", ARRAY.sub("ndarray", text.replace("~", ""))).replace("NoneType", "None")
    for word, meaning in SPELLED_OUT.items():
        text = re.sub(rf"\b{word}\b", meaning, text)
    return text


def inherited_fields(obj: Any) -> dict[str, str]:
    """What the classes that a class derives from say about its parameters."""
    found: dict[str, str] = {}
    for parent in reversed(getattr(obj, "__mro__", ())[1:-1]):
        text = inspect.cleandoc(parent.__doc__ or "").partition("Parameters\n----------\n")[2]
        for entry in re.finditer(r"^(\w+)\n((?:    .+\n?)+)", text, flags=re.M):
            found[entry[1]] = " ".join(as_rst(entry[2].split("\n"), ())).strip()
    return {name: " ".join(text.split()) for name, text in found.items()}


def typed_fields(
    lines: list[str], signature: inspect.Signature, inherited: Mapping[str, str]
) -> list[str]:
    """Fields of all parameters with their types, in one list."""
    types = {
        name: annotation(parameter.annotation)
        for name, parameter in signature.parameters.items()
        if parameter.annotation is not parameter.empty and name not in ("self", "cls")
    }
    out: list[str] = []
    first = end = 0  # of the fields
    for line in lines:
        found = FIELD.match(line)
        if found and not end:
            first = len(out)
        if found and found[1] in types:
            kind = "vartype" if line.startswith(":ivar") else "type"
            out.append(f":{kind} {found[1]}: ``{types.pop(found[1])}``")
        out.append(line)
        if found or (end == len(out) - 1 and line.startswith(" ")):
            end = len(out)
    rest: list[str] = []
    for name, kind in types.items():
        rest += [f":param {name}: {inherited.get(name, '')}".rstrip(), f":type {name}: ``{kind}``"]
    given = signature.return_annotation
    returned = []
    if given not in (signature.empty, None, "None") and not any(":rtype:" in x for x in lines):
        returned.append(f":rtype: ``{annotation(given)}``")
    if end:
        return [*out[:first], *rest, *out[first:end], *returned, *out[end:]]
    examples = (k for k, line in enumerate(out) if line.startswith((">>>", ".. rubric::")))
    at = next(examples, len(out))
    return [*out[:at], "", *rest, *returned, "", *out[at:]] if rest or returned else out


def apart(lines: list[str]) -> list[str]:
    """Fields of several parameters as fields of each."""
    out: list[str] = []
    for line in lines:
        if found := SEVERAL.match(line):
            first, *others = found[2].split(", ")
            out += [f":{found[1]} {other}: as ``{first}``" for other in others]
            line = f":{found[1]} {first}:{found[3]}"
        out.append(line)
    return out


def translate_docstring(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    if what == "property":  # which napoleon reads as "type: text"
        text = inspect.getdoc(obj) or ""
        lines[:] = NumpyDocstring(text, app.config, app, "method", name, obj, options).lines()
    target = obj.fget if isinstance(obj, property) else getattr(obj, "func", obj)
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        signature = inspect.Signature()
    lines[:] = as_rst(lines, signature.parameters)
    if what in ("class", "exception", "function", "method", "property"):
        lines[:] = typed_fields(apart(lines), signature, inherited_fields(obj))


def describe_pictures(app: Any, doctree: nodes.document) -> None:
    """Pictures that code draws have that code as their alternative text."""
    for cell in doctree.findall(nodes.container):
        if "cell" not in cell["classes"]:
            continue
        sources = list(cell.findall(nodes.literal_block))
        drawn = sources[0].astext().strip().split("\n")[-1] if sources else "a cell"
        for image in cell.findall(nodes.image):
            image["alt"] = image.get("alt") or f"What {drawn.split('  #')[0].strip()} shows"


# --- films ----------------------------------------------------------------------------------------


def make_films(app: Any, error: Exception | None) -> None:
    """Films of the library and the gallery, which no commit holds: beside the pages they are in."""
    if error is None and app.builder.format == "html":
        import chasles as ch

        folder = Path(app.outdir) / "films"
        folder.mkdir(exist_ok=True)
        for benchmark in ch.library:
            benchmark.film(benchmark.run(progress=False), folder / f"{benchmark.name}.html")
        scripts = Path(__file__).parent.parent / "scripts"
        runpy.run_path(str(scripts / "make_gallery.py"))["write_films"](folder)


def setup(app: Any) -> None:
    app.connect("doctree-read", describe_pictures)
    app.add_html_math_renderer("mathml", (inline_formula, None), (display_formula, None))
    app.connect("autodoc-process-docstring", translate_docstring)
    app.add_css_file("chasles.css")
    app.connect("build-finished", make_films)


html_static_path = ["_static"]
