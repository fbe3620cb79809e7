"""Motors and servos against closed forms and SciPy; their work in the balance; bad input."""

import numpy as np
import pytest
from mechanisms import pendulum
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.model import InvalidForce

INERTIA = 2.0 / 3.0  # of a rod of 2 kg and 1 m about its end
SPACES = ["auto", "SE3"]


def arm(*motors, gravity=(0, 0, 0), **options):
    return pendulum(list(motors), mass=2.0, gravity=gravity, hinge=options)


def damped(t, gap, stiffness, damping):
    """x'' I + d x' + k x = 0 from x = gap at rest, less than critically damped."""
    decay = damping / (2 * INERTIA)
    pulse = np.sqrt(stiffness / INERTIA - decay**2)
    return gap * np.exp(-decay * t) * (np.cos(pulse * t) + decay / pulse * np.sin(pulse * t))


@pytest.mark.parametrize("spaces", SPACES)
@pytest.mark.parametrize("gear", [1.0, 3.0, -2.0])
def test_a_servo_on_a_hinge_is_a_damped_oscillator(spaces, gear):
    servo = ch.Servo("servo", "hinge", target=0.7, stiffness=4.0, damping=0.5, gear=gear)
    result = ch.simulate(arm(servo), 3.0, 1e-3, spaces=spaces)
    exact = 0.7 - damped(result.t, 0.7, 4.0 * gear**2, 0.5 * gear**2)
    assert np.abs(result.coordinate("hinge") - exact).max() < 1e-9
    assert np.abs(result.energy_balance()).max() < 1e-9
    rate = result.coordinate_rate("hinge")
    asked = gear**2 * (4.0 * (0.7 - result.coordinate("hinge")) - 0.5 * rate)
    assert np.abs(result.effort("servo") - asked).max() < 1e-9


@pytest.mark.parametrize("spaces", SPACES)
def test_a_feedback_effort_is_what_the_same_gains_of_a_servo_are(spaces):
    by_hand = ch.Motor("motor", "hinge", effort=lambda t, q, rate: 4.0 * (0.7 - q) - 0.5 * rate)
    result = ch.simulate(arm(by_hand), 1.0, 1e-3, spaces=spaces)
    exact = 0.7 - damped(result.t, 0.7, 4.0, 0.5)
    assert np.abs(result.coordinate("hinge") - exact).max() < 1e-9
    assert np.abs(result.energy_balance()).max() < 1e-9
    power = result.effort("motor") * result.coordinate_rate("hinge")
    assert np.trapezoid(power, result.t) == pytest.approx(result.work("motor")[-1], rel=1e-5)


def test_a_motor_at_its_limit_accelerates_evenly():
    motor = ch.Motor("motor", "hinge", effort=5.0, limit=(-1.0, 2.0), gear=3.0)
    result = ch.simulate(arm(motor), 1.0, 1e-3)
    assert np.abs(result.effort("motor") - 6.0).max() < 1e-12
    assert result.coordinate("hinge")[-1] == pytest.approx(0.5 * 6.0 / INERTIA, rel=1e-12)
    back = ch.Motor("motor", "hinge", effort=-5.0, limit=(-1.0, 2.0))
    assert ch.simulate(arm(back), 0.1, 1e-3).effort("motor")[-1] == pytest.approx(-1.0)


@pytest.mark.parametrize("spaces", SPACES)
def test_a_saturated_servo_under_gravity_moves_as_scipy_says(spaces):
    def target(t):
        return 0.5 * np.sin(3.0 * t)

    servo = ch.Servo("servo", "hinge", target=target, stiffness=30.0, damping=3.0, limit=6.0)
    result = ch.simulate(arm(servo, gravity=(0, 0, -9.81)), 1.0, 1e-4, spaces=spaces)

    def slope(t, y):
        wanted = 30.0 * (target(t) - y[0]) + 3.0 * (1.5 * np.cos(3.0 * t) - y[1])
        # about +y the arm turns down: gravity pulls with m g l / 2 cos q
        return y[1], (np.clip(wanted, -6.0, 6.0) + 9.81 * np.cos(y[0])) / INERTIA

    peer = solve_ivp(slope, (0, 1), (0.0, 0.0), rtol=1e-11, atol=1e-12, max_step=1e-3)
    assert np.abs(result.effort("servo")).max() == pytest.approx(6.0)
    assert result.coordinate("hinge")[-1] == pytest.approx(peer.y[0, -1], abs=1e-7)
    assert np.abs(result.energy_balance()).max() < 1e-6


