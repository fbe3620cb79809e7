"""Steps of SciPy's methods, in charts about states on the way."""

from typing import Any

import numpy as np

from chasles.build.system.step_bounds import UNBOUNDED, StepBounds
from chasles.core.arrays import Floats
from chasles.core.outcomes import NOT_FINITE, OK
from chasles.core.state_block import slope_length
from chasles.integrators.methods import Method
from chasles.integrators.scipy_methods import (
    local_point,
    local_slope,
    local_state,
    turning_places,
)
from chasles.model import SimulationStopped
from chasles.run.pace import ChoosingPace, Pace
from chasles.run.stops import explained, failed_formula
from chasles.run.time_grid import Tolerances

#: Methods that take a shorter step where a slope is not a number; the others stumble over it.
SHORTEN = ("RK23", "RK45", "DOP853")
#: By how much, of one or of themselves, coordinates are changed at the most to find derivatives.
#: SciPy takes ever larger changes, up to infinity, where a coordinate has no effect.
LARGEST_CHANGE = 1e-3


class Failed(Exception):
    """The equations of motion have no answer at a point that a solver asked for."""

    def __init__(self, outcome: int) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class ScipyPace(ChoosingPace):
    """Steps of a solver in a chart, about the block; the next chart begins where it is left."""

    def __init__(
        self, tolerances: Tolerances, method: Method, bounds: StepBounds = UNBOUNDED
    ) -> None:
        super().__init__(tolerances, bounds)
        assert method.foreign is not None
        self.name, self.far = method.foreign

    def begin(self) -> None:
        super().begin()
        run, mechanism = self.run, self.run.stepper.mechanism
        self.lent = run.stepper.lent[:2]
        self.turning = turning_places(mechanism)
        self.workspace_point = np.zeros(run.output.kept)
        self.length = int(slope_length(mechanism))
        self.calls, self.restarts, self.next_step = 0, 0, self.tolerances.first_step or None
        self.solver: Any = None  # of the chart
        self.dense: Any = None  # within its last step
        self.cut = False  # by an event
        self.began, self.steps = run.reached, 0  # of the chart
        Pace.begin(self)

    def rate(self, t: float, y: Floats) -> Floats:
        """The right-hand side that SciPy integrates."""
        slope, block = np.zeros(self.length), self.run.block
        self.calls += 1
        outcome = local_slope(
            *self.lent, block, np.ascontiguousarray(y), t, self.workspace_point, slope
        )
        if outcome != OK:
            raise Failed(int(outcome))
        if self.name not in SHORTEN and not np.isfinite(slope).all():
            raise Failed(NOT_FINITE)
        return slope

    def begin_chart(self) -> None:
        """A solver about the block."""
        from scipy import integrate

        self.began = self.run.reached
        longest, end = self.bounds.at(self.began)
        end = min(end, self.until, self.run.control.next_time)
        options: dict[str, Any] = {
            "rtol": max(self.tolerances.rtol, 100.0 * float(np.finfo(float).eps)),
            "atol": self.tolerances.atol,
            "max_step": min(self.tolerances.max_step, longest),
        }
        if self.next_step:
            options["first_step"] = min(self.next_step, end - self.began)
        make = getattr(integrate, self.name)
        self.steps = 0
        self.solver = make(self.rate, self.began, np.zeros(self.length), end, **options)

    def take(self, most: int) -> None:
        run, self.span, self.cut = self.run, None, False
        if self.solver is None:
            run.reached = self.bounds.beyond(run.reached)
        run.ask()
        if run.stopped is not None:
            return
        try:
            if self.solver is None:
                self.begin_chart()
            before, self.dense = self.solver.t, None
            message = self.solver.step()
        except Failed as failed:
            self.give_up(self.why(failed.outcome))
            return
        if self.solver.status == "failed":
            why = failed_formula(run.stepper) or SimulationStopped(
                f"SciPy's {self.name} gave up at t = {before:.6g} s: {message}",
                "Give larger tolerances, or take another method.",
            )
            self.give_up(why)
            return
        self.limit_changes(self.solver)
        self.steps += 1
        run.index += 1
        run.reached, self.next_step = float(self.solver.t), self.solver.step_size
        self.span = before, run.reached

    def keep(self) -> None:
        run, output, solver = self.run, self.run.output, self.solver
        if self.cut and not run.is_cut and output.wanted is None:
            output.put(run.reached, run.block)
        if solver is None:
            return
        if output.wanted is not None:
            self.serve()
        elif run.index % output.every == 0 or run.reached >= self.until:
            output.put(run.reached, self.point)
        angles = np.linalg.norm(solver.y[self.turning], axis=1)
        is_far = angles.max(initial=0.0) > self.far or self.far == 0.0
        if is_far or solver.status != "running":
            self.leave_chart()

    def leave_chart(self) -> None:
        """The state that the solver has reached becomes the block."""
        run = self.run
        try:
            run.block, run.spare, self.solver = self.present(), run.block, None
            self.restarts += int(run.reached < self.until)
        except SimulationStopped as why:
            self.give_up(why)

    # --- events ---

    def at(self, t: float) -> Floats:
        """By the solver's own interpolation, as at the times that are wanted."""
        found = self.state_at(t)
        assert found is not None
        return found

    def go_back(self, t: float) -> None:
        """The chart is left at the event."""
        run, self.cut = self.run, True
        self.solver.y, self.solver.t = self.interpolated(t), t
        run.reached = t
        if run.output.wanted is not None:
            self.serve()
        self.leave_chart()

    def resume(self, longest: float) -> None:
        step = min(self.next_step or longest, longest)
        self.next_step = step if step < np.inf else None

    def interpolated(self, t: float) -> Floats:
        """Local coordinates at a time of the last step."""
        if t == self.solver.t:
            end: Floats = self.solver.y
            return end
        try:
            self.dense = self.dense or self.solver.dense_output()
        except Failed as failed:  # at stages that the step itself has not
            raise self.why(failed.outcome) from None
        found: Floats = self.dense(t)
        if not np.isfinite(found).all():
            raise self.why(NOT_FINITE)
        return found

    def renew(self) -> None:
        if self.solver is not None:
            self.leave_chart()

    def give_up(self, why: SimulationStopped) -> None:
        """The run stops; its block is that at which the chart began."""
        self.run.stopped, self.run.reached, self.solver = why, self.began, None

    def end(self) -> None:
        if self.solver is not None:
            self.leave_chart()
        super().end()

    def present(self) -> Floats:
        run, solver = self.run, self.solver
        if solver is None:
            return run.block
        mean, block = (solver.t - self.began) / max(1, self.steps), np.zeros_like(run.block)
        outcome = local_state(
            *self.lent, run.block, np.ascontiguousarray(solver.y), solver.t, mean, block
        )
        if outcome != OK:
            raise self.why(int(outcome))
        return block

    @property
    def point(self) -> Floats:
        if self.solver is None:
            return self.run.block
        return self.local(self.run.reached, self.solver.y)

    def local(self, t: float, y: Floats) -> Floats:
        """What places and moves the bodies at local coordinates."""
        point = np.zeros(self.run.output.kept)
        local_point(*self.lent, self.run.block, np.ascontiguousarray(y), t, point)
        return point

    def state_at(self, t: float) -> Floats | None:
        """By the solver's own interpolation."""
        if t > self.run.reached:
            return None
        return self.point if self.solver is None else self.local(t, self.interpolated(t))

    def why(self, outcome: int) -> SimulationStopped:
        """The reason why slopes could not be found."""
        run, began = self.run, self.began
        if outcome == NOT_FINITE:
            return failed_formula(run.stepper) or SimulationStopped(
                f"SciPy's {self.name} asked for accelerations after t = {began:.6g} s at a"
                " point where they are not numbers.",
                "Give smaller tolerances or max_step, or take another method; the result up to t is"
                " kept.",
            )
        step = self.next_step or run.grid.step
        return explained(run.stepper, run.block, run.spare, began, step, outcome)

    def limit_changes(self, solver: Any) -> None:
        """Of coordinates, by which an implicit method finds its next derivatives."""
        factors = getattr(solver, "jac_factor", None)
        if factors is not None:
            size = np.abs(solver.y)
            change = LARGEST_CHANGE * np.maximum(1.0, size)
            solver.jac_factor = np.minimum(factors, change / np.maximum(solver.atol, size))

    def counted(self) -> dict[str, int]:
        return {"evaluations": self.calls}

    def details(self) -> dict[str, Any]:
        return super().details() | {"restarts": self.restarts}
