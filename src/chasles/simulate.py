"""From a model to a result: options, checks, the run, its provenance."""

import platform
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.dynamics.redundancy import Redundancy
from chasles.dynamics.solver import Solver, joint_of_row, make_solver, watch_of
from chasles.dynamics.watch import Watch
from chasles.integrators.rkmk import make_stages, seconds_compiling
from chasles.integrators.tableaux import Tableau
from chasles.integrators.tableaux import method as find_method
from chasles.interrupts import Interrupted, ctrl_c
from chasles.model import Body, InvalidOption, Joint, Model, SimulationStopped, UnknownName
from chasles.model.errors import told
from chasles.model.model import checked_model
from chasles.result import Result
from chasles.spaces import Space, resolve_spaces
from chasles.spaces.exactness import drifting_joints
from chasles.stabilisation.assembly import Assembly, assemble
from chasles.stabilisation.feedback import Baumgarte
from chasles.stabilisation.stabiliser import (
    PROJECTION,
    Choice,
    chosen_stabiliser,
    make_stabiliser,
)
from chasles.system.build import build
from chasles.system.state import State, checked_state
from chasles.timeloop import Run, make_grid


def simulate(
    model: Model,
    until: float,
    step: float | None = None,
    method: str | Tableau = "rk4",
    spaces: Any = "auto",
    acceleration: str = "screw",
    stabilise: str | Baumgarte | None = None,
    redundant: str = "solve",
    singular: str = "stop",
    save_every: int = 1,
    t_eval: ArrayLike | None = None,
    progress: bool | None = None,
    start: State | None = None,
    close: bool = False,
    hold: Iterable[Body | Joint | str] = (),
) -> Result:
    """Integrate a model from t = 0 to `until` with a Runge-Kutta-Munthe-Kaas method.

    step          length of a step in s; the last one is shortened if it does not divide `until`
    method        "euler", "midpoint", "heun", "kutta3", "rk4", "rk38", "dopri5", "butcher6",
                  "dop853", or a Tableau
    spaces        "auto", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", or a dict
                  body -> Space; see `Space`
    acceleration  form of the acceleration constraints: "screw", or "space" as in the paper
    stabilise     None; "projection": joints that drift in the chosen spaces are closed after every
                  step, the others hold by themselves; "baumgarte": their gaps are fed back into the
                  accelerations, at rates that the step suggests (Baumgarte(alpha, beta) takes
                  others); "ggl": into the velocities with which bodies move, after Gear, Gupta and
                  Leimkuhler; each of these with " of all joints" added
    redundant     joints that repeat each other: "solve" for the shortest reactions and report
                  them (result.redundancy), or "refuse" the model
    singular      what to do at a pose in which joints come to depend on each other: "stop", or
                  "pass" through it on the shortest multipliers, with all joints projected unless
                  another stabiliser is chosen (result.singular_poses)
    save_every    keep every so many steps (the first and last state are always kept)
    t_eval        times at which to keep states instead; each is reached by one shorter step of
                  the same method from the grid, so it is as accurate, and joints hold as well
    progress      show a bar on stderr; by default when the run takes longer than a moment
    start         a State to begin at, at t = 0, instead of the poses and velocities entered; joint
                  frames and coordinates stay those of the poses entered
    close         move the bodies first as little as possible so that the joints close, and make
                  the velocities allowed; result.assembly says what moved (see `assemble`)
    hold          with close: bodies and joints that stay as they are

    Raises a ChaslesError that names the culprit if the input is bad, and SimulationStopped, with
    the partial `result`, if the run cannot go on.  Ctrl-C ends it with a KeyboardInterrupt that
    has the `result` so far, too.
    """
    checked_model(model)
    tableau = find_method(method)
    check_progress(progress)
    grid = make_grid(until, step, save_every, t_eval, len(model.bodies))
    chosen = resolve_spaces(model, spaces)
    check_word("redundant", redundant, ("solve", "refuse"))
    check_word("singular", singular, ("stop", "pass"))
    choice = chosen_stabiliser(stabilise)
    if singular == "pass" and (choice is None or choice.word == PROJECTION):
        choice = Choice(PROJECTION, all_joints=True)  # what holds by itself does not hold there
    assembly = closing(model, close, hold, start)
    setup = build(model, chosen, acceleration, assembly.state if assembly else start)
    solver = make_solver(setup, damp=singular == "pass", refuse=redundant == "refuse")
    system = solver.setup.system
    held = stabilised(model, chosen, choice, solver.redundancy)
    stabiliser = make_stabiliser(setup, choice, held, grid.step)
    watch = watch_of(solver, stop=singular == "stop")
    stages = make_stages(system, tableau.a, tableau.b, solver.start)
    run = Run(solver, stages, tableau.c, stabiliser, watch, grid)
    began = time.perf_counter() - seconds_compiling()
    with ctrl_c(run.interrupt):
        if grid.t_eval is None:
            saved = run.all_states(progress)
        else:
            saved = run.states_at(grid.t_eval, progress)
    seconds = time.perf_counter() - seconds_compiling() - began
    provenance = {
        "spaces": {name: str(space) for name, space in chosen.items()},
        "acceleration": acceleration,
        "stabilise": str(choice or "none"),
        "stabilised": list(held),
        "redundancy": str(solver.redundancy or "none"),
        "singular": singular,
        "singular_poses": singular_poses(solver, watch, grid.step),
        "start": "as entered" if start is None else "a given state",
        "assembly": assembly.as_dict() if assembly else "none",
        **of_the_steps(tableau, run, seconds),
    }
    states = (saved.times, solver, solver.absolute(saved.charts), provenance)
    stopped = run.stopped
    if run.interrupted and stopped is None:
        message = f"interrupted at t = {saved.times[-1]:g} s after {run.steps_done} steps"
        raise Interrupted(Result(*states, "interrupted", message, saved.integrals))
    if stopped is None:
        message = f"reached t = {saved.times[-1]:g} s in {run.steps_done} steps"
        return Result(*states, "finished", message, saved.integrals)
    result = Result(*states, "stopped", stopped.what, saved.integrals)
    raise SimulationStopped(stopped.what, stopped.remedy, result=result)


