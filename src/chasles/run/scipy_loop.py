"""Runs with SciPy's methods, in charts about states on the way."""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.outcomes import NOT_FINITE, OK
from chasles.core.retraction import slope_length
from chasles.integrators.local_coordinates import (
    local_point,
    local_slope,
    local_state,
    turning_places,
)
from chasles.integrators.methods import Method
from chasles.model import SimulationStopped
from chasles.run.loop import Grid, Run, Saved
from chasles.run.stepper import Stepper
from chasles.run.stops import explained, failed_formula
from chasles.run.tolerances import Tolerances
from chasles.system.lookout import Lookout
from chasles.system.step_bounds import UNBOUNDED, StepBounds

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


class ScipyRun(Run):
    """The states of one simulation as they come."""

    can_go_on = False

    def __init__(
        self, stepper: Stepper, grid: Grid, tolerances: Tolerances, method: Method,
        lookout: Lookout | None = None, bounds: StepBounds = UNBOUNDED,
    ) -> None:  # fmt: skip
        super().__init__(stepper, grid, lookout)
        assert method.foreign is not None
        self.bounds = bounds
        self.tolerances, (self.name, self.far) = tolerances, method.foreign
        mechanism = stepper.mechanism
        self.lent = stepper.lent[:2]
        self.turning = turning_places(mechanism)
        self.point = np.zeros(stepper.layout.kept)
        self.length = int(slope_length(mechanism))
        self.calls, self.restarts, self.next_step = 0, 0, tolerances.first_step or None
        found = None if lookout is None else lookout.trouble(0, lookout.steps)
        self.until, self.trouble = grid.until, None
        if found is not None:
            assert lookout is not None
            self.until = min(self.until, found[0] * lookout.step)
            self.trouble = SimulationStopped(found[1].what, found[1].remedy)

    def rate(self, t: float, y: Floats) -> Floats:
        """The right-hand side that SciPy integrates."""
        slope = np.zeros(self.length)
        self.calls += 1
        outcome = local_slope(*self.lent, self.block, np.ascontiguousarray(y), t, self.point, slope)
        if outcome != OK:
            raise Failed(int(outcome))
        if self.name not in SHORTEN and not np.isfinite(slope).all():
            raise Failed(NOT_FINITE)
        return slope

    def solver(self) -> Any:
        """SciPy's, about the state reached."""
        from scipy import integrate

        self.reached = self.bounds.beyond(self.reached)
        longest, end = self.bounds.at(self.reached)
        end = min(end, self.until)
        options: dict[str, Any] = {
            "rtol": max(self.tolerances.rtol, 100.0 * float(np.finfo(float).eps)),
            "atol": self.tolerances.atol,
            "max_step": min(self.tolerances.max_step, longest),
        }
        if self.next_step:
            options["first_step"] = min(self.next_step, end - self.reached)
        make = getattr(integrate, self.name)
        return make(self.rate, self.reached, np.zeros(self.length), end, **options)

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        kept = self.stepper.layout.kept
        times, points = [0.0], [self.block[:kept].copy()]

        def keep(solver: Any, last: bool) -> None:
            if self.index % self.grid.save_every == 0 or last:
                times.append(solver.t)
                points.append(self.at(solver.t, solver.y))

        self.advance(progress, keep)
        return self.saved(np.array(times), np.array(points))

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times, by the solver's own interpolation."""
        times: list[float] = [t for t in wanted if t <= 0.0]
        points = [self.block[: self.stepper.layout.kept].copy() for _ in times]

        def keep(solver: Any, last: bool) -> None:
            dense = None
            while len(times) < len(wanted) and wanted[len(times)] <= solver.t:
                t = float(wanted[len(times)])
                if t == solver.t:
                    y = solver.y
                else:
                    dense = dense or solver.dense_output()
                    y = dense(t)
                times.append(t)
                points.append(self.at(t, y))

        self.advance(progress, keep)
        if not times or (self.reached < self.grid.until and self.reached > times[-1]):
            times.append(self.reached)
            points.append(self.block[: self.stepper.layout.kept].copy())
        return self.saved(np.array(times), np.array(points))

    def at(self, t: float, y: Floats) -> Floats:
        """What places and moves the bodies at local coordinates."""
        point = np.zeros(self.stepper.layout.kept)
        local_point(*self.lent, self.block, np.ascontiguousarray(y), t, point)
        return point

    def advance(self, progress: bool | None, keep: Any) -> None:
        """Steps to the end, chart by chart."""
        with self.bar(progress) as bar:
            while self.goes_on and self.reached < self.until:
                try:
                    self.one_chart(keep, bar)
                except Failed as failed:
                    self.stopped = self.why(failed.outcome)
        if self.trouble is not None and self.goes_on:
            self.stopped = self.trouble

    def why(self, outcome: int) -> SimulationStopped:
        """The reason why slopes could not be found."""
        if outcome == NOT_FINITE:
            return failed_formula(self.stepper) or SimulationStopped(
                f"SciPy's {self.name} asked for accelerations after t = {self.reached:.6g} s at a"
                " point where they are not numbers.",
                "Give smaller tolerances or max_step, or take another method; the result up to t is"
                " kept.",
            )
        step = self.next_step or self.grid.step
        return explained(self.stepper, self.block, self.spare, self.reached, step, outcome)

    def limit_changes(self, solver: Any) -> None:
        """Of coordinates, by which an implicit method finds its next derivatives."""
        factors = getattr(solver, "jac_factor", None)
        if factors is not None:
            size = np.abs(solver.y)
            change = LARGEST_CHANGE * np.maximum(1.0, size)
            solver.jac_factor = np.minimum(factors, change / np.maximum(solver.atol, size))

    def one_chart(self, keep: Any, bar: Any) -> None:
        """Steps about the state reached, up to where the chart is left."""
        solver, began, steps = self.solver(), self.reached, 0
        while solver.status == "running" and self.goes_on:
            before = solver.t
            message = solver.step()
            if solver.status == "failed":
                self.stopped = failed_formula(self.stepper) or SimulationStopped(
                    f"SciPy's {self.name} gave up at t = {before:.6g} s: {message}",
                    "Give larger tolerances, or take another method.",
                )
                return
            self.limit_changes(solver)
            steps += 1
            self.index += 1
            self.next_step = solver.step_size
            bar.update(int(solver.t / self.grid.step) - int(before / self.grid.step))
            keep(solver, solver.t >= self.until)
            angles = np.linalg.norm(solver.y[self.turning], axis=1)
            if angles.max(initial=0.0) > self.far or self.far == 0.0:
                break
        self.move(solver, began, steps)

    def move(self, solver: Any, began: float, steps: int) -> None:
        """The state that the solver has reached becomes the block."""
        mean = (solver.t - began) / max(1, steps)
        outcome = local_state(
            *self.lent, self.block, np.ascontiguousarray(solver.y), solver.t, mean, self.spare
        )
        if outcome != OK:
            raise Failed(int(outcome))
        self.block, self.spare = self.spare, self.block
        self.reached = float(solver.t)
        if self.reached < self.until:
            self.restarts += 1

    @property
    def typical_step(self) -> float:
        """The mean of all steps, s."""
        return self.reached / self.index if self.index else self.grid.step

    def counted(self) -> dict[str, int]:
        return {"evaluations": self.calls}

    def told(self) -> dict[str, Any]:
        """For the provenance."""
        return {
            "rtol": self.tolerances.rtol,
            "atol": self.tolerances.atol,
            "restarts": self.restarts,
        }
