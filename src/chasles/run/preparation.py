"""From a model and options to a stepper: what a run and a stepwise Simulation share."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.build.problem import Problem, SpaceChoice, choose_spaces, make_problem
from chasles.build.start.assembly import Assembly, assemble
from chasles.build.start.by_coordinates import begun_by_coordinates
from chasles.build.start.redundancy import Redundancy, joint_of_row
from chasles.build.system.build import Setup
from chasles.build.system.signal_scan import SignalScan
from chasles.build.system.signals import Inputs
from chasles.build.system.state import State, checked_state
from chasles.build.system.step_bounds import UNBOUNDED, StepBounds
from chasles.core.rank_monitor import RankMonitor
from chasles.core.recursion.tree import EXP
from chasles.integrators.methods import Method, find_method
from chasles.integrators.stabilisation import (
    PROJECTION,
    Choice,
    chosen_stabiliser,
    make_stabiliser,
)
from chasles.model import ChaslesWarning, InvalidOption, UnknownName
from chasles.model.checks import check_flag
from chasles.model.errors import short_repr
from chasles.model.model import checked_model
from chasles.model.plain import check_kinds
from chasles.result.dataset import attributes_of, text_of
from chasles.result.provenance import Checkpoint, Provenance, coefficients
from chasles.result.result import Result
from chasles.run.checks import checks, make_accuracy_limits, suspicions
from chasles.run.control import Control, checked_controller, steps_between
from chasles.run.events import Event
from chasles.run.impacts import EventWatch
from chasles.run.loop import Ended, Run
from chasles.run.options import ByHand, Options, is_auto, method_of
from chasles.run.output import Saved
from chasles.run.pace import Pace
from chasles.run.recording import Recording
from chasles.run.scipy_pace import ScipyPace
from chasles.run.stepper import Stepper, make_stepper
from chasles.run.time_grid import Grid, Tolerances
from chasles.run.tolerance_pace import StiffnessProbe, TolerancePace
from chasles.spaces.on_subgroups import subgroup_tree

#: Samples at the most of a run that chooses its steps: at a microsecond each, days.
MOST_SAMPLES = 1e11


@dataclass(frozen=True, eq=False)
class Settings:
    """Checked options of a run that do not depend on how long it is, and what follows from them."""

    problem: Problem
    method: Method
    choice: Choice | None  # of a stabiliser
    held: tuple[str, ...]  # the joints that it holds
    start: str  # where the run begins, in words
    assembly: Assembly | None
    begin: Checkpoint | None  # of the run that goes on

    @property
    def setup(self) -> Setup:
        return self.problem.setup


def make_settings(options: Options | ByHand) -> Settings:
    """Check options, choose spaces, place the bodies, and make the arrays."""
    if isinstance(options.hold, Iterator):  # which can be read but once
        options = replace(options, hold=tuple(options.hold))
    model, spaces, acceleration = options.model, options.spaces, options.acceleration
    start, singular, rows = options.start, options.singular, options.rows
    checked_model(model)
    found = find_method(method_of(options))
    spaces = found.spaces if is_auto(spaces) else spaces
    chosen = choose_spaces(model, spaces, acceleration)
    UnknownName.check("choice", options.redundant, ("solve", "refuse"), "redundant")
    UnknownName.check("choice", singular, ("stop", "pass"), "singular")
    UnknownName.check("choice", rows, ("needed", "all"), "rows")
    choice = chosen_stabiliser(options.stabilise)
    check_implicit(found, choice, singular)
    if singular == "pass" and (choice is None or choice.word == PROJECTION):
        choice = Choice(PROJECTION, all_joints=True)  # what holds by itself does not hold there
    damp, refuse = singular == "pass", options.redundant == "refuse"
    # Other maps, multipliers of a method's own and the space form are about rows.
    is_screw = isinstance(acceleration, str) and acceleration == "screw"
    fit = found.map == EXP and not found.index and is_screw and rows == "needed"
    if isinstance(start, Result):
        closing(options, None)
        problem = problem_of(start, chosen, acceleration, damp, fit)
        words, assembly, begin = "where another run ended", None, start.checkpoint
    else:
        given, entered = begun_at(options)
        assembly = closing(options, given, entered)
        place = assembly.state if assembly else given
        problem = make_problem(chosen, acceleration, place, damp, refuse, fit)
        words, begin = "as entered" if start is None else "a given state", None
    held = stabilised(chosen, choice, problem.redundancy, fit)
    return Settings(problem, found, choice, held, words, assembly, begin)


def problem_of(
    result: Result, chosen: SpaceChoice, acceleration: str, damp: bool, fit: bool
) -> Problem:
    """The problem of a result whose run goes on; what does not fit together is refused."""
    remedy = "Begin at its last state instead: start=result.state(), which begins at t = 0."
    old = result.problem
    if result.checkpoint is None:
        raise InvalidOption("start: the result does not hold what it takes to go on.", remedy)
    if old.model != chosen.model:
        raise InvalidOption("start: the result is one of another model.", remedy)
    same_form = old.setup.acceleration == acceleration and old.setup.fit == fit
    if old.spaces != chosen.spaces or not same_form or old.damp != damp:
        raise InvalidOption(
            "start: the result was made in other spaces, with other rows, with another form of the"
            " accelerations, or with another choice for singular poses.",
            "Give the method=, spaces=, rows=, acceleration= and singular= of its run. " + remedy,
        )
    inputs = old.setup.signals.given
    return old if inputs is None else with_inputs(old, None)


def with_inputs(problem: Problem, inputs: Inputs | None) -> Problem:
    """The same problem, whose readings know what inputs were held."""
    setup = problem.setup
    return replace(problem, setup=replace(setup, signals=replace(setup.signals, given=inputs)))


def stepper_of(settings: Settings, step: float, until: float) -> Stepper:
    """What steps of this length are taken with; functions of time are fitted up to `until`."""
    problem, chosen = settings.problem, settings.problem.choice
    solver = problem.solver.with_own_workspace()
    loose = opening(chosen, settings.choice, settings.held)
    accuracy = make_accuracy_limits(problem.setup, loose, step)
    stabiliser = make_stabiliser(problem.setup, settings.choice, settings.held, step)
    return make_stepper(solver, settings.method, stabiliser, accuracy, until, damp=problem.damp)


def scan_signals(
    setup: Setup, method: Method | None, step: float, steps: int, origin: float = 0.0
) -> SignalScan | None:
    """Checks functions of time at the stages of a run, if the model has any; without a method at
    the times of the steps alone.
    """
    if not setup.signals.samplers:
        return None
    nodes = np.zeros(1)
    if method is not None:
        nodes = np.array(method.nodes) if method.tableau is None else method.tableau.c
    return SignalScan(setup.signals, step, nodes, steps, origin)


def make_control(
    stepper: Stepper, controller: Any, sample: Any, grid: Grid, tolerances: Tolerances | None
) -> Control:
    """Who gives the inputs: steps of one length are counted, others end at the samples."""
    names = tuple(stepper.solver.setup.signals.inputs)
    period = checked_controller(controller, sample, names)
    if tolerances is None:
        return Control(stepper, controller, steps_between(period, grid.step) if period else 1)
    if controller is not None and period is None:
        raise InvalidOption(
            "simulate: a controller was given with tolerances, but no sample time.",
            "Give sample=0.01 (s), say: steps end where the controller is asked. Or give a step.",
        )
    if period is not None and grid.until < np.inf and not grid.until / period < MOST_SAMPLES:
        raise InvalidOption(
            f"simulate: sample is {period:g} s, which makes {grid.until / period:.1g} samples to"
            f" {grid.until:g} s.",
            f"Take a sample time longer than {grid.until / MOST_SAMPLES:.1g} s.",
        )
    return Control(stepper, controller, period=period)


def ended(run: Run, t: float) -> tuple[str, str]:
    """Status and message of a run that has ended at t."""
    if run.stopped is not None:
        return "stopped", run.stopped.what
    if run.interrupted:
        return "interrupted", f"interrupted at t = {t:g} s after {run.steps_in_all} steps"
    ending = run.pace.ending + run.ending
    return "finished", f"reached t = {t:g} s in {run.steps_in_all} steps{ending}"


def make_run(
    settings: Settings, grid: Grid, stepper: Stepper, tolerances: Tolerances | None,
    events: tuple[Event, ...], *, bounds: StepBounds = UNBOUNDED,
    probe: StiffnessProbe | None = None, scan: SignalScan | None = None,
    control: Control | None = None, record: Recording | None = None,
) -> Run:  # fmt: skip
    """The loop over time, with its pace, events and output."""
    pace: Pace | None = None
    if tolerances is not None and settings.method.foreign is not None:
        check_foreign(settings, record)
        pace = ScipyPace(tolerances, settings.method, bounds)
    elif tolerances is not None:
        pace = TolerancePace(tolerances, settings.method, bounds, probe)
    watch = EventWatch(events, stepper) if events else None
    return Run(stepper, grid, pace, watch=watch, scan=scan, control=control, record=record)


def check_kernel(tolerances: Tolerances | None, options: Options) -> None:
    """Refuse recorded steps beside tolerances: these have a kernel of their own."""
    if tolerances is not None and options.kernel == "traced":
        raise InvalidOption(
            "simulate: kernel='traced' was given with tolerances, but a step that was recorded has"
            " one length.",
            "Give a step instead, or leave kernel out.",
        )


def check_foreign(settings: Settings, record: Recording | None) -> None:
    """Refuse what SciPy's methods do not do here."""
    if record is not None:
        raise InvalidOption(
            f"simulate: into was given with '{settings.method.name}', which keeps past points and"
            " matrices of its own that no file can hold: a run that was cut off could not go on.",
            "Take one of dopri5, tsit5 and dop853, or save the result: result.save(path).",
        )
    if settings.choice is not None:
        raise InvalidOption(
            f"simulate: stabilise='{settings.choice.word}' was given with"
            f" '{settings.method.name}', whose steps in a chart know nothing of it.",
            "Leave stabilise out, or take one of dopri5, tsit5 and dop853.",
        )


