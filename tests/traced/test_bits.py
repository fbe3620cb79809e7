"""Machine code recorded on the way gives the bits of the generic kernel, and says where it ends."""

import numpy as np
import pytest
from combinations import one_at_a_time
from mechanisms import double_pendulum, floating_pair, heavy_top, pendulum, three_bar
from traced_runs import both_runs

import chasles as ch

TREES = {"top": heavy_top, "pendulum": double_pendulum, "floating": floating_pair}


def sprung() -> ch.Model:
    """A slider and a hinge, with springs, dampers and drag."""
    cart = ch.Body.box("cart", size=(0.2, 0.2, 0.2), mass=2.0, position=(0, 0, 0))
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0))
    hinge = ch.Revolute("hinge", cart, arm, at=(0, 0, 0), axis=(0, 1, 0))
    forces = [
        ch.Spring("spring", ch.GROUND, arm, (0, 0, 1), (1, 0, 0), stiffness=30.0, damping=0.5),
        ch.JointSpring("coil", rail, stiffness=20.0, damping=0.3),
        ch.Drag("air", arm, linear=0.1, quadratic=0.2, angular=0.01, angular_quadratic=0.02),
    ]
    return ch.Model([cart, arm], [rail, hinge], forces=forces)


def driven() -> ch.Model:
    """A crank that is turned by a function of time, and a pendulum on it."""
    crank = ch.Body.rod("crank", 0.5, mass=1.0, position=(0.25, 0, 0))
    bob = ch.Body.rod("bob", 1.0, mass=1.0, position=(1.0, 0, 0))
    axle = ch.Revolute("axle", ch.GROUND, crank, at=(0, 0, 0), axis=(0, 1, 0))
    pin = ch.Spherical("pin", crank, bob, at=(0.5, 0, 0))
    drive = ch.Driver("drive", axle, ch.Signal.sine(0.3, 1.0))
    return ch.Model([crank, bob], [axle, pin], drivers=[drive])


@pytest.mark.parametrize(
    "name, method", one_at_a_time(TREES, ["heun", "rk4", "dopri5", "cf4"], base=("pendulum", "rk4"))
)
def test_a_thousand_steps_on_subgroups_have_the_bits_of_the_generic_kernel(name, method):
    traced, generic = both_runs(TREES[name](), steps=1000, method=method)
    assert traced.bits() == generic.bits()
    assert (traced.steps.otherwise, traced.steps.taken) == (0, 1000)


@pytest.mark.parametrize(
    "model, space",
    one_at_a_time(
        [heavy_top, double_pendulum, three_bar],
        ["SE3", "SO3xR3", "SO3xR3 on joints", "SE3 relative"],
        base=(double_pendulum, "SE3"),
    ),
)
def test_charts_have_the_bits_of_the_generic_kernel(model, space):
    traced, generic = both_runs(model(), spaces=space)
    assert traced.bits() == generic.bits()
    assert traced.steps.otherwise == 0


@pytest.mark.parametrize(
    "space, stabilise",
    one_at_a_time(
        ["auto", "SO3xR3"], [None, "projection", "ggl of all joints"], base=("SO3xR3", "projection")
    ),
)
def test_loops_with_and_without_a_stabiliser_have_the_bits_of_the_generic_kernel(space, stabilise):
    traced, generic = both_runs(three_bar(), spaces=space, stabilise=stabilise)
    assert traced.bits() == generic.bits()
    assert traced.steps.taken > 250


@pytest.mark.parametrize(
    "model, method", one_at_a_time([sprung, driven], ["heun", "rk4", "cf4"], base=(sprung, "rk4"))
)
def test_forces_and_functions_of_time_have_the_bits_of_the_generic_kernel(model, method):
    traced, generic = both_runs(model(), method=method, steps=1000)
    assert traced.bits() == generic.bits()
    assert traced.steps.taken > 900


def test_what_a_step_does_does_not_depend_on_the_pieces():
    whole, generic = both_runs(double_pendulum(), steps=500)
    pieces, _ = both_runs(double_pendulum(), steps=500, pieces=9)
    assert whole.bits() == pieces.bits() == generic.bits()


def test_products_and_sums_rounded_once_agree_to_rounding():
    traced, generic = both_runs(heavy_top(), steps=100, contract=True)
    kept = traced.points.shape[1]
    np.testing.assert_allclose(traced.block[:kept], generic.block[:kept], rtol=1e-11, atol=1e-11)


# --- where guards fail ---


def bouncing() -> ch.Model:
    """A ball on a rail that falls on a bed: in touch or not, which is a branch."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 0.12))
    rail = ch.Prismatic("rail", ch.GROUND, ball, at=(0, 0, 0.12), axis=(0, 0, 1))
    bed = ch.Contact("bed", ch.GROUND, ball, (0, 0, 0), stiffness=1e4)
    return ch.Model([ball], [rail], forces=[bed])


def spun_up() -> ch.Model:
    """A wheel that a torque spins up: its angle per step passes where a series ends."""
    wheel = ch.Body.cylinder("wheel", 0.1, 0.02, mass=0.01, position=(0, 0, 0))
    axle = ch.Spherical("axle", ch.GROUND, wheel, at=(0, 0, 0))
    push = ch.Load("push", wheel, torque=(0, 0, 0.1))
    return ch.Model([wheel], [axle], forces=[push], gravity=(0, 0, 0))


@pytest.mark.parametrize("model", [bouncing, spun_up])
def test_the_generic_kernel_takes_the_steps_whose_guards_fail(model):
    """And comes back: the bits are those of a run that it made alone."""
    traced, generic = both_runs(model(), steps=1000)
    assert traced.bits() == generic.bits()
    assert len(traced.steps.variants) > 1, "no guard ever failed"
    assert traced.steps.taken > 500


def test_a_step_that_fails_ends_the_run_as_the_generic_kernel_does():
    """A stiff spring and a long step: positions grow beyond all bounds."""
    spring = ch.JointSpring("spring", "hinge", stiffness=1e9, rest=0.1)
    model = pendulum(forces=[spring])
    traced, generic = both_runs(model, steps=1000)
    assert traced.reached == generic.reached and traced.reached[1] != -1
    assert traced.block.tobytes() == generic.block.tobytes()
