"""How a run goes on: what takes its steps, and what may be asked of the last one."""

from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.build.system.step_bounds import UNBOUNDED, StepBounds
from chasles.core.arrays import Floats
from chasles.model import ChaslesError, SimulationStopped
from chasles.run.stops import as_stop
from chasles.run.time_grid import Tolerances

if TYPE_CHECKING:
    from chasles.run.loop import Run


class Pace:
    """Takes the steps of a run: on a grid, by tolerances, or as SciPy's methods do.

    `take` moves the block, the index and the time of the run, `keep` hands states to its output.
    """

    run: "Run"
    #: steps at the most that are taken at once
    largest = 2**62
    #: the times between which the last step was taken
    span: tuple[float, float] | None = None

    def begin(self) -> None:
        """Keep the state at which the run begins."""
        if self.run.output.wanted is not None:
            self.serve()
        elif not self.run.is_resumed:
            self.run.output.put(self.run.reached, self.run.block)

    @property
    def is_ahead(self) -> bool:
        """Whether there are steps to take."""
        raise NotImplementedError

    def take(self, most: int) -> None:
        """Some steps, so many at the most."""

    def keep(self) -> None:
        """Hand on the states of the last steps that are to be kept."""

    def end(self) -> None:
        """After the last step."""

    def present(self) -> Floats:
        """The block at the time reached."""
        return self.run.block

    @property
    def point(self) -> Floats:
        """What is kept of it."""
        return self.run.block

    # --- for a run that goes on ---

    def header(self) -> dict[str, Any]:
        """What a recording says of the steps before the first one."""
        return {"step": self.run.grid.step.hex()}

    def place(self) -> tuple[float, float, int]:
        """Where the run stands: origin and step of a grid, and a step of it."""
        return self.run.grid.origin, self.run.grid.step, self.run.index

    def memory(self) -> Floats:
        """What is known of the steps beside the block."""
        return np.zeros(0)

    # --- for events ---

    def between(self, thetas: Floats) -> Floats:
        """Points of the last step, at these fractions of it."""
        assert self.span is not None
        begin, end = self.span
        points = np.zeros((len(thetas), self.run.output.kept))
        for point, theta in zip(points, thetas.tolist()):
            point[:] = self.at(begin + (end - begin) * theta)[: len(point)]
        return points

    def at(self, t: float) -> Floats:
        """The block at a time of the last step, to which a real step leads."""
        raise NotImplementedError

    def go_back(self, t: float) -> None:
        """The run goes on from a time of the last step."""

    def resume(self, longest: float) -> None:
        """Go on from a block that has changed, with a step of this length at the most."""

    def renew(self) -> None:
        """Inputs have changed: what is known of slopes holds no more."""

    # --- for the times that are wanted ---

    def state_at(self, t: float) -> Floats | None:
        """The state at a time, None if it was not reached."""
        return None

    def serve(self) -> None:
        """Keep the states at the wanted times that were reached."""
        output = self.run.output
        assert output.wanted is not None
        while output.served < len(output.wanted):
            t = float(output.wanted[output.served])
            try:
                point = self.state_at(t)
            except ChaslesError as failed:
                self.run.stopped = as_stop(failed)
                return
            if point is None:
                return
            output.put(t, point)
            output.served += 1

    # --- for the result ---

    @property
    def progress(self) -> tuple[int, int, str]:
        """How much is done, of how much, in which unit."""
        raise NotImplementedError

    @property
    def typical_step(self) -> float:
        """The length of a step, s."""
        return self.run.grid.step

    @property
    def ending(self) -> str:
        """What happened to steps on the way, in words."""
        return ""

    def counted(self) -> dict[str, int]:
        """What the steps took."""
        raise NotImplementedError

    def details(self) -> dict[str, Any]:
        """What the provenance has beyond the rest."""
        return {}

    def monitor(self, block: Floats) -> None:
        """Look at gaps and the energy balance of the block where the run ended, or stopped."""
        self.run.stepper.monitor(block, self.run.reached)


class ChoosingPace(Pace):
    """A pace that chooses its steps."""

    def __init__(self, tolerances: Tolerances, bounds: StepBounds = UNBOUNDED) -> None:
        self.tolerances, self.bounds = tolerances, bounds
        self.since, self.until = 0.0, np.inf  # when the run began, and when it ends, s
        self.trouble: SimulationStopped | None = None  # that ends the run before its time

    def begin(self) -> None:
        """A function of time may fail on the way: the run ends before it does."""
        run, self.until, self.since = self.run, self.run.grid.until, self.run.reached
        run.index = run.first = 0
        found = None if run.scan is None else run.scan.trouble(0, run.scan.steps)
        if found is not None and run.scan is not None:
            self.until = min(self.until, found[0] * run.scan.step)
            self.trouble = SimulationStopped(found[1].what, found[1].remedy)

    def header(self) -> dict[str, Any]:
        return ChoosingPace.details(self)

    def place(self) -> tuple[float, float, int]:
        return self.run.reached, self.run.grid.step, 0

    @property
    def is_ahead(self) -> bool:
        return self.run.reached < self.until

    def end(self) -> None:
        if self.trouble is not None and self.run.goes_on:
            self.run.stopped = self.trouble

    @property
    def progress(self) -> tuple[int, int, str]:
        span = self.until - self.since
        return int(100 * (self.run.reached - self.since) / span) if span else 100, 100, "%"

    @property
    def typical_step(self) -> float:
        """The mean of all steps, s."""
        run = self.run
        count = run.index - run.first
        return (run.reached - self.since) / count if count else run.grid.step

    def details(self) -> dict[str, Any]:
        return {"rtol": self.tolerances.rtol, "atol": self.tolerances.atol}
