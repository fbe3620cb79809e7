r"""The terms of the equations of motion at placed bodies, J, eta and Q, and their derivatives.

Derivatives of wrenches along motions of two bodies are found by differences, for implicit steps.  A
body is displaced by a twist in its own frame, $R\exp\hat\omega$ and $x + R u$, and its twist
changes by nu: 12 directions a body, 24 a force.  The formulas are those of the kernels, of any
kind, users' own included.  Seven correct digits make Newton's iteration gain seven digits at a
time; the solution does not depend on them.  (`analysis.tangent` has exact ones.)
A force that pushes only while it touches has no derivative while it does not.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, borrow, formula, hot, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ROW_WIDTH,
    TWIST,
    Floats,
    Integers,
    System,
    Workspace,
    clear,
    copy,
    make_workspace,
    put_pose,
    put_twist,
    storage,
)
from chasles.core.constraints.registry import assemble_joint
from chasles.core.forces.registry import FORCES, add_force_wrench, apply_forces, effort_of
from chasles.core.placed import own_wrench, pose_of
from chasles.groups.so3 import so3_exp, so3_matrix
from chasles.groups.vectors import add, dot, matmul, matvec, scale
from chasles.scalars.elementary import absolute as size_of
from chasles.scalars.elementary import maximum, sqrt


@routine
def put_inputs(system: Any, workspace: Any, k: int, table: Any, integrals: Any) -> None:
    """The functions of time and the integrals of the k-th of some states."""
    signals, count = system.signal_count, system.quadrature_count
    copy(beyond(table, k * signals), workspace.signals, signals)
    copy(beyond(integrals, k * count), workspace.quadratures, count)


@routine
def put_all_forces(system: Any, workspace: Any) -> None:
    """Q, in workspace.forces, from the wrenches of all forces beside gravity in workspace.rhs."""
    for body in range(system.body_count):
        put_twist(workspace.forces, 6 * body, own_wrench(system, workspace.absolute, body))
    for k in range(6 * system.body_count):
        workspace.forces[k] += workspace.rhs[k]


@kernel("forces and constraint rows", seconds=3, plain=(100_000, 200_000))
def terms_of(system: Any, work: Any, absolute: Any, table: Any, integrals: Any) -> None:
    """J, eta and Q at an absolute state (1, n, 18), left in `workspace`."""
    model, workspace = borrow(system), borrow(work)
    copy(borrow(absolute), workspace.absolute, model.body_count * ABSOLUTE_WIDTH)
    put_inputs(model, workspace, 0, borrow(table), borrow(integrals))
    bodies, jacobian, eta = workspace.absolute, workspace.jacobian, workspace.eta
    for joint in range(model.joint_count):
        assemble_joint(model, joint, bodies, workspace, jacobian, eta)
    clear(workspace.rhs, 6 * model.body_count)
    apply_forces(model, workspace)
    put_all_forces(model, workspace)


#: Differences: half of the digits of a displacement, and of a velocity (per second).
SMALL = 2.0**-26
#: Of the distance from the origin: what a body is displaced by is small against no less than that.
FAR = 2.0**-10
#: Directions of one body: 6 of its pose, 6 of its twist.
POSES, DIRECTIONS = 6, 12


class Tangents(NamedTuple):
    """What formulas of forces and joints are given while they are differentiated, and storage."""

    probe: Workspace  # its own, but for functions of time and integrals: those of the stage
    reach: Floats  # (n,) radius of gyration: what displacements are small against
    one_sided: Integers  # (f,) 1 for forces that push only while they touch
    block: Annotated[Floats, 12, 24]  # derivatives of one force or joint
    wrench: Annotated[Floats, 12]  # of a force or joint, ...
    displaced: Annotated[Floats, 12]  # ... and of one with a body displaced


def make_tangents(system: System, workspace: Workspace) -> Tangents:
    """Storage for a model whose stages write `workspace`."""
    mass = np.maximum(system.bodies.mass, np.finfo(float).tiny)
    reach = np.sqrt(system.bodies.inertia[:, :3].mean(axis=1) / mass)
    kinds = system.forces.kind[: system.force_count].tolist()
    return storage(
        Tangents,
        {},
        probe=make_workspace(system)._replace(
            signals=workspace.signals, quadratures=workspace.quadratures
        ),
        reach=np.where(reach > 0.0, reach, reach.max(initial=0.0)),  # frames without mass
        one_sided=np.array([FORCES[kind].one_sided for kind in kinds], np.int64),
    )


@formula
def unit(k: int) -> Any:
    return 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)


@routine
def displace(tangents: Any, workspace: Any, body: int, way: Any) -> float:
    """Move a body of the probe a little along a twist, from where it stands in the workspace; by
    which part of it.
    """
    turn, place = pose_of(workspace.absolute, body)
    far = maximum(maximum(size_of(place[0]), size_of(place[1])), size_of(place[2]))
    length = maximum(tangents.reach[body], FAR * far)  # rounding of a far place leaves some of it
    size = maximum(sqrt(dot(way[0], way[0])), sqrt(dot(way[1], way[1])) / length)
    if size == 0.0:
        return 0.0
    part = SMALL / size
    turned = matmul(turn, so3_matrix(so3_exp(scale(part, way[0]))))
    moved = add(place, matvec(turn, scale(part, way[1])))
    put_pose(tangents.probe.absolute, body, (turned, moved))
    return part


@routine
def move_body(tangents: Any, workspace: Any, body: int, direction: int) -> float:
    """Displace a body of the probe from where it stands in the workspace; by how much."""
    if direction < POSES:
        return displace(tangents, workspace, body, (unit(direction), unit(direction - 3)))
    now, was = tangents.probe.absolute, workspace.absolute
    entry = body * ABSOLUTE_WIDTH + TWIST + direction - POSES
    least = tangents.reach[body] if direction >= POSES + 3 else 1.0
    now[entry] = was[entry] + SMALL * maximum(least, size_of(was[entry]))
    return now[entry] - was[entry]


@hot
def put_back(tangents: Any, workspace: Any, body: int) -> None:
    """A body of the probe where it stands in the workspace."""
    at = body * ABSOLUTE_WIDTH
    copy(beyond(workspace.absolute, at), beyond(tangents.probe.absolute, at), ABSOLUTE_WIDTH)


@routine
def wrench_on_pair(
    system: Any, tangents: Any, multipliers: Any, which: int, is_joint: int, a: int, b: int,
    out: Any,
) -> float:  # fmt: skip
    """Wrench of a force on its bodies a and b, or of J^T lambda of a joint with a minus; the power
    of the force that it does not store.
    """
    probe = tangents.probe
    if is_joint != 0:
        assemble_joint(system, which, probe.absolute, probe, probe.jacobian, probe.eta)
        first = system.joints.first_row[which]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(first, first + system.joints.rows[which]):
                total -= probe.jacobian[row * ROW_WIDTH + c] * multipliers[row]
            out[c] = total
        return 0.0
    for c in range(6):
        if a >= 0:
            probe.rhs[6 * a + c] = 0.0
        if b >= 0:
            probe.rhs[6 * b + c] = 0.0
    supplied: float = add_force_wrench(system.forces.kind[which], system, which, probe)
    for c in range(6):
        out[c] = probe.rhs[6 * a + c] if a >= 0 else 0.0
        out[6 + c] = probe.rhs[6 * b + c] if b >= 0 else 0.0
    return supplied


@routine
def put_slopes(
    system: Any, tangents: Any, workspace: Any, multipliers: Any, which: int, is_joint: int, a: int,
    b: int, both: bool = True,
) -> bool:  # fmt: skip
    """Derivatives (12, 24) of a wrench on two bodies, into tangents.block; of joints poses only.

    Without `both` those of b alone are found.  False where there are none: nothing touches.
    """
    slopes, most = tangents.block, POSES if is_joint != 0 else DIRECTIONS
    wrench_on_pair(system, tangents, multipliers, which, is_joint, a, b, tangents.wrench)
    if is_joint == 0 and tangents.one_sided[which] != 0 and is_zero(tangents.wrench):
        return False
    clear(slopes, 12 * 24)
    for side in range(0 if both else 1, 2):
        body = a if side == 0 else b
        for direction in range(most if body >= 0 else 0):
            step = move_body(tangents, workspace, body, direction)
            wrench_on_pair(system, tangents, multipliers, which, is_joint, a, b, tangents.displaced)
            for c in range(12):
                change = tangents.displaced[c] - tangents.wrench[c]
                slopes[c * 24 + side * DIRECTIONS + direction] = change / step
            put_back(tangents, workspace, body)
    return True


@routine
def is_zero(wrench: Any) -> bool:
    total = 0.0
    for c in range(12):
        total += size_of(wrench[c])
    return total == 0.0


@routine
def effort_slopes(
    system: Any, tangents: Any, workspace: Any, index: int, value: Any, rate: Any
) -> Any:
    """(k, c) of a force on a coordinate: by how much its effort falls with the value and rate."""
    kind = system.forces.kind[index]
    effort = effort_of(kind, system, index, workspace, value, rate)[0]
    if effort == 0.0 and tangents.one_sided[index] != 0:
        return 0.0, 0.0
    shift = SMALL * maximum(1.0, size_of(value))
    faster = SMALL * maximum(1.0, size_of(rate))
    shifted = effort_of(kind, system, index, workspace, value + shift, rate)[0]
    hastened = effort_of(kind, system, index, workspace, value, rate + faster)[0]
    return (effort - shifted) / shift, (effort - hastened) / faster
