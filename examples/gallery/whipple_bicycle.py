"""Whipple's bicycle: pushed aside at 5 m/s it steers itself upright, without a hand on the bar.

Its four bodies, and the eigenvalues of small motions about straight riding, are the benchmark of
J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the
balance and steer of a bicycle, Proc. R. Soc. A 463 (2007) 1955-1982, tables 1 and 2.
"""

import numpy as np

import chasles as ch

VIEW = (-66, 14)
WEAVE = -0.775341882195845 + 4.464867713788229j
PUBLISHED = [-14.07838969279822, WEAVE, WEAVE.conjugate(), -0.322866429004087]  # 1/s, at 5 m/s
TILT = np.pi / 10  # of the steering axis, which meets the road 0.08 m before the front wheel does


def tube(start, end, centre, colour, radius=0.02):
    """A round bar in the plane of the bicycle, seen from a body's centre of mass."""
    (x, _, z), middle = np.subtract(end, start), np.add(start, end) / 2 - centre
    look = {"radius": radius, "axis": "x", "colour": colour}
    return ch.Rod(np.hypot(x, z), position=middle, rotation=("y", -np.arctan2(z, x)), **look)


def wheel(name, x, radius, mass, across, along, speed, push):
    tyre = ch.Ring(radius, radius - 0.03, 0.03, axis="y", colour="black")
    ways = [(radius * np.cos(a), 0, radius * np.sin(a)) for a in np.pi / 5 * np.arange(5)]
    spokes = [tube(np.negative(way), way, (0, 0, 0), "grey", 0.004) for way in ways]
    start = {"position": (x, 0, radius), "angular_velocity": (push, speed / radius, 0)}
    return ch.Body(name, mass, (across, along, across), shapes=[tyre, *spokes], **start)


def build(speed=5.0, push=0.0):
    rear = wheel("rear wheel", 0.0, 0.3, 2.0, 0.0603, 0.12, speed, push)
    front = wheel("front wheel", 1.02, 0.35, 3.0, 0.1405, 0.28, speed, push)
    at, seat, head = (0.3, 0, 0.9), (0.25, 0, 0.8), (1.1 - 0.8 * np.tan(TILT), 0, 0.8)
    crank = (0.4, 0, 0.3)
    hub = rear.position
    bars = [(hub, crank), (crank, seat), (crank, head), (seat, head), (hub, seat)]
    chest = ch.Capsule(0.12, 0.4, position=(0.03, 0, 0.24), rotation=("y", 0.3), colour="blue")
    skull = ch.Sphere(0.11, position=(0.14, 0, 0.67), colour="wood")
    shapes = [chest, skull, *(tube(*ends, at, "red") for ends in bars)]
    inertia = [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]]
    frame = ch.Body("frame", 85.0, inertia, at, shapes=shapes, angular_velocity=(push, 0, 0))
    at, inertia = (0.9, 0, 0.7), [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
    bar = ch.Cylinder(0.015, 0.5, axis="y", position=(-0.1, 0, 0.25), colour="black")
    stem = tube(front.position, (0.8, 0, 0.95), at, "orange")
    fork = ch.Body("fork", 4.0, inertia, at, shapes=[stem, bar])
    joints = [
        ch.Revolute("rear hub", frame, rear, at=rear.position, axis="y"),
        ch.Revolute("head", frame, fork, at=head, axis=(np.sin(TILT), 0, -np.cos(TILT))),
        ch.Revolute("front hub", fork, front, at=front.position, axis="y"),
        ch.RollingDisc("rear road", ch.GROUND, rear, (0, 0, 0), "z", axis_b="y", radius=0.3),
        ch.RollingDisc("front road", ch.GROUND, front, (0, 0, 0), "z", axis_b="y", radius=0.35),
    ]
    return ch.Model([frame, fork, rear, front], joints)


def check(result):
    found = ch.linearise(build(), axes="world").eigenvalues
    missed = max(np.abs(found - value).min() for value in PUBLISHED)
    return "eigenvalues at 5 m/s, largest distance from the published, 1/s", missed, 0.0, 1e-9


def main(until=2.5, film="whipple_bicycle.html"):
    result = ch.simulate(build(push=0.5), until, 1e-3, stabilise="projection", save_every=4)
    result.animate(film, title="Whipple's bicycle", view=VIEW, follow="frame")
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
