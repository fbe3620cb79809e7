"""Joint coordinates at poses, their whole turns, couplings of them, and how far joints are open."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.build.system.gaps import (
    components,
    frame_of,
    in_columns,
    opening_history,
    pose_history,
)
from chasles.build.system.user_code import CustomRows
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats, Integers, flat_arrays
from chasles.core.constraints.rows import coordinate_rows, relative_twist
from chasles.core.placed import (
    frame_seen_from_a,
    nearest_turn,
    relative_joint_frame,
    turn_about_axis,
)
from chasles.model import Coupling, CustomCoupling, JointForce, Model
from chasles.model.coordinates import ANGLE
from chasles.spaces.frames import oriented

if TYPE_CHECKING:
    from chasles.build.system.build import Setup


#: A coordinate: the name of its joint, and "angle" or "displacement".
Key = tuple[str, str]


def coordinate_keys(model: Model) -> list[Key]:
    """All coordinates of a model's joints, in its order."""
    return [(joint.name, word) for joint in model.joints for word in joint.coordinates]


def coordinate_of_poses(setup: "Setup", joint: str, kind: str, absolute: Floats) -> Floats:
    """Angle within half a turn, or displacement, of b against a in the user's order (T,)."""
    turn, shift = opening_history(setup.system.joints, setup.joint_index[joint], absolute)
    found = turn_about_axis(turn) if kind == "angle" else shift[2]
    return orientation(setup, joint) * np.broadcast_to(found, absolute.shape[:-2])


def coordinate_rate(setup: "Setup", joint: str, kind: str, absolute: Floats) -> Floats:
    """Rate of a joint's angle or displacement (T,)."""
    joints, index = flat_arrays(setup.system.joints), setup.joint_index[joint]
    spin, slide = relative_twist(joints, index, in_columns(absolute))
    rate: Floats = orientation(setup, joint) * (spin if kind == "angle" else slide)[2]
    return rate


def counted_angles(setup: "Setup", absolute: Floats, near: Mapping[str, float]) -> dict[str, float]:
    """Angles (rad) of the joints whose turns are counted, at one state (n, 18).

    Poses give them up to whole turns; `near` decides between these, or half a turn where it is
    silent.
    """
    names = list(angle_columns(setup))
    if not names:
        return {}
    close = np.array([near.get(name, entered(setup, name)) for name in names])
    return dict(zip(names, nearest_turn(angles_of(setup, names, absolute), close).tolist()))


def angles_of(setup: "Setup", names: Sequence[str], absolute: Floats) -> Floats:
    """The angles of some joints at one state (n, 18), within half a turn: all at once."""
    joints, index = setup.system.joints, np.array([setup.joint_index[name] for name in names])
    ground = np.zeros(ABSOLUTE_WIDTH)
    ground[POSE_R : POSE_R + 9] = np.eye(3).ravel()
    rows, frames = np.vstack((absolute, ground)), []  # the ground's number, -1, is the last row
    for ends, axes, points in (
        (joints.a, joints.axes_a, joints.point_a),
        (joints.b, joints.axes_b, joints.point_b),
    ):
        body = rows[ends[index]]
        frames.append((components(body, POSE_R, 9), components(body, POSE_X, 3)))
        frames.append((components(axes[index], 0, 9), components(points[index], 0, 3)))
    signs = np.array([orientation(setup, name) for name in names])
    angles: Floats = signs * turn_about_axis(relative_joint_frame(*frames)[0])
    return angles


def entered(setup: "Setup", joint: str) -> float:
    """A joint's angle at the poses entered."""
    return setup.model.joint(joint).at_start("angle")


def hinge_names(setup: "Setup") -> list[str]:
    """The joints whose turns are counted though no force acts on them."""
    joints = setup.model.joints
    return [joints[joint].name for joint in setup.system.hinges.joint.tolist()]


