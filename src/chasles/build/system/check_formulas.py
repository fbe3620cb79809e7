"""A user's formula for a joint, tried before a run: its shape, its derivatives, its jacobian."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.build.system.build_frames import Carriers
from chasles.build.system.user_code import SEEN, CustomRows
from chasles.core.arrays import TWIST_COMPONENTS, Floats
from chasles.model import GROUND, CustomCoupling, CustomJoint, InvalidJoint

#: A user's jacobian may differ from the derivative by this fraction of its largest entry: it may
#: come from differences.
SAME = 1e-6
#: A residual whose slope is below this fraction of its curvature is a square.
FLAT = 1e-9
#: How far from the start a user's jacobian is compared once more, rad and m.
ASIDE = np.array([0.03, -0.05, 0.04, 0.02, 0.06, -0.01])


def check_formula(rows: CustomRows, by: Carriers) -> None:
    """Refuse a formula that fails at the start, or whose derivative vanishes or is not as said."""
    joint = rows.joint
    bodies = joint.bodies if isinstance(joint, CustomCoupling) else (joint.a, joint.b)
    numbers = [by.number(name) for name in bodies]
    poses = by.rotation[numbers].reshape(-1, 9), by.position[numbers]
    start = np.column_stack((*poses, np.zeros((len(bodies), 6)))).ravel()  # at rest
    joint.residual(*poses_of(start))
    _, jacobian, curvature = rows.taylor(start, np.eye(6 * len(bodies)))
    moving = np.repeat([name != GROUND.name for name in bodies], 6)
    for row in range(joint.rows):
        slope = np.abs(jacobian[row, moving]).max()
        if not slope > FLAT * np.abs(curvature[row, moving]).max():
            raise rows.invalid(
                f"{rows.where}: residual {row} of its formula does not change to first"
                f" order as {movers(bodies)} at the start, so it holds nothing.",
                "Let every residual depend on a pose; hold a distance, not the square of a gap.",
            )
    if isinstance(joint, CustomCoupling) or joint.jacobian is None:
        return
    own = joint.given_jacobian(*poses_of(start))
    compare(joint, moving, jacobian, own, "at the start")
    aside = moved_aside(start)
    try:
        both = rows.taylor(aside, np.eye(12))[1], joint.given_jacobian(*poses_of(aside))
    except InvalidJoint:  # the formula need not reach that far
        return
    compare(joint, moving, *both, "a little off the start")


def movers(bodies: Sequence[str]) -> str:
    names = [f"'{name}'" for name in bodies if name != GROUND.name]
    return f"{' and '.join(names)} {'move' if len(names) > 1 else 'moves'}"


def poses_of(given: Floats) -> Any:
    """Poses as a user's formula gets them."""
    return [(tuple(row[:9]), tuple(row[9:12])) for row in given.reshape(-1, SEEN).tolist()]


def moved_aside(given: Floats) -> Floats:
    """Both bodies a little away from where they are."""
    from scipy.spatial.transform import Rotation

    moved = given.copy()
    for at, side in ((0, 1.0), (18, -1.0)):
        turn = Rotation.from_rotvec(side * ASIDE[:3]).as_matrix()
        moved[at : at + 9] = (given[at : at + 9].reshape(3, 3) @ turn).ravel()
        moved[at + 9 : at + 12] += side * ASIDE[3:]
    return moved


def compare(joint: CustomJoint, moving: Any, derived: Floats, own: Any, where: str) -> None:
    """Refuse a user's jacobian that is not the derivative of the user's formula."""
    off = np.abs(own - derived) * moving
    if off.max() <= SAME * max(np.abs(derived).max(), np.abs(own).max()):
        return
    row, column = np.unravel_index(np.argmax(off), off.shape)
    body, component = (joint.a, joint.b)[column // 6], TWIST_COMPONENTS[column % 6]
    raise InvalidJoint(
        f"joint '{joint.name}': entry [{row}, {column}] of its jacobian, by {component} of"
        f" '{body}', is {own[row, column]:.9g} {where}, but the derivative of its formula is"
        f" {derived[row, column]:.9g}.",
        "Correct it, or leave jacobian= out: the derivative is found without it.  Columns are"
        " (omega, v) of a, then of b, in body axes.",
    )
