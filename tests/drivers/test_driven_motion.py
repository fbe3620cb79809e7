"""Drivers: the motion is followed, and the force or torque it takes is that of inverse dynamics."""

import numpy as np
import pytest
from mechanisms import pendulum
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

import chasles as ch

G = 9.81
TIMES = np.linspace(0, 2, 401)


def swing(t):
    return 0.8 * np.sin(2 * t) ** 2


def swing_rate(t):
    return 1.6 * np.sin(4 * t)


def swing_second(t):
    return 6.4 * np.cos(4 * t)


def cubic(t):
    return 0.3 * t + 0.2 * t**3


MOTIONS = {
    "function": (swing, swing),
    "signal": (ch.Signal(swing, swing_rate, swing_second), swing),
    "table": (ch.Signal.table(TIMES, swing(TIMES)), swing),
    "named": (ch.Signal.sine(0.5, 0.7), lambda t: 0.5 * np.sin(1.4 * np.pi * t)),
    "fast from the start": (cubic, cubic),
}


def derivatives(function, t, h=1e-3):
    """First and second derivative by differences of sixth order."""
    values = np.array([function(t + k * h) for k in range(-3, 4)])
    first = np.tensordot([-1, 9, -45, 0, 45, -9, 1], values, 1) / (60 * h)
    return first, np.tensordot([2, -27, 270, -490, 270, -27, 2], values, 1) / (180 * h * h)


def work_of(result, driver, rate):
    """The integral of effort times rate over the saved times."""
    return cumulative_simpson(result.effort(driver) * rate, x=result.t, initial=0)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_driven_pendulum_takes_the_torque_of_inverse_dynamics(motion, swap):
    """torque = I q'' + m g l cos q about the pivot, on the body or from it."""
    signal, exact = MOTIONS[motion]
    sign = -1.0 if swap else 1.0  # the coordinate of (arm, ground) is that of the ground
    arm = ch.Body.rod("arm", length=1.0, mass=1.5, position=(0.5, 0, 0))
    pair = (arm, ch.GROUND) if swap else (ch.GROUND, arm)
    hinge = ch.Revolute("hinge", *pair, at=(0, 0, 0), axis=(0, -1, 0))
    model = ch.Model([arm], [hinge], drivers=[ch.Driver("drive", hinge, signal)])
    result = ch.simulate(model, until=2.0, step=1e-3)
    t, angle = result.t, exact(result.t)
    rate, second = derivatives(exact, t)
    assert result.coordinate("hinge") == pytest.approx(angle, abs=1e-8)
    assert result.coordinate_rate("hinge") == pytest.approx(rate, abs=1e-8)
    torque = 0.5 * second + sign * 1.5 * G * 0.5 * np.cos(angle)
    assert result.effort("drive") == pytest.approx(torque, abs=2e-6)
    assert result.work("drive") == pytest.approx(work_of(result, "drive", rate), abs=1e-7)
    assert np.abs(result.energy_balance()).max() < 1e-7
    assert result.violation("drive", "rotation").max() < 1e-8


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_a_driven_sledge_takes_the_force_of_inverse_dynamics(kind, swap):
    """On a slope: force = m (q'' - gravity along the rail)."""
    axis = np.array([2.0, 1.0, 2.0]) / 3
    sign = -1.0 if swap else 1.0
    sledge = ch.Body.box("sledge", (0.2, 0.1, 0.3), mass=2.5, position=(0.3, 0.2, 0.1))
    pair = (sledge, ch.GROUND) if swap else (ch.GROUND, sledge)
    make = ch.Prismatic if kind == "prismatic" else ch.Cylindrical
    rail = make("rail", *pair, at=sledge.position, axis=axis)
    motion = ch.Signal(swing, swing_rate, swing_second)
    driver = ch.Driver("drive", rail, motion, "displacement")
    result = ch.simulate(ch.Model([sledge], [rail], drivers=[driver]), until=2.0, step=1e-3)
    t = result.t
    assert result.coordinate("rail", "displacement") == pytest.approx(swing(t), abs=1e-10)
    force = 2.5 * (swing_second(t) + sign * G * axis[2])
    assert result.effort("drive") == pytest.approx(force, abs=1e-9)
    assert result.work("drive") == pytest.approx(work_of(result, "drive", swing_rate(t)), abs=1e-8)
    assert result.violation("drive").max() < 1e-10


