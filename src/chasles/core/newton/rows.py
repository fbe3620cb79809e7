r"""What constraint rows do to accelerations and poses at the end of an implicit step.

A stage gives accelerations and multipliers of index 1, $M\dot V + J^T\lambda = Q$ with
$J\dot V = \eta$.  An implicit method asks for other accelerations: those at which joints are closed
(or do not slip).  With $\dot V_k$ those of the last iterate, e = $\dot V_k - \dot V$ and poses that
change by $g_2$, velocities by $g_1$ times a change of accelerations,

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix} \begin{pmatrix} d \\ \mu \end{pmatrix} =
   \begin{pmatrix} 0 \\ J e - g/g_2 \end{pmatrix} $$

(index 3; $J e - (J V - r)/g_1$ on index 2, and for wheels on either), $\dot V + d$ and
$\lambda+\mu$ are the next.  The factor is the one of the stage, redundant rows are what they are
there, and the unknowns $g_2\,d$ and $\mu$ are of the sizes that Bottasso's scaling gives them: h
occurs nowhere in the matrix.
"""

from typing import Any

from chasles.compiled import hot, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    POSITION,
    ROW_WIDTH,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.blocks.small import dot6, get6
from chasles.core.charts import chart_twist, grounded_twist
from chasles.core.confinement import confined_to, tie
from chasles.core.evaluate import driver_powers
from chasles.core.newton.room import OPEN, WORST_ROW
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import seam
from chasles.core.stabilisation.moves import chart_move
from chasles.core.stabilisation.residuals import (
    put_position_residual,
    put_velocity_residual,
    solve_rows,
)
from chasles.core.stage import put_supply


@seam
@hot
def lift(mechanism: Any, scratch: Any, room: Any, point: Any, rates: Any) -> None:
    """Body twists, into room.twists, of velocities (f,) at the point whose stage is in scratch."""
    system = mechanism.system
    bodies, twists = system.bodies, room.twists
    for body in range(system.body_count):
        group, reference = bodies.group[body], bodies.reference[body]
        frame_point, own = vec3(bodies.frame_point, 3 * body), twist6(rates, 6 * body)
        if reference < 0:
            turn = mat9(scratch.absolute, body * ABSOLUTE_WIDTH + POSE_R)
            twist = grounded_twist(group, own, turn, frame_point)
        else:
            rho = vec3(point, body * CHART_WIDTH + POSITION)
            carrier = twist6(twists, 6 * reference)
            turn = mat9(scratch.turn, body * 9)
            twist = chart_twist(group, own, turn, rho, frame_point, carrier)
        put_twist(twists, 6 * body, twist)


@seam
@hot
def lower(mechanism: Any, scratch: Any, room: Any, point: Any, twists: Any, out: Any) -> None:
    """Velocities (f,) of body twists: the inverse of `lift`, confined to what charts keep."""
    system, confinement = mechanism.system, mechanism.confinement
    for body in range(system.body_count):
        own = chart_move(system, scratch, point, body, twists)
        if confinement.locked[body] != 0:
            own, _, _ = confined_to(system.bodies.group[body], confinement, body, own)
        put_twist(out, 6 * body, own)
    tie(confinement, out, 0, 6, 0.0)


@routine
def times_rows(system: Any, jacobian: Any, joint: int, twists: Any, scale: float, out: Any) -> None:
    """Add scale J V of a joint to the rows of a column (6 n + rows,)."""
    first, unknowns = system.joints.first_row[joint], 6 * system.body_count
    a, b = system.joints.a[joint], system.joints.b[joint]
    for row in range(first, first + system.joints.rows[joint]):
        at, total = row * ROW_WIDTH, 0.0
        if a >= 0:
            total += dot6(get6(jacobian, at), get6(twists, 6 * a))
        if b >= 0:
            total += dot6(get6(jacobian, at + 6), get6(twists, 6 * b))
        out[unknowns + row] += scale * total


@routine
def pull_row(room: Any, promises: Any, row: int, gap: float, slip: float, pulls: Any) -> float:
    """What a row asks for; `pulls` are the index, 1 / g_2 and 1 / g_1.  The widest gap is noted."""
    if room.measured[row] != 0:
        wide = abs(gap) / promises.sizes[row]
        if wide > room.audit[OPEN]:
            room.audit[OPEN], room.audit[WORST_ROW] = wide, row
        if pulls[0] == 3:
            return gap * pulls[1]
    return slip * pulls[2]


@seam
@hot
def meet_rows(mechanism: Any, scratch: Any, room: Any, point: Any, pulls: Any) -> None:
    """Into room.reply: d, what joints change the accelerations by; multipliers in room are theirs.

    The stage at `point` is in scratch, room.apart has e.
    """
    system, unknowns = mechanism.system, 6 * mechanism.system.body_count
    lift(mechanism, scratch, room, point, room.apart)
    column, residual = room.column, scratch.residual
    for k in range(unknowns + system.row_count):
        column[k] = 0.0
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        put_velocity_residual(system, joint, scratch.absolute, scratch, scratch.jacobian, column)
        put_position_residual(system, joint, scratch.absolute, scratch, residual)
        for row in range(first, first + system.joints.rows[joint]):
            at = unknowns + row
            column[at] = pull_row(room, mechanism.promises, row, residual[at], column[at], pulls)
        times_rows(system, scratch.jacobian, joint, room.twists, 1.0, column)
    solve_rows(system, mechanism.plan, scratch, column)
    for row in range(system.row_count):
        room.multipliers[row] = scratch.rhs[unknowns + row] + column[unknowns + row]
    lower(mechanism, scratch, room, point, column, room.reply)


@seam
@hot
def meet_gaps(mechanism: Any, scratch: Any, room: Any, point: Any) -> None:
    """Into room.reply: the least displacement of the poses, in the mass metric, that closes rows.

    After `meet_rows`, on the same factor.
    """
    system, unknowns = mechanism.system, 6 * mechanism.system.body_count
    column = room.column
    for k in range(unknowns + system.row_count):
        column[k] = 0.0
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        put_position_residual(system, joint, scratch.absolute, scratch, column)
        for row in range(first, first + system.joints.rows[joint]):
            if room.measured[row] == 0:
                column[unknowns + row] = 0.0
    solve_rows(system, mechanism.plan, scratch, column)
    lower(mechanism, scratch, room, point, column, room.reply)


@seam
@hot
def settle_powers(mechanism: Any, scratch: Any, room: Any, slope: Any) -> None:
    """The rates of integrals at the last iterate, with the method's own multipliers."""
    system = mechanism.system
    for row in range(system.row_count):
        scratch.rhs[6 * system.body_count + row] = room.multipliers[row]
    driver_powers(system, scratch)
    for k in range(system.quadrature_count):
        slope[SLOPE_WIDTH * system.body_count + k] = scratch.quadrature_rates[k]
    put_supply(system, scratch, slope)
