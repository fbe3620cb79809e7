r"""Accelerations of trees with every pair, driven, geared, loaded: by virtual power, densely.

For every coordinate that is free to move (Kane, Jourdain), with partial velocities v_i, w_i, which
are those that a unit rate gives,

$$ \sum_k v_i\cdot(m\,(a - g) - f) + w_i\cdot(\Theta\alpha + \omega\times\Theta\omega - n)
   = \tau_i - I_i\,\ddot q_i . $$
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from chasles.build.system.build_tree import Link, build_tree
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    DOF,
    OMEGA,
    PAIR_CODES,
    SPHERICAL,
    TURN,
    make_tree_workspace,
)

ON_JOINTS = tuple(pair for pair in PAIR_CODES if pair not in ("fixed", "free", "SO3xR3", "SE3"))
#: (pair, whether it has a pitch, whether it has rotors): all that gives way in a manner of its own.
CASES = [(pair, pair == "helical", rotors) for pair in ON_JOINTS for rotors in (False, True)]
CASES += [("planar", True, False), ("planar", True, True)]


def random_link(rng, k, parent, pair, pitched=False, rotors=False):
    inertia = np.cov(rng.normal(size=(3, 9))) + np.eye(3)
    axes, points = [Rotation.random(rng=rng).as_matrix() for _ in range(2)], rng.normal(size=(2, 3))
    own = tuple(rng.uniform(0.1, 2.0, DOF[PAIR_CODES[pair]])) if rotors else ()
    return Link(
        f"body {k}", parent, pair, float(rng.uniform(0.5, 3.0)), inertia, axes[0], points[0],
        axes[1], points[1], pitch=0.3 * pitched, armature=own,
    )  # fmt: skip


def random_state(rng, tree):
    """Stored numbers and rates: angles with cosines and sines, quaternions, displacements."""
    stored = []
    for pair in tree.pair:
        turns = 4 <= pair <= 8
        if pair >= 9:
            stored += Rotation.random(rng=rng).as_quat().tolist()
        elif turns:
            angle = rng.uniform(-3.0, 3.0)
            stored += [angle, np.cos(angle), np.sin(angle)]
        others = DOF[pair] - (3 if pair >= 9 else int(turns))
        stored += rng.normal(size=others).tolist()
    assert len(stored) == tree.stored_count
    return np.array([*stored, *rng.normal(size=tree.rate_count)])


def absolute_of(tree, tree_work, state):
    out = np.zeros((1, tree.body_count, 18))
    tree_absolute(tree, tree_work, state[None], out)
    return out[0]


def missed(links, rng, loaded, pushed):
    """How far the accelerations are from the equations above, and from what is driven."""
    tree = build_tree(links, rng.normal(size=3) * 5.0)
    signals = rng.normal(size=3 * 4)
    tree_work = make_tree_workspace(tree, signals, wrenches=loaded, efforts=pushed)
    tree_work.wrenches[:] = rng.normal(size=tree_work.wrenches.shape) * loaded
    tree_work.efforts[:] = rng.normal(size=tree.rate_count) * pushed
    for at in tree.rate_at[(tree.pair == SPHERICAL) & (tree.parent >= 0)]:
        tree_work.efforts[at : at + 3] = (
            0.0  # no force acts along such: between bodies they are wrenches
        )
    tree_work.rows[:] = 7.0  # of a stage before
    state, rates = random_state(rng, tree), np.zeros(tree.rate_count)
    poses, partial = absolute_of(tree, tree_work, state), []
    for unit in np.eye(tree.rate_count):
        one = np.concatenate((state[: tree.stored_count], unit))
        partial.append(absolute_of(tree, tree_work, one)[:, 12:])
    tree_rates(tree, tree_work, state, rates)
    power = np.zeros(tree.rate_count)
    for k, link in enumerate(links):
        row, own = tree_work.rows[k], poses[k, :9].reshape(3, 3)
        alpha, omega = row[ALPHA : ALPHA + 3], row[OMEGA : OMEGA + 3]
        arm = row[TURN : TURN + 9].reshape(3, 3) @ tree.centre[k]
        felt = row[ACCELERATION : ACCELERATION + 3] + np.cross(alpha, arm)
        felt = own.T @ (felt + np.cross(omega, np.cross(omega, arm)))
        alpha, omega = own.T @ alpha, own.T @ omega
        torque = link.inertia @ alpha + np.cross(omega, link.inertia @ omega)
        wrench = np.concatenate((torque, link.mass * felt)) - tree_work.wrenches[k]
        power += [moved[k] @ wrench for moved in partial]
    wrong = power - tree_work.efforts + tree.armature * rates
    driven = tree.driven >= 0
    wrong[driven] = rates[driven] - signals[tree.driven[driven] + 2]
    return np.abs(wrong).max() / max(1.0, np.abs(power).max())


@pytest.mark.parametrize("root", ["fixed", "free", "spherical", "revolute"])
@pytest.mark.parametrize("pair, pitched, rotors", CASES)
def test_every_pair_gives_way_by_virtual_power(pair, pitched, rotors, root):
    """Two of a pair on a body, and a third on one of them: leaves, siblings, and what carries."""
    for seed, (loaded, pushed) in enumerate([(False, False), (True, True), (False, True)]):
        rng = np.random.default_rng(seed)
        parents = (0, 0, 1)
        links = [random_link(rng, 0, -1, root)]
        links += [random_link(rng, k + 1, up, pair, pitched, rotors)
                  for k, up in enumerate(parents)]  # fmt: skip
        assert missed(links, rng, loaded, pushed) < 1e-11


@pytest.mark.parametrize("pair", ["revolute", "prismatic", "helical", "cylindrical"])
def test_a_driven_coordinate_follows_its_signal_and_the_others_feel_it(pair):
    """The first of all signals, and a later one; a sleeve may have one of two driven."""
    rng = np.random.default_rng(5)
    dof = DOF[PAIR_CODES[pair]]
    links = [random_link(rng, 0, -1, "revolute")]
    links += [random_link(rng, k, k - 1, pair, pair == "helical") for k in (1, 2)]
    links.append(random_link(rng, 3, 2, "spherical"))
    links[1] = replace(links[1], driven=(0, *(-1,) * (dof - 1)))
    links[2] = replace(links[2], driven=(*(-1,) * (dof - 1), 6))
    for loaded, pushed in ((False, False), (True, False)):
        assert missed(links, rng, loaded, pushed) < 1e-11


@pytest.mark.parametrize("pair", [*ON_JOINTS, "free"])
def test_bodies_side_by_side_on_the_ground_do_not_feel_each_other(pair):
    for seed, (loaded, pushed) in enumerate([(False, False), (True, True)]):
        rng = np.random.default_rng(seed)
        links = [random_link(rng, k, -1, pair, pair == "helical") for k in range(2)]
        assert missed(links, rng, loaded, pushed) < 1e-11
