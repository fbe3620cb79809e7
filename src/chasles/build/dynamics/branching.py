r"""Starts from which several motions are possible: singular poses that accelerations do not leave.

Let rows depend on each other at the start, $w^T J = 0$.  Along a motion $q(t)$ with closed joints,
$w^T(\eta(V) - J\dot V) = 0$ is a condition on the velocities alone, $w^T\eta(V) = 0$.  Where it
starts from rest V is $\dot V_0 t$, and the condition is one on the accelerations,

$$ w^T\eta(\dot V_0) = 0 , $$

which are found without it.  At a regular pose, where rows depend in the whole neighbourhood (a
planar loop of hinges), it holds for all motions that J allows.  Where it does not, the start is a
singular pose at which motions branch, and the accelerations are those of none of them: a flat net
of balls under its weight.  Steps then leave the joints open by an amount that no shorter step
reduces, since the rows count again only when the net has bent.

$\dot V_0$ is that of the same pose at rest, so that $J\dot V_0 = 0$.  Velocities that lead along
one branch decide: $w^T\eta(V, \dot V_0) \ne 0$ determines the rest.
"""

import numpy as np

from chasles.build.dynamics.solver import DAMPING, REDUNDANT, Solver
from chasles.build.start.free_bodies import MaximalForm, terms_at
from chasles.build.start.redundancy import joint_of_row
from chasles.build.start.rows import weights
from chasles.build.system.coordinates import first_integrals
from chasles.build.system.gaps import row_sizes
from chasles.core.arrays import TWIST, Floats
from chasles.model import InconsistentStart

#: Second derivatives of rows that contradict each other by more than this part of what bodies that
#: turn and move as fast can make of them.
BRANCHING = 1e-5
#: Pivots below this part of what they would be without other joints are those of a pose that is
#: singular, or as near to it as a damped factor can tell.
NEARLY = REDUNDANT
#: Accelerations below this part of what the forces would make of free bodies are none.
RESTING = 1e-9


def check_branches(solver: Solver) -> None:
    """Refuse a start at which motions branch, and accelerations follow none of them."""
    driven = solver.setup.system.drive_count > 0  # whose accelerations are none of a start at rest
    form = None if driven else damped_if_near(solver)
    if form is None:
        return
    setup, resting = solver.setup, solver.start.copy()
    resting[:, TWIST:] = 0.0
    solved = form.at(resting)
    lever, count = setup.longest_lever or 1.0, setup.system.body_count
    units = np.tile(np.repeat((1.0, lever), 3), count)
    acceleration, velocity = solved.acceleration, solver.start[:, TWIST:].ravel()
    free = np.linalg.solve(weights(setup.system), solved.workspace.forces.reshape(-1, 6, 1))
    fastest, swiftest = np.abs(acceleration / units).max(), np.abs(velocity / units).max()
    if not fastest > RESTING * np.abs(free.ravel() / units).max():
        return
    sizes, unit = BRANCHING * row_sizes(setup.system), acceleration / fastest
    still, bent = eta_at(solver, 0.0 * unit), eta_at(solver, unit)
    if swiftest > 0.0:
        along = velocity / swiftest
        mixed = eta_at(solver, along + unit) - eta_at(solver, along) - bent + still
        if (np.abs(missed(solver, form, mixed)) > sizes).any():
            return
    left = np.abs(missed(solver, form, bent - still)) / sizes
    if (left > 1.0).any():
        name, component = joint_of_row(setup, int(np.argmax(left)))
        raise InconsistentStart(
            "the start is a singular pose, or very near one, from which several motions are"
            f" possible: joint '{name}' (direction {component}) depends on other joints there, and"
            " the accelerations that fit the others violate it.",
            "Start a little away from that pose, or with velocities along the motion that you mean."
            " singular='pass' continues from it; round-off may then decide which motion follows.",
        )


def damped_if_near(solver: Solver) -> MaximalForm | None:
    """The equations on a damped factor, if rows depend on each other at the start, or nearly so."""
    form = solver.form
    if form.is_damped:
        return form
    if form.is_regular(form.at(solver.start), NEARLY * solver.free):
        return None
    return form.damped(DAMPING * solver.free)


def eta_at(solver: Solver, twists: Floats) -> Floats:
    """eta (rows,) at the pose of the start with other velocities (6n,)."""
    setup, absolute = solver.setup, solver.start.copy()
    absolute[:, TWIST:] = twists.reshape(-1, 6)
    return terms_at(setup, absolute, 0.0, first_integrals(setup)).eta.copy()


def missed(solver: Solver, form: MaximalForm, wanted: Floats) -> Floats:
    """What rows of J miss of accelerations that are asked of them."""
    return form.speed_residual(solver.start, 0.0, first_integrals(solver.setup), wanted)
