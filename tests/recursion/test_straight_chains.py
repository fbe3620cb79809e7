"""Long straight hanging chains: numbers that fade from link to link are right, and then nothing."""

import numpy as np
import pytest
from scipy.linalg import solve_banded

import chasles as ch

LENGTH, MASS, PUSH, STEP = 0.1, 0.1, 0.3, 1e-5


def hanging(count, pushed=-1):
    """Equal rods on hinges about y, at rest, of which one is pushed along x at its middle."""
    bodies, joints, carrier = [], [], ch.GROUND
    for k in range(count):
        middle = (0, 0, -LENGTH * (k + 0.5))
        rod = ch.Body.rod(f"rod {k}", LENGTH, MASS, position=middle, axis="z")
        top = (0, 0, -LENGTH * k)
        joints.append(ch.Revolute(f"hinge {k}", carrier, rod, at=top, axis="y"))
        bodies.append(rod)
        carrier = rod
    return ch.Model(bodies, joints, [ch.Load("push", bodies[pushed], force=(PUSH, 0, 0))])


def first_accelerations(count, inertia):
    """Of the middles: pin forces X solve a tridiagonal system.

    Middles have m a = X_k - X_(k+1) + F_k, and I alpha = (l/2) (X_k + X_(k+1)); ends that meet
    have one acceleration, a +- (l/2) alpha.
    """
    by_push, by_turn = 1 / MASS, LENGTH**2 / (4 * inertia)
    push = np.zeros(count)
    push[-1] = PUSH
    bands = np.zeros((3, count))
    bands[0, 1:] = bands[2, :-1] = by_push - by_turn
    bands[1] = -2 * (by_push + by_turn)
    bands[1, 0] /= 2
    right = by_push * np.diff(push, prepend=0.0)
    pins = np.append(solve_banded((1, 1), bands, right), 0.0)
    return by_push * (pins[:-1] - pins[1:] + push)


def moves_as_pins_say(count, spaces):
    model = hanging(count)
    run = ch.simulate(model, 2 * STEP, step=STEP, spaces=spaces)
    inertia = model.bodies[0].inertia[1][1]
    expected = first_accelerations(count, inertia)
    moved = run.absolute[-1, :, 9] - run.absolute[0, :, 9]
    found = np.array([run.position(body.name)[-1, 0] for body in model.bodies[-40:]])
    assert np.isfinite(moved).all() and not run.warnings
    np.testing.assert_allclose(found, 0.5 * expected[-40:] * (2 * STEP) ** 2, rtol=2e-3)
    assert run.position("rod 0")[-1, 0] == 0.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_pushed_chain_of_a_thousand_rods_moves_as_its_pin_forces_say(spaces):
    moves_as_pins_say(1024, spaces)


def floats_of(record):
    """All floats of a record and of those in it."""
    for part in record:
        if hasattr(part, "_fields"):
            yield from floats_of(part)
        elif isinstance(part, np.ndarray) and part.dtype == float:
            yield part.ravel()


@pytest.mark.parametrize(("spaces", "pushed"), [("auto", -1), ("auto", 0), ("SE3", -1)])
def test_no_number_of_a_pushed_chain_is_subnormal(spaces, pushed):
    """Neither in the state nor in the factor; a push fades by a quarter from link to link."""
    run = ch.Simulation(hanging(700, pushed), STEP, spaces=spaces, save_every=0)
    run.step(steps=40)
    mechanism, point = run._run.stepper.mechanism, run._run.pace.point
    numbers = np.abs(np.concatenate([*floats_of(mechanism), point]))
    assert not np.any((numbers > 0.0) & (numbers < np.finfo(float).tiny))
    assert np.any((numbers > 0.0) & (numbers < 1e-60))  # where it fades


def test_no_row_of_a_tree_is_taken_for_a_repeated_one():
    """The pivot of a hinge on which n rods hang straight is some 1/n^3 of that of two rods, and
    that of one with a heavy body on it as small.
    """
    light = ch.Body.rod("light", LENGTH, MASS, position=(0, 0, -0.5 * LENGTH), axis="z")
    heavy = ch.Body.rod("heavy", LENGTH, 1e11 * MASS, position=(0, 0, -1.5 * LENGTH), axis="z")
    top = ch.Revolute("top", ch.GROUND, light, at=(0, 0, 0), axis="y")
    pin = ch.Revolute("pin", light, heavy, at=(0, 0, -LENGTH), axis="y")
    model = ch.Model([light, heavy], [top, pin])
    run = ch.Simulation(model, STEP, spaces="SE3", save_every=0, rows="all")
    loops = run._run.stepper.mechanism.loops
    assert loops.row_count == 10
    assert not loops.is_damped and not loops.is_chosen and not loops.floors.any()


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_pushed_chain_of_sixteen_thousand_rods_moves_as_its_pin_forces_say(spaces):
    moves_as_pins_say(16_384, spaces)
