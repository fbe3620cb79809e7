r"""Trees with cut joints: rows ride inward, their multipliers are eliminated where the loop closes.

With multipliers of the rows that ride through body i,

$$ F = A X + p + G\lambda, \qquad J\dot V = G^T X + E\lambda + e = \eta . $$

The joint's coordinates give way as without rows, and take $V = S^T G$ with them:

$$ G' = G - U D^{-1} V, \qquad E' = E - V^T D^{-1} V, \qquad
   e' = e + G^T\zeta + V^T D^{-1}(\tau - S^T\hat p) . $$

A ball passes on $G'_f = G_f - H^T I^{-1} G_n$ and no torque.  Where a row's loop closes, its pivot
$d = E_{rr} < 0$ is eliminated: with b = eta - e,

$$ \lambda_r = (b_r - G_r\cdot X - \textstyle\sum_s E_{rs}\lambda_s)/d, \quad
   A \mathrel{-}= G_r G_r^T/d, \quad p \mathrel{+}= G_r b_r/d, $$
$$ G_s \mathrel{-}= E_{sr}G_r/d, \quad E_{st} \mathrel{-}= E_{sr}E_{rt}/d, \quad
   b_s \mathrel{-}= E_{sr}b_r/d . $$

-E is the mobility that the loop's own coordinates leave to its rows, definite where rows are
independent; damped rows start from $E_{rr} = -\mu$.
"""

from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import (
    ROW_WIDTH,
    mat9,
    put3,
    vec3,
)
from chasles.core.blocks.small import (
    backward3,
    dot6,
    forward3,
    forward6,
    get6,
    get_triangle6,
    put_row6,
    scale3,
    scale6,
)
from chasles.core.recursion.articulate import (
    add_load,
    articulate_body,
    column_of_turn,
    inertia_of,
    put_inertia,
    z_axis,
)
from chasles.core.recursion.choosing import choose_rows
from chasles.core.recursion.coupled import load_ties
from chasles.core.recursion.inertia import deflated
from chasles.core.recursion.on_bodies import row_on_body
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    AXIS,
    BIAS_U,
    BIAS_W,
    COLUMN,
    COUPLING,
    CYLINDRICAL,
    FREE,
    GAIN,
    GEARED,
    HELICAL,
    LEVER,
    PLANAR,
    PRISMATIC,
    PULL,
    ROW,
    SPHERICAL,
    triangle,
)
from chasles.groups.vectors import add, axpy, cross, dot, scale, sub, tmatvec

ZERO = (0.0, 0.0, 0.0)
SOLVED = -1


@hot
def load_rows(
    tree: Any, loops: Any, rows: Any, room: Any, absolute: Any, jacobian: Any, eta: Any
) -> None:
    r"""G and $b = \eta + \beta\cdot(\omega\times\dot P - g)$ of all rows; E is empty."""
    down = vec3(tree.gravity, 0)
    for k in range(6 * loops.place_count):
        room.reach[k] = 0.0
    for k in range(loops.row_count):
        room.values[k] = -loops.damping[k]
    for k in range(loops.row_count, loops.value_count):
        room.values[k] = 0.0
    for row in range(loops.row_count):
        source = loops.source[row]
        wanted = eta[source]
        for side in range(2):
            place, body = loops.ends[2 * row + side], loops.bodies[2 * row + side]
            if place >= 0:
                entry = source * ROW_WIDTH + 6 * side
                spin, beta, carried = row_on_body(rows, absolute, jacobian, body, entry)
                into = 6 * place
                put3(room.reach, into, add(vec3(room.reach, into), spin))
                put3(room.reach, into + 3, add(vec3(room.reach, into + 3), beta))
                wanted += carried - dot(beta, down)
        room.wanted[row] = wanted
    if loops.coupled_count > 0:
        load_ties(tree, loops, rows, room, absolute)


# --- inward ---


