"""Tables of the page: forms, random starts, tableaux, cost."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from chasles.integrators.tableaux import METHODS, method
from chasles.model.tables import Cell, Table
from chasles.studies.paper.examples import EXAMPLES, RANDOM_KINDS
from chasles.studies.paper.figures import NAMES
from chasles.studies.paper.study import FORMS, PAPER_SPACES, SHOWN_SPACES, CaseResult, Study
from chasles.view.theme import scientific

Row = Sequence[Cell]


def number(value: float) -> Cell:
    """A figure, sorted by its value; a run that broke off says so."""
    return (scientific(value) if isfinite(value) else "broke off", min(value, 1e300))


def gaps_in_words(outcome: CaseResult) -> Cell:
    listed = ", ".join(scientific(outcome.gap(joint)) for joint in outcome.gaps)
    return listed, outcome.largest_gap()


def forms_table(study: Study) -> str:
    rows: list[Row] = []
    for key in study.options.chosen:
        for spaces in (*PAPER_SPACES, "framed"):
            runs = [study.run(key, spaces, form) for form in FORMS]
            drifts = [number(run.energy_drift) for run in runs]
            rows.append([EXAMPLES[key].title, NAMES[spaces], *map(gaps_in_words, runs), *drifts])
    columns = ("Example", "Space", "Gaps in m: space", "screw", "Energy: space", "screw")
    return Table(columns, rows).html(name="forms", numeric=(2, 3, 4, 5))


def random_table(study: Study) -> str:
    asked = [
        (kind, spin, form)
        for kind, example in RANDOM_KINDS.items() if study.has(example)
        for spin in study.spins
        for form in FORMS
    ]  # fmt: skip
    rows: list[Row] = []
    for kind, spin, form in asked:
        ratios = study.random_ratios(kind, spin, form)
        low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        better = ratios < 1
        rows.append([
            kind, (f"{spin:g} rad/s", spin), form, (f"{middle:.2f}", middle),
            (f"{low:.2f} to {high:.2f}", low),
            (f"{int(better.sum())} of {len(ratios)}", float(better.mean())),
            number(study.random_in_subgroups(kind, spin)),
        ])  # fmt: skip
    columns = ("Kind", "Spin", "Form", "Median SE(3)/SO(3)×ℝ³", "Middle half", "SE(3) better",
               "Largest gap in subgroups, m")  # fmt: skip
    return Table(columns, rows).html(name="random-table", numeric=(3, 4, 5, 6))


def tableaux_table(study: Study) -> str:
    rows: list[Row] = []
    for key in study.of_paper:
        title, joint = EXAMPLES[key].title, EXAMPLES[key].worst_joint
        for name in METHODS:
            runs, order = study.shown(key, method=name).values(), method(name).order
            gaps, drifts = ([o.gap(joint) for o in runs], [o.energy_drift for o in runs])
            numbers = map(number, [*gaps, *drifts])
            rows.append([f"{title}, {joint}", name, (str(order), order), *numbers])
    heads = [f"{what} {NAMES[s]}" for what in ("Gap (m)", "Energy") for s in NAMES]
    columns = ("Example", "Tableau", "Order", *heads)
    return Table(columns, rows).html(name="tableaux-table", numeric=range(2, 11))


def cost_table(study: Study) -> str:
    rows: list[Row] = [
        (EXAMPLES[key].title, *((f"{us:.2f} µs", us) for us in times.values()))
        for key, times in study.microseconds_per_step.items()
    ]
    columns = ("Example", *(NAMES[s] for s in SHOWN_SPACES))
    return Table(columns, rows).html(name="cost-table", numeric=(1, 2, 3, 4))
