"""Couplings of joint coordinates at poses of the bodies: how far they are off, and their rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.build.system.gaps import frame_of, opening_history, pose_history
from chasles.build.system.user_code import CustomRows
from chasles.core.arrays import POSE_X, TWIST, Floats, Integers
from chasles.core.constraints.screw_form import coordinate_rows
from chasles.core.frames import oriented
from chasles.core.rows import frame_seen_from_a, nearest_turn, turn_about_axis
from chasles.model import Coupling, CustomCoupling
from chasles.model.coordinates import ANGLE

if TYPE_CHECKING:
    from chasles.build.system.build import Setup


def orientation(setup: "Setup", joint: str) -> float:
    """-1 where the arrays hold the joint's bodies in the opposite order."""
    found = setup.model.joint(joint)
    return 1.0 if oriented(found)[1] == found.b else -1.0


def coupled_coordinates(
    setup: "Setup", coupling: Coupling, absolute: Floats, near: Mapping[str, float] | None = None
) -> list[Floats]:
    """The coordinates of a coupling at absolute states (..., n, 18), in the order of its terms.

    Angles are those nearest to `near`, by joint; else to what is known of the start.
    """
    known = setup.angles if near is None else near
    found = []
    for joint, word, _ in coupling.terms:
        turn, shift = opening_history(setup.system.joints, setup.joint_index[joint], absolute)
        sign = orientation(setup, joint)
        if word == ANGLE:
            found.append(
                nearest_turn(
                    sign * turn_about_axis(turn),
                    known.get(joint, setup.model.joint(joint).at_start(ANGLE)),
                )
            )
        else:
            found.append(sign * shift[2])
    return found


def coupled_gap(
    setup: "Setup", coupling: Coupling, absolute: Floats, near: Mapping[str, float] | None = None
) -> Floats:
    """By how much a coupling is off, in the unit of its terms, at absolute states (..., n, 18)."""
    if isinstance(coupling, CustomCoupling):
        return formula_gap(setup, coupling, absolute)
    values = coupling.values(coupled_coordinates(setup, coupling, absolute, near))
    return np.broadcast_to(np.asarray(values, float), absolute.shape[:-2])


def formula_gap(setup: "Setup", coupling: CustomCoupling, absolute: Floats) -> Floats:
    """What a user's formula of bodies gives, called with floats, state by state."""
    bodies = [setup.body_index[name] for name in coupling.bodies]
    shape = absolute.shape[:-2]
    states = absolute[..., bodies, :TWIST].reshape(-1, len(bodies), TWIST).tolist()
    found = [
        coupling.residual(*((tuple(row[:POSE_X]), tuple(row[POSE_X:])) for row in state))
        for state in states
    ]
    return np.array(found).reshape(shape)


def coordinate_row(setup: "Setup", joint: str, word: str, absolute: Floats) -> Any:
    """The row (..., 12) on the twists of a joint's bodies a and b that is a coordinate's rate."""
    index, joints = setup.joint_index[joint], setup.system.joints
    axes, point = frame_of(joints, index, "b")
    a, b = (pose_history(absolute, int(body[index])) for body in (joints.a, joints.b))
    seen = frame_seen_from_a(a, b, axes, point)
    rows = coordinate_rows(word == ANGLE, seen, (axes, point))
    parts = [x for row in rows for half in row for x in half]
    row = np.stack([np.broadcast_to(x, absolute.shape[:-2]) for x in parts], axis=-1)
    return orientation(setup, joint) * row


def coupled_matrix(setup: "Setup", absolute: Floats) -> Floats:
    """J (c, 6 n) of all couplings on the twists of the bodies, at one state (n, 18)."""
    joints, couplings = setup.system.joints, setup.model.couplings
    matrix = np.zeros((len(couplings), 6 * setup.system.body_count))
    for k, coupling in enumerate(couplings):
        if isinstance(coupling, CustomCoupling):
            bodies = [setup.body_index[name] for name in coupling.bodies]
            row = CustomRows(coupling, len(bodies)).rows_at(absolute[bodies].ravel())[1]
            matrix[k].reshape(-1, 6)[bodies] = row.reshape(-1, 6)
            continue
        coordinates = coupled_coordinates(setup, coupling, absolute)
        for (joint, word, _), f in zip(coupling.terms, coupling.derivatives(coordinates)):
            row = f[1] * coordinate_row(setup, joint, word, absolute)
            index = setup.joint_index[joint]
            for side, body in enumerate((int(joints.a[index]), int(joints.b[index]))):
                if body >= 0:
                    matrix[k, 6 * body : 6 * body + 6] += row[6 * side : 6 * side + 6]
    return matrix


def coupled_places(setup: "Setup") -> Integers:
    """Where couplings have a row's place for their multipliers."""
    index = [setup.joint_index[coupling.name] for coupling in setup.model.couplings]
    return setup.system.joints.first_row[index]


def coupled_sizes(setup: "Setup") -> dict[int, float]:
    """By place: the largest of what the terms are when angles are 1 rad, lengths the lever."""
    lever = setup.longest_lever or 1.0
    sizes = {}
    for place, coupling in zip(coupled_places(setup).tolist(), setup.model.couplings):
        if not coupling.terms:  # in a unit that only its user knows
            sizes[place] = 1.0
            continue
        reach = [
            sum(abs(c) * (1.0 if word == ANGLE else lever) ** (k + 1) for k, c in enumerate(powers))
            for _, word, powers in coupling.terms
        ]
        sizes[place] = max(reach)
    return sizes
