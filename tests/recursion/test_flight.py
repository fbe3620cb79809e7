"""Floating trees on subgroups keep momentum, angular momentum and the path of the centre of mass.

Newton and Euler: of a system on which only uniform gravity acts, P = P0 + m g t, L about the centre
of mass stays, and its path is a parabola, whatever the parts do to each other.
"""

from functools import partial

import numpy as np
import pytest
from mechanisms import random_body
from subgroup_runs import run as run_at

import chasles as ch

GRAVITY = (0.3, 1.0, -9.81)

run = partial(run_at, step=2e-3)


def thrown_chain(bodies=6, boost=(0.0, 0.0, 0.0), gravity=GRAVITY, forces=(), far=0.0):
    """Boxes on balls, hinges and slides in turn, thrown with spins of their own."""
    rng = np.random.default_rng(1)
    speed, made, joints = np.array([0.3, 0.1, 0.2]) + boost, [], []
    for k in range(bodies):
        spin = rng.normal(size=3) * 3.0
        arm = np.cross(spin, [0.5, 0, 0])
        made.append(
            ch.Body.box(
                f"b{k}", (1.0, 0.2, 0.1), mass=1.0 + 0.1 * k, position=(far + k + 0.5, 0, 0),
                angular_velocity=spin, velocity=speed + (arm if k else 0.0),
            )
        )  # fmt: skip
        speed = speed + (2 * arm if k else arm)
        if k:
            joints.append(ch.Spherical(f"j{k}", made[k - 1], made[k], at=(far + k, 0, 0)))
    return ch.Model(made, joints, forces=forces, gravity=gravity)


def missed(result):
    """(P, X, L): how far a run is from Newton and Euler."""
    model, t = result.model, result.t
    mass, g = sum(b.mass for b in model.bodies), np.array(model.gravity)
    p = result.momentum()
    x = sum(b.mass * result.position(b) for b in model.bodies) / mass
    falls = 0.5 * np.outer(t**2, g)
    spin = result.angular_momentum() - np.cross(x, p)
    return (
        np.abs(p - p[0] - mass * np.outer(t, g)).max(),
        np.abs(x - x[0] - np.outer(t, p[0] / mass) - falls).max(),
        np.abs(spin - spin[0]).max(),
    )


@pytest.mark.parametrize("method", ["midpoint", "heun", "kutta3", "rk4", "dopri5"])
def test_all_six_and_the_path_are_kept_by_every_method(method):
    momentum, path, spin = missed(run(thrown_chain(), method=method))
    assert momentum < 1e-12 and path < 1e-12 and spin < 1e-12


def test_euler_keeps_momentum_and_spin_and_shifts_the_path_by_its_own_first_order_error():
    momentum, path, spin = missed(run(thrown_chain(), method="euler"))
    assert momentum < 1e-12 and spin < 1e-12
    assert path == pytest.approx(0.5 * 0.5 * 2e-3 * np.abs(GRAVITY).max(), rel=1e-6)


def test_internal_springs_dampers_and_motors_do_not_change_it():
    model = thrown_chain(4)
    forces = [
        ch.Spring("s", model.bodies[0], model.bodies[3], (0, 0, 0), (4, 0, 0), stiffness=30.0,
                  damping=1.0),
        ch.Bushing("b", model.bodies[0], model.bodies[2], at=(1, 0, 0),
                   stiffness=(5.0,) * 6),
    ]  # fmt: skip
    result = run(ch.Model(model.bodies, model.joints, forces=forces, gravity=GRAVITY))
    assert max(missed(result)) < 1e-12


def test_a_load_gives_the_impulse_that_it_integrates_to():
    """A constant force F and a torque about the centre of mass: P = F t, as L with its arm."""
    body = ch.Body.box("b", (0.3, 0.2, 0.1), mass=2.0, angular_velocity=(1.0, 2.0, 3.0))
    load = ch.Load("f", body, force=(0.0, 0.5, 1.0), torque=(0.1, 0.0, -0.2))
    result = run(ch.Model([body], [], forces=[load], gravity=(0, 0, 0)))
    np.testing.assert_allclose(result.momentum()[-1], [0.0, 0.25, 0.5], atol=1e-14)
    arm = np.cross(result.position(body), result.momentum())
    spin = result.angular_momentum() - arm
    np.testing.assert_allclose(spin[-1] - spin[0], [0.05, 0.0, -0.1], atol=1e-14)


