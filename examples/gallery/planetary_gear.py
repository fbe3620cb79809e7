"""Planetary gear: a sun drives three planets inside a fixed ring, and they carry an arm round."""

import numpy as np

import chasles as ch

VIEW = (-70, 55)
SUN, PLANET, RING, MODULE, COG = 24, 18, 60, 0.005, (0.012, 0.006, 0.02)  # teeth, m
# The arm's speed by the sun's and a planet's by the arm's (Willis, Principles of Mechanism, 1841).
ARM, ROLL, REACH = 1 / (1 + RING / SUN), 1 - RING / PLANET, (SUN + PLANET) * MODULE / 2


def wheel(name, teeth, rim, phase=0.0):
    shapes = [rim]
    for a in 2 * np.pi * (np.arange(teeth) + phase) / teeth:
        at = rim.position + teeth * MODULE / 2 * np.array((np.cos(a), np.sin(a), 0))
        shapes.append(ch.Box(COG, position=at, rotation=("z", a), colour=rim.colour))
    return ch.Body.solid(name, shapes, density=7850)


sun = wheel("sun", SUN, ch.Cylinder(0.054, 0.02, colour="brass"))
ring = wheel("ring", RING, ch.Ring(0.175, 0.156, 0.02, colour="steel"))
spokes, planets = [], []
for k, a in enumerate(2 * np.pi / 3 * np.arange(3)):
    at, look = REACH * np.array((np.cos(a), np.sin(a), 0)), {"rotation": ("z", a), "colour": "red"}
    spokes.append(ch.Box((REACH, 0.02, 0.01), position=at / 2 + (0, 0, 0.016), **look))
    disc = ch.Cylinder(0.039, 0.02, position=at, colour="blue")
    planets.append(wheel(f"planet {k}", PLANET, disc, 0.5))
arm = ch.Body.solid("arm", spokes, density=7850)
joints = [ch.Fixed("housing", ch.GROUND, ring), ch.Gear("sun mesh", sun, arm, "z", "z", ARM)]
for a, b in ((ch.GROUND, sun), (ch.GROUND, arm), *((arm, planet) for planet in planets)):
    joints.append(ch.Revolute(f"{b.name} bearing", a, b, at=b.position, axis="z"))
joints += [ch.Gear(f"{p.name} mesh", arm, p, "z", "z", ROLL) for p in planets]
model = ch.Model([sun, arm, *planets, ring], joints, [ch.Load("motor", sun, torque=(0, 0, 0.2))])

if __name__ == "__main__":
    result = ch.simulate(model, 3.0, 2e-3)
    result.animate("planetary_gear.html", title="Planetary gear", view=VIEW)
