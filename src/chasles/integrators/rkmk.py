r"""Runge-Kutta-Munthe-Kaas: any explicit tableau on the group of every body's space.

With the state X = (q, U) and $X(t) = X_0 \exp(\Phi)$, a step of length h is

$$ \Psi_j = h\sum_l a_{jl} k_l, \quad X_j = X_0\exp(\Psi_j), \quad
   k_j = \mathrm{dexp}^{-1}_{-\Psi_j} F(X_j), \quad X_1 = X_0\exp\bigl(h\sum_j b_j k_j\bigr), $$

F = (U, U').  Velocities live in a vector space, where exp is addition.  A lower pair keeps U in a
subalgebra, dexp^-1 maps that to itself and exp into the subgroup: the joint holds to rounding.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, inlined, once
from chasles.core import inlined as here
from chasles.core.arrays import Floats, copy, storage
from chasles.core.outcomes import OK
from chasles.core.stage import stage
from chasles.core.state_block import combine, finish, pull_back, retract, slope_length
from chasles.integrators.tableaux import Tableau


class MuntheKaas(NamedTuple):
    """A tableau and storage of a step."""

    a: Floats  # (s, s) strictly lower triangular
    b: Floats  # (s,)
    c: Floats  # (s,)
    count: int  # s
    slopes: Annotated[Floats, "s", "slope"]  # : dexp^-1 U, U', rates of integrals
    increment: Annotated[Floats, "slope"]  # step * sum of weighted slopes
    point: Annotated[Floats, "kept"]  # the stage


class MuntheKaasWithRows(MuntheKaas):
    """The same for mechanisms with rows, which get a time loop of their own: see `inlined`."""

    __slots__ = ()


def make_munthe_kaas(tableau: Tableau, kept: int, length: int) -> MuntheKaas:
    """Storage for a tableau, for points and slopes of these lengths.

    A last stage that nothing uses (dopri5's) is left out.
    """
    a, b, c = tableau.a, tableau.b, tableau.c
    count = len(b)
    while b[count - 1] == 0.0 and not np.any(a[:count, count - 1]):
        count -= 1
    return storage(
        MuntheKaas, {"s": count, "slope": length, "kept": kept},
        a=np.array(a[:count, :count], float),
        b=np.array(b[:count], float),
        c=np.array(c[:count], float),
        count=count,
    )  # fmt: skip


@once
def attempt_munthe_kaas(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    length = slope_length(mechanism)
    increment = scheme.increment
    for j in range(scheme.count):
        slope = beyond(scheme.slopes, j * length)
        if j == 0:  # exp and dexp^-1 are the identity there
            copy(state, scheme.point, mechanism.layout.kept)
        else:
            combine(scheme.a, j * scheme.count, j, step, scheme.slopes, length, increment)
            retract(mechanism, state, increment, scheme.point)
        outcome = stage(mechanism, workspace, scheme.point, t + scheme.c[j] * step, slope)
        if outcome != OK:
            return outcome
        if j > 0:
            outcome = pull_back(mechanism, increment, slope)
            if outcome != OK:
                return outcome
    combine(scheme.b, 0, scheme.count, step, scheme.slopes, length, increment)
    carry = mechanism.layout.carry
    finish(mechanism, state, beyond(state, carry), increment, out, beyond(out, carry))
    return OK


attempt_on_tree = inlined(
    attempt_munthe_kaas,
    retract=here.retract, pull_back=here.pull_back, finish=here.finish, stage=here.stage,
)  # fmt: skip
attempt_with_rows = inlined(
    attempt_munthe_kaas,
    retract=here.retract, pull_back=here.pull_back, finish=here.finish, stage=here.stage_with_rows,
)  # fmt: skip
