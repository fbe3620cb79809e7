"""A nut that runs down a screw: constant acceleration g / (1 + I / (m h^2)).

With the pitch h in metres per radian the nut turns by 1/h per metre, so that falling also has to
spin it up: its inertia adds I / h^2 to its mass.
"""

import numpy as np

import chasles as ch

g, pitch = 9.81, 0.03
nut = ch.Body.cylinder("nut", radius=0.05, length=0.04, mass=0.7)
inertia = nut.inertia[2][2]
thread = ch.Helical("thread", ch.GROUND, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=pitch)
result = ch.simulate(ch.Model([nut], [thread]), until=2.0, step=1e-3)

acceleration = g / (1 + inertia / (nut.mass * pitch**2))
z, turns = result.position(nut)[:, 2], result.angular_velocity(nut)[:, 2]
print(f"after 2 s at z = {z[-1]:.6f} m, by hand {-acceleration * 2:.6f} m")
assert np.abs(z + 0.5 * acceleration * result.t**2).max() < 1e-9
assert np.abs(turns * pitch - result.velocity(nut)[:, 2]).max() < 1e-12  # right-handed thread
assert result.violation(thread).max() < 1e-12

# The thread carries what gravity does not turn into motion, and brakes the nut with f h.
force, torque = result.reaction(thread).on(nut)
assert np.abs(force[:, 2] - nut.mass * (g - acceleration)).max() < 1e-9
assert np.abs(torque[:, 2] + pitch * force[:, 2]).max() < 1e-9