def test_a_driven_nut_takes_the_torque_that_lifts_it():
    """torque = (I + m h^2) q'' + m g h."""
    pitch = 0.2
    nut = ch.Body.cylinder("nut", 0.1, 0.05, mass=1.2)
    screw = ch.Helical("screw", ch.GROUND, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=pitch)
    motion = ch.Signal(swing, swing_rate, swing_second)
    model = ch.Model([nut], [screw], drivers=[ch.Driver("drive", screw, motion)])
    result = ch.simulate(model, until=1.0, step=1e-3)
    inertia = nut.inertia[2][2] + 1.2 * pitch**2
    torque = inertia * swing_second(result.t) + 1.2 * G * pitch
    assert result.effort("drive") == pytest.approx(torque, abs=1e-9)
    assert result.position("nut")[:, 2] == pytest.approx(pitch * swing(result.t), abs=1e-10)


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_a_driven_tip_takes_the_force_of_inverse_dynamics(stabilise):
    """The tip of a hinged rod is lifted: the force is vertical, however the rod has turned."""
    length, mass = 1.2, 2.0
    turn = Rotation.from_euler("y", -0.3).as_matrix()
    rod = ch.Body.rod("rod", length, mass=mass, position=turn @ (length / 2, 0, 0), rotation=turn)
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    driver = ch.PointDriver(
        "lift", rod, at=turn @ (length, 0, 0), direction=(0, 0, 2), motion=swing
    )
    result = ch.simulate(
        ch.Model([rod], [hinge], drivers=[driver]), until=1.0, step=1e-3, stabilise=stabilise
    )
    t = result.t

    def angle(t):
        return np.arcsin(np.sin(0.3) + swing(t) / length)

    _, second = derivatives(angle, t)
    torque = mass * length**2 / 3 * second + mass * G * length / 2 * np.cos(angle(t))
    assert -result.coordinate("hinge") + 0.3 == pytest.approx(angle(t), abs=1e-8)
    assert result.effort("lift") == pytest.approx(torque / (length * np.cos(angle(t))), abs=1e-5)
    assert result.violation("lift").max() < (1e-8 if stabilise is None else 1e-12)
    force, torque = result.reaction("lift").on("rod")
    assert np.abs(force[:, :2]).max() < 1e-9 and np.abs(torque).max() < 1e-9
    rate = derivatives(swing, t)[0]
    assert result.work("lift") == pytest.approx(work_of(result, "lift", rate), abs=1e-6)


def test_a_shaken_table_feels_its_load():
    """A free body pushed at its centre in three directions at once follows all of them."""
    body = ch.Body.box("body", (0.3, 0.2, 0.1), mass=3.0, angular_velocity=(1, 2, 3))
    motions = [ch.Signal.sine(0.1 * (k + 1), 1.0 + k) for k in range(3)]
    drivers = [
        ch.PointDriver(name, body, None, direction, motion)
        for name, direction, motion in zip("xyz", np.eye(3), motions)
    ]
    result = ch.simulate(ch.Model([body], drivers=drivers), until=1.0, step=1e-3)
    for k, motion in enumerate(motions):
        value, _, second = motion.sample(result.t).T
        assert result.position("body")[:, k] == pytest.approx(value, abs=1e-8)
        weight = 3.0 * G if k == 2 else 0.0
        assert result.effort("xyz"[k]) == pytest.approx(3.0 * second + weight, abs=1e-8)
    assert np.abs(result.energy_balance()).max() < 1e-7


CRANK, ROD = 0.2, 0.6


def slider_crank(motion):
    """In the plane y = 0, crank along x at the start; joints chosen so that none is redundant."""
    crank = ch.Body.rod("crank", CRANK, mass=1.0, position=(CRANK / 2, 0, 0))
    rod = ch.Body.rod("rod", ROD, mass=2.0, position=(CRANK + ROD / 2, 0, 0))
    piston = ch.Body.box("piston", (0.1, 0.1, 0.1), mass=1.5, position=(CRANK + ROD, 0, 0))
    joints = [
        ch.Revolute("bearing", ch.GROUND, crank, at=(0, 0, 0), axis=(0, -1, 0)),
        ch.Spherical("crank pin", crank, rod, at=(CRANK, 0, 0)),
        ch.Cylindrical("piston pin", rod, piston, at=(CRANK + ROD, 0, 0), axis=(0, 1, 0)),
        ch.Prismatic("guide", ch.GROUND, piston, axis=(1, 0, 0)),
    ]
    driver = ch.Driver("engine", "bearing", motion)
    return ch.Model([crank, rod, piston], joints, drivers=[driver])


