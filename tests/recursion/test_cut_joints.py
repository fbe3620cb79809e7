"""Loops on joint subgroups: rows of cut joints ride up the tree; the solution is the dense one."""

import sys
from pathlib import Path

import numpy as np
import pytest
from mechanisms import three_bar
from random_graphs import flat
from random_loops import looped
from subgroup_runs import disagreement, largest_gap, run_of

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.mechanism import Equations
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.refine import load_norm, solve_rows
from chasles.core.recursion.stage import tree_factor
from chasles.spaces.tree import pair_tree
from chasles.studies.library import bennett, bricard, four_bar, n_four_bar

sys.path.append(str(Path(__file__).parent.parent / "joints"))
from joint_cases import CASES, make_case
from joint_cases import moving as set_in_motion


def assert_solved_as_densely(model, tolerance=1e-9):
    problem = TreeProblem.from_model(model)
    equations = ch.equations(model)
    order = [model.body_names.index(name) for name in problem.setup.body_index]
    expected = equations.acceleration.reshape(-1, 6)[order]
    found = problem.reactions(problem.start[None]).accelerations[0]
    assert np.abs(found - expected).max() < tolerance * max(1.0, np.abs(expected).max())
    return problem


@pytest.mark.parametrize("cuts", [1, 2, 3])
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_accelerations_of_random_loops_are_those_of_the_dense_equations(seed, cuts, floating):
    problem = assert_solved_as_densely(looped(seed, cuts, floating=floating))
    assert problem.loops.row_count > 0


@pytest.mark.parametrize("kind, order", CASES)
def test_every_joint_and_driver_is_carried_or_cut(kind, order):
    model = make_case(kind, order).model
    assert_solved_as_densely(set_in_motion(model, np.random.default_rng(2)))


@pytest.mark.parametrize("kind, order", [case for case in CASES if case[1] == "two bodies"])
def test_every_joint_closes_a_loop(kind, order):
    """Both bodies hang on balls as well."""
    case = make_case(kind, order).model
    if kind == "gear":
        pytest.skip("its wheels have their bearings")
    tops = [
        ch.Spherical(f"ball {body.name}", ch.GROUND, body, at=np.array(body.position) + 0.3)
        for body in case.bodies
    ]
    model = ch.Model(case.bodies, [*tops, *case.joints], gravity=case.gravity, drivers=case.drivers)
    try:
        model = set_in_motion(model, np.random.default_rng(2))
    except (np.linalg.LinAlgError, ch.ChaslesError):
        pytest.skip("more rows than freedoms")
    if len(ch.equations(model).rows) >= 12:
        pytest.skip("no freedom left")
    assert_solved_as_densely(model, 1e-8)


@pytest.mark.parametrize("cuts", [1, 2, 3])
@pytest.mark.parametrize("floating", [False, True])
def test_multipliers_and_reactions_are_those_of_all_rows(cuts, floating):
    model = looped(3, cuts, floating=floating)
    problem = TreeProblem.from_model(model)
    ours = problem.reactions(problem.start[None])
    result = ch.simulate(model, until=1e-4, step=1e-4)
    largest = max(np.abs(result.reaction(j).force[0]).max() for j in model.joint_names)
    absolute = problem.absolute(problem.start[None])[0]
    for name, carried in pair_tree(model).parents.items():
        if carried is not None:
            k = problem.setup.body_index[name]
            force, _ = result.reaction(carried[1]).on(name)
            own = absolute[k, :9].reshape(3, 3) @ ours.last.on_bodies[k, 9:12]
            assert own == pytest.approx(force[0], abs=1e-9 * largest)


def test_the_three_bar_moves_alike():
    assert disagreement(three_bar(), 0.1, 1e-3) < 1e-11


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cuts", [1, 2])
def test_random_loops_move_alike(seed, cuts):
    assert disagreement(looped(seed, cuts), 0.02, 5e-4) < 1e-11


def test_rows_of_a_planar_four_bar_that_hold_by_themselves_are_dropped():
    problem = TreeProblem.from_model(four_bar.model())
    assert problem.loops.row_count == 2 and problem.loops.is_damped == 0
    run = run_of(problem, 1.0, 1e-3, "rk4")
    assert tree_gap(problem, run.absolute) < 1e-14
    assert largest_gap(problem, run.absolute) < 1e-5  # the cut joint drifts with the method


def tree_gap(problem, absolute) -> float:
    """Largest opening of the joints that are not cut."""
    cut = {int(j) for j in problem.loops.joints}
    gaps = [
        np.abs(part).max()
        for name in problem.setup.model.joint_names
        if problem.setup.joint_index[name] not in cut
        for part in problem.setup.gap(name, absolute)
    ]
    return float(max(gaps))


@pytest.mark.parametrize("method, step", [("heun", 5e-3), ("rk4", 1e-3)])
@pytest.mark.parametrize("linkage", [bennett, bricard])
def test_tree_joints_of_overconstrained_linkages_hold_to_rounding(linkage, method, step):
    problem = TreeProblem.from_model(linkage.model())
    run = run_of(problem, 1.0, step, method)
    assert tree_gap(problem, run.absolute) < 1e-14


