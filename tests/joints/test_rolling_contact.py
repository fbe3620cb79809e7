"""Rolling without slipping, from first principles: no slip, no work, and known motions."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import chasles as ch

G = 9.81
RADIUS = 0.3


def disc(lean=0.4, spin=(0.3, 6.0, 0.5)):
    """A coin on its edge: its axis is the body's y axis, leaning by `lean` from the horizontal."""
    turn = Rotation.from_euler("ZX", (0.7, lean)).as_matrix()
    body = ch.Body.cylinder(
        "disc", RADIUS, 0.02, axis="y", mass=2.0, rotation=turn,
        position=(0.2, 0.1, RADIUS * np.cos(lean)), angular_velocity=spin,
    )  # fmt: skip
    road = {"at": (0, 0, 0), "axis": (0, 0, 1), "axis_b": turn[:, 1], "radius": RADIUS}
    return ch.Model([body], [ch.RollingDisc("roll", ch.GROUND, body, **road)])


def ball_on_plate():
    """A ball on a plate that floats: both turn, no gravity."""
    plate = ch.Body.box(
        "plate",
        (1.0, 1.0, 0.1),
        mass=4.0,
        angular_velocity=(0.5, -0.4, 0.8),
        velocity=(0.1, 0.2, 0.3),
    )
    ball = ch.Body.sphere(
        "ball", RADIUS, mass=1.5, position=(0.1, 0.2, 0.05 + RADIUS), angular_velocity=(2, -1, 3)
    )
    roll = ch.RollingSphere("roll", plate, ball, at=(0, 0, 0.05), axis=(0, 0, 1), radius=RADIUS)
    return ch.Model([plate, ball], [roll], gravity=(0, 0, 0))


def slip_of(result, name, contact, velocity_there=0.0):
    """Velocity of the body at its contact point, relative to what it touches."""
    omega = np.einsum("tij,tj->ti", result.rotation(name), result.angular_velocity(name))
    arm = contact - result.position(name)
    return result.velocity(name) + np.cross(omega, arm) - velocity_there


def lowest_point(result):
    """Of the disc: from the centre against the normal, within the plane of the disc."""
    axis = result.rotation("disc")[:, :, 1]
    down = -np.array([0, 0, 1.0]) + axis * axis[:, 2:]
    return result.position("disc") + RADIUS * down / np.linalg.norm(down, axis=1)[:, None]


def test_the_disc_touches_the_plane_and_does_not_slip():
    result = ch.simulate(disc(), until=1.0, step=1e-3)
    contact = lowest_point(result)
    assert np.abs(contact[:, 2]).max() < 1e-9
    assert np.abs(slip_of(result, "disc", contact)).max() < 1e-9
    assert result.violation("roll").max() == pytest.approx(np.abs(contact[:, 2]).max(), abs=1e-12)
    projected = ch.simulate(disc(), until=1.0, step=1e-3, stabilise="projection")
    contact = lowest_point(projected)
    assert np.abs(contact[:, 2]).max() < 1e-13
    assert np.abs(slip_of(projected, "disc", contact)).max() < 1e-12


def test_the_reaction_acts_at_the_contact_point_and_does_no_work():
    result = ch.simulate(disc(), until=1.0, step=1e-3)
    reaction, contact = result.reaction("roll"), lowest_point(result)
    about_contact = reaction.torque - np.cross(contact - reaction.point, reaction.force)
    assert np.abs(about_contact).max() < 1e-9 and reaction.force[:, 2].min() > 0
    omega = np.einsum("tij,tj->ti", result.rotation("disc"), result.angular_velocity("disc"))
    arm = result.position("disc") - reaction.point
    at_point = result.velocity("disc") + np.cross(omega, -arm)
    power = np.sum(reaction.force * at_point + reaction.torque * omega, axis=1)
    assert np.abs(power).max() < 2e-8


