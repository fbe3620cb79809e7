"""Mistakes of a first day: each message names the thing, the value, the rule and the remedy."""

import numpy as np
import pytest

import chasles as ch
from chasles.model.keywords import OF_SIMULATE
from chasles.run.options import Options

ARM = ch.Body.rod("arm", mass=3.0, between=((0, 0, 0), (1, 0, 0)), radius=0.02)
HINGE = ch.Revolute("hinge", ch.GROUND, ARM, at=(0, 0, 0), axis="y")
MODEL = ch.Model([ARM], [HINGE])
DRIVEN = MODEL.with_parts(forces=[ch.Motor("motor", HINGE, effort=0.0)])


def run(model=MODEL, **options):
    return ch.simulate(model, **{"until": 0.1, "step": 1e-2, **options})


def looks_elsewhere(t, state):
    return {"motor": state.coordinate("hing")}


MISTAKES = {
    "the ground by another name": (
        lambda: ch.Model([ARM], [ch.Revolute("h", "world", ARM, at=(0, 0, 0), axis="y")]),
        ["joint 'h'", "'world'", "Did you mean 'ground'?", "Known: 'ground', 'arm'"],
    ),
    "gravity as one number": (
        lambda: ch.Model([ARM], [HINGE], gravity=9.81),
        ["gravity must be a vector of three numbers, got the number 9.81", "(x, y, z)"],
    ),
    "two numbers for a place": (
        lambda: ch.Body.box("b", (1, 1, 1), mass=1, position=(1, 2)),
        ["body 'b': position must be a vector", "got shape (2,): [1.0, 2.0]"],
    ),
    "inertia as one number": (
        lambda: ch.Body("b", mass=1, inertia=0.1),
        ["body 'b': inertia must be", "got the number 0.1", "three principal moments"],
    ),
    "an axis without its angle": (
        lambda: ch.Body.box("b", (1, 1, 1), mass=1, rotation=("z",)),
        ["body 'b': rotation is ('z',)", "('z', angle)", "rad"],
    ),
    "gains of another program": (
        lambda: ch.Servo("s", HINGE, target=1.0, kp=10.0),
        ["Servo 's'", "'kp'", "Did you mean 'stiffness'?"],
    ),
    "torque of a motor": (
        lambda: ch.Motor("m", HINGE, torque=1.0),
        ["Motor 'm'", "'torque'", "Did you mean 'effort'?"],
    ),
    "an option of the runs of a sweep": (
        lambda: ch.sweep(MODEL, {"arm.mass": [1.0]}, 0.1, 1e-2, stabilise="projection"),
        ["sweep", "'stabilise'", "Give options={'stabilise': ...}"],
    ),
    "an option that ensembles do not have": (
        lambda: ch.ensemble(MODEL, {"arm.mass": [1.0]}, 0.1, rtol=1e-6),
        ["ensemble", "'rtol'", "'rtol' is an option of simulate."],
    ),
    "a list of coordinates to start at": (
        lambda: run(start=[0.1]),
        ["start must be a State", "dict of joint coordinates", "{'elbow': 0.3}", "got [0.1]"],
    ),
    "an interval for the times to save": (
        lambda: run(t_eval=0.01),
        ["t_eval must be an increasing list", "got 0.01", "save_every=10"],
    ),
    "a controller that asks for a joint that is not there": (
        lambda: run(DRIVEN, controller=looks_elsewhere),
        ["controller: there is no joint 'hing'", "Did you mean 'hinge'?"],
    ),
    "an event of time alone": (
        lambda: run(events=[lambda t: t - 0.05]),
        ["event '<lambda>' raised TypeError", "Give function(t, state) that returns a number"],
    ),
    "the effort of a joint": (
        lambda: run().effort("hinge"),
        ["'hinge': it is a joint", "Drivers and forces along its coordinate", "it has none"],
    ),
    "axes of a joint": (
        lambda: ch.linearise(MODEL, axes="hinge"),
        ["linearise: axes: there is no frame 'hinge'", "Known: 'body', 'world', 'arm'"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_remedy(mistake, refusal):
    call, words = MISTAKES[mistake]
    message = refusal(call, ch.ChaslesError)
    for word in words:
        assert word in message


def test_models_and_runs_are_read_by_functions_of_their_own(tmp_path, refusal):
    saved = run().save(tmp_path / "arm.nc")
    assert "load reads saved runs" in refusal(lambda: ch.read_model(saved), ch.InvalidFile)
    path = MODEL.write(tmp_path / "arm.toml")
    assert "read_model reads models" in refusal(lambda: ch.load(path), ch.InvalidFile)


def test_the_options_that_only_simulate_takes_are_options():
    assert set(Options.__dataclass_fields__) >= set(OF_SIMULATE)


def test_a_file_that_is_not_there_is_not_mistaken_for_one_of_another_kind(tmp_path, refusal):
    (tmp_path / "arm.html").write_text("")
    message = refusal(lambda: ch.read_model(tmp_path / "arm.toml"), ch.InvalidFile)
    assert "arm.html" not in message
    (tmp_path / "arms.toml").write_text("")
    message = refusal(lambda: ch.read_model(tmp_path / "arm.toml"), ch.InvalidFile)
    assert "Did you mean 'arms.toml'?" in message


@pytest.mark.parametrize(
    "right, wrong, words",
    [
        ("[[joints]]", "[joints]", ["joints must be a list", "[[joints]]"]),
        ('name = "hinge"\n', "", ["joints[0] has no 'name'", "Give name = ..."]),
        ("mass = 3.0", "mass_g = 3e3\nmass = 3.0", ["given twice, as mass_g and as mass"]),
    ],
)
def test_tables_of_a_file_that_are_wrong_say_how_they_are_written(
    right, wrong, words, tmp_path, refusal
):
    path = MODEL.write(tmp_path / "arm.toml")
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong))
    message = refusal(lambda: ch.read_model(path), ch.ChaslesError)
    for word in words:
        assert word in message


def test_a_model_given_to_sweep_files_is_told_from_a_sweep(tmp_path, refusal):
    from chasles.io.sweep_files import read_sweep

    path = MODEL.write(tmp_path / "arm.toml")
    message = refusal(lambda: read_sweep(path), ch.InvalidFile)
    assert "it is a model, not a sweep" in message and 'model = "arm.toml"' in message


def test_a_taut_chain_that_is_driven_is_told_that_its_pose_may_be_singular():
    links = [ch.Body.rod(f"l{k}", mass=0.2, between=((0.2 * k, 0, 0), (0.2 * k + 0.2, 0, 0)))
             for k in range(3)]  # fmt: skip
    before = [ch.GROUND, *links]
    balls = [ch.Spherical(f"s{k}", before[k], links[k], at=(0.2 * k, 0, 0)) for k in range(3)]
    hand = ch.PointDriver("hand", links[-1], at=(0.6, 0, 0), direction="x",
                          motion=ch.Signal.ramp(-0.2, duration=1.0))  # fmt: skip
    with pytest.raises(ch.SimulationStopped, match="the pose singular") as stopped:
        run(ch.Model(links, balls, drivers=[hand]), until=1.0)
    assert "driver 'hand' contradicts the joints" in str(stopped.value)
    assert np.isfinite(stopped.value.result.position("l0")).all()
