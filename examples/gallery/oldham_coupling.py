"""Oldham's coupling: a cross slides between two parallel shafts, and they turn exactly alike.

The centre of the cross sees the two axes at a right angle: it runs round the circle of Thales over
their offset, twice in every turn (J. Oldham, 1820; plane geometry).
"""

import numpy as np

import chasles as ch

VIEW = (-40, 24)
OFFSET = 0.06  # m between the axes


def build():
    discs = []
    for name, x, z, colour in (("input", 0.0, 0.05, "blue"), ("output", OFFSET, -0.05, "red")):
        shapes = [
            ch.Cylinder(0.15, 0.03, position=(x, 0, z), colour=colour),
            ch.Cylinder(0.025, 0.2, position=(x, 0, 2.6 * z), colour="steel"),
        ]
        discs.append(ch.Body.solid(name, shapes, density=7850))
    tongues = [((0.32, 0.03, 0.05), 0.025), ((0.03, 0.32, 0.05), -0.025)]
    shapes = [ch.Box(s, position=(OFFSET, 0, z), colour="brass") for s, z in tongues]
    plate = ch.Cylinder(0.15, 0.02, position=(OFFSET, 0, 0), colour="brass")
    cross = ch.Body.solid("cross", [plate, *shapes], density=8500)
    joints = [
        ch.Revolute("input bearing", ch.GROUND, "input", at=(0, 0, 0.23), axis="z"),
        ch.Revolute("output bearing", ch.GROUND, "output", at=(OFFSET, 0, -0.23), axis="z"),
        ch.Prismatic("upper slot", "input", cross, axis="x"),
        ch.Prismatic("lower slot", "output", cross, axis="y"),
    ]
    return ch.Model([*discs, cross], joints, [ch.Load("motor", "input", torque=(0, 0, 2.0))])


def check(result):
    x, y, _ = result.position("cross").T
    circle = OFFSET / 2 * (1 + np.exp(2j * result.coordinate("input bearing")))
    missed = np.abs(x + 1j * y - circle).max()
    return "largest distance of the cross from its circle, m", missed, 0.0, 1e-9


def main(until=5.0, film="oldham_coupling.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection", save_every=5)
    result.animate(film, title="Oldham's coupling", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