def angle_columns(setup: "Setup") -> dict[str, list[int]]:
    """Where the integrals count the turns of a joint: one column per force on its angle, or one."""
    columns: dict[str, list[int]] = {}
    for force, angle in zip(setup.model.forces, setup.system.forces.angle.tolist()):
        if isinstance(force, JointForce) and angle >= 0:
            columns.setdefault(force.joint, []).append(angle)
    for number, name in enumerate(hinge_names(setup)):
        columns[name] = [setup.system.hinges.first + number]
    return columns


def integrals_at(setup: "Setup", absolute: Floats, near: Mapping[str, float]) -> Floats:
    """Integrals (quadratures,) at a state (n, 18): no work was done, and angles are as they are."""
    integrals = np.zeros(setup.system.quadrature_count)
    angles = counted_angles(setup, absolute, near)
    for joint, columns in angle_columns(setup).items():
        integrals[columns] = angles[joint]
    return integrals


def first_integrals(setup: "Setup") -> Floats:
    """Integrals at the start."""
    return integrals_at(setup, setup.absolute, setup.angles)


def orientation(setup: "Setup", joint: str) -> float:
    """-1 where the arrays hold the joint's bodies in the opposite order."""
    found = setup.model.joint(joint)
    return 1.0 if oriented(found)[1] == found.b else -1.0


def coupled_coordinates(
    setup: "Setup", coupling: Coupling, absolute: Floats, near: Mapping[str, float] | None = None
) -> list[Floats]:
    """The coordinates of a coupling at absolute states (..., n, 18), in the order of its terms.

    Angles are those nearest to `near`, by joint; else to what is known of the start.
    """
    known = setup.angles if near is None else near
    found = []
    for joint, word, _ in coupling.terms:
        value = coordinate_of_poses(setup, joint, word, absolute)
        near_by = known.get(joint, entered(setup, joint))
        found.append(nearest_turn(value, near_by) if word == ANGLE else value)
    return found


def coupled_gap(
    setup: "Setup", coupling: Coupling, absolute: Floats, near: Mapping[str, float] | None = None
) -> Floats:
    """By how much a coupling is off, in the unit of its terms, at absolute states (..., n, 18)."""
    if isinstance(coupling, CustomCoupling):
        return formula_gap(setup, coupling, absolute)
    values = coupling.values(coupled_coordinates(setup, coupling, absolute, near))
    return np.broadcast_to(np.asarray(values, float), absolute.shape[:-2])


def formula_gap(setup: "Setup", coupling: CustomCoupling, absolute: Floats) -> Floats:
    """What a user's formula of bodies gives, called with floats, state by state."""
    bodies = [setup.body_index[name] for name in coupling.bodies]
    shape = absolute.shape[:-2]
    states = absolute[..., bodies, :TWIST].reshape(-1, len(bodies), TWIST).tolist()
    found = [
        coupling.residual(*((tuple(row[:POSE_X]), tuple(row[POSE_X:])) for row in state))
        for state in states
    ]
    return np.array(found).reshape(shape)


def coordinate_row(setup: "Setup", joint: str, word: str, absolute: Floats) -> Any:
    """The row (..., 12) on the twists of a joint's bodies a and b that is a coordinate's rate."""
    index, joints = setup.joint_index[joint], setup.system.joints
    axes, point = frame_of(joints, index, "b")
    a, b = (pose_history(absolute, int(body[index])) for body in (joints.a, joints.b))
    seen = frame_seen_from_a(a, b, axes, point)
    rows = coordinate_rows(word == ANGLE, seen, (axes, point))
    parts = [x for row in rows for half in row for x in half]
    row = np.stack([np.broadcast_to(x, absolute.shape[:-2]) for x in parts], axis=-1)
    return orientation(setup, joint) * row


