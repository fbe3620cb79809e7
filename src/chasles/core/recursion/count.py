"""How many multiplications a stage takes, counted once from the structure.

Counted is what grows with the model: factoring and solving.

A coordinate that gives way costs U (18), its stiffness (3), D^-1 U U^T (27), p (6, and 36 for A
zeta); a shift to the parent 18 + 12 + 18 + 6; a ball 9 + 3 x 6 + 18 for M', 30 for the shift, 45
for loads.  A propagated row costs 6 per coordinate for V, 7 for G', 6 for the shift, and 1 per
coordinate and pair; a row that is eliminated 28 for A and 32 for itself, 9 per later row, and one
per pair.  Rows come in groups of three.
"""

import numpy as np

from chasles.core.recursion.groups import Loops
from chasles.core.recursion.tree import DOF, FREE, SPHERICAL, Tree

#: Multiplications of a body's own place, inertia and loads.
BODY = 170
#: Of a coordinate that gives way alone, of a ball, of a free root, and of the shift to a parent.
COORDINATE, BALL, ROOT, SHIFT = 54, 110, 180, 96
#: Of a row of J and eta.
FORMED = 60


def recursion_flops(tree: Tree, loops: Loops) -> int:
    """Multiplications of one stage of the recursion."""
    total = 0
    for pair, parent in zip(tree.pair.tolist(), tree.parent.tolist()):
        total += BODY + (SHIFT if parent >= 0 and pair < FREE else 0)
        if pair == SPHERICAL:
            total += BALL
        elif pair >= FREE:
            total += ROOT
        else:
            total += COORDINATE * DOF[pair] + (36 if parent >= 0 else 0)
    for dof, riding in zip(np.array(DOF)[tree.pair].tolist(), np.diff(loops.first_place).tolist()):
        total += 3 * riding * (12 + 14 * dof) + dof * riding * (9 * riding + 3) // 2
    for later in np.diff(loops.first_later).tolist():
        total += 180 + 81 * later + 27 * later * (later + 1) // 2
    return total + FORMED * loops.row_count * (1 + loops.is_damped)
