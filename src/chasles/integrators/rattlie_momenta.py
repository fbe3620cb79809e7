r"""What the equations of RATTLie miss at either end of a step, and what takes it away.

The equations are in `rattlie`; `scheme` is its record.  Momenta and wrenches of bodies are in their
axes, at their centres of mass.  What is known and what is found is subtracted body by body, before
anything is summed along the tree: sums of whole chains would leave their rounding to the last link.

On SE(3), and on SO(3)xR3 at the centre of mass, the kinetic energy is $\tfrac12 U\cdot M U$ with a
constant $M = (\Theta, m)$ in the chart's velocity U.  A momentum $M U$ is a covector at a pose; a
step $\exp(h\xi)$ takes it from the middle to its two ends by

$$ \mathrm{dexp}^{-T}_{h\xi} \;\text{(start)}, \qquad \mathrm{dexp}^{-T}_{-h\xi} \;\text{(end)}. $$

Transposed, dexp^-1 is dexp^-1 again: on SO(3) $\mathrm{ad}^T = -\mathrm{ad}$, so that
$\mathrm{dexp}^{-T}_x = \mathrm{dexp}^{-1}_{-x}$, and SE(3) is SO(3) over the dual numbers: as a
block matrix dexp^-1 is (A, 0; B, A) with B the derivative of A, whose transpose maps (torque,
force) as $\mathrm{dexp}^{-1}_{-x}$ maps (force, torque).
"""

from typing import Any

from chasles.compiled import formula, once, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    SE3_CODE,
    clear,
    copy,
    get6,
    mat9,
    put3,
    put6,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.constraints.rows import relative_twist
from chasles.core.placed import force_norm, mass_norm, opening_of, twist_of
from chasles.core.recursion.closing import SHIFTS, put_openings, put_slips
from chasles.core.recursion.coupled import put_coupled_rows
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.recursion.load_cases import (
    load_bodies,
    load_efforts,
    solve_load_case,
    twist_in_column,
)
from chasles.core.recursion.reactions import add_row_wrenches, along_coordinates, sum_inward
from chasles.core.recursion.refine import effort_norm
from chasles.core.recursion.stage import push_along, push_bodies
from chasles.core.recursion.tree import ROW, TORQUE
from chasles.core.stage import force_powers, put_coordinate_powers, put_powers, put_row_powers
from chasles.core.state_block import put_turn_rates
from chasles.groups.se3 import se3_dexp_inv
from chasles.groups.so3 import so3_dexp_inv, so3_from_matrix, so3_log
from chasles.groups.vectors import axpy, dot, neg, scale, sub, symvec, tmatmul, tmatvec
from chasles.integrators.gauss import square_of_fall
from chasles.scalars.elementary import maximum, sqrt

#: The equation at the start of a step, and that at its end, by the sign of xi in dexp^-T.
MISSED_AT_START, MISSED_AT_END = 1.0, -1.0
#: A gap of a joint is rounded by a few ulps of places.
ULPS = 2.0**-49


# --- momenta of bodies ---


@formula
def momentum(mass: Any, inertia: Any, twist: Any) -> Any:
    """(angular, linear) momentum of a velocity at the centre of mass."""
    return symvec(inertia, twist[0]), scale(mass, twist[1])


@formula
def moved_momentum(group: int, x: Any, covector: Any) -> Any:
    r"""$\mathrm{dexp}^{-T}_{x}$ of a covector, in the group of a chart."""
    back = (neg(x[0]), neg(x[1]))
    if group == SE3_CODE:
        force, torque = se3_dexp_inv(back, (covector[1], covector[0]))
        return torque, force
    return so3_dexp_inv(back[0], covector[0]), covector[1]


@formula
def in_body_axes(group: int, rotation: Any, twist: Any) -> Any:
    """A chart's velocity, or covector, at the centre of mass in the axes of the body."""
    return twist if group == SE3_CODE else (twist[0], tmatvec(rotation, twist[1]))


# --- what acts at the ends of a step ---


@routine
def put_forces(mechanism: Any, workspace: Any, scheme: Any, point: Any) -> None:
    """Gravity and all forces at a point whose bodies are placed, without gyroscopic terms, and
    their power: scheme.force on bodies, tree_work.efforts along coordinates.
    """
    system, tree_work = mechanism.system, mechanism.tree_work
    clear(tree_work.wrenches, 6 * system.body_count)
    if tree_work.has_efforts != 0:
        push_along(mechanism, workspace, point)
    if tree_work.has_wrenches != 0:
        push_bodies(mechanism, workspace)
    copy(tree_work.wrenches, scheme.force, 6 * system.body_count)
    scheme.powers[0], scheme.powers[1] = force_powers(mechanism, workspace, point)
    for body in range(system.body_count):
        turn, at = mat9(workspace.absolute, body * ABSOLUTE_WIDTH + POSE_R), 6 * body + 3
        down = tmatvec(turn, vec3(system.gravity, 0))
        put3(scheme.force, at, axpy(system.bodies.mass[body], down, vec3(scheme.force, at)))


