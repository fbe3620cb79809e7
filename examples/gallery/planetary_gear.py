"""Planetary gear: a sun drives three planets inside a fixed ring, and they carry an arm round.

By Willis (Principles of Mechanism, 1841) the arm turns at 1 / (1 + ring / sun) of the sun's speed
and a planet at 1 - ring / planet of the arm's, in teeth.  A torque on the sun must then speed up
one inertia, to which every wheel adds its own times the square of its ratio.
"""

import numpy as np

import chasles as ch

VIEW = (-70, 55)
SUN, PLANET, RING, MODULE, TORQUE = 24, 18, 60, 0.005, 0.2  # teeth, m, N m
COG = (0.012, 0.006, 0.02)  # m
ARM, ROLL, REACH = 1 / (1 + RING / SUN), 1 - RING / PLANET, (SUN + PLANET) * MODULE / 2


def polar(radius, angle):
    return np.array((radius * np.cos(angle), radius * np.sin(angle), 0))


def wheel(name, teeth, rim, phase=0.0):
    angles, look = 2 * np.pi * (np.arange(teeth) + phase) / teeth, {"colour": rim.colour}
    places = [rim.position + polar(teeth * MODULE / 2, a) for a in angles]
    cogs = [ch.Box(COG, position=p, rotation=("z", a), **look) for p, a in zip(places, angles)]
    return ch.Body.solid(name, [rim, *cogs], density=7850)


def build():
    sun = wheel("sun", SUN, ch.Cylinder(0.054, 0.02, colour="brass"))
    ring = wheel("ring", RING, ch.Ring(0.175, 0.156, 0.02, colour="steel"))
    spokes, planets = [], []
    for k, a in enumerate(2 * np.pi / 3 * np.arange(3)):
        place, look = polar(REACH / 2, a) + (0, 0, 0.016), {"rotation": ("z", a), "colour": "red"}
        spokes.append(ch.Box((REACH, 0.02, 0.01), position=place, **look))
        disc = ch.Cylinder(0.039, 0.02, position=polar(REACH, a), colour="blue")
        planets.append(wheel(f"planet {k}", PLANET, disc, 0.5))
    arm = ch.Body.solid("arm", spokes, density=7850)
    joints = [ch.Fixed("housing", ch.GROUND, ring), ch.Gear("sun mesh", sun, arm, "z", "z", ARM)]
    for a, b in ((ch.GROUND, sun), (ch.GROUND, arm), *((arm, planet) for planet in planets)):
        joints.append(ch.Revolute(f"{b.name} bearing", a, b, at=b.position, axis="z"))
    joints += [ch.Gear(f"{p.name} mesh", arm, p, "z", "z", ROLL) for p in planets]
    motors = [ch.Load("motor", sun, torque=(0, 0, TORQUE))]
    return ch.Model([sun, arm, *planets, ring], joints, motors)


def check(result):
    sun, arm, planet, *_ = (body.inertia[2][2] for body in result.model.bodies)
    mass = result.model.body("planet 0").mass
    inertia = sun + ARM**2 * (arm + 3 * mass * REACH**2 + 3 * ROLL**2 * planet)
    speed = result.coordinate_rate("sun bearing")[-1]
    return "speed of the sun, rad/s", speed, TORQUE / inertia * result.t[-1], 1e-6


def main(until=3.0, film="planetary_gear.html"):
    result = ch.simulate(build(), until, 2e-3)
    result.animate(film, title="Planetary gear", view=VIEW)
    return result


if __name__ == "__main__":
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(main())))
