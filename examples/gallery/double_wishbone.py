"""Double wishbone suspension: a wheel on two unequal arms, lifted and lowered by a rig.

All arm axes are parallel and the tie rod is a copy of the lower arm, so the wheel must not steer;
its camber is that of a four-bar, where two circles meet (Uicker et al., Theory of Machines, 2017).
"""

from itertools import pairwise

import numpy as np

import chasles as ch

VIEW = (-38, 20)
A, B, C, D = (np.array((0, *p)) for p in ((0.3, 0.2), (0.62, 0.18), (0.6, 0.46), (0.36, 0.48)))
FORWARD, TIE, HUB, ROAD = np.array([(0.13, 0, 0), (0.21, 0, 0), (0, 0.7, 0.31), (0, 0.72, 0)])

arms, joints = [], [ch.Distance("tie rod", ch.GROUND, "wheel", A + TIE, B + TIE)]
for name, inner, outer in (("lower", A, B), ("upper", D, C)):
    corners = (outer, inner - FORWARD, inner + FORWARD, outer, inner)
    sides = [ch.Body.rod("side", mass=1, radius=0.012, between=ends) for ends in pairwise(corners)]
    arms.append(ch.Body.composite(name, sides))
    joints.append(ch.Revolute(f"{name} bush", ch.GROUND, name, at=inner, axis="x"))
    joints.append(ch.Spherical(f"{name} ball", name, "wheel", at=outer))
tyre = ch.Ring(0.31, 0.2, 0.18, axis="y", position=HUB, colour="black")
rim = ch.Cylinder(0.2, 0.04, axis="y", position=HUB, colour="aluminium")
post = ch.Box((0.04, 0.04, 0.32), position=(0, 0.61, 0.32), colour="red")
wheel = ch.Body.solid("wheel", [tyre, rim, post], mass=25.0)
coil = ch.Spring("coil", ch.GROUND, "lower", (0, 0.42, 0.68), (A + B) / 2, 4e4, 2e3)
rig = ch.PointDriver("rig", wheel, ROAD, "z", lambda t: 0.06 * np.sin(np.pi * t) ** 2)
model = ch.Model([*arms, wheel], joints, [coil], [rig])

if __name__ == "__main__":
    result = ch.simulate(model, 4.0, 1e-3, stabilise="projection of all joints", save_every=8)
    result.animate("double_wishbone.html", title="Double wishbone suspension", view=VIEW)
