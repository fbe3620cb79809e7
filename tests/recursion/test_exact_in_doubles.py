"""A tree joint cannot open: for no method, step, speed or number of steps."""

from math import pi

import numpy as np
import pytest
from combinations import one_at_a_time
from mechanisms import KINDS, chain, moving
from subgroup_runs import floating_tree, kinetic_energy, largest_gap, random_tree, run_of, shaft

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.build import build
from chasles.build.system.tree_setup import tree_setup
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import FREE, make_tree_workspace
from chasles.spaces import resolve_spaces

METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "dopri5", "butcher6", "dop853")


def test_a_fast_shaft_stays_in_its_bearing_and_keeps_its_energy_for_40_s_of_heun():
    problem = TreeProblem.from_model(shaft(300.0))
    run = run_of(problem, 40.0, 1e-3, "heun", save_every=400)
    assert largest_gap(problem, run.absolute) < 1e-13
    energy = kinetic_energy(problem, run.absolute)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_half_a_turn_a_step_is_nothing_to_a_shaft(method):
    problem = TreeProblem.from_model(shaft(pi * 1e3))
    run = run_of(problem, 0.05, 1e-3, method)
    assert largest_gap(problem, run.absolute) < 1e-12
    angles = run.coordinate("bearing")
    assert angles == pytest.approx(pi * np.arange(51), rel=1e-13, abs=1e-12)


@pytest.mark.parametrize("method, kind", one_at_a_time(METHODS, KINDS, base=("rk4", "spherical")))
def test_every_pair_holds_to_rounding_by_every_method(method, kind):
    rng = np.random.default_rng(11)
    model = moving(chain(rng, ["spherical", kind, kind]), rng, speed=2.0)
    problem = TreeProblem.from_model(model)
    run = run_of(problem, 0.3, 3e-3, method)
    reach = 1.0 + np.abs(run.absolute[..., 9:12]).max()
    assert largest_gap(problem, run.absolute) < 1e-13 * reach


def balls(count: int) -> ch.Model:
    rng = np.random.default_rng(8)
    model = moving(chain(rng, ["spherical"] * count), rng, speed=3.0)
    return ch.Model(model.bodies, model.joints, gravity=(0, 0, -9.81))


@pytest.mark.parametrize(
    "steps", [1000, 100_000, *(pytest.param(10**k, marks=pytest.mark.slow) for k in (6, 7))]
)
def test_the_gap_of_eight_balls_does_not_grow(steps):
    problem = TreeProblem.from_model(balls(8))
    run = run_of(problem, steps * 1e-4, 1e-4, "rk4", save_every=steps // 10)
    assert largest_gap(problem, run.absolute) < 4e-15
    turns = run.absolute[..., :9].reshape(-1, 3, 3)
    assert np.abs(np.swapaxes(turns, 1, 2) @ turns - np.eye(3)).max() < 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_a_boost_changes_nothing_but_positions_and_velocities(seed):
    """Coordinates of all joints, rotations and spins stay, as far as the start has their digits."""
    slow, fast = (
        run_of(TreeProblem.from_model(floating_tree(seed, boost=boost)), 0.5, 1e-3)
        for boost in (0.0, 2.0**20)
    )
    assert np.ptp(fast.position("body 0"), axis=0).max() > 1e5
    problem = TreeProblem.from_model(floating_tree(seed))  # accelerations, to the last bit
    state, rates = problem.start.copy(), problem.reactions(problem.start[None]).last.rates
    for body in np.flatnonzero(problem.tree.pair == FREE):
        at = problem.tree.stored_count + problem.tree.rate_at[body] + 3
        state[at : at + 3] += (1e6, 3e5, 0.0)
    assert np.array_equal(problem.reactions(state[None]).last.rates, rates)
    for name in slow.model.body_names:
        assert slow.rotation(name) == pytest.approx(fast.rotation(name), abs=1e-8)
        assert slow.angular_velocity(name) == pytest.approx(fast.angular_velocity(name), abs=1e-7)
    for joint in slow.model.joints:
        for word in joint.coordinates:
            ours, theirs = (run.coordinate(joint.name, word) for run in (slow, fast))
            assert ours == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize("size", [1e-9, 1e-12, 1e-15])
def test_points_swing_like_points(size):
    """Accelerations of a double pendulum of points, whatever little inertia they have."""
    length, mass = (0.7, 1.1), (2.0, 0.5)
    bodies = [
        ch.Body("one", mass[0], [size * mass[0] * length[0] ** 2] * 3, (length[0], 0, 0)),
        ch.Body("two", mass[1], [size * mass[1] * length[1] ** 2] * 3, (length[0], length[1], 0)),
    ]
    joints = [
        ch.Revolute("first", ch.GROUND, "one", at=(0, 0, 0), axis=(0, 0, 1)),
        ch.Revolute("second", "one", "two", at=(length[0], 0, 0), axis=(0, 0, 1)),
    ]
    model = ch.Model(bodies, joints, gravity=(0, -9.81, 0))
    tree = tree_setup(build(model, resolve_spaces(model, "subgroups"))).tree
    tree_work, rates = (
        make_tree_workspace(tree, np.zeros(1), wrenches=False, efforts=False),
        np.zeros(2),
    )
    tree_rates(tree, tree_work, np.array([0, 1, 0, 0, 1, 0, 3.0, -5.0]), rates)
    # The first rod along x, the second along y: the textbook's equations at right angles.
    (l1, l2), (m1, m2), (w1, w2) = length, mass, (3.0, -2.0)
    first = (m2 * l2 * w2**2 - (m1 + m2) * 9.81) / ((m1 + m2) * l1)
    second = -l1 * w1**2 / l2
    expected = np.array([first, second - first])
    assert rates == pytest.approx(expected, rel=1e-8 if size == 1e-9 else 1e-11)


def test_a_random_tree_runs_for_long_without_opening():
    problem = TreeProblem.from_model(random_tree(2, speed=2.0))
    run = run_of(problem, 10.0, 1e-3, "rk4", save_every=500)
    reach = 1.0 + np.abs(run.absolute[..., 9:12]).max()
    assert largest_gap(problem, run.absolute) < 1e-13 * reach
