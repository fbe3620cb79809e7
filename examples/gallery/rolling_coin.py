"""A coin that rolls in a circle, leaning inwards, and never falls.

A thin disc at the tilt t from the vertical rolls steadily if its turn W and its spin w obey
(3/2) a w W cos t + (1/4) a W^2 sin t cos t = g sin t (E. J. Routh, 1884); its centre then runs round
a circle of radius a w / W.
"""

import numpy as np

import chasles as ch

VIEW = (-60, 26)
RADIUS, TILT, TURN = 0.1, np.radians(25), 4.0
SPIN = (9.81 * np.sin(TILT) - RADIUS * TURN**2 * np.sin(TILT) * np.cos(TILT) / 4) / (
    1.5 * RADIUS * TURN * np.cos(TILT)
)


def build():
    lean = np.array([(1, 0, 0), (0, np.cos(TILT), -np.sin(TILT)), (0, np.sin(TILT), np.cos(TILT))])
    shapes = [
        ch.Cylinder(RADIUS, 0.006, axis="y", colour="brass"),
        ch.Box((0.12, 0.008, 0.03), colour="copper"),
    ]
    omega = TURN * lean[2] * (1, 0, 1) + (0, -SPIN, 0)
    coin = ch.Body(
        "coin",
        0.5,
        np.multiply(0.5 * RADIUS**2, (1 / 4, 1 / 2, 1 / 4)),
        position=(0, 0, RADIUS * np.cos(TILT)),
        rotation=lean,
        angular_velocity=omega,
        shapes=shapes,
    )
    road = ch.RollingDisc(
        "table", ch.GROUND, coin, (0, 0, 0), "z", axis_b=lean[:, 1], radius=RADIUS
    )
    return ch.Model([coin], [road])


def check(result):
    across = np.ptp(result.position("coin")[:, 1])
    return "radius of the centre's circle, m", across / 2, RADIUS * SPIN / TURN, 1e-6


def main(until=6.0, film="rolling_coin.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection", save_every=5)
    result.animate(film, title="A coin that rolls in a circle", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