@hot
def close_rows(loops: Any, room: Any, rows: Any, body: int) -> int:
    """Eliminate the rows that end on a body (or on the ground, after the last): SOLVED or a row."""
    values, wanted, reach = room.values, room.wanted, room.reach
    for at in range(loops.first_closing[body], loops.first_closing[body + 1]):
        row = loops.closing[at]
        place, first = loops.closing_place[row], loops.first_later[row]
        if loops.choices[row] >= 0 and room.choosing[0] != 0:
            choose_rows(loops, room, row)
        if room.active[row] == 0:
            room.inverses[row] = 0.0
            continue
        if not values[row] < -loops.floors[row]:
            return row
        inverse = 1.0 / values[row]
        room.inverses[row] = inverse
        g = (ZERO, ZERO)
        if place >= 0:
            g = (vec3(reach, 6 * place), vec3(reach, 6 * place + 3))
        target = loops.first_target[row]
        for j in range(first, loops.first_later[row + 1]):
            factor = values[loops.later_value[j]] * inverse
            wanted[loops.later[j]] -= factor * wanted[row]
            if place >= 0:
                other = 6 * loops.later_place[j]
                put3(reach, other, axpy(-factor, g[0], vec3(reach, other)))
                put3(reach, other + 3, axpy(-factor, g[1], vec3(reach, other + 3)))
            for k in range(first, j + 1):
                values[loops.targets[target]] -= factor * values[loops.later_value[k]]
                target += 1
        if place >= 0:
            base = body * ROW
            put_inertia(rows, base, deflated(inertia_of(rows, base), g, inverse))
            push = inverse * wanted[row]
            add_load(rows, base, scale(push, g[0]), scale(push, g[1]))
    return SOLVED


@formula
def hand_over(
    loops: Any, room: Any, place: int, r: Any, down: Any, torque: Any, force: Any
) -> None:
    """Add G' to the row's place on the parent; on the ground X is known: the ground falls up."""
    up = loops.place_up[place]
    if up >= 0:
        arm = cross(r, force)
        into = 6 * up
        put3(room.reach, into, add(vec3(room.reach, into), add(torque, arm)))
        put3(room.reach, into + 3, add(vec3(room.reach, into + 3), force))
    else:
        room.wanted[loops.place_row[place]] += dot(force, down)


@formula
def axis_of(tree: Any, rows: Any, body: int, pair: int, slot: int) -> Any:
    """S of a coordinate: (turn, shift) in the world."""
    at = body * ROW
    z = z_axis(rows, at)
    if pair == GEARED:
        return column_of_turn(rows, at, slot), ZERO
    if pair == PRISMATIC:
        return ZERO, z
    if pair == HELICAL:
        return z, scale(tree.pitch[body], z)
    if slot == 0:
        return z, ZERO
    if pair == PLANAR:
        x = vec3(rows, at + AXIS)
        if slot == 1:
            return ZERO, x
        return ZERO, cross(z, x)
    return ZERO, z


@formula
def dof_of(pair: int) -> int:
    """Coordinates that give way one after the other."""
    if pair == 0:
        return 0
    if pair == CYLINDRICAL:
        return 2
    if pair in (PLANAR, GEARED):
        return 3
    return 1


@hot
def ride_ball(tree: Any, loops: Any, room: Any, rows: Any, body: int, down: Any) -> None:
    """Rows through a ball: `along` keeps L^-1 G_n."""
    at, first = body * ROW, loops.first_place[body]
    factor, h = triangle(rows, at + COLUMN), mat9(rows, at + COUPLING)
    free, push, r = vec3(rows, at + PULL), vec3(rows, at + BIAS_U), vec3(rows, at + LEVER)
    grounded = tree.parent[body] < 0
    pair = loops.first_pair[body]
    for j in range(loops.riding[body]):
        place = first + j
        turn, force = vec3(room.reach, 6 * place), vec3(room.reach, 6 * place + 3)
        low = forward3(factor, turn)
        put3(room.along, 6 * place, low)
        scaled = scale3(factor, low)
        force = sub(force, tmatvec(h, backward3(factor, scaled)))
        known = dot(turn, free)
        if not grounded:
            known += dot(force, push)
        room.wanted[loops.place_row[place]] -= known
        hand_over(loops, room, place, r, down, ZERO, force)
        for k in range(first, place + 1):
            room.values[loops.pairs[pair]] -= dot(scaled, vec3(room.along, 6 * k))
            pair += 1


