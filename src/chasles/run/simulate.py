"""`simulate`: a run with a step, with tolerances, or to an accuracy of the motion."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal

from chasles.integrators.tableaux import Tableau
from chasles.model import Body, Joint, Model
from chasles.model.keywords import checked_keywords
from chasles.model.words import ArrayLike, Stabiliser
from chasles.result.result import Result
from chasles.run.accuracy import to_accuracy
from chasles.run.one_run import RunOptions, integrate
from chasles.run.preparation import check_progress, stabilised
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
    stabilise: Stabiliser | Baumgarte | None = None,
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
    """Simulate a model from t = 0 to `until`.

    Parameters
    ----------
    model
        The model.
    until
        End time, s.
    step
        Length of a step, s. The last step is shorter if it does not divide `until`.
    method
        Name of the method. Default: "rk4", or "dop853" with tolerances. For stiff forces
        "linearly-implicit" or "generalized-alpha", for long times "rattlie4" or "gauss4".
        `ch.methods()` lists all. Or a Tableau; or "auto": see `tol`.
    spaces
        Configuration spaces. "auto" (default): see `designate`. "subgroups": every body in the
        motion subgroup of its parent joint. Six-dimensional spaces (charts): "framed", "SE3",
        "SO3xR3", "SE3 relative", "SO3xR3 on joints". Or a dict body -> Space.
    acceleration
        Form of the acceleration constraints in six-dimensional spaces: "screw", or "space" as
        in the paper ("auto" then means "framed").
    rows
        Constraint rows of bodies in six-dimensional spaces: "needed", or of "all" their joints.
        A space that fits its joint makes the same steps without rows, in the motion subgroup of
        the joint, to round-off. Methods of index 2 and 3, maps other than exp and the space form
        always have all rows.
    stabilise
        Against drift of joints. None; "projection": drifting joints are closed after every
        step; "baumgarte": violations are fed back into the accelerations, with rates from the
        step (Baumgarte(alpha, beta) sets others); "ggl": into the velocities (Gear, Gupta,
        Leimkuhler). With " of all joints" added, all joints are treated.
    redundant
        Redundant constraints: "solve" for the minimum-norm reactions and report them
        (result.redundancy), or "refuse".
    singular
        Singular configurations: "stop", or "pass" with minimum-norm multipliers and all joints
        projected, unless another stabiliser is chosen (result.singular_poses).
    save_every
        Save every n-th step. The first and last states are always saved.
    t_eval
        Times at which to save states instead, s. Each is reached by one shorter step of the
        same method.
    progress
        Whether to show a progress bar on stderr. Default: if the run takes longer than a
        moment.
    start
        Start instead of the poses and velocities entered: a State (time starts at 0); joint
        coordinates {"elbow": 0.3, "hip": (0.1, -2.0)}, alone or with rates (see `start_state`);
        or a Result, whose run continues from its last full step (`until` still counts from t =
        0).
    close
        Whether to move the bodies as little as possible so that all joints close, and to make
        the velocities consistent. result.assembly reports what moved (see `assemble`).
    hold
        With `close`: bodies and joints that must not move.
    controller
        controller(t, state) -> {"motor": effort, "servo": target}. Efforts are added to those
        of the model, targets replace them. `state` has coordinate(joint), rate(joint),
        position(body), ...
    sample
        Sample time of the controller, s, a whole number of steps. Inputs are held in between.
        Every step if left out.
    into
        Folder to record the run while it runs. The recording survives a crash, and memory does
        not grow with the length of the run. `load` opens the folder.
    resume
        With `into`: continue the run in the folder, or start it if there is none.
    rtol
        Local error tolerance per step, relative to body size (to its speed, for velocities),
        instead of a step. 1e-8 if only `atol` is given. For "bs3", "dopri5", "tsit5", "dop853"
        and SciPy's methods.
    atol
        Absolute local error tolerance, m (m/s). 1e-10 if only `rtol` is given.
    first_step
        With tolerances: first step to try, s.
    max_step
        With tolerances: longest step, s.
    events
        Functions of (t, state), or Events, whose zeros are found: see `Event`. Impacts at ends
        of joints: see `Impact`. result.events has the times.
    tol
        Target for the global error of all poses, relative to body size, instead of a step or
        tolerances. Method and steps are chosen for it, implicit ones where forces are stiff.
        provenance["global_error"] is the estimate, provenance["choice"] the reason.
    kernel
        Code that takes the steps: "generic" (compiled once for all models), "traced" (compiled
        for this model), or "auto": whichever finishes first, compilation included. The numbers
        are the same.

    Returns
    -------
    Result
        The states at the saved times, reactions, energies, plots and films.

    Raises
    ------
    ChaslesError
        If the input is wrong. The text names the thing, the value, the rule and the remedy.
    SimulationStopped
        If the run cannot continue. Its `result` holds the run so far.
    KeyboardInterrupt
        After Ctrl-C. Its `result` holds the run so far.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> result = ch.simulate(ch.Model([arm], [hinge]), until=1.0, step=1e-3)
    >>> bool(result.violation("hinge").max() < 1e-12)
    True
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
