"""Spatial slider-crank: a crank about x, a connecting rod in space, a slider along x."""

from dataclasses import replace
from math import sqrt

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Joint, Model, Prismatic, Revolute, Spherical, Universal
from chasles.model.shapes import Box, Cylinder
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import largest

CRANK, ROD = 0.08, 0.3  # m
MASSES = (0.12, 0.5, 2.0)  # kg, of crank, rod and slider
CRANK_INERTIA = (1e-4, 1e-4, 1e-5)  # kg m^2, z along AB
ROD_INERTIA = (4e-4, 4e-3, 4e-3)  # kg m^2, x along BC
SLIDER_INERTIA = (1e-4, 1e-4, 1e-4)  # kg m^2
SPEED = 6.0  # rad/s, of the crank at the start
SLIDES = (1.0, 0.0, 0.0)

A = np.array([0.0, 0.1, 0.12])  # m
B = A + (0.0, 0.0, CRANK)  # at the start, as C is
C = np.array([sqrt(ROD**2 - B[1] ** 2 - B[2] ** 2), 0.0, 0.0])
TRACED = {"B": ("crank", B)}
#: Places of the slider in m by times in s, of the submission of Gonzalez to the IFToMM library.
PUBLISHED = {
    0.5: 0.184952803, 1.0: 0.211754668, 2.0: 0.289063554, 3.0: 0.228450093, 4.0: 0.188208161,
    5.0: 0.240761815,
}  # fmt: skip


def model(joint: str = "universal") -> Model:
    """The mechanism with a "universal" or a "spherical" joint at C.

    The x axis of the rod runs from B to C, its y axis is perpendicular to that and to the rail.
    """
    crank = Body(
        "crank", MASSES[0], CRANK_INERTIA, (A + B) / 2, angular_velocity=(SPEED, 0.0, 0.0)
    )  # fmt: skip
    along = (C - B) / ROD
    pin = np.cross(SLIDES, along)
    pin /= np.linalg.norm(pin)
    turn = np.column_stack((along, pin, np.cross(along, pin)))
    rod = Body("rod", MASSES[1], ROD_INERTIA, (B + C) / 2, turn, shape=Cylinder(0.006, ROD, "x"))
    slider = Body("slider", MASSES[2], SLIDER_INERTIA, C, shape=Box((0.04, 0.03, 0.03)))
    at_c: Joint
    if joint == "universal":
        at_c = Universal("C", slider, rod, at=C, axis=SLIDES, axis_b=pin)
    else:
        rod = replace(rod, angular_velocity=swing(turn))
        at_c = Spherical("C", slider, rod, at=C)
    joints = [
        Revolute("A", GROUND, crank, at=A, axis=SLIDES),
        Spherical("B", crank, rod, at=B),
        at_c,
        Prismatic("rail", GROUND, slider, at=C, axis=SLIDES),
    ]
    return Model([crank, rod, slider], joints)


def swing(turn: Floats) -> tuple[float, float, float]:
    """The rod's angular velocity at the start, as its ends ask for, without spin about itself."""
    b_speed = np.cross((SPEED, 0.0, 0.0), B - A)
    c_speed = np.array([(C - B) @ b_speed / C[0], 0.0, 0.0])  # the rod keeps its length
    _, y, z = turn.T @ np.cross(C - B, c_speed - b_speed) / ROD**2
    return (0.0, y, z)


def slider_from_crank(angle: Floats) -> Floats:
    r"""Where the slider is on the x axis at crank angles (T,), m.

    $$x = \sqrt{l^2 - (y_A - r \sin\theta)^2 - (z_A + r \cos\theta)^2}$$
    """
    y, z = A[1] - CRANK * np.sin(angle), A[2] + CRANK * np.cos(angle)
    return np.sqrt(ROD**2 - y**2 - z**2)


def checks(result: Result, joint: str) -> list[Check]:
    """The places of the slider; those with the universal joint are published."""
    places = result.position("slider")[:, 0]
    found = []
    missed = [
        abs(float(places[row]) - x)
        for t, x in PUBLISHED.items()
        for row in np.flatnonzero(np.abs(result.t - t) < 1e-9)
    ]
    if missed and joint == "universal":
        found.append(Check("slider, against the published values", max(missed), 1e-4, "m"))
    kinematic = largest(places - slider_from_crank(result.coordinate("A")))
    return [*found, Check("slider against the crank's angle", kinematic, 1e-9, "m")]


def curves(result: Result) -> Named:
    return [("slider", result.position("slider")[:, 0])]
