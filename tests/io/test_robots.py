"""URDF and MJCF files move here as they do in MuJoCo, but for what their notes say."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fuzz_assets import ASSETS

import chasles as ch

mujoco = pytest.importorskip("mujoco")
ROBOTS = Path(__file__).parent / "robots"
TREES = ["pendulum.urdf", "arm.urdf", "gantry.urdf", "cartpole.xml", "springs.xml", "balls.xml",
         "satellite.xml", "pairs.xml", "gimbals.xml", "servos.xml"]  # fmt: skip
LOOPS = ["four_bar.xml", "welds.xml"]
FREE_OF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY")


def scene_of(name):
    """The file in MuJoCo, without what the notes say is left out."""
    scene = mujoco.MjModel.from_xml_path(str(ROBOTS / name))
    for what in FREE_OF:
        scene.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{what}"))
    scene.dof_armature[:] = 0.0
    data = mujoco.MjData(scene)
    data.ctrl[: scene.nu] = np.where(
        scene.actuator_ctrllimited, np.clip(0.0, *scene.actuator_ctrlrange.T), 0.0
    ) if scene.nu else []  # fmt: skip
    return scene, data


class Followed:
    """Where the bodies of the model are in MuJoCo's data: points fixed in its bodies."""

    def __init__(self, model, scene):
        data = mujoco.MjData(scene)
        mujoco.mj_kinematics(scene, data)
        self.model, self.scene = model, scene
        self.numbers = [scene.body(name).id for name in model.body_names]
        self.points = [
            data.xmat[number].reshape(3, 3).T @ (np.array(body.position) - data.xpos[number])
            for number, body in zip(self.numbers, model.bodies)
        ]

    def state_and_acceleration(self, data, rates):
        count = len(self.numbers)
        position, velocity, omega, linear, angular = np.zeros((5, count, 3))
        rotation = data.xmat[self.numbers].reshape(-1, 3, 3)
        for k, (number, point) in enumerate(zip(self.numbers, self.points)):
            position[k] = data.xpos[number] + rotation[k] @ point
            shift, turn, shift_rate, turn_rate = np.zeros((4, 3, self.scene.nv))
            mujoco.mj_jac(self.scene, data, shift, turn, position[k], number)
            mujoco.mj_jacDot(self.scene, data, shift_rate, turn_rate, position[k], number)
            velocity[k], omega[k] = shift @ data.qvel, turn @ data.qvel
            linear[k] = shift @ rates + shift_rate @ data.qvel
            angular[k] = turn @ rates + turn_rate @ data.qvel
        own = np.einsum("bji,bj->bi", rotation, omega)
        state = ch.State(0.0, self.model.body_names, position, rotation, velocity, own)
        return state, np.hstack((linear, angular))


def accelerations(model, state):
    """Of the centres of mass, and angular, in the world (n, 6)."""
    rates = ch.equations(model, state).acceleration.reshape(-1, 2, 3)
    v = np.einsum("bji,bj->bi", state.rotation, state.velocity)
    linear = rates[:, 1] + np.cross(state.angular_velocity, v)
    return np.hstack([np.einsum("bij,bj->bi", state.rotation, a) for a in (linear, rates[:, 0])])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TREES)
def test_accelerations_are_mujocos(name, seed):
    rng = np.random.default_rng(seed)
    model, (scene, data) = ch.read_model(ROBOTS / name, limits="none"), scene_of(name)
    mujoco.mj_integratePos(scene, data.qpos, rng.normal(size=scene.nv) * 0.5, 1.0)
    data.qvel[:] = rng.normal(size=scene.nv)
    mujoco.mj_forward(scene, data)
    state, theirs = Followed(model, scene).state_and_acceleration(data, data.qacc)
    assert np.abs(accelerations(model, state) - theirs).max() < 1e-9 * np.abs(theirs).max()


