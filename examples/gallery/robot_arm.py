"""Robot arm: two servos follow Python functions, and report the torque that they need.

Inverse dynamics of two links in a vertical plane is in every textbook of robotics (R. M. Murray, Z.
Li, S. S. Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 4.3).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 14)
L1, L2, M1, M2 = 0.5, 0.4, 3.0, 2.0  # m, kg; uniform links


def upper(t):
    return 0.7 * np.sin(1.5 * t) ** 2


def fore(t):
    return -1.2 * np.sin(2.0 * t) ** 2


def build():
    tower = ch.Body.cylinder("tower", 0.06, 0.5, mass=10, position=(0, 0, -0.25))
    first = ch.Body.rod("upper arm", mass=M1, radius=0.03, between=((0, 0, 0), (L1, 0, 0)))
    second = ch.Body.rod("forearm", mass=M2, radius=0.02, between=((L1, 0, 0), (L1 + L2, 0, 0)))
    joints = [
        ch.Fixed("base", ch.GROUND, tower),
        ch.Revolute("shoulder", tower, first, at=(0, 0, 0), axis=(0, -1, 0)),
        ch.Revolute("elbow", first, second, at=(L1, 0, 0), axis=(0, -1, 0)),
    ]
    servos = [ch.Driver("upper servo", "shoulder", upper), ch.Driver("fore servo", "elbow", fore)]
    return ch.Model([tower, first, second], joints, drivers=servos)


def check(result):
    t, q, p = result.t, upper(result.t), fore(result.t)
    u = 0.7 * 1.5 * np.sin(3 * t)  # rate of q
    a, b = 0.7 * 4.5 * np.cos(3 * t), -1.2 * 8 * np.cos(4 * t)  # second derivatives of q and p
    own = M2 * (L2**2 / 4 + L2**2 / 12 + 0.02**2 / 4)
    mix = M2 * L1 * L2 / 2
    torque = (own + mix * np.cos(p)) * a + own * b + mix * np.sin(p) * u**2
    torque += M2 * 9.81 * L2 / 2 * np.cos(q + p)
    missed = np.abs(result.effort("fore servo") - torque).max()
    return "torque of the elbow, largest difference to the textbook, N m", missed, 0.0, 1e-6


def main(until=4.0, film="robot_arm.html"):
    result = ch.simulate(build(), until, 1e-3, save_every=5)
    result.animate(film, title="Robot arm", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
