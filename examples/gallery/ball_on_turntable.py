"""Ball on a turntable: it is not thrown off, but goes round in circles of its own.

The velocity of a solid ball turns at 2/7 of the table's speed, wherever it is and however it
started (J. A. Burns, Am. J. Phys. 49, 1981, 56-58).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 38)
SPEED, RADIUS = 7.0, 0.04  # rad/s, m


def build():
    disc = ch.Cylinder(0.5, 0.02, position=(0, 0, -0.01), colour="wood")
    bars = [ch.Box((w, h, 0.022), position=(0, 0, -0.01), colour="white")
            for w, h in ((0.9, 0.02), (0.02, 0.9))]  # fmt: skip
    table = ch.Body.solid("table", [disc, *bars], density=700, angular_velocity=(0, 0, SPEED))
    spots = 0.8 * RADIUS * np.vstack((np.eye(3), -np.eye(3)))
    dots = [ch.Sphere(0.3 * RADIUS, position=spot, colour="white") for spot in spots]
    start = {"position": (0.2, 0, RADIUS), "velocity": (0.1, 0.3, 0)}
    shapes = [ch.Sphere(RADIUS, colour="red"), *dots]
    ball = ch.Body("ball", 1.0, 3 * [0.4 * RADIUS**2], shapes=shapes, **start)
    joints = [
        ch.Revolute("bearing", ch.GROUND, table, at=(0, 0, 0), axis="z"),
        ch.RollingSphere("contact", table, ball, at=(0, 0, 0), axis="z", radius=RADIUS),
    ]
    motor = ch.Driver("motor", "bearing", ch.Signal.linear(SPEED))
    return ch.Model([table, ball], joints, drivers=[motor])


def check(result):
    x, y, _ = result.velocity("ball").T
    angle = np.unwrap(np.arctan2(y, x))
    ratio = (angle[-1] - angle[0]) / (SPEED * result.t[-1])
    return "turns of the velocity per turn of the table", ratio, 2 / 7, 1e-6


def main(until=8.0, film="ball_on_turntable.html"):
    result = ch.simulate(build(), until, 5e-4, stabilise="projection of all joints", save_every=10)
    result.animate(film, title="A ball on a turntable", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
