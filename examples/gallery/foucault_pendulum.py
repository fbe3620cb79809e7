"""Foucault's pendulum: in Paris, on an Earth that turns once in 45 seconds.

In axes that turn with the Earth a Coriolis force -2 m Omega x v acts on the bob, here a formula of
our own.  The plane of swing turns clockwise at Omega sin(latitude) (L. Foucault, C. R. Acad. Sci.
32, 1851); wide swings as these take 3/8 of their squared amplitude over the length from it.
"""

import numpy as np

import chasles as ch

VIEW = (-60, 48)
LATITUDE, OMEGA, LENGTH, REACH = np.radians(48.85), 2 * np.pi / 45, 3.0, 0.4
NORTH, UP = OMEGA * np.cos(LATITUDE), OMEGA * np.sin(LATITUDE)  # x north, y west, z up
MASS = 28.0


def coriolis(t, position, rotation, velocity, angular_velocity):
    x, y, z = velocity
    return (2 * MASS * UP * y, -2 * MASS * (UP * x - NORTH * z), -2 * MASS * NORTH * y), (
        0.0,
        0.0,
        0.0,
    )


def build():
    place = np.array((REACH, 0, -np.sqrt(LENGTH**2 - REACH**2)))
    turn = ("y", -np.arcsin(REACH / LENGTH))
    shapes = [
        ch.Sphere(0.09, colour="brass"),
        ch.Cone(0.03, 0.1, position=(0, 0, -0.12), rotation=("x", np.pi), colour="brass"),
        ch.Rod(LENGTH, 0.006, axis="z", position=(0, 0, LENGTH / 2), colour="steel"),
    ]
    bob = ch.Body("bob", MASS, 3 * [0.4 * MASS * 0.09**2], place, turn, shapes=shapes)
    wire = ch.Spherical("wire", ch.GROUND, bob, at=(0, 0, 0))
    return ch.Model([bob], [wire], [ch.CustomForce("Coriolis", bob, coriolis, compiled=True)])


def check(result):
    (x, y, _), swings = result.position("bob").T, 2 * 2 * np.pi * np.sqrt(LENGTH / 9.81)
    path, t, end = x + 1j * y, result.t, result.t[-1] - swings
    first, last = (np.angle(np.sum(path[w] ** 2)) / 2 for w in (t < swings, t > end))
    turned = -UP * (1 - 3 / 8 * (REACH / LENGTH) ** 2) * end
    missed = (last - first - turned + np.pi / 2) % np.pi - np.pi / 2  # a plane has no sides
    return "turn of the plane of swing, rad", turned + missed, turned, 0.02


def main(until=45.0, film="foucault_pendulum.html"):
    result = ch.simulate(build(), until, 4e-3, save_every=5)
    result.animate(film, title="Foucault's pendulum", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
