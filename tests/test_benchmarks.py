"""The page about speed says what was measured, and nothing else; equal error means what it says."""

import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
MODULES = {path.stem for path in FOLDER.glob("*.py")}


@pytest.fixture
def benchmarks(monkeypatch):
    """Modules of the folder by name; they find each other, and are forgotten afterwards."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    yield importlib.import_module
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


@pytest.fixture
def stored(benchmarks):
    page = benchmarks("page")
    return page.whole(json.loads(page.STORED.read_text("utf-8")))


def test_the_page_is_what_the_stored_figures_make_of_it(benchmarks, stored):
    page = benchmarks("page")
    assert page.PAGE.read_text("utf-8") == page.page(stored, page.WORDS.read_text("utf-8"))


def test_every_limit_is_on_the_page_with_its_figure_and_verdict(benchmarks, stored):
    page, findings = benchmarks("page"), benchmarks("findings")
    text = page.PAGE.read_text("utf-8")
    for row in stored["requirements"]:
        known = row["measured"] is not None
        verdict = ("met" if row["measured"] <= row["limit"] else "**missed**") if known else ""
        cells = [row["what"], findings.rounded(row["measured"]), findings.rounded(row["limit"])]
        line = " | ".join([*cells, verdict or "not measured"])
        assert f"| {line} |" in text


def test_a_missed_limit_is_told_at_the_top(benchmarks, stored):
    page = benchmarks("page")
    row = {"what": "a row", "measured": 2.0, "limit": 1.0, "verdict": "FAIL"}
    text = page.summary({**stored, "requirements": [row]}, "")
    assert text == "0 of 1 limits are met. Missed: a row."


def test_all_pictures_are_drawn_from_the_stored_figures(benchmarks, stored, tmp_path):
    benchmarks("plots").draw(stored, tmp_path)
    named = set(re.findall(r"images/benchmarks/([\w-]+\.svg)", (FOLDER / "page.md").read_text()))
    assert {path.name for path in tmp_path.iterdir()} == named
    assert all((ROOT / "docs" / "images" / "benchmarks" / name).exists() for name in named)


def test_a_case_that_is_measured_again_takes_the_place_of_its_figures(
    benchmarks, monkeypatch, tmp_path
):
    page = benchmarks("page")
    monkeypatch.setattr(page, "STORED", tmp_path / "page.json")
    monkeypatch.setattr(page, "write", lambda stored: None)

    def measured(**notes):
        cases = {
            name: {"figures": [], "series": [], "requirements": [], "notes": [note]}
            for name, note in notes.items()
        }
        return {"when": "now", "cases": cases, "notes": [*notes.values(), "of the run"]}

    page.store(measured(first="a", second="b"), ["first", "second"], anew=True)
    page.store(measured(second="c"), ["first", "second"], anew=False)
    found = json.loads(page.STORED.read_text())
    assert list(found["cases"]) == ["first", "second"]
    assert page.whole(found)["notes"] == ["a", "c", "of the run"]


@pytest.mark.parametrize("order", [2, 4, 8])
@pytest.mark.parametrize("level", [1e-4, 1e-6, 1e-8])
def test_the_fewest_steps_of_a_method_of_order_p_are_those_of_its_error(benchmarks, order, level):
    """Where the error is C / n^p the fewest steps are (C / level)^(1/p), found to a tenth."""
    precision = benchmarks("precision")
    constant, asked = 50.0**order, []

    def path(steps):
        asked.append(steps)
        return np.full((5, 1, 3), constant / steps**order)

    contender = precision.Contender(path, lambda steps: lambda: 1.0, order, np.zeros((3, 1, 3)))
    steps, least = contender.fewest_steps(level), 50 * level ** (-1 / order)
    if least > precision.MOST_STEPS:
        assert steps is None
    else:
        assert least <= steps <= 1.16 * least + 2 * precision.PARTS
        assert len(asked) < 15


def test_a_method_that_never_gets_there_is_not_timed(benchmarks):
    precision = benchmarks("precision")
    floor = precision.Contender(
        lambda steps: np.full((5, 1, 3), 1e-5 + 1 / steps**2), lambda steps: lambda: 1.0, 2,
        np.zeros((3, 1, 3)),
    )  # fmt: skip
    assert floor.fewest_steps(1e-6) is None


def test_operations_of_a_step_and_its_longest_chain(benchmarks):
    """x + 2 y and x y in a loop: three operations; y to y takes one sum, x to x a product."""
    roofline = benchmarks("roofline")
    from chasles.scalars.nodes import Node, Place, Program

    x, y = Place(0), Place(1)
    nodes = (Node("multiply", (2.0, y)), Node("add", (x, Place(2))), Node("multiply", (x, y)))
    program = Program(2, nodes, (), (Place(3), Place(4)))
    assert roofline.operations(program) == 3
    # x -> x by a sum (3), y -> x by both (6), y -> y by a product (3), x -> y by it (3): 9 in two.
    assert roofline.longest_chain(program, 2) == pytest.approx(4.5, abs=0.1)


def test_every_case_finds_what_it_measures(benchmarks):
    assert "implicit" in benchmarks("cases").CASES


def test_every_row_of_the_comparison_of_two_trees_has_a_model_and_a_limit(benchmarks):
    beside = benchmarks("beside")
    assert {kind for kind, _, _ in beside.ROWS.values()} == set(beside.LIMITS)
    for row in beside.ROWS:
        assert beside.model_of(row).bodies


@pytest.mark.slow
def test_a_tree_is_timed_by_a_process_that_imports_it(benchmarks):
    beside = benchmarks("beside")
    with beside.started({"new": ROOT / "src"}) as processes:
        for row in ("heavy top, auto", "3-bar"):
            assert 0 < beside.answer(processes["new"], row) < 1000


def test_a_tree_without_the_package_is_not_timed(benchmarks):
    beside = benchmarks("beside")
    with pytest.raises(RuntimeError, match="was imported"), beside.started({"new": ROOT}):
        pass


def test_what_is_past_its_limit_fails(benchmarks):
    compared = benchmarks("beside").compared
    assert compared({"row": [2.0, 3.0]}, {"row": 1.05}, ratios=True) == [
        ("row", "2", "3", "1.5", "1.05", "FAIL")
    ]
    assert compared({"row": [2.0, 3.0]}, {"row": 10.0}, ratios=False)[0][-1] == "pass"
