"""Why a run stopped, in words that name a body, a joint or a force."""

from typing import Any

import numpy as np

from chasles.build.dynamics.solver import joint_of_row
from chasles.build.start.conflicts import SPEED_SUSPICION, contradiction, listed
from chasles.build.start.consistent import driven_rates
from chasles.build.system.gaps import flat_disc
from chasles.core.arrays import Floats
from chasles.core.newton.room import ITERATIONS, OPEN, WORST_ROW, WORST_VELOCITY
from chasles.core.outcomes import (
    CONTRADICTED,
    NEWTON_FAILED,
    NOT_CLOSED,
    NOT_CONVERGED,
    NOT_FINITE,
    NOT_SOLVED,
    OUTCOMES,
    SINGULAR,
    STEP_TOO_LONG,
    TURNED,
)
from chasles.core.state_block import StateBlock
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import ChaslesError, SimulationStopped
from chasles.run.stepper import Stepper

#: Why the method for stiff forces may fail at one, and what does not.
NOT_SEEN = (
    "A contact that closes within a step is not seen to be stiff at its start:"
    " method='generalized-alpha' solves for its end, and divides steps."
)


def explained(
    stepper: Stepper, block: Floats, spare: Floats, t: float, step: float, outcome: int
) -> SimulationStopped:
    """The step of length `step` after t, from the state `block`, failed with that outcome."""
    return (
        failed_formula(stepper)
        or not_converged(stepper, t, step, outcome)
        or fallen_disc(stepper, block, t)
        or turned_too_far(stepper, block, t, step, outcome)
        or lost_body(stepper, spare, t, step, outcome)
        or contradicted(stepper, block, t, step, outcome)
        or by_table(stepper, t, step, outcome)
    )


def failed_formula(stepper: Stepper) -> SimulationStopped | None:
    """A user's formula raised an exception, which names it."""
    for formula in stepper.solver.setup.kept_alive:
        error = getattr(formula, "error", None)
        if error is not None:
            return SimulationStopped(error.what, error.remedy)
    return None


def fallen_disc(stepper: Stepper, block: Floats, t: float) -> SimulationStopped | None:
    setup = stepper.solver.setup
    point = StateBlock(block, stepper.layout).coordinates()
    flat = flat_disc(setup.system, stepper.absolute(point[None])[0])
    if flat is None:
        return None
    return SimulationStopped(
        f"joint '{list(setup.joint_index)[flat]}': the disc fell flat on its plane after"
        f" t = {t:.6g} s, where no single point of it touches.",
        "The result up to t is kept.",
    )


def turned_too_far(
    stepper: Stepper, block: Floats, t: float, step: float, outcome: int
) -> SimulationStopped | None:
    """A body that turned by a full turn or more in a step, about an axis that moves."""
    if outcome != TURNED:
        return None
    tumbling, all_spins = stepper.spins(stepper.scheme.point)
    fastest = int(np.argmax(tumbling if tumbling.max() * step > 1.0 else all_spins))
    before = float(stepper.spins(block)[1][fastest]) * step
    limit = step * min(0.5, np.pi / max(before, np.pi))
    body, entry = list(stepper.solver.setup.body_index)[fastest], OUTCOMES[TURNED]
    remedy = entry.remedy.format(step=step, limit=limit)
    if stepper.mechanism.system.force_count:
        if isinstance(stepper.scheme, LinearlyImplicit):
            remedy += f" {NOT_SEEN}"
        else:
            remedy += (
                " A stiff spring, damper or contact may have done that: method='linearly-implicit'."
            )
    return SimulationStopped(
        entry.what.format(body=body, turn=float(all_spins[fastest]) * step, t=t), remedy
    )


def lost_body(
    stepper: Stepper, spare: Floats, t: float, step: float, outcome: int
) -> SimulationStopped | None:
    """A body whose position or velocity is not a number, at the last stage or after it."""
    after = outcome in (NOT_FINITE, NOT_CLOSED)
    tried = spare if after else stepper.scheme.point
    broken = stepper.lost_bodies(tried)
    if not broken:
        return None
    body = list(stepper.solver.setup.body_index)[broken[0]]
    entry = OUTCOMES[NOT_FINITE]
    remedy = entry.remedy.format(step=step)
    if isinstance(stepper.scheme, LinearlyImplicit):
        remedy = f"Take a smaller step than {step:g} s. {NOT_SEEN} The result up to t is kept."
    return SimulationStopped(entry.what.format(body=body, t=t), remedy)


