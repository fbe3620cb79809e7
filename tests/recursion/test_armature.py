"""Rotor inertia on joint coordinates: closed forms, MuJoCo, energy, files, and refusals."""

from dataclasses import replace
from math import cos, sqrt

import mujoco
import numpy as np
import pytest
from mechanisms import pendulum
from random_trees import body_motion, random_state, random_twin
from subgroup_runs import run
from test_recursion_against_mujoco import PARTS

import chasles as ch


def rod_on_a_hinge(armature=0.0, forces=(), drivers=()) -> ch.Model:
    return pendulum(forces, drivers=drivers, name="rod", mass=3.0, hinge={"armature": armature})


# --- closed forms ---


def test_a_pendulum_with_a_rotor_falls_as_its_inertia_says():
    """(m l^2 / 3 + I) q'' = m g l / 2 at the start."""
    result = run(rod_on_a_hinge(armature=2.0), until=1e-3)
    expected = 3.0 * 9.81 * 0.5 / (3.0 / 3.0 + 2.0)
    assert result.acceleration("rod")[0] == pytest.approx((0, 0, -0.5 * expected))


def test_a_spring_on_a_rotor_swings_with_its_frequency():
    spring = ch.JointSpring("coil", "hinge", stiffness=50.0)
    model = replace(rod_on_a_hinge(armature=4.0, forces=[spring]), gravity=(0, 0, 0))
    result = run(model, until=2.0, start={"hinge": 0.2})
    omega = sqrt(50.0 / (1.0 + 4.0))
    assert result.coordinate("hinge") == pytest.approx(0.2 * np.cos(omega * result.t), abs=1e-8)


def test_a_slide_and_a_sleeve_feel_their_own_rotors():
    """Masses 2 and 3 kg under gravity along the axis, with 2 and 6 kg of rotor; I = 0.5, 1.5."""
    car = ch.Body("car", 2.0, (1, 1, 1))
    ring = ch.Body("ring", 3.0, (1, 1, 0.5), position=(1, 0, 0))
    joints = [
        ch.Prismatic("rail", ch.GROUND, car, axis=(0, 0, 1), armature=2.0),
        ch.Cylindrical(
            "sleeve", ch.GROUND, ring, at=(1, 0, 0), axis=(0, 0, 1), armature=(1.5, 6.0)
        ),
    ]
    twist = ch.Load("twist", ring, torque=(0, 0, 4.0))
    result = run(ch.Model([car, ring], joints, [twist]), until=1.0)
    t = result.t
    assert result.coordinate("rail") == pytest.approx(-9.81 * 2 / 4 * t**2 / 2, abs=1e-12)
    assert result.coordinate("sleeve", "displacement") == pytest.approx(
        -9.81 * 3 / 9 * t**2 / 2, abs=1e-12
    )
    assert result.coordinate("sleeve", "angle") == pytest.approx(4.0 / 2.0 * t**2 / 2, abs=1e-12)


def test_a_driver_turns_the_rotor_too():
    """Effort of q = a t^2 / 2 in no gravity: (m l^2 / 3 + I) a."""
    drive = ch.Driver("drive", "hinge", ch.Signal(lambda t: 0.5 * 3.0 * t * t))
    model = replace(rod_on_a_hinge(armature=2.0, drivers=[drive]), gravity=(0, 0, 0))
    result = run(model, until=0.1)
    assert result.effort("drive") == pytest.approx(3.0 * (1.0 + 2.0), rel=1e-12)
    assert result.work("drive")[-1] == pytest.approx(result.kinetic_energy()[-1], rel=1e-9)
    # On the bearing only what turns the rod about its pivot: m a l / 2 across, m w^2 l / 2 along.
    force, _ = result.reaction("hinge").in_joint_frame
    rate = 3.0 * result.t
    expected = 3.0 * 0.5 * np.hypot(3.0, rate**2)
    assert np.linalg.norm(force, axis=1) == pytest.approx(expected, rel=1e-9)


def test_energy_counts_the_rotors_and_is_kept():
    result = run(rod_on_a_hinge(armature=2.0), until=3.0)
    rate = result.coordinate_rate("hinge")
    assert result.kinetic_energy() == pytest.approx(0.5 * (1.0 + 2.0) * rate**2, rel=1e-12)
    assert np.abs(result.energy_balance()).max() < 1e-9 * np.ptp(result.kinetic_energy())
    assert not result.warnings and result.provenance.imbalance < 1e-9
    # Released level, a pendulum is as fast as its fall says: m g l / 2 sin q.
    q = result.coordinate("hinge")
    assert rate**2 == pytest.approx(2.0 * 3.0 * 9.81 * 0.5 * np.sin(q) / 3.0, abs=1e-9)


