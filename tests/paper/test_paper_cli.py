"""The command line: what it prints, what it refuses, what an interruption leaves behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chasles.cli import main
from chasles.result.atomic_file import write_text


def refused(arguments, capsys):
    """The one line on stderr of a refused command."""
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse
        code = stop.code
    output = capsys.readouterr()
    assert code == 2 and output.out == ""
    assert output.err.count("\n") == 1 and output.err.startswith("chasles: ")
    return output.err


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--step", "-1e-3"], "--step"),
        (["--step", "0"], "--step"),
        (["--step", "nan"], "--step"),
        (["--step", "soon"], "--step"),
        (["--step", "2"], "steps"),
        (["--step", "1e-9"], "steps"),
        (["--until", "-1"], "--until"),
        (["--until", "inf"], "--until"),
        (["--method", "rk5"], "rk4"),
        (["--example", "heavy-tpo"], "heavy-top"),
        (["--example", ""], "example"),
        (["--quick", "--full"], "--full"),
        (["--colour", "blue"], "--colour"),
    ],
)
def test_wrong_options_give_one_line_and_exit_code_2(arguments, words, tmp_path, capsys):
    out = tmp_path / "out"
    assert words in refused(["paper", "--out", str(out), *arguments], capsys)
    assert not out.exists()


def test_too_coarse_a_step_is_one_line(tmp_path, capsys):
    code = main(["paper", "--quick", "--example", "heavy-top", "--step", "0.02",
                 "--out", str(tmp_path)])  # fmt: skip
    errors = capsys.readouterr().err.splitlines()
    assert code == 2 and "--step" in errors[-1] and "smaller step" in errors[-1]
    assert not (tmp_path / "report.html").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert "file" in refused(["paper", "--out", str(tmp_path / "file" / "out")], capsys)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(tmp_path, capsys):
    tmp_path.chmod(0o555)
    assert "ermission" in refused(["paper", "--out", str(tmp_path / "out")], capsys)


def test_an_unknown_command_is_refused(capsys):
    refused(["papers"], capsys)
    refused([], capsys)


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert re.fullmatch(r"chasles \d+\.\d+\S*\n", capsys.readouterr().out)


def test_the_report_of_one_example_with_other_options(tmp_path, capsys):
    arguments = ["paper", "--quick", "--example", "floating-pair", "--step", "2e-3",
                 "--method", "dopri5", "--until", "0.2", "--out", str(tmp_path)]  # fmt: skip
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'report.html'}\n"
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["options"]["examples"] == ["floating-pair"]
    run = results["runs"]["floating-pair | SE3 | space | dopri5 | step 0.002 s | 0.2 s"]
    assert run["provenance"]["method"] == "dopri5" and run["gaps_m"]["joint"] < 1e-9
    assert {claim["key"] for claim in results["claims"]} == {
        "floating-alike", "floating-energy", "equivalent-otherwise", "more-complex"}  # fmt: skip


def test_the_quick_report_has_all_its_parts(quick_report):
    folder = quick_report.parent
    page = quick_report.read_text(encoding="utf-8")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    figures = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert {"story", "heavy-top-pivot", "three-bar-joint-3", "loop-identity"} <= figures
    assert all(f'id="{name}"' in page for name in figures)
    for claim in results["claims"]:
        assert f'id="{claim["figure"]}"' in page
        for measure in claim["measures"]:
            assert isinstance(measure["value"], float)
            assert all(run in results["runs"] for run in measure.get("runs", []))
    for run in results["runs"].values():
        provenance = run["provenance"]
        assert provenance["spaces"] and provenance["acceleration"] in ("space", "screw")
        assert provenance["method"] and provenance["step"] > 0 and provenance["versions"]


def test_an_interrupted_run_leaves_no_report(tmp_path):
    command = [sys.executable, "-m", "chasles", "paper", "--quick",
               "--until", "0.2", "--out", str(tmp_path)]  # fmt: skip
    run = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (tmp_path / "figures").is_dir() and time.monotonic() < deadline:
        time.sleep(0.01)  # until it has looked at its folder
    time.sleep(1.0)  # into its runs, which take several times as long
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert errors.rstrip().endswith("chasles: interrupted; no report was written.")
    assert "Traceback" not in errors
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"figures"}


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("the old report")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "the new report")
    assert path.read_text() == "the old report"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_full_disk_is_one_line(monkeypatch, capsys, tmp_path):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr("chasles.studies.paper.report.make_report", full)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "chasles: No space left on device: report.html\n"


def test_the_command_is_installed():
    script = Path(sys.executable).parent / "chasles"
    if not script.exists():
        pytest.skip("the package runs from its source folder here, not installed")
    outcome = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert outcome.stdout.startswith("chasles ")