@pytest.mark.parametrize("name", TREES)
def test_short_trajectories_are_mujocos(name):
    model, (scene, data) = ch.read_model(ROBOTS / name, limits="none"), scene_of(name)
    scene.opt.integrator, scene.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 5e-4
    mujoco.mj_step(scene, data, nstep=400)
    mujoco.mj_forward(scene, data)
    theirs, _ = Followed(model, scene).state_and_acceleration(data, data.qacc)
    ours = ch.simulate(model, until=0.2, step=1e-3, method="dop853").state()
    assert np.abs(ours.position - theirs.position).max() < 1e-9  # the truncation of MuJoCo's RK4
    assert np.abs(ours.rotation - theirs.rotation).max() < 1e-9


def loop_rows(scene, data, name):
    """J and J' q' of MuJoCo's constraint as a hard one: a point, and for a weld also the turn."""
    equality = scene.equality("loop" if name == "four_bar.xml" else "glue")
    first, second = scene.eq_obj1id[equality.id], scene.eq_obj2id[equality.id]
    anchor = scene.eq_data[equality.id, :3]
    weld = scene.eq_type[equality.id] == mujoco.mjtEq.mjEQ_WELD
    body = second if weld else first  # in whose frame the anchor is
    point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ anchor
    rows, rates = [], []
    for number in (first, second):
        shift, turn, shift_rate, turn_rate = np.zeros((4, 3, scene.nv))
        mujoco.mj_jac(scene, data, shift, turn, point, number)
        mujoco.mj_jacDot(scene, data, shift_rate, turn_rate, point, number)
        rows.append(np.vstack((shift, turn)) if weld else shift)
        rates.append(np.vstack((shift_rate, turn_rate)) if weld else shift_rate)
    return rows[0] - rows[1], (rates[0] - rates[1]) @ data.qvel


@pytest.mark.parametrize("name", LOOPS)
def test_loops_move_by_mujocos_own_matrices_under_hard_constraints(name):
    """M q'' + J^T l = Q, J q'' = - J' q', with M, Q and J of MuJoCo."""
    model, (scene, data) = ch.read_model(ROBOTS / name, limits="none"), scene_of(name)
    mujoco.mj_forward(scene, data)
    rows, _ = loop_rows(scene, data, name)
    data.qvel[:] = (np.eye(scene.nv) - np.linalg.pinv(rows) @ rows) @ np.ones(scene.nv)
    mujoco.mj_forward(scene, data)
    rows, drift = loop_rows(scene, data, name)
    mass = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene, data, mass)
    count = len(rows)
    kkt = np.block([[mass, rows.T], [rows, np.zeros((count, count))]])
    forces = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    rates = np.linalg.lstsq(kkt, np.append(forces, -drift), rcond=1e-13)[0][: scene.nv]
    state, theirs = Followed(model, scene).state_and_acceleration(data, rates)
    assert np.abs(accelerations(model, state) - theirs).max() < 1e-8 * np.abs(theirs).max()
    assert any("hold exactly" in note for note in model.notes)


def test_what_is_left_out_is_told():
    model = ch.read_model(ROBOTS / "left_out.xml")
    notes = "\n".join(model.notes)
    for words in [
        "frames without mass between the joints of body 'offset': 'offset after first'",
        "limits are soft stops, as MuJoCo's do at the reference pose: 'limited'",
        "dry friction is smoothed about rest: 'second', 'third'",
        "contacts between geoms are left out", "the medium", "compensation of gravity",
        "hold exactly here: 'mimic'", "actuators are left out: 'biceps'", "control is 0", "'idle'",
        "moves nothing: 1 tendons, 1 sensors, 1 cameras", "geoms",
    ]:  # fmt: skip
        assert words in notes, words
    assert model.joint("limited").armature == 0.1 and "armature" not in notes
    assert model.joint("first").kind == "revolute" and model.force("third friction").level == 0.2


def test_robots_survive_the_way_through_a_file(tmp_path):
    for name in [*TREES, *LOOPS, "left_out.xml"]:
        model = ch.read_model(ROBOTS / name)
        assert ch.read_model(model.write(tmp_path / "robot.toml")) == model


