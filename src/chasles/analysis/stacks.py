"""Joints and forces of one kind as a stack, so that a formula runs on all of them at once.

Formulas take arrays for numbers.  A stack is a system with one joint, or one force, between bodies
0 and 1, whose numbers are arrays with an entry for each of the real ones.  What a formula asks with
`if` (kinds, locked components, whether body a is the ground) is the same for a whole stack; numbers
that all of them share stay plain.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from chasles.build.system.gaps import grouped
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    ROW_WIDTH,
    TWIST,
    Floats,
    Integers,
    System,
)
from chasles.core.constraints.lower_pair import LOWER_PAIR
from chasles.core.constraints.registry import CONSTRAINTS, assemble_joint
from chasles.core.forces.actuator import ACTUATOR
from chasles.core.forces.contact import CONTACT
from chasles.core.forces.joint_stop import JOINT_STOP
from chasles.core.forces.load import LOAD
from chasles.core.forces.registry import FORCES, apply_forces
from chasles.core.placed import inertial_and_gravity_wrench
from chasles.scalars.dual import Dual
from chasles.spaces.subalgebras import STRUCTURE

#: Directions: six of the pose of body a, six of that of b, then those of their twists.
POSES, DIRECTIONS = 12, 24
#: hat(e_k), so that turning about axis k changes R by R hat(e_k).
GENERATORS = STRUCTURE[:3, :3, :3].transpose(1, 0, 2)
#: Where the law of a load says in whose frame it acts; six functions of time at the most.
IN_BODY, MOST_SIGNALS = 6, 6
#: Their laws take the larger of two numbers, which differs from one of a stack to the next.
COMPARING = (ACTUATOR, CONTACT, JOINT_STOP)


def joint_stacks(system: System) -> Iterator[Integers]:
    """Joints and drivers that one formula serves; a user's formula stands alone."""
    joints = system.joints
    pitch = np.where(joints.kind == CONSTRAINTS.code(LOWER_PAIR), joints.constant, 0.0)
    by_user = [CONSTRAINTS[kind].calls_user for kind in joints.kind]
    alone = np.where(by_user, np.arange(len(joints.kind)), -1)
    keys = (joints.kind, joints.locked, joints.rows, joints.a >= 0, pitch, alone)
    yield from map(np.array, grouped(*keys).values())


def force_stacks(system: System) -> Iterator[Integers]:
    """Forces that one formula serves; a user's formula stands alone, and so does what compares."""
    forces = system.forces
    in_body = np.where(forces.kind == FORCES.code(LOAD), forces.law[:, IN_BODY], 0.0)
    compares = np.isin(forces.kind, [FORCES.code(kind) for kind in COMPARING])
    alone = np.where((forces.address != 0) | compares, np.arange(len(forces.kind)), -1)
    keys = (forces.kind, forces.a >= 0, forces.signal >= 0, forces.angle >= 0, in_body, alone)
    yield from map(np.array, grouped(*keys).values())


def stacked(columns: Any) -> list[Any]:
    """The columns of an array (m, k): plain numbers where all m are equal, arrays elsewhere."""
    table = np.asarray(columns).reshape(len(columns), -1)
    return [c[0].item() if np.all(c == c[0]) else c.astype(float) for c in table.T]


def stacked_part(part: Any, members: Integers, **given: int) -> Any:
    """A record of joints or forces with one row that stands for some of them."""
    columns = {name: stacked(value[members]) for name, value in part._asdict().items()}
    ends = {"a": -1 if part.a[members[0]] < 0 else 0, "b": 1, **given}
    return type(part)(**{**columns, **{name: [value] for name, value in ends.items()}})


