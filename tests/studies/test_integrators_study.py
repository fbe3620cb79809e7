"""The study of integrators: its page has every number, and what is refused."""

import json

import pytest

import chasles as ch
from chasles.cli import main
from chasles.studies.integrators_study import cases
from chasles.studies.integrators_study.study import drift_table


@pytest.fixture
def few(monkeypatch):
    """Two methods, of which one is refused by subgroups that have loops; two spaces."""
    monkeypatch.setattr(cases, "own_methods", lambda: ["rk4", "rattlie"])
    monkeypatch.setattr(cases, "COSTED", ("rk4", "dop853"))


def test_the_command_writes_a_page_with_figures(few, tmp_path, capsys):
    assert main(["study", "integrators", "--quick", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "integrators-study.md").read_text()
    assert "## Observed orders" in text
    assert "`rattlie`" in text
    assert (tmp_path / "images" / "integrators" / "work.svg").exists()
    data = json.loads((tmp_path / "images" / "integrators" / "results.json").read_text())
    pose = data["orders"]["heavy top"]["rk4"]["SE3"][0]
    assert pose == pytest.approx(4.0, abs=0.1)


def test_a_variational_method_has_no_trend_and_heuns_has_one():
    """RATTLie is variational: its energy stays, and Heun's is lost or gained."""
    rows = {
        method: cases.kept(cases.slow_top(), method, "SE3", 20_000)
        for method in ("rattlie", "heun")
    }
    assert not cases.is_secular(rows["rattlie"])
    assert cases.is_secular(rows["heun"])
    assert rows["rattlie"]["gap"] < 1e-11


def test_what_is_refused_is_told():
    assert isinstance(cases.kept(ch.Model([ch.Body("a", 1.0, (1, 1, 1))]), "rk4", "SE4", 10), str)


def test_zeros_are_printed_as_zeros():
    row = {"gap": 0.0, "energy": 0.0, "trend": 0.0, "sigma": 0.0, "L": 3e-7}
    last = drift_table({"rk4": {"SE3": row}}).splitlines()[-1]
    assert last == "| `rk4` | `SE3` | 0 | 0 | none | 3e-07 |"
