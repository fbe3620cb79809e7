"""Accelerations on joint subgroups are MuJoCo's, rotor inertia included."""

from copy import copy

import mujoco
import numpy as np
import pytest
from random_trees import KINDS, body_motion, random_state, random_twin

import chasles as ch
from chasles.build.system.build import build
from chasles.build.system.tree_setup import tree_setup
from chasles.build.system.tree_state import state_of
from chasles.core.recursion.stage import tree_rates
from chasles.core.recursion.tree import ACCELERATION, ALPHA, OMEGA, TURN, make_tree_workspace
from chasles.spaces import resolve_spaces

#: MuJoCo's dof of every coordinate that both have: angles, and displacements of the same point.
PARTS = {
    "revolute": ("hinge",),
    "prismatic": ("slide z",),
    "helical": ("hinge",),
    "cylindrical": ("hinge", "slide z"),
    "planar": ("hinge",),
}


def with_rotors(twin, rng) -> dict[str, tuple[float, ...]]:
    """Put rotor inertia on MuJoCo's coordinates; the same by joint and coordinate."""
    armature = {}
    for joint in twin.model.joints:
        if joint.kind == "spherical":
            value = float(rng.uniform(0.1, 2.0))  # MuJoCo has one number for the three
            at = int(twin.scene.joint(f"{joint.name} ball").dofadr[0])
            twin.scene.dof_armature[at : at + 3] = value
            armature[joint.name] = (value,) * 3
        elif joint.kind in PARTS:
            numbers = rng.uniform(0.1, 2.0, len(PARTS[joint.kind]))
            for part, value in zip(PARTS[joint.kind], numbers):
                twin.scene.dof_armature[twin.scene.joint(f"{joint.name} {part}").dofadr] = value
            padding = (0.0, 0.0) if joint.kind == "planar" else ()
            armature[joint.name] = (*numbers.tolist(), *padding)
    return armature


def pushed(twin, rng, order, tree):
    """Random loads on bodies and coordinates in MuJoCo; the same for the recursion.

    Returns what to put into `MjData`, and wrenches (n, 6) and efforts (v,).
    """
    scene, model = twin.scene, twin.model
    on_bodies, on_coordinates = np.zeros((scene.nbody, 6)), np.zeros(scene.nv)
    efforts, loads = np.zeros(tree.rate_count), {}
    for name in order:
        number = scene.body(name).id
        on_bodies[number] = rng.normal(size=6) * 5.0
        loads[name] = on_bodies[number]
    carrying = {j.b if order_of(j, model, order) else j.a: j for j in model.joints}
    for k, name in enumerate(order):
        joint, at = carrying[name], tree.rate_at[k]
        axes = tree.axes[k].reshape(3, 3)
        if joint.kind == "spherical":
            torque = rng.normal(size=3)
            dof = int(scene.joint(f"{joint.name} ball").dofadr[0])
            on_coordinates[dof : dof + 3] = torque
            efforts[at : at + 3] = axes.T @ torque
        elif joint.kind in PARTS:
            sign = 1.0 if joint.b == name else -1.0
            for slot, part in enumerate(PARTS[joint.kind]):
                value = rng.normal()
                on_coordinates[scene.joint(f"{joint.name} {part}").dofadr] = value
                efforts[at + slot] = sign * value
    return on_bodies, on_coordinates, loads, efforts


def order_of(joint, model, order) -> bool:
    """Whether a joint carries its b."""
    return joint.a == "ground" or (
        joint.b != "ground" and order.index(joint.a) < order.index(joint.b)
    )


def geared_tree(model, armature):
    """The tree of a model with rotors on its joints, also those whose constructors take none."""
    joints = [copy(joint) for joint in model.joints]
    for joint in joints:
        object.__setattr__(joint, "armature", armature.get(joint.name, 0.0))
    model = ch.Model(model.bodies, joints, gravity=model.gravity)
    return tree_setup(build(model, resolve_spaces(model, "auto"))).tree


def accelerations(model, state, armature, loads=None, efforts=None):
    """Linear accelerations of the centres of mass and angular ones, in the world (n, 6)."""
    setup = build(model, resolve_spaces(model, "auto"), start=state)
    order = list(setup.body_index)
    tree = geared_tree(model, armature)
    tree_work = make_tree_workspace(
        tree, np.zeros(1), wrenches=loads is not None, efforts=efforts is not None
    )
    place = [model.body_names.index(name) for name in order]
    absolute = state.to_absolute(model)[place]
    if loads is not None:
        for k, name in enumerate(order):
            own = absolute[k, :9].reshape(3, 3)
            tree_work.wrenches[k] = *(own.T @ loads[name][3:]), *(own.T @ loads[name][:3])
        tree_work.efforts[:] = efforts
    tree_rates(tree, tree_work, state_of(tree, absolute), np.zeros(tree.rate_count))
    out = np.zeros((len(order), 6))
    for k, target in enumerate(place):
        row = tree_work.rows[k]
        turn, omega = row[TURN : TURN + 9].reshape(3, 3), row[OMEGA : OMEGA + 3]
        alpha, a = row[ALPHA : ALPHA + 3], row[ACCELERATION : ACCELERATION + 3]
        arm = turn @ tree.centre[k]
        felt = a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        out[target] = np.concatenate((felt + model.gravity, alpha))
    return out


def disagreement(twin, rng, rotors: bool) -> float:
    armature = with_rotors(twin, rng) if rotors else {}
    data = random_state(rng, twin)
    mujoco.mj_forward(twin.scene, data)
    state, linear, angular = body_motion(twin, data)
    theirs = np.hstack((linear, angular))
    ours = accelerations(twin.model, state, armature)
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_accelerations_of_a_random_tree_are_mujocos(seed, rotors):
    rng = np.random.default_rng(seed)
    assert disagreement(random_twin(rng, int(rng.integers(1, 13))), rng, rotors) < 1e-9


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_accelerations_of_a_tree_of_one_kind_with_rotors_are_mujocos(kind):
    rng = np.random.default_rng(7)
    assert disagreement(random_twin(rng, 12, [kind], floating=0.0), rng, True) < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_loads_on_bodies_and_coordinates_accelerate_as_in_mujoco(seed):
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in KINDS if kind != "helical"]  # tied in joint coordinates there
    # On the ground: the root of a floating tree need not be the one that MuJoCo sets free.
    twin = random_twin(rng, int(rng.integers(1, 10)), kinds, floating=0.0)
    armature = with_rotors(twin, rng)
    order = list(build(twin.model, resolve_spaces(twin.model, "auto")).body_index)
    tree = geared_tree(twin.model, armature)
    on_bodies, on_coordinates, loads, efforts = pushed(twin, rng, order, tree)
    data = random_state(rng, twin)
    data.xfrc_applied[:], data.qfrc_applied[:] = on_bodies, on_coordinates
    mujoco.mj_forward(twin.scene, data)
    state, linear, angular = body_motion(twin, data)
    theirs = np.hstack((linear, angular))
    ours = accelerations(twin.model, state, armature, loads, efforts)
    assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()