def test_the_disc_moves_as_its_angular_momentum_about_the_contact_says():
    r"""I w' + w x I w = c x m (-w' x c - w x c' - g), solved for w' and integrated by SciPy."""
    model = disc()
    body, inertia = model.bodies[0], np.array(model.bodies[0].inertia)

    def rates(t, y):
        turn, omega = Rotation.from_quat(y[:4]), y[4:7]  # omega in the world
        matrix = turn.as_matrix()
        own = matrix @ inertia @ matrix.T
        axis = matrix[:, 1]
        lean, axis_rate = axis[2], np.cross(omega, axis)
        s = np.sqrt(1 - lean**2)
        contact = RADIUS * (lean * axis - (0, 0, 1)) / s
        h = 1e-6  # the rate of the contact's arm, by turning the axis a little
        ahead, behind = ((axis + sign * h * axis_rate) for sign in (1, -1))

        def arm(a):
            a = a / np.linalg.norm(a)
            return RADIUS * (a[2] * a - (0, 0, 1)) / np.sqrt(1 - a[2] ** 2)

        arm_rate = (arm(ahead) - arm(behind)) / (2 * h)
        cross = np.array(
            [
                [0, -contact[2], contact[1]],
                [contact[2], 0, -contact[0]],
                [-contact[1], contact[0], 0],
            ]
        )
        mass = body.mass
        # c x (w' x c) = -C C w'
        matrix_of = own - mass * cross @ cross
        right = -np.cross(omega, own @ omega) + np.cross(
            contact, mass * (-np.cross(omega, arm_rate) + np.array([0, 0, G]))
        )
        alpha = np.linalg.solve(matrix_of, right)
        w = np.append(turn.inv().apply(omega), 0.0)
        q = y[:4]
        q_rate = 0.5 * np.array(
            [
                q[3] * w[0] + q[1] * w[2] - q[2] * w[1],
                q[3] * w[1] + q[2] * w[0] - q[0] * w[2],
                q[3] * w[2] + q[0] * w[1] - q[1] * w[0],
                -q[0] * w[0] - q[1] * w[1] - q[2] * w[2],
            ]
        )
        return np.concatenate((q_rate, alpha, -np.cross(omega, contact)))

    matrix = np.array(body.rotation)
    start = np.concatenate(
        (
            Rotation.from_matrix(matrix).as_quat(),
            matrix @ np.array(body.angular_velocity),
            body.position,
        )
    )
    reference = solve_ivp(rates, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    result = ch.simulate(model, until=1.0, step=1e-3)
    turned = Rotation.from_quat(reference[:4]).as_matrix()
    np.testing.assert_allclose(result.rotation("disc")[-1], turned, rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.position("disc")[-1], reference[7:], rtol=0, atol=1e-8)


def test_a_disc_rolls_steadily_in_a_circle():
    r"""With the lean l, the precession p about the vertical and the whole spin W about its axis:

    W p cos(l) (C + m r^2) = A p^2 sin(l) cos(l) - m g r sin(l)

    is the balance of angular momentum about the centre; the height then stays what it is.
    """
    lean, precession, mass = 0.3, 1.7, 2.0
    s, k = np.sin(lean), np.cos(lean)
    a, c = 0.25 * mass * RADIUS**2, 0.5 * mass * RADIUS**2
    steady = (a * precession**2 * s * k - mass * G * RADIUS * s) / (
        (c + mass * RADIUS**2) * precession * k
    )
    wobble = []
    for spin in (steady, 1.01 * steady):
        body = ch.Body(
            "disc", mass, (a, c, a), position=(0, 0, RADIUS * k),
            rotation=Rotation.from_euler("x", lean).as_matrix(),
            angular_velocity=(0, spin, precession * k),
        )  # fmt: skip
        road = {"at": (0, 0, 0), "axis": (0, 0, 1), "axis_b": (0, k, s), "radius": RADIUS}
        model = ch.Model([body], [ch.RollingDisc("roll", ch.GROUND, body, **road)])
        result = ch.simulate(model, until=2.0, step=1e-3)
        wobble.append(np.ptp(result.position("disc")[:, 2]))
        if spin == steady:
            circle = np.linalg.norm(result.velocity("disc")[:, :2], axis=1)
            assert circle == pytest.approx(RADIUS * abs(spin), abs=1e-9)
    assert wobble[0] < 1e-9 and wobble[1] > 1e-5


def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_speed():
    """The centre of a homogeneous ball on a plane that turns with W moves on a circle, at 2W/7."""
    speed = 3.0
    table = ch.Body.cylinder("table", 1.0, 0.1, mass=10.0)
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0.3, 0, 0.15), velocity=(0.2, 0.5, 0))
    joints = [
        ch.Revolute("axle", ch.GROUND, table, at=(0, 0, 0), axis=(0, 0, 1)),
        ch.RollingSphere("roll", table, ball, at=(0, 0, 0.05), axis=(0, 0, 1), radius=0.1),
    ]
    driver = ch.Driver("motor", "axle", ch.Signal.linear(speed))
    result = ch.simulate(
        ch.Model([table, ball], joints, drivers=[driver]), until=5.0, step=2e-3, method="dop853"
    )
    rate = 2 * speed / 7
    # v' = rate e_z x v, so the centre of the circle is r0 + e_z x v0 / rate.
    start, v = np.array([0.3, 0.0]), np.array([0.2, 0.5])
    centre = start + np.array([-v[1], v[0]]) / rate
    angle = rate * result.t
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    expected = centre + np.einsum("ijt,j->ti", turn, start - centre)
    np.testing.assert_allclose(result.position("ball")[:, :2], expected, rtol=0, atol=1e-9)
    assert np.abs(result.energy_balance()).max() < 1e-8


