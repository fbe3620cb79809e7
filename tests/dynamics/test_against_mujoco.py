"""The equations of motion agree with those of MuJoCo, which works in joint coordinates."""

import mujoco
import numpy as np
import pytest
from random_trees import KINDS, Twin, body_motion, moving_twin, random_state, random_twin

import chasles as ch

FORMS = ("screw", "space")


def accelerations(model: ch.Model, state: ch.State, form: str) -> np.ndarray:
    """Linear acceleration of the centres of mass and angular acceleration, in the world (n, 6)."""
    rates = ch.equations(model, state, form).acceleration.reshape(-1, 2, 3)
    v = np.einsum("bji,bj->bi", state.rotation, state.velocity)
    linear = rates[:, 1] + np.cross(state.angular_velocity, v)
    return np.hstack([np.einsum("bij,bj->bi", state.rotation, a) for a in (linear, rates[:, 0])])


def disagreement(twin: Twin, rng: np.random.Generator, form: str) -> float:
    """Largest difference of an acceleration from MuJoCo's, by the largest acceleration."""
    state, linear, angular = body_motion(twin, random_state(rng, twin))
    theirs = np.hstack((linear, angular))
    return np.abs(accelerations(twin.model, state, form) - theirs).max() / np.abs(theirs).max()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(60))
def test_accelerations_of_a_random_tree_are_mujocos(seed, form):
    rng = np.random.default_rng(seed)
    assert disagreement(random_twin(rng, int(rng.integers(1, 13))), rng, form) < 1e-9


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_accelerations_of_a_tree_of_one_kind_of_joint_are_mujocos(kind, form):
    rng = np.random.default_rng(7)
    assert disagreement(random_twin(rng, 12, [kind], floating=0.0), rng, form) < 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_bodies_welded_to_a_flying_body_move_as_mujocos(form):
    rng = np.random.default_rng(8)
    assert disagreement(random_twin(rng, 12, ["fixed"], floating=1.0), rng, form) < 1e-9


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_tree_moves_as_mujocos(seed, spaces):
    kinds = [kind for kind in KINDS if kind != "helical"]
    twin, data = moving_twin(np.random.default_rng(seed), 6, kinds)
    twin.scene.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    twin.scene.opt.timestep = 1e-3
    mujoco.mj_step(twin.scene, data, nstep=200)
    mujoco.mj_forward(twin.scene, data)
    theirs, _, _ = body_motion(twin, data)
    ours = ch.simulate(twin.model, until=0.2, step=1e-3, method="dop853", spaces=spaces).state()
    assert np.abs(ours.position - theirs.position).max() < 1e-9  # the truncation of MuJoCo's RK4
    assert np.abs(ours.rotation - theirs.rotation).max() < 1e-9  # the truncation of MuJoCo's RK4


@pytest.mark.parametrize("pitch", [0.3, -0.02])
def test_a_nut_falls_down_its_thread_slower_by_its_spin(pitch):
    """m z'' + I z'' / h^2 = -m g, and the nut turns by z'' / h."""
    nut = ch.Body.cylinder("nut", radius=0.1, length=0.05, mass=0.7)
    thread = ch.Helical("thread", ch.GROUND, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=pitch)
    model = ch.Model([nut], [thread])
    inertia = 0.5 * 0.7 * 0.1**2
    fall = -9.81 / (1.0 + inertia / (0.7 * pitch**2))
    assert ch.equations(model).acceleration == pytest.approx(
        [0, 0, fall / pitch, 0, 0, fall], rel=1e-13, abs=1e-13
    )
    result = ch.simulate(model, until=1.0, step=1e-2)
    assert result.position(nut)[:, 2] == pytest.approx(fall * result.t**2 / 2, rel=1e-12, abs=1e-13)
    assert result.violation("thread").max() < 1e-13
