"""Laws of one's own: along a coordinate, and between two bodies that both move."""

import numpy as np
import pytest
from mechanisms import pendulum
from scipy.integrate import solve_ivp

import chasles as ch

Y = (0, 1, 0)


def hinged(force):
    return pendulum([force], name="rod", mass=3.0, gravity=(0, 0, 0))


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_linear_law_is_a_joint_spring(spaces):
    law = ch.JointLaw("law", "hinge", lambda t, q, rate: -4.0 * (q - 0.5) - 0.3 * rate)
    spring = ch.JointSpring("spring", "hinge", 4.0, 0.3, rest=0.5)
    one, two = (ch.simulate(hinged(f), until=2.0, step=1e-2, spaces=spaces) for f in (law, spring))
    assert one.coordinate("hinge") == pytest.approx(two.coordinate("hinge"), abs=1e-13)
    assert one.effort("law") == pytest.approx(two.effort("spring"), abs=1e-12)
    assert np.abs(one.energy_balance()).max() < 1e-8


def test_a_hardening_law_with_time_is_that_of_scipy_beyond_whole_turns():
    """I q'' = 9 cos t - q / 8 - q' / 10, I = m l^2 / 3 = 1; q passes a whole turn."""

    def push(t, q, rate):
        return 9.0 * np.cos(t) - 0.125 * q - 0.1 * rate

    result = ch.simulate(hinged(ch.JointLaw("law", "hinge", push)), until=2.5, step=1e-2)
    exact = solve_ivp(lambda t, y: (y[1], push(t, *y)), (0, 2.5), (0, 0), rtol=1e-11, atol=1e-12)
    assert exact.y[0].max() > 2 * np.pi
    assert result.coordinate("hinge")[-1] == pytest.approx(exact.y[0, -1], abs=1e-7)


def test_a_law_that_fails_is_named():
    with pytest.raises(ch.ChaslesError, match="law must be"):
        ch.JointLaw("law", "hinge", 3.0)
    for law in (lambda t, q, rate: 1.0 / 0.0, lambda t, q, rate: "x", lambda t, q: 0.0):
        with pytest.raises(ch.ChaslesError, match="force 'law'"):
            ch.simulate(hinged(ch.JointLaw("law", "hinge", law)), until=0.1, step=0.01)


def attraction(t, position, rotation, velocity, spin, other):
    """A spring of 5 N/m and no length between two centres of mass."""
    return tuple(5.0 * (o - p) for p, o in zip(position, other[0])), (0.0, 0.0, 0.0)


def test_a_force_that_sees_both_bodies_moves_them_about_their_centre():
    bodies = [
        ch.Body.sphere("one", 0.1, mass=1.0, position=(1, 0, 0), velocity=(0, 1, 0)),
        ch.Body.sphere("two", 0.1, mass=3.0, position=(-1, 0, 0.5), velocity=(0, 0, 0)),
    ]
    force = ch.CustomForce("pull", "one", attraction, reaction="two", sees_reaction=True)
    result = ch.simulate(ch.Model(bodies, [], [force], gravity=(0, 0, 0)), until=3.0, step=1e-3)
    mass = 1.0 * 3.0 / 4.0
    pulse = np.sqrt(5.0 / mass)
    apart = np.array((2, 0, -0.5))
    exact = np.cos(3 * pulse) * apart + np.sin(3 * pulse) / pulse * np.array((0, 1, 0))
    found = result.position("one")[-1] - result.position("two")[-1]
    assert found == pytest.approx(exact, abs=1e-8)
    assert np.ptp(result.momentum(), axis=0).max() < 1e-12
    with pytest.raises(ch.ChaslesError, match="sees_reaction must be True or False"):
        ch.CustomForce("pull", "one", attraction, reaction="two", sees_reaction=1)
    with pytest.raises(ch.ChaslesError, match="both True"):
        ch.CustomForce("pull", "one", attraction, "two", compiled=True, sees_reaction=True)


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_cartesian_joint_lets_a_body_fall_and_keeps_its_orientation(spaces, swapped):
    body = ch.Body.box("b", size=(0.1, 0.2, 0.3), mass=2.0, velocity=(1, 0, 0))
    ends = (body, ch.GROUND) if swapped else (ch.GROUND, body)
    torque = ch.Load("twist", "b", torque=(0.3, -0.2, 0.5))
    model = ch.Model([body], [ch.Cartesian("gantry", *ends)], [torque])
    assert model.degrees_of_freedom == 3
    result = ch.simulate(model, until=1.0, step=1e-2, spaces=spaces)
    assert result.position("b")[-1] == pytest.approx((1, 0, -0.5 * 9.81), abs=1e-9)
    assert result.rotation("b")[-1] == pytest.approx(np.eye(3), abs=1e-12)
    held = result.reaction("gantry").on(body)[1]
    assert held == pytest.approx(np.tile((-0.3, 0.2, -0.5), (len(held), 1)), abs=1e-12)
