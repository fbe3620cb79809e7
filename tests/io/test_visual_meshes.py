"""Robots look like themselves: visual shapes and meshes, and names of files that are missing."""

import warnings

import numpy as np
import pytest

import chasles as ch
from chasles.io.mjcf import listening
from chasles.model.mesh import fewer_triangles

pytest.importorskip("mujoco")

CORNER = "v 0 0 0\nv 0.4 0 0\nv 0 0.1 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
POINTS = np.array([(0, 0, 0), (0.4, 0, 0), (0, 0.1, 0), (0, 0, 0.2)])
LINK = """<robot name="bot"><link name="base"/><link name="arm">
  <inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><origin xyz="0 0.05 0" rpy="0 0 1.5707963267948966"/>
    <geometry><mesh filename="package://bot/meshes/{name}" scale="2 1 1"/></geometry>
    <material name="blue"><color rgba="0.2 0.4 0.8 1"/></material></visual>
  <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "bot" / "meshes").mkdir(parents=True)
    (tmp_path / "bot" / "meshes" / "arm.obj").write_text(CORNER)

    def write(name):
        file = tmp_path / "bot" / "bot.urdf"
        file.write_text(LINK.format(name=name))
        return file

    return write


def in_world(model, body, shape):
    """Vertices of a mesh as the model places them."""
    own = np.array(shape.position) + shape.vertices @ np.array(shape.rotation).T
    return np.array(body.position) + own @ np.array(body.rotation).T


def test_a_visual_mesh_is_where_the_urdf_puts_it_and_the_dynamics_are_the_same(robot):
    """Scaled, turned by a quarter, moved: by hand."""
    model = ch.read_model(robot("arm.obj"))
    (body,) = model.bodies
    (mesh,) = body.shapes
    assert isinstance(mesh, ch.Mesh) and mesh.colour == "#3366cc"
    assert body.mass == 2.0 and np.allclose(np.diag(body.inertia), (0.01, 0.02, 0.02))
    x, y, z = (POINTS * (2, 1, 1)).T
    wanted = np.column_stack((-y, x + 0.05, z))
    found = in_world(model, body, mesh)
    for point in wanted:
        assert np.abs(found - point).max(axis=1).min() < 1e-6
    assert mesh.volume == pytest.approx(0.8 * 0.1 * 0.2 / 6, rel=1e-5)


def test_a_visual_mesh_without_a_volume_is_drawn(robot):
    """A single triangle: nobody asks what it weighs."""
    file = robot("label.obj")
    (file.parent / "meshes" / "label.obj").write_text(CORNER.partition("f 1 2 4")[0])
    model = ch.read_model(file)
    assert [shape.kind for shape in model.bodies[0].shapes] == ["mesh"]
    assert not any("visual shapes" in note for note in model.notes)


@pytest.mark.parametrize("colour", ["nan 0 0 1", "0 0 0 nan"])
def test_what_mujoco_warns_of_is_a_note_and_not_a_file(robot, tmp_path, monkeypatch, colour):
    """MuJoCo would write MUJOCO_LOG.TXT in the folder at hand, for visual shapes as for others."""
    monkeypatch.chdir(tmp_path)
    file = robot("arm.obj")
    file.write_text(file.read_text().replace("0.2 0.4 0.8 1", colour))
    notes = ch.read_model(file).notes
    assert sum("MuJoCo warns" in note for note in notes) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


def test_what_mujoco_warns_of_is_a_note_where_warnings_are_ignored():
    notes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with listening(pytest.importorskip("mujoco"), notes):
            warnings.warn("an odd\nnumber", stacklevel=1)
    assert notes == ["MuJoCo warns: an odd number"]


def test_missing_and_unreadable_files_are_named_and_the_collision_shape_is_drawn(robot):
    model = ch.read_model(robot("gone.stl"))
    assert [shape.kind for shape in model.bodies[0].shapes] == ["box"]
    assert any("'package://bot/meshes/gone.stl'" in note for note in model.notes)
    file = robot("arm.ply")
    (file.parent / "meshes" / "arm.ply").write_text("ply")
    model = ch.read_model(file)
    assert [shape.kind for shape in model.bodies[0].shapes] == ["box"]
    assert any("kind that is not read" in note and "arm.ply" in note for note in model.notes)


#: The corner above in centimetres, one face as a triangle and three in a list of polygons; its node
#: moves it along x, which the node within takes back.
COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="a" count="12">0 0 0 20 0 0 0 5 0 0 0 10</float_array>
    <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
  <source id="n"><float_array id="b" count="3">0 0 1</float_array></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/>
    <input semantic="NORMAL" source="#n" offset="1"/><p>0 0 2 0 1 0</p></triangles>
  <polylist count="3"><input semantic="NORMAL" source="#n" offset="0"/>
    <input semantic="VERTEX" source="#v" offset="1"/>
    <vcount>3 3 3</vcount><p>0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><matrix>2 0 0 7 0 2 0 0 0 0 2 0 0 0 0 1</matrix>
  <node><translate>-3.5 0 0</translate><rotate>0 0 1 360</rotate>
    <instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_collada_is_drawn_as_the_same_mesh_in_another_file_is(robot):
    """Units and nodes applied, as the OBJ has it in metres."""
    (wanted,) = ch.read_model(robot("arm.obj")).bodies[0].shapes
    file = robot("arm.dae")
    (file.parent / "meshes" / "arm.dae").write_text(COLLADA)
    model = ch.read_model(file)
    (found,) = model.bodies[0].shapes
    assert found.kind == "mesh" and found.volume == pytest.approx(wanted.volume, rel=1e-5)
    body = model.bodies[0]
    for point in in_world(model, body, wanted):
        assert np.abs(in_world(model, body, found) - point).max(axis=1).min() < 1e-6
    file.write_text(file.read_text().replace("<box", "<mesh filename='meshes/arm.dae'/><!-- <box")
                    .replace('0.1"/></geometry></coll', '0.1"/> --></geometry></coll'))  # fmt: skip
    assert ch.read_model(file).bodies[0].shapes[0].volume == pytest.approx(wanted.volume, rel=1e-5)


@pytest.mark.parametrize(
    "damage",
    [
        ("<COLLADA", "<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA"),
        ("0 0 0 20", "0 0 0 nan"),
        ("0 0 2 0 1 0", "0 0 9 0 1 0"),
        ("0 0 2 0 1 0", "0 0 2 0"),
        ('url="#g"', 'url="#h"'),
        ("</COLLADA>", ""),
        ('url="#g"', ""),
        ("<translate>-3.5 0 0", "<translate>-3.5"),
        ('semantic="VERTEX"', 'semantic="TEXCOORD"'),
    ],
)
def test_damaged_collada_is_named_and_never_more(robot, damage):
    file = robot("arm.dae")
    assert damage[0] in COLLADA
    (file.parent / "meshes" / "arm.dae").write_text(COLLADA.replace(*damage))
    model = ch.read_model(file)
    assert [shape.kind for shape in model.bodies[0].shapes] == ["box"]
    assert any("arm.dae" in note for note in model.notes)


def test_the_base_link_is_noted(robot):
    notes = ch.read_model(robot("arm.obj")).notes
    assert any("base link 'base' is fixed to the ground" in note for note in notes)


def test_a_mesh_outside_the_folder_is_still_refused(robot, tmp_path, refusal):
    (tmp_path / "arm.obj").write_text(CORNER)
    file = robot("x.obj")
    file.write_text(LINK.replace("package://bot/meshes/{name}", "../arm.obj"))
    assert "outside the folder" in refusal(lambda: ch.read_model(file), ch.InvalidFile)


def test_visual_geoms_of_an_mjcf_come_before_those_that_collide(tmp_path):
    (tmp_path / "arm.obj").write_text(CORNER)
    file = tmp_path / "arm.xml"
    file.write_text(
        "<mujoco><asset><mesh name='arm' file='arm.obj'/></asset><worldbody><body name='arm'>"
        "<joint type='hinge' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom type='mesh' mesh='arm' contype='0' conaffinity='0' rgba='1 0 0 1'/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"
    )
    model = ch.read_model(file)
    (body,) = model.bodies
    (mesh,) = body.shapes
    assert mesh.kind == "mesh" and mesh.colour == "#ff0000"
    found = in_world(model, body, mesh)
    for point in POINTS:
        assert np.abs(found - point).max(axis=1).min() < 1e-6


def test_a_mesh_of_many_triangles_keeps_its_form_with_few():
    """A ball of 20,000 triangles: volume and extent of the ball to a few per cent."""
    u, v = np.meshgrid(np.linspace(0, np.pi, 101), np.arange(100) * 2 * np.pi / 100, indexing="ij")
    points = np.stack((np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)), -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(100), np.arange(100), indexing="ij")
    a, b = 100 * i + j, 100 * i + (j + 1) % 100
    quads = np.stack((a, a + 100, b + 100, a, b + 100, b), -1).reshape(-1, 3)
    vertices, triangles = fewer_triangles(points, quads, 3000)
    assert 800 < len(triangles) <= 3000
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    volume = np.einsum("ti,ti->", p, np.cross(q, r)) / 6
    assert volume == pytest.approx(4 * np.pi / 3, rel=0.05)
    assert np.abs(vertices).max() == pytest.approx(1.0, abs=0.03)
    assert fewer_triangles(points, quads, 10**6)[1] is quads


def test_a_robot_of_meshes_is_drawn_and_filmed(robot, tmp_path):
    model = ch.read_model(robot("arm.obj"))
    model.plot(tmp_path / "arm.png")
    film = ch.simulate(model, until=0.1, step=1e-2).animate(tmp_path / "arm.html")
    assert film.stat().st_size < 200_000
