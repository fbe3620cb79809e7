"""Long straight hanging chains: numbers that fade from link to link are right, and then nothing."""

import numpy as np
import pytest
from scipy.linalg import solve_banded

import chasles as ch

LENGTH, MASS, PUSH, STEP = 0.1, 0.1, 0.3, 1e-5


def hanging(count):
    """Equal rods on hinges about y, at rest, of which the last is pushed along x at its middle."""
    bodies, joints, carrier = [], [], ch.GROUND
    for k in range(count):
        middle = (0, 0, -LENGTH * (k + 0.5))
        rod = ch.Body.rod(f"rod {k}", LENGTH, MASS, position=middle, axis="z")
        top = (0, 0, -LENGTH * k)
        joints.append(ch.Revolute(f"hinge {k}", carrier, rod, at=top, axis="y"))
        bodies.append(rod)
        carrier = rod
    return ch.Model(bodies, joints, [ch.Load("push", carrier, force=(PUSH, 0, 0))])


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
def test_a_pushed_chain_of_two_thousand_rods_moves_as_its_pin_forces_say(spaces):
    moves_as_pins_say(2048, spaces)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_pushed_chain_of_sixteen_thousand_rods_moves_as_its_pin_forces_say(spaces):
    moves_as_pins_say(16_384, spaces)
