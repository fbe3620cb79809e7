"""How many multiplications a stage takes, counted once from the structure: the cheaper solver.

Both counts are of what grows with the model: factoring and solving.  Placing the bodies and the
forces cost the same with either solver, give or take.

A coordinate that gives way costs U (18), its stiffness (3), D^-1 U U^T (27), p (6, and 36 for A
zeta); a shift to the parent 18 + 12 + 18 + 6; a ball 9 + 3 x 6 + 18 for M', 30 for the shift, 45
for loads.  A riding row costs 6 per coordinate for V, 7 for G', 6 for the shift, and 1 per
coordinate and pair; a row that is eliminated 28 for A and 32 for itself, 9 per later row, and one
per pair.  Rows come in groups of three.
"""

import numpy as np

from chasles.core.ordering import Plan
from chasles.core.recursion.groups import Loops
from chasles.core.recursion.tree import DOF, FREE, SPHERICAL, Tree

#: Multiplications of a body's own place, inertia and loads.
BODY = 170
#: Of a coordinate that gives way alone, of a ball, of a free root, and of the shift to a parent.
COORDINATE, BALL, ROOT, SHIFT = 54, 110, 180, 96
#: What the block solver does for every body and row beside its factorisation: rows of J and eta,
#: wrenches, charts, and a solve of as many multiplications as the factor has numbers.
BLOCK_BODY, BLOCK_ROW = 180, 60


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
    return total + BLOCK_ROW * loops.row_count * (1 + loops.is_damped)


def block_flops(plan: Plan, bodies: int, rows: int) -> int:
    """Multiplications of one stage of the block solver, by the same standard."""
    return plan.flops + 2 * plan.size + BLOCK_BODY * bodies + BLOCK_ROW * rows
