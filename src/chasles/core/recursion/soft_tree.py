r"""Equations of motion whose forces give way within a step.

$$ \begin{pmatrix} M + \gamma h D + (\gamma h)^2 K & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} = \begin{pmatrix} r \\ 0 \end{pmatrix} $$

on the coordinates of the pairs: articulated inertias that forces add to (see `softness`).  The
matrix $\sum l\,l^T$ of a force against the ground is one more inertia of its body.  A force
between a body and its parent sees their joint's coordinate alone, w = s q: it is one more armature,
$\sum (l\cdot s)^2$.  Others are not in this matrix: see `integrators.soft_apart`.  Bodies stand
still and weigh nothing in these equations: what velocities and gravity do is in the accelerations
that they correct.  Rows of cut joints ride as they do there, in a room of their own, and ask for
nothing: J delta = 0.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import formula, hot, once, routine
from chasles.core.arrays import Floats, Integers, vec3
from chasles.core.assemble import pose_of
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.core.recursion.again import load_bodies
from chasles.core.recursion.articulate import (
    clear_sums,
    inertia_of,
    put_inertia,
    sum_of,
    z_axis,
)
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import LoopRoom, Loops, make_loop_room
from chasles.core.recursion.kept import keep_rows
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.recursion.loading import by_rows, load_rows
from chasles.core.recursion.refine import (
    MOST_REFINEMENTS,
    converge,
    gather,
    motion_norm,
    push_norm,
    put_damping,
)
from chasles.core.recursion.solving import loop_inward, resolve_loads
from chasles.core.recursion.stage import put_cut_rows
from chasles.core.recursion.tree import (
    FIXED,
    HELICAL,
    POINT,
    PRISMATIC,
    REVOLUTE,
    ROW,
    Recursion,
    Tree,
    make_recursion,
)
from chasles.core.signals import put_signals
from chasles.core.softness import Softness, carried_twist, soften
from chasles.core.workspace import Workspace, make_workspace
from chasles.groups.vectors import add, cross, dot, matvec, neg, scale, sub, tmatvec

#: Where a force acts: against the ground, within a weld, between bodies that no hinge joins.
GROUNDED, WELDED, APART = -1, -2, -3


class SoftTree(NamedTuple):
    """A tree without weight, and scratch of its own."""

    tree: Tree
    memory: Recursion
    work: Workspace
    carried: Integers  # (f,) the body whose joint a force acts across, or a code
    still: Floats  # (kept,) the point, at rest
    loops: Loops  # no body is untouched: forces add to inertias
    room: LoopRoom


def crossed_joints(tree: Tree, soft: Softness) -> Integers:
    """(f,) The body whose joint a force acts across, or why there is none."""
    across = np.full(soft.count, GROUNDED, np.int64)
    for index, (a, b) in enumerate(zip(soft.base.tolist(), soft.moved.tolist())):
        if a >= 0:
            child = b if tree.parent[b] == a else a if tree.parent[a] == b else -1
            pair = int(tree.pair[child]) if child >= 0 else -1
            known = {FIXED: WELDED, REVOLUTE: child, PRISMATIC: child, HELICAL: child}
            across[index] = known.get(pair, APART)
    return across


def make_soft_tree(mechanism: Any, soft: Softness) -> SoftTree:
    """Storage for a mechanism."""
    tree, system = mechanism.tree, mechanism.system
    signals = np.zeros(max(1, system.signal_count))  # driven coordinates do not yield
    loops = by_rows(mechanism.loops)
    loops = loops._replace(untouched=0 * loops.untouched, begins=0 * loops.begins)
    return SoftTree(
        tree=tree._replace(gravity=np.zeros(3), armature=tree.armature.copy()),
        memory=make_recursion(tree, signals, wrenches=True, efforts=False, rows=True),
        work=make_workspace(system),
        carried=crossed_joints(tree, soft),
        still=np.zeros(mechanism.layout.kept),
        loops=loops,
        room=make_loop_room(loops, tree.body_count, tree.rate_count),
    )


@formula
def unit_twist(tree: Any, rows: Any, absolute: Any, body: int) -> Any:
    """The twist of a body whose joint alone moves, with rate 1, in its axes at its COM."""
    at, pair = body * ROW, tree.pair[body]
    z = z_axis(rows, at)
    spin = (0.0, 0.0, 0.0) if pair == PRISMATIC else z
    pitch = 1.0 if pair == PRISMATIC else tree.pitch[body] if pair == HELICAL else 0.0
    turn, centre = pose_of(absolute, body)
    speed = add(scale(pitch, z), cross(spin, sub(centre, vec3(rows, at + POINT))))
    return tmatvec(turn, spin), tmatvec(turn, speed)


@routine
def add_soft_armature(linear: Any, soft: Any) -> None:
    """Forces across a joint, on its coordinate."""
    tree, rows, absolute = linear.tree, linear.memory.rows, linear.work.absolute
    for index in range(soft.count):
        body = linear.carried[index]
        if body >= 0:
            a, b = soft.base[index], soft.moved[index]
            s = unit_twist(tree, rows, absolute, body)
            if body == a:
                seen = carried_twist(absolute, a, b, s)
                s = (neg(seen[0]), neg(seen[1]))
            for r in range(6):
                at = 36 * index + 6 * r
                along = dot(vec3(soft.factor, at), s[0]) + dot(vec3(soft.factor, at + 3), s[1])
                tree.armature[tree.rate_at[body]] += along * along


@formula
def spread_of(torque: Any, force: Any) -> Any:
    """(I, H, M) of l l^T, for a row l = (torque, force)."""
    (x, y, z), (u, v, w) = torque, force
    return (
        (x * x, y * x, y * y, z * x, z * y, z * z),
        (x * u, x * v, x * w, y * u, y * v, y * w, z * u, z * v, z * w),
        (u * u, v * u, v * v, w * u, w * v, w * w),
    )


@routine
def add_soft_inertias(linear: Any, soft: Any) -> None:
    """Forces against the ground, on the sums of their bodies: world axes, joint's point."""
    rows, absolute = linear.memory.rows, linear.work.absolute
    for index in range(soft.count):
        body = soft.moved[index]
        if linear.carried[index] == GROUNDED and body >= 0:
            turn, centre = pose_of(absolute, body)
            arm = sub(centre, vec3(rows, body * ROW + POINT))
            for r in range(6):
                at = 36 * index + 6 * r
                force = matvec(turn, vec3(soft.factor, at + 3))
                torque = add(matvec(turn, vec3(soft.factor, at)), cross(arm, force))
                whole = sum_of(inertia_of(rows, body * ROW), spread_of(torque, force))
                put_inertia(rows, body * ROW, whole)


