r"""One stage: the right-hand side F of the equations of motion on the configuration space.

At a point (charts of all bodies, and integrals) and a time,

$$ F = (U, \dot U), \qquad
   \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
   \begin{pmatrix} Q \\ \eta \end{pmatrix}, $$

and $\dot U$ follows from $\dot V$ by the chart of every body.  Read `stage` as a table of contents:
place the bodies, form the rows, feed back what is open, add the forces, solve, keep the books.
Every scheme is made of calls of it.
"""

from typing import Any, NamedTuple

from chasles.compiled import hot, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    POSITION,
    VELOCITY,
    Floats,
    System,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.assemble import place_bodies, twist_of
from chasles.core.balance import Balance, collect_impulse
from chasles.core.blocks.small import dot6, get6
from chasles.core.charts import chart_acceleration, grounded_acceleration
from chasles.core.confinement import Confinement, confined_rate, confined_to, tie
from chasles.core.constraints.registry import assemble_rows
from chasles.core.evaluate import solve_motion
from chasles.core.ordering import Plan
from chasles.core.outcomes import OK
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import seam
from chasles.core.signals import put_signals
from chasles.core.stabilisation.feedback import find_drift, pull_joints
from chasles.core.stabilisation.moves import chart_move
from chasles.core.stabilisation.record import FED_BACK, PROJECTED, Stabiliser
from chasles.core.state_block import Layout
from chasles.core.turns import put_turn_rates
from chasles.core.watch import Watch


class Promises(NamedTuple):
    """Beyond what a run is worth a word."""

    gaps: Floats  # (rows,) gap (m, rad) of every row of J; 0: any will do
    sizes: Floats  # (rows,) what a gap is large or small against: a lever (m), or 1 rad
    lengths: Floats  # (rows,) 1 for gaps in metres: far from the origin they are rounded more
    slow: float  # sizes per second below which nothing moves visibly
    still: float  # energy (J) below which nothing moves visibly
    places: Floats  # (n, 3) of the bodies as entered: heights are measured from there


class Mechanism(NamedTuple):
    """A model as kernels know it: its arrays, and what goes along with its equations."""

    system: System
    plan: Plan
    stabiliser: Stabiliser
    balance: Balance
    watch: Watch
    promises: Promises
    layout: Layout
    confinement: Confinement


class Role(NamedTuple):
    """What a stage is to its step: the weight with which its slope enters the end of it."""

    weight: float


@seam
@hot
def stage(mechanism: Any, scratch: Any, point: Any, t: float, role: Any, slope_out: Any) -> int:
    """F at a point and time: OK, or how it failed (see `outcomes`)."""
    system, plan = mechanism.system, mechanism.plan
    put_signals(system.signals, t, scratch.signals)
    for k in range(system.quadrature_count):
        scratch.quadratures[k] = point[CHART_WIDTH * system.body_count + k]
    place_bodies(system, point, scratch.absolute, scratch.turn)
    assemble_rows(system, scratch)
    pull_joints(system, scratch, mechanism.stabiliser)
    outcome = solve_motion(system, plan, scratch)
    if outcome != OK:
        return outcome
    keep_books(mechanism, scratch, point, role)
    put_turn_rates(system, scratch)
    put_slopes(system, mechanism.confinement, scratch, point, slope_out)
    put_supply(system, scratch, slope_out)
    move_apart(mechanism, scratch, point, slope_out)
    return OK


@hot
def keep_books(mechanism: Any, scratch: Any, point: Any, role: Any) -> None:
    """What the end of the step needs to know of its stages."""
    system = mechanism.system
    if mechanism.balance.count > 0:
        collect_impulse(system, scratch, mechanism.balance, role.weight)
    if mechanism.stabiliser.kind == PROJECTED:
        for k in range(CHART_WIDTH * system.body_count):
            scratch.chart[k] = point[k]


@hot
def put_slopes(system: Any, confinement: Any, scratch: Any, point: Any, slope_out: Any) -> None:
    """(U, U') of every body, from the body accelerations in scratch.rhs; rates of integrals."""
    bodies = system.bodies
    for body in range(system.body_count):
        group, reference = bodies.group[body], bodies.reference[body]
        frame_point = vec3(bodies.frame_point, 3 * body)
        velocity = twist6(point, body * CHART_WIDTH + VELOCITY)
        twist, rate = twist_of(scratch.absolute, body), twist6(scratch.rhs, 6 * body)
        if reference < 0:
            turn = mat9(scratch.absolute, body * ABSOLUTE_WIDTH + POSE_R)
            acceleration = grounded_acceleration(group, twist, rate, turn, frame_point)
        else:
            acceleration = chart_acceleration(
                group, velocity, twist, rate,
                mat9(scratch.turn, body * 9), vec3(point, body * CHART_WIDTH + POSITION),
                frame_point, twist_of(scratch.absolute, reference),
                twist6(scratch.rhs, 6 * reference),
            )  # fmt: skip
        if confinement.locked[body] != 0:
            acceleration = confined_rate(group, confinement, body, acceleration)
        put_twist(slope_out, SLOPE_WIDTH * body, velocity)
        put_twist(slope_out, SLOPE_WIDTH * body + 6, acceleration)
    tie(confinement, slope_out, 6, SLOPE_WIDTH, 1.0)
    for k in range(system.quadrature_count):
        slope_out[SLOPE_WIDTH * system.body_count + k] = scratch.quadrature_rates[k]


@hot
def put_supply(system: Any, scratch: Any, slope_out: Any) -> None:
    """The power of all forces and drivers, and its size, part by part.

    Joints take none.  What goes in must be found as kinetic energy: see `judge`.
    """
    supplied, exchanged = 0.0, 0.0
    for body in range(system.body_count):
        twist = twist_of(scratch.absolute, body)
        six = twist[0] + twist[1]
        power = dot6(get6(scratch.forces, 6 * body), six)
        supplied += power
        exchanged += abs(power)
    for joint in range(system.joint_count):
        if system.joints.drive[joint] >= 0:
            power = scratch.quadrature_rates[system.joints.drive_work[joint]]
            supplied += power
            exchanged += abs(power)
    at = SLOPE_WIDTH * system.body_count + system.quadrature_count
    slope_out[at] = supplied
    slope_out[at + 1] = exchanged


@routine
def move_apart(mechanism: Any, scratch: Any, point: Any, slope_out: Any) -> None:
    """The slopes of the poses get what moves the bodies beside their velocities."""
    system, stabiliser = mechanism.system, mechanism.stabiliser
    if stabiliser.kind != FED_BACK or stabiliser.drift_gain == 0.0:
        return
    find_drift(system, mechanism.plan, scratch, stabiliser)
    for body in range(system.body_count):
        move = chart_move(system, scratch, point, body, stabiliser.drift)
        group = system.bodies.group[body]
        (spin, slide), _, _ = confined_to(group, mechanism.confinement, body, move)
        at = SLOPE_WIDTH * body
        for c in range(3):
            slope_out[at + c] += spin[c]
            slope_out[at + 3 + c] += slide[c]
