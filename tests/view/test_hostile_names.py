"""Every page and picture x names that would like to be more than names.

A page with hostile names has the elements and attributes of the same page with plain names: not one
more, not one less.  So nothing of a name was taken for markup.  In a picture within a page, names
move lines and words about, so its elements may differ in number; each is one that plain names have.
"""

import xml.etree.ElementTree as ET
from concurrent.futures import Executor, Future
from html.parser import HTMLParser

import pytest

import chasles as ch
from chasles.view.report import write_report

HOSTILE = (
    "<script>parent.hacked=1</script>",
    '"><img src=x onerror=hacked=1>',
    "' onmouseover='hacked=1",
    "</title></style></script><svg onload=hacked=1>",
    "--><b>]]><!-- &lt;i&gt; &#60;u&#62;",
    "$a_{b$ \\frac{$ @head@ {{x}} %s",
    "</text><script xlink:href='data:,hacked=1'/>",
    "$\\unknown{x}$",
)
PLAIN = tuple(f"name {k}" for k in range(len(HOSTILE)))
#: What a picture may consist of; none of it does anything.
DRAWN = {
    "svg", "g", "path", "use", "defs", "clipPath", "rect", "image", "text", "tspan", "style",
    "metadata", "RDF", "Work", "type", "date", "format", "creator", "Agent", "title",
}  # fmt: skip


def model_with(names):
    """Bodies, joints, a force, a load, a driver and a sensor, all with such names."""
    first, second, *others = names
    rod = ch.Body.rod(first, mass=1.0, between=((0, 0, 0), (1, 0, 0)))
    tip = ch.Body.rod(second, mass=1.0, between=((1, 0, 0), (2, 0, 0)))
    joints = [
        ch.Revolute(others[0], ch.GROUND, rod, (0, 0, 0), "y"),
        ch.Revolute(others[1], rod, tip, (1, 0, 0), "y"),
    ]
    forces = [
        ch.Spring(others[2], ch.GROUND, rod, (0, 0, 1), (1, 0, 0), stiffness=1.0),
        ch.Load(others[3], tip, force=(0, 0, 1)),
    ]
    drivers = [ch.Driver(others[4], joints[1], ch.Signal.linear(0.1))]
    sensors = [ch.Sensor(others[5], rod)]
    return ch.Model([rod, tip], joints, forces, drivers, sensors=sensors)


class Elements(HTMLParser):
    """Tags with the names of their attributes, in order; pages in frames, too.

    Those within pictures are in a set of their own.
    """

    def __init__(self, text):
        super().__init__()
        self.found, self.drawn, self.within = [], set(), False
        self.feed(text)
        self.close()

    def handle_endtag(self, tag):
        self.within = self.within and tag != "svg"

    def handle_starttag(self, tag, attrs):
        element = (tag, tuple(name for name, _ in attrs))
        if self.within:
            self.drawn.add(element)
            return
        self.within = tag == "svg"
        self.found.append(element)
        for name, value in attrs:
            if name == "srcdoc":
                self.found.append(Elements(value).found)


@pytest.fixture(scope="module")
def runs():
    return [ch.simulate(model_with(names), 0.02, 0.01) for names in (PLAIN, HOSTILE)]


def compared(result):
    names = result.model.body_names
    return ch.compare(
        result.model, {names[0]: "SE3", names[1]: "auto"}, until=0.02, step=0.01, timing=False
    )


def report(result, folder):
    return write_report(result, folder / "run.html", result.model.joint_names[0]).read_text("utf-8")


def swept(result):
    names = result.model.body_names
    one = {names[0]: result.model, names[1]: result.model}
    return ch.sweep(one, {"step": [0.01]}, 0.02, executor=Immediate(), progress=False)


class Immediate(Executor):
    """Runs at once, in this process."""

    def submit(self, function, /, *args, **keywords):
        future = Future()
        future.set_result(function(*args, **keywords))
        return future


PAGES = {
    "report": report,
    "film": lambda result, _: result.animate(title=result.model.force_names[0]).html,
    "film in a notebook": lambda result, _: result.animate()._repr_html_(),
    "films beside each other": lambda result, _: (
        ch.animate([result, result], labels=result.model.joint_names).html
    ),
    "model": lambda result, _: result.model._repr_html_(),
    "result": lambda result, _: result._repr_html_(),
    "designation": lambda result, _: ch.designate(result.model)._repr_html_(),
    "comparison": lambda result, _: compared(result)._repr_html_(),
    "reactions": lambda result, _: result.unique_reactions._repr_html_(),
    "sweep": lambda result, _: swept(result)._repr_html_(),
}


@pytest.mark.parametrize("kind", PAGES)
def test_names_add_nothing_to_a_page(kind, runs, tmp_path):
    plain, hostile = (Elements(PAGES[kind](result, tmp_path)) for result in runs)
    assert plain.found
    assert hostile.found == plain.found
    assert hostile.drawn <= plain.drawn
    assert {tag for tag, _ in plain.drawn} <= {tag.lower() for tag in DRAWN}


def pictures(result):
    """Everything that can be drawn by its name, and the model itself."""
    model = result.model
    parts = [*model.body_names, *model.joint_names, *model.force_names, *model.driver_names]
    draw = [lambda path, name=name: result.plot(name, path) for name in [*parts, "gaps"]]
    draw += [lambda path: result.plot(model.sensor_names[0], path)]
    return [*draw, model.plot, compared(result).plot]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_names_add_nothing_to_a_picture(runs, tmp_path, ending):
    for draw in pictures(runs[1]):
        draw(tmp_path / f"it.{ending}")
        if ending == "svg":
            for element in ET.parse(tmp_path / "it.svg").getroot().iter():
                assert element.tag.rpartition("}")[2] in DRAWN
                for name, value in element.attrib.items():
                    assert not name.startswith("on")
                    if name.endswith("href"):
                        assert value.startswith(("#", "data:image/png;base64,"))


def test_a_page_asks_no_other_machine_even_if_it_is_told_to(runs, tmp_path, browser):
    page = browser.new_page()
    refused = {}
    page.on("requestfailed", lambda request: refused.update({request.url: request.failure}))
    (tmp_path / "it.html").write_text(
        report(runs[1], tmp_path).replace("<main>", '<main><img src="http://127.0.0.1:9/x">')
    )
    page.goto((tmp_path / "it.html").as_uri())
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    assert refused == {"http://127.0.0.1:9/x": "csp"}
    page.close()
