"""An arm that a driver swings upright: the torque it takes, and where the work goes.

The driver prescribes the shoulder's angle; the elbow hangs on a spring and damper.
"""

import numpy as np

import chasles as ch

upper = ch.Body.rod("upper", 0.5, mass=2, position=(0.25, 0, 0))
lower = ch.Body.rod("lower", 0.4, mass=1, position=(0.7, 0, 0))
swing = ch.Signal.ramp(-np.pi / 2, duration=1.0)  # rad about +y: a quarter turn, up
model = ch.Model(
    [upper, lower],
    [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0)),
        ch.Revolute("elbow", upper, lower, at=(0.5, 0, 0), axis=(0, 1, 0)),
    ],
    forces=[ch.TorsionSpring("tendon", "elbow", stiffness=40.0, damping=1.0)],
    drivers=[ch.Driver("swing", "shoulder", swing)],
)
result = ch.simulate(model, until=3.0, step=1e-3, stabilise="projection")

angle, torque = result.coordinate("shoulder"), result.effort("swing")
print(
    f"shoulder at {np.degrees(angle[-1]):.3f} degrees, torque at most {abs(torque).max():.1f} N m"
)
assert abs(angle - swing.values(result.t)).max() < 1e-10

driver, damper = result.work("swing")[-1], result.work("tendon")[-1]
print(f"work of the driver {driver:.3f} J, of the damper {damper:.3f} J")
balance = abs(result.energy_balance()).max()
print(f"energy gained less work supplied: at most {balance:.0e} J")
assert balance < 1e-7
assert damper < 0 < driver

# The driver's effort is the reaction about its joint's axis: its power adds up to its work.
power = torque * result.coordinate_rate("shoulder")
assert abs(np.trapezoid(power, result.t) - driver) < 1e-3
