"""One run: from a model and options to a result; Ctrl-C ends it after a piece of steps."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.problem import bytes_stored
from chasles.build.system.build import Setup
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.step_bounds import UNBOUNDED, step_bounds
from chasles.integrators.advance import seconds_compiling
from chasles.integrators.methods import find_method
from chasles.many.traced.stepping import KERNELS, with_recorded_steps
from chasles.model import InvalidOption, SimulationStopped, UnknownName
from chasles.model.model import checked_model, plural
from chasles.notices import logged
from chasles.result.provenance import Checkpoint
from chasles.result.result import Result
from chasles.run.events import Event
from chasles.run.impacts import watched_events
from chasles.run.loop import Run
from chasles.run.options import Options, method_of
from chasles.run.preparation import (
    Settings,
    check_kernel,
    check_progress,
    header_of,
    make_control,
    make_run,
    make_settings,
    result_of,
    scan_signals,
    stepper_of,
)
from chasles.run.recording import Recording, closed_on_error, open_recording
from chasles.run.time_grid import Tolerances, check_stabiliser, make_grid, make_tolerances
from chasles.run.tolerance_pace import StiffnessProbe

#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30
#: Into how many pieces a run that chooses its steps is cut to look through functions of time.
PROBES = 4096


@dataclass(frozen=True)
class Prepared:
    """A run that is ready to go."""

    settings: Settings
    run: Run
    begin: Checkpoint | None  # of the run that goes on


def prepared(
    options: Options, probe: StiffnessProbe | None = None, shortened: float = 1.0
) -> Prepared:
    """Check all options, and make a run of them."""
    checked_model(options.model)
    check_progress(options.progress)
    UnknownName.check("choice", options.kernel, KERNELS, "kernel")
    method = find_method(method_of(options))
    tolerances = make_tolerances(method, options, options.until)
    watched = watched_events(options.events, options.model)
    check_kernel(tolerances, options)
    record = open_recording(options.into, options.resume)
    with nullcontext() if record is None else closed_on_error(record):
        return ready_run(options, tolerances, watched, record, probe, shortened)


def ready_run(
    options: Options, tolerances: Tolerances | None, watched: tuple[Event, ...],
    record: Recording | None, probe: StiffnessProbe | None, shortened: float,
) -> Prepared:  # fmt: skip
    """The run, with the folder that it is recorded in held."""
    times = options.until, options.step, options.save_every, options.t_eval
    if not isinstance(options.start, Result):  # refused before anything is made
        make_grid(*times, None, tolerances)
    settings = make_settings(options)
    if tolerances is not None:
        check_stabiliser(settings.choice)
    resumed = record is not None and record.begun
    begin = record.reached if record is not None and resumed else settings.begin
    grid = make_grid(*times, begin, tolerances, resumed)
    if record is None:
        every = grid.save_every if grid.t_eval is None else None
        kept = len(grid.t_eval) if grid.t_eval is not None else grid.steps // grid.save_every + 2
        check_memory(kept, every, settings.setup)
    bounds = UNBOUNDED
    if tolerances is None:
        scan = scan_signals(settings.setup, settings.method, grid.step, grid.steps, grid.origin)
    else:
        scan = scan_signals(settings.setup, None, grid.until / PROBES, PROBES)
        bounds = step_bounds(settings.setup.signals, grid.until, tolerances.max_step)
        bounds = bounds.shortened(shortened)
    stepper = stepper_of(settings, grid.step, grid.until)  # fits what was seen of functions of time
    if tolerances is None:
        ahead, iterates = grid.steps - grid.first, settings.method.implicit
        stepper = with_recorded_steps(stepper, options.kernel, grid.step, ahead, iterates)
    control = make_control(stepper, options.controller, options.sample, grid, tolerances)
    run = make_run(
        settings, grid, stepper, tolerances, watched, scan=scan, record=record, probe=probe,
        bounds=bounds, control=control,
    )  # fmt: skip
    return Prepared(settings, run, begin)


def integrate(
    options: Options, probe: StiffnessProbe | None = None, shortened: float = 1.0,
    seal: Callable[[Result], Result] | None = None,
) -> Result:  # fmt: skip
    """Integrate a model from t = 0 to `until`: see `simulate`.  A run that stops raises.

    probe: (time, steps) -> whether to end a run that chooses its steps.  What functions of time
    allow of steps that are chosen is shortened.  `seal` has the last word on what is known of the
    result.
    """
    made = prepared(options, probe, shortened)
    run, record = made.run, made.run.output.record
    with nullcontext() if record is None else closing(record):
        if record is not None:
            record.prepare(header_of(made.settings, run), run)
        if made.begin is not None:
            run.continue_from(made.begin)
        began = time.perf_counter() - seconds_compiling()
        with ctrl_c(run.interrupt):
            saved = run.states(options.progress)
        seconds = time.perf_counter() - seconds_compiling() - began
        result = result_of(made.settings, run, saved, seconds, stacklevel=5)
        status, end = result.status, saved.times[-1]
        logged("run %s at t = %g s, after %.2g s of computing", status, end, seconds)
        if seal is not None:
            result = seal(result)
        if record is not None:
            record.finish(result)
    if run.stopped is not None:
        stopped = SimulationStopped(run.stopped.what, run.stopped.remedy, result=result)
        stopped.add_note(
            "  Catch it: `except ch.SimulationStopped as stopped`."
            " stopped.result has the run so far."
        )
        raise stopped
    if run.interrupted:
        raise Interrupted(result)
    return result


def check_memory(kept: int, every: int | None, setup: Setup, where: str = "simulate") -> None:
    """Refuse so many states (of every n-th step, or at given times) that do not fit into memory."""
    bodies, quadratures = setup.system.body_count, setup.system.quadrature_count
    quadratures += len(coordinate_keys(setup.model))
    size = bytes_stored(bodies, quadratures, kept)
    if size > MEMORY_LIMIT or not fits_in_memory(size):
        fewer = "fewer times in t_eval"
        if every is not None:
            fewer = f"save_every={every * max(2, 1 + size // MEMORY_LIMIT)}"
        raise InvalidOption(
            f"{where}: {kept} states of {plural(bodies, 'body', 'bodies')} would take"
            f" {size / 2**30:.3g} GiB.",
            f"Keep fewer: {fewer}, say.",
        )


def fits_in_memory(size: int) -> bool:
    """Whether the system would lend so many bytes, which are not touched."""
    try:
        np.empty(size, np.uint8)
    except MemoryError:
        return False
    return True


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `result` holds everything up to the last good state."""

    def __init__(self, result: Any) -> None:
        super().__init__(f"interrupted at t = {result.t[-1]:g} s; .result holds the run so far")
        self.result = result


@contextmanager
def ctrl_c(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` at the first Ctrl-C; the second one raises KeyboardInterrupt.

    Only in the main thread, and unless Ctrl-C has another handler already.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, handler)
        callback()

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