def test_a_servo_without_stiffness_follows_a_speed():
    servo = ch.Servo("servo", "hinge", target=ch.Signal.linear(2.0), damping=5.0)
    result = ch.simulate(arm(servo), 2.0, 1e-3)
    exact = 2.0 * (1.0 - np.exp(-5.0 / INERTIA * result.t))
    assert np.abs(result.coordinate_rate("hinge") - exact).max() < 1e-9


def test_feedback_that_fails_is_told_by_the_motors_name():
    def late(t, q, rate):
        return 1.0 / max(0.0, 0.1 - t) if t < 0.2 else "nonsense"

    motor = ch.Motor("winch", "hinge", effort=late)
    with pytest.raises(ch.SimulationStopped, match=r"force 'winch'.*ZeroDivisionError"):
        ch.simulate(arm(motor), 1.0, 1e-3)


def test_equilibria_and_modes_know_limits_gears_and_feedback():
    for effort in (-8.0, lambda t, q, rate: -8.0 - 0.0 * q):
        motor = ch.Motor("motor", "hinge", effort=effort, gear=1.0)
        spring = ch.JointSpring("spring", "hinge", stiffness=20.0)
        rest = ch.equilibrium(arm(motor, spring))
        assert rest.state.angles["hinge"] == pytest.approx(-0.4, abs=1e-9)
    servo = ch.Servo("servo", "hinge", stiffness=4.0, gear=3.0)
    assert ch.linearise(arm(servo)).frequencies[0] == pytest.approx(np.sqrt(36.0 / INERTIA))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ch.Motor("m", "hinge", effort=1, limit=0.0), "limit must allow some effort"),
        (lambda: ch.Motor("m", "hinge", effort=1, limit=-2.0), "limit must allow some effort"),
        (lambda: ch.Motor("m", "hinge", effort=1, limit=(2, 1)), "is not below its highest"),
        (lambda: ch.Motor("m", "hinge", effort=1, limit=(1, 2, 3)), "one number or two"),
        (lambda: ch.Motor("m", "hinge", effort=1, limit="five"), "limit must be a number"),
        (lambda: ch.Motor("m", "hinge", effort=1, gear=0), "gear must not be 0"),
        (lambda: ch.Motor("m", "hinge", effort=1, gear=np.nan), "gear must be finite"),
        (lambda: ch.Servo("m", "hinge", None, stiffness=1.0), "no target"),
        (lambda: ch.Servo("m", "hinge"), "stiffness and damping are both 0"),
        (lambda: ch.Servo("m", "hinge", stiffness=-1.0), "stiffness must not be negative"),
        (lambda: ch.Motor("m", "hinge"), "effort=0 for a motor that a controller"),
    ],
)
def test_bad_motors_are_refused_by_name(make, words):
    with pytest.raises(InvalidForce, match="force 'm'") as refused:
        make()
    assert words in str(refused.value)


@pytest.mark.parametrize("effort", [lambda: 1.0, lambda t, q: -q, lambda t, *, q: -q])
def test_an_effort_that_takes_neither_one_number_nor_three_is_refused_when_made(effort, refusal):
    said = refusal(lambda: ch.Motor("motor", "hinge", effort=effort), ch.InvalidForce)
    assert (
        "force 'motor': effort is a function that takes neither t alone nor t, q and rate" in said
    )


def test_servos_are_written_to_files_and_read_back(tmp_path):
    servo = ch.Servo("s", "hinge", 0.3, 4.0, 0.5, limit=(-1.0, 2.0), gear=3.0)
    model = arm(servo, ch.Motor("m", "hinge", effort=0.0, limit=2.0))
    model.write(tmp_path / "arm.toml")
    assert ch.read_model(tmp_path / "arm.toml") == model
    own = arm(ch.Motor("m", "hinge", effort=lambda t, q, rate: -q))
    with pytest.raises(ch.ChaslesError, match=r"force 'm'.*function of your own"):
        own.write(tmp_path / "own.toml")
