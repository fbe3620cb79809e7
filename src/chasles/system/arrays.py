"""The flat arrays kernels work on: their columns, and how a formula's tuples are read and written.

Few wide arrays rather than many narrow ones: every array that crosses a compiled call is reference
counted, which on a one-body model costs more than the physics.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.compiled import formula

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GROUND_INDEX = -1

# Columns of System.bodies.
MASS, INERTIA, FRAME_POINT = 0, 1, 7
BODY_WIDTH = 10
# Columns of System.body_spaces.
GROUP, REFERENCE = 0, 1
# Groups of a chart.
SE3_CODE, SO3XR3_CODE = 0, 1

# Columns of System.joints: the joint frame on each body, as axes (row-major) and origin from the COM.
AXES_A, POINT_A, AXES_B, POINT_B, PITCH = 0, 9, 12, 21, 24
JOINT_WIDTH = 25
# Columns of System.joint_bodies.
BODY_A, BODY_B, LOCKED, FIRST_ROW, ROWS = 0, 1, 2, 3, 4
# Bits of LOCKED: which components of the relative twist in the joint frame must vanish.
TWIST_COMPONENTS = ("wx", "wy", "wz", "ux", "uy", "uz")

SCREW_FORM, SPACE_FORM = 0, 1


class System(NamedTuple):
    """A model in numbers.  Bodies are numbered so that a reference body precedes its children."""

    bodies: Floats  # (n, BODY_WIDTH)
    body_spaces: Integers  # (n, 2)
    joints: Floats  # (m, JOINT_WIDTH)
    joint_bodies: Integers  # (m, 5); body a may be the ground, body b never is
    gravity: Floats  # (3,)
    form: int  # SCREW_FORM or SPACE_FORM


class State(NamedTuple):
    """A configuration and velocity in the charts of the bodies' spaces."""

    chart: Floats  # (n, 13): quaternion wxyz, position 3, velocity variable 6 of each body


# Columns of State.chart.
ROTATION, POSITION, VELOCITY = 0, 4, 7
CHART_WIDTH = 13

# Columns of the absolute state: R row-major, r, then the body twist (omega, v).
POSE_R, POSE_X, TWIST = 0, 9, 12
ABSOLUTE_WIDTH = 18


@formula
def vec3(array: Any, row: int, column: int) -> Any:
    return array[row, column], array[row, column + 1], array[row, column + 2]


@formula
def vec4(array: Any, row: int, column: int) -> Any:
    return (
        array[row, column],
        array[row, column + 1],
        array[row, column + 2],
        array[row, column + 3],
    )


@formula
def twist6(array: Any, row: int, column: int) -> Any:
    """A pair (omega, v) from six neighbouring columns."""
    return vec3(array, row, column), vec3(array, row, column + 3)


@formula
def sym6(array: Any, row: int, column: int) -> Any:
    return (
        array[row, column],
        array[row, column + 1],
        array[row, column + 2],
        array[row, column + 3],
        array[row, column + 4],
        array[row, column + 5],
    )


@formula
def mat9(array: Any, row: int, column: int) -> Any:
    return (
        array[row, column],
        array[row, column + 1],
        array[row, column + 2],
        array[row, column + 3],
        array[row, column + 4],
        array[row, column + 5],
        array[row, column + 6],
        array[row, column + 7],
        array[row, column + 8],
    )


@formula
def put3(array: Any, row: int, column: int, v: Any) -> None:
    array[row, column], array[row, column + 1], array[row, column + 2] = v


@formula
def put4(array: Any, row: int, column: int, v: Any) -> None:
    array[row, column], array[row, column + 1] = v[0], v[1]
    array[row, column + 2], array[row, column + 3] = v[2], v[3]


@formula
def put_twist(array: Any, row: int, column: int, twist: Any) -> None:
    put3(array, row, column, twist[0])
    put3(array, row, column + 3, twist[1])


@formula
def put9(array: Any, row: int, column: int, m: Any) -> None:
    put3(array, row, column, (m[0], m[1], m[2]))
    put3(array, row, column + 3, (m[3], m[4], m[5]))
    put3(array, row, column + 6, (m[6], m[7], m[8]))
