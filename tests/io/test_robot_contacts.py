"""Contacts of robots with planes: who touches whom is MuJoCo's; how they give way is told."""

import mujoco
import numpy as np
import pytest
from test_robots import ROBOTS

import chasles as ch

SCENE = """<mujoco><option timestep="0.001"/><worldbody>
  <geom name="floor" type="plane" size="9 9 1" euler="{tilt} 0 0" friction="{mu} 0 0"/>
  <body name="thing" pos="0 0 {height}" euler="{tilt} 0 0"><freejoint/>
    <geom name="skin" type="{kind}" size="{size}" friction="{mu} 0 0" {more}/></body>
  </worldbody></mujoco>"""


def scene_of(tmp_path, kind, size, height, mu=0.5, tilt=0, more=""):
    path = tmp_path / "scene.xml"
    path.write_text(SCENE.format(kind=kind, size=size, height=height, mu=mu, tilt=tilt, more=more))
    return path


@pytest.mark.parametrize(
    "kind, size, high, corners",
    [("sphere", "0.1", 0.1, 1), ("capsule", "0.1 0.2", 0.3, 1), ("box", "0.2 0.2 0.1", 0.1, 4)],
)
def test_what_falls_on_a_plane_comes_to_rest_where_springs_carry_it(
    tmp_path, kind, size, high, corners
):
    """Within some mm of MuJoCo's, whose constraint takes most of a constant load by itself."""
    path = scene_of(tmp_path, kind, size, height=high + 0.02)
    model = ch.read_model(path, contacts="planes")
    contact, thing = model.force("skin on floor"), model.body("thing")
    assert contact.friction == 0.5
    result = ch.simulate(model, until=0.6, step=5e-4)
    rest = result.position("thing")[-1, 2]
    depth = thing.mass * 9.81 / (corners * contact.stiffness)
    assert rest == pytest.approx(high - depth, abs=2e-5)
    scene = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(scene)
    mujoco.mj_step(scene, data, nstep=600)
    assert rest == pytest.approx(data.qpos[2], abs=5e-3)


def test_a_box_slides_down_a_steep_plane_as_in_the_closed_form(tmp_path):
    """g (sin - mu cos), beside the time in which friction takes hold."""
    path = scene_of(tmp_path, "box", "0.2 0.2 0.1", 0.0, mu=0.3, tilt=45)
    text = path.read_text().replace('pos="0 0 0.0"', 'pos="0 -0.0685 0.0685"')  # just sunk in
    path.write_text(text)
    result = ch.simulate(ch.read_model(path, contacts="planes"), until=1.0, step=5e-4)
    speed = np.linalg.norm(result.velocity("thing"), axis=1)
    t = result.t
    late = (t > 0.5, t > 0.999)
    slope = (speed[late[1]][-1] - speed[late[0]][0]) / (t[-1] - t[late[0]][0])
    assert slope == pytest.approx(9.81 * (1 - 0.3) * np.sqrt(0.5), rel=2e-3)


def test_friction_and_who_touches_are_by_mujocos_rules(tmp_path):
    def read(more):
        return ch.read_model(scene_of(tmp_path, "sphere", "0.1", 0.1, more=more), contacts="planes")

    assert read("").force_names == ("skin on floor",)
    assert read('contype="2" conaffinity="2"').force_names == ()
    assert read('contype="0" conaffinity="1"').force_names == ("skin on floor",)
    assert read('condim="1"').force("skin on floor").friction == 0.5  # the plane has three
    assert read('condim="1" priority="1"').force("skin on floor").friction == 0.0
    stiff, soft = (
        read(f'solref="{t} 1" priority="1"').force("skin on floor") for t in (0.01, 0.02)
    )
    assert stiff.stiffness == pytest.approx(4.0 * soft.stiffness, rel=1e-12)


def test_contacts_that_are_left_out_are_told(tmp_path, refusal):
    path = scene_of(tmp_path, "cylinder", "0.1 0.2", 0.4)
    notes = "\n".join(ch.read_model(path, contacts="planes").notes)
    assert "contacts of geoms with planes are left out: 'skin'" in notes
    assert "contacts between bodies that move are left out" in notes
    assert "contacts between geoms are left out" in "\n".join(ch.read_model(path).notes)
    said = refusal(lambda: ch.read_model(path, contacts="all"), ch.InvalidOption)
    assert "contacts must be one of planes, none" in said
    model = ch.read_model(scene_of(tmp_path, "sphere", "0.1", 0.1), contacts="planes")
    assert ch.read_model(model.write(tmp_path / "robot.toml")) == model
    assert not any(f.kind == "contact" for f in ch.read_model(ROBOTS / "left_out.xml").forces)


def octahedron(x, y, z):
    """As an OBJ: its bounds are its corners."""
    corners = [(x, 0, 0), (-x, 0, 0), (0, y, 0), (0, -y, 0), (0, 0, z), (0, 0, -z)]
    faces = [(1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5), (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6)]
    lines = [f"v {a} {b} {c}" for a, b, c in corners] + [f"f {i} {j} {k}" for i, j, k in faces]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "half, kind, depth",
    [
        ((0.1, 0.1, 0.1), ch.Sphere, 0.1),
        ((0.1, 0.3, 0.1), ch.Capsule, 0.1),
        ((0.2, 0.3, 0.1), ch.Box, 0.1),
    ],
)
def test_feet_that_are_meshes_touch_by_their_bounds(tmp_path, half, kind, depth):
    """A foot of a robot: the lowest point of its bounds is where it was."""
    (tmp_path / "foot.obj").write_text(octahedron(*half))
    path = tmp_path / "foot.xml"
    path.write_text(
        "<mujoco><asset><mesh name='foot' file='foot.obj'/></asset><worldbody>"
        "<geom name='floor' type='plane' size='9 9 1'/><body name='leg' pos='0 0 0.5'><freejoint/>"
        "<geom name='skin' type='mesh' mesh='foot' pos='0.1 0 -0.2'/></body></worldbody></mujoco>"
    )
    model = ch.read_model(path, contacts="planes")
    contact, leg = model.force("skin on floor"), model.body("leg")
    assert isinstance(contact.shape, kind)
    assert any("by the sphere, capsule or box of their bounds: 'skin'" in n for n in model.notes)
    middle = np.array(leg.position) + np.array(leg.rotation) @ contact.shape.position
    assert middle == pytest.approx((0.1, 0.0, 0.3), abs=1e-6)
    turn = np.array(leg.rotation) @ np.array(contact.shape.rotation)
    reach = {
        ch.Sphere: lambda s: s.radius,
        ch.Capsule: lambda s: s.radius + 0.5 * s.length * abs(turn[2, 2]),
        ch.Box: lambda s: 0.5 * abs(turn[2]) @ s.size,
    }[kind](contact.shape)
    assert reach == pytest.approx(depth, abs=1e-6)
    if kind is ch.Capsule:
        assert abs(turn[1, 2]) == pytest.approx(1.0, abs=1e-6)
        assert contact.shape.radius + 0.5 * contact.shape.length == pytest.approx(0.3, abs=1e-6)
