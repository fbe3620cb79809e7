"""Counted operations choose the solver that was faster where both were timed."""

import numpy as np
import pytest
from mechanisms import chain, double_pendulum, heavy_top, three_bar

import chasles as ch
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.program import make_program
from chasles.dynamics.cheaper import recursion_pays
from chasles.studies.library import bennett, n_four_bar


def net(size: int) -> ch.Model:
    """A body at every node of a square net, a ball halfway along every edge, one on the ground."""
    bodies, joints = {}, []
    for x, y in np.ndindex(size, size):
        at = (0.2 * x, 0.2 * y, 0.02 * ((7 * x + 3 * y) % 5))
        body = ch.Body.box(f"{x} {y}", size=(0.2, 0.2, 0.05), mass=1.0, position=at)
        bodies[x, y] = body
        for other in ((x - 1, y), (x, y - 1)):
            if other in bodies:
                middle = (np.array(bodies[other].position) + at) / 2
                joints.append(ch.Spherical(f"{other} {x} {y}", bodies[other], body, at=middle))
    joints.append(ch.Spherical("hook", ch.GROUND, bodies[0, 0], at=(0, 0, 0.1)))
    return ch.Model(bodies.values(), joints)


def counted(model):
    """Multiplications of a stage by recursion."""
    return recursion_pays(model)[1].recursion


@pytest.mark.parametrize(
    "model",
    [heavy_top(), double_pendulum(), three_bar(), n_four_bar.model(20), bennett.model()],
    ids=["top", "pendulum", "three-bar", "ladder", "bennett"],
)
def test_trees_and_ladders_are_for_the_recursion(model):
    pays, operations = recursion_pays(model)
    assert pays and "by recursion" in str(operations)


def test_wide_nets_are_for_the_blocks():
    pays, operations = recursion_pays(net(8))
    assert not pays and operations.recursion > operations.blocks


@pytest.mark.parametrize("kind", ["spherical", "revolute", "planar"])
def test_every_further_body_of_a_chain_costs_the_same(kind):
    counts = []
    for length in (20, 30, 40):
        counts.append(counted(chain(np.random.default_rng(1), [kind] * length)))
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_a_row_ends_where_the_ways_of_its_bodies_meet():
    """Bodies 2 and 4 hang on 1, 5 on the ground; a gear does not balance and rides on."""
    parent, loose = [-1, 0, 1, 1, 3, -1], [False] * 6
    cuts = [Cut(0, 2, 4, (0, 1)), Cut(1, 4, 5, (2,)), Cut(2, 2, 4, (3,), False)]
    program = make_program(parent, loose, cuts)
    assert program.ends == [1, -1, -1]
    assert program.riders == [{1, 2}, {1, 2}, {0, 2}, {0, 1, 2}, {0, 1, 2}, {1}]


@pytest.mark.parametrize("size", [2, 4, 6, 7, 8, 10])
def test_auto_takes_the_solver_that_the_count_speaks_for(size):
    model = net(size)
    recursion = all(space.group == "subgroup" for space in ch.designate(model).spaces.values())
    pays, operations = recursion_pays(model)
    assert recursion == pays or operations.recursion == pytest.approx(operations.blocks, rel=0.1)
