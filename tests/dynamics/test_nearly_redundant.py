"""Redundant joints that are nearly more redundant still: light links and poses near singular ones.

The damped factor alone cannot tell an eigenvalue of J M^-1 J^T that is small from one that is zero.
Dense algebra can, and so must the solver.
"""

import numpy as np
import pytest
from linkages import INDEPENDENT, bar, closing_points
from mechanisms import in_a_ring

import chasles as ch

AXIS = (0, 0, 1)


def near_parallelogram(longer=0.0, coupler=1.0, redundant=True, angle=1.2):
    """Crank 0.2 m, coupler and base 0.4 m, a rocker `longer` than the crank; -8 rad/s."""
    points = closing_points(0.4, 0.2, 0.4, 0.2 + longer, angle, up=(0, 1, 0))
    links = [
        bar("crank", *points[:2], angular_velocity=(0, 0, -8.0)),
        bar("coupler", *points[1:3], mass=coupler),
        bar("rocker", *points[2:]),
    ]
    kinds = None if redundant else INDEPENDENT
    return ch.Model(links, in_a_ring(links, points, AXIS, "ABCD", kinds), gravity=(0, 0, 0))


def welded_arm():
    """Seven hinges, all stretched out, the hand welded to the ground: rank 5 of 6 and 36 rows."""
    points = np.array([(0, 0, 0.15 * k) for k in range(8)])
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    links = [
        ch.Body.box(
            f"link {k}",
            (0.05, 0.06, 0.15),
            mass=1 + 0.1 * k,
            position=(points[k] + points[k + 1]) / 2,
        )
        for k in range(7)
    ]
    ends = [ch.GROUND, *links]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], axes[k]) for k in range(7)]
    joints.append(ch.Fixed("weld", links[-1], ch.GROUND, points[7]))
    return ch.Model(links, joints, gravity=(1.0, 2.0, -9.0))


def gripper(light):
    """A slider, two rods, two fingers on cranks and followers; rods and followers are `light`."""
    slider = ch.Body.box("slider", (0.04, 0.02, 0.02), mass=0.05)
    bodies, joints = [slider], [ch.Prismatic("rail", ch.GROUND, slider, axis=(0, 1, 0))]
    for name, side in (("left", -1), ("right", 1)):
        points = np.array([(1, 1), (5, 3), (3, 5), (2, 6), (4.5, 7), (3.5, 10)]) * 0.01
        a, b, p, q, e, tip = np.column_stack((points * (side, 1), np.zeros(6)))
        rod = bar(f"{name} rod", a, b, mass=0.05 * light)
        crank = bar(f"{name} crank", p, b, mass=0.02)
        follower = bar(f"{name} follower", q, e, mass=0.02 * light)
        finger = bar(f"{name} finger", b, tip, mass=0.03)
        bodies += [rod, crank, follower, finger]
        pins = [
            (slider, rod, a), (rod, crank, b), (ch.GROUND, crank, p), (crank, finger, b),
            (ch.GROUND, follower, q), (follower, finger, e),
        ]  # fmt: skip
        joints += [
            ch.Revolute(f"{name} {k}", first, second, at, AXIS)
            for k, (first, second, at) in enumerate(pins)
        ]
    return ch.Model(bodies, joints, gravity=(0, -9.81, 0))


def dense_acceleration(eq):
    r"""Gauss: the V' nearest to M^-1 Q in the mass metric that has J V' = eta, by an SVD."""
    lower = np.linalg.cholesky(eq.mass)
    free = np.linalg.solve(eq.mass, eq.forces)
    weighted = np.linalg.solve(lower, eq.jacobian.T).T
    length = np.linalg.norm(weighted, axis=1)
    missing = (eq.eta - eq.jacobian @ free) / length
    y = np.linalg.lstsq(weighted / length[:, None], missing, rcond=1e-12)[0]
    return free + np.linalg.solve(lower.T, y)


@pytest.mark.parametrize(
    "model",
    [
        near_parallelogram(longer=1e-7),
        near_parallelogram(longer=1e-7, angle=1e-3),
        near_parallelogram(longer=1e-7, angle=0.0),
        near_parallelogram(longer=0.05, coupler=1e-6),
        near_parallelogram(longer=0.05, coupler=1e-7),
        welded_arm(),
        gripper(1.0),
        gripper(1e-6),
    ],
    ids=[
        "parallelogram",
        "nearly flat",
        "flat",
        "light coupler",
        "lighter coupler",
        "arm",
        "gripper",
        "light gripper",
    ],
)
def test_accelerations_are_those_of_dense_algebra(model):
    eq = ch.equations(model)
    dense = dense_acceleration(eq)
    assert eq.acceleration == pytest.approx(dense, abs=1e-9 * np.abs(dense).max())


def drift_of_energy(model, until, step, **more):
    result = ch.simulate(model, until, step, save_every=50, **more)
    energy = result.energy()
    gap = max(result.violation(name).max() for name in model.joint_names)
    return np.ptp(energy) / energy[0], gap


@pytest.mark.parametrize("coupler", [1e-6, 1e-7])
def test_a_light_coupler_keeps_energy_and_joints(coupler):
    drift, gap = drift_of_energy(near_parallelogram(longer=0.05, coupler=coupler), 0.2, 1e-4)
    assert drift < 1e-9 and gap < 1e-10


