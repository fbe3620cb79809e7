"""Four-cylinder engine: with its flywheel, from the starter's push to its steady speed.

The gas pushes a piston down with a constant force and leaves on its way up; a fan takes a torque
c w^2.  A steady turn does no net work: 4 F stroke = 2 pi c w^2, w^2 the mean over the angle.
"""

from math import cos, pi, sin, sqrt, tanh

import numpy as np

import chasles as ch

VIEW = (-52, 18)
CRANK, ROD, FORCE, FAN = 0.04, 0.14, 400.0, 2e-3  # m, m, N, N m s^2


def gas(t, position, rotation, velocity, angular_velocity):
    return (0.0, 0.0, -0.5 * FORCE * (1.0 - tanh(velocity[2] / 0.02))), (0.0, 0.0, 0.0)


def build(angle=0.7):
    wheel = ch.Cylinder(0.12, 0.03, axis="x", position=(-0.09, 0, 0), colour="steel")
    shapes, bodies, joints, forces = [wheel], [], [], []
    for k, side in enumerate((1, -1, -1, 1)):
        x, y, z = 0.1 * k, -side * CRANK * sin(angle), side * CRANK * cos(angle)
        pin, top = (x, y, z), (x, 0, z + sqrt(ROD**2 - y**2))
        for radius, at in ((0.014, pin), (0.05, (x - 0.03, 0, 0)), (0.05, (x + 0.03, 0, 0))):
            length = 0.07 if at is pin else 0.012
            shapes.append(ch.Cylinder(radius, length, axis="x", position=at, colour="red"))
        rod = ch.Body.rod(f"rod {k}", mass=0.4, radius=0.009, between=(pin, top))
        piston = ch.Body.cylinder(f"piston {k}", 0.038, 0.05, mass=0.4, position=top)
        bodies += [rod, piston]
        joints.append(ch.Spherical(f"big end {k}", "crank", rod, at=pin))
        joints.append(ch.Cylindrical(f"small end {k}", rod, piston, at=top, axis="x"))
        joints.append(ch.Prismatic(f"cylinder {k}", ch.GROUND, piston, axis="z"))
        forces.append(ch.CustomForce(f"gas {k}", piston, gas, compiled=True))
    crank = ch.Body.solid("crank", shapes, density=7850, angular_velocity=(20, 0, 0))
    bearing = ch.Revolute("bearing", ch.GROUND, crank, at=(0, 0, 0), axis="x")
    fan = ch.Drag("fan", crank, angular_quadratic=FAN)
    return ch.Model([crank, *bodies], [bearing, *joints], [fan, *forces])


def check(result):
    angle, speed = result.coordinate("bearing"), result.coordinate_rate("bearing")
    last = angle > angle[-1] - 8 * pi
    mean = np.trapezoid(speed[last] ** 2, angle[last]) / np.ptp(angle[last])
    return "steady speed, rad/s", sqrt(mean), sqrt(4 * FORCE * 2 * CRANK / (2 * pi * FAN)), 0.1


def main(until=4.0, film="engine.html"):
    result = ch.simulate(build(), until, 2e-4, stabilise="projection", save_every=10)
    result.animate(film, title="Four cylinders and a flywheel", view=VIEW)
    return result


if __name__ == "__main__":
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(main())))
