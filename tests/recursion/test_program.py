"""Every program of elimination against a dense solve: pairs of all dimensions, any rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_graphs import CARRIED, COUPLING, FORMULA, LOOSE, Graph
from random_loops import looped

from chasles.build.dynamics.cut_joints import mobility_of
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.arrays import vec3
from chasles.core.recursion import tables
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import LoopConstraint, in_world, make_loop_workspace
from chasles.core.recursion.program import Frontier, make_program
from chasles.core.recursion.solving import (
    loop_inward,
    loop_outward,
    loop_resolve,
)
from chasles.core.recursion.tables import make_loops, weights_of
from chasles.core.recursion.tree import FREE

PAIRS = st.one_of(st.sampled_from(CARRIED), st.sampled_from(LOOSE))
#: Graphs whose groups close in any order, by seed: of a hundred, three show an error in what a
#: group leaves on bodies to which others have not come yet.
LARGE = 120
CUTS = st.one_of(st.integers(1, 6), st.sampled_from((COUPLING, FORMULA)))


@st.composite
def graphs(draw, pairs=PAIRS):
    seed = draw(st.integers(0, 10**6))
    kinds = draw(st.lists(pairs, min_size=1, max_size=6))
    if kinds[0] not in LOOSE and all(kind == "fixed" for kind in kinds):
        kinds[0] = "spherical"
    sizes = draw(st.lists(CUTS, min_size=0, max_size=5))
    graph = Graph.drawn(seed, kinds, sizes, draw(st.booleans()))
    assume(is_regular(graph))
    return graph


def is_regular(graph):
    """Whether rows are independent; all of them may be inside of one rigid body."""
    mass, rows, _ = graph.dense
    if not len(rows):
        return True
    mobility = rows @ np.linalg.solve(mass, rows.T) + np.diag(graph.damping)
    sizes = np.linalg.svd(mobility, compute_uv=False)
    return bool(sizes[-1] > 1e-6 * max(1e-3, sizes[0]))


def in_order(bodies_first):
    """`make_loops` with one of the orders, whichever is cheaper."""
    return ordered_by(lambda *graph: Frontier(*graph[:3], bodies_first, graph[3]))


class Shuffled(Frontier):
    """What goes next is drawn, of all that may."""

    def __init__(self, rng, *graph):
        self.rng, self.turns = rng, {}
        super().__init__(*graph[:3], bool(rng.integers(2)), graph[3])

    def offer(self, entry):
        turn, _, kind, which = entry
        drawn = self.turns.setdefault((kind, which), int(self.rng.integers(1000)))
        super().offer((turn, drawn, kind, which))


def in_any_order(seed):
    return ordered_by(lambda *graph: Shuffled(np.random.default_rng(seed), *graph))


def ordered_by(frontier):
    """`make_loops` with a program of its own."""

    def made(tree, cuts):
        def ordered(*graph):
            return frontier(*graph).run()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "make_program", ordered)
            return make_loops(tree, cuts)

    return made


def solved(graph, eta, load):
    """(v', multipliers by row of J) of the dense equations."""
    mass, rows, _ = graph.dense
    whole = np.block([[mass, rows.T], [rows, -np.diag(graph.damping)]])
    found = np.linalg.solve(whole, np.concatenate((load, eta)))
    return found[: len(mass)], found[len(mass) :]


def is_close(found, expected):
    size = max(1.0, np.abs(expected).max(initial=0.0))
    return np.abs(found - expected).max(initial=0.0) < 1e-7 * size


def check_solution(graph, made=make_loops):
    """Rates and multipliers are those of the dense equations, also of another right-hand side."""
    at = graph.loaded(made)
    tree, loops, loop_work, rows = at.tree, at.loops, at.loop_work, at.tree_work.rows
    assert loop_inward(tree, at.tree_work, loops, loop_work, 1) == SOLVED
    out = np.zeros(tree.rate_count)
    loop_outward(tree, loops, loop_work, rows, vec3(tree.gravity, 0), True, out, 0)
    rates, multipliers = solved(graph, graph.eta, graph.dense[2])
    assert is_close(out, rates)
    assert is_close(loop_work.multipliers[: loops.row_count], multipliers[loops.source])
    wanted = np.random.default_rng(1).normal(size=len(graph.eta))
    loop_work.wanted[: loops.row_count] = wanted[loops.source]
    loop_resolve(tree, loops, loop_work, rows, out, 0)
    rates, multipliers = solved(graph, wanted, 0.0 * rates)
    assert is_close(out, rates)
    assert is_close(loop_work.multipliers[: loops.row_count], multipliers[loops.source])


@pytest.mark.parametrize(
    "made", [make_loops, in_order(True), in_order(False)], ids=["cheaper", "bodies", "cheapest"]
)
@given(graph=graphs())
@settings(max_examples=25, deadline=None)
def test_every_program_solves_the_dense_equations(made, graph):
    check_solution(graph, made)


@pytest.mark.parametrize("count", [LARGE, pytest.param(10 * LARGE, marks=pytest.mark.slow)])
def test_groups_may_close_in_any_order_that_is_allowed(count):
    """Rows of different groups meet on bodies in every order, also those that closed elsewhere."""
    checked = 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        graph = Graph.drawn(seed, *random_kinds(rng), damped=rng.random() < 0.3)
        if is_regular(graph):
            check_solution(graph, make_loops if seed % 2 else in_any_order(seed))
            checked += 1
    assert checked > 0.7 * count


def random_kinds(rng):
    """Pairs of 5 to 11 bodies, most of them on others, and 3 to 6 cuts, half of them of joints."""
    kinds = rng.choice(CARRIED, rng.integers(5, 12))
    loose = rng.random(len(kinds)) < 0.3
    kinds[loose] = rng.choice(list(LOOSE), loose.sum())
    cuts = [
        int(rng.integers(1, 5)) if rng.random() < 0.5 else str(rng.choice((COUPLING, FORMULA)))
        for _ in range(rng.integers(3, 7))
    ]
    return kinds.tolist(), cuts


@given(graph=graphs(), draw=st.data())
@settings(max_examples=60, deadline=None)
def test_bodies_without_mass_give_way_once_inertia_has_reached_them(graph, draw):
    bodies = range(graph.tree.body_count)
    graph = graph.without_mass(draw.draw(st.lists(st.sampled_from(bodies), max_size=2)))
    loose, parent = (graph.tree.pair >= FREE).tolist(), graph.tree.parent.tolist()
    weights = weights_of(graph.tree)
    assume(not make_program(parent, loose, graph.cuts, weights).stuck)
    mass, rows, load = graph.dense
    whole = np.block([[mass, rows.T], [rows, -np.diag(graph.damping)]])
    assume(np.linalg.cond(whole) < 1e6)
    at = graph.loaded()
    assume(loop_inward(at.tree, at.tree_work, at.loops, at.loop_work, 1) == SOLVED)
    out = np.zeros(at.tree.rate_count)
    loop_outward(
        at.tree, at.loops, at.loop_work, at.tree_work.rows, vec3(at.tree.gravity, 0), True, out, 0
    )
    rates, multipliers = solved(graph, graph.eta, load)
    assume(np.isfinite(out).all())  # a frame may be resisted in some directions only
    assert is_close(out, rates)
    assert is_close(at.loop_work.multipliers[: at.loops.row_count], multipliers[at.loops.source])


@given(graph=graphs())
@settings(max_examples=15, deadline=None)
def test_rows_that_no_coordinate_moves_have_no_mobility_and_others_have_some(graph):
    """What is inside its loop gives way to a row: less than everything, but not nothing."""
    at = graph.loaded()
    loop_inward(at.tree, at.tree_work, at.loops, at.loop_work, 0)
    mass, rows, _ = graph.dense
    whole = np.diag(rows @ np.linalg.solve(mass, rows.T))[at.loops.source]
    found = mobility_of(at.loops, at.loop_work) - at.loops.damping[: at.loops.row_count]
    assert (found <= whole + 1e-9).all()
    assert ((found > 1e-12) == (whole > 1e-12)).all()


@given(graph=graphs(st.sampled_from(LOOSE)))
@settings(max_examples=10, deadline=None)
def test_rows_between_charts_are_handed_to_nobody(graph):
    loops = make_loops(graph.tree, graph.cuts)
    assert (loops.place_up == -1).all()


@pytest.mark.parametrize("seed", range(4))
def test_lower_pairs_along_their_axes_and_by_rows_of_j_move_alike(seed):
    problem = TreeProblem.from_model(looped(seed, 3))
    expected = problem.reactions(problem.start[None])
    loops = in_world(problem.loops, problem.tree, problem.setup.system)
    assert loops.loading.any() and loops.is_formed == 0
    other = TreeProblem(
        problem.setup, problem.tree, loops, problem.tree_work, problem.workspace,
        make_loop_workspace(loops, problem.tree.body_count, problem.tree.rate_count),
        problem.start,
    )  # fmt: skip
    found = other.reactions(problem.start[None])
    assert is_close(found.last.rates, expected.last.rates)
    assert is_close(found.multipliers[0], expected.multipliers[0])


@pytest.mark.parametrize(
    "seed, kinds, sizes",
    [
        (6, ["SE3", "spherical", "cylindrical", "SE3"], [5, 1, 3, 5]),
        (34, ["SO3xR3", "free", "SO3xR3"], [3, 2, 5, 3, 4]),
        (120, ["SO3xR3", "spherical", "SO3xR3"], [2, 5, 2, 4]),
    ],
)
def test_what_met_a_row_that_closed_on_the_ground_hangs_on_the_ground(seed, kinds, sizes):
    """Here rows close too soon, without a pivot, where the ground is forgotten."""
    graph = Graph.drawn(seed, kinds, sizes, damped=False)
    at = graph.loaded(in_order(False))
    assert loop_inward(at.tree, at.tree_work, at.loops, at.loop_work, 1) == SOLVED


@pytest.mark.parametrize("bodies", [500, 1000])
def test_chains_and_stars_on_charts_meet_nothing(bodies):
    chain = [LoopConstraint(k, k - 1, k, (3 * k, 3 * k + 1, 3 * k + 2)) for k in range(bodies)]
    star = [
        LoopConstraint(k, min(0, k - 1), k, (3 * k, 3 * k + 1, 3 * k + 2)) for k in range(bodies)
    ]
    for cuts in (chain, star):
        program = make_program([-1] * bodies, [True] * bodies, cuts)
        assert not any(program.later)
