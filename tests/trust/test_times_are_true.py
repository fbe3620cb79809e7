"""Times are times: of states, and of the poses that a run passes."""

import numpy as np
import pytest
from mechanisms import EXAMPLES

import chasles as ch


def test_times_next_to_a_step_have_states_of_their_own():
    """At 100 m/s a body is at 100 t, also where t differs from a step by 1e-9 t."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, velocity=(100, 0, 0))
    near = 10.0 * (1.0 + np.array([-9e-10, -1e-13, 0.0, 1e-13, 9e-10]))
    result = ch.simulate(ch.Model([ball], gravity=(0, 0, 0)), 11.0, 1e-3, t_eval=near)
    assert result.position("ball")[:, 0] == pytest.approx(100.0 * near, rel=1e-15, abs=3e-13)


def falling_window():
    """A parallelogram that lies flat once: with SciPy's time from its one angle."""

    def rod(name, start, end, **motion):
        start, end = np.array(start, float), np.array(end, float)
        x = (end - start) / np.linalg.norm(end - start)
        turn = np.column_stack((x, np.cross((0, 0, 1), x), (0, 0, 1)))
        return ch.Body(name, 1.0, np.diag([1e-3, 1 / 12, 1 / 12]), (start + end) / 2, turn,
                       **motion)  # fmt: skip

    left = rod("left", (0, 0, 0), (0, 1, 0), angular_velocity=(0, 0, -1))
    right, beam = rod("right", (1, 0, 0), (1, 1, 0)), rod("beam", (0, 1, 0), (1, 1, 0))
    pins = [(ch.GROUND, left, (0, 0, 0)), (left, beam, (0, 1, 0)), (beam, right, (1, 1, 0)),
            (ch.GROUND, right, (1, 0, 0))]  # fmt: skip
    joints = [ch.Revolute(f"pin {k}", a, b, at, (0, 0, 1)) for k, (a, b, at) in enumerate(pins)]
    return ch.Model([left, beam, right], joints, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("until", [1.0, 1.0004])
def test_singular_poses_are_told_once_and_when_they_are_passed_whatever_is_saved(until):
    model, options = falling_window(), {"step": 1e-3, "singular": "pass"}
    grid = ch.simulate(model, until, **options)
    times = np.sort(np.random.default_rng(0).uniform(0, until, 200))
    some = ch.simulate(model, until, t_eval=times, **options)
    assert grid.singular_poses == some.singular_poses
    (pose,) = grid.singular_poses
    # Flat: where the angle of the posts, counted by their foot, is a quarter of a turn.
    angle = np.abs(grid.coordinate("pin 0"))
    assert pose[0] == pytest.approx(np.interp(np.pi / 2, angle, grid.t), abs=2.1e-3)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_run_that_goes_on_from_its_last_state_ends_as_one_that_never_stopped(example):
    model = EXAMPLES[example]()
    whole = ch.simulate(model, 0.1, 1e-3, stabilise="projection")
    half = ch.simulate(model, 0.05, 1e-3, stabilise="projection")
    rest = ch.simulate(model, 0.05, 1e-3, stabilise="projection", start=half.state())
    assert rest.absolute[-1] == pytest.approx(whole.absolute[-1], rel=1e-9, abs=1e-9)
