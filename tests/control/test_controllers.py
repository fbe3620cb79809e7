"""Controllers with a sample time of their own: held in between, and reproducible."""

import numpy as np
import pytest
from mechanisms import pendulum
from scipy.linalg import expm

import chasles as ch


def arm(**armature):
    motor = ch.Motor("motor", "hinge", effort=0.0)
    # 1 kg m^2 about its end
    return pendulum([motor], mass=3.0, axis="z", hinge=armature, gravity=(0, 0, 0))


def pd(t, state):
    return {"motor": -6.0 * state.coordinate("hinge") - 2.0 * state.rate("hinge")}


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_sampled_controller_is_the_discrete_time_system_of_its_zero_order_hold(spaces):
    r"""x' = A x + B u with u held over h: x_{k+1} = exp(A h) x_k + (int_0^h exp(A s) ds) B u_k."""
    sample = 0.05
    block = expm(sample * np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    A, B = block[:2, :2], block[:2, 2]
    result = ch.simulate(arm(), 1.0, 1e-3, controller=pd, sample=sample, start={"hinge": 0.5},
                         spaces=spaces)  # fmt: skip
    x, efforts = np.array([0.5, 0.0]), []
    for k in range(20):
        mine = result.coordinate("hinge")[50 * k], result.coordinate_rate("hinge")[50 * k]
        assert np.abs(mine - x).max() < 1e-12
        efforts.append(-6.0 * x[0] - 2.0 * x[1])
        x = A @ x + B * efforts[-1]
    assert np.allclose(result.effort("motor")[:-1], np.repeat(efforts, 50), atol=1e-11)
    assert np.abs(result.energy_balance()).max() < 1e-12


def test_what_is_kept_does_not_change_a_controlled_run():
    runs = [
        ch.simulate(arm(), 0.5, 1e-3, controller=pd, sample=7e-3, start={"hinge": 0.5}, **keep)
        for keep in ({}, {"save_every": 3}, {"save_every": 500}, {"t_eval": [0.1, 0.2503, 0.5]})
    ]
    for run in runs[1:]:
        assert np.array_equal(run.absolute[-1], runs[0].absolute[-1])
        assert run.effort("motor")[-1] == runs[0].effort("motor")[-1]
    assert np.array_equal(runs[1].absolute[:-1], runs[0].absolute[:-1:3])


def test_a_controller_is_asked_once_a_sample_and_sees_the_state():
    asked = []

    def look(t, state):
        asked.append((t, state.position("arm")[0], state.velocity("arm")[1], state.rates["hinge"],
                      state.angular_velocity("arm")[2], state.rotation("arm")[0, 0]))  # fmt: skip
        assert state.t == t and state.model.force_names == ("motor",)

    result = ch.simulate(arm(), 0.1, 1e-3, controller=look, sample=0.02, start={"hinge": (0, 1)})
    assert np.allclose([row[0] for row in asked], 0.02 * np.arange(5), atol=1e-15)
    for t, x, vy, rate, spin, cosine in asked:
        assert x == pytest.approx(0.5 * np.cos(t)) and vy == pytest.approx(0.5 * np.cos(t))
        assert rate == spin == pytest.approx(1.0) and cosine == pytest.approx(np.cos(t))
    assert not result.effort("motor").any()


@pytest.mark.parametrize("armature", [{}, {"armature": 0.5}])
def test_reactions_and_files_know_the_inputs(tmp_path, armature):
    model = arm(**armature)
    result = ch.simulate(model, 0.5, 1e-2, controller=pd, sample=0.1, start={"hinge": 0.5})
    result.save(tmp_path / "run.nc")
    again = ch.load(tmp_path / "run.nc")
    assert np.array_equal(again.effort("motor"), result.effort("motor"))
    assert np.array_equal(again.angular_acceleration("arm"), result.angular_acceleration("arm"))
    inertia = 1.0 + armature.get("armature", 0.0)
    asked = result.effort("motor") / inertia
    assert np.allclose(result.angular_acceleration("arm")[:, 2], asked, atol=1e-10)


def test_a_controller_that_fails_ends_the_run_with_what_was_reached():
    def fails(t, state):
        return {"motor": 1.0 / (0.05 - t)} if t < 0.05 else 1 / 0

    with pytest.raises(ch.SimulationStopped, match="controller raised ZeroDivision") as stopped:
        ch.simulate(arm(), 1.0, 1e-2, controller=fails)
    assert stopped.value.result.t[-1] == pytest.approx(0.05)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"controller": pd, "sample": 1.5e-3}, "sample must be a whole number of steps"),
        ({"controller": pd, "sample": 1e-4}, "sample must be a whole number of steps"),
        ({"controller": pd, "sample": "often"}, "sample must be a number"),
        ({"controller": pd, "sample": -1.0}, "sample must be positive"),
        ({"controller": 3.0}, "controller must be a function"),
        ({"sample": 0.1}, "there is no controller"),
    ],
)
def test_bad_controllers_are_refused_by_name(options, words):
    with pytest.raises(ch.ChaslesError) as refused:
        ch.simulate(arm(), 1.0, 1e-3, **options)
    assert words in str(refused.value)