def test_a_ball_on_a_floating_plate_keeps_momentum_energy_and_contact():
    result = ch.simulate(ball_on_plate(), until=1.0, step=1e-3)
    normal = result.rotation("plate")[:, :, 2]
    apart = result.position("ball") - result.position("plate")
    height = np.sum(normal * apart, axis=1)
    assert np.abs(height - 0.05 - RADIUS).max() < 1e-9
    contact = result.position("ball") - RADIUS * normal
    there = slip_of(result, "plate", contact)
    assert np.abs(slip_of(result, "ball", contact, there)).max() < 1e-9
    for momentum in (result.momentum(), result.angular_momentum()):
        np.testing.assert_allclose(momentum, momentum[:1] * np.ones((len(result.t), 1)), atol=1e-10)
    assert np.abs(result.energy_balance()).max() < 1e-9
    assert result.violation("roll").max() < 1e-9
    reaction = result.reaction("roll")
    np.testing.assert_allclose(reaction.on("plate")[0], -reaction.on("ball")[0], atol=1e-9)
    np.testing.assert_allclose(reaction.on("plate")[1], -reaction.on("ball")[1], atol=1e-9)


def test_a_ball_that_hangs_in_the_air_is_refused(refusal):
    ball = ch.Body.sphere("ball", RADIUS, mass=1.0, position=(0, 0, 2 * RADIUS))
    roll = ch.RollingSphere("roll", ch.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1), radius=RADIUS)
    message = refusal(lambda: ch.equations(ch.Model([ball], [roll])), ch.InconsistentStart)
    assert "'roll' is open by 0.3 m" in message


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_a_disc_that_falls_flat_stops_the_run(stabilise):
    with pytest.raises(ch.SimulationStopped, match="'roll': the disc fell flat") as caught:
        ch.simulate(disc(spin=(0, 0, 0)), until=2.0, step=1e-3, stabilise=stabilise)
    result = caught.value.result
    assert 0.1 < result.t[-1] < 1.0 and 0.0 < result.position("disc")[-1, 2] < 0.05
