"""Dzhanibekov's effect: a wing nut that spins in space turns over, again and again.

Spin about the middle axis of inertia is unstable.  Euler's equations are solved by Jacobi's
elliptic functions: the spin crosses zero every 2 K(m) / rate (L. D. Landau, E. M. Lifshitz,
Mechanics, section 37).
"""

import numpy as np
from scipy.special import ellipk

import chasles as ch

VIEW = (-62, 20)
SPIN, NUDGE = 8.0, 0.02  # rad/s, about the middle and the largest axis


def build():
    wings = [ch.Cylinder(0.025, 0.012, position=(x, 0, 0), colour="red") for x in (-0.08, 0.08)]
    bar = ch.Box((0.16, 0.02, 0.01), colour="red")
    stem = ch.Cylinder(0.012, 0.08, axis="y", position=(0, 0.04, 0), colour="brass")
    start = {"position": (0, 0, 0), "angular_velocity": (0, SPIN, NUDGE)}
    nut = ch.Body.solid("nut", [bar, stem, *wings], density=8500, **start)
    return ch.Model([nut], gravity=(0, 0, 0))


def check(result):
    one, two, three = np.diag(result.model.body("nut").inertia)  # of growing size
    energy = two * SPIN**2 + three * NUDGE**2  # twice the kinetic energy
    square = (two * SPIN) ** 2 + (three * NUDGE) ** 2  # of the angular momentum
    rate = np.sqrt((three - two) * (square - energy * one) / (one * two * three))
    m = (two - one) * (energy * three - square) / ((three - two) * (square - energy * one))
    spin, t = result.angular_velocity("nut")[:, 1], result.t
    before = np.flatnonzero(spin[1:] * spin[:-1] < 0)
    zeros = t[before] - spin[before] * (t[before + 1] - t[before]) / (
        spin[before + 1] - spin[before]
    )
    return "time between two turns, s", np.diff(zeros).mean(), 2 * ellipk(m) / rate, 1e-4


def main(until=12.0, film="tennis_racket.html"):
    result = ch.simulate(build(), until, 1e-3, save_every=8)
    result.animate(film, title="The wing nut that turns over", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
