r"""How forces give way within a step, and the equations of motion in which they do.

A coordinate's effort answers a small displacement and a small velocity with
$-(k\,\delta q + c\,\delta\dot q)$.  A force between bodies a and b, and all forces between these
two, see in the axes of b at its centre of mass the displacement $w = V_b - X V_a$ of b against a
(X carries a twist of a to b), and answer with

$$ \delta F_b = -(K w + D\dot w), \qquad \delta F_a = -X^T \delta F_b, $$

K and D being differences of their wrenches when b alone is displaced or moved a little: any kind of
force, a user's as well.  In the matrix that is factored they are made symmetric, and what is
negative in them (a spring that is compressed gives way sideways) is cut off, so that
$S = \gamma h D + (\gamma h)^2 K$ is positive; what is left of them is iterated for.  The equations

$$ \begin{pmatrix} M + S & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} = \begin{pmatrix} r \\ 0 \end{pmatrix} $$

are those of the one elimination: S of a coordinate is one more armature, $S = \sum l\,l^T$ against
the ground one more inertia of the body, and between two bodies a compliant row for every l,
$l\cdot w - \lambda = 0$.  Bodies stand still and weigh nothing in these equations: what velocities
and gravity do is in the accelerations that they correct.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, formula, once, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ROW_WIDTH,
    TWIST,
    Floats,
    Integers,
    put3,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.assemble import pose_of, twist_of
from chasles.core.blocks.small import dot6, get6
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.core.recursion.again import load_efforts
from chasles.core.recursion.articulate import (
    clear_load,
    clear_sums,
    inertia_of,
    load_wrenches,
    put_inertia,
    sum_of,
)
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import LoopRoom, Loops, make_loop_room
from chasles.core.recursion.kept import keep_rows
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.recursion.loading import by_rows, load_rows
from chasles.core.recursion.on_bodies import row_on_body
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
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import POINT, ROW, Recursion, Tree, make_recursion
from chasles.core.signals import put_signals
from chasles.core.tangents import Tangents, effort_slopes, make_tangents, put_slopes
from chasles.core.workspace import Workspace
from chasles.groups.vectors import add, cross, matvec, neg, sub, tmatvec
from chasles.scalars.elementary import maximum, sqrt

#: Pivots below this fraction of the first are rounding.
NOTHING = 1e-10
SIZE = 36


class Softness(NamedTuple):
    """K and D of coordinates and of pairs of bodies, and the equations that have them.

    A link is all forces, but those on coordinates, between two bodies or a body and the ground.
    """

    link_of: Integers  # (f,) the link of a force; -1: none
    moved: Integers  # (l,) body b, which is displaced
    base: Integers  # (l,) body a, or -1
    count: int  # l
    first: int  # row of J behind which their rows stand
    touched: Integers  # (l,) whether forces act there, at the start of this step
    stiffness: Floats  # (l, 36)
    damping: Floats  # (l, 36)
    positive: Floats  # (l, 36) S
    rest: Floats  # (l, 36) S - gamma h D - (gamma h)^2 K
    stiff: Floats  # (v,) k of the coordinates
    damped: Floats  # (v,) c
    left: Floats  # (v,) the rest of these
    is_rest: Integers  # (1,) whether there is any
    spare: Floats  # (36,)
    factor: Floats  # (36,)
    wrench: Floats  # (6,)
    tangents: Tangents
    tree: Tree  # without weight
    memory: Recursion  # its wrenches and efforts are r
    work: Workspace  # rows l of the links stand behind those of the joints
    still: Floats  # (kept,) the point, at rest
    loops: Loops  # no body is untouched: forces add to inertias
    room: LoopRoom


def make_softness(mechanism: Any, cuts: Sequence[Cut], work: Workspace) -> Softness:
    """Storage for a mechanism with these cut joints, whose stages write `work`."""
    tree, system, memory = mechanism.tree, mechanism.system, mechanism.memory
    count, forces = system.force_count, system.forces
    moved = np.where(forces.b >= 0, forces.b, forces.a)[:count]
    base = np.where(forces.b >= 0, forces.a, -1)[:count]
    pairs = list(zip(base.tolist(), moved.tolist()))
    linked = [k for k in range(count) if memory.along[k] < 0 and moved[k] >= 0]
    links = sorted({pairs[k] for k in linked})
    link_of = np.full(count, -1, np.int64)
    link_of[linked] = [links.index(pairs[k]) for k in linked]
    loops = by_rows(with_links(mechanism, cuts, links))
    loops = loops._replace(untouched=0 * loops.untouched, begins=0 * loops.begins)
    along = bool((memory.along >= 0).any())
    signals = np.zeros(max(1, system.signal_count))  # driven coordinates do not yield
    tangents, rows = make_tangents(system, work), system.row_count + 6 * len(links)
    jacobian, eta = np.zeros((rows, ROW_WIDTH)), np.zeros(rows)
    return Softness(
        link_of,
        moved=np.array([b for _, b in links], np.int64),
        base=np.array([a for a, _ in links], np.int64),
        count=len(links),
        first=system.row_count,
        touched=np.zeros(len(links), np.int64),
        stiffness=np.zeros((len(links), SIZE)),
        damping=np.zeros((len(links), SIZE)),
        positive=np.zeros((len(links), SIZE)),
        rest=np.zeros((len(links), SIZE)),
        stiff=np.zeros(tree.rate_count),
        damped=np.zeros(tree.rate_count),
        left=np.zeros(tree.rate_count),
        is_rest=np.zeros(1, np.int64),
        spare=np.zeros(SIZE),
        factor=np.zeros(SIZE),
        wrench=np.zeros(6),
        tangents=tangents,
        tree=tree._replace(gravity=np.zeros(3), armature=tree.armature.copy()),
        memory=make_recursion(tree, signals, wrenches=True, efforts=along, rows=True),
        work=tangents.probe._replace(jacobian=jacobian, eta=eta, absolute=work.absolute.copy()),
        still=np.zeros(mechanism.layout.kept),
        loops=loops,
        room=make_loop_room(loops, tree.body_count, tree.rate_count),
    )


def with_links(mechanism: Any, cuts: Sequence[Cut], links: list[tuple[int, int]]) -> Loops:
    """The rows of a mechanism, and six that give way for every link between two bodies."""
    own: Loops = mechanism.loops
    first = mechanism.system.row_count
    soft = [
        Cut(-1, a, b, tuple(range(first + 6 * k, first + 6 * k + 6)), rotors=(1.0,) * 6)
        for k, (a, b) in enumerate(links)
        if a >= 0
    ]
    if not soft:
        return own
    where = {source: row for row, source in enumerate(own.source.tolist())}
    kept = [cut._replace(rows=tuple(row for row in cut.rows if row in where)) for cut in cuts]
    loops = make_loops(mechanism.tree, [*kept, *soft])
    at = np.array([where.get(source, -1) for source in loops.source.tolist()], np.int64)

    def carried(values: Any, beside: float) -> Any:
        return np.append(values, values.dtype.type(beside))[at]

    return loops._replace(
        joints=own.joints, in_world=own.in_world, joint_count=own.joint_count,
        damping=carried(own.damping, 0), floors=carried(own.floors, 0),
        scales=carried(own.scales, 1), choices=carried(own.choices, -1),
        is_damped=own.is_damped, is_chosen=own.is_chosen,
    )  # fmt: skip


# --- positive parts ---


@routine
def factor_rows(matrix: Any, out: Any) -> None:
    """Rows l with the sum of l l^T = the symmetric part of a matrix, where that is positive.

    Cholesky's method, the largest pivot first; it ends where no pivot is left.  In a positive
    matrix no entry is larger than the root of the product of its pivots: those of others are cut.
    The matrix is used up.
    """
    for i in range(6):
        for j in range(i):
            mean = 0.5 * (matrix[6 * i + j] + matrix[6 * j + i])
            matrix[6 * i + j], matrix[6 * j + i] = mean, mean
    first = 0.0
    for row in range(6):
        best, pivot = 0, 0.0
        for i in range(6):
            if matrix[7 * i] > pivot:
                best, pivot = i, matrix[7 * i]
        first = pivot if row == 0 else first
        for i in range(6):
            out[6 * row + i] = 0.0
        if not pivot > NOTHING * first:
            continue
        root = sqrt(pivot)
        for i in range(6):
            own = matrix[7 * i]
            if own > 0.0:
                limit = sqrt(own * pivot)
                out[6 * row + i] = min(max(matrix[6 * best + i], -limit), limit) / root
        for i in range(6):
            for j in range(6):
                matrix[6 * i + j] -= out[6 * row + i] * out[6 * row + j]
        for i in range(6):  # exactly, so that it is not chosen again
            matrix[6 * i + best], matrix[6 * best + i] = 0.0, 0.0


@routine
def add_positive(
    matrix: Any, factor: float, spare: Any, rows: Any, out: Any, before: float
) -> None:
    """out = before * out + factor * the positive part of a matrix."""
    for k in range(SIZE):
        spare[k] = matrix[k]
    factor_rows(spare, rows)
    for i in range(6):
        for j in range(6):
            total = 0.0
            for row in range(6):
                total += rows[6 * row + i] * rows[6 * row + j]
            out[6 * i + j] = before * out[6 * i + j] + factor * total


# --- the matrix of a step ---


@routine
def differentiate(mechanism: Any, soft: Any, point: Any) -> None:
    """k, c, K and D of all forces at the placed bodies."""
    system, tree, memory, tangents = mechanism.system, soft.tree, mechanism.memory, soft.tangents
    for k in range(tree.rate_count):
        soft.stiff[k], soft.damped[k] = 0.0, 0.0
    for k in range(SIZE * soft.count):
        soft.stiffness[k], soft.damping[k] = 0.0, 0.0
    for link in range(soft.count):
        soft.touched[link] = 0
    if soft.count > 0:
        for k in range(tree.body_count * ABSOLUTE_WIDTH):
            tangents.probe.absolute[k] = soft.work.absolute[k]
    for index in range(system.force_count):
        k, link = memory.along[index], soft.link_of[index]
        if k >= 0:
            value, rate = point[memory.along_at[index]], point[tree.stored_count + k]
            stiff, damped = effort_slopes(system, tangents, soft.work, index, value, rate)
            soft.stiff[k] += stiff
            soft.damped[k] += damped
        elif link >= 0:
            a, b, none = soft.base[link], soft.moved[link], soft.wrench
            if a < 0:  # a force that names the ground second has its body first
                a, b = system.forces.a[index], system.forces.b[index]
            side = 1 if b == soft.moved[link] else 0
            if put_slopes(system, tangents, soft.work, none, index, 0, a, b, side == 0):
                soft.touched[link] = 1
                for r in range(6):
                    for c in range(6):
                        at, entry = SIZE * link + 6 * r + c, 24 * (6 * side + r) + 12 * side + c
                        soft.stiffness[at] -= tangents.block[entry]
                        soft.damping[at] -= tangents.block[entry + 6]


@routine
def soften(soft: Any, armature: Any, reach: float) -> None:
    """S of all coordinates and links for gamma h = `reach`, what is left, and the rows l."""
    soft.is_rest[0] = 0
    for k in range(soft.tree.rate_count):
        stiff, damped = reach * reach * soft.stiff[k], reach * soft.damped[k]
        given = maximum(0.0, stiff) + maximum(0.0, damped)
        soft.tree.armature[k] = armature[k] + given
        soft.left[k] = given - stiff - damped
        if soft.left[k] != 0.0:
            soft.is_rest[0] = 1
    for link in range(soft.count):
        at, rows = SIZE * link, soft.factor
        for k in range(SIZE):
            rows[k] = 0.0
        if soft.touched[link] != 0:
            soft.is_rest[0] = 1
            stiffness, damping = beyond(soft.stiffness, at), beyond(soft.damping, at)
            positive = beyond(soft.positive, at)
            add_positive(stiffness, reach * reach, soft.spare, rows, positive, 0.0)
            add_positive(damping, reach, soft.spare, rows, positive, 1.0)
            for k in range(SIZE):
                soft.spare[k] = positive[k]
                given = reach * reach * stiffness[k] + reach * damping[k]
                soft.rest[at + k] = positive[k] - given
            factor_rows(soft.spare, rows)
        put_link_rows(soft, link)


@routine
def put_link_rows(soft: Any, link: int) -> None:
    """Rows l on both bodies, behind those of the joints."""
    a, b, jacobian = soft.base[link], soft.moved[link], soft.work.jacobian
    for r in range(6):
        entry = (soft.first + 6 * link + r) * ROW_WIDTH
        own = twist6(soft.factor, 6 * r)
        put_twist(jacobian, entry + 6, own)
        if a >= 0:
            put_twist(jacobian, entry, felt_by(soft.work.absolute, a, b, own))


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
def add_grounded(soft: Any) -> None:
    """Links against the ground, on the sums of their bodies."""
    rows, work = soft.memory.rows, soft.work
    for link in range(soft.count):
        if soft.base[link] < 0 and soft.touched[link] != 0:
            body = soft.moved[link]
            whole = inertia_of(rows, body * ROW)
            for r in range(6):
                entry = (soft.first + 6 * link + r) * ROW_WIDTH + 6
                torque, force, _ = row_on_body(rows, work.absolute, work.jacobian, body, entry)
                whole = sum_of(whole, spread_of(torque, force))
            put_inertia(rows, body * ROW, whole)


@once
def linearise(mechanism: Any, soft: Any, point: Any, t: float, reach: float) -> int:
    """Softness of the forces at a point, with gamma h = `reach`, and the factor of the matrix: OK,
    or a row that has no pivot.
    """
    system, tree, work, memory = mechanism.system, mechanism.tree, soft.work, soft.memory
    loops, room = soft.loops, soft.room
    put_signals(system.signals, t, work.signals)
    for k in range(system.quadrature_count):
        work.quadratures[k] = point[mechanism.layout.integrals + k]
    for k in range(tree.stored_count):
        soft.still[k] = point[k]
    for k in range(tree.rate_count):
        soft.still[tree.stored_count + k] = 0.0
    if soft.count > 0 or loops.row_count > 0:
        kinematics(tree, point, memory.rows)
        place(tree, point, memory.rows, work.absolute)
    differentiate(mechanism, soft, point)
    soften(soft, tree.armature, reach)
    kinematics(tree, soft.still, memory.rows)  # leaves POINT as `place` has put it
    if mechanism.loops.row_count > 0:
        put_cut_rows(system, tree, loops, room, point, work)
        for k in range(system.row_count):
            work.eta[k] = 0.0
    clear_sums(tree, memory.rows)
    add_grounded(soft)
    load_rows(soft.tree, loops, memory.rows, room, work.absolute, work.jacobian, work.eta)
    failed = loop_inward(soft.tree, memory, loops, room, 1)
    if failed == SOLVED:
        return OK
    row: int = loops.source[failed]
    return row


@once
def answer(mechanism: Any, soft: Any, out: Any) -> int:
    """Accelerations under the loads (see `clear_loads`), into the place of those of a slope: OK, or
    NOT_SOLVED.  On the factor of the step.
    """
    tree, memory, loops, room = soft.tree, soft.memory, soft.loops, soft.room
    rows, rates, outcome = memory.rows, tree.rate_count, OK
    for body in range(tree.body_count):
        clear_load(rows, body * ROW)
    if soft.count > 0:
        load_wrenches(tree, memory)
    if memory.has_efforts != 0:
        load_efforts(tree, rows, memory.efforts)
    resolve_loads(tree, loops, room, rows, room.solution, 0)
    gather(tree, loops, room, rows, room.solution)
    if loops.is_damped != 0:
        size = motion_norm(tree, rows) + push_norm(tree, memory, mechanism.system)
        put_damping(tree, loops, room)
        solves, _ = converge(tree, loops, room, rows, size)
        outcome = OK if solves <= MOST_REFINEMENTS else NOT_SOLVED
    for k in range(rates):
        out[rates + k] = room.solution[k]
    if mechanism.kept.count > 0:
        keep_rows(mechanism.kept, out, rates)
    return outcome


# --- what forces answer ---


@formula
def carried_twist(absolute: Any, a: int, b: int, twist: Any) -> Any:
    """A twist of body a as body b would have it, were it fixed to a."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    spin, arm = matvec(turn_a, twist[0]), sub(place_b, place_a)
    speed = add(matvec(turn_a, twist[1]), cross(spin, arm))
    return tmatvec(turn_b, spin), tmatvec(turn_b, speed)


