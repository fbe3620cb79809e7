"""Why a run stopped, in words that name a body, a joint or a force."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.start.consistent import driven_rates
from chasles.build.start.redundancy import SPEED_SUSPICION, contradiction, joint_of_row, listed
from chasles.build.system.build import Setup
from chasles.build.system.gaps import flat_disc
from chasles.core.arrays import Floats
from chasles.core.newton.newton_workspace import ITERATIONS, OPEN, WORST_ROW, WORST_VELOCITY
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
    Outcome,
)
from chasles.core.rank_monitor import LARGEST, LAST, NEAR, SEEN_WIDTH
from chasles.core.state_block import StateBlock
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import ChaslesError, SimulationStopped
from chasles.run.stepper import Stepper

#: Why the method for stiff forces may fail at one, and what does not.
NOT_SEEN = (
    "A contact that closes within a step is not seen to be stiff at its start:"
    " method='generalized-alpha' solves for its end, and divides steps."
)
#: Why another method may.
MAY_BE_STIFF = " A stiff spring, damper or contact may have done that: method='linearly-implicit'."


def explained(
    stepper: Stepper, block: Floats, spare: Floats, t: float, step: float, outcome: int
) -> SimulationStopped:
    """The step of length `step` after t, from the state `block`, failed with that outcome."""
    stop = Stop(stepper, block, spare, t, step, outcome)
    return (
        failed_formula(stepper)
        or stop.not_converged()
        or stop.fallen_disc()
        or stop.turned_too_far()
        or stop.lost_body()
        or stop.contradicted()
        or stop.by_table()
    )


def failed_formula(stepper: Stepper) -> SimulationStopped | None:
    """A user's formula raised an exception, which names it."""
    for formula in stepper.solver.setup.kept_alive:
        error = getattr(formula, "error", None)
        if error is not None:
            return as_stop(error)
    return None


def as_stop(failed: ChaslesError) -> SimulationStopped:
    """The failure of an event, a controller or a function of time as what stops a run."""
    return SimulationStopped(failed.what, failed.remedy)


