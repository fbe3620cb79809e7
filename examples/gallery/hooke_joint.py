"""Hooke joints: two in a drive shaft, whose middle turns unevenly and its far end evenly again.

A joint bent by the angle b multiplies the speed by cos b / (1 - sin^2 b sin^2 a), a the turn of the
driving pin from the normal of both shafts (J. J. Uicker et al., Theory of Machines and Mechanisms,
2017); the second joint, bent back, undoes it.
"""

import numpy as np

import chasles as ch

VIEW = (-70, 34)
BEND, SPEED = np.radians(35), 6.0
ALONG, SLOPE, UP = np.array((1.0, 0, 0)), np.array((np.cos(BEND), np.sin(BEND), 0)), (0, 0, 1)


def shaft(name, start, end, angle, spin=None):
    bar = ch.Cylinder(0.02, 0.9 * np.linalg.norm(end - start), axis="x", colour="steel")
    vane = ch.Box((0.06, 0.02, 0.14), colour="red")
    place = {"position": (start + end) / 2, "rotation": ("z", angle), "angular_velocity": spin}
    return ch.Body.solid(name, [bar, vane], density=7850, **place)


def build():
    a, b, c, d = np.cumsum([(0, 0, 0), 0.4 * ALONG, 0.5 * SLOPE, 0.4 * ALONG], axis=0)
    across = np.cross(UP, SLOPE)
    shafts = [
        shaft("input", a, b, 0.0, spin=(SPEED, 0, 0)),
        shaft("middle", b, c, BEND),
        shaft("output", c, d, 0.0),
    ]
    joints = [
        ch.Revolute("first bearing", ch.GROUND, "input", at=a, axis=ALONG),
        ch.Universal("first joint", "input", "middle", at=b, axis=UP, axis_b=across),
        ch.Universal("second joint", "middle", "output", at=c, axis=across, axis_b=UP),
        ch.Revolute("last bearing", ch.GROUND, "output", at=d, axis=ALONG),
    ]
    motor = ch.Driver("motor", "first bearing", ch.Signal.linear(SPEED))
    return ch.Model(shafts, joints, drivers=[motor])


def check(result):
    angle = result.coordinate("first bearing")
    ratio = np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.sin(angle) ** 2)
    uneven = np.abs(result.angular_velocity("middle")[:, 0] - SPEED * ratio).max()
    behind = np.abs(result.coordinate("last bearing") - angle).max()
    return "speed of the middle and turn of the end, largest error", max(uneven, behind), 0.0, 1e-8


def main(until=4.0, film="hooke_joint.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=4)
    result.animate(film, title="Two Hooke joints", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
