"""Porter's governor: the faster it turns, the higher the balls lift the sleeve.

With arms that meet on the axis, balls of mass m and a sleeve of mass M it rests where the height of
the cone is (1 + M/m) g / speed^2 (any book on theory of machines; light arms of equal length).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 12)
BALL, SLEEVE, ARM = 1.0, 2.0, 0.3  # kg, kg, m
ANGLE = np.radians(30)  # of the arms at the start
SLOW, FAST = np.sqrt((1 + SLEEVE / BALL) * 9.81 / (ARM * np.cos(ANGLE))), 16.0  # rad/s


def turned(t):
    """The speed grows within 3 s from slow to fast, as a smooth step, and stays."""
    s = np.minimum(t / 3, 1.0)
    return SLOW * t + (FAST - SLOW) * (3 * (s**3 - s**4 / 2) + np.maximum(t - 3, 0.0))


def build():
    reach, drop = ARM * np.sin(ANGLE), ARM * np.cos(ANGLE)
    spin = {"position": (0, 0, -0.3), "angular_velocity": (0, 0, SLOW)}
    spindle = ch.Body.cylinder("spindle", 0.01, 0.7, mass=1, **spin)
    ring = ch.Ring(0.04, 0.01, 0.05, position=(0, 0, -2 * drop), colour="brass")
    sleeve = ch.Body.solid("sleeve", ring, mass=SLEEVE)
    bodies = [spindle, sleeve]
    joints = [
        ch.Revolute("bearing", ch.GROUND, spindle, at=(0, 0, -0.65), axis="z"),
        ch.Prismatic("slide", spindle, sleeve, axis="z"),
    ]
    for side, x in (("left", -reach), ("right", reach)):
        ball = ch.Body.sphere(side, 0.035, mass=BALL, position=(x, 0, -drop))
        bodies.append(ball)
        joints += [
            ch.PointOnPlane(f"{side} fork", spindle, ball, at=ball.position, axis="y"),
            ch.Distance(f"{side} upper arm", spindle, ball, (0, 0, 0), ball.position),
            ch.Distance(f"{side} lower arm", sleeve, ball, sleeve.position, ball.position),
        ]
    damper = ch.JointSpring("dashpot", "slide", stiffness=0.0, damping=20.0)
    drive = ch.Driver("motor", "bearing", turned)
    return ch.Model(bodies, joints, [damper], [drive])


def check(result):
    height = -result.position("left")[-1, 2]
    return "height of the cone, m", height, (1 + SLEEVE / BALL) * 9.81 / FAST**2, 1e-4


def main(until=8.0, film="porter_governor.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=5)
    result.animate(film, title="Porter's governor", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