@routine
def ride_free(loops: Any, room: Any, rows: Any, body: int) -> None:
    """Rows through a free root: `along` keeps L^-1 G; nothing is left for the ground."""
    at, first = body * ROW, loops.first_place[body]
    factor, pair = get_triangle6(rows, at + COLUMN), loops.first_pair[body]
    motion = vec3(rows, at + ALPHA) + vec3(rows, at + ACCELERATION)
    for j in range(loops.riding[body]):
        place = first + j
        g = get6(room.reach, 6 * place)
        low = forward6(factor, g)
        put_row6(room.along, 6 * place, low)
        scaled = scale6(factor, low)
        room.wanted[loops.place_row[place]] -= dot6(g, motion)
        for k in range(first, place + 1):
            room.values[loops.pairs[pair]] -= dot6(scaled, get6(room.along, 6 * k))
            pair += 1


@hot
def ride_axes(tree: Any, loops: Any, room: Any, rows: Any, body: int, down: Any) -> None:
    """Rows through pairs of up to three coordinates: `along` keeps V."""
    at, pair_code, first = body * ROW, tree.pair[body], loops.first_place[body]
    r, count = vec3(rows, at + LEVER), dof_of(pair_code)
    pair = loops.first_pair[body]
    for j in range(loops.riding[body]):
        place = first + j
        row = loops.place_row[place]
        g = (vec3(room.reach, 6 * place), vec3(room.reach, 6 * place + 3))
        if tree.parent[body] >= 0:
            room.wanted[row] -= dot(g[0], vec3(rows, at + BIAS_W))
            room.wanted[row] -= dot(g[1], vec3(rows, at + BIAS_U))
        for slot in range(count):
            s = axis_of(tree, rows, body, pair_code, slot)
            v = dot(s[0], g[0]) + dot(s[1], g[1])
            if loops.coupled_count > 0:
                v += room.own[6 * place + slot]
            room.along[6 * place + slot] = v
            room.wanted[row] -= v * rows[at + PULL + slot]
            u = at + COLUMN + 6 * slot
            give = rows[at + GAIN + slot] * v
            g = (axpy(-give, vec3(rows, u), g[0]), axpy(-give, vec3(rows, u + 3), g[1]))
        hand_over(loops, room, place, r, down, g[0], g[1])
        for k in range(first, place + 1):
            total = 0.0
            for slot in range(count):
                v = room.along[6 * place + slot] * room.along[6 * k + slot]
                total += rows[at + GAIN + slot] * v
            room.values[loops.pairs[pair]] -= total
            pair += 1


@hot
def ride_body(tree: Any, loops: Any, room: Any, rows: Any, body: int, down: Any) -> None:
    """The joint of a body, which has given way, takes the rows that ride through it with it."""
    pair = tree.pair[body]
    if pair == SPHERICAL:
        ride_ball(tree, loops, room, rows, body, down)
    elif pair >= FREE:
        ride_free(loops, room, rows, body)
    else:
        ride_axes(tree, loops, room, rows, body, down)


@hot
def loop_inward(tree: Any, memory: Any, loops: Any, room: Any) -> int:
    """Articulate all bodies with their rows, and eliminate: SOLVED or the row that has no pivot."""
    rows, down, ground = memory.rows, vec3(tree.gravity, 0), tree.body_count
    for k in range(tree.body_count):
        body = tree.body_count - 1 - k
        if loops.first_closing[body] < loops.first_closing[body + 1]:
            failed = close_rows(loops, room, rows, body)
            if failed != SOLVED:
                return failed
        articulate_body(tree, memory, rows, body)
        if loops.riding[body] > 0:
            ride_body(tree, loops, room, rows, body, down)
    return close_rows(loops, room, rows, ground)


@routine
def loop_mobility(tree: Any, memory: Any, loops: Any, room: Any) -> None:
    """-E_rr: how much every row gives way where no other row is there."""
    rows, down = memory.rows, vec3(tree.gravity, 0)
    for k in range(tree.body_count):
        body = tree.body_count - 1 - k
        articulate_body(tree, memory, rows, body)
        if loops.riding[body] > 0:
            ride_body(tree, loops, room, rows, body, down)
