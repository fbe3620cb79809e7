"""The flat arrays kernels work on: their columns, and how a formula's tuples are read and written.

Python sees ordinary two-dimensional arrays; kernels borrow them (see `chasles.compiled`) and index
them flat: entry c of row r is at r * WIDTH + c.
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
# Columns of System.body_spaces, and the codes of the groups.
GROUP, REFERENCE = 0, 1
SPACE_WIDTH = 2
SE3_CODE, SO3XR3_CODE = 0, 1

# Columns of System.joints: the joint's frame on each body, axes (row-major), origin from the COM.
AXES_A, POINT_A, AXES_B, POINT_B, PITCH = 0, 9, 12, 21, 24
JOINT_WIDTH = 25
# Columns of System.joint_bodies.
BODY_A, BODY_B, LOCKED, FIRST_ROW, ROWS, KIND, DRIVE, DRIVE_WORK, ADDRESS = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
)
ENDS_WIDTH = 9
# KIND: what rows a joint has beside the locked components of its relative twist.
LOWER_PAIR, DRIVEN_AXIS, SLIDING_POINT, UNIVERSAL, CONSTANT_VELOCITY = 0, 1, 2, 3, 4
DISTANCE, GEAR, ROLLING_SPHERE, ROLLING_DISC, CUSTOM = 5, 6, 7, 8, 9
# DRIVE: where the driver's value, rate and second derivative stand among the signals; -1: none.
# DRIVE_WORK: where its work is integrated.  ADDRESS: of a custom joint's compiled formula.
# Bits of LOCKED: which components of the relative twist in the joint frame must vanish.
TWIST_COMPONENTS = ("wx", "wy", "wz", "ux", "uy", "uz")
#: LOCKED of a driver that turns.
DRIVEN_TURN = 0b100

SCREW_FORM, SPACE_FORM = 0, 1

# Columns of System.force_ends: kind, bodies, first signal (-1: none), unwrapped angle (-1: none),
# address of a compiled formula (0: none).
FORCE_KIND, FORCE_A, FORCE_B, FORCE_SIGNAL, FORCE_ANGLE, FORCE_ADDRESS = 0, 1, 2, 3, 4, 5
FORCE_ENDS_WIDTH = 6
SPRING, ON_COORDINATE, BUSHING, LOAD, DRAG, CUSTOM_FORCE = 0, 1, 2, 3, 4, 5
# Columns of System.forces: joint frames as in System.joints (AXES_A .. POINT_B), then the law.
# A spring keeps its points in POINT_A, POINT_B; a load its point in POINT_B.
LAW = 24
FORCE_WIDTH = 37

# A chart state has a row per body: quaternion wxyz, position, velocity variable.
ROTATION, POSITION, VELOCITY = 0, 4, 7
CHART_WIDTH = 13

# An absolute state has a row per body: R row-major, r, body twist (omega, v).
POSE_R, POSE_X, TWIST = 0, 9, 12
ABSOLUTE_WIDTH = 18

# A row of J: its entries on body a, then on body b.
ROW_WIDTH = 12


class System(NamedTuple):
    """A model in numbers.  Bodies are numbered so that a reference body precedes its children."""

    bodies: Floats  # (n, BODY_WIDTH)
    body_spaces: Integers  # (n, SPACE_WIDTH)
    joints: Floats  # (m, JOINT_WIDTH)
    joint_bodies: Integers  # (m, ENDS_WIDTH); body a may be the ground, body b never is
    forces: Floats  # (f, FORCE_WIDTH)
    force_ends: Integers  # (f, FORCE_ENDS_WIDTH)
    gravity: Floats  # (3,)
    form: int  # SCREW_FORM or SPACE_FORM
    body_count: int
    joint_count: int
    force_count: int
    signal_count: int  # functions of time, sampled at every stage; the time itself comes first
    quadrature_count: int  # integrals: work of forces, work of drivers, unwrapped angles
    row_count: int  # rows of J, padding included


def padded(rows: Any) -> Any:
    """Rows a joint takes in J and in the factor: three or six, whatever it locks."""
    return np.where(np.asarray(rows) <= 3, 3, 6)


@formula
def vec3(p: Any, at: int) -> Any:
    return p[at], p[at + 1], p[at + 2]


@formula
def vec4(p: Any, at: int) -> Any:
    return p[at], p[at + 1], p[at + 2], p[at + 3]


@formula
def twist6(p: Any, at: int) -> Any:
    """A pair (omega, v) from six neighbouring entries."""
    return vec3(p, at), vec3(p, at + 3)


@formula
def sym6(p: Any, at: int) -> Any:
    return p[at], p[at + 1], p[at + 2], p[at + 3], p[at + 4], p[at + 5]


@formula
def mat9(p: Any, at: int) -> Any:
    return (
        p[at], p[at + 1], p[at + 2],
        p[at + 3], p[at + 4], p[at + 5],
        p[at + 6], p[at + 7], p[at + 8],
    )  # fmt: skip


@formula
def put3(p: Any, at: int, v: Any) -> None:
    p[at], p[at + 1], p[at + 2] = v


@formula
def put4(p: Any, at: int, v: Any) -> None:
    p[at], p[at + 1], p[at + 2], p[at + 3] = v


@formula
def put_twist(p: Any, at: int, twist: Any) -> None:
    put3(p, at, twist[0])
    put3(p, at + 3, twist[1])


@formula
def put9(p: Any, at: int, m: Any) -> None:
    put3(p, at, (m[0], m[1], m[2]))
    put3(p, at + 3, (m[3], m[4], m[5]))
    put3(p, at + 6, (m[6], m[7], m[8]))
