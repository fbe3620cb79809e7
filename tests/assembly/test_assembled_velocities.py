"""Velocities after assembly: kept if the joints allow them, otherwise the nearest that they do."""

import numpy as np
import pytest
from linkages import CROOKED, bar
from loose_ends import ORIGIN, X, Z, entered, shaken
from mechanisms import EXAMPLES, in_a_ring

import chasles as ch


def open_four_bar(spins=(None, None, None), velocities=(None, None, None), gap=0.0):
    links = [
        bar(f"l{k}", CROOKED[k], CROOKED[k + 1], mass=1.0 + k,
                    angular_velocity=spins[k], velocity=velocities[k])
        for k in range(3)
    ]  # fmt: skip
    joints = in_a_ring(links, CROOKED[:3], Z, ("h0", "h1", "h2"))
    foot = np.add(CROOKED[3], (gap, 0, 0))
    joints.append(ch.Revolute("h3", ch.GROUND, links[2], foot, Z, at_b=CROOKED[3]))
    return ch.Model(links, joints, gravity=(0, -9.81, 0))


def motion(model, state):
    """The one motion of the mechanism at a state, body twists (6n,): the null space of J."""
    jacobian = ch.equations(model, state).jacobian
    _, s, v = np.linalg.svd(jacobian)
    assert (s > 1e-9 * s[0]).sum() == len(v) - 1
    return v[-1]


def twists(state):
    """(6n,) in body axes."""
    body = np.einsum("bji,bj->bi", state.rotation, state.velocity)
    return np.hstack((state.angular_velocity, body)).ravel()


def mass_of(model):
    return ch.equations(model, ch.assemble(model).state).mass


def test_velocities_that_fit_are_kept_to_the_bit():
    assembly = ch.assemble(open_four_bar(spins=((0, 0, 3.0), None, None), gap=0.01))
    assert assembly.state.angular_velocity[0].tolist() == [0, 0, 3.0]
    assert set(assembly.velocity_change.values()) == {(0.0, 0.0)}
    model = open_four_bar(spins=((0, 0, 3.0), None, None), gap=0.01)
    along = motion(model, assembly.state)
    expected = along * 3.0 / along[2]
    assert twists(assembly.state) == pytest.approx(expected, abs=1e-12)


def test_spins_that_do_not_fit_are_replaced_by_the_nearest_that_do():
    """The one motion is a line; given spins alone, the nearest point on it by their inertias."""
    given = np.array([3.0, 0.5, -1.0])
    model = open_four_bar(spins=[(0, 0, w) for w in given], gap=0.01)
    assembly = ch.assemble(model)
    along, inertia = motion(model, assembly.state), np.array(
        [body.inertia[2][2] for body in model.bodies]
    )  # fmt: skip
    turns = along[[2, 8, 14]]
    best = turns * (turns @ (inertia * given)) / (turns @ (inertia * turns))
    assert assembly.state.angular_velocity[:, 2] == pytest.approx(best, rel=1e-9)
    scale = best[0] / turns[0]
    assert twists(assembly.state) == pytest.approx(scale * along, abs=1e-10)
    change = [assembly.velocity_change[name].angle for name in model.body_names]
    assert change == pytest.approx(np.abs(best - given), rel=1e-9)
    assert all(assembly.velocity_change[name].length == 0.0 for name in model.body_names)
    assert "changed its velocity by" in str(assembly)


def test_all_velocities_given_and_none_allowed_are_projected_in_the_mass_metric():
    rng = np.random.default_rng(2)
    spins, velocities = rng.standard_normal((3, 3)), rng.standard_normal((3, 3))
    model = open_four_bar(spins, velocities)
    assembly = ch.assemble(model)
    along, mass = motion(model, assembly.state), mass_of(model)
    rotation = np.array([body.rotation for body in model.bodies])
    given = np.hstack((spins, np.einsum("bji,bj->bi", rotation, velocities))).ravel()
    best = along * (along @ mass @ given) / (along @ mass @ along)
    assert twists(assembly.state) == pytest.approx(best, abs=1e-12)


def test_a_held_body_keeps_its_velocity():
    model = open_four_bar(spins=((0, 0, 3.0), (0, 0, 0.5), None), gap=0.01)
    for hold in (["l0"], ["h0", "l0"]):
        assembly = ch.assemble(model, hold=hold)
        assert assembly.state.angular_velocity[0].tolist() == [0, 0, 3.0]
        assert assembly.velocity_change["l0"] == (0.0, 0.0)
        assert assembly.velocity_change["l1"].angle > 0.01


def test_a_held_joint_keeps_its_rate_where_it_was_given():
    """The crank is given in full and the coupler disagrees: the crank's rate is held."""
    spins = ((0, 0, 3.0), (0, 0, 0.5), None)
    velocities = ((-0.6, 0, 0), None, None)
    model = open_four_bar(spins, velocities, gap=0.01)
    free, held = (ch.assemble(model, hold=hold).state for hold in ([], ["h0"]))
    assert held.angular_velocity[0, 2] == pytest.approx(3.0, abs=1e-12)
    assert abs(free.angular_velocity[0, 2] - 3.0) > 0.01


