"""Files of sweeps, and the command that runs them."""

import csv
import json
import re
from pathlib import Path

import pytest

import chasles as ch
from chasles.cli import main
from chasles.io.sweep_files import read_sweep
from chasles.many.sweeps.sweep import check_steps_are_chosen

EXAMPLE = Path(__file__).parents[2] / "examples" / "sweep_top.toml"


def written(tmp_path, text):
    file = tmp_path / "study.toml"
    (tmp_path / "top.toml").write_text((EXAMPLE.parent / "heavy_top.toml").read_text())
    file.write_text('model = "top.toml"\nuntil = 0.01\nstep = 1e-3\n' + text)
    return file


def test_the_example_varies_what_it_says():
    asked = read_sweep(EXAMPLE)
    assert list(asked["vary"]) == ["top.angular_velocity", "spaces", "step"]
    assert asked["vary"]["step"] == pytest.approx([4e-3, 2e-3, 1e-3, 5e-4])


def test_the_command_runs_it_and_keeps_a_table(tmp_path, capsys):
    file = written(tmp_path, '[vary]\n"top.mass" = [1.0, 2.0]\n')
    assert main(["sweep", str(file), "--workers", "1", "--csv", str(tmp_path / "t.csv"),
                 "--json"]) == 0  # fmt: skip
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 3


def test_a_spreadsheet_finds_no_formula_in_the_table_of_a_sweep(tmp_path):
    file = written(tmp_path, '[vary]\n"=top.mass" = [1.0, 2.0]\nspaces = ["SE3", "=1+1"]\n')
    model = tmp_path / "top.toml"
    model.write_text(model.read_text().replace('"top"', '"=top"'))
    main(["sweep", str(file), "--workers", "1", "--csv", str(tmp_path / "t.csv")])
    rows = list(csv.reader((tmp_path / "t.csv").read_text().splitlines()))
    assert "'=top.mass" in rows[0] and len(rows) == 5
    assert any("'=1+1" in row for row in rows)
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[vary]\n"top.mass" = 1.0\n', r"must be a list of values or a range, got 1.0"),
        ("[vary]\ntop.mass = [1.0]\n", 'Write the path in quotes: "top.mass"'),
        ('[vary]\n"top.mass" = { from = 1.0, to = 2.0 }\n', "count"),
        ('[vary]\n"top.mass" = { from = -1.0, to = 2.0, count = 3, scale = "log" }\n', "log"),
        ('[vary]\n"top.mass" = { from = 1.0, to = inf, count = 3 }\n', "finite"),
        ('colour = "red"\n[vary]\n', "colour"),
        ("[models]\na = 'top.toml'\n[vary]\n", "neither one model"),
        ("vary = [", "not TOML"),
    ],
)
def test_nonsense_is_refused_with_its_place(tmp_path, text, words):
    with pytest.raises(ch.InvalidFile, match=words):
        read_sweep(written(tmp_path, text))


def test_an_unknown_parameter_is_refused_with_the_nearest(tmp_path, capsys):
    file = written(tmp_path, '[vary]\n"top.mas" = [1.0]\n')
    assert main(["sweep", str(file)]) == 2
    assert "top.mass" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[run]\ninto = "elsewhere"\n', "into"),
        ("[run]\nresume = true\n", "resume"),
        ('[run]\nprogress = "x"\n', "progress"),
        ("[run]\nmethod = 3\n", "method"),
        ("[run]\nuntil = 2.0\n", "twice"),
        ("[run]\nstep = 2.0\n", "twice"),
        ("step = [1e-12]\n", "1e.10 steps"),
        ("until = [1e9]\n", "1e.12 steps"),
        ("max_step = [1e-12]\n", "max_step is 1e-12 s"),
        ("[run]\nmax_step = 1e-12\n", "max_step is 1e-12 s"),
        ("step = [1e-9]\n'top.mass' = { from = 1.0, to = 2.0, count = 100000 }\n", "more than"),
        ("'top.mass' = { from = 1.0, to = 2.0, count = 1000000000 }\n", "1 to 1000000"),
        (
            "'top.mass' = { from = 1.0, to = 2.0, count = 10000 }\n"
            "'pivot.at' = { from = 1.0, to = 2.0, count = 10000 }\n",
            "combinations",
        ),
    ],
)
def test_a_sweep_asks_for_no_more_than_a_model_file_may(tmp_path, text, words, refusal):
    head = "" if text.startswith("[run]") else "[vary]\n"
    tail = "[vary]\n" if text.startswith("[run]") else ""
    message = refusal(lambda: read_sweep(written(tmp_path, head + text + tail)), ch.ChaslesError)
    assert "study.toml" in message and re.search(words, message)


def test_a_sweep_writes_nowhere_by_itself(tmp_path, capsys):
    text = f'[run]\ninto = "{tmp_path / "elsewhere"}"\n[vary]\n'
    assert main(["sweep", str(written(tmp_path, text))]) == 2
    assert not (tmp_path / "elsewhere").exists() and "into" in capsys.readouterr().err


def test_units_and_words_of_a_run_are_those_of_model_files(tmp_path):
    asked = read_sweep(written(tmp_path, "[run]\nstabilise = {alpha = 1.0, beta = 2.0}\n[vary]\n"))
    assert asked["options"]["stabilise"].alpha == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[vary]\nstep = [1e-3]\n", "Give until = 1.0"),
        ("until = 1.0\n", r"a table \[vary\]"),
        ("until = 1.0\n[vary]\n'top.mass' = [1.0]\n", "step was left out"),
        ("until = 1.0\n[vary]\nmethod = ['dopri5']\n", "step was left out"),
    ],
)
def test_what_every_run_needs_is_asked_for_before_any_is_made(tmp_path, capsys, text, words):
    file = written(tmp_path, "")
    file.write_text('model = "top.toml"\n' + text)
    assert main(["sweep", str(file), "--workers", "1"]) == 2
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({"step"}, []),
        ({"tol"}, ["rk4"]),
        ({"rtol", "until"}, ["dopri5"]),
        ({"until"}, [None, "auto"]),
    ],
)
def test_runs_with_a_step_or_an_accuracy_are_begun(given, chosen):
    check_steps_are_chosen(given, chosen)
