"""Arrays of the joints and drivers of a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.core.arrays import (
    CONSTANT_VELOCITY,
    CUSTOM,
    DISTANCE,
    DRIVEN_AXIS,
    GEAR,
    GROUND_INDEX,
    LOWER_PAIR,
    ROLLING_DISC,
    ROLLING_SPHERE,
    SLIDING_POINT,
    TWIST_COMPONENTS,
    UNIVERSAL,
    Floats,
    Joints,
    padded,
)
from chasles.model import (
    GROUND,
    Body,
    ConstantVelocity,
    CustomJoint,
    Distance,
    Driver,
    Gear,
    InvalidModel,
    Joint,
    Model,
    PointDriver,
    PointOnLine,
    PointOnPlane,
    RollingDisc,
    RollingSphere,
    Universal,
)
from chasles.model.couplings import check_bearings
from chasles.system.check_formulas import check_formula
from chasles.system.signals import SignalList
from chasles.system.user_code import CustomRows

# A joint's row while it is filled: frames as in `Joints`, then its constant; and a ... address.
AXES_A, POINT_A, AXES_B, POINT_B, PITCH = 0, 9, 12, 21, 24
JOINT_WIDTH, ENDS_WIDTH, ADDRESS = 25, 9, 8
#: Where a force's row has its law instead.
LAW = PITCH

KINDS: dict[type[Joint], int] = {
    Universal: UNIVERSAL,
    ConstantVelocity: CONSTANT_VELOCITY,
    Distance: DISTANCE,
    PointOnLine: SLIDING_POINT,
    PointOnPlane: SLIDING_POINT,
    Gear: GEAR,
    RollingSphere: ROLLING_SPHERE,
    RollingDisc: ROLLING_DISC,
    CustomJoint: CUSTOM,
}


def joint_arrays(
    model: Model, body_index: dict[str, int], signals: SignalList, kept_alive: list[Any]
) -> Joints:
    """Arrays of the joints, then of the drivers."""
    rows, ends, first_row = [], [], 0
    for joint in model.joints:
        rows.append(joint_row(joint, model))
        end = joint_end_row(joint, body_index, first_row)
        if isinstance(joint, Gear):
            check_bearings(joint, model.joints)
        if isinstance(joint, CustomJoint):
            rows_of_joint = CustomRows(joint)
            check_formula(rows_of_joint, model)
            kept_alive.append(rows_of_joint)
            end[ADDRESS] = rows_of_joint.address
        ends.append(end)
        first_row += int(padded(len(joint.locked)))
    for number, driver in enumerate(model.drivers):
        row, end = driver_row(driver, model, body_index)
        rows.append(row)
        integral = len(model.forces) + number
        ends.append([*end, first_row, 1, *driver_columns(driver, signals, integral)])
        first_row += int(padded(1))
    table = np.array(rows).reshape(-1, JOINT_WIDTH)
    numbers = np.array(ends, np.int64).reshape(-1, ENDS_WIDTH).T
    columns: list[Any] = [*split_frames(table), table[:, PITCH].copy()]
    columns += [np.ascontiguousarray(column) for column in numbers]
    return Joints(*columns)


def split_frames(table: Floats) -> list[Floats]:
    """axes_a, point_a, axes_b, point_b of filled rows."""
    spans = ((AXES_A, POINT_A), (POINT_A, AXES_B), (AXES_B, POINT_B), (POINT_B, PITCH))
    return [np.ascontiguousarray(table[:, first:last]) for first, last in spans]


def driver_columns(driver: Any, signals: SignalList, integral: int) -> list[int]:
    """KIND, DRIVE, DRIVE_WORK, ADDRESS of a driver."""
    kind = SLIDING_POINT if isinstance(driver, PointDriver) else DRIVEN_AXIS
    return [kind, signals.add(driver.sample, 3, driver.check_smooth), integral, 0]


def index_of(name: str, body_index: dict[str, int]) -> int:
    return GROUND_INDEX if name == GROUND.name else body_index[name]


def joint_end_row(joint: Joint, body_index: dict[str, int], first_row: int) -> list[int]:
    """BODY_A ... ADDRESS of a joint; of a lower pair, the ground is always body a."""
    a, b = oriented(joint)
    components = [name for name in joint.locked if name in TWIST_COMPONENTS]
    locked = sum(1 << TWIST_COMPONENTS.index(name) for name in components)
    pair = [index_of(a, body_index), index_of(b, body_index)]
    kind = KINDS.get(type(joint), LOWER_PAIR)
    return [*pair, locked, first_row, len(joint.locked), kind, -1, -1, 0]


def oriented(joint: Joint) -> tuple[str, str]:
    """The joint's bodies; of a lower pair with the ground, the ground first."""
    swap = joint.b == GROUND.name and type(joint) not in KINDS
    return (joint.b, joint.a) if swap else (joint.a, joint.b)