def test_parts_are_those_of_the_file():
    arm = ch.read_model(ROBOTS / "arm.urdf")
    assert arm.joint_names == ("waist", "lift", "elbow", "wrist")
    assert [joint.kind for joint in arm.joints] == ["revolute"] * 3 + ["prismatic"]
    assert arm.body("tool").mass == pytest.approx(0.6)  # with the gripper that it carries
    pairs = ch.read_model(ROBOTS / "pairs.xml")
    assert [joint.kind for joint in pairs.joints] == ["planar", "cylindrical"]
    gimbals = ch.read_model(ROBOTS / "gimbals.xml")
    assert [joint.kind for joint in gimbals.joints] == ["universal", "spherical"]
    satellite = ch.read_model(ROBOTS / "satellite.xml")
    assert satellite.body("bus").shape == ch.model.Box((1.0, 0.8, 0.6))
    assert satellite.joint_names == ("left hinge", "right hinge")
    assert ch.read_run(ROBOTS / "pairs.xml") == {"step": 0.002}


MJCF = "<mujoco>{}<worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><mujoco>&b;</mujoco>'


def test_a_sky_without_a_name_is_left_out(tmp_path):
    """As in the robots of Gymnasium: of all textures, only skies need no name."""
    sky = "<asset><texture type='skybox' builtin='gradient' width='100' height='100'/></asset>"
    path = tmp_path / "robot.xml"
    path.write_text(MJCF.format(sky))
    assert len(ch.read_model(path).bodies) == 1


@pytest.mark.parametrize(
    "text, said",
    [
        (BOMB, "entities"),
        ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><mujoco/>', "document type"),
        ('<!doctype r [<!entity x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>', "entities"),
        ("<mujoco>" + "<a>" * 5000 + "</a>" * 5000 + "</mujoco>", "300 deep"),
        ("<mujoco>" + "<a/>" * 200_000 + "</mujoco>", "elements"),
        ("<mujoco><worldbody>", "is not XML"),
        ("no xml", "is not XML"),
        ("<html/>", "begins with <html>"),
        ("<mujoco/>", "nothing in it moves"),
        (MJCF.format("<asset><mesh file='/etc/passwd.stl'/></asset>"), "outside the folder"),
        (MJCF.format("<asset><mesh file='../x.stl'/></asset>"), "outside the folder"),
        (MJCF.format("<asset><mesh file='a\\..\\x.stl'/></asset>"), "outside the folder"),
        (MJCF.format("<compiler meshdir='../..'/>"), "outside the folder"),
        (MJCF.format("<asset><texture name='t' type='2d' fileright='/a.png'/></asset>"), "outside"),
        (MJCF.format("<include file='../other.xml'/>"), "outside the folder"),
        (MJCF.format("<include file='missing.xml'/>"), "no file"),
        (MJCF.format("<include file='secret.txt'/>"), "not XML by its name"),
        (MJCF.format("<asset><texture builtin='flat' width='99999' height='99999'/></asset>"),
         "points"),
        (MJCF.format("").replace("<body>", "<replicate count='1e9'><body>"), "copies"),
        ("<?xml version='1.0' encoding='UTF-7'?><html/>", "begins with <html>"),
        ("<?xml version='1.0' encoding='shift-jis'?><html/>", "begins with <html>"),
        (MJCF.format("").replace("<geom size='1'/>", ""), "MuJoCo"),
        (MJCF.format("").replace("size='1'", "size='nan'"), "MuJoCo"),
        ("<robot name='r'><link name='a'/></robot>", ""),
    ],
)  # fmt: skip
def test_hostile_robots_are_refused_before_mujoco_or_by_it(text, said, tmp_path, refusal):
    path = tmp_path / "robot.xml"
    path.write_text(text, "utf-8")
    message = refusal(lambda: ch.read_model(path), ch.ChaslesError)
    assert "robot.xml" in message or "missing.xml" in message
    assert said in message


def test_an_included_file_is_looked_at_too(tmp_path, refusal):
    (tmp_path / "part.xml").write_text(BOMB, "utf-8")
    (tmp_path / "robot.xml").write_text(MJCF.format("<include file='part.xml'/>"), "utf-8")
    message = refusal(lambda: ch.read_model(tmp_path / "robot.xml"), ch.InvalidFile)
    assert "part.xml" in message and "document type" in message  # by us, before MuJoCo reads it


