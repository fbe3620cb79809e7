"""A model written to a file and read back is the same model, to the bit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import models

import chasles as ch
from chasles.io.limits import LARGEST
from chasles.io.toml import document_of, parsed
from chasles.io.toml_text import text_of_document
from chasles.model.plain import to_plain

FILE = Path("model.toml")
TOP = """
gravity = [0, 0, 0]

[run]
until = 1
step_ms = 1

[[bodies]]
kind = "box"
name = "top"
size_mm = [100, 200, 400]
mass = 21.6
position = [0.5, 0, 0]
angular_velocity_rpm = [0, 600, 300]

[[joints]]
kind = "spherical"
name = "pivot"
a = "ground"
b = "top"
at = [0, 0, 0]
"""


def read(text):
    return parsed(text, FILE)


@settings(max_examples=60)
@given(models())
def test_writing_and_reading_is_the_identity(model):
    text = text_of_document(document_of(model))
    again, run = read(text)
    assert again == model and run == {}
    assert repr(to_plain(again)) == repr(to_plain(model))  # -0.0 is not 0.0
    assert text_of_document(document_of(again)) == text


def test_a_shape_keeps_a_negative_zero():
    box = ch.Box((1, 1, 1), position=(0.0, 0.0, -0.0))
    model = ch.Model([ch.Body("box", 1.0, (1, 1, 1), shapes=box)])
    again, _ = read(text_of_document(document_of(model)))
    assert repr(to_plain(again)) == repr(to_plain(model))


def test_a_body_may_be_drawn_thinner_than_a_solid_can_be():
    """Along the wire the moment is 2 (b / l)^2 = 8e-16 of those across: rounding."""
    wire = ch.Box((4e5, 0.008, 0.008))
    with pytest.raises(ch.ChaslesError, match="not positive definite"):
        ch.Body.box("wire", wire.size, mass=1.0)
    model = ch.Model([ch.Body("wire", 1.0, (2, 2, 2), shapes=wire)])
    again, _ = read(text_of_document(document_of(model)))
    assert again == model


def test_a_file_says_what_python_says():
    model, run = read(TOP)
    top = ch.Body.box(
        "top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
        angular_velocity=(0, 600 * np.pi / 30, 300 * np.pi / 30),
    )  # fmt: skip
    pivot = ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))
    assert model == ch.Model([top], [pivot], gravity=(0, 0, 0))
    assert run == {"until": 1, "step": 1e-3}


def test_a_run_of_a_file_gives_the_same_bits(tmp_path):
    model, run = read(TOP)
    again = ch.read_model(model.write(tmp_path / "top.toml", run=run))
    options = ch.read_run(tmp_path / "top.toml")
    assert options == {"until": 1.0, "step": 1e-3}
    first, second = (ch.simulate(m, until=0.01, step=1e-3) for m in (model, again))
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(first, name)("top"), getattr(second, name)("top"))


def test_solids_are_written_as_solids():
    model, _ = read(TOP)
    text = text_of_document(document_of(model))
    assert 'kind = "box"' in text and "inertia" not in text


def test_a_massless_frame_is_written_and_read_as_a_frame():
    model, _ = read(TOP)
    cross = ch.Body.frame("cross", position=(1, 0, 0), rotation=("z", 0.3))
    model = ch.Model([*model.bodies, cross], model.joints)
    text = text_of_document(document_of(model))
    assert 'kind = "frame"' in text and "inertia" not in text
    assert read(text)[0] == model


def test_options_of_a_run_survive(tmp_path):
    model, _ = read(TOP)
    run = {
        "until": 2.0, "step": 1e-2, "method": "dopri5", "save_every": 3, "t_eval": [0.0, 0.5],
        "spaces": {"top": ch.SO3xR3(at="pivot")}, "stabilise": ch.Baumgarte(1.0, 2.0),
        "close": True, "hold": ["top"],
    }  # fmt: skip
    by_body = {model.bodies[0]: run["spaces"]["top"]}
    model.write(tmp_path / "top.toml", run={**run, "spaces": by_body})
    assert ch.read_run(tmp_path / "top.toml") == run


@pytest.mark.parametrize(
    "run, said",
    [
        ({"untill": 1.0}, ["run", "'untill'", "Did you mean 'until'"]),
        ({"method": ch.Tableau([[0.0]], [1.0])}, ["run, method", "not data"]),
        ({"progress": True}, ["'progress'"]),
        (3, ["run must be a dict, got 3"]),
    ],
)
def test_what_is_not_data_is_not_written(run, said, tmp_path, refusal):
    model, _ = read(TOP)
    message = refusal(lambda: model.write(tmp_path / "top.toml", run=run), ch.ChaslesError)
    assert all(part in message for part in said)
    assert not list(tmp_path.iterdir())


def test_a_function_of_ones_own_is_refused_by_name(tmp_path, refusal):
    ball = ch.Body.sphere("ball", 1.0, 1.0)
    lift = ch.Load("lift", ball, force=lambda t: (0, 0, t))
    message = refusal(
        lambda: ch.Model([ball], forces=[lift]).write(tmp_path / "m.toml"), ch.InvalidModel
    )
    assert "force 'lift': force" in message and "Signal.expression" in message
    assert not list(tmp_path.iterdir())


def test_files_have_the_right_ending_and_a_folder(tmp_path, refusal):
    model, _ = read(TOP)
    assert ".toml" in refusal(lambda: model.write(tmp_path / "top.json"), ch.InvalidFile)
    assert "folder" in refusal(lambda: model.write(tmp_path / "no" / "top.toml"), ch.InvalidFile)
    assert "does not end" in refusal(lambda: ch.read_model(tmp_path / "top.txt"), ch.InvalidFile)
    assert "no file" in refusal(lambda: ch.read_model(tmp_path / "top.toml"), ch.InvalidFile)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("mass = 21.6", "mass = '21.6'", ["bodies[0]: body 'top': mass must be a number, got '21"]),
        ("mass = 21.6", "mass = true", ["bodies[0]: body 'top': mass must be a number, got True"]),
        ("mass = 21.6", "mass = -1", ["bodies[0]: body 'top'", "mass must be positive, got -1 kg"]),
        ("mass = 21.6", "mass_mm = 1", ["bodies[0]", "'mass_mm'", "mass_kg, mass_g, mass_t"]),
        ("mass = 21.6", "flavour = 1", ["bodies[0]", "'flavour'"]),
        ("mass = 21.6", "mass = 1\nmass_g = 1", ["bodies[0]: mass is given twice"]),
        ("mass = 21.6", "mass_g = 'a'", ["bodies[0], mass_g is 'a'", "no unit"]),
        ("mass = 21.6", "", ["bodies[0]", "mass is None and density is None"]),
        ("mass = 21.6", "mass = nan", ["bodies[0].mass must be finite, got nan"]),
        ("mass = 21.6", "mass = inf", ["bodies[0].mass must be finite, got inf"]),
        ("mass = 21.6", "mass = 1e999", ["bodies[0].mass must be finite, got inf"]),
        ("mass = 21.6", f"mass = 1{'0' * 400}", ["bodies[0]"]),
        ("mass = 21.6", "mass = 2026-01-01", ["bodies[0]: body 'top': mass", "a number"]),
        ("at = [0, 0, 0]", "at = [0, 0]", ["joints[0]: joint 'pivot'", "got shape (2,)"]),
        ("at = [0, 0, 0]", "at = [0, 0, 'x']", ["joints[0]: joint 'pivot'", "got [0, 0, 'x']"]),
        ("at = [0, 0, 0]", "", ["joints[0] has no 'at'"]),
        ('kind = "spherical"', 'kind = "sphericl"', ["joints[0]", "mean 'spherical'"]),
        ('kind = "spherical"', "", ["joints[0] has no 'kind'", "revolute"]),
        ('kind = "spherical"', 'kind = "coupling"', ["joints[0]", "belongs to [[drivers]]"]),
        ('kind = "spherical"', 'kind = "revolute"\naxis = "w"', ["joints[0]", "got 'w'", "'-z'"]),
        ('b = "top"', 'b = "topp"', ["joint 'pivot'", "'topp'", "Did you mean 'top'"]),
        ("until = 1", "until = 'x'", ["run.until must be a number, got 'x'"]),
        ("until = 1", "until = 1\nevents = ['x']", ["'events' is an option of simulate in Python"]),
        ("until = 1", "until = 1\ninto = 'x'", ["'into' is an option", "--out FOLDER"]),
        ("until = 1", "until = 1\nresume = true", ["'resume' is an option", "--resume"]),
        ("until = 1", "until = 1\nstart_deg = {pivot = 3}", ["'start_deg'", "in rad or m"]),
        ("until = 1", "until = 1\nstart = {pivot = 'x'}", ["run.start.pivot must be a number"]),
        ("until = 1", "until = 1\nt_eval = [1, 'x']", ["run.t_eval[1] must be a number, got 'x'"]),
        ("until = 1", "until = 1\nmax_step_mm = 1", ["'max_step_mm'", "max_step_ms"]),
        ("until = 1", "untill = 1", ["run", "'untill'", "Did you mean 'until'"]),
        ("until = 1", "until = 1e7", ["run", "1e+10 steps"]),
        ("until = 1", "until = 1\nspaces = {top = {grup = 'SE3'}}", ["'grup'"]),
        ("until = 1", "until = 1\nspaces = {top = {at = 'pivot'}}", ["no 'group'"]),
        ("until = 1", "until = 1\nstabilise = {alpha = 1.0}", ["stabilise must be"]),
        ("gravity = [0, 0, 0]", "gravity = 9.81", ["gravity must be a vector"]),
        ("gravity = [0, 0, 0]", "bodies = 3", ["is not TOML"]),
        ("gravity = [0, 0, 0]", "gravity = [0, 0, 0", ["is not TOML", "line"]),
    ],
)  # fmt: skip
def test_errors_name_file_place_value_and_rule(old, new, said, tmp_path, refusal):
    assert old in TOP
    path = tmp_path / "top.toml"
    path.write_text(TOP.replace(old, new, 1))
    message = refusal(lambda: ch.read_model(path), ch.ChaslesError)
    for part in [str(path), *said]:
        assert part in message


@pytest.mark.parametrize(
    "key, si",
    [
        ("position_mm", 1e-3), ("position_m", 1.0), ("velocity_km_per_h", 1 / 3.6),
        ("angular_velocity_deg_per_s", np.pi / 180), ("angular_velocity_rpm", np.pi / 30),
    ],
)  # fmt: skip
def test_units_in_names_are_those_of_the_tables(key, si):
    text = f"[[bodies]]\nname='b'\nmass=1\ninertia_kg_cm2=[1e4,1e4,1e4]\n{key}=[1,-2,3]\n"
    (body,) = read(text)[0].bodies
    field = next(f for f in ("position", "velocity", "angular_velocity") if key.startswith(f))
    assert np.allclose(getattr(body, field), np.multiply(si, [1, -2, 3]), rtol=1e-15)
    assert body.inertia == ch.Body("b", 1, (1, 1, 1)).inertia


@pytest.mark.parametrize(
    "text, same",
    [
        ("{axis = 'z', angle_deg = 30}", ("z", np.pi / 6)),
        ("{axis = [1, 1, 0], angle = 0.3}", ((1, 1, 0), 0.3)),
        ("{euler = 'ZYX', angles_deg = [10, 20, 30]}", ("ZYX", np.radians([10, 20, 30]))),
        ("{quaternion = [0.6, 0, 0.8, 0]}", (0.6, 0, 0.8, 0)),
        ("[0.6, 0, 0.8, 0]", (0.6, 0, 0.8, 0)),
        ("[[0, -1, 0], [1, 0, 0], [0, 0, 1]]", ((0, -1, 0), (1, 0, 0), (0, 0, 1))),
    ],
)
def test_rotations_are_said_as_in_python(text, same):
    text = f"[[bodies]]\nname='b'\nmass=1\ninertia=[1,1,1]\nrotation={text}\n"
    (body,) = read(text)[0].bodies
    assert np.allclose(
        body.rotation, ch.Body("b", 1, (1, 1, 1), rotation=same).rotation, atol=1e-15
    )


@pytest.mark.parametrize(
    "text, said",
    [
        ("{axis = 'z'}", "bodies[0]: body 'b': rotation has the fields axis"),
        ("{axis = 'z', angel = 3}", "bodies[0], rotation: there is no field 'angel'"),
        ("{axis = 'w', angle = 3}", "bodies[0]: body 'b': the axis of its rotation must be"),
        ("[0.1, 0.2, 0.3]", "Euler angles or a rotation vector"),
        ("'z'", "bodies[0]: body 'b': rotation is 'z', which may be Euler angles"),
    ],
)
def test_rotations_of_no_meaning_are_named(text, said, refusal):
    text = f"[[bodies]]\nname='b'\nmass=1\ninertia=[1,1,1]\nrotation={text}\n"
    assert said in refusal(lambda: read(text), ch.ChaslesError)


def test_a_rod_lies_between_points_and_axes_have_names():
    text = """
    bodies = [{kind='rod', name='arm', mass=1, between_mm=[[0, 0, 0], [0, 300, 400]]}]
    joints = [{kind='revolute', name='j', a='ground', b='arm', at=[0, 0, 0], axis='-x'}]
    """
    arm = ch.Body.rod("arm", mass=1.0, between=((0, 0, 0), (0, 0.3, 0.4)))
    joint = ch.Revolute("j", ch.GROUND, arm, (0, 0, 0), axis=(-1, 0, 0))
    assert read(text)[0] == ch.Model([arm], [joint])


SIGNALS = """
[[bodies]]
kind = "sphere"
name = "ball"
radius = 1
mass = 1
[[joints]]
kind = "revolute"
name = "hinge"
a = "ground"
b = "ball"
at = [0, 0, 0]
axis = [0, 0, 1]
[[forces]]
kind = "motor"
name = "motor"
joint = "hinge"
target = {target}
stiffness = 1
"""


@pytest.mark.parametrize(
    "text, signal",
    [
        ("0.5", ch.Signal.constant(0.5)),
        ("'0.1 * sin(2*pi*t)'", ch.Signal.expression("0.1 * sin(2*pi*t)")),
        ("{kind = 'sine', amplitude = 1, frequency_Hz = 2, phase_deg = 180}",
         ch.Signal.sine(1, 2, np.pi)),
        ("{kind = 'table', times_ms = [0, 500], values = [0, 1]}",
         ch.Signal.table([0, 0.5], [0, 1])),
        ("{kind = 'linear', slope = 3}", ch.Signal.linear(3)),
    ],
)  # fmt: skip
def test_functions_of_time_are_numbers_expressions_or_tables(text, signal):
    model, _ = read(SIGNALS.replace("{target}", text))
    assert model.force("motor").target == signal


@given(st.text(max_size=30))
def test_no_text_is_run_as_code(text):
    try:
        read(SIGNALS.replace("{target}", repr(text).replace("\\", "")))
    except ch.ChaslesError as error:
        assert error.what and error.remedy


@pytest.mark.parametrize(
    ("joint", "right", "wrong"),
    [
        ("revolute", "stiffness_Nm_per_rad", "stiffness_N_per_mm"),
        ("prismatic", "stiffness_N_per_mm", "stiffness_Nm_per_rad"),
    ],
)
def test_units_of_forces_on_joints_are_those_of_the_coordinate(joint, right, wrong, refusal):
    text = f"""bodies = [{{kind = "sphere", name = "bob", radius = 0.1, mass = 1}}]