def contradicted(
    stepper: Stepper, block: Floats, t: float, step: float, outcome: int
) -> SimulationStopped | None:
    """Drivers and joints that ask for speeds which exclude each other.

    Joints that could not be closed may be open by very little, and for that reason.
    """
    solver, system = stepper.solver, stepper.mechanism.system
    is_damped = solver.form.is_damped
    if not system.drive_count or outcome == NOT_FINITE:
        return None
    if not is_damped and outcome != CONTRADICTED:  # couplings are not among the rows of all
        return None
    when = f"after t = {t:.6g} s"
    if outcome == CONTRADICTED:
        missed = stepper.missed(block, t + step)
        words: str | None = contradiction(solver.setup, missed, "speeds", when)
    else:
        rates = driven_rates(solver.setup, t)
        sizes = stepper.mechanism.promises.sizes
        fastest = max(float(block[stepper.layout.fastest]), float(np.max(np.abs(rates) / sizes)))
        allowed = SPEED_SUSPICION * fastest * sizes
        missed = stepper.missed_by_all(block, t)
        words = None
        if not np.all(np.abs(missed) <= allowed):
            words = contradiction(solver.setup, missed, "speeds", when)
    if words is None:
        return None
    return SimulationStopped(words, OUTCOMES[CONTRADICTED].remedy)


def not_converged(
    stepper: Stepper, t: float, step: float, outcome: int
) -> SimulationStopped | None:
    """Newton's iteration of an implicit step, with the joint and body furthest from a solution."""
    if outcome != NEWTON_FAILED:
        return None
    audit, setup = stepper.scheme.room.audit, stepper.solver.setup
    worst = f"the velocity of body '{stepper.body_of_velocity(int(audit[WORST_VELOCITY]))}' changes"
    worst += " most from one to the next"
    if audit[WORST_ROW] >= 0.0 and audit[OPEN] > 0.0:
        joint, component = joint_of_row(setup, int(audit[WORST_ROW]))
        worst += (
            f", joint '{joint}' (direction {component}) is open by {audit[OPEN]:.2g} of its size"
        )
    entry = OUTCOMES[NEWTON_FAILED]
    return in_words(entry, t=t, step=step, iterations=int(audit[ITERATIONS]), worst=worst)


def by_table(stepper: Stepper, t: float, step: float, outcome: int) -> SimulationStopped:
    setup = stepper.solver.setup
    if outcome == NOT_CONVERGED:
        return in_words(OUTCOMES[NOT_CONVERGED], t=t, step=step)
    if outcome == NOT_CLOSED:
        chosen = np.flatnonzero(stepper.mechanism.stabiliser.found.chosen)
        joints = ", ".join(f"'{list(setup.joint_index)[k]}'" for k in chosen[:6])
        return in_words(OUTCOMES[NOT_CLOSED], reach(stepper), joints=joints, t=t, step=step)
    row, entry, more = outcome, SINGULAR, reach(stepper)
    if outcome < 0:
        row = int(np.argmax(np.abs(stepper.solver.work.residual[6 * setup.system.body_count :])))
        entry, more = OUTCOMES.get(outcome, OUTCOMES[NOT_SOLVED]), ""
    elif not stepper.mechanism.watch.row_count:  # in a tree of lower pairs no pose is singular
        entry = STEP_TOO_LONG
    joint, component = joint_of_row(setup, row)
    return in_words(entry, more, joint=joint, component=component, t=t, step=step)


def in_words(entry: Any, more: str = "", **names: Any) -> SimulationStopped:
    """What an entry of the table of outcomes says of these."""
    return SimulationStopped(entry.what.format(**names), entry.remedy.format(**names) + more)


def reach(stepper: Stepper) -> str:
    """What else may be wrong where drivers move the bodies."""
    names = stepper.solver.setup.model.driver_names
    if not names:
        return ""
    return f" Check too that {listed(list(names))} asks for no more than the joints can reach."


def as_stop(failed: ChaslesError) -> SimulationStopped:
    """The failure of an event, a controller or a function of time as what stops a run."""
    return SimulationStopped(failed.what, failed.remedy)
