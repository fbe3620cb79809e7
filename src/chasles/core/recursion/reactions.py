r"""What the joints of a tree exert, once the accelerations are known: one pass inward.

$$ F_i = (\Theta\alpha + mc\times a + \omega\times\Theta\omega,\;
          m a + \alpha\times mc + \omega\times(\omega\times mc)) - \text{load}
          + \sum_{\text{children}} (n_k + r_k\times f_k,\ f_k) $$

is the wrench of joint i on its body, about P in world axes.  No articulated inertia enters, so
nothing is lost to their cancellation.

Along its own coordinates a joint exerts $S^T F = \tau - I_r\ddot q$; of a driven coordinate
$S^T F + I_r\ddot q - \tau$ is the driver's effort.
"""

from typing import Annotated, Any, NamedTuple

from chasles.compiled import beyond, borrow, formula, hot, kernel, routine
from chasles.core.arrays import ROW_WIDTH, Floats, clear, mat9, put3, put_twist, twist6, vec3
from chasles.core.forces.motion import add_wrench
from chasles.core.placed import pose_of, twist_of
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.articulate import load_on, rigid_of
from chasles.core.recursion.coupled import push_by_coupling
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.inertia import moved_wrench, response
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.recursion.stage import accelerate_loops, push_bodies, put_cut_rows
from chasles.core.recursion.tree import (
    ALPHA,
    FREE,
    LEVER,
    OMEGA,
    ROW,
    SPHERICAL,
    TURN,
    axis_of,
    coordinates_of,
    own_turn,
)
from chasles.core.terms import put_all_forces, put_inputs
from chasles.core.twists import add_twists, negated, power, sub_twists
from chasles.groups.vectors import add, cross, matvec, neg, sub, tmatvec


class LastState(NamedTuple):
    """What `solve_states` leaves of the last state."""

    rates: Annotated[Floats, "v"]  # of the velocities
    joint_wrenches: Annotated[Floats, "n", 6]  # see `reactions`
    on_bodies: Annotated[Floats, "n", ROW_WIDTH]  # see `joint_wrenches`


@routine
def add_row_wrenches(mechanism: Any, workspace: Any) -> None:
    """-J^T lambda of the cut joints and couplings are loads like others."""
    loops, multipliers = mechanism.loops, mechanism.loop_work.multipliers
    wrenches, jacobian = mechanism.tree_work.wrenches, workspace.jacobian
    for row in range(loops.row_count):
        for side in range(2):
            body = loops.bodies[2 * row + side]
            if body >= 0:
                entry = loops.source[row] * ROW_WIDTH + 6 * side
                for c in range(6):
                    wrenches[6 * body + c] -= multipliers[row] * jacobian[entry + c]
    rows = mechanism.tree_work.rows
    for k in range(loops.coupled_count):
        multiplier = multipliers[loops.coupled[k]]
        push_by_coupling(mechanism, rows, workspace.absolute, k, multiplier, wrenches)


@routine
def reactions(tree: Any, tree_work: Any, out: Any) -> None:
    """The wrench (torque, force) of every body's joint on it, about P in world axes: (n, 6)."""
    rows = tree_work.rows
    for body in range(tree.body_count):
        a, p = rigid_of(tree, rows, body, tree.pair[body])
        felt = add_twists(response(a, twist6(rows, body * ROW + ALPHA)), p)
        put_twist(out, 6 * body, sub_twists(felt, load_on(tree, tree_work, body)))
    sum_inward(tree, rows, out)


@routine
def sum_inward(tree: Any, rows: Any, out: Any) -> None:
    """Wrenches on bodies become those of their joints: every body hands on what it carries."""
    for k in range(tree.body_count):
        body = tree.body_count - 1 - k
        parent = tree.parent[body]
        if parent >= 0:
            wrench = twist6(out, 6 * body)
            add_wrench(out, parent, moved_wrench(wrench, vec3(rows, body * ROW + LEVER)))