@dataclass(frozen=True)
class Stop:
    """A step that failed, and what may be said of it; None where that is not why."""

    stepper: Stepper
    block: Floats  # the last good state
    spare: Floats
    t: float
    step: float
    outcome: int

    @property
    def setup(self) -> Setup:
        return self.stepper.solver.setup

    def body(self, index: int) -> str:
        return list(self.setup.body_index)[index]

    def stopped(self, entry: Outcome, more: str = "", **names: Any) -> SimulationStopped:
        """What an entry of the table of outcomes says of these names."""
        names |= {"t": self.t, "step": self.step}
        return SimulationStopped(entry.what.format(**names), entry.remedy.format(**names) + more)

    def fallen_disc(self) -> SimulationStopped | None:
        point = StateBlock(self.block, self.stepper.layout).coordinates()
        flat = flat_disc(self.setup.system, self.stepper.absolute(point[None])[0])
        if flat is None:
            return None
        return SimulationStopped(
            f"joint '{list(self.setup.joint_index)[flat]}': the disc fell flat on its plane after"
            f" t = {self.t:.6g} s, where no single point of it touches.",
            "The result up to t is kept.",
        )

    def turned_too_far(self) -> SimulationStopped | None:
        """A body that turned by a full turn or more in a step, about an axis that moves."""
        if self.outcome != TURNED:
            return None
        stepper, step = self.stepper, self.step
        tumbling, all_spins = stepper.spins(stepper.scheme.point)
        fastest = int(np.argmax(tumbling if tumbling.max() * step > 1.0 else all_spins))
        before = float(stepper.spins(self.block)[1][fastest]) * step
        limit = step * min(0.5, np.pi / max(before, np.pi))
        more = ""
        if stepper.mechanism.system.force_count:
            more = f" {NOT_SEEN}" if isinstance(stepper.scheme, LinearlyImplicit) else MAY_BE_STIFF
        turn = float(all_spins[fastest]) * step
        return self.stopped(OUTCOMES[TURNED], more, body=self.body(fastest), turn=turn, limit=limit)

    def lost_body(self) -> SimulationStopped | None:
        """A body whose position or velocity is not a number, at the last stage or after it."""
        after = self.outcome in (NOT_FINITE, NOT_CLOSED)
        broken = self.stepper.lost_bodies(self.spare if after else self.stepper.scheme.point)
        if not broken:
            return None
        found = self.stopped(OUTCOMES[NOT_FINITE], body=self.body(broken[0]))
        if not isinstance(self.stepper.scheme, LinearlyImplicit):
            return found
        remedy = f"Take a smaller step than {self.step:g} s. {NOT_SEEN} The result up to t is kept."
        return SimulationStopped(found.what, remedy)

    def contradicted(self) -> SimulationStopped | None:
        """Speeds of drivers and joints that exclude each other, also if joints did not close."""
        stepper, t = self.stepper, self.t
        if not stepper.mechanism.system.drive_count or self.outcome == NOT_FINITE:
            return None
        if self.outcome == CONTRADICTED:
            missed = stepper.speed_residual(self.block, t + self.step)
        elif not stepper.solver.form.is_damped:  # couplings are not among the rows of all
            return None
        else:
            sizes = stepper.mechanism.accuracy.sizes
            driven = float(np.max(np.abs(driven_rates(self.setup, t)) / sizes))
            fastest = max(float(self.block[stepper.layout.fastest]), driven)
            missed = stepper.residual_of_all_rows(self.block, t)
            if np.all(np.abs(missed) <= SPEED_SUSPICION * fastest * sizes):
                return None
        words = contradiction(self.setup, missed, "speeds", f"after t = {t:.6g} s")
        return SimulationStopped(words, OUTCOMES[CONTRADICTED].remedy)

    def not_converged(self) -> SimulationStopped | None:
        """Newton's iteration of an implicit step, with the joint and body that are furthest off."""
        if self.outcome != NEWTON_FAILED:
            return None
        audit = self.stepper.scheme.iteration.audit
        body = self.stepper.body_of_velocity(int(audit[WORST_VELOCITY]))
        worst = f"the velocity of body '{body}' changes most from one to the next"
        if audit[WORST_ROW] >= 0.0 and audit[OPEN] > 0.0:
            joint, way = joint_of_row(self.setup, int(audit[WORST_ROW]))
            worst += f", joint '{joint}' (direction {way}) is open by {audit[OPEN]:.2g} of its size"
        return self.stopped(OUTCOMES[NEWTON_FAILED], iterations=int(audit[ITERATIONS]), worst=worst)

    def by_table(self) -> SimulationStopped:
        setup, outcome = self.setup, self.outcome
        if outcome == NOT_CONVERGED:
            return self.stopped(OUTCOMES[NOT_CONVERGED], self.near_singular_pose())
        if outcome == NOT_CLOSED:
            chosen = np.flatnonzero(self.stepper.mechanism.stabiliser.found.chosen)
            joints = ", ".join(f"'{list(setup.joint_index)[k]}'" for k in chosen[:6])
            return self.stopped(OUTCOMES[NOT_CLOSED], self.reach(), joints=joints)
        row, entry, more = outcome, SINGULAR, self.reach()
        if outcome < 0:
            missed = self.stepper.solver.workspace.residual
            if missed.size == 0:  # no rows: what was not solved are the forces' equations
                return self.stopped(OUTCOMES[NOT_CONVERGED])
            row = int(np.argmax(np.abs(missed)))
            entry, more = OUTCOMES.get(outcome, OUTCOMES[NOT_SOLVED]), ""
        elif not self.stepper.mechanism.monitor.row_count:  # no pose of a tree of pairs is singular
            entry = STEP_TOO_LONG
        joint, component = joint_of_row(setup, row)
        return self.stopped(entry, more, joint=joint, component=component)

    def near_singular_pose(self) -> str:
        """Where rows of a joint nearly depend on others, iterations converge slowly or never."""
        monitor = self.stepper.mechanism.monitor
        seen = StateBlock(self.block, self.stepper.layout).seen().reshape(-1, SEEN_WIDTH)
        if monitor.row_count == 0 or not (near := seen[:, LAST] < NEAR * seen[:, LARGEST]).any():
            return ""
        row = int(monitor.rows[np.flatnonzero(near[monitor.joints])[0]])
        joint, way = joint_of_row(self.setup, row)
        return (
            f" Joint '{joint}' (direction {way}) is close to a singular pose: there, joints depend"
            " on each other, and no step may be short enough." + self.reach()
        )

    def reach(self) -> str:
        """What else may be wrong where drivers move the bodies."""
        names = self.setup.model.driver_names
        if not names:
            return ""
        return f" Check too that {listed(list(names))} asks for no more than the joints can reach."
