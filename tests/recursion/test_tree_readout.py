"""Wrenches and accelerations read out by the recursion are those of the charts' equations."""

import numpy as np
import pytest
from mechanisms import chain, double_pendulum, three_bar
from subgroup_runs import floating_tree, random_tree

import chasles as ch
from chasles.build.dynamics.tree_problem import read_on_pairs


def compared(model: ch.Model, spaces: str):
    """(wrenches, accelerations) of the charts and of the recursion over a few states."""
    result = ch.simulate(model, 0.05, step=1e-3, save_every=10, spaces=spaces)
    history = (result.absolute, result.t, result.integrals)
    setup = result.problem.setup
    wrenches, accelerations = result.problem.form.history(*history)
    found, _, rates = read_on_pairs(setup, *history)
    for side, bodies in enumerate((setup.system.joints.a, setup.system.joints.b)):
        grounded = np.flatnonzero(bodies < 0)  # what the ground feels is not asked for
        for part in (wrenches, found):
            part[:, grounded, 6 * side : 6 * side + 6] = 0.0
    return (wrenches, accelerations), (found, rates)


def agree(model: ch.Model, tolerance=1e-9, spaces="subgroups") -> None:
    for theirs, ours in zip(*compared(model, spaces)):
        assert np.abs(ours - theirs).max() < tolerance * (1.0 + np.abs(theirs).max())


@pytest.mark.parametrize("seed", range(4))
def test_of_random_trees(seed):
    agree(random_tree(seed))


@pytest.mark.parametrize("make", [double_pendulum, lambda: floating_tree(2)])
def test_of_the_pendulum_and_of_a_floating_tree(make):
    agree(make(), tolerance=1e-8)


@pytest.mark.parametrize(
    "kind, coordinate",
    [("revolute", "auto"), ("prismatic", "auto"), ("helical", "auto"),
     ("cylindrical", "angle"), ("cylindrical", "displacement")],
)  # fmt: skip
def test_of_driven_joints_with_springs_and_functions_of_time(kind, coordinate):
    model = chain(np.random.default_rng(5), ["spherical", kind, "revolute"], swap=True)
    driver = ch.Driver("drive", "joint 1", ch.Signal(lambda t: 0.4 * t * t), coordinate)
    forces = [
        ch.JointSpring("coil", "joint 2", stiffness=3.0, rest=9.0),
        ch.Load("push", model.bodies[-1], force=lambda t: (t, 2.0, 3.0 * t)),
    ]
    agree(ch.Model(model.bodies, model.joints, forces, gravity=model.gravity, drivers=[driver]))


def test_of_a_closed_loop():
    """A tree's joints are closed to rounding there, the charts' to the error of the method."""
    agree(three_bar(), tolerance=1e-5, spaces="SO3xR3")
