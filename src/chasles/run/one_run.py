"""One run: from a model and options to a result, and how it ended."""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.integrators.advance import seconds_compiling
from chasles.integrators.methods import Method, find_method
from chasles.many.traced.choosing import KERNELS, quickened
from chasles.model import InvalidOption, Model, SimulationStopped
from chasles.model.model import checked_model, plural
from chasles.notices import logged
from chasles.problem import bytes_kept
from chasles.result.checkpoint import Checkpoint
from chasles.result.result import Result
from chasles.run.events import Event, Watcher, checked_events
from chasles.run.impacts import Impact, expanded
from chasles.run.interrupts import Interrupted, ctrl_c
from chasles.run.loop import Run
from chasles.run.pace import Pace, look_through
from chasles.run.preparation import (
    Settings,
    check_progress,
    check_word,
    header_of,
    look_ahead,
    make_control,
    make_settings,
    result_of,
    stepper_of,
)
from chasles.run.recording import Recording, closed_on_error, open_recording
from chasles.run.scipy_pace import ScipyPace
from chasles.run.time_grid import Grid, make_grid
from chasles.run.tolerance_pace import TolerancePace
from chasles.run.tolerances import Tolerances, check_stabiliser, make_tolerances
from chasles.run.watching import Watch
from chasles.system.build import Setup
from chasles.system.coordinates import coordinate_keys
from chasles.system.step_bounds import step_bounds

#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30
#: What is taken where no method is named: with a step, and with tolerances.
USUAL, USUAL_WITH_TOLERANCES = "rk4", "dop853"


@dataclass(frozen=True, eq=False)
class RunOptions:
    """What `simulate` was asked for beside the model and how long: see there."""

    step: Any = None
    method: Any = None
    spaces: Any = "auto"
    acceleration: Any = "screw"
    rows: Any = "needed"
    stabilise: Any = None
    redundant: Any = "solve"
    singular: Any = "stop"
    save_every: Any = 1
    t_eval: Any = None
    progress: Any = None
    start: Any = None
    close: Any = False
    hold: Any = ()
    controller: Any = None
    sample: Any = None
    into: Any = None
    resume: Any = False
    rtol: Any = None
    atol: Any = None
    first_step: Any = None
    max_step: Any = None
    events: Any = ()
    kernel: Any = "auto"
    glance: Any = None  # (time, steps) -> whether to end a run that chooses its steps

    @property
    def chosen_method(self) -> Any:
        """The method, or the usual one where none is named."""
        if self.method is not None:
            return self.method
        tolerant = self.step is None and any(
            value is not None for value in (self.rtol, self.atol, self.first_step, self.max_step)
        )
        return USUAL_WITH_TOLERANCES if tolerant else USUAL


@dataclass(frozen=True)
class Prepared:
    """A run that is ready to go."""

    settings: Settings
    run: Run
    record: Recording | None
    begin: Checkpoint | None  # of the run that goes on


def integrate(model: Model, until: float, asked: RunOptions, stacklevel: int = 5) -> Result:
    """Integrate a model from t = 0 to `until`: see `simulate`.

    Warnings point at the caller so many calls up.
    """
    return carry_out(prepared(model, until, asked), asked.progress, stacklevel)


def prepared(model: Model, until: float, asked: RunOptions) -> Prepared:
    """Check all options, and make a run of them."""
    checked_model(model)
    check_progress(asked.progress)
    check_word("kernel", asked.kernel, KERNELS)
    method = find_method(asked.chosen_method)
    tolerances = make_tolerances(
        method, until, asked.step, asked.rtol, asked.atol, asked.first_step, asked.max_step
    )
    watched = expanded(checked_events(asked.events, (Impact,)), model)
    check_company(tolerances, watched, asked)
    record = open_recording(asked.into, asked.resume, asked.t_eval)
    with closed_on_error(record):
        return made_ready(model, until, asked, method, tolerances, watched, record)


def made_ready(
    model: Model,
    until: float,
    asked: RunOptions,
    method: Method,
    tolerances: Tolerances | None,
    watched: tuple[Event, ...],
    record: Recording | None,
) -> Prepared:
    """The run, with the folder that it is recorded in held."""
    step = asked.step
    if not isinstance(asked.start, Result):  # refused before anything is made
        make_grid(until, step, asked.save_every, asked.t_eval, None, tolerances)
    settings = make_settings(
        model, method=method, spaces=asked.spaces, acceleration=asked.acceleration, rows=asked.rows,
        stabilise=asked.stabilise, redundant=asked.redundant, singular=asked.singular,
        start=asked.start, close=asked.close, hold=asked.hold,
    )  # fmt: skip
    if tolerances is not None:
        check_stabiliser(settings.choice)
    begin = settings.begin
    resumed = record is not None and record.begun
    if record is not None and resumed:
        begin = record.checkpoint()
    grid = make_grid(until, step, asked.save_every, asked.t_eval, begin, tolerances, resumed)
    if record is None:
        check_memory(grid, settings.setup)
    if tolerances is None:
        lookout = look_ahead(settings.setup, settings.method, grid.step, grid.steps, grid.origin)
    else:
        lookout = look_through(settings.setup, grid.until)
        bounds = step_bounds(settings.setup.signals, grid.until)
    stepper = stepper_of(settings, grid.step, grid.until)  # fits what was seen of functions of time
    pace: Pace | None = None
    if tolerances is None:
        ahead, iterates = grid.steps - grid.first, settings.method.implicit
        stepper = quickened(stepper, asked.kernel, grid.step, ahead, iterates)
        check_past(watched, settings)
    elif settings.method.foreign is not None:
        check_foreign(watched, settings)
        pace = ScipyPace(tolerances, settings.method, bounds)
    else:
        pace = TolerancePace(tolerances, settings.method, bounds, asked.glance)
    run = Run(
        stepper, grid, pace, lookout=lookout, record=record,
        watch=Watch(Watcher(watched, stepper), stepper) if watched else None,
        control=make_control(stepper, asked.controller, asked.sample, grid.step),
    )  # fmt: skip
    return Prepared(settings, run, record, begin)