def test_the_order_of_the_method_stays():
    reference = run(thrown_chain(), method="dop853", step=5e-4).position("b5")[-1]
    errors = [
        np.abs(run(thrown_chain(), step=step).position("b5")[-1] - reference).max()
        for step in (1e-2, 5e-3, 2.5e-3)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.2)


def test_a_boost_of_a_million_changes_the_relative_motion_by_rounding():
    """Rates follow from velocities of 1e6 m/s, which are known to 1e-10 m/s."""
    rest, boosted = thrown_chain(boost=(0, 0, 0)), thrown_chain(boost=(1e6, 0, 0))
    slow, fast = run(rest), run(boosted)
    for body in rest.body_names:
        apart = np.abs(fast.rotation(body) - slow.rotation(body)).max()
        assert apart < 1e-9
    between = [r.position("b5") - r.position("b0") for r in (slow, fast)]
    assert np.abs(between[0] - between[1]).max() < 1e-9


def test_a_slender_body_does_not_begin_to_spin_about_its_axis():
    """An error phi of its direction would ask for a spin of phi L / I_axis, if velocities alone
    had to give the angular momentum back.
    """
    thin = ch.Body(
        "rod", mass=1.0, inertia=(1 / 12, 1 / 12, 1e-9), angular_velocity=(3.0, 1.0, 0.5)
    )
    result = run(ch.Model([thin], [], gravity=(0, 0, 0)), until=5.0, step=1e-2)
    np.testing.assert_allclose(result.angular_velocity("rod")[:, 2], 0.5, atol=1e-5)
    assert missed(result)[2] < 1e-13


def test_scissors_without_angular_momentum_stay_without():
    left = ch.Body.rod("l", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=(0, 2.0, 0))
    right = ch.Body.rod("r", 1.0, mass=1.0, position=(-0.5, 0, 0), angular_velocity=(0, -2.0, 0))
    hinge = ch.Revolute("h", left, right, at=(0, 0, 0), axis="y")
    result = run(ch.Model([left, right], [hinge], gravity=(0, 0, 0)), until=2.0, step=5e-3)
    assert max(missed(result)) < 1e-13
    assert abs(result.energy() - result.energy()[0]).max() < 1e-7


def test_what_is_tied_to_the_ground_is_left_alone():
    hung = ch.Body.box("hung", (1.0, 0.2, 0.1), mass=1.0, position=(0.5, 0, 0))
    loose = ch.Body.box("loose", (1.0, 0.2, 0.1), mass=1.0, position=(0, 2, 0),
                        angular_velocity=(1, 2, 3))  # fmt: skip
    model = ch.Model([hung, loose], [ch.Revolute("h", ch.GROUND, hung, at=(0, 0, 0), axis="y")])
    both, alone = run(model), run(ch.Model([hung], model.joints))
    np.testing.assert_array_equal(both.position("hung"), alone.position("hung"))


def test_pieces_and_what_is_saved_change_no_bit():
    model = thrown_chain(3)
    fine, coarse = run(model), run(model, save_every=50)
    np.testing.assert_array_equal(fine.absolute[::50], coarse.absolute)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
@pytest.mark.parametrize("seed", range(3))
def test_a_body_on_a_spring_that_does_not_turn_is_not_turned(seed, method):
    """Its angular momentum is nothing but rounding, the direction of which means nothing."""
    rng = np.random.default_rng(seed)
    place, velocity = rng.uniform(-1.0, 1.0, (2, 3))
    box = random_body(rng, "box", place, velocity=velocity, angular_velocity=(0, 0, 0))
    spring = ch.Spring("spring", ch.GROUND, box, at=place + (0.5, 0.5, 0.1), at_b=place,
                       stiffness=30.0, damping=2.0)  # fmt: skip
    model = ch.Model([box], forces=[spring], gravity=(1.0, -3.0, -9.0))
    result = ch.simulate(model, 0.5, 1e-3, method=method, save_every=50)
    turns = result.rotation("box")
    assert np.abs(turns - turns[0]).max() < 1e-13
