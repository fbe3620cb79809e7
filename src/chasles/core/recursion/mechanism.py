r"""A tree on its joint subgroups as a mechanism: what every scheme needs to step it.

A point is (stored numbers, velocities, integrals, supply, what floating systems keep), a slope
(dexp^-1 v, v', rates of the others).  Nothing is watched, projected or fed back: a tree joint
cannot open, and no pose of a tree is singular.  Trees with cut joints are another kind: see
`loop_mechanism`.

Driven coordinates are functions of time: a stage, and the end of a step, puts them where they are.
"""

from typing import Any, NamedTuple

from chasles.compiled import beyond, formula, hot, routine
from chasles.core.arrays import Floats, Integers, System
from chasles.core.assemble import twist_of
from chasles.core.blocks.small import dot6, get6
from chasles.core.judge import (
    all_finite,
    begin_step,
    end_step,
    energy_of_placed,
    look_at_energy,
    note_energy,
    potential_of_placed,
    settle_gravity,
)
from chasles.core.outcomes import NOT_FINITE, OK
from chasles.core.recursion import motion
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.flight import (
    FLIGHT_WIDTH,
    Flight,
    keep_flight,
    put_flight_slopes,
)
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.recursion.reactions import along_coordinates, reactions
from chasles.core.recursion.stage import follow, push
from chasles.core.recursion.tree import Recursion, Tree
from chasles.core.retraction import finish, pull_back, retract, slope_length
from chasles.core.seam import on
from chasles.core.signals import put_signals
from chasles.core.stage import Promises, stage
from chasles.core.state_block import SUPPLY_WIDTH, Layout
from chasles.core.turns import settle_turns
from chasles.core.watch import Watch
from chasles.scalars.errorfree import compensated


class TreeMechanism(NamedTuple):
    """A tree as kernels know it; `system` has its forces, drivers and joints."""

    system: System
    tree: Tree
    memory: Recursion
    watch: Watch  # of no rows
    promises: Promises
    layout: Layout
    coordinates: Integers  # (m,) which coordinate a driver drives; -1 for joints, and for rows
    felt: Floats  # (n, 6) wrenches of the joints, where there are drivers
    efforts: Floats  # (v,) generalised forces there
    flight: Flight  # what floats


# --- points and slopes ---


@on(slope_length, TreeMechanism)
@formula
def tree_slope_length(mechanism: Any) -> int:
    return 2 * mechanism.tree.rate_count + linear_count(mechanism)


@formula
def linear_count(mechanism: Any) -> int:
    """How many variables are integrals of the motion: these are added up."""
    flown = FLIGHT_WIDTH * mechanism.flight.count
    return mechanism.system.quadrature_count + SUPPLY_WIDTH + flown


@hot
def add_integrals(mechanism: Any, point: Any, increment: Any, count: int, out: Any) -> None:
    """Integrals, supply and what floating systems keep, so many of them, grow by increments."""
    at, into = mechanism.layout.integrals, 2 * mechanism.tree.rate_count
    for k in range(count):
        out[at + k] = point[at + k] + increment[into + k]


