"""Arrays of the forces of a model."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import (
    BUSHING,
    CUSTOM_FORCE,
    DRAG,
    LAW_WIDTH,
    LOAD,
    ON_COORDINATE,
    SPRING,
    Floats,
    Forces,
)
from chasles.model import (
    Bushing,
    CustomForce,
    Drag,
    JointFriction,
    JointSpring,
    Load,
    Model,
    Motor,
    Spring,
)
from chasles.system.build_joints import (
    FRAME_COLUMNS,
    LAW,
    POINT_A,
    POINT_B,
    coordinate_frames,
    frame_along,
    index_of,
    lever,
    oriented,
    put_frame,
    split_frames,
)
from chasles.system.signals import SignalList
from chasles.system.user_code import force_formula


@dataclass(frozen=True)
class ForceTable:
    """Arrays of the forces, and how many integrals the model needs."""

    forces: Forces
    quadratures: int
    kept_alive: tuple[Any, ...]


@dataclass
class Filling:
    """One force while its row is filled."""

    model: Model
    body_index: dict[str, int]
    signals: SignalList
    angles: int  # where the next unwrapped angle is integrated
    kept_alive: list[Any]

    def index(self, name: str) -> int:
        return index_of(name, self.body_index)


def force_arrays(model: Model, body_index: dict[str, int], signals: SignalList) -> ForceTable:
    """Arrays of all forces.  Integrals: work of forces, work of drivers, unwrapped angles."""
    filling = Filling(model, body_index, signals, len(model.forces) + len(model.drivers), [])
    laws = np.zeros((len(model.forces), LAW + LAW_WIDTH))
    ends = np.zeros((len(model.forces), 6), np.int64)
    for number, force in enumerate(model.forces):
        fill = FILLERS[type(force)] if type(force) in FILLERS else filler_of(force)
        ends[number] = fill(force, laws[number], filling)
    columns: list[Any] = [*split_frames(laws), np.ascontiguousarray(laws[:, LAW:])]
    columns += [np.ascontiguousarray(column) for column in ends.T]
    forces = Forces(*columns)
    return ForceTable(forces, filling.angles, tuple(filling.kept_alive))


def filler_of(force: Any) -> Any:
    """The rule of the closest class (a TorsionSpring is a JointSpring)."""
    return next(rule for kind, rule in FILLERS.items() if isinstance(force, kind))


def point_on(model: Model, name: str, point: Any, where: str) -> Floats:
    """A world point at the start, from the body's centre of mass in its frame."""
    if name == "ground":
        return np.array(point)
    return lever(model.body(name), tuple(point), where)


def fill_spring(force: Spring, law: Floats, filling: Filling) -> list[int]:
    where = f"spring '{force.name}'"
    law[POINT_A : POINT_A + 3] = point_on(filling.model, force.a, force.at, where)
    law[POINT_B : POINT_B + 3] = point_on(filling.model, force.b, force.at_b, where)
    law[LAW : LAW + 3] = force.stiffness, force.damping, force.rest_length
    return [SPRING, filling.index(force.a), filling.index(force.b), -1, -1, 0]


def fill_coordinate(
    force: Any, law: Floats, filling: Filling, constants: tuple[float, ...], signal: int = -1
) -> list[int]:
    """A force on a joint's coordinate: the joint's frames and eight constants."""
    joint = filling.model.joint(force.joint)
    law[:LAW] = coordinate_frames(joint, filling.model)[:LAW]
    law[LAW : LAW + 8] = constants
    angle = -1
    if force.coordinate == "angle":
        angle = filling.angles
        filling.angles += 1
    a, b = oriented(joint)
    return [ON_COORDINATE, filling.index(a), filling.index(b), signal, angle, 0]


def fill_joint_spring(force: JointSpring, law: Floats, filling: Filling) -> list[int]:
    constants = (force.stiffness, force.damping, force.rest, 0.0, 1.0, 0.0, 0.0, 0.0)
    return fill_coordinate(force, law, filling, constants)


def fill_friction(force: JointFriction, law: Floats, filling: Filling) -> list[int]:
    constants = (0.0, 0.0, 0.0, force.level, force.smoothing, 0.0, 0.0, 0.0)
    return fill_coordinate(force, law, filling, constants)


def fill_motor(force: Motor, law: Floats, filling: Filling) -> list[int]:
    constants = (0.0, 0.0, 0.0, 0.0, 1.0, force.stiffness, force.damping, 0.0)
    return fill_coordinate(force, law, filling, constants, filling.signals.add(force.sample, 3))


def fill_bushing(force: Bushing, law: Floats, filling: Filling) -> list[int]:
    axes, at = frame_along(np.array(force.axis)), np.array(force.at)
    for name, columns in zip((force.a, force.b), FRAME_COLUMNS, strict=True):
        put_frame(law, columns, axes, at, name, filling.model, f"bushing '{force.name}'")
    law[LAW : LAW + 12] = *force.stiffness, *force.damping
    return [BUSHING, filling.index(force.a), filling.index(force.b), -1, -1, 0]


def fill_load(force: Load, law: Floats, filling: Filling) -> list[int]:
    body = filling.model.body(force.body)
    at = body.position if force.at is None else force.at
    law[POINT_B : POINT_B + 3] = point_on(filling.model, force.body, at, f"load '{force.name}'")
    law[LAW + 6] = float(force.frame == "body")
    signal = -1
    if callable(force.force) or callable(force.torque):
        signal = filling.signals.add(lambda times: np.hstack(force.sample(times)), 6)
    else:
        law[LAW : LAW + 6] = *force.force, *force.torque
    return [LOAD, -1, filling.index(force.body), signal, -1, 0]


def fill_drag(force: Drag, law: Floats, filling: Filling) -> list[int]:
    law[LAW : LAW + 4] = force.linear, force.quadratic, force.angular, force.angular_quadratic
    return [DRAG, -1, filling.index(force.body), -1, -1, 0]


def fill_custom(force: CustomForce, law: Floats, filling: Filling) -> list[int]:
    filling.signals.need_time()
    formula = force_formula(force)
    filling.kept_alive.append(formula)
    a, b = filling.index(force.reaction), filling.index(force.body)
    return [CUSTOM_FORCE, a, b, -1, -1, formula.address]


FILLERS: dict[type, Any] = {
    Spring: fill_spring,
    JointSpring: fill_joint_spring,
    JointFriction: fill_friction,
    Motor: fill_motor,
    Bushing: fill_bushing,
    Load: fill_load,
    Drag: fill_drag,
    CustomForce: fill_custom,
}
