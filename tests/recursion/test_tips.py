"""Balls that nothing hangs on are eliminated in their own axes."""

import numpy as np
from subgroup_runs import random_tree

from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import SPHERICAL, make_tree_workspace


def test_the_parent_of_a_tip_feels_the_schur_complement_of_its_inertia():
    found = 0
    for seed in range(20):
        tree = TreeProblem.from_model(random_tree(seed, kinds=("spherical", "revolute"))).tree
        for body in np.flatnonzero(tree.is_spherical_leaf):
            x, y, z = tree.moment[body]
            lever = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            rotary = np.diag(tree.inertia[body, [0, 2, 5]])
            whole = np.block([[rotary, lever], [lever.T, tree.mass[body] * np.eye(3)]])
            left = np.linalg.inv(np.linalg.inv(whole)[3:, 3:])
            stored = left[np.tril_indices(3)]
            np.testing.assert_allclose(tree.leaf[body, 3:], stored, atol=1e-12 * tree.mass[body])
            assert tree.pair[body] == SPHERICAL and body not in tree.parent
            found += 1
    assert found > 20


def test_tips_accelerate_as_balls_that_are_not_seen_in_their_own_axes():
    rng = np.random.default_rng(3)
    for seed in range(20):
        problem = TreeProblem.from_model(random_tree(seed, kinds=("spherical", "revolute")))
        tree, answers = problem.tree, []
        loads = rng.normal(size=(tree.body_count, 6)), rng.normal(size=tree.rate_count)
        for has_spherical_leaves in (0, 1):
            tree_work = make_tree_workspace(tree, np.zeros(1), wrenches=True, efforts=True)
            tree_work.wrenches[:], tree_work.efforts[:] = loads
            answers.append(np.zeros(tree.rate_count))
            tree_rates(
                tree,
                tree_work._replace(has_spherical_leaves=has_spherical_leaves),
                problem.start,
                answers[-1],
            )
        np.testing.assert_allclose(*answers, rtol=1e-10, atol=1e-10 * np.abs(answers[0]).max())
