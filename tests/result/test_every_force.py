"""Every force's read-out is its law, evaluated from the trajectory; its power adds up to its work.

The laws are written here as textbooks have them, in world axes, and share no line with the package.
"""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

import chasles as ch

STIFF, LOSSY = (900.0, 700.0, 500.0, 9.0, 7.0, 5.0), (3.0, 2.0, 1.0, 0.3, 0.2, 0.1)
CLOSE = 1e-12


def wind(t, x, r, v, w):
    return (0.3 * np.cos(t) - 0.1 * v[0], 0.2 * x[1], -0.1 * v[2]), (0.01 * w[0], 0.0, 0.02)


@pytest.fixture(scope="module")
def run():
    """A carriage on a rail, a turret on it, and a block on a rubber mount: all forces act."""
    carriage = ch.Body.box("carriage", (0.4, 0.3, 0.1), mass=3.0, velocity=(0.4, 0, 0))
    turret = ch.Body.cylinder("turret", 0.1, 0.3, mass=1.5, position=(0.05, 0, 0.2),
                              angular_velocity=(0, 0, 2.0), velocity=(0.4, 0, 0))  # fmt: skip
    block = ch.Body.box("block", (0.2, 0.1, 0.15), mass=0.8, position=(0.6, 0.2, 0.5),
                        velocity=(0.1, 0.2, -0.3), angular_velocity=(1.0, -0.7, 0.5))  # fmt: skip
    rail = ch.Prismatic("rail", ch.GROUND, carriage, axis="x")
    # the second body first: signs follow the order in which the joint names them
    bearing = ch.Revolute("bearing", turret, carriage, (0.05, 0, 0.1), "z")
    forces = [
        ch.Spring("spring", turret, block, (0.05, 0.05, 0.3), (0.6, 0.2, 0.45), 40.0, 1.5),
        ch.Bushing("mount", ch.GROUND, block, (0.6, 0.2, 0.4), STIFF, LOSSY),
        ch.JointSpring("buffer", rail, 30.0, 0.8, rest=0.1),
        ch.TorsionSpring("coil", bearing, 2.0, 0.05, rest=0.3),
        ch.JointFriction("friction", bearing, level=0.05, smoothing=1.0),
        ch.Motor("servo", bearing, ch.Signal.sine(0.4, 1.5), stiffness=3.0, damping=0.2),
        ch.Motor("pull", rail, effort=ch.Signal.sine(2.0, 0.5)),
        ch.Drag("air", block, 0.1, 0.2, 0.02, 0.03),
        ch.Load("thrust", block, (1.0, 0.5, -0.2), (0.1, 0, 0.05), (0.7, 0.2, 0.5), "body"),
        ch.Load("gust", turret, lambda t: (np.sin(3 * t), 0.2, 0.0)),
        ch.CustomForce("wind", block, wind),
    ]  # fmt: skip
    model = ch.Model([carriage, turret, block], [rail, bearing], forces)
    return ch.simulate(model, until=1.0, step=1e-3, progress=False)


def close(found, expected):
    """Equal to 1e-12 of the largest."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE * np.abs(expected).max())


def dot(a, b):
    return np.einsum("ti,ti->t", a, b)


def turned(rotation, vectors):
    return np.einsum("tij,tj->ti", rotation, np.broadcast_to(vectors, (len(rotation), 3)))


def test_spring(run):
    a, b = run.point("turret", (0.05, 0.05, 0.3)), run.point("block", (0.6, 0.2, 0.45))
    span, speed = b.position - a.position, b.velocity - a.velocity
    length = np.linalg.norm(span, axis=1)
    along, rest = span / length[:, None], length[0]
    pull = -(40.0 * (length - rest) + 1.5 * dot(speed, along))
    found = run.force("spring")
    close(found.force, pull[:, None] * along)
    close(found.force_on_first, -pull[:, None] * along)
    close(found.torque, np.cross(b.position - run.position("block"), pull[:, None] * along))
    close(found.elongation, length - rest)
    close(found.power, pull * dot(speed, along))
    close(found.supplied, -1.5 * dot(speed, along) ** 2)


def test_bushing(run):
    """Ground is a, so its axes are the world's; the torque is the gradient of the potential."""
    point, rotation = run.point("block", (0.6, 0.2, 0.4)), run.rotation("block")
    shift = point.position - (0.6, 0.2, 0.4)
    force = -(np.array(STIFF[:3]) * shift + np.array(LOSSY[:3]) * point.velocity)
    phi = Rotation.from_matrix(rotation).as_rotvec()
    size = np.linalg.norm(phi, axis=1)[:, None]
    turning = np.array(STIFF[3:]) * phi
    twice = np.cross(phi, np.cross(phi, turning))
    with np.errstate(all="ignore"):
        gamma = np.where(size > 1e-2, (1 - size / 2 / np.tan(size / 2)) / size**2,
                         1 / 12 + size**2 / 720 + size**4 / 30240)  # fmt: skip
    local = turning - 0.5 * np.cross(phi, turning) + gamma * twice  # dexp^-1(K phi), body axes
    spin = np.array(LOSSY[3:]) * run.angular_velocity("block")
    torque = -turned(rotation, local + spin)
    found = run.force("mount")
    close(found.force, force)
    close(found.torque, torque + np.cross(point.position - run.position("block"), force))
    close(found.power, dot(force, point.velocity)
          + dot(torque, run.angular_velocity("block", "world")))  # fmt: skip


