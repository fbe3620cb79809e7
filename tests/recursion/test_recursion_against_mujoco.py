"""Accelerations on joint subgroups are MuJoCo's, rotor inertia included."""

import mujoco
import numpy as np
import pytest
from random_trees import KINDS, body_motion, random_state, random_twin

from chasles.core.recursion.run import tree_rates
from chasles.core.recursion.tree import ACCELERATION, ALPHA, OMEGA, TURN, make_recursion
from chasles.spaces import resolve_spaces
from chasles.system.build import build
from chasles.system.build_tree import build_tree, links_of, state_of

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


def accelerations(model, state, armature):
    """Linear accelerations of the centres of mass and angular ones, in the world (n, 6)."""
    setup = build(model, resolve_spaces(model, "auto"), start=state)
    order = list(setup.body_index)
    tree = build_tree(links_of(model, order, armature=armature), model.gravity)
    memory = make_recursion(tree, 0, wrenches=False, efforts=False)
    place = [model.body_names.index(name) for name in order]
    absolute = state.to_absolute(model)[place]
    tree_rates(tree, memory, state_of(tree, absolute), np.zeros(tree.rate_count))
    out = np.zeros((len(order), 6))
    for k, target in enumerate(place):
        row = memory.rows[k]
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