def coupled_matrix(setup: "Setup", absolute: Floats) -> Floats:
    """J (c, 6 n) of all couplings on the twists of the bodies, at one state (n, 18)."""
    joints, couplings = setup.system.joints, setup.model.couplings
    matrix = np.zeros((len(couplings), 6 * setup.system.body_count))
    for k, coupling in enumerate(couplings):
        if isinstance(coupling, CustomCoupling):
            bodies = [setup.body_index[name] for name in coupling.bodies]
            row = CustomRows(coupling, len(bodies)).rows_at(absolute[bodies].ravel())[1]
            matrix[k].reshape(-1, 6)[bodies] = row.reshape(-1, 6)
            continue
        coordinates = coupled_coordinates(setup, coupling, absolute)
        for (joint, word, _), f in zip(coupling.terms, coupling.derivatives(coordinates)):
            row = f[1] * coordinate_row(setup, joint, word, absolute)
            index = setup.joint_index[joint]
            for side, body in enumerate((int(joints.a[index]), int(joints.b[index]))):
                if body >= 0:
                    matrix[k, 6 * body : 6 * body + 6] += row[6 * side : 6 * side + 6]
    return matrix


def coupled_places(setup: "Setup") -> Integers:
    """Where couplings have a row's place for their multipliers."""
    index = [setup.joint_index[coupling.name] for coupling in setup.model.couplings]
    return setup.system.joints.first_row[index]


def coupled_sizes(setup: "Setup") -> dict[int, float]:
    """By place: the largest of what the terms are when angles are 1 rad, lengths the lever."""
    lever = setup.longest_lever or 1.0
    sizes = {}
    for place, coupling in zip(coupled_places(setup).tolist(), setup.model.couplings):
        if not coupling.terms:  # in a unit that only its user knows
            sizes[place] = 1.0
            continue
        reach = [
            sum(abs(c) * (1.0 if word == ANGLE else lever) ** (k + 1) for k, c in enumerate(powers))
            for _, word, powers in coupling.terms
        ]
        sizes[place] = max(reach)
    return sizes


def gap(
    setup: "Setup", joint: str, absolute: Floats, times: Floats | None = None
) -> tuple[Floats, Floats]:
    """Rotation (T, 3) in rad and translation (T, 3) in m by which a joint is open, world axes.

    Only a driver, which is measured against its motion, needs the times.
    """
    index = setup.joint_index[joint]
    target = 0.0 if times is None else setup.targets(joint, times)
    rotation, translation = setup.gap(joint, absolute, target)
    body = int(setup.system.joints.a[index])
    axes = np.array(frame_of(setup.system.joints, index, "a")[0]).reshape(3, 3)
    if body >= 0:
        axes = absolute[:, body, POSE_R : POSE_R + 9].reshape(-1, 3, 3) @ axes
    return (axes @ rotation[..., None])[..., 0], (axes @ translation[..., None])[..., 0]


def coordinate(
    setup: "Setup", joint: str, kind: str, absolute: Floats, times: Floats, integrals: Floats
) -> Floats:
    """Angle without wrap-around, or displacement, of body b against a in the user's order (T,).

    Turns are those that were counted along.
    """
    columns = angle_columns(setup)
    if kind == "angle" and joint not in columns:
        return unwrapped_angle(setup, joint, absolute, times)
    found = coordinate_of_poses(setup, joint, kind, absolute)
    if kind == "displacement":
        return found
    counted: Floats = nearest_turn(found, integrals[:, columns[joint][0]])
    return counted


def unwrapped_angle(setup: "Setup", joint: str, absolute: Floats, times: Floats) -> Floats:
    """An angle whose turns were not counted (T,): the rates at both ends tell those between states.

    Turns before the start follow from the state in which it began.
    """
    angle = coordinate_of_poses(setup, joint, "angle", absolute)
    first = nearest_turn(angle[0], setup.angles.get(joint, entered(setup, joint)))
    angle = angle + first - angle[0]
    rate = coordinate_rate(setup, joint, "angle", absolute)
    expected = 0.5 * (rate[1:] + rate[:-1]) * np.diff(times)
    steps = np.diff(angle)
    steps += 2.0 * np.pi * np.round((expected - steps) / (2.0 * np.pi))
    return np.concatenate((angle[:1], angle[0] + np.cumsum(steps)))
