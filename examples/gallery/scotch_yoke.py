"""Scotch yoke: a pin of a crank slides in a slot, and pushes the yoke to and fro as a pure sine.

x = r cos(turn): no obliquity of a connecting rod disturbs it (any book on kinematics).
"""

import numpy as np

import chasles as ch

VIEW = (-70, 24)
CRANK = 0.1  # m


def build():
    disc = ch.Cylinder(0.15, 0.03, axis="y", colour="steel")
    pin = ch.Cylinder(0.015, 0.1, axis="y", position=(CRANK, -0.05, 0), colour="red")
    crank = ch.Body.solid("crank", [disc, pin], density=7850, angular_velocity=(0, -5, 0))
    bars = [ch.Box((0.02, 0.02, 0.28), position=(CRANK + x, -0.07, 0)) for x in (-0.026, 0.026)]
    ends = [ch.Box((0.072, 0.02, 0.02), position=(CRANK, -0.07, z)) for z in (-0.14, 0.14)]
    rods = [
        ch.Cylinder(0.012, 0.3, axis="x", position=(CRANK + x, -0.07, 0)) for x in (-0.18, 0.18)
    ]
    yoke = ch.Body.solid("yoke", bars + ends + rods, density=2700)
    joints = [
        ch.Revolute("bearing", ch.GROUND, crank, at=(0, 0.05, 0), axis=(0, -1, 0)),
        ch.Prismatic("guide", ch.GROUND, yoke, at=(0.4, -0.07, 0), axis="x"),
        ch.PointOnPlane("slot", yoke, crank, at=(CRANK, -0.07, 0), axis="x"),
    ]
    return ch.Model([crank, yoke], joints)


def check(result):
    sine = CRANK * (np.cos(result.coordinate("bearing")) - 1)
    missed = np.abs(result.coordinate("guide") - sine).max()
    return "largest difference of the yoke to a sine, m", missed, 0.0, 1e-9


def main(until=5.0, film="scotch_yoke.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection", save_every=5)
    result.animate(film, title="Scotch yoke", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
