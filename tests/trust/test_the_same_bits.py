"""A step depends on its index alone: not on pieces, on what is saved, on threads or the clock."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import chasles as ch
from chasles.run import loop

STEPS, STEP = 40_000, 1e-3
UNTIL = STEPS * STEP


@pytest.fixture(scope="module")
def model():
    """A chaotic double pendulum whose motor swings: a last bit is metres after 40 s."""
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    hand = ch.Body.rod("hand", length=1.0, mass=1.0, position=(1.5, 0, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, arm, (0, 0, 0), (0, 1, 0)),
        ch.Revolute("elbow", arm, hand, (1, 0, 0), (0, 1, 0)),
    ]
    target = ch.Signal.sine(0.7, 0.37)
    motor = ch.Motor("motor", "shoulder", target=target, stiffness=20.0, damping=0.1)
    return ch.Model([arm, hand], joints, forces=[motor])


@pytest.fixture(scope="module")
def end(model):
    return ch.simulate(model, UNTIL, STEP, save_every=STEPS).absolute[-1]


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 3e-3, 10.0])
def test_pieces_of_any_size_give_the_same_bits(model, end, seconds, monkeypatch):
    monkeypatch.setattr(loop, "CHUNK_SECONDS", seconds)
    if seconds < 1e-6:  # a step a piece
        short = ch.simulate(model, 2000 * STEP, STEP)
        monkeypatch.setattr(loop, "CHUNK_SECONDS", 1.0)
        assert_array_equal(ch.simulate(model, 2000 * STEP, STEP).absolute, short.absolute)
        return
    assert_array_equal(ch.simulate(model, UNTIL, STEP, save_every=STEPS).absolute[-1], end)


@pytest.mark.parametrize("save_every", [1, 7, 1000])
def test_what_is_saved_does_not_matter(model, end, save_every):
    assert_array_equal(ch.simulate(model, UNTIL, STEP, save_every=save_every).absolute[-1], end)


def test_times_in_between_do_not_matter(model, end):
    wanted = np.append(np.sort(np.random.default_rng(3).uniform(0, UNTIL, 50)), UNTIL)
    assert_array_equal(ch.simulate(model, UNTIL, STEP, t_eval=wanted).absolute[-1], end)


def test_runs_in_threads_give_the_same_bits(model, end):
    with ThreadPoolExecutor(4) as pool:
        runs = [
            pool.submit(ch.simulate, model, UNTIL, STEP, save_every=STEPS, progress=False)
            for _ in range(4)
        ]
    for run in runs:
        assert_array_equal(run.result().absolute[-1], end)
