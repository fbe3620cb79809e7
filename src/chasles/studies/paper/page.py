"""The page: answer, picture, claims, examples, what lies beyond, errata, provenance."""

from collections.abc import Callable, Sequence
from typing import Any

from chasles.integrators.tableaux import METHODS
from chasles.model.tables import Cell, Table
from chasles.studies.paper import figures, figures_beyond
from chasles.studies.paper.errata import Erratum
from chasles.studies.paper.examples import BOOST, BOOSTED, EXAMPLES
from chasles.studies.paper.rules import FAILS, HOLDS, ONLY_IF, Claim
from chasles.studies.paper.study import PAPER_SPACES, Measure, Study
from chasles.studies.paper.tables import cost_table, forms_table, random_table, tableaux_table
from chasles.studies.words import filled, words
from chasles.view.film import GAPS, make_film
from chasles.view.play import make_live
from chasles.view.plots import Figure, formula_svg
from chasles.view.report import figure_block, film_block, paragraphs, section
from chasles.view.stage import Stage
from chasles.view.theme import scientific

TITLE = "Is there an optimal choice of configuration space?"
CITATION = (
    "A. Müller and Z. Terze, <i>Is there an optimal choice of configuration space for Lie group"
    " integration schemes applied to constrained MBS?</i>, ASME IDETC/CIE 2013, DETC2013-12151"
)
FILM_FRAMES = 240  # of each run: 4 s at 60 frames a second, and some 20 kB
CHIPS = {HOLDS: "holds", FAILS: "fails", ONLY_IF: "partly"}
ERRATUM_CHIPS = {"misprint": "fails", "dangerous": "partly", "unclear": "other"}
DrawFigure = Callable[[Study], Figure]


