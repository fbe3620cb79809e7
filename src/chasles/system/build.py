"""From words to numbers: a model and its spaces become the arrays of a `System`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chasles.model import (
    GROUND,
    Body,
    InconsistentStart,
    InvalidModel,
    Joint,
    Model,
    UnknownName,
)
from chasles.spaces.space import Space, frame_point, reference_order
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    AXES_A,
    AXES_B,
    BODY_WIDTH,
    FIRST_ROW,
    FRAME_POINT,
    GROUND_INDEX,
    INERTIA,
    JOINT_WIDTH,
    MASS,
    PITCH,
    POINT_A,
    POINT_B,
    POSE_R,
    POSE_X,
    ROWS,
    SCREW_FORM,
    SE3_CODE,
    SO3XR3_CODE,
    SPACE_FORM,
    TWIST_COMPONENTS,
    Floats,
    Integers,
    System,
    padded,
)
from chasles.system.gaps import joint_gap

FORMS = {"screw": SCREW_FORM, "space": SPACE_FORM}
GROUP_CODES = {"SE3": SE3_CODE, "SO3xR3": SO3XR3_CODE}
#: A joint open by more than this at the start (m, rad) is refused.
OPEN_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Setup:
    """A model ready to be integrated: its arrays, and what their rows mean."""

    model: Model
    spaces: dict[str, Space]
    acceleration: str
    system: System
    absolute: Floats  # (n, 18) initial poses; twists are filled in by `dynamics.consistent`
    body_index: dict[str, int]
    joint_index: dict[str, int]


def build(model: Model, spaces: dict[str, Space], acceleration: str = "screw") -> Setup:
    """Arrays of a model; bodies are renumbered so that reference bodies come first."""
    if not isinstance(acceleration, str) or acceleration not in FORMS:
        raise UnknownName.among("acceleration form", acceleration, FORMS)
    order = reference_order(model, spaces)
    body_index = {name: index for index, name in enumerate(order)}
    bodies = [model.body(name) for name in order]
    references = [spaces[name].relative_to for name in order]
    body_spaces = [
        (
            GROUP_CODES[spaces[name].group],
            GROUND_INDEX if reference is None else body_index[reference],
        )
        for name, reference in zip(order, references, strict=True)
    ]
    ends, first_row = [], 0
    for joint in model.joints:
        ends.append(joint_end_row(joint, body_index, first_row))
        first_row += int(padded(len(joint.locked)))
    joints = np.array([joint_row(joint, model) for joint in model.joints])
    system = System(
        bodies=np.array([body_row(body, spaces[body.name], model) for body in bodies]),
        body_spaces=np.array(body_spaces, np.int64),
        joints=joints.reshape(-1, JOINT_WIDTH),
        joint_bodies=np.array(ends, np.int64).reshape(-1, 5),
        gravity=np.array(model.gravity),
        form=FORMS[acceleration],
        body_count=len(bodies),
        joint_count=len(ends),
        row_count=first_row,
    )
    absolute = np.zeros((len(bodies), ABSOLUTE_WIDTH))
    for index, body in enumerate(bodies):
        absolute[index, POSE_R : POSE_R + 9] = np.ravel(body.rotation)
        absolute[index, POSE_X : POSE_X + 3] = body.position
    joint_index = {joint.name: index for index, joint in enumerate(model.joints)}
    return Setup(model, spaces, acceleration, system, absolute, body_index, joint_index)


def body_row(body: Body, space: Space, model: Model) -> Floats:
    row = np.zeros(BODY_WIDTH)
    inertia = np.array(body.inertia)
    row[MASS] = body.mass
    row[INERTIA : INERTIA + 6] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    if space.group != "SE3":
        where = f"the frame of the space of body '{body.name}'"
        row[FRAME_POINT : FRAME_POINT + 3] = lever(body, frame_point(space, body, model), where)
    return row


def lever(body: Body, point: Sequence[float], where: str) -> Floats:
    """From the body's centre of mass to a point of the world at the start, in the body frame."""
    offset = np.array([x - y for x, y in zip(point, body.position, strict=True)])
    if not np.isfinite(offset).all():
        raise InvalidModel(
            f"{where}: its point is too far from body '{body.name}' for a number to tell.",
            "Check the units of both: metres.",
        )
    return np.array(body.rotation).T @ offset


def joint_end_row(joint: Joint, body_index: dict[str, int], first_row: int) -> list[int]:
    """BODY_A, BODY_B, LOCKED, FIRST_ROW, ROWS; the ground is always body a."""
    a, b = oriented(joint)
    locked = sum(1 << TWIST_COMPONENTS.index(component) for component in joint.locked)
    first = GROUND_INDEX if a == GROUND.name else body_index[a]
    return [first, body_index[b], locked, first_row, len(joint.locked)]


def oriented(joint: Joint) -> tuple[str, str]:
    """The joint's bodies with the ground, if it is one of them, first."""
    return (joint.b, joint.a) if joint.b == GROUND.name else (joint.a, joint.b)


def joint_row(joint: Joint, model: Model) -> Floats:
    """The joint frame on both bodies, in the order that `oriented` gives them."""
    axes = world_axes(joint)
    axes_b = axes if joint.axis_b is None else turned(axes, joint.axis_b)
    frames = {
        joint.a: (axes, np.array(joint.at)),
        joint.b: (axes_b, np.array(joint.at if joint.at_b is None else joint.at_b)),
    }
    row = np.zeros(JOINT_WIDTH)
    columns = ((AXES_A, POINT_A), (AXES_B, POINT_B))
    for name, (axes_at, point_at) in zip(oriented(joint), columns, strict=True):
        frame, point = frames[name]
        if name != GROUND.name:
            body = model.body(name)
            frame = np.array(body.rotation).T @ frame
            point = lever(body, point.tolist(), f"joint '{joint.name}'")
        row[axes_at : axes_at + 9] = frame.ravel()
        row[point_at : point_at + 3] = point
    row[PITCH] = joint.pitch
    return row


def world_axes(joint: Joint) -> Floats:
    """Columns x, y, z of the joint frame at the start; world axes where the joint has no axis."""
    if joint.kind in ("spherical", "fixed"):
        return np.eye(3)
    z = np.array(joint.axis)
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


def check_closed(setup: Setup) -> None:
    """Refuse a joint that is open at the start; one given by a single point and axis never is."""
    for name, index in setup.joint_index.items():
        joint = setup.model.joint(name)
        if joint.at_b is None and joint.axis_b is None:
            continue
        rotation, translation = joint_gap(setup.system, index, setup.absolute)
        gaps = ((np.linalg.norm(translation), "m"), (np.linalg.norm(rotation), "rad"))
        for gap, unit in gaps:
            if gap > OPEN_TOLERANCE:
                raise InconsistentStart(
                    f"joint '{name}' is open by {gap:.3g} {unit} at t = 0"
                    f" (tolerance {OPEN_TOLERANCE:g} {unit}).",
                    f"Move body '{joint.b}' or '{joint.a}', or correct at/at_b and axis/axis_b.",
                )


def real_rows(system: System) -> Integers:
    """Indices of the rows of J that are constraints rather than padding."""
    ends = system.joint_bodies
    spans = [np.arange(end[FIRST_ROW], end[FIRST_ROW] + end[ROWS]) for end in ends]
    return np.concatenate([np.zeros(0, np.int64), *spans])
