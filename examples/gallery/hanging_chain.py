"""Hanging chain: 18 rods are let go, swing, and hang as a catenary of rods.

At rest every rod is steeper than the one before by the same step of its slope: its weight over the
horizontal pull (Jacob Bernoulli's funicular polygon, 1690; moments about the end of a rod).
"""

import numpy as np

import chasles as ch

VIEW = (-80, 10)
COUNT, LINK, MASS = 18, 0.1, 0.2  # -, m, kg


def build():
    angles = np.linspace(-1.9, 1.9, COUNT)
    steps = LINK * np.column_stack((np.cos(angles), 0 * angles, np.sin(angles)))
    ends = np.vstack((np.zeros(3), np.cumsum(steps, axis=0)))
    links = [
        ch.Body.rod(f"link {k}", mass=MASS, radius=0.015, between=(ends[k], ends[k + 1]))
        for k in range(COUNT)
    ]
    chain = [ch.GROUND, *links, ch.GROUND]
    pins = [
        ch.Revolute(f"pin {k}", chain[k], chain[k + 1], at=ends[k], axis="y")
        for k in range(COUNT + 1)
    ]
    air = [ch.Drag(f"air {link.name}", link, linear=0.1) for link in links]
    return ch.Model(links, pins, air)


def check(result):
    rest = ch.equilibrium(result.model)
    along = rest.state.rotation[:, :, 0]
    slopes, pull = along[:, 2] / along[:, 0], rest.reaction("pin 0").force[0, 0]
    missed = np.abs(np.diff(slopes) - MASS * 9.81 / abs(pull)).max()
    return "step of the slopes, largest difference to weight / pull", missed, 0.0, 1e-6


def main(until=6.0, film="hanging_chain.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=4)
    result.animate(film, title="A hanging chain", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
