"""Parts of a stage: driven coordinates, forces, rows of cut joints, and what is solved with them.

    drive              functions of time, and the coordinates that they prescribe
    push               efforts along coordinates, and wrenches on the placed bodies
    put_cut_rows       J and eta of cut joints and couplings
    accelerate_loops   accelerations with rows; `accelerations` are those without
    factor_at          the factor alone, at any state

`core.stage` runs them for integrators.
"""

from typing import Any

from chasles.compiled import beyond, borrow, hot, kernel, once
from chasles.core.arrays import SCREW_FORM, clear, copy
from chasles.core.constraints.registry import PAIR, assemble_joint
from chasles.core.constraints.rows import screw_rows
from chasles.core.forces.registry import add_force_wrench, effort_of
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.articulate import clear_sums, load_wrenches
from chasles.core.recursion.coupled import put_coupled_rows
from chasles.core.recursion.kinematics import kinematics, place, place_bodies
from chasles.core.recursion.loading import load_rows
from chasles.core.recursion.refine import loop_accelerations
from chasles.core.recursion.solving import loop_inward
from chasles.core.recursion.tree import SPHERICAL, coordinates_of, place_in_pair, turns_of
from chasles.core.signals import put_signals
from chasles.scalars.elementary import cos, sin


@once
def follow(tree: Any, signals: Any, state: Any) -> None:
    """Driven coordinates are where their motion is, and as fast: to the last bit."""
    for body in range(tree.body_count):
        pair, q, v = tree.pair[body], tree.stored_at[body], tree.rate_at[body]
        for slot in range(coordinates_of(pair) if pair < SPHERICAL else 0):
            drive, at = tree.driven[v + slot], q + place_in_pair(pair, slot)
            if drive >= 0:
                state[at] = signals[drive]
                state[tree.stored_count + v + slot] = signals[drive + 1]
                if slot < turns_of(pair):
                    state[at + 1], state[at + 2] = cos(state[at]), sin(state[at])


@hot
def drive(mechanism: Any, workspace: Any, t: float, point: Any) -> None:
    """Functions of time, and the driven coordinates of a point where these say."""
    put_signals(mechanism.system.signals, t, workspace.signals)
    if mechanism.tree.driven_count > 0:
        follow(mechanism.tree, workspace.signals, point)


@once
def push(mechanism: Any, workspace: Any, state: Any) -> None:
    """All forces at a stage: efforts along coordinates of the pairs, and wrenches on the bodies."""
    tree_work = mechanism.tree_work
    if tree_work.has_efforts != 0:
        push_along(mechanism, workspace, state)
    if tree_work.has_wrenches != 0:
        place(mechanism.tree, state, tree_work.rows, workspace.absolute)
        push_bodies(mechanism, workspace)


@once
def push_bodies(mechanism: Any, workspace: Any) -> None:
    """Wrenches of all forces but those along coordinates, at the placed bodies."""
    system, tree_work = mechanism.system, mechanism.tree_work
    clear(workspace.rhs, 6 * system.body_count)
    for index in range(system.force_count):
        if tree_work.along[index] < 0:
            kind = system.forces.kind[index]
            workspace.quadrature_rates[index] = add_force_wrench(kind, system, index, workspace)
    copy(workspace.rhs, tree_work.wrenches, 6 * system.body_count)


@once
def push_along(mechanism: Any, workspace: Any, state: Any) -> None:
    """Generalised forces of springs, friction, stops and motors on coordinates of the pairs.

    What is stored is the coordinate itself, whole turns included: no body has to be placed.
    """
    system, tree, tree_work = mechanism.system, mechanism.tree, mechanism.tree_work
    clear(tree_work.efforts, tree.rate_count)
    for index in range(system.force_count):
        k = tree_work.along[index]
        if k >= 0:
            value, rate = state[tree_work.along_at[index]], state[tree.stored_count + k]
            kind, angle = system.forces.kind[index], system.forces.angle[index]
            effort, supplied = effort_of(kind, system, index, workspace, value, rate)
            tree_work.efforts[k] += effort
            workspace.quadrature_rates[index] = supplied
            if angle >= 0:
                workspace.quadrature_rates[angle] = rate


@once
def put_cut_rows(mechanism: Any, workspace: Any, state: Any) -> None:
    """J and eta of the cut joints, at the placed bodies."""
    system, loops = mechanism.system, mechanism.loops
    absolute, jacobian, eta = workspace.absolute, workspace.jacobian, workspace.eta
    if loops.coupled_count > 0:
        put_coupled_rows(mechanism, workspace, state, absolute, eta)
    for k in range(loops.joint_count):
        joint = loops.joints[k]
        if loops.in_world[k] != 0:  # no J: what is asked of the rows is what pulls them
            first = system.joints.first_row[joint]
            clear(beyond(eta, first), system.joints.span[joint])
        elif system.joints.kind[joint] == PAIR and system.form == SCREW_FORM:
            screw_rows(system.joints, joint, absolute, jacobian, eta)
        else:
            assemble_joint(system, joint, absolute, workspace, jacobian, eta)


@once
def accelerate_loops(mechanism: Any, workspace: Any, out: Any, first: int) -> int:
    """Accelerations of a tree with cut joints, once bodies and rows are in `workspace`."""
    tree, tree_work = mechanism.tree, mechanism.tree_work
    if tree_work.is_loaded != 0:
        clear_sums(tree, tree_work.rows)
    if tree_work.has_wrenches != 0:
        load_wrenches(tree, tree_work)
    load_rows(mechanism, workspace)
    return loop_accelerations(mechanism, workspace, out, first)


@once
def factor_at(mechanism: Any, workspace: Any, state: Any, closing: int) -> int:
    """Factor at a state, whatever pushes there: SOLVED or a row (see `loop_inward`)."""
    tree, tree_work, loop_work = mechanism.tree, mechanism.tree_work, mechanism.loop_work
    clear_sums(tree, tree_work.rows)
    clear(tree_work.efforts, tree.rate_count)
    place_bodies(tree, state, tree_work.rows, workspace.absolute)
    put_cut_rows(mechanism, workspace, state)
    load_rows(mechanism, workspace)
    loop_work.selecting[0] = 1
    return loop_inward(tree, tree_work, mechanism.loops, loop_work, closing)


@kernel("loop-closing joints of trees", seconds=8, plain=(300, 20_000))
def tree_factor(equations: Any, workspace: Any, state: Any, closing: int) -> int:
    """`factor_at` for Python."""
    return factor_at(borrow(equations), borrow(workspace), borrow(state), closing)


@kernel("accelerations of trees", seconds=4)
def tree_rates(tree: Any, tree_work: Any, state: Any, rates: Any) -> None:
    """The rates of all velocities at a state, from the loads and signals in `tree_work`."""
    model, workspace, now = borrow(tree), borrow(tree_work), borrow(state)
    kinematics(model, now, workspace.rows)
    accelerations(model, workspace, borrow(rates), 0)
