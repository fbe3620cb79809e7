r"""Stiff forces that turn with bodies: is the motion of linearly implicit steps right?

A linearly implicit step knows how forces give way at its start.  A stiff rod of k N/m that swings
by an angle $\theta$ in a step stretches by $l\theta^2/2$ to second order, and the matrix does not
know: what is left is $h^2 k/m$ times that, damped away together with the energy of the motion.  The
work of the stages is booked as they do it, so that the balance of the run closes.

Two things show it in the states, each for little work: the energy with what springs store does not
balance, or the accelerations there are not those of the motion,
$h\sqrt{\dot V^T M\dot V} \ll \sqrt{V^T M V}$.  Where one of them does, the first steps are repeated
with half the step (see `half_steps`): damping that stiff forces are right to do is the same then.
"""

import numpy as np

from chasles.build.system.gaps import gyration_radii
from chasles.core.arrays import POSE_X, TWIST, Floats
from chasles.integrators.measure import body_sizes
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import Contact, JointStop
from chasles.result import energy
from chasles.run.half_steps import angles_between, can_be_repeated, missed_by, step_that_would_do
from chasles.run.loop import Ended

#: Of the energy of the motion, and of a velocity in a step: from there on a run is looked at.
UNBALANCED, KICKED = 0.01, 0.02
#: States at which accelerations are looked at, and energies at the most.
STATES, MOST_STATES = 16, 100_000
#: Of the way of a body, by which its motion is not right.
WRONG = 0.01
#: ... and of the energy, where steps cannot be repeated.
PLAINLY = 0.05
INSTEAD = "Or take method='generalized-alpha', or give an accuracy: tol=1e-4."


def turning_forces(ended: Ended) -> list[str]:
    """What is to be said of stiff forces whose directions change in a step; nothing if nothing is.

    Contacts are left out: bounces are looked at by themselves (see `unresolved_contacts`).
    """
    run, setup = ended.run, ended.setup
    forces, step = setup.model.forces, run.grid.step
    bounces = any(isinstance(force, Contact | JointStop) for force in forces)
    if not isinstance(run.stepper.scheme, LinearlyImplicit) or bounces or not forces or ended.said:
        return []
    lost, gained = energy_missed(ended)
    if not (lost > UNBALANCED or kicks(ended) > KICKED):
        return []
    ways = ways_of(ended)

    def apart(one: Floats, other: Floats) -> Floats:
        away = np.linalg.norm(one[:, POSE_X : POSE_X + 3] - other[:, POSE_X : POSE_X + 3], axis=1)
        found: Floats = np.hypot(away, ways[1] * angles_between(one, other)) / ways[0]
        return found

    missed = None
    if gained <= PLAINLY and can_be_repeated(run, ended.method):
        missed = missed_by(run, apart)
    if missed is None or not np.isfinite(missed[0]):
        return [] if lost <= PLAINLY else [
            f"the energy of the states misses {100.0 * lost:.2g} % of that of the motion: stiff"
            f" forces turn in a step of {step:g} s, which linearly implicit steps do not see, and"
            f" the motion may not be right. Take a smaller step. {INSTEAD}"
        ]  # fmt: skip
    if missed[0] <= WRONG:
        return []
    better = step_that_would_do(run, apart, WRONG)
    remedy = f"{better:.2g} s would do" if better else f"smaller than {step:g} s"
    return [
        f"body '{missed[1]}' misses about {100.0 * min(missed[0], 1.0):.2g} % of its way, as steps"
        f" half as long show: stiff forces turn in a step of {step:g} s, which linearly implicit"
        f" steps do not see. Take a smaller step ({remedy}). {INSTEAD}"
    ]


def energy_missed(ended: Ended) -> tuple[float, float]:
    """What the energy of the states misses, with what springs store, of that of the motion; and how
    much of it they have too much, which no damping takes.
    """
    setup, saved = ended.setup, ended.saved
    every = 1 + len(saved.times) // MOST_STATES
    absolute, integrals = saved.absolute[::every], saved.integrals[::every]
    kinetic = energy.kinetic_of_all(setup, absolute)
    potential = energy.potential_of_all(setup, absolute, integrals)
    work = energy.work_of_all(setup, integrals)
    rise, done = kinetic + potential, work - work[0]
    rise -= rise[0]
    exchanged = float(max(np.ptp(kinetic), np.ptp(potential))) or np.inf
    gained = float((rise - np.maximum(0.0, done)).max())
    return float(np.abs(rise - done).max()) / exchanged, gained / exchanged


def kicks(ended: Ended) -> float:
    """Velocities that accelerations would give in a step, as a share of those of the motion."""
    setup, saved, form = ended.setup, ended.saved, ended.run.stepper.solver.form
    rows = np.unique(np.linspace(0, len(saved.times) - 1, STATES).astype(int))
    kicked = saved.absolute[rows].copy()
    for state, row in zip(kicked, rows):
        found = form.at(saved.absolute[row], float(saved.times[row]), saved.integrals[row])
        state[:, TWIST:] = found.acceleration.reshape(-1, 6)
    if not np.isfinite(kicked).all():  # frames without mass: accelerations are not told
        return np.inf
    fast = float(energy.kinetic_of_all(setup, saved.absolute[rows]).mean())
    kicking = float(energy.kinetic_of_all(setup, kicked).mean())
    return ended.run.grid.step * float(np.sqrt(kicking / fast)) if fast > 0.0 else 0.0


def ways_of(ended: Ended) -> tuple[Floats, Floats]:
    """(n,) How far points of the bodies come from where they start, and the bodies' sizes, m."""
    system, states = ended.setup.system, ended.saved.absolute
    sizes = body_sizes(system, gyration_radii(system))
    places = states[:, :, POSE_X : POSE_X + 3]
    moved = np.linalg.norm(places - places[0], axis=2).max(axis=0)
    return moved + sizes, sizes
