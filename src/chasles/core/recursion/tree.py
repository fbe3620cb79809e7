r"""A tree of bodies in numbers: which joint carries each, in the frames the recursion works in.

The body carried by a joint with motion subgroup H is placed by an element of H alone, and moves
with a velocity in its algebra h: nothing can open the joint, in any arithmetic.

*Working frames.*  The recursion sees a body through a frame at its joint's point P with axes that
suit the joint: z along a hinge, the principal axes of the inertia about P for a ball.  Then

$$ R = R_p\,C\,Q(q), \qquad P = P_p + R_p\,(s + C\,d(q)), $$

with constants C (turn) and s (lever) on the parent and the joint's own motion (Q, d):

| pair        | H              | stored                    | velocity in h             |
|-------------|----------------|---------------------------|---------------------------|
| fixed       | 1              |                           |                           |
| revolute    | SO(2)          | angle, cos, sin           | rate                      |
| prismatic   | R              | displacement              | rate                      |
| helical     | R              | angle, cos, sin           | rate                      |
| cylindrical | SO(2) x R      | angle, cos, sin, z        | rates of angle and z      |
| planar      | SO(2) x R^2    | angle, cos, sin, x, y     | rates of angle, x, y      |
| Schoenflies | SO(2) x R^3    | angle, cos, sin, x, y, z  | rates of angle, x, y, z   |
| flat        | R^2            | x, y                      | rates of x, y             |
| Cartesian   | R^3            | x, y, z                   | rates of x, y, z          |
| spherical   | SO(3)          | quaternion of C Q         | body rate, working axes   |
| free        | SO(3) x R^3    | quaternion, P in the world| body rate, dP/dt          |
| direct      | SO(3) x R^3    | quaternion, x             | body rate, dx/dt          |
| proper      | SE(3)          | quaternion, x             | body twist, working axes  |

Angles are unwrapped.  Their cosine and sine are stored: a stage multiplies them by those of a short
increment, by a series; a finished step computes them anew.

*Charts.*  A body on a chart of six dimensions has a joint that locks nothing: "free" for SO(3)xR3
against the ground, "direct" against another body, "proper" for SE(3) against either.  x is P seen
from the point of the reference body, in its working axes; the chart's own origins and axes differ
from these by constants, which no Munthe-Kaas method sees.  Such a joint exerts nothing: the body is
articulated as a free root (`parent` is the ground), and only its rates refer to the reference
(`base`).

*The planar pair* allows the motions of SE(2).  Its chart is the abelian product SO(2) x R^2: x and
y are displacements of the centre of mass along axes of the *parent*.  That group acts on the same
poses, simply transitively (turn about the moved point, shift along fixed axes), and dexp^-1 = 1.
It is SO(3)xR3 relative to the parent, restricted to turns about z and shifts in the plane, so the
method is the one of the six-dimensional chart.  With a pitch (planar-helical motions) every radian
advances along z as well; a Schoenflies pair also shifts along z.  So there is a pair for each of
the twelve classes of connected subgroups of SE(3).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import formula
from chasles.core.arrays import Floats, Integers, mat9, vec3
from chasles.groups.vectors import ZERO, cross, matmult, scale

# --- pairs ---

# In an order that lets questions be one comparison each: pairs from REVOLUTE to SCHOENFLIES turn
# about z and store (angle, cos, sin) first; from SPHERICAL on they store a quaternion first.
FIXED, PRISMATIC, FLAT, CARTESIAN = 0, 1, 2, 3
REVOLUTE, HELICAL, CYLINDRICAL, PLANAR, SCHOENFLIES = 4, 5, 6, 7, 8
SPHERICAL = 9
#: A ball whose rotations carry rotor inertia: eliminated one after the other.
SPHERICAL_ARMATURE = 10
FREE = 11
#: Charts against another body, or on SE(3): nothing is handed over, as by a free root.
SO3XR3_PAIR, SE3_PAIR = 12, 13
PAIR_CODES = {
    "fixed": FIXED,
    "revolute": REVOLUTE,
    "prismatic": PRISMATIC,
    "helical": HELICAL,
    "cylindrical": CYLINDRICAL,
    "planar": PLANAR,
    "Schoenflies": SCHOENFLIES,
    "flat": FLAT,
    "Cartesian": CARTESIAN,
    "spherical": SPHERICAL,
    "free": FREE,
    "SO3xR3": SO3XR3_PAIR,
    "SE3": SE3_PAIR,
}
#: Degrees of freedom and stored numbers by code.
DOF = (0, 1, 2, 3, 1, 1, 2, 3, 4, 3, 3, 6, 6, 6)
STORED = (0, 1, 2, 3, 3, 3, 4, 5, 6, 4, 4, 7, 7, 7)


@formula
def coordinates_of(pair: int) -> int:
    """Coordinates that are eliminated one after the other: of all pairs but balls and charts."""
    if pair < REVOLUTE:
        return pair
    if pair < CYLINDRICAL:
        return 1
    if pair <= SCHOENFLIES:
        return pair - CYLINDRICAL + 2
    return 3 if pair == SPHERICAL_ARMATURE else 1


@formula
def turns_of(pair: int) -> int:
    """How many coordinates of a pair that has no ball in it are turns: they come first."""
    return 1 if pair >= REVOLUTE else 0


@formula
def is_flat(pair: int) -> bool:
    """Whether a pair shifts along x and y."""
    return pair in (FLAT, CARTESIAN, PLANAR, SCHOENFLIES)


@formula
def rises(pair: int) -> bool:
    """Whether a pair shifts along z by a coordinate of its own, its last."""
    return pair in (PRISMATIC, CARTESIAN, CYLINDRICAL, SCHOENFLIES)


@formula
def place_in_pair(pair: int, slot: int) -> int:
    """Where a coordinate stands among the stored numbers of its pair, which has no ball in it.

    The cosine and sine of an angle are behind it.
    """
    return slot + 2 if slot > 0 and turns_of(pair) > 0 else slot


# Tree.map.  TRUNCATED + q: exp, with dexp^-1 summed up to q brackets.
EXP, CAYLEY, TRUNCATED = 0, 1, 2


class Tree(NamedTuple):
    """Bodies, parents first.  Symmetric matrices are lower triangles, row by row."""

    parent: Integers  # (n,) what feels its joint's wrench; -1: the ground
    base: Integers  # (n,) what its coordinates refer to: the parent, or a chart's reference
    pair: Integers  # (n,)
    stored_at: Integers  # (n,) first of its stored numbers
    rate_at: Integers  # (n,) first of its velocities
    turn: Floats  # (n, 9) C: the joint's frame in the parent's working axes
    lever: Floats  # (n, 3) s: from the parent's P to the joint's point, parent's working axes
    mass: Floats  # (n,)
    moment: Floats  # (n, 3) mass times c, P to the centre of mass, working axes
    inertia: Floats  # (n, 6) about P, working axes
    pitch: Floats  # (n,) metres per radian
    armature: Floats  # (v,) rotor inertia on every coordinate
    driven: Integers  # (v,) first signal (value, rate, second derivative) or -1
    is_leaf: Integers  # (n,) nothing hangs on it; with rows: nor does any close on it
    is_spherical_leaf: Integers  # (n,) a ball that nothing hangs on
    leaf: Floats  # (n, 9) of those: I^-1 and M', working axes (see `build_tree.spherical_leaves`)
    is_later: Integers  # (n,) the parent has been given something before, by a sibling or rows
    flushes: Integers  # (n,) what is nothing is made zero where it passes on: see `denormals`
    axes: Floats  # (n, 9) the working axes in the body's own frame, as columns
    centre: Floats  # (n, 3) c: P to the centre of mass, working axes
    gravity: Floats  # (3,)
    body_count: int
    stored_count: int
    rate_count: int
    driven_count: int
    map: int  # code of the map from the algebras to the groups


# --- scratch: a row of numbers per body ---

TURN = 0  # R, row-major
OMEGA = 9
LEVER = 12  # r = P - P_parent
BIAS_W, BIAS_U = 15, 18  # what velocities add to alpha and a
# Sums of what children and loads give; a body's own share is added when its joint gives way.
FACTOR = 21  # of six dimensions, once it has given way: the factor of A
ROTARY = 21  # I, lower triangle
COUPLING = 27  # H, row-major; of a ball I^-1 H, once it has given way
LINEAR = 36  # M, lower triangle
TORQUE, FORCE = 42, 45  # p
ALPHA, ACCELERATION = 48, 51  # of six dimensions L^-1 (tau - p), until it is known
POINT, SPEED = 54, 57  # P and its velocity; only `place` fills them
# Of every coordinate, of which there are up to four, so many numbers:
SLOT = 8
COLUMN = 60  # U (6); the factor of I of a ball
GAIN = 66  # 1 / D
PULL = 67  # what is known of its acceleration: D^-1 (tau - S . p); of a ball I^-1 (tau - p_n)
# A hinge's row ends within nine cache lines.
AXIS = 92  # x axis of a pair with shifts x, y; rate, in working axes, of a ball on the ground
ROW = 96  # a multiple of a cache line of eight

#: Of a force that does not act along a coordinate of a pair: see `make_tree_workspace`.
BY_WRENCH = (-1, -1)


class TreeWorkspace(NamedTuple):
    """What the passes write, and the loads they read; made once per run."""

    rows: Floats  # (n, ROW)
    wrenches: Floats  # (n, 6) loads in the body's own axes at its centre of mass
    efforts: Floats  # (v,) generalised forces
    signals: Floats  # functions of time at this stage
    along: Integers  # (forces,) the velocity that a force acts along, as an effort; -1: by wrenches
    along_at: Integers  # (forces,) where the coordinate of that is stored
    has_wrenches: int
    has_efforts: int
    # balls that nothing hangs on, and no rows, are seen in their own axes
    has_spherical_leaves: int
    is_loaded: int  # sums of (I, H, M) and p start from zero: loads, or rows in any order


def rows_in_lines(count: int) -> Floats:
    """(count, ROW) zeros from the beginning of a cache line on."""
    line = 8
    numbers = np.zeros(count * ROW + line)
    first = -(numbers.ctypes.data // numbers.itemsize) % line
    return numbers[first : first + count * ROW].reshape(count, ROW)


def make_tree_workspace(
    tree: Tree, signals: Floats, wrenches: bool, efforts: bool, rows: bool = False,
    along: Sequence[tuple[int, int]] = (),
) -> TreeWorkspace:  # fmt: skip
    """Workspace for a tree; `signals` is where the functions of time of a stage are found.

    `along` says for every force which velocity it acts along and where its coordinate is stored, or
    BY_WRENCH.
    """
    return TreeWorkspace(
        rows=rows_in_lines(tree.body_count),
        wrenches=np.zeros((tree.body_count, 6)),
        efforts=np.zeros(tree.rate_count),
        signals=signals,
        along=np.array([rate for rate, _ in along], np.int64),
        along_at=np.array([at for _, at in along], np.int64),
        has_wrenches=int(wrenches),
        has_efforts=int(efforts),
        has_spherical_leaves=int(not rows),
        is_loaded=int(wrenches or rows),
    )


@formula
def column_of_turn(rows: Any, at: int, k: int) -> Any:
    """Axis k of a working frame."""
    return rows[at + TURN + k], rows[at + TURN + 3 + k], rows[at + TURN + 6 + k]


@formula
def own_turn(tree: Any, rows: Any, body: int) -> Any:
    """R of the body's own frame."""
    return matmult(mat9(rows, body * ROW + TURN), mat9(tree.axes, 9 * body))


@formula
def axis_of(tree: Any, rows: Any, body: int, pair: int, slot: int) -> Any:
    """S of a coordinate: (turn, shift).  Of all pairs but balls and charts."""
    at = body * ROW
    z = column_of_turn(rows, at, 2)
    if pair == SPHERICAL_ARMATURE:
        return column_of_turn(rows, at, slot), ZERO
    if pair == REVOLUTE:
        return z, ZERO
    turns = turns_of(pair)
    if slot < turns:
        return z, scale(tree.pitch[body], z)
    if is_flat(pair):
        x = vec3(rows, at + AXIS)
        if slot == turns:
            return ZERO, x
        if slot == turns + 1:
            return ZERO, cross(z, x)
    return ZERO, z
