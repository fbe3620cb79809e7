"""The page in a real browser: headless Chromium, no network, both colour schemes, two widths."""

import pytest
from visits import Visit

WIDTHS = {"desktop": 1280, "phone": 390}


#: Colours do not know the width, nor the layout the colours.
SCREENS = [
    ("desktop", "light"),
    ("phone", "dark"),
    pytest.param(("desktop", "dark"), marks=pytest.mark.slow),
    pytest.param(("phone", "light"), marks=pytest.mark.slow),
]


@pytest.fixture(params=SCREENS, ids="-".join, scope="module")
def screen(request):
    return request.param


@pytest.fixture
def width(screen):
    return WIDTHS[screen[0]]


@pytest.fixture
def scheme(screen):
    return screen[1]


@pytest.fixture(scope="module")
def visit(browser, quick_report, screen):
    width, scheme = WIDTHS[screen[0]], screen[1]
    with Visit(browser, quick_report, width, scheme, height=900, bypass_csp=True) as visit:
        yield visit  # the checks are scripts, too


def test_it_opens_without_errors_or_network(visit, quick_report):
    visit.page.wait_for_timeout(200)
    assert visit.said == []
    assert asked(visit) == [quick_report.as_uri()]


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


def test_tables_sort_by_a_click(visit, width):
    if width < 1000:
        pytest.skip("cards have no heads to click")
    page = visit.page
    verdicts = "[...document.querySelectorAll('#claims-table .chip')].map(chip => chip.textContent)"
    before = page.evaluate(verdicts)
    page.click("#claims-table th:nth-child(6) button")
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


def test_the_contents_stay_in_sight(visit, width):
    page = visit.page
    listed = page.locator(".toc a")
    assert listed.count() >= 10
    beside = width > 1000
    wanted = "open" if beside else "!open"
    page.wait_for_function(wanted.replace("open", "document.querySelector('.toc details').open"))
    if not beside:
        page.locator(".toc summary").click()
    page.locator(".toc a", has_text="Errata").click()
    page.wait_for_function("document.getElementById('errata').getBoundingClientRect().top < 200")
    place = page.locator(".toc").bounding_box()
    assert 0 <= place["y"] < 5 and (place["height"] > 500) is beside
    assert page.evaluate("document.querySelector('.toc details').open") is beside
    page.wait_for_function(
        "document.querySelector('.toc a[aria-current]')?.textContent === 'Errata'"
    )


def test_films_play_while_they_are_seen(browser, quick_report):
    place = "#film-double-pendulum"  # opened there, so that no other film plays on the way
    with Visit(browser, quick_report, 640, height=480, fragment=place, moves=True) as visit:
        page = visit.page
        assert page.locator(".film iframe").count() >= 4
        page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
        page.locator(place).scroll_into_view_if_needed()
        handle = page.locator(f"{place} iframe").element_handle()
        frame = handle.content_frame()
        frame.wait_for_selector("html[data-ready]", timeout=20000)
        assert visit.comes(lambda: frame.evaluate("film.playing && film.time > 0.02"))
        labels = frame.evaluate("groups.map(g => g.label)")
        assert labels[:2] == ["SE(3)", "SO(3)×ℝ³"] and labels[-1] == "subgroup"
        gaps = frame.evaluate("groups.map(g => Math.max(0, ...g.vectors.map(v => v.largest)))")
        assert frame.evaluate("show.gaps")
        assert min(gaps[:2]) > 1e6 * max(gaps[2:])  # the paper's effect
        first = page.screenshot()
        assert visit.comes(lambda: frame.evaluate("film.time > 0.04"))
        assert page.screenshot() != first
        page.evaluate("scrollTo(0, 0)")
        assert visit.comes(lambda: not frame.evaluate("film.playing"))
        assert visit.said == [] and asked(visit) == [quick_report.as_uri()]


def test_it_opens_with_the_question(visit, width):
    visit.run("scrollTo(0, 0)")
    place, lead = (visit.page.locator(part).bounding_box() for part in ("#live", ".lead"))
    assert place["y"] < lead["y"] and (lead["y"] < 900 or width < 1280)


def test_the_question_runs_as_the_page_allows(browser, quick_report):
    """Policies hold here: a page within a page may do what both of them allow."""
    with Visit(browser, quick_report, 640, height=480, moves=True) as visit:
        page, frame = visit.page, visit.page.frame_locator("#live iframe")
        page.locator("#live").scroll_into_view_if_needed()
        frame.locator("html[data-ready]").wait_for(state="attached", timeout=20000)
        assert frame.get_by_role("slider", name="gravity").is_visible()
        assert frame.locator("#tags .big").all_inner_texts() == ["SE(3)", "SO(3)×ℝ³"]
        first = page.screenshot()  # of what is seen: a whole film is higher
        assert visit.comes(lambda: page.screenshot() != first)
        assert visit.said == [] and asked(visit) == [quick_report.as_uri()]


def asked(visit):
    """The addresses of what was not in the page itself."""
    return [url for url in visit.asked if not url.startswith(("data:", "about:"))]


def test_the_report_stays_small(quick_report):
    assert quick_report.stat().st_size < 3e6
