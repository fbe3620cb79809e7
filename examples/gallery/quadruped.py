"""Quadruped: it trots on four legs, driven at hips and knees by Python functions of time."""

import numpy as np

import chasles as ch

VIEW = (-62, 12)


def ground(t, position, rotation, velocity, angular_velocity):
    """What holds a foot: a stiff damped spring, and friction."""
    up = max(0.0, 8e3 * (0.035 - position[2]) - 200.0 * velocity[2]) * (position[2] < 0.035)
    slow = -0.8 * up * np.tanh(velocity[0] / 0.05), -0.8 * up * np.tanh(velocity[1] / 0.05)
    return (slow[0], slow[1], up), (0.0, 0.0, 0.0)


def servo(joint, k, t):
    begin, angle = 1 - np.exp(-((t / 0.4) ** 4)), 2 * np.pi * 2.6 * t + np.pi * (k in (1, 2))
    bend = 0.7 + 0.4 * (0.5 - 0.5 * np.cos(angle)) ** 2
    return begin * (bend if joint == "knee" else 0.15 * np.sin(angle) - bend / 2)


model = ch.Model([ch.Body.box("trunk", (0.7, 0.3, 0.12), mass=12, position=(0, 0, 0.66))])
for k, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
    hip, knee, ankle = (x, y, 0.635), (x, y, 0.335), (x, y, 0.035)
    thigh = ch.Body.rod(f"thigh {k}", mass=1, radius=0.03, between=(hip, knee))
    shank = ch.Body.rod(f"shank {k}", mass=0.4, radius=0.02, between=(knee, ankle))
    foot = ch.Body.sphere(f"foot {k}", 0.035, mass=0.1, position=ankle)
    push = ch.CustomForce(f"ground {k}", foot, ground, compiled=True)
    model = model.with_parts([thigh, shank, foot], [ch.Fixed(f"ankle {k}", shank, foot)], [push])
    for name, above, below, at in (("hip", "trunk", thigh, hip), ("knee", thigh, shank, knee)):
        hinge = ch.Revolute(f"{name} {k}", above, below, at, axis="y")
        act = ch.Driver(f"{name} servo {k}", hinge, lambda t, j=name, k=k: servo(j, k, t))
        model = model.with_parts(joints=[hinge], drivers=[act])

if __name__ == "__main__":
    result = ch.simulate(model, 4.0, 5e-4, save_every=4)
    result.animate("quadruped.html", title="A quadruped that trots", view=VIEW)
