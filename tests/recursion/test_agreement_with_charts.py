"""On joint subgroups a method makes the steps it makes on six-dimensional charts, to rounding."""

import numpy as np
import pytest
from mechanisms import KINDS, chain, double_pendulum, floating_pair, heavy_top, moving
from subgroup_runs import disagreement, floating_tree, random_tree

import chasles as ch

METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "rk38", "dopri5", "butcher6", "dop853")


@pytest.mark.parametrize("example", [heavy_top, double_pendulum])
def test_the_papers_trees_move_alike(example):
    assert disagreement(example(), 0.1, 1e-3) < 1e-11


def test_a_floating_pair_moves_alike_but_for_the_momentum_that_is_put_back_there():
    assert disagreement(floating_pair(), 0.02, 5e-4) < 1e-11


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("carrier", ["spherical", "helical"])
def test_every_pair_on_a_moving_body_moves_alike(kind, carrier):
    rng = np.random.default_rng(3)
    model = moving(chain(rng, [carrier, kind, kind, "revolute"], swap=True), rng)
    assert disagreement(model, 0.1, 1e-3) < 1e-11


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_move_alike(seed):
    assert disagreement(random_tree(seed), 0.1, 1e-3) < 1e-11


@pytest.mark.parametrize("method", METHODS)
def test_random_trees_move_alike_by_every_method(method):
    assert disagreement(random_tree(100), 0.05, 1e-3, method) < 1e-11


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (1.0, -2.0, -9.0)])
def test_floating_trees_move_alike(seed, gravity):
    """For a moment: the charts' kernel puts the linear momentum back, of the order of the error."""
    assert disagreement(floating_tree(seed, gravity=gravity), 5e-3, 1e-4) < 1e-11


def loaded(model: ch.Model) -> ch.Model:
    """Springs, bushings, drag, loads in both frames, joint springs and friction on a model."""
    first, last = model.bodies[0], model.bodies[-1]
    turning = [j for j in model.joints if j.kind in ("revolute", "cylindrical", "helical")]
    forces = [
        ch.Spring("spring", ch.GROUND, last, at=(0.5, 0.5, 0.0), at_b=last.position,
                  stiffness=30.0, damping=2.0),
        ch.Spring("inner", first, last, at=first.position, at_b=np.array(last.position) + 0.1,
                  stiffness=20.0, damping=1.0),
        ch.Drag("air", last, linear=0.3, angular=0.05),
        ch.Load("push", first, force=(1.0, 2.0, -3.0)),
        *(ch.JointSpring(f"coil {j.name}", j, stiffness=2.0, damping=0.1) for j in turning),
    ]  # fmt: skip
    return ch.Model(model.bodies, model.joints, forces, gravity=model.gravity)


@pytest.mark.parametrize("seed", range(6))
def test_trees_with_forces_move_alike(seed):
    assert disagreement(loaded(random_tree(seed)), 0.1, 1e-3) < 1e-11


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_coordinates_driven_with_a_constant_acceleration_move_alike(kind):
    """There a step of the charts ends on the motion as well; stages are off it by h^2."""
    model = chain(np.random.default_rng(5), ["spherical", kind, "revolute"], swap=True)
    motion = ch.Signal(lambda t: 0.4 * t + 0.3 * t * t)
    driver = ch.Driver("drive", "joint 1", motion)
    model = ch.Model(model.bodies, model.joints, gravity=model.gravity, drivers=[driver])
    assert disagreement(model, 0.05, 1e-3) < 1e-10
