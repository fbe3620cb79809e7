"""Equilibria of random trees on springs, and their eigenvalues, are those of MuJoCo."""

import mujoco
import numpy as np
import pytest
from dynamics.random_trees import Twin, random_twin

import chasles as ch

STIFFNESS, DAMPING = (200.0, 2000.0), (1.0, 20.0)


def sprung(rng, bodies: int) -> Twin:
    """A tree on hinges and slides with a spring and a damper along every coordinate."""
    twin = random_twin(rng, bodies, ["revolute", "prismatic", "cylindrical"], floating=0.0)
    forces = []
    for joint in twin.model.joints:
        for part, coordinate in (("hinge", "angle"), ("slide z", "displacement")):
            try:
                place = twin.scene.joint(f"{joint.name} {part}")
            except KeyError:
                continue
            stiffness, damping = rng.uniform(*STIFFNESS), rng.uniform(*DAMPING)
            place.stiffness[:], place.damping[:] = stiffness, damping
            name = f"{joint.name} {coordinate}"
            forces.append(ch.JointSpring(name, joint, stiffness, damping, coordinate=coordinate))
    model = ch.Model(twin.model.bodies, twin.model.joints, forces, gravity=twin.model.gravity)
    return Twin(model, twin.scene, ())


def accelerations(scene, coordinates, speeds):
    data = mujoco.MjData(scene)
    data.qpos[:], data.qvel[:] = coordinates, speeds
    mujoco.mj_forward(scene, data)
    return data.qacc.copy()


def slopes(function, x):
    """Sixth-order central differences."""
    columns = []
    for direction in np.eye(len(x)):
        h = 2e-3
        sums = sum(
            c * (function(x + k * h * direction) - function(x - k * h * direction))
            for k, c in ((1, 45), (2, -9), (3, 1))
        )
        columns.append(sums / (60.0 * h))
    return np.stack(columns, axis=-1)


def resting(scene):
    """Newton's method from the start."""
    coordinates, still = np.zeros(scene.nv), np.zeros(scene.nv)
    for _ in range(30):
        pull = accelerations(scene, coordinates, still)
        if np.abs(pull).max() < 1e-12:
            break
        steep = slopes(lambda q: accelerations(scene, q, still), coordinates)
        coordinates = coordinates - np.linalg.solve(steep, pull)
    assert np.abs(accelerations(scene, coordinates, still)).max() < 1e-9
    return coordinates


@pytest.mark.parametrize("seed", range(8))
def test_equilibrium_and_eigenvalues_of_a_random_tree(seed):
    rng = np.random.default_rng(seed)
    twin = sprung(rng, int(rng.integers(2, 7)))
    scene = twin.scene
    rest = ch.equilibrium(twin.model)
    coordinates, still = resting(scene), np.zeros(scene.nv)
    data = mujoco.MjData(scene)
    data.qpos[:] = coordinates
    mujoco.mj_forward(scene, data)
    theirs = data.xipos[[scene.body(name).id for name in twin.model.body_names]]
    assert rest.state.position == pytest.approx(theirs, abs=1e-8)
    size = scene.nv
    matrix = np.zeros((2 * size, 2 * size))
    matrix[:size, size:] = np.eye(size)
    matrix[size:, :size] = slopes(lambda q: accelerations(scene, q, still), coordinates)
    matrix[size:, size:] = slopes(lambda v: accelerations(scene, coordinates, v), still)
    expected = np.linalg.eigvals(matrix)
    found = rest.linearise().eigenvalues
    assert len(found) == len(expected)
    distance = np.abs(found[:, None] - expected)
    assert distance.min(axis=0).max() < 1e-8 * np.abs(expected).max()
    assert distance.min(axis=1).max() < 1e-8 * np.abs(expected).max()