@routine
def add_flight(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """What floating systems keep, rounded once per step and not at all on average."""
    layout, rates = mechanism.layout, 2 * mechanism.tree.rate_count
    at, into = layout.flight, rates + layout.flight - layout.integrals
    for k in range(FLIGHT_WIDTH * mechanism.flight.count):
        out[at + k], carry_out[rates + k] = compensated(
            point[at + k], carry[rates + k], increment[into + k]
        )


@on(retract, TreeMechanism)
@hot
def tree_retract(mechanism: Any, point: Any, increment: Any, out: Any) -> None:
    motion.retract(mechanism.tree, point, increment, out)
    add_integrals(mechanism, point, increment, linear_count(mechanism), out)


@on(pull_back, TreeMechanism)
@hot
def tree_pull_back(mechanism: Any, increment: Any, slope: Any) -> int:
    outcome: int = motion.pull_back(mechanism.tree, increment, slope)
    return outcome


@on(finish, TreeMechanism)
@hot
def tree_finish(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    motion.finish(mechanism.tree, point, increment, carry, out, carry_out)
    # Where out is point, what floats must not grow twice.
    integrals = mechanism.layout.flight - mechanism.layout.integrals
    add_integrals(mechanism, point, increment, integrals, out)
    add_flight(mechanism, point, carry, increment, out, carry_out)


# --- a stage ---


@hot
def begin_tree_stage(mechanism: Any, scratch: Any, point: Any, t: float) -> None:
    """Functions of time, driven coordinates where these are, integrals, and where bodies turn."""
    system, tree = mechanism.system, mechanism.tree
    put_signals(system.signals, t, scratch.signals)
    if tree.driven_count > 0:
        follow(tree, scratch.signals, point)
    for k in range(system.quadrature_count):
        scratch.quadratures[k] = point[mechanism.layout.integrals + k]
    kinematics(tree, point, mechanism.memory.rows)


@on(stage, TreeMechanism)
@hot
def tree_stage(
    mechanism: Any, scratch: Any, point: Any, t: float, role: Any, slope_out: Any
) -> int:
    """F at a point and time, where the driven coordinates of the point are put: OK."""
    system, tree, memory = mechanism.system, mechanism.tree, mechanism.memory
    begin_tree_stage(mechanism, scratch, point, t)
    if memory.has_wrenches != 0:
        push(tree, memory, system, scratch, point)
    rates = tree.rate_count
    accelerations(tree, memory, slope_out, rates)
    for k in range(rates):
        slope_out[k] = point[tree.stored_count + k]
    if tree.driven_count > 0:
        find_driver_powers(mechanism, scratch, beyond(slope_out, rates))
    powers = force_powers(mechanism, scratch)
    put_powers(mechanism, scratch, powers, beyond(slope_out, 2 * rates))
    put_flight(mechanism, scratch, point, slope_out)
    return OK


@hot
def put_flight(mechanism: Any, scratch: Any, point: Any, slope_out: Any) -> None:
    """The slopes of what floating systems keep, from the forces on their bodies."""
    memory, layout = mechanism.memory, mechanism.layout
    if mechanism.flight.count > 0:
        at = 2 * mechanism.tree.rate_count + layout.flight - layout.integrals
        put_flight_slopes(
            mechanism.tree, mechanism.flight, memory.has_wrenches, memory.wrenches,
            scratch.absolute, beyond(point, layout.flight), beyond(slope_out, at),
        )  # fmt: skip


@hot
def land(mechanism: Any, out: Any, step: float) -> None:
    """Floating systems are moved to where their momentum says, at the end of a step."""
    layout = mechanism.layout
    if mechanism.flight.count > 0:
        keep_flight(
            mechanism.tree, mechanism.memory, mechanism.flight, out, beyond(out, layout.carry),
            beyond(out, layout.flight), step,
        )  # fmt: skip


@routine
def find_driver_powers(mechanism: Any, scratch: Any, rates: Any) -> None:
    """The power of drivers of coordinates: generalised force times the rate they prescribe."""
    system, tree = mechanism.system, mechanism.tree
    reactions(tree, mechanism.memory, mechanism.felt)
    along_coordinates(tree, mechanism.memory.rows, mechanism.felt, rates, mechanism.efforts)
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0 and mechanism.coordinates[joint] >= 0:
            effort = mechanism.efforts[mechanism.coordinates[joint]]
            integral = system.joints.drive_work[joint]
            scratch.quadrature_rates[integral] = effort * scratch.signals[drive + 1]


@hot
def force_powers(mechanism: Any, scratch: Any) -> Any:
    """The power of all forces, and its size, body by body; gravity's work is a difference of
    potentials (see `look_at_tree_energy`).
    """
    tree, memory = mechanism.tree, mechanism.memory
    supplied, exchanged = 0.0, 0.0
    if memory.has_wrenches != 0:
        for body in range(tree.body_count):
            twist = twist_of(scratch.absolute, body)
            power = dot6(get6(memory.wrenches, 6 * body), twist[0] + twist[1])
            supplied += power
            exchanged += abs(power)
    return supplied, exchanged


@hot
def put_powers(mechanism: Any, scratch: Any, powers: Any, out: Any) -> None:
    """Rates of the integrals; then the power of all forces and drivers, and its size, part by
    part (see `core.stage.put_supply`).
    """
    system = mechanism.system
    supplied, exchanged = powers
    for k in range(system.quadrature_count):
        out[k] = scratch.quadrature_rates[k]
    for k in range(system.force_count, system.force_count + system.drive_count):
        supplied += out[k]
        exchanged += abs(out[k])
    out[system.quadrature_count] = supplied
    out[system.quadrature_count + 1] = exchanged


# --- around a step ---


@on(begin_step, TreeMechanism)
@hot
def begin_tree_step(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """Nothing is kept from step to step."""


@on(end_step, TreeMechanism)
@hot
def end_tree_step(
    mechanism: Any, scratch: Any, state: Any, t: float, step: float, looking: int, out: Any
) -> int:
    tree, layout = mechanism.tree, mechanism.layout
    for k in range(layout.momentum, layout.width):
        out[k] = state[k]
    if tree.driven_count > 0:
        put_signals(mechanism.system.signals, t, scratch.signals)
        follow(tree, scratch.signals, out)
    land(mechanism, out, step)
    return OK if all_finite(out, layout.integrals) else NOT_FINITE


@on(look_at_energy, TreeMechanism)
@routine
def look_at_tree_energy(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """The bodies are left placed in scratch, for `look_at_gaps`; turns are settled."""
    kinematics(mechanism.tree, state, mechanism.memory.rows)
    place(mechanism.tree, state, mechanism.memory.rows, scratch.absolute)
    settle_turns(mechanism.system, scratch.absolute, beyond(state, mechanism.layout.integrals))
    potential, rounded = potential_of_placed(mechanism, mechanism.tree.gravity, scratch)
    settle_gravity(mechanism, state, potential)
    energy = energy_of_placed(mechanism.system, scratch) + rotor_energy(mechanism.tree, state)
    note_energy(mechanism, state, t, energy, rounded)


@routine
def rotor_energy(tree: Any, state: Any) -> float:
    r"""$\tfrac12\sum I_r \dot q^2$"""
    total = 0.0
    for k in range(tree.rate_count):
        rate = state[tree.stored_count + k]
        total += 0.5 * tree.armature[k] * rate * rate
    return total