@formula
def felt_by(absolute: Any, a: int, b: int, wrench: Any) -> Any:
    """What body a feels where b feels a wrench: the opposite, about its own centre of mass."""
    (turn_a, place_a), (turn_b, place_b) = pose_of(absolute, a), pose_of(absolute, b)
    force = matvec(turn_b, wrench[1])
    torque = add(matvec(turn_b, wrench[0]), cross(sub(place_b, place_a), force))
    return neg(tmatvec(turn_a, torque)), neg(tmatvec(turn_a, force))


@formula
def relative_to_base(absolute: Any, placed: Any, a: int, b: int) -> Any:
    """w of bodies that stand as in `absolute` and move as in `placed`."""
    own = twist_of(placed, b)
    if a < 0:
        return own
    other = carried_twist(absolute, a, b, twist_of(placed, a))
    return sub(own[0], other[0]), sub(own[1], other[1])


@routine
def clear_loads(soft: Any) -> None:
    """Wrenches and efforts in soft.memory, and what rows of links are asked for."""
    for row in range(soft.loops.row_count):
        soft.room.wanted[row] = 0.0
    for k in range(6 * soft.tree.body_count):
        soft.memory.wrenches[k] = 0.0
    for k in range(soft.tree.rate_count):
        soft.memory.efforts[k] = 0.0


