"""Reactions are physical: the conical pendulum, and Newton's law along any motion.

A bob that circles at the angle alpha from the vertical, at the rate sqrt(g / (l cos alpha)), pulls
its pivot with m g / cos alpha, along the string.
"""

from math import cos, sin, sqrt

import numpy as np

import chasles as ch

g, length, mass, alpha = 9.81, 0.8, 2.0, 0.6
rate = sqrt(g / (length * cos(alpha)))

# The string is massless and the bob nearly a point; it keeps its face to the pivot.
bob = ch.Body.sphere(
    "bob",
    radius=1e-3,
    mass=mass,
    position=(length * sin(alpha), 0, -length * cos(alpha)),
    angular_velocity=(0, 0, rate),
)
pivot = ch.Spherical("pivot", ch.GROUND, bob, at=(0, 0, 0))
result = ch.simulate(ch.Model([bob], [pivot]), until=2.0, step=1e-3)

reaction = result.reaction(pivot)
force, torque = reaction.on(bob)
string = -result.position(bob) / length
print(f"tension {np.linalg.norm(force[-1]):.6f} N, by hand {mass * g / cos(alpha):.6f} N")
assert np.abs(force - mass * g / cos(alpha) * string).max() < 1e-3
assert np.abs(torque).max() < 1e-9  # a ball joint transmits none
assert np.abs(reaction.on(ch.GROUND)[0] + force).max() == 0.0

# Newton: m a = m g + f, with the acceleration from the motion itself, by central differences.
step = result.t[1] - result.t[0]
velocity = result.velocity(bob)
acceleration = (velocity[2:] - velocity[:-2]) / (2 * step)
assert np.abs(mass * acceleration - (mass * np.array([0, 0, -g]) + force[1:-1])).max() < 1e-3
