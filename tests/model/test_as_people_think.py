"""Rotations, rods between points, composites and mechanisms as parts: the ways people say them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.model.rotations import rotation_of

unit = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)
angle = st.floats(-6, 6)
point = st.tuples(*[st.floats(-100, 100)] * 3)


def matrix(value):
    return np.array(ch.Body("b", 1.0, (1, 1, 1), rotation=value).rotation)


# --- rotations ------------------------------------------------------------------------------------


@given(axis=unit, angle=angle)
def test_axis_and_angle_are_scipys_rotation_vector(axis, angle):
    expected = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    for spelling in ((axis, angle), {"axis": axis, "angle": angle}, expected):
        assert np.allclose(matrix(spelling), expected.as_matrix(), atol=1e-14)


@given(letters=st.sampled_from(["xyz", "zyx", "zxz", "xy", "y"]), capital=st.booleans(),
       angles=st.tuples(angle, angle, angle))  # fmt: skip
def test_euler_angles_are_scipys(letters, capital, angles):
    letters = letters.upper() if capital else letters
    angles = angles[: len(letters)]
    expected = Rotation.from_euler(letters, angles).as_matrix()
    assert np.allclose(matrix((letters, angles)), expected, atol=1e-14)
    assert np.allclose(matrix({"euler": letters, "angles": list(angles)}), expected, atol=1e-14)


def test_a_quaternion_has_its_real_part_first():
    expected = Rotation.from_euler("z", 0.7)
    x, y, z, w = expected.as_quat()
    assert np.allclose(matrix((w, x, y, z)), expected.as_matrix(), atol=1e-15)
    assert np.allclose(matrix({"quaternion": [w, x, y, z]}), expected.as_matrix(), atol=1e-15)
    assert np.allclose(matrix(("z", 0.7)), expected.as_matrix(), atol=1e-15)


@pytest.mark.parametrize(
    "value, said",
    [
        ((0.1, 0.2, 0.3), "Euler angles or a rotation vector"),
        ([0.1, 0.2, 0.3], "Euler angles or a rotation vector"),
        ("z", "rotation is 'z'"),
        ((0.5, (0, 0, 1)), "the axis comes first"),
        ((0.5, "z"), "the axis comes first"),
        (("q", 0.5), "'q'"),
        (((0, 0, 0), 0.5), "points nowhere"),
        (("z", 90), "90 rad"),
        (("zyx", (0.1, 0.2)), "as many as their axes 'zyx', got (0.1, 0.2)"),
        (("zYx", (0.1, 0.2, 0.3)), "'zYx'"),
        (("xyzx", (0.1, 0.2, 0.3, 0.4)), "'xyzx'"),
        (("xyz", "abc"), "as many as their axes 'xyz', got 'abc'"),
        (("z", None), "as many as their axes 'z', got None"),
        ({"axis": "z"}, "the fields axis"),
        ({"axis": "z", "angle": 0.1, "euler": "z"}, "the fields"),
        ({"quaternion": (1, 0, 0)}, "quaternion must be four numbers, got (1, 0, 0)"),
        ({}, "none"),
        (Rotation.from_euler("z", [[0.1], [0.2]]), "must be one rotation, got 2"),
        ((0.1, 0.2, 0.3, 0.4), "norm"),
        (None, "rotation"),
        (3.0, "rotation is 3.0"),
    ],
)
def test_a_rotation_with_more_than_one_meaning_is_refused(value, said, refusal):
    message = refusal(lambda: rotation_of(value, "body 'b'"), ch.InvalidBody)
    assert "body 'b'" in message and said in message


@pytest.mark.parametrize("name, vector", [("x", (1, 0, 0)), ("-z", (0, 0, -1)), ("y", (0, 1, 0))])
def test_axes_have_names(name, vector, refusal):
    assert ch.Revolute("h", ch.GROUND, "b", (0, 0, 0), axis=name).axis == vector
    assert ch.PointDriver("d", "b", None, name, ch.Signal.linear(1)).direction == vector
    with_two = ch.Universal("u", ch.GROUND, "b", (0, 0, 0), axis=name, axis_b=np.roll(vector, 1))
    assert with_two.axis == vector
    message = refusal(
        lambda: ch.Revolute("h", ch.GROUND, "b", (0, 0, 0), axis="w"), ch.InvalidJoint
    )
    assert "axis must be a vector or the name of an axis, got 'w'" in message and "'-x'" in message


# --- bodies ---------------------------------------------------------------------------------------


@given(p=point, q=point, axis=st.sampled_from("xyz"))
def test_a_rod_between_points_ends_there(p, q, axis):
    if np.linalg.norm(np.subtract(p, q)) < 1e-3:
        return
    rod = ch.Body.rod("rod", mass=1.0, axis=axis, between=(p, q))
    half = np.array(rod.rotation) @ np.eye(3)["xyz".index(axis)] * rod.shape.length / 2
    assert np.allclose(rod.position + half, q, atol=1e-11)
    assert np.allclose(rod.position - half, p, atol=1e-11)
    tube = ch.Body.cylinder("tube", 0.1, density=1e3, axis=axis, between=(p, q))
    assert np.allclose(tube.rotation, rod.rotation) and tube.shape.length == rod.shape.length


@pytest.mark.parametrize("away", [0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
def test_a_rod_that_points_backwards_is_well_turned(away):
    rod = ch.Body.rod("rod", mass=1.0, between=((1, 0, 0), (0, away, 0)))
    along = np.array(rod.rotation)[:, 0]
    direction = np.array((-1, away, 0)) / np.hypot(1, away)
    assert np.allclose(along, direction, atol=1e-14)
    assert np.allclose(np.transpose(rod.rotation) @ rod.rotation, np.eye(3), atol=1e-14)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"between": ((0, 0, 0), (0, 0, 0))}, "0 m apart"),
        ({"between": (0, 0, 0)}, "shape (3,)"),
        ({"between": ((0, 0, 0), (1, 0, 0)), "length": 1.0}, "length was given as well as between"),
        (
            {"between": ((0, 0, 0), (1, 0, 0)), "position": (0, 0, 0)},
            "position was given as well as between",
        ),
        (
            {"between": ((0, 0, 0), (1, 0, 0)), "rotation": np.eye(3)},
            "rotation was given as well as between",
        ),
        ({}, "neither its length nor its ends"),
    ],
)
def test_ends_that_make_no_rod_are_named(given, said, refusal):
    message = refusal(lambda: ch.Body.rod("rod", mass=1.0, **given), ch.InvalidBody)
    assert "body 'rod'" in message and said in message


def test_a_composite_is_what_it_is_made_of():
    """Eight blocks are a larger block; a large block less seven is the eighth."""
    size = np.array((0.2, 0.4, 0.6))
    signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, 8).T
    turn = Rotation.from_euler("ZYX", (0.3, 0.5, 0.7))
    blocks = [
        ch.Body.box(f"{k}", size, density=1000.0, rotation=turn,
                    position=turn.apply(sign * size) + (1, 2, 3))
        for k, sign in enumerate(signs)
    ]  # fmt: skip
    whole = ch.Body.box("whole", 2 * size, density=1000.0, rotation=turn, position=(1, 2, 3))
    found = ch.Body.composite("whole", blocks, rotation=turn)
    assert np.isclose(found.mass, whole.mass) and np.allclose(found.position, whole.position)
    assert np.allclose(found.inertia, whole.inertia, rtol=1e-13)
    last = ch.Body.composite("7", [whole], holes=blocks[:7], rotation=turn)
    assert np.isclose(last.mass, blocks[7].mass)
    assert np.allclose(last.position, blocks[7].position, atol=1e-12)
    assert np.allclose(last.inertia, blocks[7].inertia, atol=1e-11)


def test_a_solid_of_shapes_is_the_composite_of_their_bodies():
    """Two ways to the same body, which draws its parts where they were."""
    turn = Rotation.from_euler("ZYX", (0.3, 0.5, 0.7))
    places = [((0.1, 0.2, 0.3), ("y", 0.4)), ((1.0, -0.5, 0.2), ("x", 1.1))]
    shapes = [ch.Cylinder(0.1, 0.8, position=places[0][0], rotation=places[0][1]),
              ch.Box((0.3, 0.2, 0.1), position=places[1][0], rotation=places[1][1])]  # fmt: skip
    solid = ch.Body.solid("solid", shapes, density=1000.0)
    parts = [
        ch.Body.cylinder(
            "a", 0.1, 0.8, density=1000.0, position=places[0][0], rotation=places[0][1]
        ),
        ch.Body.box(
            "b", (0.3, 0.2, 0.1), density=1000.0, position=places[1][0], rotation=places[1][1]
        ),
    ]
    whole = ch.Body.composite("whole", parts)
    assert np.isclose(whole.mass, solid.mass) and np.allclose(whole.position, solid.position)
    assert np.allclose(whole.inertia, solid.inertia, rtol=1e-13)
    for found in (solid, whole, ch.Body.composite("turned", parts, rotation=turn)):
        axes = np.array(found.rotation)
        for drawn, shape in zip(found.shapes, shapes, strict=True):
            assert np.allclose(found.position + axes @ drawn.position, shape.position)
            assert np.allclose(axes @ drawn.rotation, shape.rotation)


@pytest.mark.parametrize(
    "parts, holes, said",
    [
        ([], (), "made of nothing"),
        (3, (), "parts must be a list of Body, got 3"),
        (["ball"], (), "parts must be a list of Body, got ['ball']"),
        ([ch.Body.sphere("a", 1, 1)], [ch.Body.sphere("b", 1, 1)], "mass of 0 kg"),
        ([ch.Body.sphere("a", 1, 1, velocity=(1, 0, 0))], (), "velocity of its own"),
    ],
)
def test_composites_of_nothing_are_refused(parts, holes, said, refusal):
    message = refusal(lambda: ch.Body.composite("c", parts, holes), ch.InvalidBody)
    assert "body 'c'" in message and said in message


# --- mechanisms as parts --------------------------------------------------------------------------


SIX = range(6)


def level(pose_a, pose_b):
    return (pose_b[1][2],)


def leg():
    thigh = ch.Body.rod("thigh", mass=2.0, between=((0, 0, 0), (0.3, 0, -0.4)))
    shank = ch.Body.rod("shank", mass=1.0, between=((0.3, 0, -0.4), (0, 0.1, -0.9)))
    hip = ch.Universal("hip", ch.GROUND, thigh, (0, 0, 0), axis="x", axis_b="y")
    knee = ch.Revolute("knee", thigh, shank, (0.3, 0, -0.4), axis=(0, 1, 0.2))
    forces = [
        ch.TorsionSpring("tendon", knee, 5.0, 0.1, rest=0.2),
        ch.Spring("coil", ch.GROUND, shank, (1, 0, 0), (0, 0.1, -0.9), 20.0),
        ch.Load("push", thigh, force=(1, 2, 3), at=(0.3, 0, -0.4)),
        ch.Bushing("pad", ch.GROUND, shank, (0, 0, -1), (3, 3, 4, 1, 1, 2), axis=(1, 0, 1)),
        ch.Drag("air", thigh, linear=0.1),
    ]
    drivers = [ch.PointDriver("shake", shank, None, "z", ch.Signal.sine(0.01, 2.0))]
    return ch.Model([thigh, shank], [hip, knee], forces, drivers, gravity=(0, 0, 0))


def test_a_mechanism_elsewhere_moves_in_the_same_way():
    """Without gravity, x(t) becomes R x(t) + p: space is homogeneous and isotropic."""
    turn, shift = Rotation.from_euler("xyz", (0.4, -1.1, 2.0)), np.array((3.0, -1.0, 2.0))
    there = leg().placed("left ", shift, turn)
    first = ch.simulate(leg(), until=0.2, step=1e-3)
    second = ch.simulate(there, until=0.2, step=1e-3)
    for name in ("thigh", "shank"):
        expected = first.position(name) @ turn.as_matrix().T + shift
        assert np.allclose(second.position(f"left {name}"), expected, atol=1e-9)
        spin = first.angular_velocity(name), second.angular_velocity(f"left {name}")
        assert np.allclose(*spin, atol=1e-8)


def test_nothing_is_moved_by_nothing():
    assert leg().placed() == leg()
    moving = ch.Model([replace(leg().bodies[0], velocity=(1.0, 2.0, 3.0))])
    turned = moving.placed(rotation=("z", np.pi / 2)).bodies[0]
    assert np.allclose(turned.velocity, (-2, 1, 3))


def test_legs_are_added():
    pair = leg().placed("left ") + leg().placed("right ", position=(0, 1, 0))
    assert pair.body_names == ("left thigh", "left shank", "right thigh", "right shank")
    assert pair.joint("right hip").a == "ground" and pair.joint("right knee").a == "right thigh"
    assert pair.force("right tendon").joint == "right knee"
    tied = pair.with_parts(joints=[ch.Fixed("tie", "left shank", "right shank")])
    assert tied.joint_names[-1] == "tie" and tied.forces == pair.forces


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: leg() + leg(), "a body 'thigh'"),
        (lambda: leg() + ch.Model([ch.Body.sphere("b", 1, 1)]), "different gravity"),
        (lambda: leg().placed(3), "prefix must be a text, got 3"),
        (lambda: leg().placed(position=(1, 2)), "position must be a vector of three numbers"),
        (lambda: leg().placed(rotation=(1, 2, 3)), "Euler"),
        (lambda: leg().with_parts(forces=[ch.Bushing("odd", "ground", "thigh", (0, 0, 0), SIX)])
            .placed(rotation=("x", 1)), "bushing 'odd'"),
        (lambda: leg().with_parts(forces=[ch.Load("f", "thigh", lambda t: (t, 0, 0))])
            .placed(rotation=("x", 1)), "load 'f' has a function"),
        (lambda: leg().with_parts(joints=[ch.CustomJoint("c", "ground", "thigh", level, 1)])
            .placed(position=(1, 0, 0)), "customjoint 'c'"),
        (lambda: ch.Model([ch.Body.sphere("b", 1, 1)], [], [], (0, 0, -9.81)), "gravity=(0.0"),
    ],
)  # fmt: skip
def test_what_cannot_be_moved_or_added_is_named(make, said, refusal):
    assert said in refusal(make, ch.ChaslesError)


def test_a_model_plus_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        leg() + 3


def test_the_summary_of_a_coupling_names_the_coordinate_that_is_meant():
    screw = ch.Coupling("thread", {"sleeve.angle": 0.01, "sleeve.displacement": -1})
    assert screw.summary == "coupling thread: 0.01 sleeve.angle - 1 sleeve.displacement = 0"
