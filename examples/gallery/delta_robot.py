"""Delta robot: three motors in the base move a platform that can never tilt.

Six rods in three parallel pairs keep the platform level (R. Clavel, US patent 4976582, 1990).  The
motors follow the closed inverse kinematics of a path, as Python functions: the angle q of an arm
solves p cos q + s sin q = c, which says that its rods are as long as they are.
"""

import numpy as np

import chasles as ch

VIEW = (-50, 14)
BASE, PLATE, ARM, ROD, HALF = 0.18, 0.06, 0.22, 0.48, 0.04  # m; pairs of rods are 2 HALF apart
ANGLES, UP = 2 * np.pi / 3 * np.arange(3), np.array((0, 0, 1))
OUT = [np.array((np.cos(a), np.sin(a), 0)) for a in ANGLES]


def path(t):
    """Once round in a second, from rest to rest."""
    a = 2 * np.pi * t - np.sin(2 * np.pi * t)
    x, y, z = 0.1 * np.sin(a), 0.1 * np.cos(a), -0.42 + 0.04 * np.sin(2 * a)
    return np.stack((x, y, z), axis=-1)


def angle(k, t):
    """Of arm k above the horizontal."""
    wrist = path(t) + (PLATE - BASE) * OUT[k]  # seen from the shoulder
    p, s = 2 * ARM * (wrist @ OUT[k]), 2 * ARM * (wrist @ UP)
    c = ARM**2 + np.sum(wrist**2, axis=-1) - ROD**2
    return np.arctan2(s, p) + np.arccos(c / np.hypot(p, s))


def build():
    centre = path(0.0)
    base = ch.Body.solid("base", ch.Ring(0.2, 0.16, 0.02, colour="grey"), mass=5)
    plate = ch.Body("plate", 0.3, (5e-4, 5e-4, 1e-3), centre, shapes=[
        ch.Cylinder(0.08, 0.012, colour="red"),
        ch.Cone(0.02, 0.06, rotation=("x", np.pi), position=(0, 0, -0.03), colour="steel"),
    ])  # fmt: skip
    bodies, joints, drivers = [base, plate], [ch.Fixed("ceiling", ch.GROUND, base)], []
    for k, out in enumerate(OUT):
        q, side, shoulder = angle(k, 0.0), np.cross(UP, out), BASE * out
        elbow = shoulder + ARM * (np.cos(q) * out + np.sin(q) * UP)
        arm = ch.Body.rod(f"arm {k}", mass=0.4, radius=0.014, between=(shoulder, elbow))
        bodies.append(arm)
        joints.append(ch.Revolute(f"motor {k}", base, arm, at=shoulder, axis=-side))
        drivers.append(ch.Driver(f"drive {k}", f"motor {k}", lambda t, k=k, q=q: angle(k, t) - q))
        for name, shift in (("left", HALF * side), ("right", -HALF * side)):
            wrist = centre + PLATE * out + shift
            joints.append(ch.Distance(f"{name} rod {k}", arm, plate, elbow + shift, wrist))
    return ch.Model(bodies, joints, drivers=drivers)


def check(result):
    missed = np.abs(result.position("plate") - path(result.t)).max()
    return "largest distance of the platform from its path, m", missed, 0.0, 1e-9


def main(until=3.0, film="delta_robot.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection of all joints", save_every=2)
    result.animate(film, title="Delta robot", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