def result_of(
    settings: Settings, run: Run, saved: Saved, seconds: float, stacklevel: int
) -> Result:
    """The result of a run that has ended.  Warnings of what is suspect about it point at the caller
    so many calls up.
    """
    pace, record = run.pace, run.output.record
    block, counted = pace.present().copy(), pace.counted()  # what is tried below is not the run's
    pace.monitor(block)  # also where a run stopped, or ended between two looks
    suspicious = suspicions(Ended(run, settings.method, block, saved))
    begun = {
        "start": settings.start,
        "warnings": suspicious,
        **checks(run.stepper, block),
        "assembly": settings.assembly.as_dict() if settings.assembly else "none",
        "others": run.details(),
        **counted,
    }
    problem = settings.problem
    inputs = run.control.inputs() if record is None else record.inputs()
    for text in suspicious:
        warnings.warn(text, ChaslesWarning, stacklevel=stacklevel)
    return Result(
        problem if inputs is None else with_inputs(problem, inputs),
        saved.times, saved.absolute, saved.integrals,
        provenance_of(settings, run, seconds, **begun), *ended(run, float(saved.times[-1])),
        saved.coordinates, None if run.is_over else run.checkpoint(), saved.multipliers,
    )  # fmt: skip


def header_of(settings: Settings, run: Run) -> dict[str, Any]:
    """The header of a recording as plain data.  A model with functions of the user is not stored:
    a digest identifies the one that is given when the recording is opened.
    """
    problem, start = settings.problem, settings.setup.start
    steps = run.pace.header()
    chosen = {name: steps[name] for name in steps if name != "step"}
    provenance = provenance_of(settings, run, 0.0, start=settings.start, others=chosen)
    check_kinds(problem.model)
    return {
        "method": settings.method.name,
        **steps,
        "save_every": run.grid.save_every,
        "stabilise": str(settings.choice or "none"),
        "singular": "pass" if problem.damp else "stop",
        "acceleration": settings.setup.acceleration,
        "sample": run.control.sample,
        **({} if run.watch is None else {"events": [*run.watch.found]}),
        **({} if run.grid.t_eval is None else {"t_eval": run.grid.t_eval.tolist()}),
        "start": None if start is None else [[float(x).hex() for x in row] for row in start],
        **attributes_of(problem, provenance, text_of(problem.model)),
    }


