"""The flat arrays kernels work on: their columns, and how a formula's tuples are read and written.

Python sees ordinary two-dimensional arrays; kernels borrow them (see `chasles.compiled`) and index
them flat: entry c of row r is at r * WIDTH + c.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chasles.compiled import borrow, formula, hot
from chasles.compiled import lend as lend
from chasles.model.formulas import MOST_SEEN

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

R = TypeVar("R")

GROUND_INDEX = -1

# Codes of the groups.
SE3_CODE, SO3XR3_CODE = 0, 1

# Bits of Joints.locked: which components of the relative twist in the joint frame must vanish.
TWIST_COMPONENTS = ("wx", "wy", "wz", "ux", "uy", "uz")
#: Joints.locked of a driver that turns, and of one that shifts.
DRIVEN_TURN, DRIVEN_SHIFT = 0b000100, 0b100000

SCREW_FORM, SPACE_FORM = 0, 1

#: How many constants the law of a force has at the most.
LAW_WIDTH = 13
#: What it is given, 18 numbers per body, and what it answers: rows of two bodies, or of all.
EXCHANGE_WIDTH, ANSWER_WIDTH = 18 * MOST_SEEN, 6 * MOST_SEEN + 2

# Numbers of a body on a chart: quaternion wxyz, position, velocity variable.
CHART_WIDTH = 13

# An absolute state has a row per body: R row-major, r, body twist (omega, v).
POSE_R, POSE_X, TWIST = 0, 9, 12
ABSOLUTE_WIDTH = 18

# A row of J: its entries on body a, then on body b.
ROW_WIDTH = 12


class Bodies(NamedTuple):
    """Inertia and space of every body."""

    mass: Floats  # (n,)
    inertia: Floats  # (n, 6) about the centre of mass: xx, yy, zz, xy, xz, yz
    frame_point: Floats  # (n, 3) origin of the chart's frame from the centre of mass
    group: Integers  # (n,) code of the chart's group
    reference: Integers  # (n,) body that the chart is relative to, or GROUND_INDEX


class Joints(NamedTuple):
    """Joints, then drivers.  A frame is axes (row-major) and an origin from the centre of mass."""

    axes_a: Floats  # (m, 9)
    point_a: Floats  # (m, 3)
    axes_b: Floats  # (m, 9)
    point_b: Floats  # (m, 3)
    constant: Floats  # (m,) pitch, length, ratio or radius
    a: Integers  # (m,) body a, which may be the ground
    b: Integers  # (m,) body b, which never is
    locked: Integers  # (m,) bits of the locked components
    first_row: Integers  # (m,) in J
    rows: Integers  # (m,) without padding
    rotor_bits: Integers  # (m,) bits of the free components that rotors feel: their rows follow
    span: Integers  # (m,) rows with those of rotors
    rotors: Floats  # (m, 6) inertia by component
    kind: Integers  # (m,) code, see `chasles.core.constraints.registry`
    drive: Integers  # (m,) where value, rate and second derivative stand in the signals, or -1
    drive_work: Integers  # (m,) where the work of a driver is integrated, or -1
    address: Integers  # (m,) of a user's compiled formula, or 0


class Forces(NamedTuple):
    """Forces beside gravity.  A spring has points only, a load its point in point_b."""

    axes_a: Floats  # (f, 9)
    point_a: Floats  # (f, 3)
    axes_b: Floats  # (f, 9)
    point_b: Floats  # (f, 3)
    law: Floats  # (f, LAW_WIDTH) constants
    kind: Integers  # (f,) code, see `chasles.core.forces.registry`
    a: Integers  # (f,)
    b: Integers  # (f,)
    signal: Integers  # (f,) first signal, or -1
    angle: Integers  # (f,) where an unwrapped angle is integrated, or -1
    address: Integers  # (f,) of a user's compiled formula, or 0
    seen: Integers  # (f, 1 + MOST_SEEN) how many bodies a formula moves, and which; else 0


class Hinges(NamedTuple):
    """Joints whose turns are counted along: their angles are the last integrals."""

    joint: Integers  # (h,)
    sign: Floats  # (h,) -1 where the arrays hold the joint's bodies in the opposite order
    first: int  # where the first angle stands among the integrals
    count: int  # h


class Signals(NamedTuple):
    """All functions of time of a model; what they write stands in the row of a stage."""

    kind: Integers  # (k,)
    first: Integers  # (k,) where its numbers begin
    pieces: Integers  # (k,) how many
    column: Integers  # (k,) where its value goes; rate and second derivative follow
    orders: Integers  # (k,) how many of value, rate and second derivative are wanted
    address: Integers  # (k,) of a C function, or 0
    numbers: Floats  # of all signals, one after the other
    count: int  # k
    width: int  # of a row: the time, then all columns


class System(NamedTuple):
    """A model in numbers.  Bodies are numbered so that a reference body precedes its children."""

    bodies: Bodies
    joints: Joints
    forces: Forces
    hinges: Hinges
    signals: Signals  # functions of time
    gravity: Floats  # (3,)
    form: int  # SCREW_FORM or SPACE_FORM
    body_count: int
    joint_count: int
    force_count: int
    drive_count: int  # drivers
    signal_count: int  # functions of time, sampled at every stage; the time itself comes first
    quadrature_count: int  # integrals: work of forces, work of drivers, unwrapped angles
    row_count: int  # rows of J, padding included


def storage(record: Callable[..., R], sizes: Mapping[str, int], /, **given: Any) -> R:
    """A record with zeros for all arrays that are not given.

    `Annotated[Floats, "n", 6]` is an array (sizes["n"], 6).
    """
    for name, kind in record.__annotations__.items():
        if name not in given:
            shape = [size if isinstance(size, int) else sizes[size] for size in kind.__metadata__]
            given[name] = np.zeros(shape, np.int64 if kind.__origin__ == Integers else np.float64)
    return record(**given)


def sizes_of(system: System) -> dict[str, int]:
    """What `storage` makes arrays by."""
    bodies, rows = system.body_count, system.row_count
    return {
        "n": bodies,
        "6 n": 6 * bodies,
        "rows": rows,
        "signals": max(1, system.signal_count),
        "quadratures": system.quadrature_count,
    }


def padded(rows: Any) -> Any:
    """Rows a joint takes in J: three or six, whatever it locks and its rotors feel."""
    return np.where(np.asarray(rows) <= 3, 3, 6)


def row_span(system: System, joint: int) -> slice:
    """The rows of a joint in J, without padding."""
    first = int(system.joints.first_row[joint])
    return slice(first, first + int(system.joints.rows[joint]))


def flat_arrays(record: Any) -> Any:
    """A record with flat arrays, as routines see it; for routines that run in plain Python."""
    return borrow(record)


@formula
def body_of(joints: Any, joint: int, side: int) -> int:
    """Body a (side 0) or b (side 1) of a joint."""
    return joints.a[joint] if side == 0 else joints.b[joint]


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
def get6(p: Any, at: int) -> Any:
    """Six numbers: a row, or the lower triangle of a symmetric matrix."""
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
def add3(p: Any, at: int, v: Any) -> None:
    p[at], p[at + 1], p[at + 2] = p[at] + v[0], p[at + 1] + v[1], p[at + 2] + v[2]


@formula
def put4(p: Any, at: int, v: Any) -> None:
    p[at], p[at + 1], p[at + 2], p[at + 3] = v


@formula
def put6(p: Any, at: int, x: Any) -> None:
    p[at], p[at + 1], p[at + 2], p[at + 3], p[at + 4], p[at + 5] = x


@formula
def put_twist(p: Any, at: int, twist: Any) -> None:
    put3(p, at, twist[0])
    put3(p, at + 3, twist[1])


@formula
def put9(p: Any, at: int, m: Any) -> None:
    put3(p, at, (m[0], m[1], m[2]))
    put3(p, at + 3, (m[3], m[4], m[5]))
    put3(p, at + 6, (m[6], m[7], m[8]))


@formula
def put_pose(absolute: Any, body: int, pose: Any) -> None:
    put9(absolute, body * ABSOLUTE_WIDTH + POSE_R, pose[0])
    put3(absolute, body * ABSOLUTE_WIDTH + POSE_X, pose[1])


@formula
def put_body(absolute: Any, body: int, pose: Any, twist: Any) -> None:
    """The row of a placed body."""
    put_pose(absolute, body, pose)
    put_twist(absolute, body * ABSOLUTE_WIDTH + TWIST, twist)


@hot
def copy(source: Any, into: Any, count: int) -> None:
    for k in range(count):
        into[k] = source[k]


@hot
def clear(values: Any, count: int) -> None:
    for k in range(count):
        values[k] = 0.0


class Workspace(NamedTuple):
    """Poses, rows, forces and functions of time of one stage."""

    absolute: Annotated[Floats, "n", ABSOLUTE_WIDTH]  # poses and twists
    jacobian: Annotated[Floats, "rows", ROW_WIDTH]
    eta: Annotated[Floats, "rows"]
    rhs: Annotated[Floats, "6 n"]  # wrenches of forces
    forces: Annotated[Floats, "6 n"]  # Q, where it is asked for
    residual: Annotated[Floats, "rows"]  # what rows miss
    search: Annotated[Floats, "6 n"]  # twists of all bodies
    signals: Annotated[Floats, "signals"]  # the time and all functions of time, at this stage
    quadratures: Annotated[Floats, "quadratures"]  # integrals at this stage
    quadrature_rates: Annotated[Floats, "quadratures"]
    exchange: Annotated[Floats, EXCHANGE_WIDTH]  # what a user's formula is given ...
    answer: Annotated[Floats, ANSWER_WIDTH]  # ... and what it answers
    formula_gaps: Annotated[Floats, "rows"]  # g of joints by formulas, as last assembled


def make_workspace(system: System) -> Workspace:
    """Workspace for a model."""
    return storage(Workspace, sizes_of(system))