@routine
def add_resistance(soft: Any, matrices: Any, sign: float, placed: Any) -> None:
    """sign * K w (or D w) of all links on both bodies, which move as in `placed`, to the loads."""
    for link in range(soft.count):
        if soft.touched[link] != 0:
            add_resistance_of(soft, matrices, sign, placed, link)


@routine
def add_resistance_of(soft: Any, matrices: Any, sign: float, placed: Any, link: int) -> None:
    """The same for one link."""
    a, b, out = soft.base[link], soft.moved[link], soft.memory.wrenches
    w = relative_to_base(soft.work.absolute, placed, a, b)
    six = w[0] + w[1]
    for c in range(6):
        soft.wrench[c] = sign * dot6(get6(matrices, SIZE * link + 6 * c), six)
        out[6 * b + c] += soft.wrench[c]
    if a >= 0:
        torque, force = felt_by(soft.work.absolute, a, b, twist6(soft.wrench, 0))
        put3(out, 6 * a, add(vec3(out, 6 * a), torque))
        put3(out, 6 * a + 3, add(vec3(out, 6 * a + 3), force))


@routine
def load_factored(soft: Any, placed: Any) -> None:
    r"""Add -S w of bodies that move as in `placed`: far larger, maybe, than what is left of it.

    Where it is rows l that give way, $-l\,l\cdot w$ is what they are asked for, $-l\cdot w$: their
    multipliers are the small difference then.
    """
    for row in range(soft.loops.row_count):
        source = soft.loops.source[row]
        if source >= soft.first:
            link = (source - soft.first) // 6
            six = get6(soft.work.jacobian, source * ROW_WIDTH)
            twist = twist_of(placed, soft.base[link])
            total = dot6(six, twist[0] + twist[1])
            six = get6(soft.work.jacobian, source * ROW_WIDTH + 6)
            twist = twist_of(placed, soft.moved[link])
            soft.room.wanted[row] = -total - dot6(six, twist[0] + twist[1])
    for link in range(soft.count):
        if soft.base[link] < 0 and soft.touched[link] != 0:
            add_resistance_of(soft, soft.positive, -1.0, placed, link)


@routine
def is_touched(soft: Any) -> bool:
    """Whether forces act between bodies at all."""
    found = 0
    for link in range(soft.count):
        found += soft.touched[link]
    return found > 0


@routine
def put_rest(soft: Any, delta: Any, placed: Any) -> None:
    """What is not factored of the answer to `delta`, the last solution, into the loads."""
    clear_loads(soft)
    rates, rows, column = soft.tree.rate_count, soft.memory.rows, soft.room.solution
    for k in range(rates):
        soft.memory.efforts[k] = soft.left[k] * delta[rates + k]
    if is_touched(soft):
        for body in range(soft.tree.body_count):
            turn, centre = pose_of(soft.work.absolute, body)
            at, arm = rates + 6 * body, sub(centre, vec3(rows, body * ROW + POINT))
            alpha = vec3(column, at)
            speed = add(vec3(column, at + 3), cross(alpha, arm))
            twist = tmatvec(turn, alpha), tmatvec(turn, speed)
            put_twist(placed, body * ABSOLUTE_WIDTH + TWIST, twist)
        add_resistance(soft, soft.rest, 1.0, placed)