def provenance_of(settings: Settings, run: Run, seconds: float, **begun: Any) -> Provenance:
    """How a result was made; `begun` says where it began, and what was suspect."""
    problem, method, choice = settings.problem, settings.method, settings.choice
    return Provenance(
        acceleration=problem.setup.acceleration,
        method=method.name,
        step=run.pace.typical_step,
        spaces=problem.choice.words,
        rows="needed" if problem.setup.fit else "all",
        kernel=run.stepper.kernel,
        stabilise=str(choice or "none"),
        stabilised=settings.held,
        redundancy=str(problem.redundancy or "none"),
        singular="pass" if problem.damp else "stop",
        singular_poses=singular_poses(problem.setup, run.stepper.mechanism.monitor),
        tableau={} if method.tableau is None else coefficients(method.tableau),
        order=method.order,
        steps=run.steps_in_all,
        until=run.grid.until,
        seconds_in_steps=seconds,
        **begun,
    )


def check_implicit(method: Method, choice: Choice | None, singular: str) -> None:
    """Refuse what does not go with a method that closes the joints itself."""
    if not method.index:
        return
    what = f"simulate: '{method.name}' closes the joints itself (index {method.index})"
    if choice is not None:
        raise InvalidOption(
            f"{what}, and takes no stabiliser, got stabilise={choice}.",
            "Leave stabilise out, or take a method that follows from accelerations: rk4, say.",
        )
    if singular == "pass":
        raise InvalidOption(
            f"{what}, which has no solution at a singular pose: singular='pass' does not go with"
            " it.",
            "Leave singular out, or take a method that follows from accelerations: rk4, say.",
        )


