"""`simulate`: a run with a step, with tolerances, or to an accuracy of the motion."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal

from chasles.accuracy import to_accuracy
from chasles.integrators.tableaux import Tableau
from chasles.model import Body, Joint, Model
from chasles.model.keywords import checked_keywords
from chasles.model.words import ArrayLike
from chasles.one_run import RunOptions, integrate
from chasles.preparation import check_progress, stabilised
from chasles.result import Result
from chasles.stabilisation.baumgarte import Baumgarte
from chasles.system.state import State

__all__ = ["check_progress", "simulate", "stabilised"]


@checked_keywords
def simulate(
    model: Model,
    until: float,
    step: float | None = None,
    *,
    method: str | Tableau | None = None,
    spaces: Any = "auto",
    acceleration: Literal["screw", "space"] = "screw",
    rows: Literal["needed", "all"] = "needed",
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
    tol: float | None = None,
    kernel: Literal["auto", "generic", "traced"] = "auto",
) -> Result:
    """Integrate a model from t = 0 to `until` with a Runge-Kutta-Munthe-Kaas method, or another.

    step          length of a step in s; the last one is shortened if it does not divide `until`
    method        by name: "rk4" if left out ("dop853" with tolerances); for stiff forces
                  "linearly-implicit" or "generalized-alpha", for long times "rattlie4" or "gauss4";
                  `ch.methods()` has all; or a Tableau; or "auto": chosen, see `tol`
    spaces        "auto" (see `designate`); "subgroups": every body moves in the motion subgroup of
                  the joint that carries it, which nothing can open; charts of six dimensions:
                  "framed", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", or a dict
                  body -> Space (see `Space`)
    acceleration  form of the acceleration constraints on charts: "screw", or "space" as in the
                  paper, for which "auto" takes the charts "framed"
    rows          constraint rows of bodies on charts of six dimensions: "needed", or of "all" their
                  joints.  A chart that fits its joint makes the same steps without rows, by the
                  joint's subgroup, to round-off; methods of index 2 and 3, other maps than exp and
                  the space form have rows of all
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
    controller    controller(t, state) -> {"motor": effort, "servo": target}: what is added to the
                  effort of the model, and what replaces its target.  Asked at t = 0 and every
                  `sample` seconds, a whole number of steps (every step, if left out); held
                  in between.  `state` has coordinate(joint), rate(joint), position(body), ...: see
                  `Moment`
    into          a folder to write the states to while running, in pieces that are whole or not
                  there: a run that is killed keeps all but its last second, memory does not grow
                  with the length of the run, and `load` opens the folder
    resume        with into: go on where the run in that folder ended, with the bits of a run that
                  was never interrupted; where there is none, begin one
    rtol, atol    instead of a step: what every step may be wrong by, as a fraction of the size of a
                  body (of its speed), and in m (m/s); 1e-8 and 1e-10 where one is left out.  With
                  "bs3", "dopri5", "tsit5", "dop853" or SciPy's; t_eval is met between the steps
    first_step    the first step to try, and max_step, the longest, with tolerances
    events        functions of (t, state), or Events, whose zeros are looked for: see `Event`;
                  Impacts on ends of joints: see `Impact`; result.events has their times
    tol           instead of a step or of tolerances: how accurate the whole motion is to be, as a
                  fraction of the size of the bodies.  Method and steps are chosen so, implicit
                  ones where forces are stiff, and provenance["global_error"] has the estimate,
                  provenance["choice"] why: see `chasles.accuracy`
    kernel        what takes the steps: "generic", machine code for all models; "traced", made for
                  this one as it runs; "auto", whichever is sooner at the end.  The bits are the
                  same (see `result.provenance["kernel"]`)

    Raises a ChaslesError that names the culprit if the input is bad, and SimulationStopped, with
    the partial `result`, if the run cannot go on.  Ctrl-C ends it with a KeyboardInterrupt that
    has the `result` so far, too.
    """
    asked = RunOptions(
        step=step, method=method, spaces=spaces, acceleration=acceleration, rows=rows,
        stabilise=stabilise, redundant=redundant, singular=singular, save_every=save_every,
        t_eval=t_eval,
        progress=progress, start=start, close=close, hold=hold, controller=controller,
        sample=sample, into=into, resume=resume, rtol=rtol, atol=atol, first_step=first_step,
        max_step=max_step, events=events, kernel=kernel,
    )  # fmt: skip
    if tol is not None or (isinstance(method, str) and method == "auto"):
        return to_accuracy(model, until, tol, asked)
    return integrate(model, until, asked)
