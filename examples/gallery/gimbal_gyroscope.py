"""Gyroscope in gimbals: a spinning rotor in two rings, and a weight that does not fall.

The weight pulls the rotor's horizontal axle down; instead, the outer ring turns steadily at
m g l / (I spin), as torque is the rate of angular momentum (H. Goldstein, Classical Mechanics,
chapter 5; exact while the axle is horizontal).
"""

import chasles as ch

VIEW = (-35, 22)
MASS, ARM, SPIN = 0.3, 0.16, 100.0  # kg, m, rad/s
TURN = MASS * 9.81 * ARM / (0.5 * 1.0 * 0.09**2 * SPIN)  # rad/s; the rotor has 1 kg and 0.09 m

disc = ch.Cylinder(0.09, 0.03, axis="x", colour="brass")
rotor = ch.Body.solid("rotor", disc, mass=1.0, angular_velocity=(SPIN, 0, TURN))
hoop = ch.Ring(0.135, 0.125, 0.015, colour="red")
axle = ch.Cylinder(0.007, 0.25, axis="x", colour="steel")
inner = ch.Body.solid("inner ring", [hoop, axle], mass=0.2, angular_velocity=(0, 0, TURN))
hoop = ch.Ring(0.16, 0.15, 0.015, axis="x", colour="blue")
outer = ch.Body.solid("outer ring", hoop, mass=0.3)
weight = ch.Body.sphere("weight", 0.02, mass=MASS, position=(ARM, 0, 0))
joints = [
    ch.Revolute("stand", ch.GROUND, outer, at=(0, 0, -0.16), axis="z"),
    ch.Revolute("gimbal", outer, inner, at=(0, 0.14, 0), axis="y"),
    ch.Revolute("axle", inner, rotor, at=(0.13, 0, 0), axis="x"),
    ch.Fixed("hook", inner, weight),
]
model = ch.Model([outer, inner, rotor, weight], joints)

if __name__ == "__main__":
    result = ch.simulate(model, 6.0, 1e-3, save_every=5)
    result.animate("gimbal_gyroscope.html", title="Gyroscope in gimbals", view=VIEW)
