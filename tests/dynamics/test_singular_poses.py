"""Poses in which joints come to depend on each other: seen, stopped at, or passed."""

import numpy as np
import pytest
from linkages import INDEPENDENT, parallelogram
from scipy.integrate import solve_ivp

import chasles as ch

LENGTH = MASS = 1.0


def rod(name, start, end, **motion):
    start, end = np.array(start, float), np.array(end, float)
    x = (end - start) / np.linalg.norm(end - start)
    turn = np.column_stack((x, np.cross((0, 0, 1), x), (0, 0, 1)))
    inertia = np.diag([1e-3, MASS / 12, MASS / 12])
    return ch.Body(name, MASS, inertia, (start + end) / 2, turn, **motion)


def windows(count: int) -> ch.Model:
    """Square windows in a row, standing on the ground, pushed at 1 m/s: all links of 1 m, 1 kg."""
    posts = [
        rod(f"post {k}", (k, 0, 0), (k, 1, 0), **({} if k else {"angular_velocity": (0, 0, -1)}))
        for k in range(count + 1)
    ]
    beams = [rod(f"beam {k}", (k, 1, 0), (k + 1, 1, 0)) for k in range(count)]
    axis = (0, 0, 1)
    joints = [ch.Revolute(f"foot {k}", ch.GROUND, posts[k], (k, 0, 0), axis)
              for k in range(count + 1)]  # fmt: skip
    for k, beam in enumerate(beams):
        joints.append(ch.Revolute(f"left {k}", posts[k], beam, (k, 1, 0), axis))
        joints.append(ch.Revolute(f"right {k}", beam, posts[k + 1], (k + 1, 1, 0), axis))
    return ch.Model(posts + beams, joints, gravity=(0, -9.81, 0))


def motion_of_windows(count: int, times) -> tuple[np.ndarray, list[float]]:
    """The angle of the posts from the vertical, and when they lie flat: SciPy on that one angle."""
    posts, beams = count + 1, count
    inertia = posts * MASS / 3 + beams * MASS
    weight = 9.81 * (posts * MASS / 2 + beams * MASS)

    def flat(t, y):
        return np.cos(y[0])

    found = solve_ivp(
        lambda t, y: (y[1], weight * np.sin(y[0]) / inertia), (0, times[-1]), (0.0, 1.0),
        "DOP853", times, events=flat, rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    return found.y[0], list(found.t_events[0])


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_windows_pass_the_ground_and_keep_their_energy(spaces):
    result = ch.simulate(
        windows(2), 5.0, 1e-3, spaces=spaces, singular="pass", stabilise="projection"
    )
    angle, flat = motion_of_windows(2, result.t)
    assert -result.coordinate("foot 0") == pytest.approx(angle, abs=1e-6)
    assert np.abs(result.energy_balance()).max() < 1e-5
    assert max(result.violation(j).max() for j in result.model.joint_names) < 1e-11
    assert [t for t, _, _ in result.singular_poses] == pytest.approx(flat, abs=2.1e-3)


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4])
def test_the_run_stops_within_two_steps_unless_told_to_pass(step):
    _, flat = motion_of_windows(2, [0.0, 1.0])
    with pytest.raises(ch.SimulationStopped, match="singular") as caught:
        ch.simulate(windows(2), 1.0, step)
    reached = caught.value.result
    assert reached.t[-1] == pytest.approx(flat[0], abs=2.1 * step)
    assert "singular='pass'" in str(caught.value)
    (pose,) = reached.singular_poses
    assert pose[1] in reached.model.joint_names


def test_passing_closes_all_joints_unless_something_else_is_chosen():
    passing = {"until": 0.02, "step": 1e-2, "singular": "pass"}
    default = ch.simulate(windows(1), **passing)
    assert default.provenance["stabilise"] == "projection of all joints"
    chosen = ch.simulate(windows(1), **passing, stabilise="ggl of all joints")
    assert chosen.provenance["stabilise"] == "ggl of all joints"


