"""Robots stand on the planes of their own files, where that is asked for."""

import numpy as np
import pytest

import chasles as ch

mujoco = pytest.importorskip("mujoco")
LAW = {"stiffness": 2e4, "dissipation": 1.0}
STOOL = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0 0 0.2" euler="0 5 0" friction="0.6"/>
    <geom name="ghost" type="plane" size="1 1 0.1" contype="0" conaffinity="0"/>
    <geom name="stone" type="sphere" size="0.1" pos="3 0 0"/>
    <body name="stool" pos="0 0 0.8">
      <freejoint/>
      <geom name="seat" type="box" size="0.2 0.2 0.03" friction="0.8"/>
      <geom name="post" type="cylinder" size="0.03 0.1" pos="0 0 -0.1"/>
      <geom name="leg" type="capsule" fromto="0.1 0 -0.05 0.2 0 -0.4" size="0.02" priority="1"
            friction="0.9"/>
      <geom name="shadow" type="sphere" size="0.1" contype="0" conaffinity="0"/>
      <body name="knob" pos="0 0 0.1"><joint axis="0 1 0"/>
        <geom name="ball" type="sphere" size="0.05" pos="0.05 0 0" friction="0.1"/></body>
    </body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def stool(tmp_path):
    path = tmp_path / "stool.xml"
    path.write_text(STOOL, "utf-8")
    return path


def test_geoms_that_mujoco_lets_touch_a_plane_do(stool):
    model = ch.read_model(stool, contacts=LAW)
    floor = {force.name: force for force in model.forces if force.kind == "contact"}
    assert set(floor) == {"seat on floor", "leg on floor", "ball on floor"}
    rub = {name: contact.friction for name, contact in floor.items()}
    assert rub == {"seat on floor": 0.8, "leg on floor": 0.9, "ball on floor": 0.6}
    assert {(c.stiffness, c.dissipation, c.at) for c in floor.values()} == {(2e4, 1.0, (0, 0, 0.2))}
    notes = "\n".join(model.notes)
    assert "'post'" in notes and "between other geoms are left out" in notes
    assert "contacts between geoms are left out" in "\n".join(ch.read_model(stool).notes)
    assert not any(force.kind == "contact" for force in ch.read_model(stool).forces)


def test_contacts_begin_where_mujocos_do(stool):
    """Depths that MuJoCo's collisions find in random poses are those of the forces here."""
    scene = mujoco.MjModel.from_xml_path(str(stool))
    data, rng = mujoco.MjData(scene), np.random.default_rng(0)
    model = ch.read_model(stool, contacts={"stiffness": 1.0})
    names = [scene.geom(k).name for k in range(scene.ngeom)]
    known = {name: f"{name} on floor" for name in ("seat", "leg", "ball")}
    met = 0
    for _ in range(20):
        quaternion = rng.standard_normal(4)
        data.qpos[:3] = (*rng.uniform(-0.5, 0.5, 2), rng.uniform(0.2, 0.5))
        data.qpos[3:7] = quaternion / np.linalg.norm(quaternion)
        data.qpos[7] = rng.uniform(-2, 2)
        mujoco.mj_forward(scene, data)
        depths = dict.fromkeys(known, 0.0)
        for contact in data.contact[: data.ncon]:
            touching = {names[contact.geom1], names[contact.geom2]}
            for name in known:
                if touching == {"floor", name}:
                    depths[name] = max(depths[name], -contact.dist)
        placed = [
            ch.Body(
                b.name, b.mass, b.inertia,
                data.xpos[scene.body(b.name).id]
                + data.xmat[scene.body(b.name).id].reshape(3, 3) @ local_centre(scene, model, b),
                data.xmat[scene.body(b.name).id].reshape(3, 3),
            )
            for b in model.bodies
        ]  # fmt: skip
        moved = ch.Model(placed, forces=model.forces, gravity=(0, 0, 0))
        run = ch.simulate(moved, 1e-6, step=1e-6)
        for name, force in known.items():
            push = np.linalg.norm(run.force(force).force[0])
            assert (push > 1e-12) == (depths[name] > 1e-12)
            if name == "ball":
                assert push == pytest.approx(depths[name], abs=1e-9)
            met += push > 1e-12
    assert met > 15


def local_centre(scene, model, body):
    """From the origin of its frame in the file to the centre of mass, in body axes."""
    data = mujoco.MjData(scene)
    mujoco.mj_kinematics(scene, data)
    number = scene.body(body.name).id
    turn = data.xmat[number].reshape(3, 3)
    return turn.T @ (np.array(body.position) - data.xpos[number])


def test_a_stool_falls_and_lies_on_its_floor(stool):
    """The floor carries its weight, but for what its momentum changes by; the knob still swings."""
    model = ch.read_model(stool, contacts={**LAW, "slip": 0.05, "friction": 0.7})
    result = ch.simulate(model, 3.0, step=2e-4, save_every=5)
    assert not result.warnings
    weight = 9.81 * sum(body.mass for body in model.bodies)
    late = result.t >= 2.0
    floor = [force.name for force in model.forces if force.kind == "contact"]
    carried = sum(result.force(name).force[late] for name in floor)
    gained = result.momentum()[-1] - result.momentum()[late][0]
    found = np.trapezoid(carried, result.t[late], axis=0)
    assert found == pytest.approx(gained + (0, 0, weight), abs=1e-3 * weight)
    assert 0.1 < result.position("stool")[-1, 2] < 0.6


@pytest.mark.parametrize(
    "contacts, said",
    [
        (True, "contacts must be a dict"),
        ({"stifness": 1.0}, "contacts must be a dict"),
        ({}, "stiffness and hertz are both 0"),
        ({"stiffness": -1.0}, "stiffness must not be negative"),
    ],
)
def test_contacts_that_mean_nothing_are_refused(stool, contacts, said, refusal):
    assert said in refusal(lambda: ch.read_model(stool, contacts=contacts), ch.ChaslesError)


def test_a_toml_file_has_its_contacts_among_its_forces(tmp_path, refusal):
    path = ch.Model([ch.Body.sphere("b", 1.0, mass=1.0)]).write(tmp_path / "b.toml")
    said = refusal(lambda: ch.read_model(path, contacts=LAW), ch.InvalidOption)
    assert "among its forces" in said
