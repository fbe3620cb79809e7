r"""The first steps of a run once more, as they were and with half the step: what does it miss?

Of a method of order p, the difference is the error but for a part in $2^p$; what the whole run
misses is more in proportion, at least.  Two motions may be wrong though the energy is right.

**A body that turns far in a step.**  One that tumbles freely keeps its energy and its momentum to a
percent with steps of a radian, while its attitude is lost: the errors of its velocity are small and
turn it on and on.  So steps are repeated where a body that tumbles turns by FAR or more in one, at
the start or at the end, or by less in very many.

**Stiff forces that turn with bodies.**  A linearly implicit step knows how forces give way at its
start.  A stiff rod that swings by an angle $\theta$ in a step stretches by $l\theta^2/2$, which the
matrix does not know: the error is damped away together with the energy of the motion, and the work
of the stages is booked, so that the balance of the run closes.  Two things show it: the energy of
the states does not balance, or their accelerations are not those of the motion,
$h\sqrt{\dot V^T M\dot V} \ll \sqrt{V^T M V}$.  Then steps are repeated: damping that stiff forces
are right to do is the same with half the step.
"""

from collections.abc import Callable
from math import ceil

import numpy as np

from chasles.core.arrays import POSE_X, TWIST, Floats
from chasles.core.outcomes import OK
from chasles.integrators.advance import UNSEEN
from chasles.integrators.methods import Method
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import Contact, CustomForce, JointStop
from chasles.result import energy
from chasles.run.grid_pace import NOWHERE, GridPace
from chasles.run.loop import Ended, Run
from chasles.run.motion_error import angles_between, distances, sizes_in
from chasles.run.stepper import Stepper
from chasles.run.time_grid import NEVER

#: Steps of one body that are repeated at the most, and how often the step is halved.
MOST_REPEATED, MOST_HALVINGS = 20_000, 6
#: So many times on the way states are compared.
LOOKS = 8
#: (n,) How far the bodies of two absolute states (n, 18) are apart, in whatever counts.
Measure = Callable[[Floats, Floats], Floats]


def can_be_repeated(run: Run, method: Method) -> bool:
    """Whether its first steps can be taken again: steps of one length from t = 0 without inputs."""
    grid = run.grid
    whole = run.first == 0 and grid.origin == 0.0 and grid.until < np.inf and not run.is_over
    alone = not run.control.steers and run.stopped is None and run.index > 0
    return whole and alone and method.history is None and isinstance(run.pace, GridPace)


def has_impacts(run: Run) -> bool:
    """Whether there may have been impacts, of which no force books what they take."""
    return run.watch is not None and run.watch.bouncer is not None


def try_steps(
    stepper: Stepper, block: Floats, step: float, first: int, last: int, monitoring: int
) -> bool:
    """Take steps on a block to see what comes of them; whether all succeed."""
    count = stepper.mechanism.monitor.count
    events = int(count[0])
    grid = (0.0, step, first, last, last)
    _, outcome = stepper.advance(block, np.zeros_like(block), grid, NEVER, monitoring, NOWHERE)
    count[0] = events  # singular poses that a trial passes are not the run's
    return outcome == OK


