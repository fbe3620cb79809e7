"""Steps that tolerances choose: see `integrators.adaptive`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.build.system.gaps import gyration_radii
from chasles.build.system.step_bounds import UNBOUNDED, StepBounds
from chasles.core.arrays import Floats, lend
from chasles.core.outcomes import OK
from chasles.core.stabilisation import UNSTABILISED
from chasles.core.state_block import slope_length
from chasles.integrators import adaptive
from chasles.integrators.adaptive import adapt, leap, make_embedded
from chasles.integrators.measure import body_sizes, make_measure
from chasles.integrators.methods import Method
from chasles.model import InvalidFile, SimulationStopped
from chasles.result.provenance import Checkpoint
from chasles.run.pace import ChoosingPace
from chasles.run.stops import explained, failed_formula
from chasles.run.time_grid import COLLAPSED, Tolerances

#: Steps attempted before somebody may glance at the run, and end it: a twentieth of a second.
PROBE_AT = 4096
#: What control has of the steps before the next one.
REMEMBERED = [
    adaptive.STEP, adaptive.LAST_ERROR, adaptive.REJECTED, adaptive.ACCEPTED, adaptive.REJECTIONS
]  # fmt: skip
#: No states, times or fractions.
NONE = np.zeros(0)
StiffnessProbe = Callable[[float, int], bool]


class TolerancePace(ChoosingPace):
    """Steps of a pair that are judged by its embedded method."""

    largest = 8192

    def __init__(
        self, tolerances: Tolerances, method: Method, bounds: StepBounds = UNBOUNDED,
        probe: StiffnessProbe | None = None,
    ) -> None:  # fmt: skip
        super().__init__(tolerances, bounds)
        self.method, self.probe = method, probe  # which is asked once whether to end the run

    def begin(self) -> None:
        super().begin()
        run, stepper, wanted = self.run, self.run.stepper, self.run.output.wanted
        mechanism, kept = stepper.mechanism, run.output.kept
        assert self.method.pair is not None
        measure = make_measure(
            mechanism, body_sizes(mechanism.system, gyration_radii(mechanism.system))
        )
        point, length = stepper.scheme.point, slope_length(mechanism)  # where failures are seen
        self.embedded = make_embedded(self.method.pair(), measure, point, length)
        self.lent = lend(mechanism), lend(stepper.workspace), lend(self.embedded)
        self.aside, self.cut = np.zeros_like(run.block), False  # by an event
        self.control = np.zeros(adaptive.CONTROL_WIDTH)
        self.control[adaptive.STEP] = self.tolerances.first_step
        self.control[adaptive.LAST_ERROR] = 1.0
        self.limits = self.first_limits()
        self.times, self.wanted = NONE, NONE
        self.points = np.zeros((0, kept))
        self.thetas = NONE if run.watch is None else run.watch.thetas
        self.inner = np.zeros((len(self.thetas), kept))
        self.control[adaptive.NOW] = run.reached
        if run.begun is not None:
            self.recall(run.begun)
        if wanted is None:
            if not run.is_resumed:
                run.output.put(run.reached, run.block)
            return
        self.wanted, self.points = wanted, np.zeros((len(wanted), kept))
        begun = int(np.searchsorted(self.wanted, run.reached, side="right"))
        self.points[:begun] = run.block[:kept]
        self.control[adaptive.NEXT] = max(begun, run.output.served)

    def memory(self) -> Floats:
        """Where the run began and after which step; what controls the steps; F, if it is known."""
        known = self.embedded.known[0], *self.embedded.first
        return np.array([self.since, self.run.first, *self.control[REMEMBERED], *known])

    def recall(self, begun: Checkpoint) -> None:
        """Go on with the steps of another run, if it chose them as well."""
        run, memory, count = self.run, begun.pace, len(REMEMBERED) + 2
        if memory.size != len(self.memory()):
            return
        control, known = memory[2:count], memory[count]
        step, accepted = control[0], control[REMEMBERED.index(adaptive.ACCEPTED)]
        if not (
            np.isfinite(memory).all() and np.all(control >= 0.0) and known in (0.0, 1.0)
            and 0.0 <= memory[0] <= begun.time and 0.0 <= memory[1] <= accepted
            and (step == 0.0 or begun.time + step > begun.time)
        ):  # fmt: skip
            raise InvalidFile(
                "start: what the checkpoint knows of its steps is not from a run.",
                "Begin at its last state: start=result.state(), which begins at t = 0.",
            )
        self.control[REMEMBERED] = control
        self.embedded.known[0], self.embedded.first[:] = known, memory[count + 1 :]
        run.index = run.first = int(self.control[adaptive.ACCEPTED])
        if run.is_resumed:
            self.since, run.first = float(memory[0]), int(memory[1])
            self.embedded.evaluated[0] = begun.counted[0]
        else:
            self.control[adaptive.REJECTIONS] = 0.0
            self.control[adaptive.STEP] = self.tolerances.first_step or step

    def first_limits(self) -> Floats:
        """What a call may do, but for how much of it."""
        limits = np.zeros(adaptive.LIMITS_WIDTH)
        limits[adaptive.RTOL], limits[adaptive.ATOL] = self.tolerances.rtol, self.tolerances.atol
        limits[adaptive.SMALLEST] = self.shortest
        limits[adaptive.SAVE_EVERY] = self.run.output.every
        limits[adaptive.MOST] = np.inf
        limits[adaptive.REAL] = float(self.ends_are_corrected)
        return limits

    @property
    def shortest(self) -> float:
        """A step that cannot be told from none, s; a run without an end is taken for one of 1 s."""
        return COLLAPSED * (self.until if self.until < np.inf else 1.0)

    @property
    def ends_are_corrected(self) -> bool:
        """Whether stabilisers or restored momenta change states at the end of a step."""
        mechanism = self.run.stepper.mechanism
        return mechanism.stabiliser.kind != UNSTABILISED or mechanism.floating.count > 0

    def take(self, most: int) -> None:
        run, control, limits = self.run, self.control, self.limits
        size = most if run.watch is None else 1
        self.cut, control[adaptive.SLOT] = False, 0.0
        if run.watch is not None:
            run.checkpoint()  # from which a run goes on that ends within this step
        self.pass_jump()
        run.ask()
        if run.stopped is not None:
            return
        if not len(self.wanted) and len(self.times) != size:
            self.times, self.points = np.zeros(size), np.zeros((size, run.output.kept))
        longest, end = self.bounds.at(run.reached)
        limits[adaptive.UNTIL] = min(self.until, end, run.control.next_time)
        limits[adaptive.LARGEST] = min(self.tolerances.max_step, longest)
        limits[adaptive.ATTEMPTS] = (
            size if self.probe is None else min(size, PROBE_AT - self.attempts)
        )
        outcome = self.adapt()
        accepted = int(control[adaptive.ACCEPTED])
        run.reached = float(control[adaptive.NOW])
        self.span = (float(control[adaptive.BEFORE]), run.reached) if accepted > run.index else None
        run.index = accepted
        if outcome != OK:
            run.stopped = self.explain(run.reached, int(outcome))

    def adapt(self) -> int:
        """Steps within the limits: OK, or why they stopped."""
        run = self.run
        outcome: int = adapt(
            *self.lent, run.block, run.spare, self.aside, self.control, self.limits, self.wanted,
            self.thetas, self.times, self.points, self.inner,
        )  # fmt: skip
        return outcome

    def pass_jump(self) -> None:
        """Go on after a jump of a function of time, if the run has come to just before one."""
        after = self.bounds.beyond(self.run.reached)
        if after > self.run.reached:
            self.go_to(after)

    def go_to(self, t: float) -> None:
        """The block is that at t, whose slope is not known."""
        self.renew()
        self.run.reached = self.control[adaptive.NOW] = t

    @property
    def attempts(self) -> int:
        return int(self.control[adaptive.ACCEPTED] + self.control[adaptive.REJECTIONS])

    def keep(self) -> None:
        """What a piece saved; nothing after the event that ended the run."""
        run, output = self.run, self.run.output
        if len(self.wanted):
            known, output.served = output.served, int(self.control[adaptive.NEXT])
            new = slice(known, output.served)
            output.extend(self.wanted[new], self.points[new])
        else:
            self.keep_steps()
        if self.probe is not None and run.goes_on and self.attempts >= PROBE_AT:
            ask, self.probe = self.probe, None
            if run.reached < self.until and ask(run.reached, run.index):
                run.is_over, run.ending = True, ", where it was given up"

    def keep_steps(self) -> None:
        run, times, slots = self.run, self.times, int(self.control[adaptive.SLOT])
        kept = run.output.kept
        due = run.index % run.output.every == 0
        if slots and not due and times[slots - 1] == run.reached:
            slots -= 1  # the end of a part of the run, or of all: that is kept in the end
        if self.cut or run.is_unsure:  # that at the event takes the place of the end of the step
            slots = int(np.searchsorted(times[:slots], run.reached, side="left"))
        times, points = times[:slots], self.points[:slots]
        last = times[-1] if slots else run.output.last or 0.0
        if self.cut and not run.is_cut and run.reached > last:
            times, points = np.append(times, run.reached), np.vstack((points, self.point[:kept]))
        run.output.extend(times, points)

    # --- events ---

    def between(self, thetas: Floats) -> Floats:
        return self.inner

    def at(self, t: float) -> Floats:
        assert self.span is not None
        begin, end = self.span
        if t in (begin, end):
            return self.run.block if t == end else self.run.spare
        outcome = leap(*self.lent, self.run.spare, begin, t - begin, self.aside)
        if outcome != OK:
            raise self.explain(begin, int(outcome))
        return self.aside

    def go_back(self, t: float) -> None:
        if t < self.run.reached:
            self.run.block[:] = self.at(t)
            self.go_to(t)
            self.control[adaptive.NEXT] = np.searchsorted(self.wanted, t, side="right")
            self.cut = True

    def resume(self, longest: float) -> None:
        self.cut, self.limits[adaptive.ATTEMPTS] = True, 0.0
        self.adapt()  # which finds the first step of a run
        self.renew()
        self.control[adaptive.LAST_ERROR], self.control[adaptive.REJECTED] = 1.0, 0.0
        self.control[adaptive.STEP] = min(self.control[adaptive.STEP], longest)

    def renew(self) -> None:
        self.embedded.known[0] = 0.0

    # --- for the result ---

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why no step after t could be accepted."""
        run, step = self.run, float(self.control[adaptive.STEP])
        if outcome != adaptive.COLLAPSED:
            return explained(run.stepper, run.block, run.spare, t, step, outcome)
        failed = failed_formula(run.stepper)
        if failed is not None:
            return failed
        body = list(run.stepper.solver.setup.body_index)[int(self.embedded.measure.worst[0])]
        return SimulationStopped(
            f"the step fell below {self.shortest:.1g} s after t = {t:.6g} s, and body"
            f" '{body}' still misses the tolerances (rtol {self.tolerances.rtol:g}, atol"
            f" {self.tolerances.atol:g} m): something jumps there, or is too stiff.",
            "Smooth what jumps (a force, a motion), or give larger tolerances; the result up to t"
            " is kept.",
        )

    def counted(self) -> dict[str, int]:
        return {"evaluations": int(self.embedded.evaluated[0])}

    def monitor(self, block: Floats) -> None:
        """The kernel has looked, unless the run ended between two looks."""
        if self.run.reached < self.run.grid.until:
            super().monitor(block)

    def details(self) -> dict[str, Any]:
        return super().details() | {"rejected": int(self.control[adaptive.REJECTIONS])}
