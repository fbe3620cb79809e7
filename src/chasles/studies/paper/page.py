"""The page: answer, picture, claims, examples, what lies beyond, errata, provenance."""

from collections.abc import Callable

from chasles.model.tables import Table
from chasles.studies.paper import figures, figures_beyond, figures_sweeps
from chasles.studies.paper.answer import answer
from chasles.studies.paper.claims.rules import FAILS, HOLDS, ONLY_IF, Claim
from chasles.studies.paper.errata import RIGHT_AS_PRINTED, Erratum
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.study import Study
from chasles.studies.paper.tables import cost_table, forms_table, random_table, tableaux_table
from chasles.view.film import GAPS, make_film
from chasles.view.plots import Figure, formula_svg
from chasles.view.report import figure_block, film_block, paragraphs, section
from chasles.view.theme import scientific

TITLE = "Is there an optimal choice of configuration space?"
CITATION = (
    "A. Müller and Z. Terze, <i>Is there an optimal choice of configuration space for Lie group"
    " integration schemes applied to constrained MBS?</i>, ASME IDETC/CIE 2013, DETC2013-12151"
)
FILM_FRAMES = 240  # of each run: 4 s at 60 frames a second, and some 20 kB
CHIPS = {HOLDS: "holds", FAILS: "fails", ONLY_IF: "partly"}


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
                self.examples_section(),
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

    # --- the opening ---

    def header(self) -> str:
        lead = paragraphs(*answer(self.study, self.claims))
        return (
            '<header><p class="kicker">The question of Müller and Terze (2013), answered on their'
            f' own examples</p><h1>{TITLE}</h1><div class="lead">{lead}</div>'
            f'<p class="small">{CITATION}.{self.settings()}</p></header>'
        )

    def settings(self) -> str:
        """A warning where the report was not made with the paper's settings."""
        o = self.study.options
        if o.as_in_paper:
            return ""
        return (
            f" <strong>Made with {o.method}, step {o.step:g} s, {o.until:g} s</strong>, not with"
            " the paper's settings (rk4, 0.001 s, 1 s): figures and verdicts are of this run, the"
            " words around them were written for the paper's."
        )

    def story(self) -> str:
        if not self.study.has("double-pendulum"):
            return ""
        return self.show(figures.story_figure(self.study))

    # --- claims ---

    def claims_section(self) -> str:
        count = {v: sum(claim.verdict == v for claim in self.claims) for v in CHIPS}
        rows = []
        for number, claim in enumerate(self.claims, 1):
            chip = f'<span class="chip {CHIPS[claim.verdict]}">{claim.verdict}</span>'
            condition = f"<small>… {claim.condition}</small>" if claim.condition else ""
            rows.append(
                (
                    (str(number), number),
                    f"<q>{claim.quote}</q>{claim.topic}"
                    f"<small>{claim.where}. {claim.comment}</small>",
                    claim.proper,
                    claim.product,
                    claim.subgroup,
                    (
                        f"{chip}{condition}<small>Rule: {claim.rule}.</small>",
                        f"{list(CHIPS).index(claim.verdict)} {number:02}",
                    ),
                    f'<a href="#{claim.figure}">figure</a>',
                )
            )
        o = self.study.options
        summary = (
            f"{len(self.claims)} statements of the paper can be tested: {count[HOLDS]} hold,"
            f" {count[FAILS]} do not, {count[ONLY_IF]} hold only under a condition. Each verdict"
            " follows from the figures by the rule beside it. The paper compares SE(3) and"
            " SO(3)×ℝ³; the joint's subgroup stands beside them. Unless said otherwise:"
            f" acceleration constraints in the paper's own (space) form, {o.method}, step"
            f" {o.step:g} s, {o.until:g} s."
        )
        columns = ("#", "The paper says", "SE(3)", "SO(3)×ℝ³", "Subgroup", "Verdict", "")
        return section(
            "claims",
            "What the paper claims, and what the data say",
            paragraphs(summary),
            Table(columns, rows).html("claims-table", cards=True, labelled=(2, 3, 4)),
        )

    # --- examples ---

    def examples_section(self) -> str:
        parts = [self.example(key) for key in self.study.options.chosen]
        return section(
            "examples",
            "The examples",
            paragraphs(
                "Panels a) and b) are the paper's: components and norm of each joint's gap, and the"
                " drift of the energy. In c) only frame point and reference change, in d) each body"
                " moves in the subgroup of the joint that carries it, which is what this package"
                " does when nothing is asked for. The last panel puts all of them on one"
                " logarithmic axis. Both forms of the acceleration constraints are in a table"
                " below; on subgroups only joints that close loops have any, in the screw form."
            ),
            *parts,
        )

    def example(self, key: str) -> str:
        example = EXAMPLES[key]
        chosen = self.study.chosen(key).result.provenance["spaces"]
        listed = "; ".join(f"{body}: {space_in_words(space)}" for body, space in chosen.items())
        facts = paragraphs(example.note, f"<span class=small>chasles chooses: {listed}.</span>")
        sketch = self.show(figures.sketch_figure(key), wide=False)
        blocks = [self.show(figure) for figure in figures.example_figures(self.study, key)]
        if key == "heavy-top":
            blocks.append(self.show(figures_beyond.eta_figure(self.study)))
            blocks.append(self.show(figures_beyond.reference_figure(self.study)))
        if key == "three-bar":
            blocks.append(self.show(figures_beyond.loop_figure(self.study)))
            blocks.append(self.show(figures_beyond.projection_figure(self.study)))
        intro = f'<div class="sketch">{sketch}<div>{facts}</div></div>'
        return section(f"example-{key}", example.title, intro, self.film(key), *blocks, level=3)

    def film(self, key: str) -> str:
        """The runs in one scene, their gaps magnified alike."""
        shown = self.study.shown(key)
        film = make_film(
            [outcome.result for outcome in shown.values()],
            [figures.NAMES[spaces] for spaces in shown],
            title=EXAMPLES[key].title,
            frames=FILM_FRAMES,
            forces=False,
            show={"gaps": True, "curve": GAPS},
        )
        caption = (
            "The runs of panels a) to d) side by side: SE(3), SO(3)×ℝ³, framed on the joints, and"
            " in their subgroups. Lines at joints are their gaps, all magnified by the same power"
            " of ten, which can be changed under Show. Drag to turn, wheel or pinch to zoom."
        )
        return film_block(film._repr_html_(), f"film-{key}", caption)

    # --- beyond ---

    def beyond_section(self) -> str:
        study, parts = self.study, []
        if study.has("double-pendulum") or study.has("floating-pair"):
            parts.append(self.show(figures_beyond.random_figure(study)))
            parts.append(f"<details><summary>As a table</summary>{random_table(study)}</details>")
        if study.has("heavy-top"):
            parts.append(self.show(figures_beyond.platform_figure(study)))
        if study.has("floating-pair"):
            parts.append(self.show(figures_beyond.free_figure(study)))
        parts.append(
            section("forms-of-the-constraint", "Both forms of the acceleration constraint",
                    FORMS_TEXT, forms_table(study), level=3)
        )  # fmt: skip
        parts.append(self.show(figures_sweeps.longer_figure(study)))
        if not study.options.quick:
            if study.has("heavy-top") or study.has("double-pendulum"):
                parts.append(self.show(figures_sweeps.tableaux_figure(study)))
                parts.append(
                    f"<details><summary>As a table</summary>{tableaux_table(study)}</details>"
                )
            parts.append(self.show(figures_sweeps.steps_figure(study)))
            parts.append(section("cost", "Cost", COST_TEXT, cost_table(study), level=3))
        return section("beyond", "Beyond the paper", *parts)

    # --- errata ---

    def errata_section(self) -> str:
        blocks = []
        for number, erratum in enumerate(self.errata, 1):
            rows = [
                (
                    right.label if printed.label == right.label else printed.label,
                    (with_unit(printed.value, printed.unit), printed.value),
                    (with_unit(right.value, right.unit), right.value),
                )
                for printed, right in erratum.measures
            ]
            wrong, good = erratum.heads
            figures = (
                Table(("Computed here", wrong, good), rows).html(numeric=(1, 2)) if rows else ""
            )
            blocks.append(
                f'<div class="erratum" id="erratum-{erratum.key}"><h3>{number}. {erratum.place}'
                f' <span class="chip {ERRATUM_CHIPS[erratum.kind]}">{erratum.kind}</span></h3>'
                f'<div class="formulas"><div><h4>{wrong}</h4><div class="formula">'
                f"{formula_svg(erratum.printed)}</div></div><div><h4>{good}</h4>"
                f'<div class="formula">{formula_svg(erratum.right)}</div></div></div>'
                f"{paragraphs(erratum.comment)}{figures}</div>"
            )
        return section(
            "errata",
            "Errata",
            paragraphs(
                "Formulas of the paper that are misprinted, unclear, or dangerous in floating"
                " point, with figures computed by this run that tell the two apart."
            ),
            *blocks,
            paragraphs(RIGHT_AS_PRINTED),
        )

    # --- provenance ---

    def provenance_section(self) -> str:
        study = self.study
        some = next(iter(study.runs.outcomes.values())).result.provenance
        versions = ", ".join(f"{name} {number}" for name, number in some["versions"].items())
        o = study.options
        return section(
            "provenance",
            "Provenance",
            paragraphs(
                f"{len(study.runs.outcomes)} simulations with the Munthe-Kaas method ({o.method},"
                f" step {o.step:g} s and {o.until:g} s unless a figure says otherwise), index 1,"
                f" no stabilisation but where a figure says so; {versions}; {some['created']}. Each"
                " joint's gap is the distance of its two points in the world, measured at every"
                " step; energies are relative to the kinetic energy at the start. Random starts"
                " come from a fixed seed. All scalars, with the space, frame, form, method and step"
                " of the run each comes from, are in <code>results.json</code> beside this page;"
                " all figures, as SVG and PNG, in <code>figures</code>."
                if not o.quick
                else f"{len(study.runs.outcomes)} simulations (quick version: fewer starts,"
                f" tableaux and steps); {versions}; {some['created']}. All scalars are in"
                " <code>results.json</code> beside this page."
            ),
        )


ERRATUM_CHIPS = {"misprint": "fails", "dangerous": "partly", "unclear": "other"}

FORMS_TEXT = paragraphs(
    "The paper leaves open in which form the acceleration constraints are written. <em>Space</em>:"
    " the gap in the inertial frame, differentiated twice, as the paper prints. <em>Screw</em>: the"
    " relative twist, seen in the joint's frame, stays in the joint's subalgebra. They agree while"
    " joints are closed and differ once they are not, so where a joint drifts the form changes the"
    " result by up to orders of magnitude, and where it holds to round-off it does not matter."
)
COST_TEXT = paragraphs(
    "Time of one step on this machine, best of several runs. On charts the constrained dynamics are"
    " the same, and what differs is exp, dexp⁻¹ and the change of chart; in subgroups there are no"
    " constraints but those of loop-closing joints, and the dynamics are recursive."
)


def space_in_words(space: str) -> str:
    return space.replace("SO3xR3", "SO(3)×ℝ³").replace("SE3", "SE(3)")


def with_unit(value: float, unit: str) -> str:
    return f"{scientific(value, 2)}\u00a0{unit}".strip()
