"""`chasles study spaces`: run everything, draw it, write the page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from chasles.model import Model
from chasles.studies.output import answered, write_study
from chasles.studies.spaces_study import cases, endurance, loops


def measured(
    effort: cases.Effort, linkages: Mapping[str, Model], progress: bool | None = None
) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr; linkages are over-constrained loops."""
    ledger = cases.Ledger()
    questions: dict[str, Callable[[], Any]] = {
        "ground": lambda: cases.pairs(effort, ledger, moving=False),
        "moving": lambda: cases.pairs(effort, ledger, moving=True),
        "orders": cases.orders,
        "trees": lambda: cases.trees(effort, ledger),
        "spins": endurance.spins,
        "long": lambda: endurance.long_runs(effort),
        "door": endurance.door,
        "floating": cases.floating,
        "platform": cases.platform,
        "kept": endurance.kept,
        "loops": lambda: loops.loops(effort, ledger),
        "redundant": lambda: loops.redundant(linkages, ledger),
        "cost": lambda: cases.cost(effort),
        "cayley": cases.cayley_against_exp,
    }
    data = answered(questions, progress, quick=effort.quick, step=cases.STEP, until=cases.UNTIL)
    data["predictions"] = {"checked": ledger.checked, "exact": ledger.held, "wrong": ledger.wrong}
    return data


def make_study(
    out: Path, effort: cases.Effort, linkages: Mapping[str, Model], progress: bool | None = None
) -> str:
    """Write study.md, the figures and results.json to `out`; returns what to tell the user."""
    from chasles.studies.spaces_study.drawings import figures  # late: it draws
    from chasles.studies.spaces_study.page import page

    data = measured(effort, linkages, progress)
    drawn, images, png = figures(data), Path("images") / "study", not effort.quick
    target = write_study(out, images, "study.md", page(data), drawn, data, png)
    predicted = data["predictions"]
    return (
        f"{target}: {len(drawn)} figures, {predicted['checked']} predictions,"
        f" {len(predicted['wrong'])} of them wrong, in {data['made']['seconds']:g} s"
    )