@hot
def along_coordinates(tree: Any, rows: Any, wrenches: Any, rates: Any, out: Any) -> None:
    """S . F + I_r q'' of every coordinate: its generalised force, with a driver's effort."""
    for body in range(tree.body_count):
        at, pair, k = body * ROW, tree.pair[body], tree.rate_at[body]
        wrench = twist6(wrenches, 6 * body)
        if pair == SPHERICAL or pair >= FREE:
            put3(out, k, tmatvec(mat9(rows, at + TURN), wrench[0]))
            if pair >= FREE:  # nothing but rounding: what is free feels nothing
                put3(out, k + 3, wrench[1])
            continue
        for slot in range(coordinates_of(pair)):
            out[k + slot] = power(axis_of(tree, rows, body, pair, slot), wrench)
            out[k + slot] += tree.armature[k + slot] * rates[k + slot]


@formula
def wrench_in_body(tree: Any, rows: Any, body: int, wrench: Any) -> Any:
    """A wrench about P in world axes, in body axes at the centre of mass."""
    own = own_turn(tree, rows, body)
    arm = matvec(mat9(rows, body * ROW + TURN), vec3(tree.centre, 3 * body))
    torque, force = moved_wrench(wrench, neg(arm))
    return tmatvec(own, torque), tmatvec(own, force)


@routine
def joint_wrenches(tree: Any, rows: Any, wrenches: Any, out: Any) -> None:
    """Of every body's joint (12): wrench on the parent, on the body; body axes, at their COMs."""
    for body in range(tree.body_count):
        at, parent = body * ROW, tree.parent[body]
        wrench = twist6(wrenches, 6 * body)
        clear(beyond(out, 12 * body), 6)
        if parent >= 0:
            lever = vec3(rows, at + LEVER)
            on_parent = wrench_in_body(tree, rows, parent, moved_wrench(wrench, lever))
            put_twist(out, 12 * body, negated(on_parent))
        put_twist(out, 12 * body + 6, wrench_in_body(tree, rows, body, wrench))


@routine
def put_twist_rates(tree: Any, rows: Any, absolute: Any, out: Any, first: int) -> None:
    r"""$\dot V$ of all placed bodies at their centres of mass, body axes: six numbers each.

    $\dot\omega_b = R^T\alpha$ and $\dot v_b = R^T(a + \alpha\times c +
    \omega\times(\omega\times c) + g) - \omega_b\times v_b$; gravity is taken for an acceleration
    of the ground.
    """
    down = vec3(tree.gravity, 0)
    for body in range(tree.body_count):
        at, own = body * ROW, pose_of(absolute, body)[0]
        spin, velocity = twist_of(absolute, body)
        (alpha, a), omega = twist6(rows, at + ALPHA), vec3(rows, at + OMEGA)
        arm = matvec(mat9(rows, at + TURN), vec3(tree.centre, 3 * body))
        swing = add(cross(alpha, arm), cross(omega, cross(omega, arm)))
        a = add(add(a, swing), down)
        slide = sub(tmatvec(own, a), cross(spin, velocity))
        put_twist(out, first + 6 * body, (tmatvec(own, alpha), slide))


@routine
def accelerate_at(mechanism: Any, workspace: Any, state: Any, given: int, rates: Any) -> int:
    """The rates of all velocities at a state, and wrenches of all rows: SOLVED or a row."""
    tree, tree_work = mechanism.tree, mechanism.tree_work
    place_bodies(tree, state, tree_work.rows, workspace.absolute)
    push_bodies(mechanism, workspace)
    put_all_forces(mechanism.system, workspace)
    if mechanism.loops.row_count > 0:
        put_cut_rows(mechanism, workspace, state)
        if given == 0:
            outcome = accelerate_loops(mechanism, workspace, rates, 0)
            add_row_wrenches(mechanism, workspace)
            return outcome
        add_row_wrenches(mechanism, workspace)
    accelerations(tree, tree_work, rates, 0)
    return SOLVED