def joint_row(joint: Joint, model: Model) -> Floats:
    """The joint frame on both bodies, in the order that `oriented` gives them."""
    axes, axes_b = world_axes(joint)
    at = joint_point(joint, model)
    frames = {
        joint.a: (axes, at),
        joint.b: (axes_b, at if joint.at_b is None else np.array(joint.at_b)),
    }
    if isinstance(joint, RollingSphere | RollingDisc):  # the wheel's frame is at its centre
        frames[joint.b] = (axes_b, np.array(model.body(joint.b).position))
    row = np.zeros(JOINT_WIDTH)
    for name, columns in zip(oriented(joint), FRAME_COLUMNS, strict=True):
        put_frame(row, columns, *frames[name], name, model, f"joint '{joint.name}'")
    row[PITCH] = constant_of(joint)
    return row


def coordinate_frames(joint: Joint, model: Model) -> Floats:
    """A joint's frames such that its coordinate grows as the user's b moves against a.

    Where the arrays hold the bodies in the opposite order, z points the other way.
    """
    row = joint_row(joint, model)
    if oriented(joint) != (joint.a, joint.b):
        for at in (AXES_A, AXES_B):
            row[at : at + 9] = (row[at : at + 9].reshape(3, 3) * (1.0, -1.0, -1.0)).ravel()
    return row


FRAME_COLUMNS = ((AXES_A, POINT_A), (AXES_B, POINT_B))


def put_frame(
    row: Floats,
    columns: tuple[int, int],
    axes: Floats,
    point: Floats,
    name: str,
    model: Model,
    where: str,
) -> None:
    """Write a frame given in the world into a row, in the frame of its body."""
    if name != GROUND.name:
        body = model.body(name)
        axes, point = np.array(body.rotation).T @ axes, lever(body, point.tolist(), where)
    row[columns[0] : columns[0] + 9] = axes.ravel()
    row[columns[1] : columns[1] + 3] = point


def joint_point(joint: Joint, model: Model) -> Floats:
    if joint.at is not None:
        return np.array(joint.at)
    name = joint.a if joint.b == GROUND.name else joint.b
    return np.array(model.body(name).position)


def constant_of(joint: Joint) -> float:
    """What stands in the PITCH column: pitch, length, ratio or radius."""
    if isinstance(joint, Distance):
        return joint.length
    if isinstance(joint, Gear):
        return joint.ratio
    if isinstance(joint, RollingSphere | RollingDisc):
        return joint.radius
    return joint.pitch


def driver_row(driver: Any, model: Model, body_index: dict[str, int]) -> tuple[Floats, list[int]]:
    """The frames of a driver, and its bodies and locked component."""
    if isinstance(driver, PointDriver):
        axes, point = frame_along(np.array(driver.direction)), np.array(driver.at)
        row, where = np.zeros(JOINT_WIDTH), f"driver '{driver.name}'"
        put_frame(row, FRAME_COLUMNS[0], axes, point, GROUND.name, model, where)
        put_frame(row, FRAME_COLUMNS[1], axes, point, driver.body, model, where)
        return row, [GROUND_INDEX, body_index[driver.body], 1 << 5]
    assert isinstance(driver, Driver)
    joint = model.joint(driver.joint)
    row = coordinate_frames(joint, model)
    row[PITCH] = 0.0
    a, b = oriented(joint)
    bit = 2 if driver.coordinate == "angle" else 5
    return row, [index_of(a, body_index), index_of(b, body_index), 1 << bit]


def world_axes(joint: Joint) -> tuple[Floats, Floats]:
    """Columns x, y, z of the joint frame on either body at the start."""
    if joint.kind in ("spherical", "fixed", "customjoint", "distance"):
        return np.eye(3), np.eye(3)
    if isinstance(joint, Universal):
        x, y = np.array(joint.axis), np.array(joint.axis_b)
        axes = np.column_stack((x, y, np.cross(x, y)))
        return axes, axes
    axes = frame_along(np.array(joint.axis))
    if isinstance(joint, Gear | RollingDisc):
        return axes, frame_along(np.array(joint.axis_b))
    return axes, axes if joint.axis_b is None else turned(axes, joint.axis_b)


def frame_along(z: Floats) -> Floats:
    """A right-handed frame, as columns, with the given z axis."""
    x = np.zeros(3)
    x[np.argmin(np.abs(z))] = 1.0
    x -= z * (z @ x)
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def turned(axes: Floats, axis: tuple[float, float, float]) -> Floats:
    """The frame turned by the smallest rotation that brings its z axis to `axis`."""
    z, target = axes[:, 2], np.array(axis)
    v, c = np.cross(z, target), z @ target
    if c < -1.0 + 1e-12:
        return axes @ np.diag([1.0, -1.0, -1.0])
    hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (np.eye(3) + hat + hat @ hat / (1.0 + c)) @ axes


def lever(body: Body, point: Sequence[float], where: str) -> Floats:
    """From the body's centre of mass to a point of the world at the start, in the body frame."""
    offset = np.array([x - y for x, y in zip(point, body.position, strict=True)])
    if not np.isfinite(offset).all():
        raise InvalidModel(
            f"{where}: its point is too far from body '{body.name}' for a number to tell.",
            "Check the units of both: metres.",
        )
    return np.array(body.rotation).T @ offset