@pytest.mark.parametrize("light", [1.0, 1e-6])
def test_a_gripper_of_redundant_loops_keeps_its_energy(light):
    result = ch.simulate(gripper(light), 0.02, 1e-5, save_every=100)
    assert np.abs(result.energy_balance()).max() < 1e-11 * result.kinetic_energy().max()
    assert result.redundancy.rows - result.redundancy.rank == 12


@pytest.mark.parametrize(
    "options",
    [{}, {"spaces": "framed", "rows": "all"}, {"singular": "pass", "stabilise": "baumgarte"}],
    ids=str,
)
def test_a_near_parallelogram_passes_its_flat_pose_as_without_redundancy(options):
    # The rows of its joints come as close to one more dependency as 1.5e-7, in squares.
    free, _ = drift_of_energy(near_parallelogram(1e-7, redundant=False), 0.2, 1e-5)
    passed, _ = drift_of_energy(near_parallelogram(longer=1e-7), 0.2, 1e-5, **options)
    assert passed < 10 * free


def test_an_arm_entered_in_a_singular_pose_is_exact_away_from_it():
    # Its hinges about z let pairs of links turn as they like; then their cross axes differ, and the
    # rank is larger than in the pose that was entered.
    model = welded_arm()
    entered = ch.equations(model)
    angles = np.repeat((0.0, 0.7, -0.4, 0.0), (0, 2, 2, 3))
    angles[4:6] = 1.1
    turns = [[[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]] for a in angles]
    still = np.zeros((7, 3))
    places = np.array([body.position for body in model.bodies])
    eq = ch.equations(model, ch.State(0.0, model.body_names, places, turns, still, still))
    falling = np.linalg.solve(eq.mass, eq.forces)
    ranks = [np.linalg.matrix_rank(e.jacobian, tol=1e-9) for e in (entered, eq)]
    assert ranks[0] < ranks[1]
    # In that pose it holds still: compared with what the links would do by themselves.
    assert eq.acceleration == pytest.approx(
        dense_acceleration(eq), abs=1e-9 * np.abs(falling).max()
    )


def test_a_link_too_light_for_its_loop_is_told_as_such():
    with pytest.raises(ch.InvalidModel, match="the lightest body is 'coupler'"):
        ch.simulate(near_parallelogram(longer=0.05, coupler=1e-9), 0.1, 1e-4, spaces="SE3")


def test_scales_that_rounding_cannot_bridge_are_told_in_large_models_too():
    # 250 hinges, more than 1,200 rows: a light pair of rods closes a ring of heavy ones.
    count = 260
    angles = 2 * np.pi * np.arange(count + 1) / count
    corners = np.column_stack((np.cos(angles), np.sin(angles), 0 * angles))
    rods = [
        bar(f"r{k}", corners[k], corners[k + 1], mass=1e-14 if k == 7 else 1.0)
        for k in range(count)
    ]
    ends = [*rods, rods[0]]
    joints = [ch.Spherical(f"j{k}", ends[k], ends[k + 1], corners[k + 1]) for k in range(count)]
    joints += [ch.Revolute("hinge", ch.GROUND, rods[0], corners[0], AXIS)]
    joints += [
        ch.PointOnPlane(f"p{k}", ch.GROUND, rods[k], corners[k], AXIS) for k in range(2, count, 2)
    ]
    model = ch.Model(rods, joints, gravity=(0, -9.81, 0))
    try:
        eq = ch.equations(model)
    except ch.ChaslesError:
        return
    missed = np.abs(eq.jacobian @ eq.acceleration - eq.eta)
    reach = np.abs(eq.jacobian) @ np.abs(eq.acceleration)
    assert np.all(missed <= 1e-6 * reach.max())


def test_a_long_chain_of_equal_rods_runs():
    # Around a joint in its middle the rest of the chain turns as one: its pivot is as 1 / n^3.
    count = 2000
    rods = [
        ch.Body.rod(f"r{k}", length=1.0, mass=1.0, position=(k + 0.5, 0, 0)) for k in range(count)
    ]
    joints = [
        ch.Revolute(f"h{k}", ch.GROUND if k == 0 else rods[k - 1], rods[k], (k, 0, 0), (0, 1, 0))
        for k in range(count)
    ]
    result = ch.simulate(ch.Model(rods, joints), 2e-3, 1e-3)
    assert result.redundancy is None
    # The free end of a chain that starts straight falls with g, but for what the others pull.
    assert np.isfinite(result.position("r1999")).all()


def test_a_step_too_long_for_a_damper_in_a_tree_is_not_told_as_a_singular_pose():
    arm = ch.Body.rod("arm", length=1.0, mass=1e-3, position=(0.5, 0, 0))
    hand = ch.Body.rod("hand", length=1.0, mass=1e-3, position=(1.5, 0, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, arm, (0, 0, 0), (0, 1, 0)),
        ch.Revolute("elbow", arm, hand, (1, 0, 0), (0, 1, 0)),
    ]
    damper = ch.TorsionSpring("damper", "elbow", stiffness=0.0, damping=10.0)
    with pytest.raises(ch.SimulationStopped, match="step") as stopped:
        ch.simulate(ch.Model([arm, hand], joints, forces=[damper]), 10.0, 1e-2)
    assert "singular" not in str(stopped.value)
