"""Motion groups are recognised from geometry at any pose and size, and only where they are."""

import numpy as np
import pytest
from mechanisms import random_rotation
from scipy.linalg import logm
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.spaces.exactness import Geometry
from chasles.spaces.invariance import Chart, keeps
from chasles.spaces.subalgebras import brackets, closure, contains, orthonormal, scale_of
from chasles.spaces.subgroups import classify

UPRIGHT = np.eye(3)
X, Y, Z = UPRIGHT
ORIGIN, P, Q = np.zeros(3), np.array((0.7, 0.2, -0.1)), np.array((0.1, 0.9, 0.3))


def R(at, axis):
    return ("Revolute", at, axis)


def S(axis):
    return ("Prismatic", ORIGIN, axis)


def C(at, axis):
    return ("Cylindrical", at, axis)


def H(at, axis):
    return ("Helical", at, axis)


#: Chains from the ground, and the group their last body is confined to.
CHAINS = {
    "identity": [("Fixed", ORIGIN, Z)],
    "translation along a line": [S(X), S(X)],
    "translation in a plane": [S(X), S(X + Y)],
    "translation": [S(X), S(Y), S(Z)],
    "revolute": [R(P, Z), R(P + 0.4 * Z, -Z)],
    "helical": [H(P, Z), H(P - Z, Z)],
    "cylindrical": [R(P, Z), S(Z)],
    "planar": [R(ORIGIN, Z), R(P, Z)],
    "planar-helical": [S(X), S(Y), H(P, Z)],
    "Schoenflies": [R(ORIGIN, Z), R(P, Z), S(Z)],
    "spherical": [R(P, X), R(P, Y)],
    "SE(3)": [R(ORIGIN, X), R(P, Y), R(Q, Z)],
}
DIMENSIONS = dict(zip(CHAINS, (0, 1, 2, 3, 1, 1, 2, 3, 3, 4, 3, 6)))


def mechanism(parts, turn=UPRIGHT, shift=ORIGIN, size=1.0) -> ch.Model:
    """A chain of joints, the whole of it turned, shifted and scaled."""
    bodies, joints = [], []
    for k, (kind, at, axis) in enumerate(parts):
        place = turn @ (size * (np.array(at) + (0.1 * k, 0.3, 0.2))) + shift
        bodies.append(ch.Body(f"b{k}", 1.0, np.full(3, 1e-6), place))
        base = ch.GROUND if k == 0 else bodies[-2]
        more = {} if kind == "Fixed" else {"axis": turn @ axis}
        more |= {"pitch": 0.2 * size} if kind == "Helical" else {}
        at = turn @ (size * np.array(at)) + shift
        joints.append(getattr(ch, kind)(f"j{k}", base, bodies[-1], at=at, **more))
    return ch.Model(bodies, joints)


def algebra(model, body):
    """What the motion of a body is confined to, in world coordinates."""
    geometry = Geometry(model)
    return geometry.scale.world(geometry.confined[body])


def group(model: ch.Model, body: str | None = None):
    body = body or model.body_names[-1]
    return classify(algebra(model, body), scale_of(model))


@pytest.mark.parametrize("name", CHAINS)
def test_every_class_of_subgroups_is_recognised(name):
    found = group(mechanism(CHAINS[name]))
    assert (found.name, found.dimension) == (name, DIMENSIONS[name])


@pytest.mark.parametrize("size", (1e-3, 1.0, 1e4))
@pytest.mark.parametrize("name", CHAINS)
def test_recognition_does_not_depend_on_pose_and_size(name, size):
    rng = np.random.default_rng(1)
    for _ in range(5):
        turn, shift = random_rotation(rng), size * rng.uniform(-10, 10, 3)
        found = group(mechanism(CHAINS[name], turn, shift, size))
        assert found.name == name
        if found.point is not None:
            where = turn @ (size * P) + shift
            away = np.subtract(found.point, where)
            away -= 0.0 if found.axis is None else np.dot(away, found.axis) * np.array(found.axis)
            assert np.linalg.norm(away) < 1e-12 * size * 30
        if "helical" in name:
            assert abs(found.pitch) == pytest.approx(0.2 * size, rel=1e-12)


