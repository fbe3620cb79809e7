r"""The work of single forces and drivers in a linearly implicit step.

The velocities of a step change by h k, in which every force has given way (see `rosenbrock`),

$$ M k = \sum_f (F_f + \Delta F_f) - J^T(\lambda + \mu), \qquad
   \Delta F_f = -(K_f z + D_f \dot z) . $$

F_f and lambda are those of the stage.  With the mean velocity
$\bar V = V_0 + \tfrac12 h k = \tfrac12(V_0 + V_1)$ and M constant,

$$ T_1 - T_0 = h \bar V\cdot M k
   = h\sum_f \bar V\cdot(F_f + \Delta F_f) - h\,(\lambda + \mu)\cdot J\bar V $$

however long the step is; the last term is what drivers supply.  The part $F_c = -\partial U$ of a
force with a potential U does no work but what U accounts for.  It is linear in the velocity in
which its power is asked for, $F_c\cdot V = F\cdot V - p$ with the power p that a kind of force
returns. So what is booked is

$$ W_f = h \bar V\cdot(F_f + \Delta F_f) - h \bar V\cdot(F_c - K_c z), \qquad
   \Delta T + \Delta U = \sum_f W_f + \sum_f \bigl(\Delta U_f + h\bar V\cdot(F_c - K_c z)\bigr) . $$

The last sum is what the method makes or takes.  For $U = \tfrac12 x\cdot K x$, the mean $\bar x$ of
the positions and the velocity u with which they move, it is
$h(\bar x\cdot K u - \bar V\cdot K(x + z))$: of third order where a vibration is resolved, and up to
all of its energy where it is damped without being resolved.
"""

from typing import Any

from chasles.compiled import beyond, formula, once, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    TWIST,
    clear,
    copy,
    get6,
    put6,
    twist6,
)
from chasles.core.blocks.small import dot6
from chasles.core.forces.custom import SEEN_WIDTH
from chasles.core.forces.registry import add_force_wrench, effort_of
from chasles.core.placed import twist_of
from chasles.core.recursion.reactions import add_row_wrenches
from chasles.core.recursion.tree import ALPHA, ROW
from chasles.core.stage import put_effort_powers, put_row_powers
from chasles.core.tangent_stiffness.links import SIZE
from chasles.core.tangent_stiffness.loads import relative_to_base
from chasles.core.terms import SMALL, displace
from chasles.scalars.elementary import absolute as size_of
from chasles.scalars.elementary import maximum

# --- forces on coordinates ---


@formula
def stored_power(found: Any, rate: Any) -> Any:
    """F_c times a rate, of what `effort_of` has found for it."""
    return found[0] * rate - found[1]


@routine
def work_along(
    mechanism: Any, workspace: Any, tangent: Any, index: int, state: Any, point: Any, moves: Any,
    mean: float,
) -> Any:  # fmt: skip
    """(power with what it gives way by, what of it is booked) of a force on a coordinate.

    `point` is the stage, `moves` are z and its rate.
    """
    system, tree_work, own = mechanism.system, mechanism.tree_work, 2 * SIZE * index
    k, at, kind = tree_work.along[index], tree_work.along_at[index], system.forces.kind[index]
    stiff, damped = tangent.of_force[own], tangent.of_force[own + SIZE]
    value, rate = point[at], point[mechanism.tree.stored_count + k]
    effort, lost = effort_of(kind, system, index, workspace, value, rate)
    total = (effort - stiff * moves[k] - damped * moves[mechanism.tree.rate_count + k]) * mean
    if tangent.stores[index] == 0:
        return total, total
    if damped == 0.0 and lost == 0.0:
        return total, 0.0
    stored = stored_power(effort_of(kind, system, index, workspace, value, mean), mean)
    value = state[at]
    shift = SMALL * maximum(1.0, size_of(value))
    here = stored_power(effort_of(kind, system, index, workspace, value, mean), mean)
    there = stored_power(effort_of(kind, system, index, workspace, value + shift, mean), mean)
    return total, total - stored - (there - here) / shift * moves[k]


# --- forces on bodies ---


@routine
def count_of_bodies(system: Any, index: int) -> int:
    """On how many bodies a force may act."""
    return max(2, system.forces.seen[index * SEEN_WIDTH])


@routine
def body_of_force(system: Any, index: int, k: int) -> int:
    """The k-th of them; -1: the ground."""
    if system.forces.seen[index * SEEN_WIDTH] > 0:
        return system.forces.seen[index * SEEN_WIDTH + 1 + k]
    return system.forces.a[index] if k == 0 else system.forces.b[index]


@routine
def powers_on_bodies(system: Any, probe: Any, index: int, twists: Any) -> Any:
    """(power of a force on bodies that move as in `twists`, power that it does not store).

    The force is that of the bodies of the probe.
    """
    count = count_of_bodies(system, index)
    for k in range(count):
        body = body_of_force(system, index, k)
        if body >= 0:
            clear(beyond(probe.rhs, 6 * body), 6)
    lost = add_force_wrench(system.forces.kind[index], system, index, probe)
    total = 0.0
    for k in range(count):
        body = body_of_force(system, index, k)
        if body >= 0:
            twist = twist_of(twists, body)
            total += dot6(get6(probe.rhs, 6 * body), twist[0] + twist[1])
    return total, lost