def dual_pair(absolute: Floats, a: Integers, b: Integers) -> dict[int, Any]:
    """The absolute states of two bodies, 0 and 1, with derivatives; arrays along the stack."""
    entries: dict[int, Any] = {}
    for side, bodies in enumerate((a, b)):
        if bodies[0] < 0:
            continue
        rows = absolute[bodies]
        slopes = np.zeros((ABSOLUTE_WIDTH, DIRECTIONS, len(bodies)))
        rotation = rows[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
        turns = np.einsum("mij,kjl->ilkm", rotation, GENERATORS)
        slopes[POSE_R : POSE_R + 9, 6 * side : 6 * side + 3] = turns.reshape(9, 3, -1)
        slopes[POSE_X : POSE_X + 3, 6 * side + 3 : 6 * side + 6] = rotation.transpose(1, 2, 0)
        first = POSES + 6 * side
        slopes[TWIST:, first : first + 6] = np.eye(6)[:, :, None]
        for c in range(ABSOLUTE_WIDTH):
            entries[ABSOLUTE_WIDTH * side + c] = Dual(rows[:, c], slopes[c])
    return entries


def split(numbers: Any, count: int) -> tuple[Floats, Floats]:
    """Values (count, k) and slopes (count, k, DIRECTIONS) of k numbers, some of them constant."""
    values = np.zeros((len(numbers), count))
    slopes = np.zeros((len(numbers), DIRECTIONS, count))
    for k, number in enumerate(numbers):
        if isinstance(number, Dual):
            values[k], slopes[k] = number.value, number.slope
        else:
            values[k] = number
    return values.T, slopes.transpose(2, 0, 1)


def stacked_joints(system: System, members: Integers, absolute: Floats) -> tuple[Floats, Floats]:
    """Entries (m, rows, 12) of J, and their derivatives (m, rows, 12, 12) along poses."""
    joints, count = system.joints, len(members)
    rows = int(joints.rows[members[0]])
    alone = stacked_part(joints, members, first_row=0, drive=-1, rotor_bits=0)
    jacobian: dict[int, Any] = {}
    bodies = dual_pair(absolute, joints.a[members], joints.b[members])
    stack = system._replace(joints=alone, joint_count=1)
    assemble_joint(stack, 0, bodies, SimpleNamespace(), jacobian, {})
    values, slopes = split([jacobian[k] for k in range(rows * ROW_WIDTH)], count)
    shape = (count, rows, ROW_WIDTH)
    return values.reshape(shape), slopes[:, :, :POSES].reshape(*shape, POSES)


def stacked_forces(
    system: System, members: Integers, absolute: Floats, signals: Floats, angles: Floats
) -> tuple[Floats, Floats]:
    """Wrenches (m, 12) on both bodies, and their derivatives (m, 12, 24)."""
    forces = system.forces
    signal, angle = forces.signal[members], forces.angle[members]
    alone = stacked_part(
        forces, members, signal=min(0, int(signal[0])), angle=min(0, int(angle[0]))
    )
    order = range(12) if alone.a[0] == 0 else range(6, 12)
    rhs: dict[int, Any] = dict.fromkeys(order, 0.0)
    first = np.maximum(signal, 0)[:, None] + np.arange(MOST_SIGNALS)
    workspace = SimpleNamespace(
        absolute=dual_pair(absolute, forces.a[members], forces.b[members]), rhs=rhs,
        signals=stacked(signals[np.minimum(first, len(signals) - 1)]),
        quadratures=stacked(angles[np.maximum(angle, 0)]) if angles.size else [0.0],
        quadrature_rates={},
    )  # fmt: skip
    apply_forces(system._replace(forces=alone, force_count=1), workspace)
    return split([rhs.get(k, 0.0) for k in range(12)], len(members))


def stacked_weights(system: System, absolute: Floats) -> tuple[Floats, Floats]:
    """Gravity and gyroscopic terms of all bodies, as wrenches on a body b."""
    everybody = np.arange(system.body_count)
    entries = dual_pair(absolute, np.full(1, -1), everybody)
    row = [entries[ABSOLUTE_WIDTH + c] for c in range(ABSOLUTE_WIDTH)]
    torque, force = inertial_and_gravity_wrench(
        system.bodies.mass,
        tuple(system.bodies.inertia.T),
        tuple(row[POSE_R : POSE_R + 9]),
        (tuple(row[TWIST : TWIST + 3]), tuple(row[TWIST + 3 :])),
        tuple(system.gravity.tolist()),
    )
    return split((0.0,) * 6 + torque + force, system.body_count)
