"""What the runs of the shortest scripts are held against, each by something not computed here."""

import numpy as np


def double_wishbone(script, result):
    outer, top, bush = (script[name] for name in "BCD")
    path, turn = result.point("lower", outer).position, result.rotation("wheel")
    b, b0, c0, d = (p[..., 1] + 1j * p[..., 2] for p in (path, outer, top, bush))
    span, arm, post = abs(b - d), abs(c0 - d), abs(c0 - b0)
    along = (span**2 + arm**2 - post**2) / (2 * span)
    c = d + (b - d) / span * (along + 1j * np.sqrt(arm**2 - along**2))
    camber = np.angle((c - b) / (c0 - b0)) - np.arctan2(turn[:, 2, 1], turn[:, 1, 1])
    return "camber, largest difference to the four-bar, rad", abs(camber).max(), 0.0, 1e-9


def stewart_platform(script, result):
    """The plate must take the course from which the legs' lengths were computed."""
    missed = np.abs(result.position("plate") - script["course"](result.t)).max()
    return "largest distance of the plate from its course, m", missed, 0.0, 1e-8


def quadruped(script, result):
    """Whatever the gait, the push of the ground adds up to the weight and to what momentum was
    gained (Newton's second law)."""
    push = sum(result.force(f"ground {k}").force[:, 2] for k in range(4))
    weight = 9.81 * sum(body.mass for body in result.model.bodies) * result.t[-1]
    impulse = weight + np.diff(result.momentum()[[0, -1], 2])[0]
    return "impulse of the ground, N s", np.trapezoid(push, result.t), impulse, 1e-3 * weight


def gimbal_gyroscope(script, result):
    rate = result.coordinate("stand")[-1] / result.t[-1]
    return "rate of precession, rad/s", rate, script["TURN"], 1e-8


def planetary_gear(script, result):
    """By Willis (Principles of Mechanism, 1841) the arm turns at 1 / (1 + ring / sun) of the sun's
    speed and a planet at 1 - ring / planet of the arm's, in teeth.  A torque on the sun must then
    speed up one inertia, to which every wheel adds its own times the square of its ratio."""
    sun, arm, planet, *_ = (body.inertia[2][2] for body in result.model.bodies)
    mass, torque = result.model.body("planet 0").mass, result.model.force("motor").torque[2]
    ratio, roll, reach = (script[name] for name in ("ARM", "ROLL", "REACH"))
    inertia = sun + ratio**2 * (arm + 3 * mass * reach**2 + 3 * roll**2 * planet)
    speed = result.coordinate_rate("sun bearing")[-1]
    return "speed of the sun, rad/s", speed, torque / inertia * result.t[-1], 1e-6


def engine(script, result):
    angle, speed = result.coordinate("bearing"), result.coordinate_rate("bearing")
    last = angle > angle[-1] - 8 * np.pi
    mean = np.trapezoid(speed[last] ** 2, angle[last]) / np.ptp(angle[last])
    crank, force, fan = (script[name] for name in ("CRANK", "FORCE", "FAN"))
    expected = np.sqrt(4 * force * 2 * crank / (2 * np.pi * fan))
    return "steady speed, rad/s", np.sqrt(mean), expected, 0.1
