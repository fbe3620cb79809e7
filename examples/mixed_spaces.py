"""Every body in the space that suits it: a free satellite that unfolds an arm.

The satellite is framed at its centre of mass; each link of the arm is taken relative to its
carrier, one on SE(3), one on SO(3)xR3 framed on its joint.  The joints hold to rounding; linear and
angular momentum, which nothing from outside can change, hold as well as the method integrates.
"""

import numpy as np

import chasles as ch

satellite = ch.Body.box(
    "satellite", (1, 1, 1), mass=200, velocity=(0.3, 0, 0), angular_velocity=(0.2, 0.1, 0.4)
)
upper = ch.Body.rod("upper", length=2, radius=0.1, mass=10, position=(1.5, 0, 0))
lower = ch.Body.rod(
    "lower",
    length=1,
    radius=0.1,
    mass=5,
    axis="y",
    position=(2.5, 0.5, 0),
    angular_velocity=(0, 0, 2),
)
model = ch.Model(
    [satellite, upper, lower],
    [
        ch.Spherical("shoulder", satellite, upper, at=(0.5, 0, 0)),
        ch.Revolute("elbow", upper, lower, at=(2.5, 0, 0), axis=(0, 0, 1)),
    ],
    gravity=(0, 0, 0),
)
spaces = {
    "satellite": ch.SO3xR3(),
    "upper": ch.SE3(relative_to="satellite"),
    "lower": ch.SO3xR3(at="elbow", relative_to="upper"),
}
result = ch.simulate(model, until=10.0, step=5e-3, spaces=spaces)
for body, space in result.provenance["spaces"].items():
    print(f"{body:10} {space}")

for joint in model.joint_names:
    for part in ("translation", "rotation"):
        assert result.violation(joint, part=part).max() < 1e-12

momentum, spin, energy = result.momentum(), result.angular_momentum(), result.energy()
print(f"momentum off by {np.abs(momentum - momentum[0]).max():.0e} N s")
assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.linalg.norm(momentum[0])
assert np.abs(spin - spin[0]).max() < 1e-6 * np.linalg.norm(spin[0])
assert abs(energy - energy[0]).max() < 1e-6 * energy[0]
