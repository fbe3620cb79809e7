"""What is promised of a run before it begins: how far joints may open, and what rests."""

import numpy as np
import pytest

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.run.checks import make_accuracy_limits


def arms():
    """Two arms whose joints are 2 m from their centres of mass, one driven, and a slider."""
    upper = ch.Body("upper", 2.0, (1, 1, 1), position=(2, 0, 0))
    lower = ch.Body("lower", 3.0, (1, 1, 1), position=(6, 0, 0))
    joints = [
        ch.Revolute("base", ch.GROUND, upper, at=(0, 0, 0), axis="z"),
        ch.Revolute("elbow", upper, lower, at=(4, 0, 0), axis="z"),
    ]
    drive = ch.Driver("drive", "base", lambda t: 0.1 * t)
    return TreeProblem.from_model(ch.Model([upper, lower], joints, drivers=[drive]), "SE3").setup


def test_exact_joints_may_open_by_rounding_and_others_by_a_hundredth_of_their_levers():
    """Five directions are locked by a hinge, in three of which a gap is a length; a driver one."""
    setup = arms()
    limits = make_accuracy_limits(setup, ["elbow"], 0.1)
    rows = {name: setup.system.joints.first_row[k] for name, k in setup.joint_index.items()}
    for name, fraction in (("base", 1e-8), ("elbow", 1e-2)):
        first = rows[name]
        found = sorted(limits.gaps[first : first + 5])
        assert found == pytest.approx([fraction] * 2 + [2.0 * fraction] * 3, rel=1e-12, abs=0.0)
        assert limits.lengths[first : first + 5].sum() == 3
        assert limits.gaps[first + 5] == 0.0
    assert limits.gaps[rows["drive"]] == pytest.approx(1e-2, rel=1e-12, abs=0.0)
    np.testing.assert_array_equal(limits.sizes, setup.row_sizes)


@pytest.mark.parametrize("step", [0.1, 0.5])
def test_what_moves_by_a_small_fraction_of_its_size_in_a_step_rests(step):
    """1e-10 of the longest lever, 2 m, and 1e-9 of the size of a driver, in energies and rates."""
    limits = make_accuracy_limits(arms(), [], step)
    assert limits.still == pytest.approx(
        (2.0 + 3.0) * (1e-10 * 2.0 / step) ** 2, rel=1e-12, abs=0.0
    )
    assert limits.slow == pytest.approx(1e-9 / step, rel=1e-12, abs=0.0)
    np.testing.assert_array_equal(limits.places, [(2, 0, 0), (6, 0, 0)])
