"""Shapes: volumes and inertias against closed forms, quadrature, MuJoCo and each other."""

import json
import struct
from dataclasses import replace
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.model.plain import from_plain, to_plain
from chasles.view.geometry import own_triangles
from chasles.view.scene import scene_of

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

SIZE = (0.3, 0.5, 0.8)
SHAPES = [
    ch.Box(SIZE),
    ch.Rod(2.0, 0.01),
    ch.Cylinder(0.3, 0.8),
    ch.Sphere(0.4),
    ch.Capsule(0.2, 0.6),
    ch.Ring(0.5, 0.3, 0.2),
    ch.Cone(0.3, 0.9),
]
lengths = st.floats(1e-3, 1e3)


def box_mesh(size=SIZE, **pose) -> ch.Mesh:
    vertices, triangles = own_triangles(ch.Box(size))
    return ch.Mesh(vertices, triangles, **pose)


# --- closed forms ---


@given(st.tuples(lengths, lengths, lengths))
def test_the_mesh_of_a_box_is_the_box(size):
    solid = ch.Body.solid("part", box_mesh(size), density=7.0)
    box = ch.Body.box("part", size, density=7.0)
    assert_allclose(solid.mass, box.mass, rtol=1e-14)
    scale = np.abs(box.inertia).max()
    assert_allclose(solid.inertia, box.inertia, rtol=1e-12, atol=1e-13 * scale)
    assert_allclose(solid.position, (0, 0, 0), atol=1e-14 * max(size))


def discs(shape: ch.Shape, low: float, high: float, outer, inner=lambda z: 0.0):
    """Volume, moment along and across of a solid of revolution, disc by disc."""

    def integral(f):
        return quad(f, low, high, epsabs=1e-13, epsrel=1e-11, limit=200)[0]

    area = lambda z: pi * (outer(z) ** 2 - inner(z) ** 2)  # noqa: E731
    fourth = lambda z: pi * (outer(z) ** 4 - inner(z) ** 4)  # noqa: E731
    volume, middle = integral(area), integral(lambda z: z * area(z))
    across = integral(lambda z: fourth(z) / 4 + z * z * area(z)) - middle**2 / volume
    return volume, integral(lambda z: fourth(z) / 2) / volume, across / volume


REVOLVED = [
    (SHAPES[2], -0.4, 0.4, lambda z: 0.3, lambda z: 0.0),
    (SHAPES[3], -0.4, 0.4, lambda z: (0.16 - z * z) ** 0.5, lambda z: 0.0),
    (SHAPES[4], -0.5, 0.5,
     lambda z: (0.04 - max(0.0, abs(z) - 0.3) ** 2) ** 0.5, lambda z: 0.0),
    (SHAPES[5], -0.1, 0.1, lambda z: 0.5, lambda z: 0.3),
    (SHAPES[6], 0.0, 0.9, lambda z: 0.3 * (1 - z / 0.9), lambda z: 0.0),
]  # fmt: skip


@pytest.mark.parametrize(
    "shape, low, high, outer, inner", REVOLVED, ids=lambda s: getattr(s, "kind", "")
)
def test_moments_are_the_integrals_over_discs(shape, low, high, outer, inner):
    volume, along, across = discs(shape, low, high, outer, inner)
    assert_allclose(shape.volume, volume, rtol=1e-9)
    assert_allclose(shape.moments(1.0), (across, across, along), rtol=1e-8)


MJCF = {
    "box": '<geom type="box" size="0.15 0.25 0.4" density="900"/>',
    "cylinder": '<geom type="cylinder" size="0.3 0.4" density="900"/>',
    "sphere": '<geom type="sphere" size="0.4" density="900"/>',
    "capsule": '<geom type="capsule" size="0.2 0.3" density="900"/>',
}


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.kind in MJCF], ids=lambda s: s.kind)
def test_mujoco_gives_the_same_mass_and_inertia(shape):
    text = f"<mujoco><worldbody><body>{MJCF[shape.kind]}<freejoint/></body></worldbody></mujoco>"
    theirs = mujoco.MjModel.from_xml_string(text)
    ours = ch.Body.solid("part", shape, density=900.0)
    assert_allclose(ours.mass, theirs.body_mass[1], rtol=1e-12)
    assert_allclose(sorted(np.diag(ours.inertia)), sorted(theirs.body_inertia[1]), rtol=1e-12)