@routine
def put_wrenches(
    mechanism: Any, workspace: Any, carriers: Any, multipliers: Any, on_bodies: Any, out: Any
) -> None:
    """What every joint does to its two bodies (m, 12): by its rows -J^T lambda, and as the joint
    of a pair (see `joint_wrenches`).

    `carriers` (n, 3) are the joint of every body's pair, or -1, and where its wrenches on the
    parent and on the body go.
    """
    joints, jacobian = mechanism.system.joints, workspace.jacobian
    for joint in range(mechanism.system.joint_count):
        first, rows = joints.first_row[joint], joints.span[joint]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(first, first + rows):
                total -= jacobian[row * ROW_WIDTH + c] * multipliers[row]
            out[joint * ROW_WIDTH + c] = total
    for body in range(mechanism.tree.body_count):
        joint = carriers[3 * body]
        for side in range(2 if joint >= 0 else 0):
            into = joint * ROW_WIDTH + carriers[3 * body + 1 + side]
            for c in range(6):
                out[into + c] += on_bodies[ROW_WIDTH * body + 6 * side + c]


@kernel("reactions and accelerations", seconds=8, plain=(100_000, 200_000))
def solve_states(
    equations: Any, work: Any, points: Any, table: Any, integrals: Any, given: int, carriers: Any,
    last: Any, twist_rates: Any, multipliers: Any, efforts: Any, wrenches: Any,
) -> int:  # fmt: skip
    """The equations at points (T, q + v) of a tree: SOLVED, or what stopped it at one of them.

    All forces act by wrenches.  `table` holds the functions of time (T, signals), `integrals` work
    and angles (T, quadratures).  Where `multipliers` are `given`, rows are no constraints but
    loads: what the joints that carry bodies exert then is in balance with what a method found the
    others to exert.

    carriers     (n, 3) see `put_wrenches`
    last         what is left of the last state, see `LastState`
    twist_rates  (T, n, 6) see `put_twist_rates`
    multipliers  (T, rows) of all rows of J, zero of those that are not solved for
    efforts      (T, v) see `along_coordinates`
    wrenches     (T, m, 12) see `put_wrenches`

    J, eta and Q of the last state stay in `work`, its factor in `loop_work`.
    """
    mechanism, workspace, end = borrow(equations), borrow(work), borrow(last)
    system, tree, loops = mechanism.system, mechanism.tree, mechanism.loops
    length, rows = tree.stored_count + tree.rate_count, mechanism.tree_work.rows
    for k in range(points.shape[0]):
        put_inputs(system, workspace, k, borrow(table), borrow(integrals))
        found = beyond(borrow(multipliers), k * system.row_count)
        for row in range(loops.row_count if given != 0 else 0):
            mechanism.loop_work.multipliers[row] = found[loops.source[row]]
        state = beyond(borrow(points), k * length)
        outcome = accelerate_at(mechanism, workspace, state, given, end.rates)
        if outcome != SOLVED:
            return outcome
        clear(found, system.row_count)
        for row in range(loops.row_count):
            found[loops.source[row]] = mechanism.loop_work.multipliers[row]
        reactions(tree, mechanism.tree_work, end.joint_wrenches)
        along = beyond(borrow(efforts), k * tree.rate_count)
        along_coordinates(tree, rows, end.joint_wrenches, end.rates, along)
        joint_wrenches(tree, rows, end.joint_wrenches, end.on_bodies)
        put_twist_rates(
            tree, rows, workspace.absolute, borrow(twist_rates), 6 * tree.body_count * k
        )
        into = beyond(borrow(wrenches), k * system.joint_count * ROW_WIDTH)
        put_wrenches(mechanism, workspace, borrow(carriers), found, end.on_bodies, into)
    return SOLVED
