"""From a model to a result: options, checks, the run, its provenance."""

import time
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from chasles.adaptive_loop import AdaptiveRun, look_through
from chasles.core.watch import Watch
from chasles.dynamics.solver import joint_of_row, watch_of
from chasles.events import Event, Watcher, checked_events
from chasles.impacts import Impact, expanded
from chasles.integrators.advance import seconds_compiling
from chasles.integrators.methods import Method, find_method
from chasles.integrators.tableaux import Tableau
from chasles.interrupts import Interrupted, ctrl_c
from chasles.loop import MEMORY_LIMIT, Grid, Run, make_grid
from chasles.model import (
    Body,
    ChaslesWarning,
    InvalidOption,
    Joint,
    Model,
    SimulationStopped,
    UnknownName,
)
from chasles.model.errors import told
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model, plural
from chasles.model.words import ArrayLike
from chasles.problem import Problem, SpaceChoice, bytes_kept, choose_spaces, make_problem
from chasles.promises import broken_promises, checks, make_promises
from chasles.provenance import Provenance, coefficients
from chasles.result import Result
from chasles.spaces.kept import projected_slopes
from chasles.spaces.on_subgroups import check_form, on_subgroups
from chasles.stabilisation.baumgarte import Baumgarte
from chasles.stabilisation.stabiliser import (
    PROJECTION,
    Choice,
    chosen_stabiliser,
    make_stabiliser,
)
from chasles.start.assembly import Assembly, assemble
from chasles.start.by_coordinates import start_state
from chasles.start.redundancy import Redundancy
from chasles.stepper import Stepper, make_stepper
from chasles.system.build import Setup
from chasles.system.coordinates import coordinate_keys
from chasles.system.lookout import Lookout
from chasles.system.state import State, checked_state
from chasles.tolerances import Tolerances, check_stabiliser, make_tolerances
from chasles.tree_stepper import make_tree_stepper


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
    start: State | Mapping[Any, Any] | None = None,
    close: bool = False,
    hold: Iterable[Body | Joint | str] = (),
    rtol: float | None = None,
    atol: float | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    events: Any = (),
) -> Result:
    """Integrate a model from t = 0 to `until` with a Runge-Kutta-Munthe-Kaas method, or another.

    step          length of a step in s; the last one is shortened if it does not divide `until`
    method        "euler", "midpoint", "heun", "kutta3", "rk4", "rk38", "dopri5", "butcher6",
                  "dop853", or a Tableau; `ch.methods()` has all
    spaces        "auto" (see `designate`); "subgroups": every body moves in the motion subgroup of
                  the joint that carries it, which nothing can open; charts of six dimensions:
                  "framed", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", or a dict
                  body -> Space (see `Space`)
    acceleration  form of the acceleration constraints on charts: "screw", or "space" as in the
                  paper
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
                  {"elbow": 0.3, "hip": (0.1, -2.0)} with a rate: see `start_state`
    close         move the bodies first as little as possible so that the joints close, and make
                  the velocities allowed; result.assembly says what moved (see `assemble`)
    hold          with close: bodies and joints that stay as they are
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
    found = find_method(method)
    check_progress(progress)
    tolerances = make_tolerances(found, until, step, rtol, atol, first_step, max_step)
    watched = expanded(checked_events(events, (Impact,)), model)
    grid = make_grid(until, step, save_every, t_eval, tolerances, watched)
    chosen = choose_spaces(model, spaces, acceleration)
    check_word("redundant", redundant, ("solve", "refuse"))
    check_word("singular", singular, ("stop", "pass"))
    choice = chosen_stabiliser(stabilise)
    if tolerances is not None:
        check_stabiliser(choice)
    if on_subgroups(chosen.spaces):
        check_form(acceleration)
    if singular == "pass" and (choice is None or choice.word == PROJECTION):
        choice = Choice(PROJECTION, all_joints=True)  # what holds by itself does not hold there
    start = begun_at(model, start, close)
    assembly = closing(model, close, hold, start)
    problem = make_problem(
        chosen,
        acceleration,
        assembly.state if assembly else start,
        damp=singular == "pass",
        refuse=redundant == "refuse",
    )
    check_memory(grid, problem.setup)
    solver = problem.solver.with_own_scratch()
    held = stabilised(chosen, choice, problem.redundancy)
    loose = opening(chosen, choice, held)
    promises = make_promises(problem.setup, loose, grid.step)
    lookout = look_ahead(problem.setup, found, grid, tolerances)
    stabiliser = make_stabiliser(problem.setup, choice, held, grid.step)
    if on_subgroups(chosen.spaces):
        stepper: Stepper = make_tree_stepper(
            solver, found, stabiliser, promises, grid.until, damp=problem.damp
        )
    else:
        watch = watch_of(solver, stop=singular == "stop")
        stepper = make_stepper(solver, found, stabiliser, watch, promises, grid.until)
    run = make_run(stepper, grid, lookout, tolerances, found, watched)
    began = time.perf_counter() - seconds_compiling()
    with ctrl_c(run.interrupt):
        if grid.t_eval is None:
            saved = run.all_states(progress)
        else:
            saved = run.states_at(grid.t_eval, progress)
    seconds = time.perf_counter() - seconds_compiling() - began
    run.look()  # also where a run stopped, or ended between two looks
    suspicious = broken_promises(run.stepper, run.block, run.typical_step)
    suspicious += problem.setup.signals.notes()
    begun = {
        "start": "as entered" if start is None else "a given state",
        "warnings": tuple(suspicious),
        **checks(run.stepper, run.block),
        "assembly": assembly.as_dict() if assembly else "none",
        "others": run.told(),
    }
    provenance = provenance_of(problem, run, found, choice, held, seconds, **begun)
    states, kept = (saved.times, saved.absolute, saved.integrals), saved.coordinates
    stopped = run.stopped
    for text in suspicious:
        warnings.warn(text, ChaslesWarning, stacklevel=3)  # past the check of keywords
    if run.interrupted and stopped is None:
        message = f"interrupted at t = {saved.times[-1]:g} s after {run.steps_done} steps"
        raise Interrupted(Result(problem, *states, provenance, "interrupted", message, kept))
    if stopped is None:
        message = f"reached t = {saved.times[-1]:g} s in {run.steps_done} steps{run.ending}"
        return Result(problem, *states, provenance, "finished", message, kept)
    result = Result(problem, *states, provenance, "stopped", stopped.what, kept)
    raise SimulationStopped(stopped.what, stopped.remedy, result=result)


def provenance_of(
    problem: Problem,
    run: Run,
    method: Method,
    choice: Choice | None,
    held: tuple[str, ...],
    seconds: float,
    **begun: Any,
) -> Provenance:
    """How a result was made; `begun` says where it began, and what was suspect."""
    return Provenance(
        acceleration=problem.setup.acceleration,
        method=method.name,
        step=run.typical_step,
        spaces=problem.choice.words,
        solver="recursion" if on_subgroups(problem.spaces) else "blocks",
        stabilise=str(choice or "none"),
        stabilised=held,
        redundancy=str(problem.redundancy or "none"),
        singular="pass" if problem.damp else "stop",
        singular_poses=singular_poses(problem.setup, run.stepper.mechanism.watch),
        tableau={} if method.tableau is None else coefficients(method.tableau),
        order=method.order,
        steps=run.steps_done,
        until=run.grid.until,
        seconds_in_steps=seconds,
        **begun,
    )


def make_run(
    stepper: Stepper, grid: Grid, lookout: Lookout | None, tolerances: Tolerances | None,
    method: Method, events: tuple[Event, ...],
) -> Run:  # fmt: skip
    """A run of equal steps, or one that chooses them."""
    if tolerances is None:
        return Run(stepper, grid, lookout)
    watcher = Watcher(events, stepper) if events else None
    return AdaptiveRun(stepper, grid, tolerances, method, lookout, watcher)


def look_ahead(
    setup: Setup, method: Method, grid: Grid, tolerances: Tolerances | None = None
) -> Lookout | None:
    """Looks through the functions of time at the stages of a run, if the model has any."""
    if not setup.signals.samplers:
        return None
    if tolerances is not None:
        return look_through(setup, grid.until)
    nodes = np.zeros(1) if method.tableau is None else method.tableau.c
    return Lookout(setup.signals, grid.step, nodes, grid.steps)


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


def check_word(option: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a word that is not one of those known."""
    if not isinstance(value, str) or value not in known:
        raise UnknownName.among("choice", value, known, where=option)


