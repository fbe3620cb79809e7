"""Swashplate: a tilted plate turns with its shaft and pushes seven pistons to and fro.

A piston at the angle a and the distance R from the shaft touches the plate, tilted by the angle t,
at the height R tan t cos(turn - a): every piston moves as a pure sine (plane geometry).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 20)
TILT, REACH, COUNT = np.radians(18), 0.1, 7
ANGLES = 2 * np.pi / COUNT * np.arange(COUNT)


def build():
    disc = ch.Cylinder(0.15, 0.016, rotation=("y", TILT), colour="brass")
    shaft = ch.Cylinder(0.02, 0.16, position=(0, 0, -0.08), colour="steel")
    plate = ch.Body.solid("plate", [disc, shaft], density=7850, angular_velocity=(0, 0, 12))
    normal = (np.sin(TILT), 0, np.cos(TILT))
    bodies = [plate]
    joints = [ch.Revolute("bearing", ch.GROUND, plate, at=(0, 0, -0.16), axis="z")]
    for k, a in enumerate(ANGLES):
        x, y = REACH * np.cos(a), REACH * np.sin(a)
        tip = np.array((x, y, -x * np.tan(TILT)))
        stem = ch.Cylinder(0.008, 0.1, position=tip + (0, 0, 0.06), colour="steel")
        crown = ch.Cylinder(0.03, 0.06, position=tip + (0, 0, 0.13), colour="blue")
        shoe = ch.Sphere(0.012, position=tip, colour="red")
        piston = ch.Body.solid(f"piston {k}", [stem, crown, shoe], mass=0.5)
        bodies.append(piston)
        joints.append(ch.Prismatic(f"cylinder {k}", ch.GROUND, piston, axis="z"))
        joints.append(ch.PointOnPlane(f"shoe {k}", plate, piston, at=tip, axis=normal))
    return ch.Model(bodies, joints)


def check(result):
    turn = result.coordinate("bearing")
    sines = [-REACH * np.tan(TILT) * (np.cos(turn - a) - np.cos(a)) for a in ANGLES]
    moved = [result.coordinate(f"cylinder {k}") for k in range(COUNT)]
    missed = np.abs(np.subtract(moved, sines)).max()
    return "strokes, largest difference to the sine, m", missed, 0.0, 1e-9


def main(until=3.0, film="swashplate.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection", save_every=4)
    result.animate(film, title="Swashplate", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
