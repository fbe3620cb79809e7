"""Closed loops the tests share: bars from point to point, four-bars, parallelograms, Bricard's."""

from itertools import pairwise
from math import cos, sin, sqrt

import numpy as np
from mechanisms import in_a_ring

import chasles as ch

#: A four-bar of no special shape, in the x-y plane.
CROOKED = ((0, 0, 0), (0, 0.4, 0), (1.0, 0.8, 0), (1.2, 0, 0))
#: The cube of Bricard's linkage: six hinges along its edges, each at right angles to the next.
CUBE = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
CUBE_AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
#: Joints of a planar loop that leave it its freedom and repeat no row.
INDEPENDENT = (ch.Revolute, ch.Cylindrical, ch.Spherical, ch.Revolute)


def bar(name, p, q, mass=1.0, **start) -> ch.Body:
    """A flat bar from p to q, x along it; its z is that of the world where it lies across that."""
    p, q = np.array(p, float), np.array(q, float)
    length = np.linalg.norm(q - p)
    x = (q - p) / length
    y = np.cross((0, 0, 1) if abs(x[2]) < 0.9 else (0, 1, 0), x)
    y /= np.linalg.norm(y)
    size = (length, 0.1 * length, 0.05 * length)
    turn = np.column_stack((x, y, np.cross(x, y)))
    return ch.Body.box(name, size, mass=mass, position=(p + q) / 2, rotation=turn, **start)


def bars(points, **first) -> list[ch.Body]:
    """Bars l0, l1, ... from point to point; `first` is how the first one starts."""
    return [bar(f"l{k}", p, q, **({} if k else first)) for k, (p, q) in enumerate(pairwise(points))]


def four_bar(points=CROOKED, axes=(0, 0, 1), drivers=(), **first) -> ch.Model:
    """Bars on hinges h0, h1, ...; of the twenty rows of a planar loop three repeat others."""
    links = bars(points, **first)
    joints = in_a_ring(links, points, axes, [f"h{k}" for k in range(len(points))])
    return ch.Model(links, joints, drivers=drivers, gravity=(0, -9.81, 0))


def bricard() -> ch.Model:
    """Six hinges on the edges of a cube: thirty rows, of which one repeats others."""
    return four_bar(CUBE, CUBE_AXES)


def closing_points(base, crank, coupler, rocker, angle, up=(0, 0, 1)) -> np.ndarray:
    """Corners of a four-bar with its base along x and its crank at an angle; the elbow is above.

    The elbow lies on two circles, about the crank's tip B and the rocker's foot D.  With d = |BD|
    it is (coupler^2 - rocker^2 + d^2) / (2 d) from B along BD, and the rest of the coupler across.
    """
    x, up = np.array((1.0, 0, 0)), np.array(up, float)
    tip, foot = crank * (cos(angle) * x + sin(angle) * up), base * x
    d = np.linalg.norm(foot - tip)
    e = (foot - tip) / d
    along = (coupler**2 - rocker**2 + d**2) / (2 * d)
    across = (e @ x) * up - (e @ up) * x
    elbow = tip + along * e + sqrt(coupler**2 - along**2) * across
    return np.array((0 * x, tip, elbow, foot))


def parallelogram(
    angle=np.pi / 2, rate=0.0, *, crank=1.0, coupler=2.0, axis="z", kinds=None, slenderness=1e-3
) -> ch.Model:
    """Rods of 1 kg whose cranks are at an angle from x and turn at `rate`: in line where it is 0.

    In the x-y plane, or in the x-z plane with hinges along -y.  All velocities are entered, since
    those of two links do not follow from the crank's in line.  Moments about the rods' own axes are
    so much of the others.
    """
    x, y, z = np.eye(3)
    up, normal = (y, z) if axis == "z" else (z, -y)
    arm = crank * (cos(angle) * x + sin(angle) * up)
    points = np.array((0 * x, arm, arm + coupler * x, coupler * x))
    spins = rate * np.outer((1, 0, 1), normal)
    speeds = np.outer((0.5, 1.0, 0.5), np.cross(rate * normal, arm))
    links = []
    for k, (p, q) in enumerate(pairwise(points)):
        e = (q - p) / np.linalg.norm(q - p)
        turn = np.column_stack((e, np.cross(normal, e), normal))
        moment = np.sum((q - p) ** 2) / 12
        links.append(
            ch.Body(
                ("crank", "coupler", "rocker")[k], 1.0, (slenderness * moment, moment, moment),
                (p + q) / 2, turn, velocity=speeds[k], angular_velocity=turn.T @ spins[k],
            )
        )  # fmt: skip
    return ch.Model(links, in_a_ring(links, points, normal, "ABCD", kinds), gravity=(0, 0, 0))