def test_a_held_angle_needs_no_linear_velocity_to_keep_its_rate():
    """Crank and rocker disagree, and only their spins were given."""
    model = open_four_bar(spins=((0, 0, 3.0), None, (0, 0, 3.0)), gap=0.01)
    for joint, kept, changed in (("h0", "l0", "l2"), ("h3", "l2", "l0")):
        assembly = ch.assemble(model, hold=[joint])
        which = model.body_names.index(kept)
        assert assembly.state.angular_velocity[which, 2] == pytest.approx(3.0, abs=1e-11)
        assert assembly.velocity_change[changed].angle > 0.1


def test_a_held_displacement_keeps_its_rate_only_if_it_was_given():
    """A spinning body on a rail: the spin alone says nothing about the way."""
    body = bar("body", (0, 0, 0), (1, 0, 0), angular_velocity=(0, 0, 2.0))
    rail = ch.Cylindrical("rail", ch.GROUND, body, (0.5, 0, 0), (0, 0, 1))
    lift = ch.Load("lift", body, force=(0, 0, 1))
    assembly = ch.assemble(ch.Model([body], [rail], [lift]), hold=["rail"])
    assert assembly.state.angular_velocity[0].tolist() == [0, 0, 2.0]
    assert assembly.state.velocity[0] == pytest.approx((0, 0, 0), abs=1e-14)


def test_held_rates_that_contradict_each_other_are_refused_by_the_joints_names(refusal):
    model = open_four_bar(spins=((0, 0, 3.0), None, (0, 0, 3.0)))
    what = refusal(lambda: ch.assemble(model, hold=["h0", "h3"]), ch.InconsistentStart)
    assert "with h0, h3 held" in what and "violate joint" in what and "hold of" not in what


def test_drivers_have_their_rates():
    links = open_four_bar(gap=0.01)
    driver = ch.Driver("drive", "h0", ch.Signal.linear(2.0))
    model = ch.Model(links.bodies, links.joints, drivers=[driver])
    assert ch.assemble(model).state.angular_velocity[0, 2] == pytest.approx(2.0, abs=1e-12)


def test_held_velocities_that_contradict_each_other_are_refused(refusal):
    model = open_four_bar(spins=((0, 0, 3.0), None, (0, 0, 3.0)))
    what = refusal(lambda: ch.assemble(model, hold=["l0", "l2"]), ch.InconsistentStart)
    assert "with l0, l2 held" in what and "violate joint" in what


def test_a_large_chain_has_the_velocities_nearest_in_the_mass_metric():
    """100 links with random velocities: the sparse way against one dense KKT system."""
    rng = np.random.default_rng(3)
    count, bodies, joints, parent = 100, [], [], ch.GROUND
    for k in range(count):
        link = bar(f"link {k}", (k, 0, 0), (k + 1, 0, 0),
                           velocity=rng.standard_normal(3),
                           angular_velocity=rng.standard_normal(3))  # fmt: skip
        joints.append(ch.Spherical(f"joint {k}", parent, link, (k, 0, 0)))
        bodies.append(link)
        parent = link
    model = ch.Model(bodies, joints)
    state = ch.assemble(model).state
    eq = ch.equations(model, state)
    given = np.hstack([np.concatenate((b.angular_velocity, b.velocity)) for b in bodies])
    rows = len(eq.rows)
    expected = np.linalg.solve(eq.kkt, np.concatenate((eq.mass @ given, np.zeros(rows))))
    assert twists(state) == pytest.approx(expected[: given.size], abs=1e-10)


def test_velocities_stay_as_they_are_in_the_world_when_a_body_is_turned():
    """A free body is not touched; a turned one keeps the velocity of its centre in the world."""
    model = EXAMPLES["pendulum"]()
    state = ch.simulate(model, 0.05, 1e-4).state()
    loose = shaken(state, np.random.default_rng(4), 0.0, 1e-3)
    assembly = ch.assemble(model, start=loose)
    assert np.abs(assembly.state.velocity - loose.velocity).max() < 0.1
    assert max(change.length for change in assembly.velocity_change.values()) < 0.1


def test_a_body_without_joints_is_left_alone():
    stone = bar("stone", (5, 5, 0), (6, 5, 0), velocity=(1, 2, 3), angular_velocity=X)
    arm = bar("arm", (0.01, 0, 0), (1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, ORIGIN, Z, at_b=(0.01, 0, 0))
    assembly = ch.assemble(ch.Model([stone, arm], [hinge]))
    assert assembly.moved["stone"] == (0.0, 0.0)
    assert assembly.state.velocity[0] == pytest.approx((1, 2, 3), abs=1e-15)
    assert entered(ch.Model([stone])).position[0].tolist() == assembly.state.position[0].tolist()
