"""A run on one page, written by the command line."""

from pathlib import Path

import pytest

import chasles as ch
from chasles.cli import main
from chasles.view.run_report import write_report

EXAMPLE = Path(__file__).parents[2] / "examples" / "heavy_top.toml"


def test_a_run_from_a_file_leaves_a_page_with_film_numbers_and_plots(tmp_path, capsys):
    target = tmp_path / "out.html"
    arguments = [str(EXAMPLE), "--until", "0.1", "--out", str(tmp_path), "--report", str(target)]
    assert main(["run", *arguments]) == 0
    assert str(target) in capsys.readouterr().out
    text = target.read_text("utf-8")
    assert "<iframe srcdoc=" in text and text.count("<img ") == 5 and text.count('alt="') == 5
    assert "pivot" in text and "rk4" in text
    assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text


def test_a_report_is_a_page(tmp_path):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    result = ch.simulate(ch.Model([ball]), 0.01, step=1e-3)
    with pytest.raises(ch.InvalidOption, match=r"must end in \.html"):
        write_report(result, tmp_path / "run.pdf")
    assert write_report(result, tmp_path / "run.html").stat().st_size > 10_000
