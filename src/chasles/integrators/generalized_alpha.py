r"""Generalized-alpha on Lie groups (Bruels, Cardona 2010; Bruels, Cardona, Arnold 2012, 2015).

$$ q_{n+1} = q_n\exp(h\,\Delta q), \qquad
   \Delta q = v_n + (\tfrac12-\beta)h a_n + \beta h a_{n+1}, \qquad
   v_{n+1} = v_n + (1-\gamma)h a_n + \gamma h a_{n+1}, $$
$$ (1-\alpha_m) a_{n+1} + \alpha_m a_n = (1-\alpha_f)\dot v_{n+1} + \alpha_f\dot v_n, $$

with the equations of motion $M\dot v = Q - J^T\lambda$ and the constraints g(q) = 0 at
$t_{n+1}$.  Chung and Hulbert's parameters have second order and the spectral radius rho at
infinite frequency:

$$ \alpha_m = \frac{2\rho-1}{\rho+1}, \quad \alpha_f = \frac{\rho}{\rho+1}, \quad
   \gamma = \tfrac12+\alpha_f-\alpha_m, \quad \beta = \tfrac14(\gamma+\tfrac12)^2 . $$

**Index 3** closes the joints; velocities slip by O(h^2).  **Index 2** (stabilised as by Gear, Gupta
and Leimkuhler) has $J v_{n+1} = r$ as well, and a shift $h\,M^{-1}J^T\eta$ of the poses.

**Start.**  $a_n$ belongs to $t_n + c h$, $c = \alpha_m-\alpha_f$, so that
$a_0 = \dot v_0 + c h\ddot v_0$.  A change of the step takes $a_n - \dot v_n$ along in proportion.
On index 3 the increment misses the way by

$$ l = h^3\bigl((\tfrac16-\beta-\tfrac c2)\ddot v + \tfrac1{12}[v,\dot v]\bigr), $$

which rows feel as a jump of accelerations unless velocities begin with the slip that they
have later on: $v_0 + \delta$, $J\delta = J l/h$ (Arnold, Bruels, Cardona 2015).  Where charts fit
the joints, l lies in their algebra, $J l = 0$: lambda is of second order from the first step on
without that.
"""

from functools import partial
from typing import Any, NamedTuple

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, clear, copy
from chasles.core.newton.newton_workspace import NewtonWorkspace, make_newton_workspace
from chasles.core.newton.past_points import put_bracket
from chasles.core.newton.rows import correct_rows
from chasles.core.newton.solve import (
    find_second_rates,
    is_resolved,
    next_stiff,
    put_begun,
    put_rest,
    solve_step,
)
from chasles.core.outcomes import OK
from chasles.core.state_block import finish_step
from chasles.integrators.methods import Method, register_method
from chasles.model import InvalidOption, UnknownName
from chasles.model.checks import check_flag, checked_number
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords

# What a step hands to the next: whether there was one and how long it was, for how many steps to
# come the whole Newton matrix is taken, then a, v' and the rates of the integrals.
BEGUN, STEP, STIFF, VECTORS = 0, 1, 2, 3
#: How the first step finds a_0: from v'' where the step resolves it, always, or never.
STARTS = {"auto": 0, "corrected": 1, "plain": 2}


class GeneralizedAlpha(NamedTuple):
    """Parameters and storage."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    index: int
    start: int
    perturbed: int
    iteration: NewtonWorkspace
    point: Floats  # (kept,) that of the iteration
    tally: Floats  # that of the iteration


@checked_keywords
def generalized_alpha(
    rho: float = 0.8, index: int = 3, start: str = "auto", perturbed: bool = False
) -> Method:
    """Generalized-alpha with a chosen spectral radius, for `simulate(method=...)`.

    Parameters
    ----------
    rho
        Spectral radius at infinite frequency, from 0 (motions that a step does not resolve are
        removed in one step) to 1 (no damping).
    index
        3: constraints on positions. 2: on positions and velocities.
    start
        First auxiliary acceleration a_0: "plain", the acceleration itself; "corrected" by its time
        derivative; "auto", corrected where the step resolves it.
    perturbed
        With index 3: start with velocities perturbed so that reactions have no transient.

    Returns
    -------
    Method
        The method.

    Examples
    --------
    >>> generalized_alpha(rho=0.5).name
    'generalized-alpha, rho 0.5'
    """
    where = "generalized_alpha"
    rho = checked_number(rho, "rho", where, InvalidOption, "a number from 0 to 1")
    if not 0.0 <= rho <= 1.0:
        raise InvalidOption(
            f"{where}: rho, the spectral radius at infinite frequency, must be from 0 to 1, got"
            f" {rho:g}.",
            "Beyond 1 the method is unstable; 0 damps most, 1 nothing. Give rho=0.8, say.",
        )
    if isinstance(index, bool) or not isinstance(index, int) or index not in (2, 3):
        raise InvalidOption(
            f"{where}: index must be 2 or 3, got {short_repr(index)}.",
            "Index 3 closes the joints, index 2 keeps velocities from slipping as well.",
        )
    UnknownName.check("start", start, STARTS, where)
    check_flag(perturbed, "perturbed", where, InvalidOption)
    if perturbed and index == 2:
        raise InvalidOption(
            f"{where}: perturbed velocities are for index 3; on index 2 they do not slip.",
            "Leave perturbed out, or take index=3.",
        )
    name = "generalized-alpha" if index == 3 else "generalized-alpha index 2"
    options = [] if rho == 0.8 else [f"rho {rho:g}"]
    options += [] if start == "auto" else [f"{start} start"]
    options += ["perturbed start"] if perturbed else []
    return Method(
        ", ".join([name, *options]),
        order=2,
        implicit=True,
        nodes=(0.0, 1.0),
        additive=False,
        fit=partial(fit_generalized_alpha, float(rho), index, STARTS[start], int(perturbed)),
        history=length_of_history,
        index=index,
    )


def length_of_history(rows: int, velocities: int, integrals: int) -> int:
    return VECTORS + 2 * velocities + integrals


def fit_generalized_alpha(
    rho: float, index: int, start: int, perturbed: int, solver: Any, mechanism: Any
) -> GeneralizedAlpha:
    """Chung and Hulbert's parameters, and storage for a mechanism."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    iteration = make_newton_workspace(solver, mechanism)
    return GeneralizedAlpha(
        alpha_m, alpha_f, beta, gamma, index, start, perturbed, iteration,
        iteration.point, iteration.tally,
    )  # fmt: skip