def test_mujoco_gives_a_lopsided_mesh_the_same_mass_and_inertia(tmp_path):
    corners = np.array([(0, 0, 0), (0.4, 0, 0), (0, 0.3, 0), (0.1, 0.1, 0.7)])
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    path = tmp_path / "part.stl"
    write_stl(path, corners, faces)
    text = (
        f'<mujoco><asset><mesh name="m" file="{path}"/></asset><worldbody><body>'
        '<geom type="mesh" mesh="m" density="500"/><freejoint/></body></worldbody></mujoco>'
    )
    theirs = mujoco.MjModel.from_xml_string(text)
    ours = ch.Body.solid("part", ch.Mesh(corners, faces), density=500.0)
    assert_allclose(ours.mass, theirs.body_mass[1], rtol=1e-6)  # STL has floats of 32 bits
    moments = np.linalg.eigvalsh(ours.inertia)
    assert_allclose(moments, sorted(theirs.body_inertia[1]), rtol=1e-5)
    assert_allclose(ours.position, corners.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_the_drawn_surface_is_closed_and_nearly_fills_the_shape(shape):
    vertices, triangles = own_triangles(shape)
    share = ch.Mesh(vertices, triangles).volume / shape.volume
    assert 0.955 < share < 1 + 1e-12  # chords lie inside
    assert_allclose(ch.Mesh(vertices, triangles).centroid, (0, 0, 0), atol=1e-12)


# --- several shapes, poses ---


def test_two_halves_make_a_whole():
    half = (0.15, 0.5, 0.8)
    halves = [ch.Box(half, position=(side * 0.075, 0, 0)) for side in (-1, 1)]
    whole, joined = ch.Body.box("b", SIZE, mass=3.0), ch.Body.solid("b", halves, mass=3.0)
    assert_allclose(joined.inertia, whole.inertia, rtol=1e-14, atol=1e-16)


@given(st.integers(0, 2**32 - 1))
def test_inertia_turns_and_shifts_with_the_shape(seed):
    rng = np.random.default_rng(seed)
    turn, shift = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
    mesh = ch.Body.solid("m", box_mesh(position=shift, rotation=turn), mass=2.0)
    box = ch.Body.solid("b", ch.Box(SIZE, position=shift, rotation=turn), mass=2.0)
    assert_allclose(mesh.inertia, box.inertia, rtol=1e-11, atol=1e-13)
    assert_allclose(mesh.position, shift, atol=1e-13)
    assert_allclose(
        box.inertia, turn @ np.diag(ch.Box(SIZE).moments(2.0)) @ turn.T, rtol=1e-12, atol=1e-15
    )


def test_a_pendulum_of_rod_and_bob_by_steiner():
    rod, bob = ch.Cylinder(0.01, 1.0, "x", position=(0.5, 0, 0)), ch.Sphere(0.1, position=(1, 0, 0))
    body = ch.Body.solid("pendulum", [rod, bob], density=1000.0)
    m, b = 1000 * rod.volume, 1000 * bob.volume
    about_pivot = body.inertia[2][2] + body.mass * body.position[0] ** 2
    expected = m * (3 * 0.01**2 + 1) / 12 + m / 4 + 0.4 * b * 0.01 + b
    assert_allclose(about_pivot, expected, rtol=1e-13)
    assert body.shapes[1].position[0] == pytest.approx(1 - body.position[0])


def test_a_solid_stands_where_it_is_put():
    part = box_mesh(position=(5.0, 6.0, 7.0))
    assert_allclose(ch.Body.solid("p", part, mass=1.0).position, (5, 6, 7))
    assert_allclose(ch.Body.solid("p", part, mass=1.0, position=(0, 0, 1)).position, (0, 0, 1))
    turned = ch.Body.solid("p", part, mass=1.0, rotation=((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    assert_allclose(turned.position, (-6, 5, 7))


def test_makers_set_their_shape():
    assert ch.Body.box("b", SIZE, mass=1.0).shapes == (ch.Box(SIZE),)
    assert ch.Body.rod("r", 1.0, mass=1.0).shapes == (ch.Rod(1.0, 0.01),)
    assert ch.Body.sphere("s", 0.1, mass=1.0).shape == ch.Sphere(0.1)
    assert ch.Body("n", 1.0, (1, 1, 1)).shape is None


# --- meshes that have no inside ---


def test_a_mesh_without_one_triangle_is_open():
    whole = box_mesh()
    mesh = ch.Mesh(whole.vertices, whole.triangles[:-1])
    with pytest.raises(ch.InvalidBody, match="3 of its 33 edges have a triangle on one side only"):
        ch.Body.solid("part", mesh, mass=1.0)
    assert ch.Body("part", 1.0, (1, 1, 1), shapes=mesh).shapes == (mesh,)  # but it can be drawn


def test_a_mesh_that_points_inwards_is_refused_and_can_be_flipped():
    inverted = box_mesh().flipped()
    with pytest.raises(ch.InvalidBody, match="triangles point inwards") as caught:
        ch.Body.solid("part", inverted, mass=1.0)
    assert "flipped()" in caught.value.remedy
    assert inverted.flipped() == box_mesh()
    assert inverted.flipped().volume == pytest.approx(0.12)


def test_a_mesh_whose_neighbours_disagree_is_refused():
    whole = box_mesh()
    triangles = whole.triangles.copy()
    triangles[0] = triangles[0, ::-1]
    with pytest.raises(ch.InvalidBody, match=r"run twice in one direction|on one side only"):
        ch.Mesh(whole.vertices, triangles).volume  # noqa: B018


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ch.Mesh([(0, 0, 0)], [(0, 1, 2)]), "name vertices 0 to 2, but there are 1"),
        (lambda: ch.Mesh([(0, 0)], [(0, 0, 0)]), "vertices has shape"),
        (lambda: ch.Mesh([(0, 0, 0)] * 3, [(0.0, 1.0, 2.0)]), "triangles has shape"),
        (lambda: ch.Ring(0.3, 0.3, 1.0), "inner is 0.3 m and outer is 0.3 m"),
        (lambda: ch.Sphere(-1.0), "radius must be positive, got -1 m"),
        (lambda: ch.Box((1, 2, 0)), "edge length must be positive, got 0 m"),
        (lambda: ch.Cone(1.0, 1.0, "w"), "axis must be 'x', 'y' or 'z', got 'w'"),
        (lambda: ch.Sphere(1.0, colour="rde"), "there is no colour 'rde'"),
        (lambda: ch.Sphere(1.0, colour="#12345"), "colour is '#12345'"),
        (lambda: ch.Sphere(1.0, rotation=(2, 0, 0, 0)), "quaternion of norm 2"),
        (lambda: ch.Body("b", 1.0, (1, 1, 1), shapes=["ball"]), "one that can be drawn"),
        (lambda: ch.Body.solid("b", [], mass=1.0), "there are no shapes"),
        (
            lambda: ch.Body("b", 1, (1, 1, 1), shape=SHAPES[0], shapes=SHAPES),
            "both shape and shapes",
        ),
        (lambda: ch.Body.solid("b", ch.Sphere(1.0)), "mass is None and density is None"),
    ],
)
def test_what_is_not_a_shape_is_refused_by_name(make, message):
    with pytest.raises(ch.ChaslesError, match=message.replace("(", r"\(")):
        make()


# --- files ---


def write_stl(path, vertices, triangles):
    records = b"".join(
        struct.pack("<12fH", 0, 0, 0, *np.float32(vertices[triangle]).ravel(), 0)
        for triangle in triangles
    )
    path.write_bytes(b"part".ljust(80) + struct.pack("<I", len(triangles)) + records)


def write_text_stl(path, vertices, triangles):
    lines = ["solid part"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(map(repr, row)) for row in vertices[triangle].tolist()]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid part"]))


def write_obj(path, vertices, triangles):
    lines = ["# a box", "o part", *("v " + " ".join(map(repr, v)) for v in vertices.tolist())]
    lines += ["f " + " ".join(f"{k + 1}//1" for k in triangle) for triangle in triangles]
    path.write_text("\n".join(lines))


@pytest.mark.parametrize(
    "name, write", [("a.stl", write_stl), ("b.stl", write_text_stl), ("c.OBJ", write_obj)]
)
def test_a_box_from_a_file_is_the_box(tmp_path, name, write):
    size = np.array((256.0, 512.0, 1024.0))  # millimetres, exact in floats of 32 bits
    write(tmp_path / name, *own_triangles(ch.Box(size)))
    mesh = ch.Mesh.read(tmp_path / name, scale=1e-3, colour="brass")
    assert len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    box = ch.Body.box("b", 1e-3 * size, density=2.0)
    assert_allclose(
        ch.Body.solid("m", mesh, density=2.0).inertia, box.inertia, rtol=1e-12, atol=1e-16
    )


def test_faces_of_an_obj_with_many_corners_are_fans(tmp_path):
    path = tmp_path / "quad.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf -4 -3 -2\n")
    assert ch.Mesh.read(path).triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.ply", b"", "files that end in '.ply' are not read"),
        ("a.stl", b"x" * 90, "but has 90 bytes"),
        ("a.stl", b"solid\nvertex 1 2\n", "line 2: '1 2'"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "line 2: '2'"),
        ("a.obj", b"v 0 0 0\n", "has no faces"),
    ],
)
def test_a_file_that_is_no_mesh_says_where(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ch.InvalidFile, match=message):
        ch.Mesh.read(path)
    with pytest.raises(ch.InvalidFile, match="cannot be read"):
        ch.Mesh.read(tmp_path / "missing.stl")


