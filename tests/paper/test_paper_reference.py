"""The reference trajectories of the heavy top against 22-digit values."""

import csv
from pathlib import Path

import numpy as np
import pytest

from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.printed_top import (
    PAPER_TOLERANCES,
    TIGHT_TOLERANCES,
    quaternion_reference,
)
from chasles.studies.paper_mechanisms import heavy_top

TABLE = Path(__file__).parent.parent / "reference" / "ref_top.csv"
with TABLE.open(encoding="utf-8") as lines:
    POSITIONS = {
        float(row["t"]): tuple(float(row[name]) for name in ("rx", "ry", "rz"))
        for row in csv.DictReader(lines)
        if 0 < float(row["t"]) <= 1
    }


def reference(tolerances):
    return quaternion_reference(heavy_top(), np.array([0.0, *POSITIONS]), tolerances)


def test_the_tight_reference_is_right_to_rounding():
    error = np.abs(reference(TIGHT_TOLERANCES).position[1:] - list(POSITIONS.values())).max()
    assert error < 1e-12


def test_the_papers_reference_is_less_accurate_than_what_it_judges(study):
    error = np.abs(reference(PAPER_TOLERANCES).position[1:] - list(POSITIONS.values())).max()
    assert 1e-6 < error < 1e-4
    for spaces in ("SE3", "SO3xR3"):
        end = study.run("heavy-top", spaces).result.position("top")[-1]
        assert np.abs(end - POSITIONS[1.0]).max() < error / 3


@pytest.mark.parametrize("spaces, largest", [("SE3", 1e-6), ("SO3xR3", 3e-6), ("auto", 1e-6)])
def test_the_top_ends_where_the_reference_does(study, spaces, largest):
    end = study.run("heavy-top", spaces).result.position("top")[-1]
    assert np.abs(end - POSITIONS[1.0]).max() < largest


def test_gravity_bends_the_reference_as_it_bends_the_simulation():
    from chasles.run.simulate import simulate

    model = EXAMPLES["bruls-cardona-top"].model
    run = simulate(model, until=0.2, step=2e-4, progress=False)
    tight = quaternion_reference(model, run.t, TIGHT_TOLERANCES)
    assert np.abs(run.position("top") - tight.position).max() < 1e-6