@hot
def attempt_generalized_alpha(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how it failed."""
    iteration, layout, count = scheme.iteration, mechanism.layout, mechanism.tree.rate_count
    before = beyond(state, layout.history)
    after = beyond(out, layout.history)
    old_a, old_rate = VECTORS, VECTORS + count
    if before[BEGUN] == 0.0:
        outcome = begin(mechanism, workspace, scheme, state, t, step, after)
        if outcome != OK:
            return outcome
    else:
        shift_history(mechanism, iteration, before, step, after)
    # From here on `after` has a_n and v'_n, and gets their successors at the end.
    m, f, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    share = (1.0 - f) / (1.0 - m)
    for k in range(count):
        a, rate = after[old_a + k], after[old_rate + k]
        known = (f * rate - m * a) / (1.0 - m)
        slip = iteration.change[k]
        velocity = state[mechanism.tree.stored_count + k] + slip
        iteration.pose[k] = step * velocity + step * step * ((0.5 - beta) * a + beta * known)
        iteration.rate[k] = slip + step * ((1.0 - gamma) * a + gamma * known)
        iteration.unknown[k], iteration.shift[k] = rate, 0.0
    factors = (step * gamma * share, step * step * beta * share)
    outcome = solve_step(
        mechanism, workspace, iteration, state, t + step, step, scheme.index, factors,
        before[STIFF] > 0.0,
    )  # fmt: skip
    if outcome != OK:
        return outcome
    after[STIFF] = next_stiff(iteration, before[STIFF])
    finish_step(mechanism, state, iteration.increment, out)
    for k in range(count):
        a, rate = after[old_a + k], after[old_rate + k]
        after[old_a + k] = (f * rate - m * a) / (1.0 - m) + share * iteration.unknown[k]
        after[old_rate + k] = iteration.unknown[k]
    after[BEGUN], after[STEP] = 1.0, step
    put_rest(mechanism, iteration, out, beyond(after, VECTORS + 2 * count))
    return OK


@hot
def shift_history(mechanism: Any, iteration: Any, before: Any, step: float, after: Any) -> None:
    """a_n and v'_n of the step before, for one of this length."""
    count = mechanism.tree.rate_count
    old_a, old_rate, ratio = VECTORS, VECTORS + count, step / before[STEP]
    for k in range(count):
        rate = before[old_rate + k]
        after[old_a + k] = rate + ratio * (before[old_a + k] - rate)
        after[old_rate + k] = rate
        iteration.change[k] = 0.0
    put_begun(mechanism, iteration, beyond(before, VECTORS + 2 * count))


@routine
def begin(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, after: Any
) -> int:
    """a_0 and v'_0 into `after`, the slip that velocities begin with into iteration.change."""
    iteration, count = scheme.iteration, mechanism.tree.rate_count
    old_a, old_rate = VECTORS, VECTORS + count
    clear(iteration.change, count)
    outcome = find_second_rates(mechanism, workspace, iteration, state, t, step)
    if outcome != OK:
        return outcome
    put_begun(mechanism, iteration, beyond(iteration.slope, 2 * count))
    late = scheme.alpha_m - scheme.alpha_f
    if scheme.start == 2 or (scheme.start == 0 and not is_resolved(mechanism, iteration, step)):
        late = 0.0
    for k in range(count):
        after[old_rate + k] = iteration.unknown[k]
        after[old_a + k] = iteration.unknown[k] + late * step * iteration.shift[k]
    if scheme.perturbed != 0 and scheme.index == 3:
        find_slip(mechanism, workspace, scheme, state, step)
    return OK


@routine
def find_slip(mechanism: Any, workspace: Any, scheme: Any, state: Any, step: float) -> None:
    """The slip that rows have on index 3 into iteration.change, from v'' in iteration.shift."""
    iteration = scheme.iteration
    late = scheme.alpha_m - scheme.alpha_f
    missed = 1.0 / 6.0 - scheme.beta - 0.5 * late
    copy(beyond(state, mechanism.tree.stored_count), iteration.pose, mechanism.tree.rate_count)
    put_bracket(mechanism, iteration.pose, iteration.unknown, iteration.change)
    for k in range(mechanism.tree.rate_count):
        way = missed * iteration.shift[k] + iteration.change[k] / 12.0
        iteration.apart[k] = step * step * way
    correct_rows(mechanism, workspace, iteration, iteration.point, (3, 0.0, 0.0))
    copy(iteration.response, iteration.change, mechanism.tree.rate_count)


for method in (generalized_alpha(), generalized_alpha(index=2)):
    register_method(method, GeneralizedAlpha, attempt_generalized_alpha)