def carry_out(made: Prepared, progress: bool | None, stacklevel: int) -> Result:
    """Take the steps; a run that stops raises, with what it reached."""
    run, record = made.run, made.record
    with record or nullcontext():
        if record is not None:
            record.prepare(header_of(made.settings, run), run)
        if made.begin is not None:
            run.go_on_from(made.begin)
        began = time.perf_counter() - seconds_compiling()
        with ctrl_c(run.interrupt):
            saved = run.states(progress)
        seconds = time.perf_counter() - seconds_compiling() - began
        status, message = ended(run, float(saved.times[-1]))
        logged("run %s at t = %g s, after %.2g s of computing", status, saved.times[-1], seconds)
        result = result_of(made.settings, run, saved, seconds, status, message, stacklevel)
        if record is not None:
            record.finish(result)
    if run.stopped is not None:
        raise SimulationStopped(run.stopped.what, run.stopped.remedy, result=result)
    if run.interrupted:
        raise Interrupted(result)
    return result


def ended(run: Run, t: float) -> tuple[str, str]:
    """Status and message of a run that has ended at t."""
    if run.stopped is not None:
        return "stopped", run.stopped.what
    if run.interrupted:
        return "interrupted", f"interrupted at t = {t:g} s after {run.steps_in_all} steps"
    return "finished", f"reached t = {t:g} s in {run.steps_in_all} steps{run.ending}"


def check_company(
    tolerances: Tolerances | None, events: tuple[Event, ...], asked: RunOptions
) -> None:
    """Refuse what needs equal steps beside tolerances, and a recording of events."""
    if tolerances is None:
        if events and asked.into is not None:
            raise InvalidOption(
                "simulate: events were given with into, but a recording does not keep them.",
                "Leave into out, and save the result: result.save(path).",
            )
        return
    given = {
        "controller": asked.controller is not None,
        "into": asked.into is not None,
        "start=result": isinstance(asked.start, Result),
        "kernel='traced'": asked.kernel == "traced",
    }
    for word, is_given in given.items():
        if is_given:
            raise InvalidOption(
                f"simulate: {word} was given with tolerances, but needs steps of one length.",
                f"Give a step instead, or leave {word.split('=')[0]} out.",
            )


def check_foreign(events: tuple[Event, ...], settings: Settings) -> None:
    """Refuse what SciPy's methods do not do here."""
    if events:
        raise InvalidOption(
            f"simulate: events were given with '{settings.method.name}', which does not look for"
            " them here.",
            "Take one of dopri5, tsit5 and dop853.",
        )
    if settings.choice is not None:
        raise InvalidOption(
            f"simulate: stabilise='{settings.choice.word}' was given with"
            f" '{settings.method.name}', whose steps in a chart know nothing of it.",
            "Leave stabilise out, or take one of dopri5, tsit5 and dop853.",
        )


def check_past(events: tuple[Event, ...], settings: Settings) -> None:
    """Refuse impacts where a method looks at past points."""
    met = [event.name for event in events if event.changes]
    if met and settings.method.past:
        raise InvalidOption(
            f"simulate: impact '{met[0]}' was given with '{settings.method.name}', whose past"
            " points tell nothing of the motion after it.",
            "Take a one-step method (rk4, linearly-implicit) or 'generalized-alpha', which begins"
            " anew.",
        )


def check_memory(grid: Grid, setup: Setup) -> None:
    """Refuse a trajectory that does not fit into memory, before a step is taken."""
    kept = grid.steps // grid.save_every + 2 if grid.t_eval is None else len(grid.t_eval)
    bodies, quadratures = setup.system.body_count, setup.system.quadrature_count
    quadratures += len(coordinate_keys(setup.model))
    size = bytes_kept(bodies, quadratures, kept)
    if size > MEMORY_LIMIT or not is_to_be_had(size):
        every = grid.save_every * max(2, 1 + size // MEMORY_LIMIT)
        fewer = f"save_every={every}" if grid.t_eval is None else "fewer times in t_eval"
        raise InvalidOption(
            f"simulate: {kept} states of {plural(bodies, 'body', 'bodies')} would take"
            f" {size / 2**30:.3g} GiB.",
            f"Keep fewer: {fewer}, say.",
        )


def is_to_be_had(size: int) -> bool:
    """Whether the system would lend so many bytes, which are not touched."""
    try:
        np.empty(size, np.uint8)
    except MemoryError:
        return False
    return True
