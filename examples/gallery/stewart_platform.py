"""Stewart platform: six legs of changing length carry a plate through any motion in space.

A leg is as long as its ends are apart (D. Stewart, A platform with six degrees of freedom, Proc.
IMechE 180, 1965).  Each leg is driven by that Python function; the plate must take its course.
"""

import numpy as np

import chasles as ch

VIEW = (-60, 20)
ANGLES = np.radians([(-12, 12, 108, 132, 228, 252), (-48, 48, 72, 168, 192, 288)])
FEET, HIPS = (r * np.array([np.cos(a), np.sin(a), 0 * a]).T for r, a in zip((1, 0.6), ANGLES))


def course(t, point=(0, 0, 0)):
    """Where a point of the plate is to be."""
    pitch, (u, v, _) = 0.3 * np.sin(2 * t) ** 2, point
    x, y, z = 0.2 * np.sin(2 * t) ** 2, 0.2 * np.sin(t) ** 2, 1 + 0.15 * np.sin(3 * t) ** 2
    return np.stack((x + u * np.cos(pitch), y + v, z - u * np.sin(pitch)), axis=-1)


def stroke(k, t):
    lengths = [np.linalg.norm(course(time, HIPS[k]) - FEET[k], axis=-1) for time in (t, 0.0)]
    return lengths[0] - lengths[1]


def build(motion=lambda k: lambda t: stroke(k, t)):
    disc = ch.Cylinder(0.7, 0.06, position=(0, 0, 1), colour="orange")
    bodies, joints, drivers = [ch.Body.solid("plate", disc, mass=50)], [], []
    for k, (foot, hip) in enumerate(zip(FEET, HIPS + (0, 0, 1))):
        way, across = hip - foot, np.cross(hip - foot, (0, 0, 1))
        low = ch.Body.rod(f"low {k}", mass=4, radius=0.045, between=(foot, foot + 0.55 * way))
        high = ch.Body.rod(f"high {k}", mass=2, radius=0.025, between=(foot + 0.45 * way, hip))
        bodies += [low, high]
        joints.append(
            ch.Universal(f"foot {k}", ch.GROUND, low, foot, across, np.cross(way, across))
        )
        joints.append(ch.Prismatic(f"leg {k}", low, high, axis=way))
        joints.append(ch.Spherical(f"hip {k}", high, "plate", at=hip))
        drivers.append(ch.Driver(f"jack {k}", f"leg {k}", motion(k)))
    return ch.Model(bodies, joints, drivers=drivers)


def check(result):
    missed = np.abs(result.position("plate") - course(result.t)).max()
    return "largest distance of the plate from its course, m", missed, 0.0, 1e-8


def main(until=2 * np.pi, film="stewart_platform.html"):
    result = ch.simulate(build(), until, 5e-3, stabilise="projection of all joints")
    result.animate(film, title="Stewart platform", view=VIEW)
    return result


if __name__ == "__main__":
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(main())))
