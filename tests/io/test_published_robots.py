"""Robots beside MuJoCo, rotors included: those of the tests, and those that others published."""

import os
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

import published_robots as published

import chasles as ch

OWN = sorted(path.name for path in published.OWN.iterdir())
PACKAGES = published.packages()


@pytest.mark.parametrize("name", OWN)
def test_robots_of_the_tests_accelerate_and_run_as_mujocos(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log in the folder at hand
    found = published.survey(published.OWN / name, published.OWN)
    assert found.acceleration < 1e-9
    assert found.trajectory <= 1.0  # of what half the step changes in MuJoCo's RK4


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES or [None])
def test_published_robots_are_imported_and_move_as_mujocos(package, tmp_path, monkeypatch):
    """None is refused that MuJoCo makes something of that moves."""
    if package is None:
        pytest.skip("no published robots are here: `make robots` fetches them")
    monkeypatch.chdir(tmp_path)
    folder = PACKAGES[package]
    found = [published.survey(path, folder) for path in published.files(folder)]
    print(package, published.Table(package, found).row())
    assert [each.path for each in found if each.kind == "refused here"] == []
    assert [each.path for each in found if each.is_off] == []


@pytest.mark.slow
def test_more_than_a_hundred_published_robots_are_compared(tmp_path, monkeypatch):
    if len(PACKAGES) < 4:
        pytest.skip("not all published robots are here: `make robots` fetches them")
    monkeypatch.chdir(tmp_path)
    robots = 0
    for folder in PACKAGES.values():
        for path in published.files(folder):
            robots += published.loads(path)
    assert robots >= 100


def test_a_package_of_meshes_is_found_in_the_folder_and_never_outside(tmp_path, refusal):
    """package://NAME/PATH: beside or above the file, within the folder of the model."""
    cube = "\n".join(
        ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    )
    (tmp_path / "arm_description" / "meshes").mkdir(parents=True)
    (tmp_path / "arm_description" / "urdf").mkdir()
    (tmp_path / "arm_description" / "meshes" / "link.obj").write_text(cube)
    robot = tmp_path / "arm_description" / "urdf" / "arm.urdf"
    robot.write_text(MESHED.format(inertial=INERTIAL))
    inside = ch.read_model(robot, folder=tmp_path)
    alone = ch.read_model(robot)  # whose folder has no meshes
    assert inside.body("link").shape is not None and alone.body("link").shape is None
    assert alone.body("link").mass == inside.body("link").mass == 2.0
    said = "meshes are not in 'urdf', and left out: 'package://arm_description/meshes/link.obj'"
    assert said in alone.notes
    robot.write_text(MESHED.format(inertial=""))  # its inertia is that of the mesh
    assert ch.read_model(robot, folder=tmp_path).body("link").mass == pytest.approx(1000 / 6)
    assert "read_model(path, folder=...)" in refusal(lambda: ch.read_model(robot), ch.InvalidFile)
    os.symlink(tmp_path / "arm_description" / "meshes" / "link.obj", robot.parent / "link.obj")
    robot.write_text(MESHED.format(inertial="").replace("arm_description/meshes/", ""))
    assert "outside" in refusal(lambda: ch.read_model(robot), ch.InvalidFile)


INERTIAL = """<inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
MESHED = """<robot name="arm"><link name="base"/><link name="link">{inertial}<collision><geometry>
<mesh filename="package://arm_description/meshes/link.obj"/></geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="link"/>
<axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize(
    "inertia, said",
    [("0.1", "no principal moment is larger"), ("-1", "all principal moments are positive")],
)
def test_links_that_no_body_can_be_like_are_refused_with_the_repair(
    inertia, said, tmp_path, refusal
):
    robot = Path(tmp_path / "arm.urdf")
    text = MESHED.format(inertial=INERTIAL.replace('ixx="1" iyy="1"', f'ixx="{inertia}" iyy="0.1"'))
    robot.write_text(text)
    assert said in refusal(lambda: ch.read_model(robot), ch.InvalidFile)


def test_what_editors_leave_around_a_file_is_no_reason_to_refuse_it(tmp_path):
    text = (published.OWN / "pendulum.urdf").read_text()
    model = ch.read_model(published.OWN / "pendulum.urdf")
    (tmp_path / "around.urdf").write_bytes(b"\n \n" + text.strip().encode() + b"\n\0")
    assert ch.read_model(tmp_path / "around.urdf") == model


def test_tendons_that_pull_are_told_from_those_that_do_nothing(tmp_path):
    text = (published.OWN / "left_out.xml").read_text()
    pulled = text.replace('<fixed name="cord">', '<fixed name="cord" stiffness="3" range="0 1">')
    assert pulled != text
    (tmp_path / "robot.xml").write_text(pulled)
    notes = "\n".join(ch.read_model(tmp_path / "robot.xml").notes)
    assert "springs, dampers, friction and rotors of tendons are left out: 'cord'" in notes
    assert "1 tendons" not in notes
