"""Stewart platform: six legs of changing length carry a plate through any motion in space.

Legs are driven to be as long as their ends are to be apart (D. Stewart, Proc. IMechE 180, 1965).
"""

import numpy as np

import chasles as ch

VIEW = (-60, 20)
ANGLES = np.radians([(-12, 12, 108, 132, 228, 252), (-48, 48, 72, 168, 192, 288)])
FEET, HIPS = (r * np.array([np.cos(a), np.sin(a), 0 * a]).T for r, a in zip((1, 0.6), ANGLES))


def course(t, u=0.0, v=0.0, _=0.0):  # of a point of the plate
    x, y, z, pitch = (a * np.sin(n * t) ** 2 for a, n in zip((0.2, 0.2, 0.15, 0.3), (2, 1, 3, 2)))
    return np.stack((x + u * np.cos(pitch), y + v, 1 + z - u * np.sin(pitch)), axis=-1)


def length(k, t):
    return np.linalg.norm(course(t, *HIPS[k]) - FEET[k], axis=-1)


plate = ch.Cylinder(0.7, 0.06, position=course(0.0), colour="orange")
model = ch.Model([ch.Body.solid("plate", plate, mass=50)])
for k, (foot, hip) in enumerate(zip(FEET, HIPS + course(0.0))):
    way, side = hip - foot, np.cross(hip - foot, (0, 0, 1))
    low = ch.Body.rod(f"low {k}", mass=4, radius=0.045, between=(foot, foot + 0.55 * way))
    high = ch.Body.rod(f"high {k}", mass=2, radius=0.025, between=(foot + 0.45 * way, hip))
    ankle = ch.Universal(f"foot {k}", ch.GROUND, low, foot, side, np.cross(way, side))
    leg = ch.Prismatic(f"leg {k}", low, high, axis=way)
    ball = ch.Spherical(f"hip {k}", high, "plate", at=hip)
    jack = ch.Driver(f"jack {k}", leg, lambda t, k=k: length(k, t) - length(k, 0.0))
    model = model.with_parts([low, high], [ankle, leg, ball], drivers=[jack])

if __name__ == "__main__":
    result = ch.simulate(model, 2 * np.pi, 5e-3, stabilise="projection of all joints")
    result.animate("stewart_platform.html", title="Stewart platform", view=VIEW)
