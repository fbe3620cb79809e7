"""Four-cylinder engine: with its flywheel, from the starter's push to its steady speed.

The gas pushes a piston down with a constant force and leaves on its way up; a fan takes a torque
c w^2.  A steady turn does no net work: 4 F stroke = 2 pi c w^2, w^2 the mean over the angle.
"""

from math import cos, sin, sqrt, tanh

import chasles as ch

VIEW = (-52, 18)
CRANK, ROD, FORCE, FAN, START = 0.04, 0.14, 400.0, 2e-3, 0.7  # m, m, N, N m s^2, rad


def gas(t, position, rotation, velocity, angular_velocity):
    return (0.0, 0.0, -0.5 * FORCE * (1.0 - tanh(velocity[2] / 0.02))), (0.0, 0.0, 0.0)


shapes = [ch.Cylinder(0.12, 0.03, axis="x", position=(-0.09, 0, 0), colour="steel")]
bodies, joints = [], [ch.Revolute("bearing", ch.GROUND, "crank", at=(0, 0, 0), axis="x")]
for k, side in enumerate((1, -1, -1, 1)):
    x, y, z = 0.1 * k, -side * CRANK * sin(START), side * CRANK * cos(START)
    pin, top = (x, y, z), (x, 0, z + sqrt(ROD**2 - y**2))
    shapes.append(ch.Cylinder(0.014, 0.07, axis="x", position=pin, colour="red"))
    webs = [(x - 0.03, 0, 0), (x + 0.03, 0, 0)]
    shapes += [ch.Cylinder(0.05, 0.012, axis="x", position=at, colour="red") for at in webs]
    bodies.append(ch.Body.rod(f"rod {k}", mass=0.4, radius=0.009, between=(pin, top)))
    bodies.append(ch.Body.cylinder(f"piston {k}", 0.038, 0.05, mass=0.4, position=top))
    joints.append(ch.Spherical(f"big end {k}", "crank", f"rod {k}", at=pin))
    joints.append(ch.Cylindrical(f"small end {k}", f"rod {k}", f"piston {k}", at=top, axis="x"))
    joints.append(ch.Prismatic(f"cylinder {k}", ch.GROUND, f"piston {k}", axis="z"))
bodies.append(ch.Body.solid("crank", shapes, density=7850, angular_velocity=(20, 0, 0)))
forces = [ch.CustomForce(f"gas {k}", f"piston {k}", gas, compiled=True) for k in range(4)]
model = ch.Model(bodies, joints, [ch.Drag("fan", "crank", angular_quadratic=FAN), *forces])

if __name__ == "__main__":
    result = ch.simulate(model, 4.0, 2e-4, stabilise="projection", save_every=10)
    result.animate("engine.html", title="Four cylinders and a flywheel", view=VIEW)
