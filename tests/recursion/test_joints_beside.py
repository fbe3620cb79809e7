"""Joints beside the one that carries a body: what both allow together is a group of motions."""

import numpy as np
import pytest

import chasles as ch

METHODS = ["euler", "heun", "rk4", "dop853"]


def door(spin: float, second, first=ch.Spherical) -> ch.Model:
    """A door on two joints, one above the other, that spins about the line through them."""
    size, spin_z = (0.8, 0.04, 2.0), (0, 0, spin)
    leaf = ch.Body.box("door", size, 20.0, position=(0.4, 0, 1), angular_velocity=spin_z)
    axis = {} if first is ch.Spherical else {"axis": (0, 0, 1)}
    low = first("low", ch.GROUND, leaf, at=(0, 0, 0.2), **axis)
    return ch.Model([leaf], [low, second(leaf)])


def high_ball(leaf):
    return ch.Spherical("high", ch.GROUND, leaf, at=(0, 0, 1.8))


def high_sleeve(leaf):
    return ch.Cylindrical("high", ch.GROUND, leaf, at=(0, 0, 1.8), axis=(0, 0, 1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("second", [high_ball, high_sleeve])
@pytest.mark.parametrize("spin", [3.0, 300.0])
def test_a_door_on_two_joints_holds_to_rounding(second, method, spin):
    model = door(spin, second)
    assert "high" in ch.designate(model).exact
    result = ch.simulate(model, 4.0, step=1e-3, method=method, save_every=50)
    for name in model.joint_names:
        assert result.violation(name).max() < 2e-12
    assert "holds to round-off" in str(result.certificate("high"))


def test_two_sleeves_on_one_axis_slide_and_turn_and_hold():
    model = door(300.0, high_sleeve, first=ch.Cylindrical)
    result = ch.simulate(model, 1.0, step=1e-3, method="heun")
    assert result.violation("high").max() < 1e-12
    fallen = result.position("door")[-1, 2] - 1.0
    assert fallen == pytest.approx(-0.5 * 9.81, rel=1e-9)  # heun is exact for a fall


def test_hundreds_of_doors_are_groups_of_their_own():
    leaves, joints = [], []
    for k in range(40):
        leaf = ch.Body.box(
            f"door {k}", size=(0.8, 0.04, 2.0), mass=20.0, position=(0.4 + k, 0, 1),
            angular_velocity=(0, 0, 100.0),
        )  # fmt: skip
        leaves.append(leaf)
        for name, z in (("low", 0.2), ("high", 1.8)):
            joints.append(ch.Spherical(f"{name} {k}", ch.GROUND, leaf, at=(k, 0, z)))
    result = ch.simulate(ch.Model(leaves, joints), 1.0, step=1e-3, method="heun", save_every=100)
    assert max(result.violation(f"high {k}").max() for k in range(40)) < 1e-12


def test_a_joint_that_repeats_the_one_beside_it_takes_no_velocity_away():
    at = (0.0, 0.0, 0.37)  # its rows are rounding errors: no subspace is to be read from them
    rod = ch.Body("rod", 2.0, (0.2, 0.1, 0.15), (0.37, 0, 0), angular_velocity=(-0.4, 0.5, 0.9))
    balls = [ch.Spherical(name, ch.GROUND, rod, at=at) for name in ("one", "two")]
    plane = ch.PointOnPlane("plane", ch.GROUND, rod, at=(0.37, 0, 0), axis=(1, 1, 0))
    options = {"step": 1e-3, "save_every": 10, "close": True}
    ours = ch.simulate(ch.Model([rod], [*balls, plane]), 0.2, spaces="subgroups", **options)
    once = ch.simulate(ch.Model([rod], [balls[0], plane]), 0.2, spaces="SE3", **options)
    assert not ours.provenance["warnings"]
    assert ours.violation("two").max() < 1e-15
    assert abs(ours.position("rod") - once.position("rod")).max() < 1e-9


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e6])
def test_a_door_of_any_size_holds(size):
    box = (0.8 * size, 0.04 * size, 2.0 * size)
    at, spin = (0.4 * size, 0, size), (0, 0, 300.0)
    leaf = ch.Body.box("door", box, 20.0, position=at, angular_velocity=spin)
    joints = [
        ch.Spherical("low", ch.GROUND, leaf, at=(0, 0, 0.2 * size)),
        ch.Cylindrical("high", ch.GROUND, leaf, at=(0, 0, 1.8 * size), axis=(0, 0, 1)),
    ]
    result = ch.simulate(ch.Model([leaf], joints), 1.0, step=1e-3, method="heun", save_every=50)
    assert result.violation("high").max() < 1e-12 * max(size, 1.0)
    assert result.position("door")[-1, 2] == pytest.approx(size, rel=1e-12)


