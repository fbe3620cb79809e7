"""A ball that rolls on a turntable is not thrown off: it goes round in circles of its own.

Whatever the table does to it, its velocity turns at 2/7 of the table's speed, if it is a solid
ball: five times on the table's 17.5 (E. G. Routh, Advanced Part of Rigid Dynamics, 1884).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 38)
SPEED, RADIUS = 7.0, 0.04  # rad/s, m


def build():
    disc = ch.Cylinder(0.5, 0.02, position=(0, 0, -0.01), colour="wood")
    marks = [
        ch.Box(
            (0.46, 0.02, 0.002),
            position=(0.24 * np.cos(a), 0.24 * np.sin(a), 0),
            rotation=("z", a),
            colour="white",
        )
        for a in np.pi / 2 * np.arange(4)
    ]
    table = ch.Body.solid("table", [disc, *marks], density=700, angular_velocity=(0, 0, SPEED))
    shapes = [ch.Sphere(RADIUS, colour="red")] + [
        ch.Sphere(0.3 * RADIUS, position=v, colour="white")
        for v in 0.8 * RADIUS * np.vstack((np.eye(3), -np.eye(3)))
    ]
    ball = ch.Body(
        "ball", 1.0, 3 * [0.4 * RADIUS**2], (0.2, 0, RADIUS), velocity=(0.1, 0.3, 0), shapes=shapes
    )
    joints = [
        ch.Revolute("bearing", ch.GROUND, table, at=(0, 0, 0), axis="z"),
        ch.RollingSphere("contact", table, ball, at=(0, 0, 0), axis="z", radius=RADIUS),
    ]
    motor = ch.Driver("motor", "bearing", ch.Signal.linear(SPEED))
    return ch.Model([table, ball], joints, drivers=[motor])


def check(result):
    x, y, _ = result.velocity("ball").T
    angle = np.unwrap(np.arctan2(y, x))
    return (
        "turns of the velocity per turn of the table",
        (angle[-1] - angle[0]) / (SPEED * result.t[-1]),
        2 / 7,
        1e-6,
    )


def main(until=8.0, film="ball_on_turntable.html"):
    result = ch.simulate(build(), until, 5e-4, stabilise="projection of all joints", save_every=10)
    result.animate(film, title="A ball on a turntable", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
