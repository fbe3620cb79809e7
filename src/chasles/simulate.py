"""From a model to a result: options, the run, and how it ended."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from os import PathLike
from typing import Any, Literal

import numpy as np

from chasles.adaptive_loop import AdaptiveRun, look_through
from chasles.events import Event, Watcher, checked_events
from chasles.impacts import Impact, expanded
from chasles.integrators.advance import seconds_compiling
from chasles.integrators.methods import find_method
from chasles.integrators.tableaux import Tableau
from chasles.interrupts import Interrupted, ctrl_c
from chasles.loop import MEMORY_LIMIT, Grid, Run, make_grid
from chasles.model import Body, InvalidOption, Joint, Model, SimulationStopped
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model, plural
from chasles.model.words import ArrayLike
from chasles.preparation import (
    check_progress,
    header_of,
    look_ahead,
    make_control,
    make_settings,
    result_of,
    stabilised,
    stepper_of,
)
from chasles.problem import bytes_kept
from chasles.recording import open_recording
from chasles.result import Result
from chasles.spaces.on_subgroups import on_subgroups
from chasles.stabilisation.baumgarte import Baumgarte
from chasles.system.build import Setup
from chasles.system.coordinates import coordinate_keys
from chasles.system.state import State
from chasles.tolerances import Tolerances, check_stabiliser, make_tolerances

__all__ = ["check_progress", "simulate", "stabilised"]


@checked_keywords
def simulate(
    model: Model,
    until: float,
    step: float | None = None,
    *,
    method: str | Tableau = "rk4",
    spaces: Any = "auto",
    acceleration: Literal["screw", "space"] = "screw",
    stabilise: str | Baumgarte | None = None,
    redundant: Literal["solve", "refuse"] = "solve",
    singular: Literal["stop", "pass"] = "stop",
    save_every: int = 1,
    t_eval: ArrayLike | None = None,
    progress: bool | None = None,
    start: State | Result | Mapping[Any, Any] | None = None,
    close: bool = False,
    hold: Iterable[Body | Joint | str] = (),
    controller: Callable[..., Any] | None = None,
    sample: float | None = None,
    into: str | PathLike[str] | None = None,
    resume: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    events: Any = (),
) -> Result:
    """Integrate a model from t = 0 to `until` with a Runge-Kutta-Munthe-Kaas method, or another.

    step          length of a step in s; the last one is shortened if it does not divide `until`
    method        "euler", "midpoint", "heun", "kutta3", "rk4", "rk38", "dopri5", "butcher6",
                  "dop853", or a Tableau; for stiff forces "generalized-alpha" or "bliedf2";
                  `ch.methods()` has all
    spaces        "auto" (see `designate`); "subgroups": every body moves in the motion subgroup of
                  the joint that carries it, which nothing can open; charts of six dimensions:
                  "framed", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", or a dict
                  body -> Space (see `Space`)
    acceleration  form of the acceleration constraints on charts: "screw", or "space" as in the
                  paper, for which "auto" takes the charts "framed"; subgroups have the screw form
    stabilise     None; "projection": joints that drift in the chosen spaces are closed after every
                  step, the others hold by themselves; "baumgarte": their gaps are fed back into the
                  accelerations, at rates that the step suggests (Baumgarte(alpha, beta) takes
                  others); "ggl": into the velocities with which bodies move, after Gear, Gupta and
                  Leimkuhler; each of these with " of all joints" added
    redundant     redundant joints, which repeat each other: "solve" for the minimum-norm reactions
                  and report them (result.redundancy), or "refuse" the model
    singular      what to do at a pose in which joints come to depend on each other: "stop", or
                  "pass" through it on the minimum-norm multipliers, with all joints projected
                  unless another stabiliser is chosen (result.singular_poses)
    save_every    keep every so many steps (the first and last state are always kept)
    t_eval        times at which to keep states instead; each is reached by one shorter step of
                  the same method from the grid, so it is as accurate, and joints hold as well
    progress      show a bar on stderr; by default when the run takes longer than a moment
    start         a State to begin at, at t = 0, instead of the poses and velocities entered; joint
                  frames and coordinates stay those of the poses entered.  Or joint coordinates,
                  {"elbow": 0.3, "hip": (0.1, -2.0)} with a rate: see `start_state`.  Or a Result,
                  whose run goes on in time from its last whole step, with the bits of a run that
                  never ended; `until` counts from t = 0 as before
    close         move the bodies first as little as possible so that the joints close, and make
                  the velocities allowed; result.assembly says what moved (see `assemble`)
    hold          with close: bodies and joints that stay as they are
    controller    controller(t, state) -> {"motor": effort, "servo": target}, which are added
                  to the effort and target of the model: asked at t = 0 and every `sample` seconds,
                  which is a whole number of steps (every step, if left out); what it says is held
                  in between.  `state` has coordinate(joint), rate(joint), position(body), ...: see
                  `Moment`
    into          a folder to write the states to while running, in pieces that are whole or not
                  there: a run that is killed keeps all but its last second, memory does not grow
                  with the length of the run, and `load` opens the folder
    resume        with into: go on where the run in that folder ended, with the bits of a run that
                  was never interrupted; where there is none, begin one
    rtol, atol    instead of a step: what every step may be wrong by, as a fraction of the size of a
                  body (of its speed), and in m (m/s); 1e-8 and 1e-10 where one is left out.  With
                  "bs3", "dopri5", "tsit5" or "dop853"; t_eval is then met between the steps
    first_step    the first step to try, and max_step, the longest, with tolerances
    events        functions of (t, state), or Events, whose zeros are looked for: see `Event`;
                  Impacts on ends of joints: see `Impact`; result.events has their times.  With
                  tolerances

    Raises a ChaslesError that names the culprit if the input is bad, and SimulationStopped, with
    the partial `result`, if the run cannot go on.  Ctrl-C ends it with a KeyboardInterrupt that
    has the `result` so far, too.
    """
    checked_model(model)
    check_progress(progress)
    tolerances = make_tolerances(find_method(method), until, step, rtol, atol, first_step, max_step)
    watched = expanded(checked_events(events, (Impact,)), model)
    check_company(tolerances, watched, controller, into, start)
    record = open_recording(into, resume, t_eval)
    if not isinstance(start, Result):  # refused before anything is made
        make_grid(until, step, save_every, t_eval, None, tolerances)
    settings = make_settings(
        model, method=method, spaces=spaces, acceleration=acceleration, stabilise=stabilise,
        redundant=redundant, singular=singular, start=start, close=close, hold=hold,
    )  # fmt: skip
    if tolerances is not None:
        check_stabiliser(settings.choice)
    begin = settings.begin
    if record is not None and record.begun:
        begin = record.checkpoint()
    grid = make_grid(until, step, save_every, t_eval, begin, tolerances)
    if record is None:
        check_memory(grid, settings.setup)
    if tolerances is None:
        lookout = look_ahead(settings.setup, settings.method, grid.step, grid.steps, grid.origin)
    else:
        lookout = look_through(settings.setup, grid.until)
    stepper = stepper_of(settings, grid.step, grid.until)  # fits what was seen of functions of time
    if tolerances is None:
        control = make_control(stepper, controller, sample, grid.step)
        run = Run(stepper, grid, lookout, control, record=record)
    else:
        watcher = Watcher(watched, stepper) if watched else None
        run = AdaptiveRun(stepper, grid, tolerances, settings.method, lookout, watcher)
    with record or nullcontext():
        if record is not None:
            record.prepare(header_of(settings, run), run)
        if begin is not None:
            run.go_on_from(begin)
        began = time.perf_counter() - seconds_compiling()
        with ctrl_c(run.interrupt):
            if grid.t_eval is None:
                saved = run.all_states(progress)
            else:
                saved = run.states_at(grid.t_eval, progress)
        seconds = time.perf_counter() - seconds_compiling() - began
        status, message = ended(run, float(saved.times[-1]))
        result = result_of(settings, run, saved, seconds, status, message)
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
    tolerances: Tolerances | None, events: tuple[Event, ...], controller: Any, into: Any, start: Any
) -> None:
    """Refuse what needs equal steps beside tolerances, and events without these."""
    if tolerances is None:
        if events:
            raise InvalidOption(
                "simulate: events were given without tolerances.",
                "Give tolerances instead of the step: rtol=1e-8 with method='dopri5'.",
            )
        return
    asked = {"controller": controller is not None, "into": into is not None}
    asked["start=result"] = isinstance(start, Result)
    for word, given in asked.items():
        if given:
            raise InvalidOption(
                f"simulate: {word} was given with tolerances, but needs steps of one length.",
                f"Give a step instead, or leave {word} out.",
            )


def check_memory(grid: Grid, setup: Setup) -> None:
    """Refuse a trajectory that does not fit into memory, before a step is taken."""
    kept = grid.steps // grid.save_every + 2 if grid.t_eval is None else len(grid.t_eval)
    bodies, quadratures = setup.system.body_count, setup.system.quadrature_count
    if on_subgroups(setup.spaces):  # elsewhere angles are among the integrals
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
