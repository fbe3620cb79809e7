"""Velocities left out are filled in: allowed by the joints, and of least kinetic energy."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from mechanisms import zigzag
from random_trees import moving_twin

import chasles as ch
from chasles.build.start import consistent

ORIGIN, Y = (0, 0, 0), (0, 1, 0)


#: A zigzag whose first link is given a spin.
kicked = partial(zigzag, angular_velocity=(0.1, 2.0, 0.3))


def start(model: ch.Model) -> np.ndarray:
    """Body twists (n, 2, 3): angular and linear velocity in body frames."""
    return ch.equations(model).velocity.reshape(-1, 2, 3)


def rod(name="rod", **start_) -> ch.Body:
    return ch.Body.rod(name, 1.0, mass=2.0, **{"position": (0.5, 0, 0), **start_})


def least_energy(model: ch.Model) -> np.ndarray:
    """The twists by the textbook: one dense KKT system of M and J on the unknown velocities."""
    frozen = replace(model, bodies=[replace(b, angular_velocity=None) for b in model.bodies])
    equations = ch.equations(frozen)
    known = np.array(
        [[b.angular_velocity is not None] * 3 + [b.velocity is not None] * 3 for b in model.bodies]
    ).ravel()
    given = np.array([[*(b.angular_velocity or ORIGIN), *ORIGIN] for b in model.bodies]).ravel()
    free, jacobian = ~known, equations.jacobian
    rows = len(jacobian)
    kkt = np.block([
        [equations.mass[np.ix_(free, free)], jacobian[:, free].T],
        [jacobian[:, free], np.zeros((rows, rows))],
    ])  # fmt: skip
    rhs = np.append(np.zeros(free.sum()), -jacobian @ given)
    given[free] = np.linalg.solve(kkt, rhs)[: free.sum()]
    return given.reshape(-1, 2, 3)


def test_what_is_at_rest_stays_at_rest():
    model = ch.Model([rod()], [ch.Spherical("ball", ch.GROUND, "rod", ORIGIN)])
    assert not start(model).any()


def test_a_pendulum_is_swung_by_its_angular_velocity_alone():
    model = ch.Model(
        [rod(angular_velocity=(0, 3, 0))], [ch.Revolute("h", ch.GROUND, "rod", ORIGIN, Y)]
    )
    assert start(model)[0] == pytest.approx(np.array([(0, 3, 0), (0, 0, -1.5)]), abs=1e-15)


def test_a_pendulum_is_swung_by_its_velocity_alone_and_does_not_spin_about_itself():
    model = ch.Model([rod(velocity=(0, 1, -1.5))], [ch.Spherical("ball", ch.GROUND, "rod", ORIGIN)])
    assert start(model)[0] == pytest.approx(np.array([(0, 3, 2), (0, 1, -1.5)]), abs=1e-14)


def test_a_driven_chain_is_carried_along_in_line():
    """A hinge drives the first of two links; least energy turns the second the other way."""
    upper = rod("upper", angular_velocity=(0, 3, 0))
    lower = rod("lower", position=(1.5, 0, 0))
    hinges = [
        ch.Revolute("hinge", ch.GROUND, upper, ORIGIN, Y),
        ch.Revolute("elbow", upper, lower, (1, 0, 0), Y),
    ]
    twists = start(ch.Model([upper, lower], hinges))
    # The end of the first link moves down at 3 m/s.  m v^2 + I w^2 with v = 3 + w l/2 is least
    # at w = -3 m l/2 / (I + m l^2/4) = -4.5 rad/s.
    assert twists[1] == pytest.approx(np.array([(0, -4.5, 0), (0, 0, -3 + 2.25)]), abs=1e-14)


@pytest.mark.parametrize("drift", [None, (1.0, 2.0, 3.0)])
def test_a_floating_pair_gets_no_momentum_unless_it_is_given_some(drift):
    first = rod("first", angular_velocity=(1, 2, 3), velocity=drift)
    second = rod("second", position=(1.5, 0, 0))
    model = ch.Model(
        [first, second], [ch.Spherical("ball", first, second, (1, 0, 0))], gravity=ORIGIN
    )
    result = ch.simulate(model, until=0.01, step=0.01)
    if drift is None:
        assert result.momentum()[0] == pytest.approx((0, 0, 0), abs=1e-14)
        assert result.velocity(first)[0].any()
    else:
        assert result.velocity(first)[0] == pytest.approx(drift, rel=1e-15)


def test_a_floating_pair_with_both_spins_given_gets_no_linear_momentum():
    first = rod("first", angular_velocity=(1, 2, 3))
    second = rod("second", position=(1.5, 0, 0), angular_velocity=(-4, 5, -6))
    model = ch.Model(
        [first, second], [ch.Spherical("ball", first, second, (1, 0, 0))], gravity=ORIGIN
    )
    result = ch.simulate(model, until=0.01, step=0.01)
    assert result.momentum()[0] == pytest.approx((0, 0, 0), abs=1e-14)
    assert np.linalg.norm(result.angular_momentum()[0]) > 0.1


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("seed", range(20))
def test_completed_velocities_are_allowed_and_of_least_energy(seed, form):
    """Of a random tree in motion, most velocities are forgotten and filled in again."""
    rng = np.random.default_rng(seed)
    model = moving_twin(rng, 8)[0].model
    keep = rng.random((8, 2)) < 0.2
    keep[0] = (True, False)
    bodies = [
        replace(
            body,
            angular_velocity=body.angular_velocity if angular else None,
            velocity=body.velocity if linear else None,
        )
        for body, (angular, linear) in zip(model.bodies, keep, strict=True)
    ]
    equations = ch.equations(replace(model, bodies=bodies), acceleration=form)
    free = ~np.repeat(keep, 3, axis=1).ravel()
    scale = max(1.0, np.abs(equations.velocity).max())
    assert np.abs(equations.jacobian @ equations.velocity).max() < 1e-12 * scale
    # Least energy: the momentum of the unknowns does no work on any motion the joints allow.
    _, s, v = np.linalg.svd(equations.jacobian[:, free])
    allowed = v[int((s > 1e-10 * s[0]).sum()) :]
    momentum = (equations.mass @ equations.velocity)[free]
    assert np.abs(allowed @ momentum).max(initial=0.0) < 1e-11 * np.abs(momentum).max()


def test_a_long_chain_is_completed_as_by_one_dense_system():
    model = kicked(300)
    assert 6 * len(model.bodies) - 3 > consistent.DENSE_LIMIT
    expected = least_energy(model)
    assert np.abs(start(model) - expected).max() < 1e-10 * np.abs(expected).max()


def test_the_two_ways_to_complete_velocities_agree(monkeypatch):
    model = kicked(12)
    dense = start(model)
    monkeypatch.setattr(consistent, "DENSE_LIMIT", 0)
    assert np.abs(start(model) - dense).max() < 1e-11 * np.abs(dense).max()


@pytest.mark.parametrize("limit", [0, 10**9])
def test_given_velocities_are_never_altered(limit, monkeypatch):
    monkeypatch.setattr(consistent, "DENSE_LIMIT", limit)
    spins = [(0.1, 2.0, 0.3), (-1.0, 0.7, 1e-9), None, (5.0, 0.0, -1e6)]
    model = kicked(4)
    bodies = [replace(b, angular_velocity=w) for b, w in zip(model.bodies, spins, strict=True)]
    bodies[3] = replace(bodies[3], angular_velocity=None)  # on a hinge, so it follows
    model = replace(model, bodies=bodies)
    twists = start(model)
    for twist, body in zip(twists, model.bodies, strict=True):
        if body.angular_velocity is not None:
            assert tuple(twist[0]) == body.angular_velocity  # to the bit


def test_a_heavy_body_drives_a_light_one():
    heavy = ch.Body.rod("heavy", 1.0, mass=1e6, position=(0.5, 0, 0), angular_velocity=(0, 3, 0))
    light = ch.Body.rod("light", 1.0, mass=1e-6, position=(1.5, 0, 0))
    joints = [
        ch.Spherical("hinge", ch.GROUND, heavy, ORIGIN),
        ch.Spherical("elbow", heavy, light, (1, 0, 0)),
    ]
    twists = start(ch.Model([heavy, light], joints))
    assert twists[1] == pytest.approx(np.array([(0, -4.5, 0), (0, 0, -0.75)]), rel=1e-9, abs=1e-12)
