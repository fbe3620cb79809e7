"""Peaucellier's linkage: seven bars turn a circle into an exactly straight line.

Two long bars and a rhombus invert the plane: OP * OQ = L^2 - l^2.  A circle through O becomes a line
at (L^2 - l^2) / 2c, c the radius (C.-N. Peaucellier, Nouvelles annales de mathématiques, 1864).
"""

import numpy as np

import chasles as ch

VIEW = "xz"
LONG, SHORT, CRANK = 1.0, 0.42, 0.42  # m
O, C = np.zeros(3), np.array((CRANK, 0, 0))


def build(angle=1.2):
    p = C + CRANK * np.array((np.cos(angle), 0, np.sin(angle)))
    far = (LONG**2 - SHORT**2) / (p @ p)  # OQ / OP
    q, middle = far * p, (1 + far) / 2 * p
    half = np.sqrt(SHORT**2 - (q - middle) @ (q - middle))
    side = half * np.cross(p, (0, 1, 0)) / np.linalg.norm(p)
    a, b = middle + side, middle - side
    bars = {
        "crank": (C, p),
        "long a": (O, a),
        "long b": (O, b),
        "pa": (p, a),
        "pb": (p, b),
        "qa": (q, a),
        "qb": (q, b),
    }
    layers = dict(zip(bars, (0, 1, -1, -1, 1, -1, 1)))
    bodies = []
    for name, (s, e) in bars.items():
        lift = (0, 0.02 * layers[name], 0)
        bodies.append(ch.Body.rod(name, mass=1, radius=0.012, between=(s + lift, e + lift)))
    pins = [
        ("crank", None, C),
        ("long a", None, O),
        ("long b", None, O),
        ("crank", "pa", p),
        ("crank", "pb", p),
        ("long a", "pa", a),
        ("long a", "qa", a),
        ("long b", "pb", b),
        ("long b", "qb", b),
        ("qa", "qb", q),
    ]
    joints = [
        ch.Revolute(f"{x} {y or 'ground'}", y or ch.GROUND, x, at=at, axis="y") for x, y, at in pins
    ]
    drive = ch.Driver("motor", "crank ground", lambda t: 1.2 * (1 - np.cos(2 * t)))
    return ch.Model(bodies, joints, drivers=[drive])


def check(result):
    bar = result.model.joint("qa qb")
    missed = np.abs(result.point("qa", bar.at).position[:, 0] - (LONG**2 - SHORT**2) / (2 * CRANK))
    return "largest distance of Q from the line, m", missed.max(), 0.0, 1e-9


def main(until=2 * np.pi, film="peaucellier.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=2)
    result.animate(film, title="Peaucellier's straight line", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
