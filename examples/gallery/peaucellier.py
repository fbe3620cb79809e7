"""Peaucellier's linkage: seven bars turn a circle into an exactly straight line.

Two long bars and a rhombus invert the plane: OP times OQ is L^2 - l^2.  A circle through O, of
radius c, becomes a line at (L^2 - l^2) / 2 c (C.-N. Peaucellier, Nouvelles annales de
mathématiques, 1864).
"""

import numpy as np

import chasles as ch

VIEW = (-80, 12)
LONG, SHORT, CRANK, START = 1.0, 0.42, 0.42, 1.2  # m, m, m, rad
PINS = ["C crank ground", "O a ground", "O b ground", "P crank pa", "P crank pb",
        "A a pa", "A a qa", "B b pb", "B b qb", "Q qa qb"]  # fmt: skip


def points():
    o, c = np.zeros(3), np.array((CRANK, 0, 0))
    p = c + CRANK * np.array((np.cos(START), 0, np.sin(START)))
    far = (LONG**2 - SHORT**2) / (p @ p)  # OQ over OP
    middle, half = (1 + far) / 2 * p, (far - 1) / 2 * p
    side = np.cross(p, (0, 1, 0)) * np.sqrt((SHORT**2 - half @ half) / (p @ p))
    return {"O": o, "C": c, "P": p, "Q": far * p, "A": middle + side, "B": middle - side}


def build():
    at = points()
    bars = {"crank": "CP", "a": "OA", "b": "OB", "pa": "PA", "pb": "PB", "qa": "QA", "qb": "QB"}
    layers = dict(zip(bars, (0, 1, -1, -1, 1, -1, 1)))  # so that the bars pass each other
    bodies = []
    for name, (start, end) in bars.items():
        ends = [at[corner] + (0, 0.02 * layers[name], 0) for corner in (start, end)]
        bodies.append(ch.Body.rod(name, mass=1, radius=0.012, between=ends))
    joints = []
    for pin in PINS:
        corner, one, other = pin.split()
        end = ch.GROUND if other == "ground" else other
        joints.append(ch.Revolute(pin, end, one, at=at[corner], axis="y"))
    pen = ch.Body.sphere("pen", 0.025, mass=0.1, position=at["Q"])
    joints.append(ch.Fixed("grip", "qa", pen))
    drive = ch.Driver("motor", joints[0], lambda t: START * (1 - np.cos(2 * t)))
    return ch.Model([*bodies, pen], joints, drivers=[drive])


def check(result):
    missed = np.abs(result.position("pen")[:, 0] - (LONG**2 - SHORT**2) / (2 * CRANK)).max()
    return "largest distance of the pen from the line, m", missed, 0.0, 1e-9


def main(until=2 * np.pi, film="peaucellier.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=4)
    result.animate(film, title="Peaucellier's straight line", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