def test_a_weld_of_two_joints_on_a_hinge_swings_with_it():
    """Rows across the hinge's axis are nothing but rounding, all of them."""
    arm = ch.Body("arm", 2.0, (0.2, 0.1, 0.15), (0.37, 0, 0.37), angular_velocity=(0, 0, -0.3))
    rider = ch.Body("rider", 2.7, (0.2, 0.1, 0.15), (-0.12, -0.12, -0.06))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0.37), axis=(0, 0, 1))
    weld = [
        ch.Planar("plane", rider, arm, at=(0, 0.37, 0), axis=(1, 1, 0)),
        ch.Prismatic("slide", rider, arm, at=(0, 0, 0.37), axis=(0, 1, 1)),
        ch.Revolute("pin", arm, rider, at=(0, 0.37, 0), axis=(1, 0, 0)),
    ]
    options = {"step": 1e-3, "save_every": 10, "close": True}
    model = ch.Model([arm, rider], [hinge, *weld], gravity=(3, 3, 0))
    ours = ch.simulate(model, 0.3, spaces="subgroups", **options)
    one = ch.Model([arm, rider], [hinge, ch.Fixed("weld", arm, rider)], gravity=(3, 3, 0))
    theirs = ch.simulate(one, 0.3, spaces="subgroups", **options)
    assert not ours.provenance["warnings"]
    assert abs(ours.coordinate("hinge") - theirs.coordinate("hinge")).max() < 1e-12


@pytest.mark.parametrize("first", [ch.Planar, ch.Spherical])
def test_of_a_ball_and_a_plane_the_ball_carries_and_both_hold(first):
    leaf = ch.Body("leaf", 3.0, (0.3, 0.2, 0.15), (0.4, 0, 1), angular_velocity=(0, 0, 300.0))
    plane = ch.Planar("plane", ch.GROUND, leaf, at=(0, 0, 0.2), axis=(0, 0, 1))
    ball = ch.Spherical("ball", ch.GROUND, leaf, at=(0, 0, 1.8))
    joints = [plane, ball] if first is ch.Planar else [ball, plane]
    model = ch.Model([leaf], joints)
    assert set(ch.designate(model).exact) == {"plane", "ball"}
    result = ch.simulate(model, 4.0, step=1e-3, method="heun", save_every=50, close=True)
    assert max(result.violation(name).max() for name in ("plane", "ball")) < 2e-12
    spin = result.angular_velocity("leaf")[:, 2]
    assert spin == pytest.approx(spin[0])


def swinging_parallelograms(count: int) -> ch.Model:
    """Couplers on two equal rods each, hanging on one another: they translate only."""
    bodies, joints = [], []
    below: ch.Body | ch.Ground = ch.GROUND
    at = np.zeros(3)
    for k in range(count):
        angle, across = (1.2 - 0.1 * k) / count, np.array([2.0, 0, 0])
        end = at + (np.sin(angle), -np.cos(angle), 0)
        left = ch.Body.rod(f"left {k}", mass=1.0, between=(at, end))
        right = ch.Body.rod(f"right {k}", mass=1.0, between=(at + across, end + across))
        deck = ch.Body.rod(f"deck {k}", mass=1.0, between=(end, end + across))
        for name, a, b, point in (
            (f"A {k}", below, left, at), (f"B {k}", below, right, at + across),
            (f"C {k}", left, deck, end), (f"D {k}", right, deck, end + across),
        ):  # fmt: skip
            joints.append(ch.Revolute(name, a, b, at=point, axis="z"))
        bodies += [left, right, deck]
        below, at = deck, end
    return ch.Model(bodies, joints, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("method", ["heun", "rk4"])
@pytest.mark.parametrize(
    ("count", "steps"), [(1, 50_000), (6, 10_000), pytest.param(1, 10**6, marks=pytest.mark.slow)]
)
def test_what_translates_only_keeps_its_cut_joints_over_longer_ways(count, steps, method):
    model = swinging_parallelograms(count)
    assert set(ch.designate(model).exact) == set(model.joint_names)
    result = ch.simulate(model, steps * 1e-3, step=1e-3, method=method, save_every=steps // 50)
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-13


def test_passing_singular_poses_is_left_to_the_stabiliser():
    """A constant projector, which knows no masses, would cost the ladder its energy."""
    result = ch.library.get("A02").run(until=3.0)  # passes its singular pose several times
    assert result.singular_poses
    assert np.abs(result.energy_balance()).max() < 1e-9  # 1e-8 with it