def slider_energies(q):
    """Twice the kinetic energy at unit speed, and the potential energy, by the crank's angle."""

    def points(q):
        sine = CRANK / ROD * np.sin(q)
        tilt = np.arcsin(sine)
        pin = np.array([CRANK * np.cos(q), CRANK * np.sin(q)])
        end = np.array([CRANK * np.cos(q) + ROD * np.cos(tilt), 0 * q])
        return pin / 2, (pin + end) / 2, end, tilt

    h = 1e-3
    around = [points(q + k * h) for k in range(-3, 4)]

    def slope(of):
        return (
            np.tensordot([-1, 9, -45, 0, 45, -9, 1], np.array([of(p) for p in around]), 1) / 60 / h
        )

    crank, rod, piston = (np.sum(slope(lambda p, k=k: p[k]) ** 2, axis=0) for k in range(3))
    turning = 1.0 * CRANK**2 / 12 + 2.0 * ROD**2 / 12 * slope(lambda p: p[3]) ** 2
    height = 1.0 * G * points(q)[0][1] + 2.0 * G * points(q)[1][1]
    return 1.0 * crank + 2.0 * rod + 1.5 * piston + turning, height


def test_a_driven_slider_crank_takes_the_torque_of_inverse_dynamics():
    """torque = m(q) q'' + m'(q) q'^2 / 2 + V'(q), m and V from the geometry of the mechanism."""
    speed = 4.0
    motion = ch.Signal(
        lambda t: speed * t + 0.3 * (1 - np.cos(3 * t)),
        lambda t: speed + 0.9 * np.sin(3 * t),
        lambda t: 2.7 * np.cos(3 * t),
    )
    result = ch.simulate(slider_crank(motion), until=2.0, step=1e-3)
    angle, rate, second = motion.sample(result.t).T
    assert result.coordinate("bearing") == pytest.approx(angle, abs=1e-9)
    h = 1e-3
    inertia, _ = slider_energies(angle)
    around = np.array([slider_energies(angle + k * h) for k in range(-3, 4)])
    slopes = np.tensordot([-1, 9, -45, 0, 45, -9, 1], around, 1) / (60 * h)
    torque = inertia * second + 0.5 * slopes[0] * rate**2 + slopes[1]
    assert result.effort("engine") == pytest.approx(torque, abs=1e-6)
    assert np.ptp(torque) > 5.0
    assert result.work("engine") == pytest.approx(work_of(result, "engine", rate), abs=1e-6)
    kinetic = 0.5 * inertia * rate**2
    assert result.kinetic_energy() == pytest.approx(kinetic, abs=1e-7)


def test_the_work_of_a_driver_balances_with_the_methods_order():
    motion = ch.Signal(lambda t: 4 * t, lambda t: 4 + 0 * t, lambda t: 0 * t)
    steps = (8e-3, 4e-3, 2e-3)
    errors = [
        np.abs(ch.simulate(slider_crank(motion), 1.0, h).energy_balance()).max() for h in steps
    ]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 3.7


def test_a_satellite_unfolds_without_turning_its_angular_momentum():
    """A driven hinge between two floating bodies: internal, so that all momenta stay zero."""
    hub = ch.Body.box("hub", (1, 1, 1), mass=10.0)
    panel = ch.Body.box("panel", (0.05, 1, 2), mass=2.0, position=(0.5, 0, 1.0))
    hinge = ch.Revolute("hinge", hub, panel, at=(0.5, 0, 0), axis=(0, 1, 0))
    driver = ch.Driver("unfold", hinge, ch.Signal.ramp(np.pi / 2, duration=1.0))
    model = ch.Model([hub, panel], [hinge], gravity=(0, 0, 0), drivers=[driver])
    result = ch.simulate(model, until=1.5, step=1e-3)
    assert result.coordinate("hinge")[-1] == pytest.approx(np.pi / 2, abs=1e-10)
    assert np.abs(result.momentum()).max() < 1e-12
    assert np.abs(result.angular_momentum()).max() < 1e-9
    assert np.abs(result.rotation("hub")[-1] - np.eye(3)).max() > 0.1  # the hub gives way
    assert result.kinetic_energy()[-1] < 1e-12 and abs(result.work("unfold")[-1]) < 1e-9


def test_a_saved_run_answers_for_its_drivers(tmp_path):
    driver = ch.Driver("drive", "hinge", ch.Signal.sine(1.0, 0.5))
    result = ch.simulate(pendulum(drivers=[driver]), until=0.5, step=1e-2)
    again = ch.load(result.save(tmp_path / "run.nc"))
    assert np.array_equal(again.effort("drive"), result.effort("drive"))
    assert np.array_equal(again.work("drive"), result.work("drive"))


def test_a_driver_that_opens_is_called_a_driver():
    crank = ch.Driver("crank", "hinge", ch.Signal.sine(1.0, frequency=3.0))
    model = pendulum(drivers=[crank], name="rod", axis="z")
    with pytest.warns(ch.ChaslesWarning, match="driver 'crank' drifted by"):
        ch.simulate(model, 1.0, step=0.02, method="euler", spaces="framed", rows="all")
