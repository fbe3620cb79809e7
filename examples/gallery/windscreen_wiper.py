"""Windscreen wiper: a crank that turns round and round moves a blade to and fro.

The angles a of the crank and b of the rocker obey k1 cos b - k2 cos a + k3 = cos(a - b), with
constants from the four lengths (F. Freudenstein, Trans. ASME 76, 1954).
"""

import numpy as np

import chasles as ch

VIEW = (-76, 14)
CRANK, COUPLER, ROCKER, BASE, SPEED = 0.08, 0.36, 0.14, 0.36, 5.0  # m, rad/s


def rocker_pin():
    """Where circles about the crank's pin and the rocker's axis meet, the crank along x."""
    span = BASE - CRANK
    along = (span**2 + COUPLER**2 - ROCKER**2) / (2 * span)
    return np.array((CRANK + along, 0, np.sqrt(COUPLER**2 - along**2)))


def build():
    a, b, c, d = np.zeros(3), np.array((CRANK, 0, 0)), rocker_pin(), np.array((BASE, 0, 0))
    disc = ch.Cylinder(0.1, 0.01, axis="y", position=(0, 0.02, 0), colour="steel")
    crank = ch.Body.solid("crank", disc, mass=0.5, angular_velocity=(0, -SPEED, 0))
    coupler = ch.Body.rod("coupler", mass=0.3, radius=0.008, between=(b, c))
    stem = ch.Body.rod("stem", mass=0.3, radius=0.01, between=(d, d + 5 * (c - d)))
    place = {"position": d + 4 * (c - d) - (0, 0.02, 0), "rotation": stem.rotation}
    rubber = ch.Body.box("rubber", (0.5, 0.02, 0.03), mass=0.2, **place)
    wiper = ch.Body.composite("wiper", [stem, rubber])
    joints = [
        ch.Revolute("motor", ch.GROUND, crank, at=a, axis=(0, -1, 0)),
        ch.Revolute("crank pin", crank, coupler, at=b, axis="y"),
        ch.Revolute("rocker pin", coupler, wiper, at=c, axis="y"),
        ch.Revolute("spindle", ch.GROUND, wiper, at=d, axis=(0, -1, 0)),
    ]
    drive = ch.Driver("battery", "motor", ch.Signal.linear(SPEED))
    return ch.Model([crank, coupler, wiper], joints, drivers=[drive])


def check(result):
    x, _, z = rocker_pin() - (BASE, 0, 0)
    a, b = result.coordinate("motor"), np.arctan2(z, x) + result.coordinate("spindle")
    k1, k2 = BASE / CRANK, BASE / ROCKER
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + BASE**2) / (2 * CRANK * ROCKER)
    left = k1 * np.cos(b) - k2 * np.cos(a) + k3 - np.cos(a - b)
    return "what is left of Freudenstein's equation", np.abs(left).max(), 0.0, 1e-9


def main(until=8.0, film="windscreen_wiper.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=4)
    result.animate(film, title="Windscreen wiper", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
