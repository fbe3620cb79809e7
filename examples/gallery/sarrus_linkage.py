"""Sarrus' linkage: hinged plates on two sides lift a platform along an exact straight line.

Each leg alone keeps the platform in a plane; two legs whose hinges point elsewhere leave only the
line in which the planes meet (P. F. Sarrus, C. R. Acad. Sci. 36, 1853).  Three are drawn here.
"""

import numpy as np

import chasles as ch

VIEW = (-50, 22)
SIDE, LOW = 0.4, 0.5  # m, from the centre to the hinges and of a plate; rad, of the plates


def build():
    height = 2 * SIDE * np.sin(LOW)
    deck = ch.Body.cylinder("platform", SIDE - 0.02, 0.04, mass=5, position=(0, 0, height))
    bodies, joints = [deck], []
    for k, a in enumerate(2 * np.pi / 3 * np.arange(3)):
        out, along = np.array((np.cos(a), np.sin(a), 0)), np.array((-np.sin(a), np.cos(a), 0))
        foot, top = SIDE * out, SIDE * out + (0, 0, height)
        knee = (SIDE + SIDE * np.cos(LOW)) * out + (0, 0, height / 2)
        plates = []
        for name, ends in (("shin", (foot, knee)), ("thigh", (knee, top))):
            way = (ends[1] - ends[0]) / SIDE
            turn = np.column_stack((way, along, np.cross(way, along)))
            place = {"position": (ends[0] + ends[1]) / 2, "rotation": turn}
            plates.append(ch.Body.box(f"{name} {k}", (SIDE, 0.3, 0.02), mass=2, **place))
        chain = [ch.GROUND, *plates, deck]
        bodies += plates
        for j, (name, at) in enumerate((("foot", foot), ("knee", knee), ("top", top))):
            joints.append(ch.Revolute(f"{name} {k}", chain[j], chain[j + 1], at=at, axis=along))
    lift = ch.PointDriver("lift", deck, deck.position, "z", lambda t: 0.35 * np.sin(t) ** 2)
    return ch.Model(bodies, joints, drivers=[lift])


def check(result):
    aside = np.abs(result.position("platform")[:, :2]).max()
    tilt = np.abs(result.rotation("platform") - np.eye(3)).max()
    return "platform off its line, m or rad", max(aside, tilt), 0.0, 1e-9


def main(until=2 * np.pi, film="sarrus_linkage.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection of all joints", save_every=4)
    result.animate(film, title="Sarrus' straight line", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
