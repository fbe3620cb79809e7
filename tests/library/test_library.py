"""The library itself: finding benchmarks, running and judging them, and its command."""

import dataclasses
import doctest
import importlib

import numpy as np
import pytest

import chasles as ch
from chasles.cli import main
from chasles.studies.library import command
from chasles.studies.library.benchmark import Check, checks_table
from chasles.studies.library.catalogue import Library
from chasles.studies.library.command import page

ALL = [
    pytest.param(b, id=b.name, marks=[pytest.mark.slow] if len(b.model().bodies) > 50 else [])
    for b in ch.library
]


@pytest.mark.parametrize("module", ["benchmark", "catalogue", "command", "n_four_bar"])
def test_the_examples_of(module):
    outcome = doctest.testmod(importlib.import_module(f"chasles.studies.library.{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0


def test_names_are_found_whatever_their_case():
    assert {"A01", "A02", "A02-40", "A03", "A04", "A05"} <= set(ch.library.names())
    assert [benchmark.name for benchmark in ch.library] == list(ch.library.names())
    assert len(ch.library) == len(ch.library.names())
    assert ch.library.get("a03") is ch.library.get("A03")


@pytest.mark.parametrize("name", ["A3", "", "squeezer", 3, None])
def test_an_unknown_name_is_refused_with_those_that_are_known(name):
    with pytest.raises(ch.UnknownName, match="A03"):
        ch.library.get(name)


@pytest.mark.parametrize("benchmark", tuple(ch.library), ids=lambda b: b.name)
def test_every_benchmark_says_what_it_is(benchmark):
    assert benchmark.title and len(benchmark.source) > 40 and len(benchmark.about) > 100
    assert benchmark.about.endswith(".") and benchmark.parameters
    for value, unit in benchmark.parameters.values():
        assert np.all(np.isfinite(value)) and isinstance(unit, str)


@pytest.mark.parametrize("benchmark", ALL)
def test_degrees_of_freedom_are_six_per_body_less_the_rank(benchmark):
    model = benchmark.model()
    rank = np.linalg.matrix_rank(ch.equations(model).jacobian, tol=1e-9)
    assert benchmark.freedom == 6 * len(model.bodies) - rank


@pytest.mark.parametrize("benchmark", ALL)
def test_a_short_run_is_checked_and_drawn(benchmark, tmp_path):
    result = benchmark.run(until=20 * benchmark.step, save_every=1)
    checks = benchmark.check(result)
    assert checks and all(check.passed for check in checks), checks_table(checks)
    drawn = benchmark.picture(result, tmp_path / "picture.png")
    assert drawn.read_bytes().startswith(b"\x89PNG")


def test_a_check_that_is_not_a_number_fails():
    assert not Check("energy", float("nan"), 1.0, "J").passed
    assert "FAILED" in checks_table([Check("energy", 2.0, 1.0, "J")])
    assert "FAILED" in str(Check("energy", 2.0, 1.0, "J"))


# --- the command ---


def test_the_command_lists_all(capsys):
    assert main(["library"]) == 0
    output = capsys.readouterr().out
    assert all(benchmark.title in output for benchmark in ch.library)


def test_the_command_runs_one(tmp_path, capsys):
    assert main(["library", "a01", "--out", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "Simple pendulum" in output and "passed" in output and "9.81 m/s²" in output
    assert (tmp_path / "A01.png").exists()
    assert 30_000 < (tmp_path / "A01.html").stat().st_size < 300_000
    assert ch.load(tmp_path / "A01.nc").t[-1] == 10.0


def only(monkeypatch, **changes) -> None:
    """A library of one short pendulum, changed."""
    pendulum = dataclasses.replace(ch.library.get("A01"), until=0.1, **changes)
    monkeypatch.setattr(command, "library", Library((pendulum,)))


def test_a_check_that_fails_is_the_exit_code(tmp_path, capsys, monkeypatch):
    only(monkeypatch, checks=lambda result: [Check("patience", 2.0, 1.0, "s")])
    assert main(["library", "A01", "--out", str(tmp_path)]) == 1
    assert "FAILED" in capsys.readouterr().out
    assert main(["library", "all", "--out", str(tmp_path)]) == 1
    assert "A01: patience: 2 s" in capsys.readouterr().out


def test_the_command_writes_the_page_of_all(tmp_path, capsys, monkeypatch):
    only(monkeypatch)
    assert main(["library", "all", "--out", str(tmp_path)]) == 0
    assert "1 benchmarks, 4 checks, 0 of them failed" in capsys.readouterr().out
    text = (tmp_path / "library.md").read_text("utf-8")
    assert "## A01: Simple pendulum" in text and "images/library/A01.png" in text
    assert (tmp_path / "images" / "library" / "A01.png").exists()
    assert 'src="films/A01.html"' in text and (tmp_path / "films" / "A01.html").exists()


@pytest.mark.parametrize("name, words", [("A07", "A01"), ("", "A01")])
def test_a_wrong_name_gives_one_line_and_exit_code_2(name, words, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["library", name, "--out", str(out)]) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and words in output.err
    assert not out.exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["library", "A01", "--out", str(tmp_path / "file" / "out")]) == 2
    assert capsys.readouterr().err.startswith("chasles: cannot write to --out")


def test_the_page_has_every_benchmark():
    text = page({benchmark.name: [] for benchmark in ch.library})
    assert all(f"## {b.name}: {b.title}" in text and b.about in text for b in ch.library)
    assert command.IMAGES.as_posix() in text