@pytest.mark.parametrize("says, words", [(3.0, "must be a dict"), ({"m": 1}, "motor or servo"),
                                         ({"motor": None}, "input of 'motor'")])  # fmt: skip
@pytest.mark.parametrize("when", [0.0, 0.2])
@pytest.mark.parametrize("options", [{"step": 1e-3}, {"rtol": 1e-6}, {"tol": 1e-4},
    {"rtol": 1e-6, "method": "scipy RK45"}, {"rtol": 1e-6, "t_eval": [0.1, 0.3]}])  # fmt: skip
def test_bad_answers_of_controllers_end_the_run(says, words, when, options):
    def controller(t, state):
        return says if t >= when else {}

    with pytest.raises(ch.SimulationStopped) as stopped:
        ch.simulate(arm(), 1.0, controller=controller, sample=0.05, **options)
    assert words in str(stopped.value)
    assert stopped.value.result.t.max(initial=0.0) <= when + 1e-9


def test_a_controller_needs_something_to_move():
    rod = ch.Body.rod("arm", 1.0, mass=3.0)
    with pytest.raises(ch.ChaslesError, match="neither a motor nor a servo"):
        ch.simulate(ch.Model([rod]), 1.0, 1e-3, controller=pd)


def test_a_sample_time_beyond_all_steps_is_refused():
    model = pendulum([ch.Motor("motor", "hinge", effort=0.0)], mass=3.0, axis="z")
    with pytest.raises(ch.InvalidOption, match="sample must be a whole number of steps"):
        ch.simulate(model, 0.01, step=5e-3, controller=lambda t, state: {}, sample=1e308)


@pytest.mark.parametrize("sample", [1e-300, 1e-12])
def test_a_sample_time_with_which_a_run_never_ends_is_refused(sample):
    options = {"controller": pd, "sample": sample, "rtol": 1e-6}
    with pytest.raises(ch.InvalidOption, match="which makes"):
        ch.simulate(arm(), 1.0, **options)


def test_a_controller_that_remembers_the_run_before_is_refused_with_tol():
    """An integral that does not start again made other motions, which were compared."""
    memory = [0.0]

    def integral(t, state):
        memory[0] += state.coordinate("hinge")
        return {"motor": -30.0 * memory[0]}

    def restarted(t, state):
        memory[0] = 0.0 if t == 0.0 else memory[0]
        return integral(t, state)

    options = {"tol": 1e-4, "sample": 0.05, "start": {"hinge": 0.5}}
    with pytest.raises(ch.ChaslesError, match="keeps data of its own"):
        ch.simulate(arm(), 0.5, controller=integral, **options)
    assert ch.simulate(arm(), 0.5, controller=restarted, **options).warnings == ()
