"""Delta robot: three motors in the base move a platform that can never tilt.

Six rods in three parallel pairs keep the platform level (R. Clavel, US patent 4976582, 1990).  The
motors get the closed inverse kinematics of a path as Python functions: an arm of length L at the
angle q meets its rod of length l where (elbow - wrist)^2 = l^2, which is p cos q + s sin q = c.
"""

import numpy as np

import chasles as ch

VIEW = (-50, 12)
BASE, PLATE, ARM, ROD, HALF = 0.18, 0.06, 0.22, 0.48, 0.04  # m
OUT = [np.array((np.cos(a), np.sin(a), 0)) for a in 2 * np.pi / 3 * np.arange(3)]
SIDE = [np.array((-np.sin(a), np.cos(a), 0)) for a in 2 * np.pi / 3 * np.arange(3)]
UP = np.array((0, 0, 1))


def path(t):
    """A heart-shaped round trip that starts and ends gently."""
    a = 2 * np.pi * t - np.sin(2 * np.pi * t)
    x, y, z = 0.1 * np.sin(a), 0.1 * (1 - np.cos(a)) - 0.05, -0.42 + 0.04 * np.sin(2 * a)
    return np.stack((x, y, z), axis=-1)


def angle(k, t):
    """Of the arm above the horizontal, as the rod's length demands."""
    wrist = path(t) + PLATE * OUT[k] - BASE * OUT[k]
    p, s, aside = (2 * ARM * (wrist @ v) for v in (OUT[k], UP, SIDE[k]))
    c = ARM**2 + np.sum(wrist**2, axis=-1) - ROD**2
    return np.arctan2(s, p) + np.arccos(c / np.hypot(p, s))


def build():
    centre = path(0.0)
    disc = ch.Cylinder(0.08, 0.012, position=centre, colour="red")
    tool = ch.Cone(0.02, 0.06, rotation=("x", np.pi), position=centre - 0.03 * UP, colour="steel")
    bodies, joints, drivers = [ch.Body.solid("plate", [disc, tool], mass=0.3)], [], []
    for k, (out, side) in enumerate(zip(OUT, SIDE)):
        q = angle(k, 0.0)
        shoulder = BASE * out
        elbow = shoulder + ARM * (np.cos(q) * out + np.sin(q) * UP)
        arm = ch.Body.rod(f"arm {k}", mass=0.4, radius=0.014, between=(shoulder, elbow))
        bodies.append(arm)
        joints.append(ch.Revolute(f"motor {k}", ch.GROUND, arm, at=shoulder, axis=-side))
        drivers.append(ch.Driver(f"drive {k}", f"motor {k}", lambda t, k=k, q=q: angle(k, t) - q))
        for name, shift in (("left", HALF * side), ("right", -HALF * side)):
            wrist = centre + PLATE * out + shift
            joints.append(ch.Distance(f"{name} rod {k}", arm, "plate", elbow + shift, wrist))
    return ch.Model(bodies, joints, drivers=drivers)


def check(result):
    missed = np.abs(
        result.position("plate") - result.position("plate")[0] - path(result.t) + path(0.0)
    )
    return "largest distance of the platform from its path, m", missed.max(), 0.0, 1e-9


def main(until=3.0, film="delta_robot.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection of all joints", save_every=2)
    result.animate(film, title="Delta robot", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
