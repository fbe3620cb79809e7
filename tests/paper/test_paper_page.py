"""The page in a real browser: headless Chromium, no network, both colour schemes, two widths."""

import pytest

WIDTHS = {"desktop": 1280, "phone": 390}


class Visit:
    """The page opened once, with everything it said and asked for."""

    def __init__(self, browser, path, width, scheme):
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())


@pytest.fixture(params=WIDTHS)
def width(request):
    return WIDTHS[request.param]


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def visit(browser, quick_report, width, scheme):
    opened = Visit(browser, quick_report, width, scheme)
    yield opened
    opened.context.close()


def test_it_opens_without_errors_or_network(visit, quick_report):
    visit.page.wait_for_timeout(200)
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith("data:")] == [quick_report.as_uri()]


def test_every_figure_is_there_and_has_a_size(visit, quick_report):
    names = {path.stem for path in (quick_report.parent / "figures").glob("*.svg")}
    shown = visit.page.evaluate(
        """() => [...document.querySelectorAll("figure")].map(figure => [figure.id,
             [...figure.querySelectorAll("svg")].filter(svg =>
               svg.getBoundingClientRect().width > 100
               && svg.querySelectorAll("path, circle").length > 3).length])"""
    )
    assert {name for name, _ in shown} == names
    assert all(panels >= 1 for _, panels in shown)


def test_it_fits_the_screen(visit, width):
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_and_figures_contrast_with_the_background(visit, scheme):
    """WCAG's ratio: 4.5 for words, 3 for the lines and labels of figures."""
    measured = visit.page.evaluate(CONTRASTS)
    assert measured["dark"] == (scheme == "dark")
    assert min(measured["words"].values()) > 4.5, measured["words"]
    assert min(measured["figures"].values()) > 3, measured["figures"]


CONTRASTS = """() => {
  const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const light = colour => {
    probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).map(x => {
      const y = x / 255; return y <= .03928 ? y / 12.92 : ((y + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = colour => { const x = light(colour);
    return (Math.max(x, paper) + .05) / (Math.min(x, paper) + .05); };
  const words = {}, figures = {};
  for (const name of ["p", "h1", "h2", "figcaption", "td", "td small", ".holds", ".fails",
                      ".partly", "a"]) {
    const element = document.querySelector("main " + name) ?? document.querySelector(name);
    words[name] = ratio(getComputedStyle(element).color);
  }
  for (const element of document.querySelectorAll("svg text, svg g > path")) {
    const style = getComputedStyle(element);
    const colour = element.tagName === "text" ? style.fill : style.stroke;
    const thick = parseFloat(style.strokeWidth) >= 1;
    if (colour !== "none" && (element.tagName === "text" || thick)) figures[colour] = ratio(colour);
  }
  return {words, figures, dark: paper < .2};
}"""


def test_tables_sort_by_a_click(visit):
    page = visit.page
    if page.viewport_size["width"] < 700:
        page.set_viewport_size({"width": 1280, "height": 900})  # cards have no heads to click
    verdicts = "[...document.querySelectorAll('#claims-table .chip')].map(chip => chip.textContent)"
    before = page.evaluate(verdicts)
    page.click("#claims-table th:nth-child(5) button")
    assert page.evaluate(verdicts) == sorted(before, key=["holds", "does not hold",
                                                          "holds only if"].index)  # fmt: skip
    page.click("#claims-table th:nth-child(1) button")
    assert page.evaluate(verdicts) == before


def test_links_lead_somewhere(visit):
    broken = visit.page.evaluate(
        """() => [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute("href"))
             .filter(href => !document.getElementById(href.slice(1)))"""
    )
    assert broken == []


def test_ids_are_unique_and_images_are_named(visit):
    ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map(x => x.id)")
    assert len(ids) == len(set(ids)), {name for name in ids if ids.count(name) > 1}
    unnamed = "[...document.querySelectorAll('svg:not([aria-label])')].length"
    assert visit.page.evaluate(unnamed) == 0