def test_shapes_survive_json_to_the_bit():
    third = 1 / 3
    shapes = [replace(s, colour="red", position=(third, 0, -third)) for s in SHAPES]
    body = ch.Body("b", 1.0, (1, 1, 1), shapes=[*shapes, box_mesh((third, 1, 2)), *SHAPES])
    model = ch.Model([body])
    text = json.dumps(to_plain(model), allow_nan=False)
    assert from_plain(json.loads(text)) == model
    assert json.dumps(to_plain(from_plain(json.loads(text)))) == text


def test_models_saved_when_a_body_had_one_shape_are_read():
    plain = to_plain(ch.Model([ch.Body.box("b", SIZE, mass=1.0)]))
    (plain["bodies"][0]["shape"],) = plain["bodies"][0].pop("shapes")
    assert from_plain(plain).bodies[0].shapes == (ch.Box(SIZE),)
    plain["bodies"][0]["shape"] = None
    assert from_plain(plain).bodies[0].shapes == ()


def test_a_run_with_a_large_mesh_is_saved_and_loaded(tmp_path):
    vertices, triangles = own_triangles(ch.Sphere(0.3))
    many = np.concatenate([triangles] * 20)  # beyond what an attribute of HDF5 usually holds
    body = ch.Body("b", 1.0, (1, 1, 1), shapes=ch.Mesh(vertices, many))
    result = ch.simulate(ch.Model([body]), until=0.02, step=0.01)
    assert ch.load(result.save(tmp_path / "run.nc")).model == result.model


@pytest.mark.parametrize("name, tubes", [("chain-10", 9), ("A02-40", 0), ("A02", 0)])
def test_a_long_chain_of_round_links_is_a_tube(name, tubes):
    """Balls of its own radius and colour in place of the joints; the one on the ground is shown."""
    model = ch.library[name].model()
    scene = scene_of(model)
    balls = [p for p in scene.parts if isinstance(p.shape, ch.Sphere) and p.role == "body"]
    assert len(balls) == tubes
    if tubes:
        assert {p.shape.radius for p in balls} == {0.01}
        assert len({p.colour for p in scene.parts if p.role == "body"}) == 1
        assert {p.body for p in scene.parts if p.role == "joint"} <= {"ground", "link 0"}
