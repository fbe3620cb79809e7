r"""Newton's step with all that forces and joints add to the matrix.

The chord iteration (`solve`) proposes a change e of the accelerations by the matrix S of index 1
alone.  With E its body accelerations, the step of the whole matrix is

$$ \begin{pmatrix} M A + D N + K X & J^T \\ J X/g_2 & -\mu \end{pmatrix}
   \begin{pmatrix} y \\ \delta\lambda \end{pmatrix} =
   \begin{pmatrix} M E \\ J E \end{pmatrix}, \qquad
   D = -\partial_V Q, \quad K = -\partial_\xi Q + \partial_\xi(J^T\lambda), $$

with $\xi = X y$, $\nu = N y$, $\alpha = A y$ how poses, velocities and accelerations follow from
the unknowns (`partials`): about $g_2 y$, $g_1 y$ and y, and with T of $h\Delta q$ where it is
known. It is the same for all pairs: joints that carry a body have rows here, which y fulfils.
"""

from typing import Any

from chasles.compiled import beyond, once, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, body_of, clear, copy, get6, twist6
from chasles.core.blocks.general import FACTORED_ALL, factor_blocks, solve_blocks
from chasles.core.blocks.small import dot6
from chasles.core.constraints.registry import assemble_joint
from chasles.core.newton.armatures import apply_rotors, load_effort, load_rotors
from chasles.core.newton.partials import (
    PARTIALS_WIDTH,
    POSE_PART,
    RATE_PART,
    TWIST_PART,
    put_partials,
)
from chasles.core.newton.rows import put_rates_of_twists, put_twists_of_rates, times_rows
from chasles.core.newton.structure import OF_FORCE, PAIR_WIDTH
from chasles.core.placed import own_wrench
from chasles.core.recursion.coupled import push_by_coupling
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.terms import DIRECTIONS, POSES, move_body, put_back, put_slopes
from chasles.groups.vectors import scale, symvec


@routine
def add_square(newton: Any, at: int, row: int, column: int, body: int) -> None:
    """Subtract dQ/dxi xi + dQ/dV nu of two bodies from a block of the matrix.

    `body` is the one whose y the columns belong to.
    """
    if at < 0:
        return
    partials = body * PARTIALS_WIDTH
    for r in range(6):
        entry = (6 * row + r) * 24 + column * DIRECTIONS
        for j in range(6):
            by_pose, by_twist = (
                newton.tangents.block[entry + j],
                newton.tangents.block[entry + POSES + j],
            )
            if by_pose == 0.0 and by_twist == 0.0:
                continue
            for c in range(6):
                slope = by_pose * newton.partials[partials + POSE_PART + 6 * j + c]
                slope += by_twist * newton.partials[partials + TWIST_PART + 6 * j + c]
                newton.values[at + 6 * r + c] -= slope


@routine
def load_pair(
    mechanism: Any, newton: Any, workspace: Any, point: Any, multipliers: Any, pair: int
) -> None:
    """What a joint or force adds on the two bodies of a pair."""
    at = PAIR_WIDTH * pair
    is_joint, which, own = newton.pairs[at], newton.pairs[at + 1], newton.pairs[at + 4]
    a, b = newton.pairs[at + 2], newton.pairs[at + 3]
    if is_joint == OF_FORCE and mechanism.tree_work.along[which] >= 0:
        load_effort(mechanism, newton, workspace, point, which, pair)
    elif put_slopes(
        mechanism.system, newton.tangents, workspace, multipliers, which, is_joint, a, b
    ):
        for side in range(2):
            body = b if side == 1 else a
            if body >= 0 and own >> side & 1:
                add_square(newton, newton.own[body], side, side, body)
        add_square(newton, newton.between[2 * pair], 0, 1, b)
        add_square(newton, newton.between[2 * pair + 1], 1, 0, a)


@routine
def load_bodies(system: Any, newton: Any, workspace: Any) -> None:
    """M alpha, and what gyroscopic terms and gravity add."""
    for body in range(system.body_count):
        at, partials = newton.own[body], body * PARTIALS_WIDTH
        inertia = get6(system.bodies.inertia, 6 * body)
        for c in range(6):
            spin = (
                newton.partials[partials + RATE_PART + c],
                newton.partials[partials + RATE_PART + 6 + c],
                newton.partials[partials + RATE_PART + 12 + c],
            )
            torque = symvec(inertia, spin)
            for r in range(3):
                slide = newton.partials[partials + RATE_PART + 18 + 6 * r + c]
                newton.values[at + 6 * r + c] += torque[r]
                newton.values[at + 18 + 6 * r + c] += system.bodies.mass[body] * slide
        for c in range(3):
            newton.values[at + 7 * c] += newton.lent[2 * body]
            newton.values[at + 21 + 7 * c] += newton.lent[2 * body + 1]
        base = own_wrench(system, newton.tangents.probe.absolute, body)
        clear(newton.tangents.block, 12 * 24)
        for direction in range(DIRECTIONS):
            step = move_body(newton.tangents, workspace, body, direction)
            moved = own_wrench(system, newton.tangents.probe.absolute, body)
            put_back(newton.tangents, workspace, body)
            for r in range(3):
                newton.tangents.block[24 * r + direction] = (moved[0][r] - base[0][r]) / step
                newton.tangents.block[24 * (3 + r) + direction] = (moved[1][r] - base[1][r]) / step
        add_square(newton, at, 0, 0, body)


