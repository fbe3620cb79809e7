"""Every body in the space that suits it: a free satellite that unfolds an arm.

The satellite is on SO(3)xR3 at its centre of mass, the first link of the arm on SE(3) relative to
it, the second in the motion subgroup of its elbow; a camera that flies along is on absolute SE(3).
Subgroups and charts mix freely.  The joints hold to rounding, and so do linear and angular momentum
of the satellite with its arm, which nothing from outside can change.
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
camera = ch.Body.box(
    "camera", (0.2, 0.2, 0.3), mass=3, position=(0, 5, 0), velocity=(0.3, 0, 0),
    angular_velocity=(0.1, 0.5, 0.2),
)  # fmt: skip
model = ch.Model(
    [satellite, upper, lower, camera],
    [
        ch.Spherical("shoulder", satellite, upper, at=(0.5, 0, 0)),
        ch.Revolute("elbow", upper, lower, at=(2.5, 0, 0), axis=(0, 0, 1)),
    ],
    gravity=(0, 0, 0),
)
spaces = {
    "satellite": ch.SO3xR3(),
    "upper": ch.SE3(relative_to="satellite"),
    "lower": "subgroups",
    "camera": ch.SE3(),
}
result = ch.simulate(model, until=10.0, step=5e-3, spaces=spaces)
for body, space in result.provenance["spaces"].items():
    print(f"{body:10} {space}")
print(result.certificate("shoulder"))

for joint in model.joint_names:
    for part in ("translation", "rotation"):
        assert result.violation(joint, part=part).max() < 1e-12

masses = {body.name: body.mass for body in (satellite, upper, lower)}
momentum = sum(mass * result.velocity(name) for name, mass in masses.items())
path = np.linalg.norm(
    result.position("camera") - (0, 5, 0) - 0.3 * np.outer(result.t, (1, 0, 0)), axis=1
)
print(f"momentum of the satellite off by {np.abs(momentum - momentum[0]).max():.0e} N s")
print(f"the camera off its straight path by {path.max():.0e} m")  # the error of SE(3)
assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.linalg.norm(momentum[0])
assert path.max() < 1e-6
spin, energy = result.angular_momentum(), result.energy()
assert np.abs(spin - spin[0]).max() < 1e-6 * np.linalg.norm(spin[0])
assert abs(energy - energy[0]).max() < 1e-6 * energy[0]
