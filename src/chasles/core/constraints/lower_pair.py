r"""Lower pairs: the relative twist stays in a subalgebra, and its other components are rows.

$$ e_k\cdot(\omega_b-\omega_a) = 0, \qquad
   e_k\cdot(\dot x_b-\dot x_a) - h\,e_k\cdot(\omega_b-\omega_a) = 0 $$

for the locked components k, with the pitch h along z.  Spherical, revolute, prismatic, cylindrical,
helical and planar joints, and the weld.
"""

from typing import Any

from chasles.compiled import once
from chasles.core.arrays import SCREW_FORM, mat9
from chasles.core.constraints.rows import screw_residual, screw_rows, space_residual, space_rows
from chasles.core.kinds import NOTHING, ConstraintKind, Gap, Opening
from chasles.core.placed import advance, axis_misalignment, full_misalignment
from chasles.model import (
    Cartesian,
    Cylindrical,
    Fixed,
    Helical,
    LowerPair,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)


@once
def pair_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """J and eta in the system's acceleration form."""
    if system.form == SCREW_FORM:
        screw_rows(system.joints, joint, absolute, jacobian, eta)
    else:
        space_rows(system, joint, absolute, jacobian, eta)


@once
def pair_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    """-g in the system's acceleration form."""
    pitch, locked = system.joints.constant[joint], system.joints.locked[joint]
    if system.form == SCREW_FORM:
        rotation, translation = screw_residual(locked, pitch, turn, shift)
    else:
        axes_b = mat9(system.joints.axes_b, 9 * joint)
        rotation, translation = space_residual(locked, pitch, turn, shift, axes_b)
    for k in range(3):
        if locked >> k & 1:
            out[row] = -rotation[k]
            row += 1
    for k in range(3):
        if locked >> (3 + k) & 1:
            out[row] = -translation[k]
            row += 1


def pair_gap(opening: Opening) -> Gap:
    """Misalignment and displacement; a thread is measured against its nearest turn."""
    turn, shift, locked = opening.turn, opening.shift, opening.locked
    rotation: Any = NOTHING
    if locked & 0b100:
        rotation = full_misalignment(turn)
    elif locked & 0b001:
        rotation = (*axis_misalignment(turn), 0.0)
    x, y, z = (shift[k] if locked >> (3 + k) & 1 else 0.0 for k in range(3))
    if opening.constant != 0.0:
        z = advance(opening.constant, turn, shift[2])
    return rotation, (x, y, z)


PAIRS = (Spherical, Revolute, Prismatic, Cylindrical, Helical, Planar, Fixed, Cartesian)
LOWER_PAIR = ConstraintKind(
    name="lowerpair",
    made_of=(*PAIRS, LowerPair),
    rows=pair_rows,
    residual=pair_residual,
    gap=pair_gap,
)