def test_a_link_out_of_the_folder_is_refused(tmp_path, refusal):
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "mesh.stl").write_text("solid", "utf-8")
    (folder / "mesh.stl").symlink_to(tmp_path / "mesh.stl")
    text = MJCF.format("<asset><mesh file='mesh.stl'/></asset>")
    (folder / "robot.xml").write_text(text, "utf-8")
    assert "outside" in refusal(lambda: ch.read_model(folder / "robot.xml"), ch.InvalidFile)


def fuzzed(count, seed, folder, script="fuzz_robots.py"):
    """How many of so many mutated robots are models, and the longest time that one took."""
    here = Path(__file__).parent
    command = [sys.executable, str(here / script), str(count), str(seed), str(folder)]
    same = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}  # whatever the folder
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=same)
    assert run.returncode == 0, run.stderr[-2000:]
    models, slowest = run.stdout.split()
    known = {"robot.xml", "robot.urdf", *ASSETS}
    assert {path.name for path in folder.iterdir()} <= known  # no log
    return int(models), float(slowest)


@pytest.mark.parametrize("count", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_mutated_robots_are_models_or_named_errors(tmp_path, count):
    models, slowest = fuzzed(count, 1, tmp_path)
    assert 0 < models < count and slowest < 5.0


@pytest.mark.parametrize("count", [120, pytest.param(10_000, marks=pytest.mark.slow)])
def test_robots_beside_mutated_files_are_models_or_named_errors(tmp_path, count):
    models, slowest = fuzzed(count, 1, tmp_path, "fuzz_assets.py")
    assert 0 < models < count and slowest < 5.0


def test_a_muscle_of_a_body_that_no_number_tells_is_read_at_once(tmp_path):
    """MuJoCo finds the range of a muscle by simulating; with these sizes that does not end."""
    text = (ROBOTS / "left_out.xml").read_text("utf-8")
    assert "muscle" in text and text.count('size="0.03"') == 3
    (tmp_path / "robot.xml").write_text('size="99999999"'.join(text.rsplit('size="0.03"', 1)))
    command = "import sys, chasles; print(len(chasles.read_model(sys.argv[1]).notes))"
    run = [sys.executable, "-c", command, str(tmp_path / "robot.xml")]
    same = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}
    found = subprocess.run(run, capture_output=True, text=True, env=same, timeout=60)
    assert int(found.stdout) > 5, found.stderr


@pytest.mark.slow
def test_a_hundred_thousand_mutated_robots_are_models_or_named_errors(tmp_path):
    models, slowest = fuzzed(100_000, 2, tmp_path)
    assert models and slowest < 5.0


def test_meshes_may_be_in_a_folder_that_is_named(tmp_path, refusal):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "robot").mkdir()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    text += "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    (tmp_path / "meshes" / "corner.obj").write_text(text, "utf-8")
    robot = tmp_path / "robot" / "robot.xml"
    robot.write_text(
        "<mujoco><compiler meshdir='../meshes'/><asset><mesh name='c' file='corner.obj'/></asset>"
        "<worldbody><body name='b'><joint/><geom type='mesh' mesh='c' density='600'/></body>"
        "</worldbody></mujoco>",
        "utf-8",
    )
    assert "outside the folder" in refusal(lambda: ch.read_model(robot), ch.InvalidFile)
    body = ch.read_model(robot, folder=tmp_path).body("b")
    assert body.mass == pytest.approx(100.0)  # of a volume of 1/6
    assert np.allclose(body.position, 0.25)


def test_without_mujoco_it_is_said_how_to_get_it(monkeypatch, refusal):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    message = refusal(lambda: ch.read_model(ROBOTS / "arm.urdf"), ch.InvalidFile)
    assert "pip install mujoco" in message


def test_what_the_compiler_passes_over_in_a_urdf_is_told(tmp_path):
    text = """<robot name="arm"><link name="base"/><link name="arm">
      <inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <visual><geometry><sphere radius="0.3"/></geometry></visual></link>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/>
        <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    model = ch.read_model(file)
    assert model.bodies[0].shapes == (ch.Sphere(0.3),)  # what is meant to be seen
    assert "effort and speed (1 joints)" in " ".join(model.notes)