class Page:
    """`body` is the page's HTML; every figure is also handed to `keep` as it is drawn."""

    def __init__(
        self,
        study: Study,
        claims: list[Claim],
        errata: list[Erratum],
        keep: Callable[[Figure], None],
    ) -> None:
        self.study, self.claims, self.errata, self.keep = study, claims, errata, keep
        self.body = "".join(
            (
                self.header(),
                "<main>",
                self.story(),
                self.claims_section(),
                self.section("examples", *map(self.example, study.options.chosen)),
                self.beyond_section(),
                self.errata_section(),
                self.provenance_section(),
                "</main>",
                "<footer><p>Made by <code>chasles paper</code>. Every figure on this page was"
                " computed by the run that wrote it; none was copied.</p></footer>",
            )
        )

    def show(self, figure: Figure, wide: bool = True) -> str:
        self.keep(figure)
        return figure_block(figure, wide)

    def text_of(self, name: str, what: str = "text", **numbers: Any) -> str:
        """Words of the page, with the report's options and numbers."""
        return filled(words()["page"][name][what], {**vars(self.study.options), **numbers})

    def section(
        self, name: str, *content: str, level: int = 2, what: str = "text", **numbers: Any
    ) -> str:
        """A section with its title and its first paragraph."""
        text = paragraphs(self.text_of(name, what, **numbers))
        return section(name, words()["page"][name]["title"], text, *content, level=level)

    # --- the opening ---

    def header(self) -> str:
        lead = paragraphs(*answer(self.study, self.claims))
        # A warning where the report was not made with the paper's settings.
        settings = "" if self.study.options.as_in_paper else self.text_of("settings")
        return (
            '<header><p class="kicker">The question of Müller and Terze (2013), answered on their'
            f' own examples</p><h1>{TITLE}</h1>{self.live()}<div class="lead">{lead}</div>'
            f'<p class="small">{CITATION}.{settings}</p></header>'
        )

    def live(self) -> str:
        """The question as a page within the page: the top in both spaces, computed by the reader.

        The strength of gravity and the spin about the body's own axis are the reader's.
        """
        if not self.study.has("heavy-top"):
            return ""
        stage = Stage(
            [outcome.result for outcome in self.study.pair("heavy-top", "screw")],
            [figures.NAMES[spaces] for spaces in PAPER_SPACES],
            title=EXAMPLES["heavy-top"].title,
        )
        sliders = {"gravity": (0, 20), "top.angular_velocity.y": (0, 120)}
        film = make_live(stage, sliders, "paper")
        return film_block(film._repr_html_(), "live", self.text_of("live"))

    def story(self) -> str:
        if not self.study.has("double-pendulum"):
            return ""
        return self.show(figures.story_figure(self.study))

    # --- claims and examples ---

    def claims_section(self) -> str:
        rows = []
        for number, claim in enumerate(self.claims, 1):
            chip = f'<span class="chip {CHIPS[claim.verdict]}">{claim.verdict}</span>'
            condition = f"<small>… {claim.condition}</small>" if claim.condition else ""
            said = f"<q>{claim.quote}</q>{claim.topic}<small>{claim.where}. {claim.comment}</small>"
            judged = f"{chip}{condition}<small>Rule: {claim.rule}.</small>"
            order = f"{list(CHIPS).index(claim.verdict)} {number:02}"
            rows.append((
                (str(number), number), said, claim.proper, claim.product, claim.subgroup,
                (judged, order), f'<a href="#{claim.figure}">figure</a>',
            ))  # fmt: skip
        columns = ("#", "The paper says", "SE(3)", "SO(3)×ℝ³", "Subgroup", "Verdict", "")
        table = Table(columns, rows).html("claims-table", cards=True, labelled=(2, 3, 4))
        holds, fails, only_if = (sum(c.verdict == v for c in self.claims) for v in CHIPS)
        return self.section(
            "claims", table, count=len(self.claims), holds=holds, fails=fails, only_if=only_if
        )

    def example(self, key: str) -> str:
        example, study = EXAMPLES[key], self.study
        chosen = study.chosen(key).result.provenance["spaces"]
        listed = "; ".join(f"{body}: {space_in_words(space)}" for body, space in chosen.items())
        facts = paragraphs(example.note, f"<span class=small>chasles chooses: {listed}.</span>")
        sketch = self.show(figures.sketch_figure(key), wide=False)
        blocks = [self.show(figure) for figure in figures.example_figures(study, key)]
        blocks += [self.show(draw(study)) for draw in MORE_FIGURES.get(key, ())]
        intro = f'<div class="sketch">{sketch}<div>{facts}</div></div>'
        return section(f"example-{key}", example.title, intro, self.film(key), *blocks, level=3)

    def film(self, key: str) -> str:
        """The runs in one scene, their gaps magnified alike."""
        shown = self.study.shown(key)
        stage = Stage(
            [outcome.result for outcome in shown.values()],
            [figures.NAMES[spaces] for spaces in shown],
            title=EXAMPLES[key].title,
        )
        film = make_film(stage, FILM_FRAMES, False, {"gaps": True, "curve": GAPS})
        return film_block(film._repr_html_(), f"film-{key}", self.text_of("film"))

    # --- beyond ---

    def beyond_section(self) -> str:
        study = self.study

        def shown(draw: DrawFigure, *needs: str, table: Any = None) -> str:
            if needs and not any(map(study.has, needs)):
                return ""
            figure = self.show(draw(study))
            if table is None:
                return figure
            return f"{figure}<details><summary>As a table</summary>{table(study)}</details>"

        both = "double-pendulum", "floating-pair"
        parts = [
            shown(figures_beyond.random_figure, *both, table=random_table),
            shown(figures_beyond.platform_figure, "heavy-top"),
            shown(figures_beyond.free_figure, "floating-pair"),
            self.section("forms-of-the-constraint", forms_table(study), level=3),
            shown(figures_beyond.longer_figure),
        ]
        if not study.options.quick:
            needs = "heavy-top", "double-pendulum"
            parts.append(shown(figures_beyond.tableaux_figure, *needs, table=tableaux_table))
            parts.append(shown(figures_beyond.steps_figure))
            parts.append(self.section("cost", cost_table(study), level=3))
        return section("beyond", "Beyond the paper", *parts)

    # --- errata, provenance ---

    def errata_section(self) -> str:
        blocks = []
        for number, erratum in enumerate(self.errata, 1):
            wrong, good = erratum.heads
            rows: list[Sequence[Cell]] = [
                (printed.label, (with_unit(printed), printed), (with_unit(right), right))
                for printed, right in erratum.measures
            ]
            table = Table(("Computed here", wrong, good), rows).html(numeric=(1, 2)) if rows else ""
            formulas = "".join(
                f'<div><h4>{head}</h4><div class="formula">{formula_svg(formula)}</div></div>'
                for head, formula in ((wrong, erratum.printed), (good, erratum.right))
            )
            blocks.append(
                f'<div class="erratum" id="erratum-{erratum.key}"><h3>{number}. {erratum.place}'
                f' <span class="chip {ERRATUM_CHIPS[erratum.kind]}">{erratum.kind}</span></h3>'
                f'<div class="formulas">{formulas}</div>{paragraphs(erratum.comment)}{table}</div>'
            )
        return self.section("errata", *blocks, paragraphs(self.text_of("errata", "after")))

    def provenance_section(self) -> str:
        outcomes = self.study.outcomes
        some = next(iter(outcomes.values())).result.provenance
        versions = ", ".join(f"{name} {number}" for name, number in some["versions"].items())
        what = "quick" if self.study.options.quick else "text"
        return self.section(
            "provenance", what=what, count=len(outcomes), versions=versions, created=some["created"]
        )


