"""Steps and saved times: whatever is saved, the steps taken are the same."""

import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top, three_bar

import chasles as ch

STEP = 1e-3


@pytest.fixture(scope="module")
def model():
    return double_pendulum()


@pytest.fixture(scope="module")
def every_step(model):
    return ch.simulate(model, 0.1, step=STEP)


def test_every_step_is_saved_unless_told_otherwise(every_step):
    np.testing.assert_allclose(every_step.t, STEP * np.arange(101), rtol=1e-15)
    assert every_step.absolute.shape == (101, 2, 18)
    assert every_step.status == "finished"
    assert every_step.provenance["steps"] == 100


@pytest.mark.parametrize("save_every", [2, 7, 10, 64, 99, 100, 101, 10**9])
def test_saving_less_keeps_the_same_states_and_always_the_last(model, every_step, save_every):
    result = ch.simulate(model, 0.1, step=STEP, save_every=save_every)
    kept = [*range(0, 101, save_every)]
    kept += [100] if kept[-1] != 100 else []
    np.testing.assert_array_equal(result.absolute, every_step.absolute[kept])
    np.testing.assert_allclose(result.t, every_step.t[kept], rtol=1e-15)
    assert result.provenance["steps"] == 100


@pytest.mark.parametrize("until", [0.0305, 0.03, 0.001, 0.0999999])
@pytest.mark.parametrize("save_every", [1, 7, 1000])
def test_the_last_state_is_at_the_end_exactly(model, until, save_every):
    result = ch.simulate(model, until, step=STEP, save_every=save_every)
    assert result.t[0] == 0.0 and np.all(np.diff(result.t) > 0)
    assert result.t[-1] == pytest.approx(until, rel=1e-15)


def test_the_last_step_is_a_shorter_step_of_the_same_method(model, every_step):
    """From 0.03 s to 0.0304 s: one step of 0.4 ms from the state at 0.03 s."""
    result = ch.simulate(model, 0.0304, step=STEP)
    np.testing.assert_array_equal(result.absolute[:31], every_step.absolute[:31])
    state = every_step.state(30)
    bodies = [
        ch.Body(
            body.name, body.mass, body.inertia, state.position[k], state.rotation[k],
            velocity=state.velocity[k], angular_velocity=state.angular_velocity[k],
        )
        for k, body in enumerate(model.bodies)
    ]  # fmt: skip
    there = state.position[0] + state.rotation[0] @ (0.1, 0, 0)
    joints = [
        ch.Spherical("shoulder", ch.GROUND, bodies[0], at=(0, 0, 0)),
        ch.Spherical("elbow", *bodies, at=there),
    ]
    on = ch.simulate(ch.Model(bodies, joints), 0.0004, step=0.0004)
    np.testing.assert_allclose(result.absolute[-1], on.absolute[-1], rtol=1e-12, atol=1e-12)


def test_a_step_longer_than_the_run_is_refused(model, refusal):
    words = refusal(lambda: ch.simulate(model, 1, 1000), ch.InvalidOption)
    assert "step is 1000 s, longer than the run, which ends at 1 s" in words
    assert ch.simulate(model, 5e-4, step=5e-4).provenance.steps == 1


@pytest.mark.parametrize("step", [1e-2 / 3, 1e-3 / 3, 0.7e-4])
def test_a_step_that_divides_the_run_up_to_rounding_takes_whole_steps(model, step):
    count = 30
    result = ch.simulate(model, count * step, step=step)
    assert len(result.t) == count + 1
    assert result.provenance["steps"] == count


def test_times_on_the_grid_are_the_states_of_the_grid(model, every_step):
    result = ch.simulate(model, 0.1, step=STEP, t_eval=[0.0, 0.005, 0.05, 0.1])
    np.testing.assert_array_equal(result.t, [0.0, 0.005, 0.05, 0.1])
    np.testing.assert_array_equal(result.absolute, every_step.absolute[[0, 5, 50, 100]])


def test_times_off_the_grid_leave_the_grid_alone(model, every_step):
    wanted = np.array([0.00112, 0.0123, 0.05, 0.0777, 0.1])
    result = ch.simulate(model, 0.1, step=STEP, t_eval=wanted)
    np.testing.assert_array_equal(result.t, wanted)
    np.testing.assert_array_equal(result.absolute[[2, 4]], every_step.absolute[[50, 100]])
    for index in (0, 1, 3):
        ended = ch.simulate(model, wanted[index], step=STEP, save_every=10**6)
        np.testing.assert_array_equal(result.absolute[index], ended.absolute[-1])


def test_times_off_the_grid_are_as_accurate_as_the_grid(model):
    wanted = np.linspace(0.001, 0.049, 23)
    fine = ch.simulate(model, 0.05, step=5e-5, method="dop853", t_eval=wanted)
    errors = [
        np.abs(ch.simulate(model, 0.05, step=step, t_eval=wanted).absolute - fine.absolute).max()
        for step in (2e-3, 1e-3)
    ]
    assert np.log2(errors[0] / errors[1]) > 3.5  # no interpolation: the order stays 4


def test_joints_hold_between_the_steps_too():
    wanted = np.sort(np.random.default_rng(0).uniform(0, 1, 200))
    result = ch.simulate(heavy_top(), 1.0, step=STEP, t_eval=wanted)
    assert result.violation("pivot").max() < 1e-12


def test_a_run_is_the_same_every_time():
    runs = [ch.simulate(three_bar(), 0.2, step=STEP) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].absolute, runs[1].absolute)


def test_a_shorter_run_is_the_beginning_of_a_longer_one(every_step, model):
    half = ch.simulate(model, 0.05, step=STEP)
    np.testing.assert_array_equal(half.absolute, every_step.absolute[:51])


def test_the_last_state_reads_as_the_arrays_do(every_step):
    state = every_step.state()
    assert state.t == every_step.t[-1]
    assert state.bodies == every_step.model.body_names
    for index, name in enumerate(state.bodies):
        np.testing.assert_array_equal(state.position[index], every_step.position(name)[-1])
        np.testing.assert_array_equal(state.rotation[index], every_step.rotation(name)[-1])
        np.testing.assert_array_equal(state.velocity[index], every_step.velocity(name)[-1])
        np.testing.assert_array_equal(
            state.angular_velocity[index], every_step.angular_velocity(name)[-1]
        )
    np.testing.assert_allclose(
        state.to_absolute(every_step.model), every_step.absolute[-1], atol=1e-13
    )


@pytest.mark.parametrize("wrong", [[], [0.2, 0.1], [-0.1, 0.5], [0.5, 2.0], [0.1, float("nan")]])
def test_times_that_are_no_times_of_the_run_are_refused(model, wrong):
    with pytest.raises(ch.InvalidOption, match="t_eval"):
        ch.simulate(model, 1.0, step=STEP, t_eval=wrong)


@pytest.mark.parametrize(
    "options",
    [
        {"step": 0.0}, {"step": -1e-3}, {"step": float("nan")}, {"step": None}, {"step": "1e-3"},
        {"until": 0.0}, {"until": float("inf")}, {"save_every": 0}, {"save_every": 2.5},
    ],
)  # fmt: skip
def test_options_that_make_no_grid_are_refused_by_name(model, options):
    name = next(iter(options))
    with pytest.raises(ch.InvalidOption, match=name):
        ch.simulate(model, **({"until": 1.0, "step": STEP} | options))