@routine
def add_momenta(system: Any, workspace: Any, factor: float, force: Any, out: Any) -> None:
    """M V of the placed bodies and a multiple of the forces."""
    for body in range(system.body_count):
        mass, inertia = system.bodies.mass[body], get6(system.bodies.inertia, 6 * body)
        own = momentum(mass, inertia, twist_of(workspace.absolute, body))
        pull = twist6(force, 6 * body)
        put_twist(out, 6 * body, (axpy(factor, pull[0], own[0]), axpy(factor, pull[1], own[1])))


@routine
def size_of_step(mechanism: Any, workspace: Any, scheme: Any, length: float) -> float:
    """What changes of velocity are large or small against, in the mass metric.

    At rest the forces cancel, and are compared with weights.
    """
    system, mass = mechanism.system, 0.0
    pushed = force_norm(system, scheme.force) + effort_norm(mechanism.tree, mechanism.tree_work)
    for body in range(system.body_count):
        mass += system.bodies.mass[body]
        put_twist(workspace.search, 6 * body, twist_of(workspace.absolute, body))
    weight = sqrt(mass * square_of_fall(mechanism, 1.0))
    return mass_norm(system, workspace.search) + abs(length) * maximum(pushed, weight)


@routine
def rounding_of_places(mechanism: Any, workspace: Any, length: float) -> float:
    """Velocities, in the mass metric, by which gaps of joints are rounded in a step.

    Far from the origin a place has few digits left for a gap.
    """
    system, total = mechanism.system, 0.0
    for body in range(system.body_count):
        place = vec3(workspace.absolute, body * ABSOLUTE_WIDTH + POSE_X)
        total += system.bodies.mass[body] * dot(place, place)
    return ULPS * sqrt(total) / abs(length)


# --- what is missed ---


