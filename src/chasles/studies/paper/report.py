"""`chasles paper`: run what is needed, judge the claims, draw, and write the folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chasles.model.tables import finite
from chasles.notices import progress_bar
from chasles.result.atomic_file import write_text
from chasles.studies.output import tell, writable
from chasles.studies.paper.claims import all_claims
from chasles.studies.paper.errata import Erratum, all_errata
from chasles.studies.paper.examples import Options
from chasles.studies.paper.page import TITLE, Page
from chasles.studies.paper.rules import Claim
from chasles.studies.paper.study import Measure, Study
from chasles.view.plots import Figure, save_files
from chasles.view.report import page

DESCRIPTION = "The examples, figures and claims of Müller and Terze (2013), run and judged."


def make_report(options: Options, progress: bool | None = None) -> Path:
    """report.html, results.json and the figures in the output folder; returns the page's path.

    The page is written last and as a whole, so a folder with a report has all of it.
    """
    folder = writable(options.out)
    writable(folder / "figures")
    with progress_bar(unit=" runs and figures", progress=progress) as bar:
        study = Study(options, bar.update)
        tell("simulating, and judging the claims", progress)
        claims, errata = all_claims(study), all_errata(study)
        tell("drawing", progress)

        def keep(figure: Figure) -> None:
            save_files(figure, folder / "figures", png=not options.quick)
            bar.update()

        body = Page(study, claims, errata, keep).body
    results = finite(results_of(study, claims, errata))  # null is a run that broke off
    results = json.dumps(results, indent=1, ensure_ascii=False)
    write_text(folder / "results.json", results + "\n")
    path = folder / "report.html"
    write_text(path, page(f"{TITLE} chasles on Müller and Terze (2013)", DESCRIPTION, body))
    return path


def results_of(study: Study, claims: Sequence[Claim], errata: Sequence[Erratum]) -> dict[str, Any]:
    """Every scalar of the report with the runs it comes from."""
    asked = {name: vars(study.options)[name] for name in ("step", "method", "until", "quick")}
    return {
        "options": {"examples": study.options.chosen, **asked},
        "claims": [{**vars(c), "measures": [entry(m) for m in c.measures]} for c in claims],
        "errata": [
            {
                "key": erratum.key,
                "place": erratum.place,
                "kind": erratum.kind,
                "figures": [
                    {"printed": entry(printed), "right": entry(right)}
                    for printed, right in erratum.measures
                ],
            }
            for erratum in errata
        ],
        "runs": {
            label: {
                "gaps_m": {joint: outcome.gap(joint) for joint in outcome.gaps},
                "energy_drift": outcome.energy_drift,
                "kinetic_energy_at_start_J": outcome.kinetic_at_start,
                "provenance": {
                    "case": {
                        "model": outcome.model,
                        "until": outcome.until,
                        **outcome.candidate.options,
                    },
                    "status": outcome.result.message,
                    **outcome.result.provenance,
                },
            }
            for label, outcome in study.outcomes.items()
        },
    }


def entry(measure: Measure) -> dict[str, Any]:
    """A number with what is known of it."""
    return {
        "value": float(measure), **{name: value for name, value in vars(measure).items() if value}
    }  # fmt: skip
