r"""Rows of cut joints on their bodies: G, and what is asked of them.

Rows of J act on body twists at the centres of mass.  Those of a lower pair need not be formed:
along axes e of body b, at a point with levers r_a and r_b from the points of the bodies,

$$ e\cdot(\ddot x_b - \ddot x_a) = \ldots, \qquad G_b = (r_b\times e,\ e), \quad
   G_a = -(r_a\times e,\ e), $$

for shifts, and (e, 0) for turns; e turns with the body, as in the screw form of the rows (see
`chasles.core.placed`).
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, routine
from chasles.core.arrays import ROW_WIDTH, clear, mat9, put3, put_twist, twist6, vec3
from chasles.core.placed import column
from chasles.core.recursion.body_rows import row_on_body
from chasles.core.recursion.coupled import load_ties
from chasles.core.recursion.groups import BY_ROWS, TURNS
from chasles.core.recursion.tree import OMEGA, POINT, ROW, SPEED, TURN
from chasles.groups.vectors import ZERO, add, cross, matmul, matvec, scale, sub, tmatvec


@hot
def load_rows(mechanism: Any, workspace: Any) -> None:
    r"""G and $\eta + \beta\cdot(\omega\times\dot P - g)$ of all rows; E is empty."""
    tree, loops, loop_work = mechanism.tree, mechanism.loops, mechanism.loop_work
    rows, eta = mechanism.tree_work.rows, workspace.eta
    for j in range(loops.filled_count):
        clear(beyond(loop_work.reach, 18 * loops.filled[j]), 18)
    clear(loop_work.values, loops.value_count)
    for g in range(loops.group_count):
        if loops.idle[g] != 0:
            continue
        first, count = loops.first_row[g], loops.first_row[g + 1] - loops.first_row[g]
        if loops.is_damped != 0 or loops.has_rotor_rows != 0:
            for k in range(count):
                given = loops.damping[first + k] + loops.compliance[first + k]
                loop_work.values[6 * g + k * (k + 3) // 2] = -given
        if loops.loading[g] == BY_ROWS:
            load_from_jacobian(mechanism, workspace, g)
        else:
            load_along_axes(tree, loops, rows, loop_work, g)
            for k in range(count):
                loop_work.rhs[3 * g + k] += eta[loops.source[first + k]]
    if loops.coupled_count > 0:
        load_ties(tree, loops, rows, loop_work, workspace.absolute)


@routine
def load_from_jacobian(mechanism: Any, workspace: Any, g: int) -> None:
    tree, loops, loop_work = mechanism.tree, mechanism.loops, mechanism.loop_work
    rows, absolute, jacobian = mechanism.tree_work.rows, workspace.absolute, workspace.jacobian
    first = loops.first_row[g]
    put3(loop_work.rhs, 3 * g, ZERO)  # also of rows that the group does not have
    for k in range(loops.first_row[g + 1] - first):
        source = loops.source[first + k]
        rhs = workspace.eta[source]
        for side in range(2):
            place, body = loops.sides[2 * g + side], loops.bodies[2 * (first + k) + side]
            if place >= 0:
                entry, into = source * ROW_WIDTH + 6 * side, 18 * place + 6 * k
                spin, beta, known = row_on_body(tree, rows, absolute, jacobian, body, entry)
                put_twist(loop_work.reach, into, (spin, beta))
                rhs += known
        loop_work.rhs[3 * g + k] = rhs


@hot
def load_along_axes(tree: Any, loops: Any, rows: Any, loop_work: Any, g: int) -> None:
    grounded = loops.bodies[2 * loops.first_row[g]] < 0
    axes, arm, lever, target = axes_of(tree, loops, rows, g)
    put_axes(loop_work.reach, loops.sides[2 * g + 1], loops.loading[g], 1.0, axes, arm)
    if not grounded:
        put_axes(loop_work.reach, loops.sides[2 * g], loops.loading[g], -1.0, axes, lever)
    put3(loop_work.rhs, 3 * g, tmatvec(axes, target))


@formula
def axes_of(tree: Any, loops: Any, rows: Any, g: int) -> Any:
    r"""(e, r_b, r_a, target) of a group: $e\cdot(\ddot x_b - \ddot x_a)$ has to be e . target."""
    first = loops.first_row[g]
    a, b = loops.bodies[2 * first], loops.bodies[2 * first + 1]
    at, up = b * ROW, a * ROW
    turn, omega = mat9(rows, at + TURN), vec3(rows, at + OMEGA)
    axes = matmul(turn, mat9(loops.axes, 9 * g))
    arm, lever, target = ZERO, ZERO, ZERO
    if loops.loading[g] == TURNS:
        if a >= 0:
            target = cross(vec3(rows, up + OMEGA), omega)
    else:
        arm = matvec(turn, vec3(loops.points, 3 * g))
        speed = vec3(rows, at + SPEED)
        if a >= 0:
            spin, swing = vec3(rows, up + OMEGA), cross(omega, arm)
            lever = sub(add(vec3(rows, at + POINT), arm), vec3(rows, up + POINT))
            slip = sub(add(speed, swing), vec3(rows, up + SPEED))
            relative = sub(sub(slip, cross(spin, lever)), swing)
            target = add(cross(omega, relative), cross(spin, slip))
        else:
            target = sub(cross(omega, speed), vec3(tree.gravity, 0))
    return axes, arm, lever, target


@formula
def motion_along(loops: Any, g: int, solution: Any, at: int, arm: Any) -> Any:
    """Of a body whose motion stands in a solution, what a group locks: alpha or a + alpha x arm."""
    alpha, a = twist6(solution, at)
    return alpha if loops.loading[g] == TURNS else add(a, cross(alpha, arm))


@routine
def residual_along_axes(
    tree: Any, loops: Any, rows: Any, loop_work: Any, eta: Any, solution: Any, g: int
) -> None:
    """What the motion of bodies (see `refine`) misses of a group, into loop_work.left.

    loop_work.sums has the sizes of what is added up there.
    """
    first, last = loops.first_row[g], loops.first_row[g + 1]
    axes, arm, lever, target = axes_of(tree, loops, rows, g)
    a, b = loops.bodies[2 * first], loops.bodies[2 * first + 1]
    own, other = motion_along(loops, g, solution, tree.rate_count + 6 * b, arm), ZERO
    if a >= 0:
        other = motion_along(loops, g, solution, tree.rate_count + 6 * a, lever)
    rhs, felt, carried = tmatvec(axes, target), tmatvec(axes, own), tmatvec(axes, other)
    for k in range(last - first):
        more = eta[loops.source[first + k]]
        loop_work.left[first + k] = rhs[k] + more - (felt[k] - carried[k])
        loop_work.sums[first + k] = abs(rhs[k]) + abs(more) + abs(felt[k]) + abs(carried[k])


@formula
def locked_row(what: int, axis: Any, arm: Any) -> Any:
    """(e, 0) where turns are locked, (arm x e, e) where shifts are."""
    return (axis, ZERO) if what == TURNS else (cross(arm, axis), axis)


@formula
def put_axes(reach: Any, place: int, what: int, sign: Any, axes: Any, arm: Any) -> None:
    """Three rows on a body.  Groups that closed in the last stage have left their mark."""
    put_twist(reach, 18 * place, locked_row(what, scale(sign, column(axes, 0)), arm))
    put_twist(reach, 18 * place + 6, locked_row(what, scale(sign, column(axes, 1)), arm))
    put_twist(reach, 18 * place + 12, locked_row(what, scale(sign, column(axes, 2)), arm))
