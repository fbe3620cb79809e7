"""A floating system keeps its linear momentum with the spaces that are chosen by themselves."""

import numpy as np
import pytest
from mechanisms import KINDS, moving, tree

import chasles as ch

KEPT = 1e-13


def floating(seed: int, boost: float, gravity=(0, 0, 0)) -> ch.Model:
    """A random tree of six bodies that no joint ties to the ground, flying at `boost` m/s."""
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, k)) if k else -1 for k in range(6)]
    grounded = moving(tree(rng, parents, rng.choice(KINDS, size=6)), rng, 5.0)
    joints = [j for j in grounded.joints if ch.GROUND.name not in (j.a, j.b)]
    start = ch.simulate(ch.Model(grounded.bodies, joints, gravity=gravity), 1e-3, 1e-3).state(0)
    bodies = [
        ch.Body(b.name, b.mass, b.inertia, b.position, b.rotation,
                velocity=start.velocity[k] + (boost, 0.3 * boost, 0),
                angular_velocity=start.angular_velocity[k])
        for k, b in enumerate(grounded.bodies)
    ]  # fmt: skip
    return ch.Model(bodies, joints, gravity=gravity)


def drift(result: ch.Result, gravity=(0, 0, 0)) -> float:
    """Largest change of momentum beyond gravity's, relative to the momenta of the bodies."""
    model = result.model
    mass = sum(body.mass for body in model.bodies)
    expected = result.momentum()[0] + mass * np.outer(result.t, gravity)
    scale = sum(
        body.mass * np.linalg.norm(result.velocity(body.name), axis=1).max()
        for body in model.bodies
    )
    return float(np.abs(result.momentum() - expected).max() / scale)


@pytest.mark.parametrize("boost", [0.0, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_auto_keeps_linear_momentum_and_every_joint(seed, boost):
    result = ch.simulate(floating(seed, boost), until=1.0, step=1e-3, save_every=10)
    assert drift(result) < KEPT
    assert max(result.violation(j).max() for j in result.model.joint_names) < 1e-12


def test_gravity_adds_what_it_should():
    gravity = (0.0, 0.0, -9.81)
    result = ch.simulate(floating(1, 1.0, gravity), until=1.0, step=1e-3, save_every=10)
    assert drift(result, gravity) < KEPT


def test_se3_loses_momentum_in_flight():
    result = ch.simulate(floating(1, 10.0), until=1.0, step=1e-3, spaces="SE3", save_every=10)
    assert drift(result) > 1e3 * KEPT


@pytest.mark.parametrize("method, order", [("heun", 2), ("rk4", 4)])
def test_keeping_momentum_keeps_the_order(method, order):
    model = floating(1, 1.0)
    steps = (4e-3, 2e-3, 1e-3)
    ends = [ch.simulate(model, 0.4, h, method=method).state().position for h in steps]
    truth = ch.simulate(model, 0.4, 1e-3, method="dop853").state().position
    errors = [np.linalg.norm(end - truth) for end in ends]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.15)


def test_a_moment_between_two_steps_has_the_momentum_too():
    result = ch.simulate(floating(0, 10.0), until=0.5, step=1e-3, t_eval=[0.1003, 0.2, 0.4567])
    assert drift(result) < KEPT


@pytest.mark.parametrize("spaces", ["auto", "SO3xR3"])
@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_moments_between_chosen_steps_have_momentum_and_path_too(method, spaces):
    """On joint subgroups the angular momentum as well: interpolated states missed it by 1e-6."""
    model = floating(0, 1.0)
    result = ch.simulate(
        model, 1.0, rtol=1e-5, method=method, spaces=spaces, t_eval=np.linspace(0, 1, 23)
    )
    assert drift(result) < KEPT
    mass = np.array([body.mass for body in model.bodies])
    centre = sum(m * result.position(b) for m, b in zip(mass, model.bodies)) / mass.sum()
    path = centre[0] + result.t[:, None] * result.momentum()[0] / mass.sum()
    spin = result.angular_momentum()
    if spaces == "auto":
        assert np.abs(centre - path).max() < 1e-13
        assert np.abs(spin - spin[0]).max() < 1e-12 * np.abs(spin).max()