def on_joint(run, name, joint, effort):
    """A couple about the axis, or a push along it, with the power of the coordinate."""
    close(run.effort(name), effort)
    close(run.force(name).power, effort * run.coordinate_rate(joint))


def test_joint_spring(run):
    q, rate = run.coordinate("rail"), run.coordinate_rate("rail")
    effort = -30.0 * (q - 0.1) - 0.8 * rate
    on_joint(run, "buffer", "rail", effort)
    close(run.force("buffer").on("carriage")[0], np.outer(effort, (1, 0, 0)))


def test_torsion_spring_and_friction(run):
    q, rate = run.coordinate("bearing"), run.coordinate_rate("bearing")
    effort = -2.0 * (q - 0.3) - 0.05 * rate
    on_joint(run, "coil", "bearing", effort)
    close(run.force("coil").on("carriage")[1], np.outer(effort, (0, 0, 1)))
    close(run.force("coil").on("turret")[1], np.outer(-effort, (0, 0, 1)))
    on_joint(run, "friction", "bearing", -0.05 * np.tanh(rate))


def test_motors(run):
    q, rate = run.coordinate("bearing"), run.coordinate_rate("bearing")
    phase = 3 * np.pi * run.t
    effort = 3.0 * (0.4 * np.sin(phase) - q) + 0.2 * (1.2 * np.pi * np.cos(phase) - rate)
    on_joint(run, "servo", "bearing", effort)
    on_joint(run, "pull", "rail", 2.0 * np.sin(np.pi * run.t))


def test_drag(run):
    v, w = run.velocity("block"), run.angular_velocity("block", "world")
    speed, spin = (np.linalg.norm(x, axis=1)[:, None] for x in (v, w))
    found = run.force("air")
    close(found.force, -(0.1 + 0.2 * speed) * v)
    close(found.torque, -(0.02 + 0.03 * spin) * w)


def test_loads(run):
    rotation, found = run.rotation("block"), run.force("thrust")
    force = turned(rotation, (1.0, 0.5, -0.2))
    lever = run.point("block", (0.7, 0.2, 0.5)).position - run.position("block")
    close(found.force, force)
    close(found.torque, turned(rotation, (0.1, 0, 0.05)) + np.cross(lever, force))
    gust = np.column_stack((np.sin(3 * run.t), np.full((len(run.t), 2), (0.2, 0.0))))
    close(run.force("gust").force, gust)
    close(run.force("gust").power, dot(gust, run.velocity("turret")))


def test_custom_force(run):
    x, v, w = run.position("block"), run.velocity("block"), run.angular_velocity("block")
    force = np.column_stack((0.3 * np.cos(run.t) - 0.1 * v[:, 0], 0.2 * x[:, 1], -0.1 * v[:, 2]))
    found = run.force("wind")
    close(found.force, force)
    assert np.isfinite(w).all() and np.abs(found.torque).max() > 0


NAMES = ["spring", "mount", "buffer", "coil", "friction", "servo", "pull", "air", "thrust", "gust",
         "wind"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_power_integrates_to_work(run, name):
    """At every second state, where Simpson's rule has order four."""
    total = cumulative_simpson(run.force(name).supplied, x=run.t, initial=0)[::2]
    work = run.work(name)[::2]
    np.testing.assert_allclose(total, work, rtol=0, atol=1e-6 * np.abs(work).max())


def test_what_potentials_take_and_work_give_is_the_whole_power(run):
    """d/dt of kinetic energy and gravity is the power of all forces together."""
    power = sum(run.force(name).power for name in NAMES)
    gravity = -9.81 * sum(b.mass * run.position(b)[:, 2] for b in run.model.bodies)
    gained = run.kinetic_energy() - gravity
    total = cumulative_simpson(power, x=run.t, initial=0)
    np.testing.assert_allclose(
        (gained - gained[0])[::2], total[::2], atol=1e-6 * np.abs(gained).max()
    )