@routine
def put_missing(mechanism: Any, workspace: Any, scheme: Any, length: float, end: float) -> None:
    """What momenta miss at one end of a step: of the bodies into tree_work.wrenches, of rotors and
    forces along coordinates into scheme.along.
    """
    system, missing = mechanism.system, mechanism.tree_work.wrenches
    if end == MISSED_AT_END:
        add_momenta(system, workspace, -0.5 * length, scheme.force, scheme.known)
    for body in range(system.body_count):
        group = system.bodies.group[body]
        mass, inertia = system.bodies.mass[body], get6(system.bodies.inertia, 6 * body)
        turn = mat9(workspace.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        spin, slide = twist6(scheme.twists, 6 * body)
        x = (scale(end * length, spin), scale(end * length, slide))
        moved = moved_momentum(group, x, momentum(mass, inertia, (spin, slide)))
        local, known = in_body_axes(group, turn, moved), twist6(scheme.known, 6 * body)
        missed = (sub(known[0], local[0]), sub(known[1], local[1]))
        put_twist(missing, 6 * body, (scale(end, missed[0]), scale(end, missed[1])))
    if scheme.has_efforts != 0:
        state, tree = scheme.point if end == MISSED_AT_START else scheme.trial, mechanism.tree
        for k in range(tree.rate_count):  # those of a ball have one inertia: dexp^-T does nothing
            slower = state[tree.stored_count + k] - scheme.mean[k]
            pushed = 0.5 * length * mechanism.tree_work.efforts[k]
            scheme.along[k] = end * tree.armature[k] * slower + pushed


@routine
def want_no_gaps(mechanism: Any, workspace: Any, scheme: Any, length: float) -> None:
    """-g / h of all rows at the trial, into iteration.wanted; those of J stay what they are."""
    loops, loop_work, found = mechanism.loops, mechanism.loop_work, mechanism.stabiliser.found
    put_openings(mechanism, workspace, scheme.trial, SHIFTS, True)
    if loops.coupled_count > 0:
        put_coupled_rows(mechanism, workspace, scheme.point, workspace.absolute, found.eta)
    if loops.has_rotor_rows != 0:
        put_rotor_slips(mechanism, workspace.absolute, found.absolute, length, length, found.shift)
    for row in range(loops.row_count):
        loop_work.wanted[row] = found.shift[loops.source[row]] / length
        loop_work.wanted[row] += loops.compliance[row] * scheme.early[row]


@once
def put_rotor_slips(
    mechanism: Any, absolute: Any, other: Any, length: float, factor: float, out: Any
) -> None:
    r"""How much faster than in the mean of the step the rotors of rows are, times a factor.

    A rotor has the momentum $I_r\dot q$ at either end, and $I_r\Delta q/h$ in between: its row
    asks for $\lambda h/2 = I_r(\Delta q/h - \dot q)$ at the start, and for the opposite at the end.
    The poses in `absolute` and `other` are a step of this length apart.
    """
    system, joints = mechanism.system, mechanism.system.joints
    for joint in range(system.joint_count):
        if joints.rotor_bits[joint] == 0:
            continue
        row = joints.first_row[joint] + joints.rows[joint]
        now, then = opening_of(joints, joint, absolute), opening_of(joints, joint, other)
        turned = so3_log(so3_from_matrix(tmatmul(now[0], then[0])))
        moved = (turned, sub(then[1], now[1]))
        rates = relative_twist(joints, joint, absolute)
        for k in range(6):
            if joints.rotor_bits[joint] >> k & 1:
                out[row] = factor * (rates[k // 3][k % 3] - moved[k // 3][k % 3] / length)
                row += 1


@routine
def want_no_slips(mechanism: Any, workspace: Any, scheme: Any, length: float) -> None:
    """rates - J V of all rows at the placed bodies, into iteration.wanted."""
    loops, loop_work, found = mechanism.loops, mechanism.loop_work, mechanism.stabiliser.found
    if loops.coupled_count > 0:
        put_coupled_rows(mechanism, workspace, scheme.trial, workspace.absolute, found.eta)
    put_slips(mechanism, workspace, workspace.absolute, workspace.jacobian, found.change, True)
    if loops.has_rotor_rows != 0:
        place_bodies(mechanism.tree, scheme.point, mechanism.placed, found.absolute)
        put_rotor_slips(mechanism, workspace.absolute, found.absolute, -length, -1.0, found.change)
    for row in range(loops.row_count):
        loop_work.wanted[row] = found.change[loops.source[row]]
        loop_work.wanted[row] += loops.compliance[row] * scheme.late[row]


# --- what takes it away ---


@routine
def load_missing(mechanism: Any, workspace: Any, multipliers: Any) -> None:
    """Momenta that are missed with these multipliers, as loads of the recursion."""
    copy(multipliers, mechanism.loop_work.multipliers, mechanism.loops.row_count)
    add_row_wrenches(mechanism, workspace)
    load_bodies(mechanism.tree, mechanism.tree_work, mechanism.tree.body_count)


@routine
def correct(mechanism: Any, workspace: Any, scheme: Any, multipliers: Any, size: float) -> float:
    """The change of velocities that takes misses away, in iteration.solution: its size.

    Multipliers, h lambda / 2, get theirs.
    """
    tree, loop_work, rows = mechanism.tree, mechanism.loop_work, mechanism.tree_work.rows
    load_missing(mechanism, workspace, multipliers)
    if scheme.has_efforts != 0:
        load_efforts(tree, rows, scheme.along)
    solve_load_case(tree, mechanism.loops, loop_work, rows, size)
    last, total = tree.rate_count + 6 * tree.body_count, 0.0
    for row in range(mechanism.loops.row_count):
        multipliers[row] += loop_work.solution[last + row]
    for k in range(tree.rate_count):
        total += tree.armature[k] * loop_work.solution[k] * loop_work.solution[k]
    for body in range(tree.body_count):
        found = twist_in_column(tree, rows, workspace.absolute, loop_work.solution, body)
        put_twist(workspace.search, 6 * body, found)
    return mass_norm(mechanism.system, workspace.search) + sqrt(total)


# --- work, angles and supply ---


@routine
def keep_integrals(
    mechanism: Any, workspace: Any, scheme: Any, length: float, end: float, multipliers: Any
) -> None:
    """Half of a step's work, angles and supply, with what is known at one of its ends."""
    put_row_powers(mechanism, workspace, multipliers, 2.0 / length)
    if mechanism.tree.driven_count > 0:
        put_driver_powers(mechanism, workspace, scheme, length, end, multipliers)
    put_turn_rates(mechanism, workspace.quadrature_rates)
    put_powers(mechanism, workspace, (scheme.powers[0], scheme.powers[1]), scheme.books)
    first = 2 * mechanism.tree.rate_count
    for k in range(mechanism.layout.multipliers - mechanism.layout.integrals):
        scheme.increment[first + k] += 0.5 * length * scheme.books[k]


@once
def put_driver_powers(
    mechanism: Any, workspace: Any, scheme: Any, length: float, end: float, multipliers: Any
) -> None:
    """Of drivers of coordinates: what their rows of the equations, which are not solved, miss."""
    tree, rows = mechanism.tree, mechanism.tree_work.rows
    put_missing(mechanism, workspace, scheme, length, end)
    load_missing(mechanism, workspace, multipliers)
    for body in range(tree.body_count):  # torque, then force
        put6(mechanism.joint_wrench, 6 * body, get6(rows, body * ROW + TORQUE))
    sum_inward(tree, rows, mechanism.joint_wrench)
    clear(scheme.rates, tree.rate_count)  # rotors are in scheme.along
    along_coordinates(tree, rows, mechanism.joint_wrench, scheme.rates, mechanism.efforts)
    put_coordinate_powers(mechanism, workspace, scheme.along, 2.0 / length)