def check_progress(progress: Any, where: str = "simulate") -> None:
    if progress is not None and not isinstance(progress, bool | np.bool_):
        raise InvalidOption(
            f"{where}: progress must be True or False, got {told(progress)}.",
            "Give True, False, or leave it out.",
        )


def stabilised(
    spaces: SpaceChoice, choice: Choice | None, redundancy: Redundancy | None = None
) -> tuple[str, ...]:
    """The joints and drivers that are stabilised: those that drift, or all.

    In a redundant loop all joints are that no projector of slopes keeps: a damped factor lets every
    correction of one joint open the others a little, and what is never looked at adds up.  Those of
    SE(3) are projected all the same: they open by ulps, and the loop would not close without them.
    """
    if choice is None:
        return ()
    model = spaces.model
    chosen = set(model.joint_names if choice.all_joints else spaces.drifting)
    if redundancy is not None:
        groups = ("SO3xR3",) if choice.word == PROJECTION else ("SO3xR3", "SE3")
        kept = projected_slopes(model, spaces.spaces, groups)
        chosen.update(name for name in redundancy.shared if name not in kept)
    return (*(name for name in model.joint_names if name in chosen), *model.driver_names)


def opening(spaces: SpaceChoice, choice: Choice | None, held: tuple[str, ...]) -> tuple[str, ...]:
    """The joints that open with the error of the method: feedback leaves a gap, projection none."""
    if choice is None:
        return spaces.drifting
    if choice.word == PROJECTION:
        return () if choice.all_joints else spaces.drifting
    return (*spaces.drifting, *held)


def begun_at(model: Model, start: Any, close: Any) -> State | None:
    """Where to begin; None: as entered."""
    if isinstance(start, Mapping):
        return start_state(model, start, close=close is True)
    return None if start is None else checked_state(start, "start")


def closing(model: Model, close: Any, hold: Any, start: Any) -> Assembly | None:
    """What is closed before a run."""
    if not isinstance(close, bool | np.bool_):
        raise InvalidOption(
            f"simulate: close must be True or False, got {told(close)}.",
            "Give close=True or close=False.",
        )
    if close:
        return assemble(model, hold, start)
    if not isinstance(hold, tuple | list) or hold:
        raise InvalidOption(
            f"simulate: hold must be left out unless joints are closed before the run, got"
            f" {told(hold)}.",
            "Leave it out, or give close=True with it.",
        )
    return None


def singular_poses(setup: Setup, watch: Watch) -> tuple[tuple[float, str, str], ...]:
    """(time, joint, direction) of the singular poses that the run passed or reached."""
    events = watch.events[: watch.count[0]]
    return tuple((float(t), *joint_of_row(setup, int(row))) for t, row in events)
