"""A free-floating satellite that unfolds four solar panels with springs."""

from itertools import chain

import numpy as np

from chasles.model import Body, Force, Joint, Model, Revolute, TorsionSpring
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import change_check

SIDE = 1.0  # m, of the cubic bus and of the square panels
THICKNESS = 0.02  # m, of a panel
SPACE = 0.01  # m, between bus, inner and outer panel when folded
BUS_MASS, PANEL_MASS = 120.0, 6.0  # kg
DRIFT = (0.01, -0.02, 0.03)  # m/s, of the folded satellite at the start
TUMBLE = (0.05, 0.12, -0.2)  # rad/s, of the folded satellite at the start
STIFFNESS = (4.0, 2.0)  # N m/rad, of the inner and of the outer hinge
DAMPING = (5.0, 2.0)  # N m s/rad
WINGS = {"left": 1.0, "right": -1.0}  # side of the bus along y


def folded(name: str, y: float) -> Body:
    """A panel parallel to the bus's side at so many metres from its centre, part of the tumble."""
    position = (0.0, y, 0.0)
    return Body.box(
        name, (SIDE, THICKNESS, SIDE), mass=PANEL_MASS, position=position,
        velocity=np.add(DRIFT, np.cross(TUMBLE, position)), angular_velocity=TUMBLE,
    )  # fmt: skip


def wing(name: str, side: float, bus: Body) -> tuple[list[Body], list[Joint], list[Force]]:
    """Panels, hinges and springs of one wing, folded in a zigzag with the hinges along x.

    The inner panel turns down and outwards by a quarter, the outer one by half a turn more.
    """
    pitch = SPACE + THICKNESS
    first = SIDE / 2 + SPACE + THICKNESS / 2
    inner, outer = (
        folded(f"{name} {which}", side * (first + k * pitch))
        for k, which in enumerate(("inner", "outer"))
    )
    root = (0, side * first, -SIDE / 2)
    middle = (0, side * (first + pitch / 2), SIDE / 2)
    hinges: list[Joint] = [
        Revolute(f"{name} root", bus, inner, at=root, axis=(1, 0, 0)),
        Revolute(f"{name} middle", inner, outer, at=middle, axis=(1, 0, 0)),
    ]
    springs: list[Force] = [
        TorsionSpring(f"{hinge.name} spring", hinge, stiffness, damping, rest=side * rest)
        for hinge, stiffness, damping, rest in zip(hinges, STIFFNESS, DAMPING, (-np.pi / 2, np.pi))
    ]
    return [inner, outer], hinges, springs


def model() -> Model:
    """The bus at the origin, two wings of two panels folded against its sides at y and -y."""
    bus = Body.box(
        "bus", (SIDE,) * 3, mass=BUS_MASS, velocity=DRIFT, angular_velocity=TUMBLE
    )  # fmt: skip
    panels, joints, forces = zip(*(wing(name, side, bus) for name, side in WINGS.items()))
    return Model([bus, *chain(*panels)], [*chain(*joints)], [*chain(*forces)], gravity=(0, 0, 0))


def checks(result: Result) -> list[Check]:
    return [
        change_check("linear momentum", result.momentum(), 1e-10),
        change_check("angular momentum", result.angular_momentum(), 1e-8),
    ]


def curves(result: Result) -> Named:
    return [
        (joint.name, np.degrees(result.coordinate(joint)))
        for joint in result.model.joints
        if joint.name.startswith("left")
    ]