@pytest.mark.parametrize("name", CHAINS)
def test_every_class_is_a_subgroup_of_the_product_group_framed_on_a_suitable_point(name):
    """Its point where it has one, any point else: products of its exponentials stay in it."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        turn, shift = random_rotation(rng), rng.uniform(-2, 2, 3)
        model = mechanism(CHAINS[name], turn, shift)
        basis, found = algebra(model, model.body_names[-1]), group(model)
        point = rng.normal(size=3) if found.point is None else np.array(found.point)
        assert keeps(Chart(True, point), orthonormal(basis))
        x, y = (basis @ rng.normal(size=basis.shape[1]) * 0.4 for _ in range(2))
        turned = (Rotation.from_rotvec(x[:3]) * Rotation.from_rotvec(y[:3])).as_matrix()
        moved = x[3:] + np.cross(x[:3], point) + y[3:] + np.cross(y[:3], point)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turned, point + moved - turned @ point
        log = logm(pose).real
        twist = np.array([log[2, 1], log[0, 2], log[1, 0], *log[:3, 3]])[:, None]
        assert contains(orthonormal(basis), twist)
        if found.point is not None:
            off = point + rng.normal(size=3)
            assert not keeps(Chart(True, off), orthonormal(basis))


TILT = np.array((1.0, 0.5, 0.2))
#: A chain, the same with something off by e, and what is then left of the group.
PERTURBED = {
    "translation along a line": lambda e: [S(X), S(X + e * Y)],
    "translation in a plane": lambda e: [S(X), S(Y), S(X + Y + e * Z)],
    "revolute": lambda e: [R(P, Z), R(P + e * X, Z)],
    "cylindrical": lambda e: [R(P, Z), S(Z + e * X)],
    "planar": lambda e: [R(ORIGIN, Z), R(P, Z + e * X)],
    "planar-helical": lambda e: [S(X), S(Y + e * Z), H(P, Z)],
    "Schoenflies": lambda e: [R(ORIGIN, Z), R(P, Z + e * X), S(Z)],
    "spherical": lambda e: [R(P, X), R(P + e * Z, Y)],
}


@pytest.mark.parametrize("name", PERTURBED)
def test_what_is_off_by_more_than_the_tolerance_is_not_recognised(name):
    assert group(mechanism(PERTURBED[name](1e-11))).name == name
    found = group(mechanism(PERTURBED[name](2e-8)))
    assert found.name != name and found.dimension > DIMENSIONS[name]


def test_a_loop_confines_more_than_its_chains():
    """Sarrus' linkage: two chains of three parallel hinges leave a straight translation."""
    bodies = [ch.Body(n, 1.0, (1, 1, 1), p) for n, p in (
        ("a1", (1, 0, 0.5)), ("a2", (1, 0, 1.5)), ("b1", (0, 1, 0.5)), ("b2", (0, 1, 1.5)),
        ("top", (0, 0, 2)),
    )]  # fmt: skip
    joints = []
    for leg, axis, out in (("a", Y, X), ("b", X, Y)):
        stops = [("ground", 1.0 * out), (f"{leg}1", 1.5 * out + Z), (f"{leg}2", out + 2 * Z)]
        for k, (base, at) in enumerate(stops):
            child = (f"{leg}1", f"{leg}2", "top")[k]
            joints.append(ch.Revolute(f"{leg} hinge {k}", base, child, at=at, axis=axis))
    model = ch.Model(bodies, joints)
    found = group(model, "top")
    assert found.name == "translation along a line"
    assert np.abs(found.axis) == pytest.approx(Z)
    assert group(model, "a2").name == "planar"


def test_bodies_that_float_are_not_confined():
    assert group(ch.Model([ch.Body("free", 1.0, (1, 1, 1))])).name == "SE(3)"


def test_closures_are_closed_and_as_small_as_they_can_be():
    rng = np.random.default_rng(0)
    for _ in range(50):
        twists = rng.normal(size=(6, int(rng.integers(1, 4))))
        basis = closure(twists)
        assert contains(basis, brackets(basis, basis))
        assert contains(basis, orthonormal(twists))
    assert closure(rng.normal(size=(6, 1))).shape[1] == 1
