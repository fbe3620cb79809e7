"""Functions that a script defines: worker processes find them, or the sweep says why not."""

import subprocess
import sys
import threading
import types

import pytest
from mechanisms import heavy_top

import chasles as ch
from chasles.build.fingerprints import model_fingerprint
from chasles.many.sweeps.work import measure_fingerprint, reached_by

HEAD = """
import chasles as ch

arm = ch.Body.rod("arm", mass=3.0, between=((0, 0, 0), (1, 0, 0)))
hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")

def pull(t):
    return 2.0

def turned(run):
    return {"angle": run.coordinate("hinge")[-1]}

model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=pull)], gravity=(0, 0, 0))
"""
SWEEP = """ch.sweep(model, {"arm.mass": [3.0, 6.0]}, 1.0, 1e-2, measure=turned, workers=1)"""


def run_script(path, text):
    path.write_text(text)
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)


def test_a_force_and_a_measure_of_the_script_are_found(tmp_path):
    guarded = f"if __name__ == '__main__':\n    print({SWEEP}.values('angle').values.tolist())\n"
    done = run_script(tmp_path / "script.py", HEAD + guarded)
    assert done.returncode == 0, done.stderr
    found = [float(word) for word in done.stdout.strip("[]\n").split(",")]
    # M t^2 / 2 I, and I = 0.25 + m / 4 in kg m^2: a mass that is varied keeps the inertia
    assert found == pytest.approx([2.0 / 2 / 1.0, 2.0 / 2 / 1.75])


def test_a_class_of_the_script_may_be_that_of_what_is_varied(tmp_path):
    words = "import enum\nclass Method(str, enum.Enum):\n    A, B = 'rk4', 'heun'\n"
    run = "ch.sweep(model, {'method': [*Method]}, 0.1, 1e-2, workers=1)"
    guarded = f"if __name__ == '__main__':\n    print({run}.frame().status.tolist())\n"
    done = run_script(tmp_path / "script.py", HEAD + words + guarded)
    assert done.stdout == "['finished', 'finished']\n", done.stderr


def test_a_script_without_a_guard_is_told_so_and_ends(tmp_path):
    ended = run_script(tmp_path / "script.py", HEAD + SWEEP)
    assert ended.returncode == 1
    assert 'under `if __name__ == "__main__":`' in ended.stderr.strip().splitlines()[-1]


def test_a_function_of_a_session_is_refused():
    text = HEAD + SWEEP
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert "the measure has a function that was defined in this session" in ended.stderr


@pytest.mark.parametrize("what", ["measure", "model", "option"])
def test_a_function_that_cannot_be_sent_is_refused_by_what_has_it(what):
    top = heavy_top()
    held = ch.Load("held", "top", force=lambda t: (0.0, 0.0, 9.81))
    given = {
        "measure": {"measure": lambda run: {"t": run.t[-1]}},
        "option": {"options": {"events": [lambda t, state: t - 0.05]}},
    }.get(what, {})
    model = top.with_parts(forces=[held]) if what == "model" else top
    with pytest.raises(ch.InvalidOption, match=f"{what} cannot be sent to other processes"):
        ch.sweep(model, {"top.mass": [1.0, 2.0]}, 0.1, 1e-2, workers=1, **given)


t, velocity = threading.Lock(), threading.Lock()  # cannot be compared, and no measure uses them


def last(run):
    return {"end": run.t[-1], "speed": max(abs(v).max() for v in run.velocity("top"))}


def test_an_attribute_is_not_taken_for_a_name_of_the_module():
    assert reached_by(last) == ("last",)
    assert measure_fingerprint(last, needed=True)


GAIN = 1.0


def in_a_class(run):
    class Scale:
        gain = GAIN

    return {"x": Scale.gain * run.t[-1]}


def test_what_a_class_in_a_measure_takes_from_its_module_counts(monkeypatch):
    known = measure_fingerprint(in_a_class)
    assert reached_by(in_a_class) == ("in_a_class", "GAIN")
    monkeypatch.setitem(globals(), "GAIN", 2.0)
    assert measure_fingerprint(in_a_class) != known


def test_a_model_with_a_function_of_a_module_without_a_file_has_a_fingerprint(monkeypatch):
    """As in programs that are packed with their Python."""
    packed = types.ModuleType("packed")
    packed.__file__ = "/nowhere/packed.py"
    monkeypatch.setitem(sys.modules, "packed", packed)
    monkeypatch.setitem(globals(), "packed", packed)
    packed.push = lambda t: t

    def pushed(t):
        return (packed.push(t), 0.0, 0.0)

    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    assert model_fingerprint(ch.Model([ball], forces=[ch.Load("push", ball, force=pushed)]))


@pytest.mark.parametrize(
    "wave, known",
    [
        (ch.Signal.sine(0.1, 2.0), "e21a60d3ec703d04"),
        (ch.Signal.linear(1.0), "46a253c2c032063f"),
        (ch.Signal.ramp(1.0, 2.0, 0.1), "043095cb94d312e6"),
        (ch.Signal.table([0, 1, 2], [0, 1, 0]), "609cd03bf207b295"),
        (ch.Signal.expression("t^2"), "0fb403c04c734623"),
    ],
)
def test_runs_with_waves_that_were_kept_before_are_known_again(wave, known):
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("h", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    model = ch.Model([rod], [hinge], drivers=[ch.Driver("d", hinge, wave)])
    assert model_fingerprint(model) == known