def test_a_ladder_of_four_bars_keeps_its_rows_and_pairs_linear():
    counts = []
    for windows in (10, 20, 40):
        problem = TreeProblem.from_model(n_four_bar.model(windows))
        counts.append((problem.loops.row_count, len(problem.loops.targets)))
    assert counts[2][0] - counts[1][0] == 2 * (counts[1][0] - counts[0][0])
    assert counts[2][1] <= 2.1 * counts[1][1]


def correction(problem, change):
    """The change of the coordinates by which rows change as given, on a factor at the start."""
    tree, loops, loop_work = (
        flat(part) for part in (problem.tree, problem.loops, problem.loop_work)
    )
    equations = Equations(
        problem.setup.system, problem.tree, problem.tree_work, problem.loops, problem.loop_work
    )
    assert tree_factor(equations, problem.workspace, problem.start, 1) == SOLVED
    loop_work.wanted[: loops.row_count] = change
    solve_rows(tree, loops, loop_work, problem.tree_work.rows.reshape(-1))
    return loop_work.solution[: tree.rate_count].copy()


@pytest.mark.parametrize("seed", range(4))
def test_corrections_are_the_shortest_that_change_the_rows_as_wanted(seed):
    """J d = changes, and M d = -J^T lambda: compared with dense algebra on body twists."""
    model = looped(seed, 2)
    problem = TreeProblem.from_model(model)
    equations = ch.equations(model)
    rng = np.random.default_rng(seed)
    rows = problem.loops.row_count
    changes = rng.standard_normal((2, rows))
    found = [correction(problem, change) for change in changes]
    order = [model.body_names.index(name) for name in problem.setup.body_index]
    for change, delta in zip(changes, found):
        state = problem.start.copy()
        state[problem.tree.stored_count :] = delta
        twists = np.zeros((len(order), 6))
        twists[order] = problem.absolute(state[None])[0][:, 12:18]
        moved = equations.jacobian @ twists.ravel()
        wanted = np.zeros(problem.setup.system.row_count)
        wanted[problem.loops.source] = change
        names = {name: k for k, name in enumerate(problem.setup.joint_index)}
        expected = []
        for joint, component in equations.rows:
            index = names[joint]
            first = problem.setup.system.joints.first_row[index]
            place = problem.setup.locked(index).index(component)
            expected.append(wanted[first + place])
        assert moved == pytest.approx(np.array(expected), abs=1e-10)
        shortest = np.linalg.solve(equations.kkt, np.concatenate((np.zeros(twists.size), expected)))
        assert twists.ravel() == pytest.approx(shortest[: twists.size], abs=1e-9)


def test_a_rod_between_cart_and_ground_is_cut_and_the_lower_pairs_carry():
    cart = ch.Body.box("cart", size=(0.3, 0.2, 0.1), mass=2.0)
    bob = ch.Body.rod("bob", length=0.5, mass=1.0, position=(0.3, 0.0, -0.4))
    joints = [
        ch.Prismatic("rail", ch.GROUND, cart, axis=(1, 0, 0)),
        ch.Distance("rod", ch.GROUND, bob, at=(0.0, 0.0, -1.0), at_b=(0.3, 0.0, -0.4)),
        ch.Revolute("hinge", cart, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    problem = TreeProblem.from_model(ch.Model([cart, bob], joints))
    assert [problem.setup.joint_index["rod"]] == problem.loops.joints.tolist()
    run = run_of(problem, 2.0, 1e-3)
    assert tree_gap(problem, run.absolute) < 1e-14


@pytest.mark.parametrize("wrenches, efforts", [(True, True), (True, False), (False, True)])
def test_loads_are_as_large_as_what_they_would_accelerate(wrenches, efforts):
    """Forces on a free body, an effort on its hinge: what refined accelerations end at."""
    body = ch.Body("arm", 2.0, (0.3, 0.4, 0.5), position=(0.6, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, body, at=(0, 0, 0), axis="z")
    problem = TreeProblem.from_model(ch.Model([body], [hinge]))
    problem.reactions(problem.start[None])
    torque, force, effort = np.array([1.0, -2.0, 3.0]), np.array([4.0, 5.0, -6.0]), 7.0
    free = np.sqrt(np.sum(torque**2 / (0.3, 0.4, 0.5)) + np.sum(force**2) / 2.0)
    turned = effort / np.sqrt(0.5 + 2.0 * 0.6**2)
    work = problem.tree_work._replace(
        rows=problem.tree_work.rows.ravel(), wrenches=np.concatenate((torque, force)),
        efforts=np.array([effort]), has_wrenches=int(wrenches), has_efforts=int(efforts),
    )  # fmt: skip
    system = problem.setup.system
    flat_system = system._replace(
        bodies=system.bodies._replace(inertia=system.bodies.inertia.ravel())
    )
    found = load_norm(problem.tree, work, flat_system)
    assert found == pytest.approx(wrenches * free + efforts * turned, rel=1e-12)
