r"""The whole Newton matrix of a tree: bodies are placed for it, and rotors take part.

A rotor is an inertia along a coordinate: with $\dot q = J V$ the rate of the coordinate as a row on
the twists of two bodies (`constraints.screw_form.rotor_rows`), it adds $I_r J^T J$ to the mass
matrix, whether the coordinate is that of a pair or the joint has rows.
"""

from typing import Any

from chasles.compiled import hot
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, body_of
from chasles.core.recursion.kinematics import kinematics, place


@hot
def settle_places(mechanism: Any, scratch: Any, room: Any, point: Any) -> None:
    """Bodies of the stage at `point` are placed in scratch, and in room."""
    kinematics(mechanism.tree, point, room.places)
    place(mechanism.tree, point, room.places, scratch.absolute)
    for k in range(ABSOLUTE_WIDTH * mechanism.tree.body_count):
        room.absolute[k] = scratch.absolute[k]


@hot
def load_rotors(system: Any, newton: Any) -> None:
    r"""$I_r J^T J$ of every rotor, whose J is in newton.tangents.probe."""
    joints, jacobian = system.joints, newton.tangents.probe.jacobian
    for joint in range(system.joint_count):
        row = joints.first_row[joint] + joints.rows[joint]
        for part in range(6):
            if joints.geared[joint] >> part & 1:
                inertia, at = joints.rotors[6 * joint + part], row * ROW_WIDTH
                for one in range(2):
                    for other in range(2):
                        into = block_of(newton, joints, joint, one, other)
                        if into < 0:
                            continue
                        for r in range(6):
                            along = inertia * jacobian[at + 6 * one + r]
                            for c in range(6):
                                entry = jacobian[at + 6 * other + c]
                                newton.values[into + 6 * r + c] += along * entry
                row += 1


@hot
def block_of(newton: Any, joints: Any, joint: int, one: int, other: int) -> int:
    """Where the block of two sides of a joint begins; -1 where one is the ground."""
    body: int = body_of(joints, joint, one)
    if body < 0 or body_of(joints, joint, other) < 0:
        return -1
    found: int = newton.own[body] if one == other else newton.beside[2 * joint + one]
    return found


@hot
def feel_rotors(system: Any, newton: Any, twists: Any) -> None:
    """What rotors take of M E, for body accelerations E."""
    joints, jacobian = system.joints, newton.tangents.probe.jacobian
    for joint in range(system.joint_count):
        row = joints.first_row[joint] + joints.rows[joint]
        for part in range(6):
            if joints.geared[joint] >> part & 1:
                effort = 0.0
                for side in range(2):
                    body, at = body_of(joints, joint, side), row * ROW_WIDTH + 6 * side
                    if body >= 0:
                        for c in range(6):
                            effort += jacobian[at + c] * twists[6 * body + c]
                effort *= joints.rotors[6 * joint + part]
                for side in range(2):
                    body, at = body_of(joints, joint, side), row * ROW_WIDTH + 6 * side
                    if body >= 0:
                        for c in range(6):
                            newton.column[6 * body + c] += effort * jacobian[at + c]
                row += 1
