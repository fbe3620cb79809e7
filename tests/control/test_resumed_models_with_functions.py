"""A recorded run of a model with functions goes on with that model, and with no other."""

import subprocess
import sys

import numpy as np
import pytest

import chasles as ch


def model(gain=2.0, mass=1.0, push=None):
    arm = ch.Body.rod("arm", length=1.0, mass=mass, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
    effort = push or (lambda t: gain * np.sin(3.0 * t))
    return ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=effort)], gravity=(0, 0, 0))


OTHERS = {
    "a number that its function uses": model(gain=3.0),
    "a mass": model(mass=2.0),
    "a function": model(push=lambda t: 2.0 * np.cos(3.0 * t)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_model_with_functions_does_not_go_on(other, tmp_path, refusal):
    folder = tmp_path / "run"
    ch.simulate(model(), 0.1, 1e-2, into=folder)
    message = refusal(
        lambda: ch.simulate(OTHERS[other], 0.2, 1e-2, into=folder, resume=True), ch.InvalidOption
    )
    assert "was begun with another model" in message and "a function of the model" in message
    assert len(ch.load(folder, model=model()).t) == 11


def test_the_same_model_made_again_goes_on_with_the_same_bits(tmp_path):
    ch.simulate(model(), 0.1, 1e-2, into=tmp_path / "run")
    resumed = ch.simulate(model(), 0.2, 1e-2, into=tmp_path / "run", resume=True)
    whole = ch.simulate(model(), 0.2, 1e-2)
    assert np.array_equal(resumed.coordinate("hinge"), whole.coordinate("hinge"))


@pytest.mark.parametrize("name", ["run", "run.nc"])
def test_a_model_that_is_brought_along_and_is_another_one_is_told(name, tmp_path, recwarn):
    ch.simulate(model(), 0.1, 1e-2, into=tmp_path / "run").save(tmp_path / "run.nc")
    ch.load(tmp_path / name, model=model())
    assert not recwarn.list
    for other in OTHERS.values():
        with pytest.warns(ch.ChaslesWarning, match="is not the one of.*the model given") as caught:
            ch.load(tmp_path / name, model=other)
        assert caught[0].filename == __file__


SCRIPT = """
import sys
import numpy as np
import chasles as ch

arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
rates = {"slow": 3.0}

def push(t):
    return 2.0 * np.sin(rates["slow"] * t)

model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=push)])
print(len(ch.simulate(model, float(sys.argv[2]), 1e-2, into=sys.argv[1], resume=True).t))
"""


def test_another_process_goes_on(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    for until, states in (("0.1", "11"), ("0.2", "21")):
        command = [sys.executable, str(path), str(tmp_path / "run"), until]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.stdout.strip() == states, done.stderr