@once
def linearise(mechanism: Any, linear: Any, soft: Any, point: Any, t: float, reach: float) -> int:
    """Softness of the forces at a point, with gamma h = `reach`, and the factor of the matrix: OK,
    or a row that has no pivot.
    """
    system, tree, work = mechanism.system, mechanism.tree, linear.work
    put_signals(system.signals, t, work.signals)
    for k in range(system.quadrature_count):
        work.quadratures[k] = point[mechanism.layout.integrals + k]
    kinematics(tree, point, linear.memory.rows)
    place(tree, point, linear.memory.rows, work.absolute)
    soften(system, work, soft, reach)
    for k in range(tree.stored_count):
        linear.still[k] = point[k]
    for k in range(tree.rate_count):
        linear.still[tree.stored_count + k] = 0.0
        linear.tree.armature[k] = tree.armature[k]
    kinematics(tree, linear.still, linear.memory.rows)  # leaves POINT as `place` has put it
    add_soft_armature(linear, soft)
    if mechanism.loops.row_count > 0:
        put_cut_rows(system, tree, linear.loops, linear.room, point, work)
        for row in range(system.row_count):
            work.eta[row] = 0.0
    return factor_soft(linear, soft)


@hot
def factor_soft(linear: Any, soft: Any) -> int:
    """The factor of inertias and what forces add to them: OK, or a row that has no pivot."""
    tree, memory, loops, room = linear.tree, linear.memory, linear.loops, linear.room
    work = linear.work
    clear_sums(tree, memory.rows)
    add_soft_inertias(linear, soft)
    load_rows(tree, loops, memory.rows, room, work.absolute, work.jacobian, work.eta)
    failed = loop_inward(tree, memory, loops, room)
    if failed == SOLVED:
        return OK
    row: int = loops.source[failed]
    return row


@once
def answer(mechanism: Any, linear: Any, wrenches: Any, slope: Any) -> int:
    """Accelerations under wrenches (n, 6), into the place of those of a slope: OK, or NOT_SOLVED.

    On the factor of the step.
    """
    tree, memory, loops, room = linear.tree, linear.memory, linear.loops, linear.room
    rows, rates, outcome = memory.rows, mechanism.tree.rate_count, OK
    for k in range(6 * tree.body_count):
        memory.wrenches[k] = wrenches[k]
    for row in range(loops.row_count):
        room.wanted[row] = 0.0
    load_bodies(tree, memory)
    resolve_loads(tree, loops, room, rows, room.solution, 0)
    if loops.is_damped != 0:
        size = motion_norm(tree, rows) + push_norm(tree, memory, mechanism.system)
        gather(tree, loops, room, rows, room.solution)
        put_damping(tree, loops, room)
        solves, _ = converge(tree, loops, room, rows, size)
        outcome = OK if solves <= MOST_REFINEMENTS else NOT_SOLVED
    for k in range(rates):
        slope[rates + k] = room.solution[k]
    if mechanism.kept.count > 0:
        keep_rows(mechanism.kept, slope, rates)
    return outcome
