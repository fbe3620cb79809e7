"""Scissor lift: a screw at the bottom pulls three crossed pairs of bars together, and they rise.

Heights are as the sine of the bars' angle, the way of the screw as its cosine.  By virtual work the
screw must pull with the sum of all weights, each times its height in stages, times the cotangent.
"""

import numpy as np

import chasles as ch

VIEW = (-66, 12)
BAR, STAGES, LOW, HIGH = 1.0, 3, np.radians(15), np.radians(50)  # m, -, rad, rad
LOAD, MASS = 200.0, 5.0  # kg, of the platform and of a bar
WIDE, TALL = BAR * np.cos(LOW), BAR * np.sin(LOW)


def pin(name, a, b, x, level):
    return ch.Revolute(name, a, b, at=(x, 0, level * TALL), axis="y")


def build():
    bodies, joints = [], []
    for k in range(STAGES):
        for name, y, low, high in (("up", -0.03, k, k + 1), ("down", 0.03, k + 1, k)):
            ends = ((0, y, low * TALL), (WIDE, y, high * TALL))
            bodies.append(ch.Body.rod(f"{name} {k}", mass=MASS, radius=0.018, between=ends))
        joints.append(pin(f"cross {k}", f"up {k}", f"down {k}", WIDE / 2, k + 0.5))
        if k > 0:
            joints.append(pin(f"left {k}", f"down {k - 1}", f"up {k}", 0, k))
            joints.append(pin(f"right {k}", f"up {k - 1}", f"down {k}", WIDE, k))
    top = STAGES * TALL
    deck = ch.Body.box("deck", (1.1, 0.4, 0.05), mass=LOAD, position=(WIDE / 2, 0, top + 0.045))
    nut = ch.Body.box("nut", (0.08, 0.1, 0.06), mass=1.0, position=(WIDE, 0, 0))
    joints += [
        ch.Prismatic("screw", ch.GROUND, nut, axis=(-1, 0, 0)),
        pin("foot", ch.GROUND, "up 0", 0, 0),
        pin("nut pin", nut, "down 0", WIDE, 0),
        pin("deck pin", f"down {STAGES - 1}", deck, 0, STAGES),
        ch.PointOnPlane("roller", deck, f"up {STAGES - 1}", at=(WIDE, 0, top), axis="z"),
    ]
    motion = ch.Signal.ramp(BAR * (np.cos(LOW) - np.cos(HIGH)), duration=3.0)
    return ch.Model([*bodies, deck, nut], joints, drivers=[ch.Driver("motor", "screw", motion)])


def check(result):
    stages = LOAD * STAGES + sum(2 * MASS * (k + 0.5) for k in range(STAGES))
    pull = result.effort("motor")[-1]
    return "pull of the screw at the top, N", pull, stages * 9.81 / np.tan(HIGH), 1e-3


def main(until=4.0, film="scissor_lift.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=5)
    result.animate(film, title="Scissor lift", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
