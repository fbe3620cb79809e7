"""Implicit methods on what is not a lower pair: wheels, gears, couplings, distances, loops."""

from functools import cache

import numpy as np
import pytest

import chasles as ch

METHODS = ("generalized-alpha", "generalized-alpha index 2", "bliedf2")
Y = (0, 1, 0)


def rods_on_a_cam():
    """Two pendula whose angles a polynomial couples."""
    one = ch.Body.rod("one", length=1.0, mass=1.0, position=(0.5, 0, 0))
    two = ch.Body.rod("two", length=0.7, mass=2.0, position=(0.35, 1, 0))
    joints = [
        ch.Revolute("a", ch.GROUND, one, (0, 0, 0), Y),
        ch.Revolute("b", ch.GROUND, two, (0, 1, 0), Y),
        ch.Coupling("cam", {"a": 1, "b": (-0.2, 0.3, -0.1)}),
    ]
    return ch.Model([one, two], joints)


def geared_rods():
    """Two pendula on a gear."""
    model = rods_on_a_cam()
    one, two = model.bodies
    gear = ch.Gear("gear", one, two, axis=Y, axis_b=Y, ratio=-0.5)
    return ch.Model([one, two], [*model.joints[:2], gear])


def bob_on_a_line():
    """A ball in a plane, on a massless rod."""
    ball = ch.Body.sphere("ball", radius=0.05, mass=0.3, position=(0.4, 0, 0.16))
    plane = ch.PointOnPlane("plane", ch.GROUND, ball, at=(0.4, 0, 0.16), axis=Y)
    rod = ch.Distance("rod", ch.GROUND, ball, at=(0, 0, 1.5), at_b=(0.4, 0, 0.16))
    return ch.Model([ball], [plane, rod])


def library(name):
    found = next(b for b in ch.library if b.name == name)
    return found.model(), 64 * found.step, 64


CASES = {
    "coupling": (lambda: (rods_on_a_cam(), 0.4, 80), ("subgroups",)),
    "gear": (lambda: (geared_rods(), 0.4, 80), ("SE3", "SO3xR3", "subgroups")),
    "distance": (lambda: (bob_on_a_line(), 0.4, 80), ("SE3", "SO3xR3", "auto")),
    "rolling disc": (lambda: library("rolling-disc"), ("SE3", "SO3xR3", "auto")),
    "bennett": (lambda: library("bennett"), ("framed", "auto")),
    "andrews": (lambda: library("A03"), ("framed", "auto")),
}
RUNS = [(case, space) for case, (_, spaces) in CASES.items() for space in spaces]


@cache
def end_of(case):
    """With steps a quarter as long, of a method of higher order."""
    model, until, steps = CASES[case][0]()
    return ch.simulate(model, until, step=until / steps / 4, method="dop853", save_every=4 * steps)


@pytest.mark.parametrize(("case", "space"), RUNS)
@pytest.mark.parametrize("method", METHODS)
def test_the_order_is_two_and_joints_are_closed(method, case, space):
    end, (model, until, steps) = end_of(case), CASES[case][0]()
    apart = []
    for count in (2 * steps, 4 * steps):
        result = ch.simulate(
            model, until, step=until / count, method=method, spaces=space, save_every=count
        )
        order = [
            list(end.problem.setup.body_index).index(k) for k in result.problem.setup.body_index
        ]
        apart.append(np.abs(result.absolute[-1] - end.absolute[-1][order]).max())
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2, abs=0.1)
    assert max(result.violation(joint)[-1] for joint in model.joint_names) < 1e-12


def test_a_wheel_does_not_slip_on_index_3_either():
    model, until, steps = library("rolling-disc")
    result = ch.simulate(model, until, step=until / steps, method="generalized-alpha", spaces="SE3")
    energy = result.energy()
    assert np.ptp(energy) < 1e-4 * np.abs(energy).max()


def test_a_stepwise_simulation_steps_implicitly_as_well():
    model = geared_rods()
    run = ch.Simulation(model, step=1e-3, method="generalized-alpha")
    for _ in range(50):
        run.step()
    whole = ch.simulate(model, 0.05, step=1e-3, method="generalized-alpha")
    assert np.array_equal(run.state.position, whole.state().position)


def test_times_between_the_steps_are_reached_by_steps_of_another_length():
    model = geared_rods()
    times = np.array([0.0005, 0.0105, 0.02, 0.0333])
    result = ch.simulate(model, 0.04, step=1e-3, method="generalized-alpha", t_eval=times)
    end = ch.simulate(model, 0.04, step=1e-4, method="dop853", t_eval=times)
    assert np.abs(result.position("one") - end.position("one")).max() < 1e-6