@routine
def load_rows(
    system: Any, newton: Any, workspace: Any, measured: Any, index: int, factors: Any
) -> None:
    """J^T, and J on how poses move, or velocities where rows hold these, at the placed bodies.

    Redundant rows are kept regular by their damping.
    """
    probe, joints = newton.tangents.probe, system.joints
    for joint in range(system.joint_count):
        first, rows = joints.first_row[joint], joints.rows[joint]
        if rows == 0:
            continue
        assemble_joint(system, joint, workspace.absolute, probe, probe.jacobian, probe.eta)
        for r in range(rows):
            newton.values[newton.pivot[joint] + r * rows + r] -= newton.damping[first + r]
            closes = index == 3 and measured[first + r] != 0
            part, factor = (POSE_PART, factors[1]) if closes else (TWIST_PART, factors[0])
            for side in range(2):
                body = body_of(joints, joint, side)
                if body < 0:
                    continue
                below, above = (
                    newton.rows[4 * joint + 2 * side],
                    newton.rows[4 * joint + 2 * side + 1],
                )
                entry, partials = (first + r) * ROW_WIDTH + 6 * side, body * PARTIALS_WIDTH + part
                for c in range(6):
                    newton.values[above + c * rows + r] = probe.jacobian[entry + c]
                    total = 0.0
                    for j in range(6):
                        total += probe.jacobian[entry + j] * newton.partials[partials + 6 * j + c]
                    newton.values[below + 6 * r + c] = total / factor


@routine
def load_couplings(mechanism: Any, newton: Any, iteration: Any, factors: Any) -> None:
    """J of all couplings on bodies, and on how these move; of one that is not chosen nothing."""
    tree, loops, own, found = mechanism.tree, mechanism.loops, mechanism.loop_work, newton.couplings
    absolute = iteration.absolute
    for k in range(found.count):
        row = loops.coupled[k]
        chosen = own.active[row] != 0.0
        newton.values[found.pivot[k]] -= loops.damping[row] if chosen else 1.0
        clear(found.push, 6 * tree.body_count)
        if chosen:
            push_by_coupling(mechanism, iteration.places, absolute, k, -1.0, found.push)
        for at in range(found.first[k], found.first[k + 1]):
            body = found.body[at]
            below, above = found.blocks[2 * at], found.blocks[2 * at + 1]
            for c in range(6):
                total = 0.0
                for j in range(6):
                    way = newton.partials[body * PARTIALS_WIDTH + TWIST_PART + 6 * j + c]
                    total += found.push[6 * body + j] * way
                newton.values[below + c] = total / factors[0]
                newton.values[above + c] = found.push[6 * body + c]
                found.on_body[6 * at + c] = found.push[6 * body + c]


@routine
def feel_couplings(newton: Any, twists: Any, out: Any) -> None:
    """Add J E of all couplings to a column (rows,)."""
    found = newton.couplings
    for k in range(found.count):
        for at in range(found.first[k], found.first[k + 1]):
            felt = dot6(get6(found.on_body, 6 * at), get6(twists, 6 * found.body[at]))
            out[found.row[k]] += felt


@once
def load_newton(
    mechanism: Any, workspace: Any, iteration: Any, point: Any, index: int, factors: Any
) -> bool:
    """The whole matrix at the stage in the workspace, factored; whether all pivots are regular."""
    system, newton = mechanism.system, iteration.newton
    width = ABSOLUTE_WIDTH * system.body_count
    place_bodies(mechanism.tree, point, iteration.places, workspace.absolute)
    copy(workspace.absolute, iteration.absolute, width)
    copy(workspace.absolute, newton.tangents.probe.absolute, width)
    clear(newton.values, newton.size)
    put_partials(mechanism, workspace, iteration, newton.partials, factors)
    load_bodies(system, newton, workspace)
    for pair in range(newton.pair_count):
        load_pair(mechanism, newton, workspace, point, iteration.multipliers, pair)
    load_rows(system, newton, workspace, iteration.measured, index, factors)
    load_couplings(mechanism, newton, iteration, factors)
    load_rotors(system, newton)
    regular: bool = factor_blocks(newton, newton.values, newton.swaps) == FACTORED_ALL
    return regular


@once
def newton_change(mechanism: Any, iteration: Any, point: Any) -> None:
    """From the change of the chord iteration in iteration.change to Newton's; multipliers
    follow."""
    system, newton, unknowns = mechanism.system, iteration.newton, 6 * mechanism.system.body_count
    column, rows = newton.column, beyond(newton.column, unknowns)
    put_twists_of_rates(mechanism, iteration, point, iteration.change)
    clear(column, unknowns + system.row_count)
    for body in range(system.body_count):
        spin, slide = twist6(iteration.twists, 6 * body)
        torque = symvec(get6(system.bodies.inertia, 6 * body), spin)
        force = scale(system.bodies.mass[body], slide)
        for c in range(3):
            column[6 * body + c], column[6 * body + 3 + c] = torque[c], force[c]
    for joint in range(system.joint_count):
        times_rows(system.joints, newton.tangents.probe.jacobian, joint, iteration.twists, rows)
    feel_couplings(newton, iteration.twists, rows)
    apply_rotors(system, newton, iteration.twists)
    solve_blocks(newton, newton.values, newton.swaps, column)
    for row in range(system.row_count):
        if iteration.own[row] != 0:
            iteration.multipliers[row] += rows[row]
    put_rates_of_twists(mechanism, iteration, column, iteration.change)
    copy(iteration.change, iteration.response, mechanism.tree.rate_count)
