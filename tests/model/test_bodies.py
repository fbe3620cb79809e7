"""A body is physical or refused, and the refusal says who, what and by how much."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from test_nasty_values import Unprintable

from chasles.model import Body, InvalidBody, Rod, Sphere

NAN, INF = float("nan"), float("inf")
ROUND = (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "mass, said",
    [(-1.5, "-1.5 kg"), (0.0, "0 kg"), (NAN, "nan"), (INF, "inf"), ("2", "'2'"), (None, "None")],
)
def test_a_mass_is_finite_and_positive(mass, said, refusal):
    what = refusal(lambda: Body("crank", mass, ROUND), InvalidBody)
    assert "body 'crank'" in what and "mass" in what and said in what


@pytest.mark.parametrize(
    "inertia, said",
    [
        ([[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]], ["not symmetric", "1.0e-01"]),
        ((1, 1, -0.5), ["not positive definite", "-0.5"]),
        ((1, 1, 0), ["not positive definite", "(0, 1, 1)"]),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], ["not positive definite", "-1"]),
        ((1, 1, 2.5), ["triangle inequality", "0.5", "2.5"]),
        ((0, 0, 0), ["not positive definite"]),
        ((1, NAN, 1), ["must be finite", "nan"]),
        ((1, 1), ["shape (2,)"]),
        (np.eye(4), ["shape (4, 4)"]),
        ([[1, 2, 3], [4, 5]], ["must be an array"]),
        ("heavy", ["'heavy'"]),
        ((1j, 1, 1), ["must be an array of real numbers"]),
    ],
)
def test_an_inertia_is_one_that_a_mass_can_have(inertia, said, refusal):
    what = refusal(lambda: Body("crank", 1.0, inertia), InvalidBody)
    assert "body 'crank'" in what and "inertia" in what
    for part in said:
        assert part in what


def test_a_flat_plate_sits_on_the_edge_of_the_triangle_inequality():
    plate = Body("plate", 1.0, (0.1, 0.2, 0.1 + 0.2))
    assert np.diag(plate.inertia).tolist() == [0.1, 0.2, 0.1 + 0.2]


@given(points=st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=4, max_size=8, unique=True))
def test_every_cloud_of_points_that_fills_space_is_accepted(points):
    cloud = np.array(points) - np.mean(points, axis=0)
    spread = cloud.T @ cloud
    if np.linalg.eigvalsh(spread)[0] < 1e-6:
        return  # in a plane or on a line: not a solid
    inertia = np.trace(spread) * np.eye(3) - spread
    assert_allclose(Body("cloud", len(points), inertia).inertia, inertia, rtol=0)


@pytest.mark.parametrize("field", ["position", "velocity", "angular_velocity"])
@pytest.mark.parametrize(
    "value, said", [((0, NAN, 0), "nan"), ((1, 2), "(2,)"), (3.0, "the number 3"), ("up", "'up'")]
)
def test_a_vector_is_three_finite_numbers(field, value, said, refusal):
    what = refusal(lambda: Body("crank", 1.0, ROUND, **{field: value}), InvalidBody)
    assert "body 'crank'" in what and field in what and said in what


@pytest.mark.parametrize(
    "rotation, said",
    [
        (np.eye(3) * (1 + 1e-6), "2.0e-06"),
        (np.diag([1.0, 1.0, -1.0]), "reflection"),
        ((1.001, 0, 0, 0), "1.001"),
        ((0, 0, 0, 0), "norm 0"),
        (np.eye(2), "shape (2, 2)"),
        ((1, 0, 0, NAN), "nan"),
    ],
)
def test_a_rotation_is_a_rotation(rotation, said, refusal):
    what = refusal(lambda: Body("crank", 1.0, ROUND, rotation=rotation), InvalidBody)
    assert "body 'crank'" in what and "rotation" in what and said in what


def test_a_quaternion_is_scalar_first_and_maps_body_to_world():
    half = np.sqrt(0.5)
    body = Body("crank", 1.0, ROUND, rotation=(half, 0, 0, half))  # a quarter turn about z
    assert_allclose(np.array(body.rotation) @ [1, 0, 0], [0, 1, 0], atol=1e-15)


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_a_quaternion_gives_the_matrix_of_scipy(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    body = Body("crank", 1.0, ROUND, rotation=(w, x, y, z))
    assert_allclose(body.rotation, Rotation.from_quat([x, y, z, w]).as_matrix(), atol=1e-15)


def test_a_matrix_within_tolerance_is_stored_as_given():
    almost = np.eye(3)
    almost[0, 1] = 1e-11
    assert Body("crank", 1.0, ROUND, rotation=almost).rotation[0][1] == 1e-11


@pytest.mark.parametrize("name", ["", "  ", None, 3, "ground"])
def test_a_body_has_a_name_of_its_own(name, refusal):
    assert repr(name) in refusal(lambda: Body(name, 1.0, ROUND), InvalidBody)


def test_a_body_is_plain_data_that_cannot_be_changed():
    body = Body("crank", np.float32(1), np.eye(3), position=np.array([1, 2, 3]))
    assert body.position == (1.0, 2.0, 3.0) and type(body.position[0]) is float
    assert type(body.mass) is float and body.velocity is None
    assert hash(body) == hash(Body("crank", 1.0, ROUND, position=[1, 2, 3]))
    with pytest.raises(AttributeError):
        body.mass = 2.0


# ---------------------------------------------------------------- solids


def quadrature(inside, half, count=120):
    """Volume and inertia at unit density by the midpoint rule on a grid over a cuboid."""
    axes = [h * (2 * np.arange(count) + 1 - count) / count for h in half]
    x, y, z = np.meshgrid(*axes, indexing="ij", sparse=True)
    weight = inside(x, y, z) * (8 * np.prod(half) / count**3)
    second = [float((weight * s * s).sum()) for s in (x, y, z)]
    xx, yy, zz = second
    return float(weight.sum()), np.array([yy + zz, zz + xx, xx + yy])


@pytest.mark.parametrize(
    "make, inside, half",
    [
        (
            lambda d: Body.box("solid", (0.2, 0.5, 0.9), density=d),
            lambda x, y, z: np.ones(np.broadcast_shapes(x.shape, y.shape, z.shape)),
            (0.1, 0.25, 0.45),
        ),
        (
            lambda d: Body.cylinder("solid", 0.3, 1.0, density=d),
            lambda x, y, z: (x**2 + y**2 < 0.09) * np.ones_like(z),
            (0.3, 0.3, 0.5),
        ),
        (
            lambda d: Body.cylinder("solid", 0.3, 1.0, density=d, axis="y"),
            lambda x, y, z: (x**2 + z**2 < 0.09) * np.ones_like(y),
            (0.3, 0.5, 0.3),
        ),
        (
            lambda d: Body.rod("solid", 1.0, radius=0.05, density=d),
            lambda x, y, z: (y**2 + z**2 < 0.0025) * np.ones_like(x),
            (0.5, 0.05, 0.05),
        ),
        (
            lambda d: Body.sphere("solid", 0.7, density=d),
            lambda x, y, z: x**2 + y**2 + z**2 < 0.49,
            (0.7, 0.7, 0.7),
        ),
    ],
    ids=["box", "cylinder z", "cylinder y", "thick rod", "sphere"],
)
def test_mass_and_inertia_of_a_solid_are_its_volume_integrals(make, inside, half):
    body = make(250.0)
    volume, inertia = quadrature(inside, half)
    assert body.mass == pytest.approx(250.0 * volume, rel=2e-3)
    assert_allclose(body.inertia, 250.0 * np.diag(inertia), rtol=2e-3)


def test_the_heavy_top_of_the_paper():
    top = Body.box("top", size=(0.1, 0.2, 0.4), mass=21.6)
    assert_allclose(top.inertia, np.diag([0.36, 0.306, 0.09]), rtol=1e-15)


def test_a_slender_rod_has_the_textbook_moment_across():
    rod = Body.rod("rod", length=2.0, mass=3.0, axis="y")
    along = 3.0 * 0.02**2 / 2
    assert_allclose(rod.inertia, np.diag([1.0, along, 1.0]), rtol=1e-15)
    assert rod.shape == Rod(radius=0.02, length=2.0, axis="y")


def test_mass_and_density_describe_the_same_solid():
    heavy = Body.sphere("ball", 0.1, density=7850.0)
    assert_allclose(Body.sphere("ball", 0.1, mass=heavy.mass).inertia, heavy.inertia, rtol=1e-15)


def test_a_solid_takes_the_start_of_any_body():
    box = Body.box("box", (1, 1, 1), mass=1.0, position=(1, 2, 3), angular_velocity=(0, 0, 1))
    assert box.position == (1.0, 2.0, 3.0) and box.angular_velocity == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Body.box("crank", (1, 1, 1)), "mass is None and density is None"),
        (lambda: Body.box("crank", (1, 1, 1), mass=1.0, density=2.0), "density is 2.0"),
        (lambda: Body.box("crank", (1, 0, 1), mass=1.0), "0 m"),
        (lambda: Body.box("crank", (1, 1), mass=1.0), "size"),
        (
            lambda: Body.box("crank", (1, 1, 1), density=-3.0),
            "density must be positive, got -3 kg/m^3",
        ),
        (lambda: Body.sphere("crank", -0.1, mass=1.0), "radius must be positive, got -0.1 m"),
        (lambda: Body.cylinder("crank", 0.1, NAN, mass=1.0), "length must be finite, got nan"),
        (
            lambda: Body.cylinder("crank", 0.1, 1.0, mass=1.0, axis="w"),
            "axis must be 'x', 'y' or 'z', got 'w'",
        ),
        (lambda: Body.rod("crank", 1.0, density=7850.0), "radius"),
        (lambda: Body.rod("crank", 0.0, mass=1.0), "length must be positive, got 0 m"),
        (lambda: Body.rod("crank", 1.0, mass=-2.0), "mass must be positive, got -2 kg"),
    ],
)
def test_a_solid_that_cannot_be_is_refused(make, said, refusal):
    what = refusal(make, InvalidBody)
    assert "body 'crank'" in what and said in what


def test_a_body_shows_its_mass_its_place_and_its_shapes():
    brick = Body.box("brick", (1, 2, 3), mass=2.5, position=(0, 0, 1.5))
    assert repr(brick) == "Body('brick', 2.5 kg at (0, 0, 1.5) m, box)"
    centre = Body("tilted", 1.0, (1, 1, 1), position=(1e-19, -3e-18, 0.5))
    assert repr(centre) == "Body('tilted', 1 kg at (0, 0, 0.5) m)"  # 1e-19 m is round-off
    assert repr(Body("point", 1.0, (1, 1, 1))) == "Body('point', 1 kg at (0, 0, 0) m)"


def test_a_body_with_both_words_for_shapes_is_refused_whatever_its_name():
    for name in ("ball", Unprintable()):
        with pytest.raises(InvalidBody):
            Body(name, 1.0, (1, 1, 1), shape=Sphere(0.1), shapes=[Sphere(0.1)])
