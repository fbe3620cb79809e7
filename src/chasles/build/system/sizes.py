"""Lengths that gaps, speeds and accelerations of a model are large or small against."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats, Joints, System, padded
from chasles.core.constraints.kind import METRE
from chasles.core.constraints.registry import CONSTRAINTS

#: Kind, locked components and rows of joints that are alike in these.
Alike = tuple[int, int, int]


def longest_lever(system: System) -> float:
    """The largest distance of a joint from a centre of mass, or a radius of gyration, in m."""
    joints = system.joints
    levers = [
        np.linalg.norm(points[ends >= 0], axis=1).max(initial=0.0)
        for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b))
    ]
    return float(max(*levers, gyration_radii(system).max(initial=0.0)))


def gyration_radii(system: System) -> Floats:
    """(n,) The largest radius of gyration of every body about an axis of its frame, m.

    0 of a frame without mass.
    """
    heavy = np.where(system.bodies.mass > 0.0, system.bodies.mass, 1.0)
    radii: Floats = np.sqrt(system.bodies.inertia[:, :3].max(axis=1) / heavy)
    return radii


def row_sizes(system: System) -> Floats:
    """(rows,) What gaps and speeds of every row of J are compared with: a length, or 1 rad.

    The length is the lever of the joint, or the radius of gyration of its bodies if that is longer.
    """
    joints, gyration = system.joints, np.append(gyration_radii(system), 0.0)
    levers = [
        np.where(ends >= 0, np.maximum(np.linalg.norm(points, axis=1), gyration[ends]), 0.0)
        for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b))
    ]
    lever = np.maximum(*levers)
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


def measured_rows(system: System) -> NDArray[np.bool_]:
    """(rows,) Which rows of J are derivatives of positions."""
    found, first = np.zeros(system.row_count, bool), system.joints.first_row
    for (kind, _, rows), members in alike(system.joints).items():
        for row in CONSTRAINTS[kind].measured_of(rows):
            found[first[members] + row] = True
    return found
