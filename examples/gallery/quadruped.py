"""Quadruped: it trots on four legs of two links, driven at hips and knees by Python functions.

The ground is a formula: it holds the feet by a stiff damped spring and by friction.  Whatever the
gait, its push adds up to the weight and to what momentum was gained (Newton's second law).
"""

from functools import partial
from math import tanh

import numpy as np

import chasles as ch

VIEW = (-62, 12)
GAIT, SWING, LIFT = 2 * np.pi * 2.6, 0.15, 0.4  # rad/s, rad, rad


def ground(t, position, rotation, velocity, angular_velocity):
    up = max(0.0, 8e3 * (0.035 - position[2]) - 200.0 * velocity[2]) * (position[2] < 0.035)
    slow = -0.8 * up * tanh(velocity[0] / 0.05), -0.8 * up * tanh(velocity[1] / 0.05)
    return (slow[0], slow[1], up), (0.0, 0.0, 0.0)


def motion(joint, phase, t):
    begin, angle = 1 - np.exp(-((t / 0.4) ** 4)), GAIT * t + phase
    knee = 0.7 + LIFT * (0.5 - 0.5 * np.cos(angle)) ** 2
    return begin * (knee if joint == "knee" else SWING * np.sin(angle) - knee / 2)


def build():
    trunk = ch.Body.box("trunk", (0.7, 0.3, 0.12), mass=12, position=(0, 0, 0.66))
    bodies, joints, drivers, forces = [trunk], [], [], []
    for k, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        hip, knee, ankle = (x, y, 0.635), (x, y, 0.335), (x, y, 0.035)
        thigh = ch.Body.rod(f"thigh {k}", mass=1, radius=0.03, between=(hip, knee))
        shank = ch.Body.rod(f"shank {k}", mass=0.4, radius=0.02, between=(knee, ankle))
        foot = ch.Body.sphere(f"foot {k}", 0.035, mass=0.1, position=ankle)
        bodies += [thigh, shank, foot]
        joints.append(ch.Fixed(f"ankle {k}", shank, foot))
        for name, above, below, at in (("hip", trunk, thigh, hip), ("knee", thigh, shank, knee)):
            joints.append(ch.Revolute(f"{name} {k}", above, below, at, axis="y"))
            act = partial(motion, name, np.pi * (k in (1, 2)))
            drivers.append(ch.Driver(f"{name} servo {k}", f"{name} {k}", act))
        forces.append(ch.CustomForce(f"ground {k}", foot, ground, compiled=True))
    return ch.Model(bodies, joints, forces, drivers)


def check(result):
    push = sum(result.force(f"ground {k}").force[:, 2] for k in range(4))
    weight = 9.81 * sum(body.mass for body in result.model.bodies) * result.t[-1]
    impulse = weight + np.diff(result.momentum()[[0, -1], 2])[0]
    return "impulse of the ground, N s", np.trapezoid(push, result.t), impulse, 1e-3 * weight


def main(until=4.0, film="quadruped.html"):
    result = ch.simulate(build(), until, 5e-4, save_every=4)
    result.animate(film, title="A quadruped that trots", view=VIEW)
    return result


if __name__ == "__main__":
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(main())))
