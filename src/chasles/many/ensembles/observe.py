"""Quantities that are followed while an ensemble runs, so that no trajectory is stored.

"pivot.violation"          distance by which a joint is open, m
"top.position.z"           of a centre of mass in the world, m
"top.speed"                of a centre of mass, m/s
"top.angular_velocity.x"   in the body frame, rad/s
"kinetic_energy"           of all bodies and rotors, J
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_X, TWIST, Floats, vec3
from chasles.core.constraints.lower_pair import LOWER_PAIR
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.kinds import Opening
from chasles.core.placed import opening_of, pose_of
from chasles.core.recursion.kinematics import kinematics, place
from chasles.core.signals import put_signals
from chasles.core.step_checks import energy_of_placed
from chasles.groups.vectors import dot
from chasles.many.ensembles.members import records_of
from chasles.many.traced.record import Key, record_reading
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import is_scalar
from chasles.model.errors import short_repr
from chasles.run.stepper import Stepper
from chasles.scalars.elementary import sqrt
from chasles.scalars.nodes import Program

AXES = ("x", "y", "z")
Quantity = Callable[[Any, Any], Any]  # of a system and its placed bodies


def known_quantities(model: Model) -> list[str]:
    """All that can be observed."""
    found = ["kinetic_energy", *(f"{name}.violation" for name in model.joint_names)]
    for body in model.body_names:
        found += [f"{body}.speed"]
        found += [f"{body}.{word}.{axis}" for word in ("position", "angular_velocity")
                  for axis in AXES]  # fmt: skip
    return found


def checked_quantities(model: Model, given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or is_scalar(given) or not isinstance(given, Iterable):
        raise InvalidOption(
            f"ensemble: statistics must be a list of quantities, got {short_repr(given)}.",
            'Give ["pivot.violation"], say.',
        )
    known, wanted = known_quantities(model), tuple(given)
    if not wanted:
        raise InvalidOption(
            "ensemble: statistics must name a quantity, got none.",
            f"Give ['{known[-1]}'], say, or leave it out for trajectories.",
        )
    for name in wanted:
        UnknownName.check("quantity", name, known, "ensemble: statistics")
    return wanted


def violation(joint: int) -> Quantity:
    """The length of the translation by which a joint is open."""

    def value(system: Any, workspace: Any) -> Any:
        joints = system.joints
        turn, shift = opening_of(system.joints, joint, workspace.absolute)
        kind, locked = CONSTRAINTS[joints.kind[joint]], joints.locked[joint]
        if kind is LOWER_PAIR:
            locked &= 0b111000  # angles, which are not asked for, would branch
        poses = [pose_of(workspace.absolute, side[joint]) for side in (joints.a, joints.b)]
        opening = Opening(turn, shift, joints.constant[joint], locked, 0.0, poses, None)
        gap = kind.gap(opening)[1]
        return sqrt(dot(gap, gap))

    return value


def of_body(body: int, word: str, axis: str) -> Quantity:
    at = body * ABSOLUTE_WIDTH

    def value(system: Any, workspace: Any) -> Any:
        if word == "speed":
            speed = vec3(workspace.absolute, at + TWIST + 3)
            return sqrt(dot(speed, speed))
        first = POSE_X if word == "position" else TWIST
        return workspace.absolute[at + first + AXES.index(axis)]

    return value


def quantity(stepper: Stepper, name: str) -> Quantity:
    """What a name stands for."""
    setup = stepper.solver.setup
    if name == "kinetic_energy":
        return energy_of_placed
    for joint in setup.model.joint_names:
        if name == f"{joint}.violation":
            return violation(setup.joint_index[joint])
    body = next(b for b in sorted(setup.model.body_names, key=len, reverse=True)
                if name.startswith(f"{b}."))  # fmt: skip
    word, _, axis = name[len(body) + 1 :].partition(".")
    return of_body(setup.body_index[body], word, axis)


def observing(
    stepper: Stepper, names: Sequence[str], block: Floats, parameters: Sequence[Key]
) -> Program:
    """The program (block, time, parameters) -> quantities."""

    def values(mechanism: Any, workspace: Any) -> list[Any]:
        return [quantity(stepper, name)(mechanism.system, workspace) for name in names]

    drives = stepper.mechanism.system.joints.drive
    joints = stepper.solver.setup.joint_index.items()
    driven = any(f"{name}.violation" in names for name, k in joints if drives[k] >= 0)
    program = read_program(stepper, values, block, parameters, signals=driven)
    if program.guards:
        raise InvalidOption(
            f"ensemble: statistics of {', '.join(names)} are not a formula without branches.",
            "Leave out joints on threads, or keep trajectories: leave out statistics=.",
        )
    return program


def read_program(
    stepper: Stepper, values: Callable[[Any, Any], list[Any]], block: Floats,
    parameters: Sequence[Key], signals: bool = True,
) -> Program:  # fmt: skip
    """(block, time, parameters) -> values of a mechanism and its placed bodies.

    Without `signals` for what no function of time decides: places, velocities.
    """

    def read(mechanism: Any, workspace: Any, state: Any, t: Any) -> list[Any]:
        if signals:
            put_signals(mechanism.system.signals, t, workspace.signals)
        kinematics(mechanism.tree, state, mechanism.tree_work.rows)
        place(mechanism.tree, state, mechanism.tree_work.rows, workspace.absolute)
        return values(mechanism, workspace)

    return record_reading(records_of(stepper), read, block, 0.0, parameters)