def check_word(option: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a choice that is none."""
    if value not in known:
        raise UnknownName.among("choice", value, known, where=option)


def check_progress(progress: Any) -> None:
    if progress is not None and not isinstance(progress, bool | np.bool_):
        raise InvalidOption(
            f"simulate: progress is {told(progress)}.", "Give True, False, or leave it out."
        )


def stabilised(
    model: Model,
    spaces: dict[str, Space],
    choice: Choice | None,
    redundancy: Redundancy | None = None,
) -> tuple[str, ...]:
    """The joints and drivers that are stabilised: those that drift, or all.

    In a redundant loop all joints are: a damped factor lets every correction of one joint open the
    others a little, and what is never looked at adds up.
    """
    if choice is None:
        return ()
    chosen = set(model.joint_names if choice.all_joints else drifting_joints(model, spaces))
    chosen.update(() if redundancy is None else redundancy.shared)
    return (*(name for name in model.joint_names if name in chosen), *model.driver_names)


def closing(model: Model, close: Any, hold: Any, start: Any) -> Assembly | None:
    """What is closed before a run."""
    if not isinstance(close, bool | np.bool_):
        raise InvalidOption(f"simulate: close is {told(close)}.", "Give close=True or close=False.")
    if start is not None:
        checked_state(start, "start")
    if close:
        return assemble(model, hold, start)
    if not isinstance(hold, tuple | list) or hold:
        raise InvalidOption(
            f"simulate: hold is {told(hold)}, but nothing moves before a run that does not close"
            " its joints.",
            "Leave it out, or give close=True with it.",
        )
    return None


def singular_poses(solver: Solver, watch: Watch, step: float) -> list[list[float | str]]:
    """[time, joint, direction] of the singular poses that the run passed or reached."""
    events = watch.events[: watch.count[0]]
    return [[float(step * t), *joint_of_row(solver.setup, int(row))] for t, row in events]


def of_the_steps(tableau: Tableau, run: Run, seconds: float) -> dict[str, Any]:
    """What provenance says of the method, the steps, and the versions that made them."""
    return {
        "method": tableau.name or "user's tableau",
        "tableau": {"a": tableau.a.tolist(), "b": tableau.b.tolist(), "c": tableau.c.tolist()},
        "order": tableau.order,
        "step": run.grid.step,
        "steps": run.steps_done,
        "until": run.grid.until,
        "seconds_in_steps": seconds,
        "versions": {
            "chasles": version("chasles"),
            "numpy": np.__version__,
            "numba": version("numba"),
            "python": platform.python_version(),
        },
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
