"""Double wishbone suspension: a wheel on two unequal arms, lifted and lowered by a rig.

All arm axes are parallel and the tie rod is a copy of the lower arm, so the wheel must not steer;
its camber is that of a four-bar, where two circles meet (Uicker et al., Theory of Machines, 2017).
"""

import numpy as np

import chasles as ch

VIEW = (-38, 20)
A, B, C, D = (np.array((0, *p)) for p in ((0.3, 0.2), (0.62, 0.18), (0.6, 0.46), (0.36, 0.48)))
FORWARD, HUB, ROAD = np.array((0.13, 0, 0)), (0, 0.7, 0.31), (0, 0.72, 0.0)


def build():
    def arm(name, inner, outer):
        back, front = inner - FORWARD, inner + FORWARD
        ends = [(back, outer), (front, outer), (back, front)]
        legs = [ch.Body.rod("leg", mass=1.0, radius=0.012, between=e) for e in ends]
        return ch.Body.composite(name, legs)

    lower, upper = arm("lower", A, B), arm("upper", D, C)
    tyre = ch.Ring(0.31, 0.2, 0.18, axis="y", position=HUB, colour="black")
    post = ch.Box((0.04, 0.04, 0.32), position=(0, 0.61, 0.32), colour="red")
    rim = ch.Cylinder(0.2, 0.04, axis="y", position=HUB, colour="aluminium")
    wheel = ch.Body.solid("wheel", [tyre, rim, post], mass=25.0)
    rod = ch.Distance("tie rod", ch.GROUND, wheel, A + 1.6 * FORWARD, B + 1.6 * FORWARD)
    joints = [rod]
    for link, inner, outer in ((lower, A, B), (upper, D, C)):
        joints.append(ch.Revolute(f"{link.name} bush", ch.GROUND, link, at=inner, axis="x"))
        joints.append(ch.Spherical(f"{link.name} ball", link, wheel, at=outer))
    coil = ch.Spring("coil", ch.GROUND, lower, (0, 0.42, 0.68), (A + B) / 2, 4e4, 2e3)
    rig = ch.PointDriver("rig", wheel, ROAD, "z", lambda t: 0.06 * np.sin(np.pi * t) ** 2)
    return ch.Model([lower, upper, wheel], joints, [coil], [rig])


def check(result):
    path, turn = result.point("lower", B).position, result.rotation("wheel")
    b, b0, c0, d = (p[..., 1] + 1j * p[..., 2] for p in (path, B, C, D))
    span, arm, post = abs(b - d), abs(c0 - d), abs(c0 - b0)
    along = (span**2 + arm**2 - post**2) / (2 * span)
    c = d + (b - d) / span * (along + 1j * np.sqrt(arm**2 - along**2))
    camber = np.angle((c - b) / (c0 - b0)) - np.arctan2(turn[:, 2, 1], turn[:, 1, 1])
    return "camber, largest difference to the four-bar, rad", abs(camber).max(), 0.0, 1e-9


def main(until=4.0, film="double_wishbone.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=8)
    result.animate(film, title="Double wishbone suspension", view=VIEW)
    return result


if __name__ == "__main__":
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(main())))