#: Figures of an example beside those of its joints and its energy.
MORE_FIGURES: dict[str, tuple[DrawFigure, ...]] = {
    "heavy-top": (figures_beyond.eta_figure, figures_beyond.reference_figure),
    "three-bar": (figures_beyond.loop_figure, figures_beyond.projection_figure),
}


def space_in_words(space: str) -> str:
    return space.replace("SO3xR3", "SO(3)×ℝ³").replace("SE3", "SE(3)")


def with_unit(measure: Measure) -> str:
    return f"{scientific(measure, 2)}\u00a0{measure.unit}".strip()


def answer(study: Study, claims: list[Claim]) -> list[str]:
    """Three sentences, with the figures of this run."""
    texts, options = words()["page"]["answer"], study.options
    if len(study.of_paper) < sum(example.in_paper for example in EXAMPLES.values()):
        names = ", ".join(EXAMPLES[key].title.lower() for key in options.chosen)
        return [filled(texts["part"], {"names": names})]
    tops, pair = study.pair("heavy-top"), study.pair(BOOSTED[BOOST])
    energy = next(claim for claim in claims if claim.key == "top-energy")
    ratio = tops[1].energy_drift / tops[0].energy_drift
    numbers = {
        "gaps": {s: o.gap("joint 2") for s, o in study.shown("double-pendulum").items()},
        "top": [o.gap("pivot") for o in tops],
        "tried": f"with {options.method}",
        "finest": "",
        "mixing": "",
        "boost": BOOST,
        "wider": pair[0].gap("joint") / pair[1].gap("joint"),
    }
    if not options.quick:
        finest = study.run("heavy-top", "SO3xR3", method="dop853").gap("pivot")
        numbers["tried"] = f"rounding with each of the {len(METHODS)} tableaux tried"
        numbers["finest"] = filled("; @{gap | m} with dop853", {"gap": finest})
    if energy.verdict == ONLY_IF:
        numbers["mixing"] = (
            f"with the printed equations the top's energy drifts {ratio:.1f} times less on it, not"
            " a hundred times, "
        )
    return [filled(texts[name], numbers) for name in ("subgroups", "finding", "conclusions")]
