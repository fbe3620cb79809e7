r"""Forces between bodies of a tree that no joint of one axis joins, in linearly implicit steps.

The matrix A of a tree has forces against the ground and across its joints (see
`core.recursion.soft_tree`); others, which see $w = B V$, add $B^T(\sum l\,l^T)B = R$ of rank 6 at
the most each.  $(A + R)\,x = r$ is solved by conjugate gradients with A as preconditioner: its
eigenvalues are 1 but for as many as the rank of R, and so many solves with A, and one more, are
exact.  In them wrenches on bodies stand for what is pulled by them: with $z = A^{-1}\rho$ the
direction $p' = z + \beta p$ has $A p' = \rho + \beta A p$, and products of the two are powers,
those of wrenches on twists.  Rows of cut joints, $J x = 0$, are kept by every solve.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import routine
from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST, Floats, Integers
from chasles.core.outcomes import OK
from chasles.core.recursion.soft_tree import APART, answer
from chasles.core.retraction import slope_length
from chasles.core.softness import SIZE, Softness, add_resistance
from chasles.integrators.measure import VELOCITIES, move_bodies

#: Solves at the most, beyond which any matrix leaves the order; residuals (squared) that are zero.
MOST_SOLVES, SOLVED = 60, 1e-20


class Apart(NamedTuple):
    """The forces that the matrix of the tree has not, and storage."""

    forces: Integers  # their numbers
    count: int
    solves: int  # at the most
    positive: Floats  # (f, 36) their matrices, zero for others
    residual: Floats  # (n, 6) wrenches: rho
    pulled: Floats  # (n, 6) A p
    product: Floats  # (n, 6) (A + R) p
    reply: Floats  # (slope length,) z
    direction: Floats  # (slope length,) p


def make_apart(mechanism: Any, soft: Softness, linear: Any) -> Apart:
    """Storage."""
    forces = np.flatnonzero(linear.carried == APART)
    length = slope_length(mechanism) if len(forces) else 1
    bodies = mechanism.system.body_count if len(forces) else 1
    return Apart(
        forces=np.ascontiguousarray(forces, np.int64),
        count=len(forces),
        solves=min(6 * len(forces) + 2, MOST_SOLVES),
        positive=np.zeros((soft.count, SIZE)),
        residual=np.zeros((bodies, 6)),
        pulled=np.zeros((bodies, 6)),
        product=np.zeros((bodies, 6)),
        reply=np.zeros(length),
        direction=np.zeros(length),
    )


@routine
def power_of(wrenches: Any, placed: Any, bodies: int) -> float:
    """Of wrenches on the bodies (n, 6) on their twists."""
    total = 0.0
    for body in range(bodies):
        for c in range(6):
            total += wrenches[6 * body + c] * placed[body * ABSOLUTE_WIDTH + TWIST + c]
    return total


@routine
def put_apart(soft: Any, apart: Any) -> None:
    """The matrices of this step."""
    for k in range(apart.count):
        at = SIZE * apart.forces[k]
        for c in range(SIZE):
            apart.positive[at + c] = soft.positive[at + c]


@routine
def answer_all(mechanism: Any, scheme: Any, state: Any, out: Any) -> int:
    """Accelerations under scheme.wrenches, with all forces giving way: OK, or a row."""
    linear, soft, apart, measure = scheme.linear, scheme.soft, scheme.apart, scheme.measure
    if apart.count == 0:
        outcome: int = answer(mechanism, linear, scheme.wrenches, out)
        return outcome
    bodies, length, first, last = mechanism.system.body_count, slope_length(mechanism), 0.0, 0.0
    for k in range(length):
        out[k] = 0.0
        apart.direction[k] = 0.0
    for k in range(6 * bodies):
        apart.residual[k] = scheme.wrenches[k]
        apart.pulled[k] = 0.0
    for index in range(apart.solves):
        found = answer(mechanism, linear, apart.residual, apart.reply)
        if found != OK:
            return found
        move_bodies(mechanism, measure, state, apart.reply, VELOCITIES)
        square = power_of(apart.residual, measure.placed, bodies)
        first = square if index == 0 else first
        if not square > SOLVED * first:
            return OK
        share = square / last if index > 0 else 0.0
        for k in range(length):
            apart.direction[k] = apart.reply[k] + share * apart.direction[k]
        for k in range(6 * bodies):
            apart.pulled[k] = apart.residual[k] + share * apart.pulled[k]
            apart.product[k] = apart.pulled[k]
        move_bodies(mechanism, measure, state, apart.direction, VELOCITIES)
        add_resistance(
            soft, apart.positive, 1.0, linear.work.absolute, measure.placed, apart.product
        )
        far = square / power_of(apart.product, measure.placed, bodies)
        for k in range(length):
            out[k] += far * apart.direction[k]
        for k in range(6 * bodies):
            apart.residual[k] -= far * apart.product[k]
        last = square
    return OK
