"""Lagrange's top: released with its axle at rest, it falls, nods and goes round: cusped precession.

Energy and two momenta leave one equation for u, the cosine of the tilt: it swings between the
start u0 and the root u1 of a cubic's quadratic factor (H. Goldstein, Classical Mechanics, 5.7).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 16)
MASS, ARM, ACROSS, ALONG, SPIN = 0.5, 0.08, 4e-4, 6e-4, 180.0  # ACROSS about the centre of mass
TILT = np.radians(35)


def build():
    turn = np.array([(np.cos(TILT), 0, np.sin(TILT)), (0, 1, 0), (-np.sin(TILT), 0, np.cos(TILT))])
    shapes = [
        ch.Cylinder(0.05, 0.015, colour="red"),
        ch.Cylinder(0.006, 0.13, colour="steel"),
        ch.Cone(0.02, 0.04, position=(0, 0, -0.07), rotation=("x", np.pi), colour="brass"),
        ch.Box((0.03, 0.008, 0.004), position=(0.03, 0, 0.009), colour="white"),
    ]
    top = ch.Body("top", MASS, (ACROSS, ACROSS, ALONG), ARM * turn[:, 2], turn,
                  angular_velocity=(0, 0, SPIN), shapes=shapes)  # fmt: skip
    return ch.Model([top], [ch.Spherical("tip", ch.GROUND, top, at=(0, 0, 0))])


def check(result):
    u0, moment = np.cos(TILT), ACROSS + MASS * ARM**2
    p = (ALONG * SPIN) ** 2 / (2 * moment * MASS * 9.81 * ARM)  # of 1 - u^2 = p (u0 - u)
    lowest = result.rotation("top")[:, 2, 2].min()
    return "lowest cosine of the tilt", lowest, (p - np.sqrt(p**2 - 4 * (p * u0 - 1))) / 2, 1e-5


def main(until=3.0, film="heavy_top.html"):
    result = ch.simulate(build(), until, 5e-4, save_every=4)
    result.animate(film, title="Lagrange's top", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
