"""By how much a joint is open, at any number of states, and what that is large or small against."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats, Forces, Joints, System, flat_arrays, padded
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.constraints.rolling import ROLLING_DISC
from chasles.core.kinds import METRE
from chasles.core.placed import opening_of, pose_of

#: Cosine between the axis of a disc and the normal of its plane, above which it lies on it.
NEARLY_FLAT = 0.99


def components(array: Floats, first: int, count: int) -> tuple[Floats, ...]:
    """Neighbouring last-axis columns as a formula's tuple of array scalars."""
    return tuple(array[..., first + k] for k in range(count))


def in_columns(absolute: Floats) -> Floats:
    """Absolute states (..., n, 18) as routines number their entries: (18 n, ...)."""
    return np.moveaxis(absolute.reshape(*absolute.shape[:-2], -1), -1, 0)


def pose_history(absolute: Floats, body: int) -> Any:
    """(R, r) of a body over all states of `absolute` (..., n, 18); the ground is constant."""
    return pose_of(in_columns(absolute), body)


def frame_of(pairs: Joints | Forces, index: int, side: str) -> Any:
    """(axes, point) of a joint or force on its body a or b, in that body's frame."""
    if side == "a":
        return tuple(pairs.axes_a[index]), tuple(pairs.point_a[index])
    return tuple(pairs.axes_b[index]), tuple(pairs.point_b[index])


def opening_history(pairs: Joints | Forces, index: int, absolute: Floats) -> Any:
    """Frame B of a joint or force seen from A, (turn, shift), at absolute states (..., n, 18)."""
    return opening_of(flat_arrays(pairs), index, in_columns(absolute))


def stacked(vector: Any, absolute: Floats) -> Floats:
    """A formula's tuple over states as one array (..., 3)."""
    out = np.empty((*absolute.shape[:-2], 3))
    for k in range(3):
        out[..., k] = vector[k]
    return out


def flat_disc(system: System, absolute: Floats) -> int | None:
    """The rolling disc that lies on its plane, or almost, at one state (n, 18)."""
    for joint in np.flatnonzero(system.joints.kind == CONSTRAINTS.code(ROLLING_DISC)):
        turn, _ = opening_history(system.joints, int(joint), absolute)
        if abs(turn[8]) > NEARLY_FLAT:
            return int(joint)
    return None


#: Kind, locked components and rows of joints that are alike in these.
Alike = tuple[int, int, int]


def joint_levers(system: System) -> Floats:
    """(2, joints) Distances of joints from the centres of mass of their bodies a and b, m.

    0 on the ground.
    """
    joints = system.joints
    return np.array(
        [
            np.where(ends >= 0, np.linalg.norm(points, axis=1), 0.0)
            for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b))
        ]
    )


def longest_lever(system: System) -> float:
    """The largest distance of a joint from a centre of mass, or a radius of gyration, in m."""
    radii = gyration_radii(system)
    return float(max(joint_levers(system).max(initial=0.0), radii.max(initial=0.0)))


def typical_length(system: System) -> float:
    """The mean distance of the joints from the centres of mass, or 1 m if all are there."""
    levers = joint_levers(system)
    return float(np.mean(levers[levers > 0.0])) if levers.any() else 1.0


def gyration_radii(system: System) -> Floats:
    """(n,) The largest radius of gyration of every body about an axis of its frame, m.

    0 of a frame without mass.
    """
    heavy = np.where(system.bodies.mass > 0.0, system.bodies.mass, 1.0)
    radii: Floats = np.sqrt(system.bodies.inertia[:, :3].max(axis=1) / heavy)
    return radii


def row_sizes(system: System) -> Floats:
    """(rows,) What gaps and speeds of every row of J are compared with: a length, or 1 rad.

    The length is the lever of the joint, or the radius of gyration of its bodies if that is longer;
    the longest of all where it has neither, at the point of a frame without mass.
    """
    joints, gyration = system.joints, np.append(gyration_radii(system), 0.0)  # the ground's last
    ends = np.array([joints.a, joints.b])
    lever = np.maximum(joint_levers(system), gyration[ends]).max(axis=0)
    lever = np.where(lever > 0.0, lever, longest_lever(system))
    return np.where(row_units(system) == METRE, np.repeat(lever, padded(joints.span)), 1.0)


def alike(joints: Joints) -> dict[Alike, list[int]]:
    """Joints and drivers by what their rows are: a long chain has few kinds of joints."""
    return grouped(joints.kind, joints.locked, joints.rows)


def grouped(*keys: Any) -> dict[Any, list[int]]:
    """Indices of equal keys, in the order in which they first come."""
    found: dict[Any, list[int]] = {}
    for index, key in enumerate(zip(*(np.asarray(part).tolist() for part in keys))):
        found.setdefault(key, []).append(index)
    return found


def row_units(system: System) -> NDArray[np.object_]:
    """(rows,) The unit of every row of J: "rad", "m", or "" of padding and of users' formulas."""
    units, first = np.full(system.row_count, "", object), system.joints.first_row
    for (kind, locked, rows), members in alike(system.joints).items():
        for row, unit in enumerate(CONSTRAINTS[kind].units_of(locked, rows)):
            units[first[members] + row] = unit
    return units


def length_rows(system: System) -> Floats:
    """(rows,) 1 for rows in metres, else 0."""
    return (row_units(system) == METRE).astype(float)