def test_a_crank_that_turns_round_and_round_meets_no_singular_pose():
    points = [(0, 0, 0), (0, 0.4, 0), (1.0, 0.8, 0), (1.2, 0, 0)]
    links = [rod("crank", *points[:2], angular_velocity=(0, 0, 12.0)),
             rod("coupler", *points[1:3]), rod("rocker", *points[2:])]  # fmt: skip
    ends = [ch.GROUND, *links, ch.GROUND]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], (0, 0, 1)) for k in range(4)]
    result = ch.simulate(ch.Model(links, joints, gravity=(0, -9.81, 0)), 5.0, 1e-3)
    assert abs(result.coordinate("h0")[-1]) > 20.0  # several turns
    assert result.singular_poses == ()


def test_redundant_rows_that_swap_their_parts_are_no_singular_pose():
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]  # Bricard's
    axes = [np.eye(3)[k] for k in (1, 2, 0, 1, 2, 0)]
    links = [
        ch.Body.sphere(f"l{k}", 0.3, mass=1.0, position=np.add(points[k], points[k + 1]) / 2)
        for k in range(5)
    ]
    ends = [ch.GROUND, *links, ch.GROUND]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], axes[k]) for k in range(6)]
    result = ch.simulate(ch.Model(links, joints, gravity=(0, -9.81, 0)), 5.0, 2e-3)
    assert result.redundancy.rank == 29 and result.singular_poses == ()


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("free_pins", [False, True])
@pytest.mark.parametrize("slenderness", [1e-2, 1e-4, 1e-8])
def test_slender_links_do_not_hide_a_singular_pose(slenderness, free_pins, step):
    kinds = INDEPENDENT if free_pins else None
    model = parallelogram(rate=-8.0, crank=0.2, coupler=0.4, kinds=kinds, slenderness=slenderness)
    with pytest.raises(ch.SimulationStopped, match="became singular") as stopped:
        ch.simulate(model, 1.0, step, stabilise="projection")
    # Without gravity all links keep their speeds: it lies flat when the crank has turned by pi / 2.
    ((t, _, row),) = stopped.value.result.singular_poses
    assert t == pytest.approx(np.pi / 2 / 8, abs=2.1 * step)
    assert row in ("ux", "uy")


def slider_crank(coupler: float, speed: float = 6.0) -> ch.Model:
    """A crank of 1 m and a coupler that is longer; they fold onto each other if it is not."""
    angle = 0.6
    pin = np.array([np.cos(angle), np.sin(angle), 0.0])
    end = np.array([pin[0] + np.sqrt(coupler**2 - pin[1] ** 2), 0.0, 0.0])
    bodies = [
        rod("crank", (0, 0, 0), pin, angular_velocity=(0, 0, speed)),
        rod("coupler", pin, end),
        ch.Body.box("piston", (0.1, 0.1, 0.1), mass=1, position=end),
    ]
    z = (0, 0, 1)
    joints = [
        ch.Revolute("bearing", ch.GROUND, "crank", (0, 0, 0), z),
        ch.Spherical("pin", "crank", "coupler", pin),
        ch.Cylindrical("piston pin", "coupler", "piston", end, z),
        ch.Prismatic("guide", ch.GROUND, "piston", axis=(1, 0, 0)),
    ]
    return ch.Model(bodies, joints, gravity=(0, 0, 0))


@pytest.mark.parametrize("step", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_a_step_that_is_thrown_off_a_singular_pose_does_not_go_unseen(stabilise, step):
    with pytest.raises(ch.SimulationStopped, match="became singular") as stopped:
        ch.simulate(slider_crank(1.0), 1.0, step, stabilise=stabilise)
    angle = stopped.value.result.coordinate("bearing")
    flat = np.pi / 2 - 0.6
    assert np.abs(angle - flat).min() < 0.05
    assert len(angle) * step < 0.45  # it is there by then


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("coupler", [1.01, 1.1, 1.5])
def test_a_pose_that_is_only_nearly_singular_stops_nothing(coupler, step):
    result = ch.simulate(slider_crank(coupler), 2.0, step, stabilise="projection")
    assert result.singular_poses == ()
