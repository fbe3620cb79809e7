"""Counted operations choose the spaces that were faster where both were timed."""

import numpy as np
import pytest
from machines import net
from mechanisms import chain, double_pendulum, heavy_top, three_bar

import chasles as ch
from chasles.build.system.build import build
from chasles.build.system.tree_setup import tree_setup
from chasles.core.recursion.count import recursion_flops
from chasles.core.recursion.groups import LoopConstraint
from chasles.core.recursion.program import make_program
from chasles.core.recursion.tables import make_loops
from chasles.spaces import resolve_spaces
from chasles.studies.library import bennett, n_four_bar


def counted(model, spaces="subgroups"):
    """Multiplications of a stage, all rows of cut joints counted."""
    setup = build(model, resolve_spaces(model, spaces), fit=False)
    found = tree_setup(setup)
    return recursion_flops(found.tree, make_loops(found.tree, found.cuts))


@pytest.mark.parametrize(
    "model",
    [heavy_top(), double_pendulum(), three_bar(), n_four_bar.model(20), bennett.model()],
    ids=["top", "pendulum", "three-bar", "ladder", "bennett"],
)
def test_trees_and_ladders_are_cheaper_on_subgroups(model):
    assert counted(model) < 0.5 * counted(model, "SO3xR3")


@pytest.mark.parametrize("kind", ["spherical", "revolute", "planar"])
def test_every_further_body_of_a_chain_costs_the_same(kind):
    counts = []
    for length in (20, 30, 40):
        counts.append(counted(chain(np.random.default_rng(1), [kind] * length)))
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_a_row_ends_where_the_ways_of_its_bodies_meet():
    """Bodies 2 and 4 hang on 1, 5 on the ground; a gear does not balance and rides on."""
    parent, loose = [-1, 0, 1, 1, 3, -1], [False] * 6
    cuts = [
        LoopConstraint(0, 2, 4, (0, 1)),
        LoopConstraint(1, 4, 5, (2,)),
        LoopConstraint(2, 2, 4, (3,), False),
    ]
    program = make_program(parent, loose, cuts)
    assert program.ends == [1, -1, -1]
    assert program.riders == [{1, 2}, {1, 2}, {0, 2}, {0, 1, 2}, {0, 1, 2}, {1}]


@pytest.mark.parametrize("size", [2, 4, 6, 8, 10, 12])
def test_auto_takes_the_spaces_that_the_count_speaks_for(size):
    """Where they differ by more than a tenth."""
    model = net(size, lambda x, y: 0.02 * ((7 * x + 3 * y) % 5))
    on_subgroups = all(space.group == "subgroup" for space in ch.designate(model).spaces.values())
    ours, charts = counted(model), counted(model, "SO3xR3")
    assert on_subgroups == (ours <= charts) or ours == pytest.approx(charts, rel=0.1)
