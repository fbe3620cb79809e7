"""Linearly implicit steps on stiff rods that swing: a motion that is wrong is not called finished.

The exact motion is that of a mathematical pendulum, or of a double one on rigid rods.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import straight_chain

import chasles as ch

METHOD = "linearly-implicit"


def rod(name, a, b, start, end, k, c):
    return ch.Spring(name, a, b, start, end, k, damping=c)


def formula(k, c):
    """The same rod by a formula, whose energy nobody knows."""

    def pull(t, position, rotation, velocity, spin):
        length = np.linalg.norm(position)
        along = np.array(position) / length
        size = -k * (length - 1.0) - c * (along @ velocity)
        return tuple(float(size * x) for x in along), (0.0, 0.0, 0.0)

    return ch.CustomForce("rod", "bob", pull)


def swinging(k, c=0.0, speed=0.0, make=None):
    bob = ch.Body.sphere("bob", 0.05, mass=1.0, position=(1, 0, 0), velocity=(0, 0, -speed))
    force = make(k, c) if make else rod("rod", ch.GROUND, bob, (0, 0, 0), (1, 0, 0), k, c)
    return ch.Model([bob], [], [force])


@cache
def exact(speed=0.0, until=1.0):
    bob = ch.Body.sphere("bob", 0.05, mass=1.0, position=(1, 0, 0), velocity=(0, 0, -speed))
    joint = ch.Distance("rod", ch.GROUND, bob, (0, 0, 0), (1, 0, 0))
    return ch.simulate(ch.Model([bob], [joint]), until, 1e-3, method="dop853").position("bob")[-1]


def run_and_texts(model, until, step, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ChaslesWarning)
        run = ch.simulate(model, until, step, method=METHOD, **options)
    return run, " ".join(run.warnings)


STIFF = pairwise((1e8, 1e10, 1e12, 1e14), (0.0, 1e5), (2e-3, 1e-3))


@pytest.mark.parametrize(("k", "c", "step"), STIFF)
def test_a_rod_that_swings_is_right_or_reported(k, c, step):
    """In all of these the bob is off by 3 cm or more, or the run stops."""
    try:
        run, texts = run_and_texts(swinging(k, c), 1.0, step)
    except ch.SimulationStopped:
        assert k > 1e11
        return
    off = np.abs(run.position("bob")[-1] - exact()).max()
    assert off > 0.03
    assert "stiff forces turn" in texts or "the motion after that is not right" in texts


@pytest.mark.parametrize("step", [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4])
@pytest.mark.parametrize("k", [1e6, 1e7, 1e8])
def test_a_rod_that_turns_fast_is_right_or_reported(k, step):
    run, texts = run_and_texts(swinging(k, 1e3, speed=5.0), 0.5, step)
    off = np.abs(run.position("bob")[-1] - exact(5.0, 0.5)).max()
    assert off < 0.03 or "stiff forces turn" in texts or "energy" in texts
    assert off > 0.01 or not texts


def test_a_step_that_would_do_does():
    _, texts = run_and_texts(swinging(1e8), 1.0, 1e-3)
    assert "0.0005 s would do" in texts
    run, texts = run_and_texts(swinging(1e8), 1.0, 5e-4)
    assert not texts and np.abs(run.position("bob")[-1] - exact()).max() < 0.01


def test_a_formula_whose_energy_nobody_knows():
    run, texts = run_and_texts(swinging(1e10, make=formula), 0.3, 1e-3)
    assert np.abs(run.position("bob")[-1] - exact(until=0.3)).max() > 0.03
    assert "stiff forces turn" in texts


@pytest.mark.parametrize("options", [{"t_eval": [0.0, 0.5, 1.0]}, {"save_every": 250}])
def test_few_states_show_it_too(options):
    _, texts = run_and_texts(swinging(1e10), 1.0, 1e-3, **options)
    assert "stiff forces turn" in texts


def released():
    """A stretched spring with a stiff damper: all of its energy goes in two steps, rightly."""
    bob = ch.Body.sphere("bob", 0.05, mass=1.0, position=(1, 0, 0))
    ends = (ch.GROUND, bob, (0, 0, 0), (1, 0, 0))
    spring = ch.Spring("rod", *ends, stiffness=1e8, rest_length=0.9, damping=1e5)
    return ch.Model([bob], [], [spring], gravity=(0, 0, 0))


def hanging():
    """A weight that hangs at rest on a stiff spring."""
    bob = ch.Body.sphere("bob", 0.05, mass=1.0, position=(0, 0, -1))
    return ch.Model([bob], [], [ch.Spring("rod", ch.GROUND, bob, (0, 0, 0), (0, 0, -1), 1e9)])


def chain():
    """Rods on stiff hinges, which do not turn."""
    springs = [ch.JointSpring(f"spring {k}", f"hinge {k}", 5e3, 1.0) for k in range(6)]
    return straight_chain([1.0] * 6, names="link {}", joints="hinge {}", forces=springs)


@pytest.mark.parametrize("model", [hanging, chain])
def test_stiff_forces_that_do_not_turn_are_not_reported(model):
    assert not run_and_texts(model(), 1.0, 1e-3)[1]


def test_a_motion_that_is_right_is_not_reported_but_work_that_is_not():
    """The bob rests where it should, and its damper took 500 kJ: the steps book 200 of them."""
    run, texts = run_and_texts(released(), 1.0, 1e-3)
    assert run.position("bob")[-1] == pytest.approx((0.9, 0, 0), abs=1e-6)
    assert run.work("rod")[-1] > -0.5 * 5e5
    assert "result.work" in texts and "turn" not in texts and "alike" in texts


@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_what_impacts_take_is_no_vibration(restitution):
    """m v^2 (1 - e^2) / 2 of a ball on a soft spring: no force has taken it."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, velocity=(2.0, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, ball, axis="x")
    spring = ch.Spring(
        "spring", ch.GROUND, ball, at=(-1, 0, 0), at_b=(0, 0, 0), stiffness=200.0, rest_length=1.0
    )
    model = ch.Model([ball], [rail], [spring], gravity=(0, 0, 0))
    stop = ch.Impact("stop", rail, upper=0.05, restitution=restitution)
    run = ch.simulate(model, 1.0, 1e-3, method="linearly-implicit", events=[stop])
    assert len(run.events["stop"]) > 2 and run.warnings == ()


def test_a_servo_that_holds_still_is_not_suspected():
    arm = ch.Body.rod("arm", mass=2.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    servo = ch.Servo("servo", hinge, target=0.2, stiffness=1e4, damping=100.0)
    model = ch.Model([arm], [hinge], [servo])
    rest = ch.equilibrium(model).state
    run = ch.simulate(model, until=0.2, step=1e-3, start=rest, method="linearly-implicit")
    assert run.warnings == ()
