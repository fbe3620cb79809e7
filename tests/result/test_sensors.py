"""Sensors named in the model, and the table of everything."""

import numpy as np
import pytest

import chasles as ch

G = 9.81


def pendulum():
    rod = ch.Body.rod("rod", mass=2.0, between=((0, 0, 0), (1, 0, 0)), angular_velocity=(0, 3.0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, (0, 0, 0), "y")
    spring = ch.Spring("spring", ch.GROUND, rod, (0, 0, 1), (1, 0, 0), stiffness=80.0)
    sensors = [
        ch.Sensor("tip", rod, at=(1, 0, 0)),
        ch.Sensor("speed", rod, at=(1, 0, 0), reads="velocity", axes="body"),
        ch.Sensor("accelerometer", rod, at=(1, 0, 0), reads="specific_force", axes="body"),
        ch.Sensor("gyro", rod, reads="angular_velocity", axes="body"),
        ch.Sensor("spin up", rod, reads="angular_acceleration"),
        ch.Sensor("attitude", rod, reads="quaternion"),
        ch.JointSensor("encoder", hinge),
        ch.JointSensor("tachometer", hinge, reads="rate"),
        ch.JointSensor("bearing", hinge, reads="force", axes="joint"),
        ch.JointSensor("wear", hinge, reads="gap"),
        ch.ForceSensor("load cell", spring),
        ch.ForceSensor("stretch", spring, reads="elongation"),
    ]
    return ch.Model([rod], [hinge], [spring], sensors=sensors)


@pytest.fixture(scope="module")
def run():
    return ch.simulate(pendulum(), until=1.0, step=1e-3, progress=False)


def test_sensors_read_what_the_angle_says(run):
    """x = (cos a, 0, -sin a), v = a' along -z of the body, a'' about y: kinematics of a hinge."""
    angle, rate = run.sensor("encoder"), run.sensor("tachometer")
    tip = np.column_stack((np.cos(angle), 0 * angle, -np.sin(angle)))
    np.testing.assert_allclose(run.sensor("tip"), tip, atol=1e-12)
    np.testing.assert_allclose(run.sensor("speed")[:, 2], -rate, atol=1e-12)
    np.testing.assert_allclose(run.sensor("gyro")[:, 1], rate, atol=1e-12)
    spin_up = run.sensor("spin up")[:, 1]
    np.testing.assert_allclose(spin_up[1:-1], (rate[2:] - rate[:-2]) / 2e-3, atol=1e-2)
    felt = np.column_stack((-(rate**2) - G * np.sin(angle), 0 * rate, -spin_up + G * np.cos(angle)))
    np.testing.assert_allclose(run.sensor("accelerometer"), felt, atol=1e-10)


def test_sensors_of_joints_and_forces_read_what_the_result_reads(run):
    np.testing.assert_array_equal(run.sensor("attitude"), run.quaternion("rod"))
    np.testing.assert_array_equal(run.sensor("bearing"), run.reaction("hinge").in_joint_frame[0])
    np.testing.assert_array_equal(run.sensor("wear"), run.violation("hinge"))
    np.testing.assert_array_equal(run.sensor("load cell"), run.force("spring").force)
    np.testing.assert_array_equal(run.sensor("stretch"), run.force("spring").elongation)


def test_an_accelerometer_in_free_fall_reads_nothing():
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, angular_velocity=(0, 0, 5.0))
    model = ch.Model([ball], sensors=[ch.Sensor("felt", ball, reads="specific_force")])
    assert np.abs(ch.simulate(model, until=0.1, step=1e-2).sensor("felt")).max() < 1e-12


def test_a_driver_is_read_by_its_effort():
    arm = ch.Body.rod("arm", mass=2.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), "y")
    driver = ch.Driver("drive", hinge, ch.Signal.ramp(1.0, 1.0))
    sensor = ch.ForceSensor("torque", driver, reads="effort")
    run = ch.simulate(
        ch.Model([arm], [hinge], [], [driver], sensors=[sensor]), until=0.1, step=1e-2
    )
    np.testing.assert_array_equal(run.sensor("torque"), run.effort("drive"))


def test_sensors_live_in_files(tmp_path, run):
    model = pendulum()
    assert ch.read_model(model.write(tmp_path / "model.toml")) == model
    again = ch.load(run.save(tmp_path / "run.nc"))
    np.testing.assert_array_equal(again.sensor("tip"), run.sensor("tip"))


