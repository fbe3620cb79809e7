"""The commands on model files: what they print, write and refuse, and their exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import chasles as ch
from chasles.cli import main
from chasles.cli.declared import declared
from chasles.model.tables import small
from chasles.run.one_run import Interrupted
from chasles.run.options import PLAIN, Options, meanings
from chasles.run.recorded import COMMIT, SEGMENTS

TOP = Path(__file__).parents[2] / "examples" / "heavy_top.toml"
ENERGY = 13972.399  # J, of the top in the paper


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_writes_the_result_of_the_same_run_in_python(in_folder, capsys):
    assert main(["run", str(TOP), "--until", "0.1", "--method", "dopri5"]) == 0
    printed = capsys.readouterr().out
    assert "pivot" in printed and printed.endswith("out/heavy_top/result.nc\n")
    kept = ch.load(in_folder / "out/heavy_top/result.nc")
    same = ch.simulate(ch.read_model(TOP), until=0.1, step=1e-3, method="dopri5")
    assert np.array_equal(kept.position("top"), same.position("top"))


def test_run_lists_couplings_beside_joints(in_folder, capsys):
    wheels = [
        ch.Body.cylinder(name, 0.1, 0.02, mass=1.0, axis="z", position=(0.3 * k, 0, 0))
        for k, name in enumerate(("sun", "planet"))
    ]
    pins = [ch.Revolute(f"{w.name} pin", ch.GROUND, w, w.position, "z") for w in wheels]
    mesh = ch.Coupling("mesh", {"sun pin": 1, "planet pin": (2, 0.3)})
    push = ch.Load("push", "sun", torque=(0, 0, 1))
    ch.Model(wheels, [*pins, mesh], [push]).write("gears.toml", run={"until": 0.1, "step": 0.01})
    assert main(["run", "gears.toml", "--quiet"]) == 0
    said = capsys.readouterr().out
    worst = ch.load("out/gears/result.nc").violation("mesh").max()
    assert f"  mesh: error of the coupling at most {small(worst)}" in said
    assert main(["run", "gears.toml", "--json", "--out", "again"]) == 0
    assert json.loads(capsys.readouterr().out)["couplings"] == {"mesh": worst}


def test_the_file_says_how_to_run(in_folder, capsys):
    assert main(["run", str(TOP), "--json", "--out", "here"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "finished" and found["until"] == 1.0 and found["step"] == 1e-3
    assert found["energy"]["start"] == pytest.approx(ENERGY, abs=1e-3)
    assert found["joints"]["pivot"]["m"] < 1e-12
    assert Path(found["files"]["result"]).is_file()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["run", "no.toml"], "no file"),
        (["run", str(TOP), "--step", "-1"], "step"),
        (["run", str(TOP), "--step", "1e-12"], "steps"),
        (["run", str(TOP), "--step", "1ms"], "--step must be a number, got '1ms'. Give it in SI"),
        (["run", str(TOP), "--save-every", "0.5"], "--save-every must be a whole number"),
        (["simulate", str(TOP)], "there is no command 'simulate'. Known: 'run'"),
        (["run", str(TOP), "--until", "nan"], "until"),
        (["run", str(TOP), "--spaces", "SE4"], "SE4"),
        (["run", str(TOP), "--method", "rk5"], "rk4"),
        (["run", str(TOP), "--out", str(TOP / "x")], "--out"),
        (["run", str(TOP), "--colour", "red"], "--colour"),
        (["run"], "FILE"),
        (["compare", str(TOP), "--spaces", "SE4"], "SE4"),
        (["advise", str(TOP), "--target", "0"], "target"),
        (["designate", "no.toml"], "no file"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(arguments, words, in_folder, capsys):
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse
        code = stop.code
    printed = capsys.readouterr()
    assert code == 2 and printed.out == ""
    assert printed.err.startswith("chasles: ") and printed.err.count("\n") == 1
    assert words in printed.err


@pytest.mark.parametrize("wanted", ["tol = 1e-6", "rtol = 1e-8", 'method = "auto"'])
def test_a_file_may_ask_for_an_accuracy_instead_of_a_step(wanted, in_folder, capsys):
    text = TOP.read_text("utf-8")
    assert "step_ms = 1\n" in text
    Path("top.toml").write_text(text.replace("step_ms = 1\n", f"{wanted}\n"), "utf-8")
    assert main(["run", "top.toml", "--until", "0.05"]) == 0
    assert "dop853" in capsys.readouterr().out
    assert main(["run", "top.toml", "--until", "0.1", "--resume"]) == 2
    assert "is finished" in capsys.readouterr().err
    scipy = ["--method", "scipy RK45", "--rtol", "1e-6"]
    assert main(["run", "top.toml", "--until", "0.1", *scipy]) == 0
    assert main(["run", "top.toml", "--until", "0.1", *scipy, "--resume"]) == 2
    assert "cannot be resumed" in capsys.readouterr().err


def test_tol_takes_the_place_of_the_step_in_the_file(in_folder, capsys):
    assert main(["run", str(TOP), "--until", "0.05", "--tol", "1e-6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "dop853"


def test_a_file_without_a_run_asks_for_one(in_folder, capsys):
    text = TOP.read_text("utf-8").replace("until = 1\n", "")
    Path("top.toml").write_text(text, "utf-8")
    assert main(["run", "top.toml"]) == 2
    assert "--until" in capsys.readouterr().err
    assert main(["compare", "top.toml"]) == 2
    assert not Path("out").exists()


def test_a_run_that_cannot_go_on_keeps_its_result_and_fails(in_folder, capsys):
    """Drag that grows with the square of the speed, in steps too long for it, blows up."""
    ball = ch.Body.sphere("ball", 1.0, 1.0, velocity=(1e3, 0, 0))
    model = ch.Model([ball], forces=[ch.Drag("air", ball, quadratic=1.0)])
    model.write("ball.toml", run={"until": 10.0, "step": 0.1})
    assert main(["run", "ball.toml", "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["status"] == "stopped" and "'ball'" in printed.err
    assert ch.load("out/ball/result.nc").status == "stopped"


def test_designate_compare_and_advise_print_what_python_prints(in_folder, capsys):
    model = ch.read_model(TOP)
    assert main(["designate", str(TOP)]) == 0
    assert capsys.readouterr().out == f"{ch.designate(model)}\n"
    assert main(["designate", str(TOP), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bodies"][0]["group"] == "subgroup"
    arguments = ["compare", str(TOP), "--until", "0.02", "--spaces", "SE3", "SO3xR3"]
    assert main([*arguments, "--plot", "c.svg"]) == 0
    assert "SO3xR3" in capsys.readouterr().out and Path("c.svg").is_file()
    assert main([*arguments, "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["candidates"]) == {"SE3", "SO3xR3"}
    enough = ["--target", "1e-3", "--energy", "1e-2", "--budget", "5"]
    assert main(["advise", str(TOP), "--until", "0.02", *enough, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["met"]
    impossible = ["--target", "1e-3", "--energy", "1e-30", "--budget", "0.01"]
    assert main(["advise", str(TOP), "--until", "0.02", *impossible]) == 1


def test_the_doctor_finds_everything_or_names_it(capsys, monkeypatch):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["good"] and {c["check"] for c in found["checks"]} >= {"python", "a run"}
    monkeypatch.setattr("chasles.cli.doctor.NEEDED", ("numpy", "no-such-package"))
    assert main(["doctor"]) == 1
    assert "BAD   packages: not installed: no-such-package" in capsys.readouterr().out


def test_import_writes_a_model_file_and_says_what_it_has_not(in_folder, capsys):
    pytest.importorskip("mujoco")
    robot = Path(__file__).parents[1] / "io" / "robots" / "left_out.xml"
    assert main(["import", str(robot)]) == 0
    printed = capsys.readouterr().out
    assert "note: contacts" in printed and printed.endswith("left_out.toml\n")
    assert ch.read_model("left_out.toml") == ch.read_model(robot)
    assert main(["import", str(robot), "--out", "r.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bodies"] == 4  # one a frame between two joints
    assert main(["import", "left_out.toml"]) == 2


def test_export_has_the_options_of_a_page(in_folder, capsys):
    top = ch.Body.box("top", (0.1, 0.2, 0.4), mass=1.0, position=(0.5, 0, 0))
    pivot = ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))
    ch.Model([top], [pivot]).write("heavy_top.toml")
    asked = ["export", "heavy_top.toml", "--out", "page.html", "--until", "0.1"]
    assert main([*asked, "--sliders", "gravity=0:20", "top.mass=0.5:2"]) == 0
    assert "<title>Heavy top</title>" in Path("page.html").read_text("utf-8")
    assert main([*asked, "--title", "A & B", "--spaces", "SE3", "SO3xR3",
                 "--stabilise", "projection"]) == 0  # fmt: skip
    assert "<title>A &amp; B</title>" in Path("page.html").read_text("utf-8")
    capsys.readouterr()
    assert main([*asked, "--sliders", "gravity"]) == 2
    assert "PATH=LOW:HIGH, got 'gravity'" in capsys.readouterr().err


def test_a_film_of_a_saved_run_is_named_after_its_model(in_folder):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    run = ch.simulate(ch.Model([ball]), until=0.1, step=0.01)
    Path("out/big_ball").mkdir(parents=True)
    for saved, title in (("out/big_ball/result.nc", "Big ball"), ("thrown.nc", "Thrown")):
        run.save(saved)
        assert main(["view", saved, "--out", "film.html"]) == 0
        assert f"<title>{title}</title>" in Path("film.html").read_text("utf-8")


BOT = """<mujoco><option timestep="{step}"/><worldbody>
  <geom name="ground" type="plane" size="5 5 0.1"/>
  <body name="trunk" pos="0 0 0.5"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="5"/>
    <body name="leg" pos="0.1 0 -0.05">
      <joint name="hip" type="hinge" axis="0 1 0" {hinge}/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="1"/>
    </body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "hinge, contacts, wanted",
    [
        ("", "none", {"until": 5.0, "step": 0.002}),
        ('range="-30 30" limited="true"', "none", {"until": 5.0, "rtol": 1e-6, "atol": 1e-8}),
        ('damping="0.5"', "planes", {"until": 5.0, "rtol": 1e-6, "atol": 1e-8}),
    ],
)
def test_what_import_writes_runs_and_keeps_its_energy(in_folder, capsys, hinge, contacts, wanted):
    pytest.importorskip("mujoco")
    Path("bot.xml").write_text(BOT.format(step=0.002, hinge=hinge))
    assert main(["import", "bot.xml", "--contacts", contacts]) == 0
    assert "next: chasles run bot.toml  (until = 5" in capsys.readouterr().out
    assert ch.read_run("bot.toml") == wanted
    assert main(["run", "bot.toml", "--until", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["energy"]["largest_error"] < 1e-5 * 60.0  # J that fall
    if "rtol" in wanted:
        assert main(["run", "bot.toml", "--until", "0.1", "--step", "1e-3", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["step"] == 1e-3


@pytest.mark.parametrize("command", [name for name in declared() if " " not in name])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0 and "usage: chasles" in capsys.readouterr().out


def words_in_help():
    """Option and word, as --help of a run shows them in quotes."""
    for name, text in meanings(Options).items():
        shown = re.sub(r"\(.*?\)", "", " ".join(text.split()).partition(". ")[0])
        if name in PLAIN:
            yield from ((f"--{name}", word) for word in re.findall(r'"(\w+)"', shown))


@pytest.mark.parametrize("option, word", list(words_in_help()))
def test_a_run_takes_the_words_that_help_shows(option, word, in_folder):
    options = ["--until", "2e-3", "--step", "1e-3", "--quiet", option, word]
    assert main(["run", str(TOP), *options]) == 0


def test_the_command_line_takes_the_stabiliser_of_a_file_back(in_folder, capsys):
    table = TOP.read_text().replace("[run]", '[run]\nstabilise = "projection"')
    Path("held.toml").write_text(table)
    for given, found in (([], "projection"), (["--stabilise", "none"], "none")):
        options = ["--until", "2e-3", "--step", "1e-3", "--json", "--spaces", "SO3xR3"]
        assert main(["run", "held.toml", *options, *given]) == 0
        assert json.loads(capsys.readouterr().out)["stabilise"] == found


def test_warnings_name_no_line_of_our_code(in_folder, monkeypatch, capsys):
    (in_folder / "far.toml").write_text(
        "[run]\nuntil = 0.01\nstep = 1e-3\nstart = { hinge = 90 }\n"
        '[[bodies]]\nkind = "rod"\nname = "arm"\nlength = 1\nmass = 1\n'
        '[[joints]]\nkind = "revolute"\nname = "hinge"\na = "ground"\nb = "arm"\n'
        'at = [0, 0, 0]\naxis = "y"\n'
    )
    before = warnings.formatwarning

    def shown(message, category, *place):
        print(warnings.formatwarning(message, category, *place[:2]), file=sys.stderr)

    with monkeypatch.context() as patch:
        patch.setattr(warnings, "showwarning", shown)
        assert main(["run", "far.toml", "--quiet"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("chasles: warning: start of joint 'hinge'") and ".py" not in said
    assert warnings.formatwarning is before


def test_ctrl_c_keeps_a_result_that_can_be_used(tmp_path):
    command = [sys.executable, "-m", "chasles", "run", str(TOP), "--until", "9e4", "--step", "1e-3",
               "--save-every", "1000", "--out", str(tmp_path / "out")]  # fmt: skip
    run = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    begun, deadline = tmp_path / "out" / SEGMENTS / COMMIT, time.monotonic() + 120
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.02)  # into its steps, which take minutes
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 130, errors
    assert "is saved" in errors and "Traceback" not in errors
    kept = ch.load(tmp_path / "out" / "result.nc")
    assert kept.status == "interrupted" and 0 < kept.t[-1] < 9e4
    assert kept.violation("pivot").max() < 1e-9


@pytest.mark.parametrize("t_eval", [None, np.linspace(0, 1e5, 11)])
def test_in_python_the_interrupt_carries_the_result(t_eval):
    model = ch.read_model(TOP)
    whole = ch.simulate(model, until=0.1, step=1e-3)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        ch.simulate(model, until=1e5, step=1e-3, save_every=100, t_eval=t_eval, progress=False)
    timer.join()
    assert isinstance(caught.value, Interrupted) and "interrupted" in str(caught.value)
    result = caught.value.result
    assert result.status == "interrupted" and 0 < result.t[-1] < 1e5
    if t_eval is None:
        assert np.array_equal(result.position("top")[1], whole.position("top")[-1])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("other", "ours"), [("--dt", "--step"), ("--tend", "--until")])
def test_names_of_other_programs_are_translated_on_the_command_line(other, ours, capsys):
    assert main(["run", "model.toml", other, "0.1"]) == 2
    assert f"Did you mean '{ours}'" in capsys.readouterr().err