def missed_by(run: Run, measure: Measure, parts: int = 1) -> tuple[float, str] | None:
    """(What steps a whole part as long miss in the end, by which body), in proportion to the steps
    that are repeated with half their length; None where steps fail.
    """
    stepper, step, steps = run.stepper, run.grid.step / parts, run.steps_in_all * parts
    count = min(steps, MOST_REPEATED // stepper.mechanism.system.body_count)
    if count < 1:
        return None
    whole, halves = stepper.first_block(), stepper.first_block()
    worst, body, done = 0.0, 0, 0
    for look in range(1, LOOKS + 1):
        end = ceil(count * look / LOOKS)
        if end > done and not (
            try_steps(stepper, whole, step, done, end, UNSEEN)
            and try_steps(stepper, halves, step / 2, 2 * done, 2 * end, UNSEEN)
        ):
            return None
        points = np.stack((whole, halves))[:, : stepper.layout.integrals]
        done, apart = end, measure(*stepper.absolute(points))
        if not apart.max() <= worst:  # NaN, too
            worst, body = float(apart.max()), int(apart.argmax())
    return worst * steps / count, list(stepper.solver.setup.body_index)[body]


def shorter_step(run: Run, measure: Measure, limit: float) -> str:
    """A shorter step that misses no more than a limit, in words; any if none was found soon."""
    for halving in range(1, MOST_HALVINGS + 1):
        missed = missed_by(run, measure, 2**halving)
        if missed is None:
            break
        if missed[0] <= limit:
            return f"{run.grid.step / 2**halving:.4g} s would do"
    return f"smaller than {run.grid.step:g} s"


# --- bodies that turn far in a step ---

#: rad in a step from which on a run is looked at; below, a thousand steps of order 2 miss a degree.
FAR = 0.25
#: rad by which an attitude is lost: three degrees.
LOST = 0.05


def lost_attitudes(ended: Ended) -> list[str]:
    """A warning of bodies that turn too far in a step, unless another check has warned."""
    run, method = ended.run, ended.method
    if ended.said or not can_be_repeated(run, method):
        return []
    step, stepper = run.grid.step, run.stepper
    blocks = (stepper.first_block(), run.block)
    turned = step * max(float(stepper.spins(block)[0].max(initial=0.0)) for block in blocks)
    is_far = FAR <= turned < np.inf
    if not is_far and method.order >= 2:
        # The error of a step is a fraction of turned^(p + 1) rad: a fifth for Heun's method.
        is_far = run.steps_in_all * turned ** (method.order + 1) > 1.0
    missed = missed_by(run, angles_between) if is_far else None
    if missed is None or missed[0] <= LOST:
        return []
    angle, body = missed
    remedy = shorter_step(run, angles_between, LOST)
    return [
        f"steps turn a body by {turned:.2g} rad, and the attitude of '{body}' misses about"
        f" {min(angle, np.pi):.2g} rad in the end, as steps half as long show: the energy may be"
        f" right, the motion is not. Take a smaller step ({remedy}) or a method of higher order."
    ]


# --- stiff forces that turn ---

#: Of the energy of the motion, and of a velocity in a step: from there on a run is looked at.
UNBALANCED, KICKED = 0.01, 0.02
#: States at which accelerations are looked at, and energies at the most.
STATES, MOST_STATES = 16, 100_000
#: Of the way of a body, by which its motion is not right; and of the states, how many show the way:
#: where a step throws a body far away and the next ones back, a few states of a hundred are there.
WRONG, USUAL = 0.01, 0.95
#: ... and of the energy, where steps cannot be repeated.
PLAINLY = 0.05
INSTEAD = "Or take method='generalized-alpha', or give an accuracy: tol=1e-4."
#: Energy that would lift all bodies by this fraction of their size is not seen: what hangs on a
#: stiff spring trembles at first, and methods are chosen to damp that.
UNSEEN_LIFT = 1e-6


def turning_forces(ended: Ended) -> list[str]:
    """A warning of stiff forces whose directions change in a step, in models without contacts
    (see `missed_energy`) and impacts.
    """
    run, setup = ended.run, ended.setup
    forces, step = setup.model.forces, run.grid.step
    contacts = any(isinstance(force, Contact | JointStop) for force in forces)
    bounces = contacts or has_impacts(run)
    if not isinstance(run.stepper.scheme, LinearlyImplicit) or bounces or not forces or ended.said:
        return []
    lost, gained, joules = energy_missed(ended)
    if joules <= unseen_energy(ended):  # what rests moves by round-off
        lost, gained = 0.0, 0.0
    if not (lost > UNBALANCED or kicks(ended) > KICKED):
        return []
    sizes = sizes_in(setup)
    places = ended.saved.absolute[:, :, POSE_X : POSE_X + 3]
    moved = np.linalg.norm(places - places[0], axis=2)
    way = np.maximum(np.quantile(moved, USUAL, axis=0), moved[-1])  # some set out late
    ways = way + sizes  # of the bodies, m

    def apart(one: Floats, other: Floats) -> Floats:
        return distances(one, other, sizes) / ways

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
        return unbooked_energy(ended, lost, joules)
    return [
        f"body '{missed[1]}' misses about {100.0 * min(missed[0], 1.0):.2g} % of its way, as steps"
        f" half as long show: {unseen_by_steps(run, step)}. Take a smaller step"
        f" ({shorter_step(run, apart, WRONG)}). {INSTEAD}"
    ]


def unseen_by_steps(run: Run, step: float) -> str:
    """What linearly implicit steps leave out of how forces give way."""
    for force in run.stepper.solver.setup.model.forces:
        if isinstance(force, CustomForce) and force.others:
            return (
                f"linearly implicit steps know how '{force.name}', a formula of several bodies,"
                f" gives way to '{force.body}' only"
            )
    return f"stiff forces turn in a step of {step:g} s, which linearly implicit steps do not see"


def energy_missed(ended: Ended) -> tuple[float, float, float]:
    """What the energy of the states misses, with what springs store, of that of the motion; how
    much of it they have too much, which no damping takes; and what they miss in J.
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
    missed = float(np.abs(rise - done).max())
    return missed / exchanged, gained / exchanged, missed


def unbooked_energy(ended: Ended, share: float, joules: float) -> list[str]:
    """What is to be said of energy that steps take without booking it; nothing if it is little."""
    if share <= PLAINLY or joules <= unseen_energy(ended):
        return []
    return [
        f"the energy of the states misses {joules:.3g} J, {100.0 * share:.3g} % of that of the"
        f" motion, though steps half as long move the bodies alike: vibrations of stiff forces,"
        f" which steps of {ended.run.grid.step:g} s do not resolve, are damped by the method."
        " result.work and result.energy_balance() miss that energy. Take a smaller step if you"
        " need them, or a start without these vibrations."
    ]


def unseen_energy(ended: Ended) -> float:
    """Energy (J) that moves nothing visibly."""
    setup, accuracy = ended.setup, ended.run.stepper.mechanism.accuracy
    weight = setup.system.bodies.mass.sum() * float(np.linalg.norm(setup.model.gravity))
    return float(accuracy.still) + UNSEEN_LIFT * float(weight) * setup.longest_lever


def kicks(ended: Ended) -> float:
    """Velocities that accelerations would give in a step, as a share of those of the motion."""
    setup, saved, form = ended.setup, ended.saved, ended.run.stepper.solver.form
    rows = np.unique(np.linspace(0, len(saved.times) - 1, STATES).astype(int))
    kicked = saved.absolute[rows].copy()
    kicked[:, :, TWIST:] = form.history(kicked, saved.times[rows], saved.integrals[rows])[1]
    if not np.isfinite(kicked).all():  # frames without mass: accelerations are not told
        return np.inf
    fast = float(energy.kinetic_of_all(setup, saved.absolute[rows]).mean())
    kicking = float(energy.kinetic_of_all(setup, kicked).mean())
    return ended.run.grid.step * float(np.sqrt(kicking / fast)) if fast > 0.0 else 0.0
