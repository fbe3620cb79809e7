"""The terms of the equations of motion at placed bodies: J, eta and Q, whoever solves them."""

from typing import Any

from chasles.compiled import beyond, borrow, kernel, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, clear, copy, put_twist
from chasles.core.constraints.registry import assemble_rows
from chasles.core.forces.registry import apply_forces
from chasles.core.placed import own_wrench


@routine
def put_state(
    system: Any, workspace: Any, k: int, absolute: Any, table: Any, integrals: Any
) -> None:
    """The k-th of some absolute states, of the functions of time and of the integrals."""
    width = system.body_count * ABSOLUTE_WIDTH
    copy(beyond(absolute, k * width), workspace.absolute, width)
    copy(beyond(table, k * system.signal_count), workspace.signals, system.signal_count)
    copy(
        beyond(integrals, k * system.quadrature_count),
        workspace.quadratures,
        system.quadrature_count,
    )


@routine
def put_terms(system: Any, workspace: Any) -> None:
    """J, eta, the wrenches of all forces beside gravity in workspace.rhs, and Q in
    workspace.forces."""
    assemble_rows(system, workspace)
    clear(workspace.rhs, 6 * system.body_count)
    apply_forces(system, workspace)
    for body in range(system.body_count):
        put_twist(workspace.forces, 6 * body, own_wrench(system, workspace.absolute, body))
    for k in range(6 * system.body_count):
        workspace.forces[k] += workspace.rhs[k]


@kernel("forces and constraint rows", seconds=3, plain=(100_000, 200_000))
def terms_of(system: Any, work: Any, absolute: Any, table: Any, integrals: Any) -> None:
    """J, eta and Q at an absolute state (1, n, 18), left in `workspace`."""
    model, workspace = borrow(system), borrow(work)
    put_state(model, workspace, 0, borrow(absolute), borrow(table), borrow(integrals))
    put_terms(model, workspace)