def check_progress(progress: Any, where: str = "simulate") -> None:
    if progress is not None:
        check_flag(progress, "progress", where, InvalidOption)


def stabilised(
    spaces: SpaceChoice, choice: Choice | None, redundancy: Redundancy | None = None,
    fit: bool = True,
) -> tuple[str, ...]:  # fmt: skip
    """The joints and drivers that are stabilised: those that drift, or all.  Also those with rows
    in redundant loops: corrections with a damped factor open them a little, which adds up.
    """
    if choice is None:
        return ()
    model = spaces.model
    chosen = set(model.joint_names if choice.all_joints else spaces.drifting)
    if redundancy is not None:
        cut = subgroup_tree(model, spaces.spaces, fit).cut
        chosen.update(name for name in redundancy.shared if name in cut)
    return (*(name for name in model.joint_names if name in chosen), *model.driver_names)


def opening(spaces: SpaceChoice, choice: Choice | None, held: tuple[str, ...]) -> tuple[str, ...]:
    """The joints that open with the error of the method: feedback leaves a gap, projection none."""
    if choice is None:
        return spaces.drifting
    if choice.word == PROJECTION:
        return () if choice.all_joints else spaces.drifting
    return (*spaces.drifting, *held)


def begun_at(options: Options | ByHand) -> tuple[State | None, Assembly | None]:
    """Where to begin (None: as entered), and how joints were closed before coordinates moved."""
    start = options.start
    if isinstance(start, Mapping):
        close = options.close is True
        return begun_by_coordinates(options.model, start, close, options.hold)
    others = ", a Result, or a dict of joint coordinates such as {'elbow': 0.3}"
    return None if start is None else checked_state(start, "start", others), None


def closing(
    options: Options | ByHand, start: Any, entered: Assembly | None = None
) -> Assembly | None:
    """What is closed before a run; `entered` says what was, before coordinates moved."""
    close, hold = options.close, options.hold
    check_flag(close, "close", "simulate", InvalidOption)
    if close:
        found = assemble(options.model, hold, start)
        return replace(found, before=entered.before, moved=entered.moved) if entered else found
    if not isinstance(hold, tuple | list) or hold:
        raise InvalidOption(
            f"simulate: hold must be left out unless joints are closed before the run, got"
            f" {short_repr(hold)}.",
            "Leave it out, or give close=True with it.",
        )
    return None


def singular_poses(setup: Setup, monitor: RankMonitor) -> tuple[tuple[float, str, str], ...]:
    """(time, joint, direction) of the singular poses that the run passed or reached."""
    events = monitor.events[: monitor.count[0]]
    return tuple((float(t), *joint_of_row(setup, int(row))) for t, row in events)
