"""Massless frames, rotors and drivers of trees: what is taken, and what is refused by name."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import chain, moving
from subgroup_runs import on_charts, random_tree, run_of

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.build import build
from chasles.build.system.build_tree import Link, build_tree
from chasles.build.system.tree_setup import links_of
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import ALPHA, make_tree_workspace
from chasles.model import InvalidBody, InvalidJoint
from chasles.spaces import resolve_spaces
from chasles.spaces.on_subgroups import subgroup_tree


def links_of_chain(kinds, seed=1):
    model = chain(np.random.default_rng(seed), kinds)
    return links(model), model


def links(model):
    """Of a tree on the ground, in its order."""
    setup = build(model, resolve_spaces(model, "subgroups"))
    return links_of(setup, subgroup_tree(model, setup.spaces), {})


@pytest.mark.parametrize("value", [-1e-3, float("nan"), float("inf"), "x", (1.0, 2.0), None])
def test_an_armature_that_is_none_is_refused(refusal, value):
    joint = chain(np.random.default_rng(1), ["revolute", "revolute"]).joint("joint 1")
    text = refusal(lambda: replace(joint, armature=value), InvalidJoint)
    assert "joint 'joint 1': armature must be a number of 0 or more" in text
    assert repr(value) in text


def test_a_massless_end_is_refused(refusal):
    model = chain(np.random.default_rng(1), ["revolute", "spherical", "revolute"])
    end = ch.Body.frame("body 2", position=model.body("body 2").position)
    model = ch.Model([*model.bodies[:2], end], model.joints, gravity=model.gravity)
    text = refusal(lambda: TreeProblem.from_model(model), InvalidBody)
    assert "'body 2'" in text and "'joint 2'" in text and "no body with mass follows it" in text


@pytest.mark.parametrize(
    "look", [ch.equations, ch.joint_dynamics, lambda m: ch.simulate(m, 1, 0.1)]
)
def test_a_frame_alone_is_refused(refusal, look):
    text = refusal(lambda: look(ch.Model([ch.Body.frame("cross")])), InvalidBody)
    assert "'cross'" in text and "no body with mass follows it" in text


def test_a_massless_cross_between_two_hinges_is_a_universal_joint():
    """The same accelerations as with the four rows of a universal joint."""
    rng = np.random.default_rng(4)
    base = chain(rng, ["revolute", "spherical"])
    first, second = base.bodies
    at = np.array(base.joints[1].at)
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.6, 0.8])
    rows = ch.Universal("cross", first, second, at=at, axis=x, axis_b=y)
    held = moving(ch.Model(base.bodies, [base.joints[0], rows], gravity=base.gravity), rng)
    equations = ch.equations(held)
    wanted = equations.acceleration.reshape(-1, 6)[:, :3]
    turns = [np.array(body.rotation) for body in held.bodies]

    def frame(z):
        side = np.cross(z, [0.3, 0.5, 0.7])
        side /= np.linalg.norm(side)
        return np.column_stack((side, np.cross(z, side), z))

    hinge = links(ch.Model(base.bodies, base.joints, gravity=base.gravity))[0]
    lever = turns[0].T @ (at - np.array(first.position))
    cross = Link(
        "cross", 0, "revolute", 0.0, np.zeros((3, 3)), turns[0].T @ frame(x), lever,
        frame(x), np.zeros(3), joint="x",
    )  # fmt: skip
    tip = Link(
        second.name, 1, "revolute", second.mass, np.array(second.inertia), frame(y), np.zeros(3),
        turns[1].T @ frame(y), turns[1].T @ (at - np.array(second.position)), joint="y",
    )  # fmt: skip
    tree = build_tree([hinge, cross, tip], held.gravity)
    spins = [t @ np.array(b.angular_velocity) for t, b in zip(turns, held.bodies)]
    relative = spins[1] - spins[0]
    state = np.zeros(tree.stored_count + 3)
    state[[1, 4, 7]] = 1.0
    axis = turns[0] @ hinge.axes_parent[:, 2] if hinge.parent >= 0 else hinge.axes_parent[:, 2]
    state[tree.stored_count :] = axis @ spins[0], x @ relative, y @ relative
    tree_work = make_tree_workspace(tree, np.zeros(1), wrenches=False, efforts=False)
    tree_rates(tree, tree_work, state, np.zeros(3))
    for link, body in ((0, 0), (2, 1)):
        ours = turns[body].T @ tree_work.rows[link, ALPHA : ALPHA + 3]
        assert ours == pytest.approx(wanted[body], rel=1e-10, abs=1e-10)


def test_a_driven_coordinate_is_where_its_motion_is_to_the_last_bit():
    model = chain(np.random.default_rng(5), ["revolute", "cylindrical", "revolute"])
    motion = ch.Signal(lambda t: 0.3 * (1.0 - np.cos(7.0 * t)))
    driver = ch.Driver("drive", "joint 1", motion, coordinate="displacement")
    model = ch.Model(model.bodies, model.joints, gravity=model.gravity, drivers=[driver])
    problem = TreeProblem.from_model(model)
    run = run_of(problem, 0.5, 1e-3)
    path = run.coordinate("joint 1", "displacement")
    assert abs(path[0]) < 1e-15
    column = int(problem.setup.system.joints.drive[problem.setup.joint_index["drive"]])
    assert np.array_equal(path[1:], problem.setup.signals.sample(run.t)[1:, column])
    assert path == pytest.approx(driver.sample(run.t)[:, 0], abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_reactions_are_those_of_the_multipliers(seed):
    model = random_tree(seed)
    problem = TreeProblem.from_model(model)
    ours = problem.reactions(problem.start[None])
    result = ch.simulate(model, until=1e-3, step=1e-3)
    start = on_charts(model, problem, 1e-3, 1e-3)[0]
    largest = max(np.abs(result.reaction(j).force[0]).max() for j in model.joint_names)
    for name, (parent, joint) in ch_tree(model).items():
        k = problem.setup.body_index[name]
        force, torque = result.reaction(joint).on(name)
        turn = start[k, :9].reshape(3, 3)
        arm = result.reaction(joint).point[0] - start[k, 9:12]
        own_torque, own_force = (
            turn @ ours.last.on_bodies[k, 6:9],
            turn @ ours.last.on_bodies[k, 9:12],
        )
        assert own_force == pytest.approx(force[0], abs=1e-11 * largest)
        assert own_torque - np.cross(arm, own_force) == pytest.approx(
            torque[0], abs=1e-11 * largest
        )
        if parent != "ground":
            base = problem.setup.body_index[parent]
            force, torque = result.reaction(joint).on(parent)
            turn = start[base, :9].reshape(3, 3)
            assert turn @ ours.last.on_bodies[k, 3:6] == pytest.approx(
                force[0], abs=1e-11 * largest
            )
            arm = result.reaction(joint).point[0] - start[base, 9:12]
            moved = turn @ ours.last.on_bodies[k, 0:3] - np.cross(arm, force[0])
            assert moved == pytest.approx(torque[0], abs=1e-11 * largest)
    assert ours.efforts == pytest.approx(0.0 * ours.efforts, abs=1e-11 * largest)


def ch_tree(model):
    from chasles.spaces.tree import spanning_tree

    return {name: carried for name, carried in spanning_tree(model).parents.items() if carried}


def test_an_effort_of_a_driver_is_that_of_its_row():
    model = chain(np.random.default_rng(5), ["spherical", "revolute", "revolute"])
    motion = ch.Signal(lambda t: 0.4 * t + 0.3 * t * t)
    driver = ch.Driver("drive", "joint 1", motion)
    model = ch.Model(model.bodies, model.joints, gravity=model.gravity, drivers=[driver])
    problem = TreeProblem.from_model(model)
    problem.tree_work.signals[:] = problem.setup.signals.sample(np.zeros(1))[0]
    ours = problem.reactions(problem.start[None])
    result = ch.simulate(model, until=1e-3, step=1e-3)
    at = problem.tree.rate_at[problem.setup.body_index["body 1"]]
    assert ours.efforts[0, at] == pytest.approx(result.effort("drive")[0], rel=1e-11)
    assert ours.last.rates[at] == pytest.approx(0.6, rel=1e-12)
