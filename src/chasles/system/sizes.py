"""What gaps and speeds of constraint rows are large or small against."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.constraints.kind import METRE
from chasles.system.build import Setup


def row_sizes(setup: Setup) -> Floats:
    """(rows,) What gaps and speeds of every row of J are compared with: a length, or 1 rad.

    The length is the lever of the joint, or the radius of gyration of its bodies if that is longer.
    """
    bodies, joints = setup.system.bodies, setup.system.joints
    gyration = np.append(np.sqrt(bodies.inertia[:, :3].max(axis=1) / bodies.mass), 0.0)
    levers = [
        np.where(ends >= 0, np.maximum(np.linalg.norm(points, axis=1), gyration[ends]), 0.0)
        for points, ends in ((joints.point_a, joints.a), (joints.point_b, joints.b))
    ]
    sizes = np.ones(setup.system.row_count)
    for index, lever in enumerate(np.maximum(*levers)):
        for row, unit in enumerate(setup.units(index), int(joints.first_row[index])):
            sizes[row] = lever if unit == METRE else 1.0
    return sizes


def length_rows(setup: Setup) -> Floats:
    """(rows,) 1 for rows in metres, else 0."""
    lengths = np.zeros(setup.system.row_count)
    for index, first in enumerate(setup.system.joints.first_row):
        for row, unit in enumerate(setup.units(index), int(first)):
            lengths[row] = float(unit == METRE)
    return lengths