[[joints]]\nkind = "{joint}"\nname = "j"\na = "ground"\nb = "bob"\nat = [0, 0, 0]\naxis = "y"
[[forces]]\nkind = "jointspring"\nname = "k"\njoint = "j"\n"""
    read(f"{text}{right} = 2.0")
    message = refusal(lambda: read(f"{text}{wrong} = 2.0"), ch.ChaslesError)
    assert wrong in message and right in message


def test_what_is_written_can_be_read_or_is_refused(tmp_path, monkeypatch):
    """Ten thousand bodies, and more than a file may have."""
    bodies = [ch.Body.sphere(f"ball {k}", 0.1, mass=1.0, position=(k, 1 / 3, 0)) for k in range(9)]
    monkeypatch.setattr("chasles.io.limits.LARGEST", 800)
    monkeypatch.setattr("chasles.io.toml_text.LARGEST", 800)
    for count in range(1, 10):
        try:
            path = ch.Model(bodies[:count]).write(tmp_path / "model.toml")
        except ch.InvalidFile as error:
            assert "MiB" in str(error)
            break
        assert ch.read_model(path).bodies == tuple(bodies[:count])
    assert 3 < count < 9


def test_ten_thousand_bodies_fit_into_a_file():
    """Some 230 bytes each."""
    assert LARGEST > 10_000 * 240


@pytest.mark.parametrize(
    "notes, run",
    [
        (["see " + ".".join("abcdefghijklmnopqrstuvw")], None),
        (["\ud800"], None),
        ([], {"until": 1e6, "step": 1e-6}),
    ],
)
def test_what_could_not_be_read_is_not_written(notes, run, tmp_path):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    with pytest.raises(ch.ChaslesError):
        ch.Model([ball], notes=notes).write(tmp_path / "model.toml", run)
    assert not list(tmp_path.iterdir())