# --- MuJoCo ---


def with_rotors(twin, rng) -> ch.Model:
    """The model with random rotors, which MuJoCo's scene gets as well."""
    joints = []
    for joint in twin.model.joints:
        armature = 0.0
        if joint.kind == "spherical":
            armature = float(rng.uniform(0.1, 2.0))
            at = int(twin.scene.joint(f"{joint.name} ball").dofadr[0])
            twin.scene.dof_armature[at : at + 3] = armature
        elif joint.kind in PARTS and joint.kind != "planar":
            numbers = rng.uniform(0.1, 2.0, len(PARTS[joint.kind]))
            for part, value in zip(PARTS[joint.kind], numbers):
                twin.scene.dof_armature[twin.scene.joint(f"{joint.name} {part}").dofadr] = value
            armature = tuple(numbers.tolist())
        joints.append(replace(joint, armature=armature) if armature else joint)
    return ch.Model(twin.model.bodies, joints, gravity=twin.model.gravity)


@pytest.mark.parametrize("seed", range(60))
def test_accelerations_with_rotors_are_mujocos(seed):
    rng = np.random.default_rng(1000 + seed)
    twin = random_twin(rng, int(rng.integers(1, 9)))
    model = with_rotors(twin, rng)
    data = random_state(rng, twin)
    mujoco.mj_forward(twin.scene, data)
    state, linear, angular = body_motion(twin, data)
    result = run(model, until=1e-6, step=1e-6, start=state)
    largest = max(np.abs(linear).max(), np.abs(angular).max())
    for k, name in enumerate(model.body_names):
        assert result.acceleration(name)[0] == pytest.approx(linear[k], abs=1e-9 * largest)
        # A point off the centre: r'' + alpha x d + omega x (omega x d), which tells alpha.
        arm = np.array([0.3, -0.2, 0.5])
        at = np.array(model.body(name).position) + np.array(model.body(name).rotation) @ arm
        turn = state.rotation[k]
        omega, lever = turn @ state.angular_velocity[k], turn @ arm
        expected = linear[k] + np.cross(angular[k], lever)
        expected = expected + np.cross(omega, np.cross(omega, lever))
        assert result.point(name, at).acceleration[0] == pytest.approx(
            expected, abs=2e-9 * max(largest, np.abs(expected).max())
        )


# --- files ---


@pytest.mark.parametrize("armature", [0.25, (0.25, 1.5)])
def test_rotors_survive_the_way_through_a_file(armature, tmp_path):
    ring = ch.Body("ring", 3.0, (1, 1, 0.5))
    sleeve = ch.Cylindrical("sleeve", ch.GROUND, ring, (0, 0, 0), (0, 0, 1), armature=armature)
    model = ch.Model([ring], [sleeve])
    model.write(tmp_path / "model.toml")
    assert ch.read_model(tmp_path / "model.toml") == model
    result = run(model, until=0.01)
    again = ch.load(result.save(tmp_path / "run.nc"))
    assert again.model == model
    assert np.array_equal(again.kinetic_energy(), result.kinetic_energy())
    assert np.array_equal(again.acceleration("ring"), result.acceleration("ring"))


# --- what is refused ---


@pytest.mark.parametrize("armature", [-1.0, float("nan"), "heavy", (1.0, 2.0), None, True])
def test_an_armature_that_means_nothing_is_refused(armature, refusal):
    message = refusal(lambda: rod_on_a_hinge(armature=armature), ch.InvalidJoint)
    assert "joint 'hinge': armature must be a number of 0 or more" in message


def test_a_ball_has_one_number(refusal):
    bob = ch.Body.sphere("bob", 0.1, mass=1.0)
    message = refusal(
        lambda: ch.Spherical("ball", ch.GROUND, bob, (0, 0, 1), armature=(1, 2, 3)), ch.InvalidJoint
    )
    assert "joint 'ball': armature" in message


def test_a_rest_position_does_not_depend_on_rotors():
    spring = ch.JointSpring("coil", "hinge", stiffness=50.0)
    angles = [
        ch.equilibrium(rod_on_a_hinge(armature, [spring])).state.angles["hinge"]
        for armature in (0.0, 2.0)
    ]
    assert angles[0] == pytest.approx(angles[1], rel=1e-14)
    assert 50.0 * angles[0] == pytest.approx(3.0 * 9.81 * 0.5 * cos(angles[0]))
