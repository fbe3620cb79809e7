"""Rolling coin: it leans inwards, runs round in a circle, and never falls.

A thin disc of radius a, tilted by t, rolls steadily if its turn W and its spin w about its own axis
obey 3/2 a w W cos t + 1/4 a W^2 sin t cos t = g sin t; its centre then runs round a circle of
radius a w / W (E. J. Routh, Dynamics of a System of Rigid Bodies, 1884).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 26)
RADIUS, TILT, TURN = 0.1, np.radians(25), 4.0
WEIGHT, LEAN = 9.81 * np.sin(TILT), RADIUS * TURN * np.cos(TILT)
SPIN = (WEIGHT - LEAN * TURN * np.sin(TILT) / 4) / (1.5 * LEAN)


def build():
    moments = 0.5 * RADIUS**2 * np.array((0.25, 0.5, 0.25))
    start = {
        "position": (0, 0, RADIUS * np.cos(TILT)),
        "rotation": ("x", TILT),
        "angular_velocity": (0, -SPIN, TURN * np.cos(TILT)),
    }
    rim = ch.Cylinder(RADIUS, 0.006, axis="y", colour="brass")
    mark = ch.Box((0.12, 0.008, 0.03), colour="copper")
    coin = ch.Body("coin", 0.5, moments, shapes=[rim, mark], **start)
    axle = (0, np.cos(TILT), np.sin(TILT))
    table = ch.RollingDisc("table", ch.GROUND, coin, (0, 0, 0), "z", axis_b=axle, radius=RADIUS)
    return ch.Model([coin], [table])


def check(result):
    across = np.ptp(result.position("coin")[:, 1])
    return "radius of the centre's circle, m", across / 2, RADIUS * SPIN / TURN, 1e-6


def main(until=6.0, film="rolling_coin.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection", save_every=5)
    result.animate(film, title="A coin that rolls in a circle", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