@routine
def given_way(tangent: Any, index: int, placed: Any) -> float:
    """The power of what a force gives way by."""
    link, own, total = tangent.link_of[index], 2 * SIZE * index, 0.0
    mean = relative_to_base(
        tangent.workspace.absolute, placed, tangent.base[link], tangent.moved[link]
    )
    six = mean[0] + mean[1]
    way, speed = get6(tangent.ways, 6 * link), get6(tangent.speeds, 6 * link)
    for c in range(6):
        give = dot6(get6(tangent.of_force, own + 6 * c), way)
        give += dot6(get6(tangent.of_force, own + SIZE + 6 * c), speed)
        total -= six[c] * give
    return total


@routine
def is_damped(tangent: Any, index: int) -> bool:
    own, total = 2 * SIZE * index + SIZE, 0.0
    for k in range(SIZE):
        total += size_of(tangent.of_force[own + k])
    return total > 0.0


@routine
def change_of_stored(system: Any, tangent: Any, index: int, placed: Any) -> float:
    """K_c z times the mean velocity with a minus, at the start of the step.

    The bodies of the probe stand there, and move with the mean velocities.
    """
    probe, link = tangent.tangents.probe, tangent.link_of[index]
    body, absolute = tangent.moved[link], tangent.workspace.absolute
    total, lost = powers_on_bodies(system, probe, index, placed)
    here = total - lost
    way = twist6(tangent.ways, 6 * link)
    part = displace(tangent.tangents, tangent.workspace, body, way)
    if part == 0.0:
        return 0.0
    total, lost = powers_on_bodies(system, probe, index, placed)
    copy(beyond(absolute, body * ABSOLUTE_WIDTH), beyond(probe.absolute, body * ABSOLUTE_WIDTH),
         TWIST)  # fmt: skip
    return (total - lost - here) / part


@routine
def works_on_bodies(mechanism: Any, workspace: Any, tangent: Any, placed: Any, out: Any) -> float:
    """What is booked of all forces on bodies into `out`; the power of all of them.

    `placed` are the bodies at the stage, with the mean velocities.
    """
    system, probe = mechanism.system, tangent.tangents.probe
    width, supplied = mechanism.tree.body_count * ABSOLUTE_WIDTH, 0.0
    copy(workspace.absolute, probe.absolute, width)
    for index in range(system.force_count):
        link = tangent.link_of[index]
        if link >= 0:
            total, lost = powers_on_bodies(system, probe, index, placed)
            if tangent.touched[link] != 0:
                total += given_way(tangent, index, placed)
            supplied += total
            stores = tangent.stores[index] != 0
            is_lossless = stores and lost == 0.0 and not is_damped(tangent, index)
            out[index] = 0.0 if is_lossless else total
            tangent.parted[index] = 1 if stores and not is_lossless else 0
    copy(placed, probe.absolute, width)
    for index in range(system.force_count):
        if tangent.link_of[index] >= 0 and tangent.parted[index] != 0:
            total, lost = powers_on_bodies(system, probe, index, placed)
            out[index] -= total - lost
    for body in range(mechanism.tree.body_count):  # at the start, with the mean velocities
        at = body * ABSOLUTE_WIDTH
        copy(beyond(tangent.workspace.absolute, at), beyond(probe.absolute, at), TWIST)
    for index in range(system.force_count):
        link = tangent.link_of[index]
        if link >= 0 and tangent.parted[index] != 0 and tangent.touched[link] != 0:
            out[index] -= change_of_stored(system, tangent, index, placed)
    return supplied


# --- drivers ---


@once
def add_driver_powers(mechanism: Any, workspace: Any, tangent: Any, delta: Any, out: Any) -> None:
    """What drivers do more as forces give way, whose loads are in tangent.tree_work.

    `delta` are the accelerations of all coordinates: of driven ones 0, and what the others ask for
    is the driver's effort.
    """
    system, own_rows = mechanism.system, tangent.own_rows
    tree, tree_work, loop_work = tangent.tree, tangent.tree_work, tangent.loop_work
    first = tree.rate_count + 6 * tree.body_count
    clear(loop_work.multipliers, tangent.loops.row_count)
    for row in range(mechanism.loops.row_count):
        added = tangent.answered[first + own_rows[row]]
        mechanism.loop_work.wanted[row] = added
        loop_work.multipliers[own_rows[row]] = added
    put_row_powers(mechanism, workspace, mechanism.loop_work.wanted, 1.0)
    if tree.driven_count > 0:
        add_row_wrenches(tangent, tangent.workspace)
        for body in range(tree.body_count):
            at = body * ROW + ALPHA
            put6(tree_work.rows, at, get6(tangent.answered, tree.rate_count + 6 * body))
        put_effort_powers(mechanism, workspace, tangent, delta)
    for k in range(system.force_count, system.force_count + system.drive_count):
        out[k] += workspace.quadrature_rates[k]