def test_sensors_move_with_their_mechanism():
    model = pendulum()
    pair = model.placed("left ") + model.placed("right ", position=(0, 2, 0))
    assert pair.sensor("right tip").at == (1.0, 2.0, 0.0)
    assert pair.sensor("right load cell").of == "right spring"
    assert pair.sensor("left encoder").of == "left hinge"
    more = model.with_parts(sensors=[ch.Sensor("middle", "rod")])
    assert more.sensor("middle").at == (0.5, 0.0, 0.0)
    assert "sensor middle: position of rod" in more.summary()


def test_a_sensor_changes_no_bit_of_the_run(run):
    model = pendulum()
    bare = ch.Model(model.bodies, model.joints, model.forces)
    without = ch.simulate(bare, until=1.0, step=1e-3, progress=False)
    assert np.array_equal(without.absolute, run.absolute)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: ch.Sensor("s", "rod", reads="speed"), ["reads", "'speed'", "velocity"]),
        (lambda: ch.Sensor("s", "rod", axes="joint"), ["axes", "'joint'"]),
        (lambda: ch.Sensor("s", ch.GROUND), ["moves"]),
        (lambda: ch.Sensor("s", "rod", axes="body"), ["position", "axes="]),
        (lambda: ch.Sensor("", "rod"), ["name of a sensor"]),
        (lambda: ch.JointSensor("s", 3), ["joint must be a joint"]),
        (lambda: ch.ForceSensor("s", 3), ["force or driver"]),
        (lambda: with_sensor(ch.Sensor("s", "rood")), ["body 'rood'", "'rod'"]),
        (lambda: with_sensor(ch.JointSensor("s", "hing")), ["joint 'hing'", "'hinge'"]),
        (
            lambda: with_sensor(ch.JointSensor("s", "hinge", coordinate="displacement")),
            ["revolute"],
        ),
        (lambda: with_sensor(ch.ForceSensor("s", "sprig")), ["'sprig'", "'spring'"]),
        (lambda: with_sensor(ch.ForceSensor("s", "spring", reads="effort")), ["no effort"]),
        (lambda: with_sensor(ch.Sensor("rod", "rod")), ["bodies[0] and sensors[0]", "'rod'"]),
        (lambda: with_sensor(ch.Sensor("hinge", "rod")), ["both named 'hinge'"]),
        (lambda: with_sensor("tip"), ["must be a Sensor"]),
    ],
)
def test_sensors_that_cannot_read_are_refused(make, said, refusal):
    message = refusal(make, ch.ChaslesError)
    for part in said:
        assert part in message


def with_sensor(sensor):
    model = pendulum()
    return ch.Model(model.bodies, model.joints, model.forces, sensors=[sensor])


def test_the_table_has_every_number_with_its_unit(run):
    frame = run.frame()
    assert len(frame) == len(run.t) and frame.index.name == "t"
    np.testing.assert_array_equal(frame[["rod.x", "rod.y", "rod.z"]], run.position("rod"))
    np.testing.assert_array_equal(
        frame[["rod.wx", "rod.wy", "rod.wz"]], run.angular_velocity("rod")
    )
    np.testing.assert_array_equal(frame["hinge.angle"], run.coordinate("hinge"))
    np.testing.assert_array_equal(frame["encoder"], run.sensor("encoder"))
    np.testing.assert_array_equal(frame[["tip.x", "tip.z"]], run.sensor("tip")[:, ::2])
    total = frame["energy.kinetic"] + frame["energy.potential"]
    np.testing.assert_allclose(total, run.energy(), rtol=1e-14)
    units = frame.attrs["units"]
    assert set(units) == {"t", *frame.columns}
    assert (units["rod.vx"], units["hinge.angle_rate"], units["tip.x"]) == ("m/s", "rad/s", "m")


def test_the_table_holds_its_own_numbers(run):
    frame = run.frame()
    frame["rod.x"] = 0.0
    assert run.position("rod")[0, 0] == 0.5


def test_a_sensor_is_plotted_by_its_name(run):
    axes = run.plot("tip")
    np.testing.assert_array_equal(axes.lines[2].get_ydata(), run.sensor("tip")[:, 2])
    assert axes.get_ylabel() == "m"
    assert len(run.plot("encoder").lines) == 1
