"""States from poses and twists: the inverse of `place`, for every pair, and many at once."""

import numpy as np
import pytest
from mechanisms import KINDS, tree

from chasles.build.dynamics.cut_joints import perturbed
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.tree_state import states_of
from chasles.core.recursion.tree import REVOLUTE, SPHERICAL
from chasles.model.coordinates import ANGLE

SPACES = ("subgroups", "SE3", "SE3 relative", "SO3xR3", "framed")
STATES = 3


def random_states(problem: TreeProblem, rng) -> np.ndarray:
    """Poses far from the start, angles within and beyond half a turn, and velocities."""
    found = []
    for _ in range(STATES):
        state = perturbed(problem.tree, problem.start, rng, 2.0, 1.0)
        state[problem.tree.stored_count :] = rng.standard_normal(problem.tree.rate_count)
        found.append(state)
    return np.array(found)


def whole_turns(problem: TreeProblem, states) -> dict:
    """The angles of all bodies that turn about one axis, off by what rounding of a file is."""
    tree = problem.tree
    turning = [k for k, pair in enumerate(tree.pair) if REVOLUTE <= pair < SPHERICAL]
    return {(k, ANGLE): states[:, tree.stored_at[k]] + 1e-12 for k in turning}


@pytest.mark.parametrize("spaces", SPACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_state_comes_back_from_its_poses_and_twists(kind, spaces):
    rng = np.random.default_rng(7)
    problem = TreeProblem.from_model(tree(rng, [-1, 0, 1, 0], [kind, "spherical"] * 2), spaces)
    states = random_states(problem, rng)
    absolute, known = problem.absolute(states), whole_turns(problem, states)
    found = states_of(problem.tree, absolute, known)
    again = problem.absolute(found)
    np.testing.assert_allclose(again, absolute, atol=1e-12)
    for (body, _), angles in known.items():  # the last bits, too, are those that are known
        np.testing.assert_array_equal(found[:, problem.tree.stored_at[body]], angles)
    rates = slice(problem.tree.stored_count, None)
    np.testing.assert_allclose(found[:, rates], states[:, rates], atol=1e-12)
    one_by_one = [
        states_of(problem.tree, absolute[k : k + 1], {key: x[k] for key, x in known.items()})[0]
        for k in range(STATES)
    ]
    np.testing.assert_array_equal(found, one_by_one)


def test_coordinates_that_poses_contradict_are_not_taken():
    problem = TreeProblem.from_model(tree(np.random.default_rng(8), [-1], ["revolute"]))
    states = random_states(problem, np.random.default_rng(9))
    absolute, angle = problem.absolute(states), states[:, 0]
    near = states_of(problem.tree, absolute, {(0, ANGLE): angle + 0.1 + 4.0 * np.pi})[:, 0]
    np.testing.assert_allclose(near, angle + 4.0 * np.pi, atol=1e-12)
