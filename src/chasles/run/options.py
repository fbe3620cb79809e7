"""Options of a run: the only list of them.

`simulate` and `Simulation`, tables [run] of files, `chasles run` and sweeps take theirs from here:
names, types, defaults, meaning, and what is said of a name that is not one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import KW_ONLY, Field, dataclass, field, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

from chasles.model.errors import UnknownName
from chasles.model.keywords import checked_call
from chasles.notices import silence

if TYPE_CHECKING:
    from os import PathLike

    from chasles.build.system.state import State
    from chasles.integrators.stabilisation import Baumgarte
    from chasles.integrators.tableaux import Tableau
    from chasles.model import Body, Joint, Model
    from chasles.model.coordinates import Coordinates
    from chasles.model.words import ArrayLike, Stabiliser
    from chasles.result.result import Result
    from chasles.run.control import Moment
    from chasles.run.events import Event
    from chasles.run.impacts import Impact
    from chasles.spaces.designation import Spaces

#: What is taken where no method is named: with a step, and with tolerances.
USUAL, USUAL_WITH_TOLERANCES = "rk4", "dop853"
#: Options by which steps are chosen along the way.
CHOOSING = ("tol", "rtol", "atol", "first_step", "max_step")

Given = ParamSpec("Given")
Asked = TypeVar("Asked")
Made = TypeVar("Made")
Self = TypeVar("Self")


def option(default: Any, data: Any = None) -> Any:
    """A field and its type as data.

    data: float, int, str or bool: files, the command line and sweeps may give it.  Other types:
    files may.  None: it is given in Python only.
    """
    return field(default=default, metadata={"data": data})


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedOptions:
    """Options of `simulate` and `Simulation`.

    method
        Name of the method: "rk4" by default, "dop853" with tolerances. For stiff forces
        "linearly-implicit" or "generalized-alpha", for long times "rattlie4" or "gauss4".
        `ch.methods()` lists all. Or a Tableau; or, in `simulate`, "auto": see `tol`.
    spaces
        Configuration spaces: "auto" (default), "subgroups", "SE3", "SO3xR3" or another rule.
        "auto": see `designate`. "subgroups": every body in the motion subgroup of its parent
        joint. Six-dimensional spaces (charts): "framed", "SE3", "SO3xR3", "SE3 relative",
        "SO3xR3 on joints". Or a dict body -> Space.
    acceleration
        Form of the acceleration constraints in six-dimensional spaces: "screw", or "space"
        as in the paper ("auto" then means "framed").
    rows
        Constraint rows of bodies in six-dimensional spaces: "needed", or of "all" their
        joints. With "needed", a space that keeps a joint closed has no rows for it; the steps
        are the same to round-off. Methods of index 2 and 3, maps other than exp and the space
        form always have all rows.
    stabilise
        Against drift of joints: "none" (default), "projection", "baumgarte" or "ggl".
        "projection": drifting joints are closed after every step. "baumgarte": violations are
        fed back into the accelerations, with rates from the step (Baumgarte(alpha, beta) sets
        others). "ggl": into the velocities (Gear, Gupta, Leimkuhler). Add " of all joints" to
        treat all joints, not only those that drift: "projection of all joints".
    redundant
        Redundant constraints: "solve" for the minimum-norm reactions and report them
        (result.redundancy), or "refuse".
    singular
        Singular configurations: "stop", or "pass" with minimum-norm multipliers (see
        result.singular_poses). "pass" projects all joints, unless `stabilise` is given.
    save_every
        Save every n-th step. The first and last states are always saved. In a Simulation 0
        saves none, for runs without an end.
    start
        Start instead of the poses and velocities entered: a State (time starts at 0); joint
        coordinates {"elbow": 0.3, "hip": (0.1, -2.0)}, alone or with rates (see
        `start_state`); or a Result, whose run continues from its last full step (`until`
        still counts from t = 0).
    close
        Move the bodies as little as possible so that all joints close, and make the
        velocities consistent. result.assembly reports what moved (see `assemble`).
    hold
        With `close`: bodies and joints that must not move.
    rtol
        Local error tolerance per step, relative to body size (to its speed, for
        velocities), instead of a step. 1e-8 if only `atol` is given. For "bs3", "dopri5",
        "tsit5", "dop853" and SciPy's methods.
    atol
        Absolute local error tolerance, m (m/s). 1e-10 if only `rtol` is given.
    first_step
        With tolerances: first step to try, s.
    max_step
        With tolerances: longest step, s.
    events
        Functions of (t, state), or Events, whose zeros are found: see `Event`. Impacts at
        ends of joints: see `Impact`. result.events has the times.
    """

    method: str | Tableau | None = option(None, str)
    spaces: Spaces = option("auto", str)
    acceleration: Literal["screw", "space"] = option("screw", str)
    rows: Literal["needed", "all"] = option("needed", str)
    stabilise: Stabiliser | Baumgarte | None = option(None, str)
    redundant: Literal["solve", "refuse"] = option("solve", str)
    singular: Literal["stop", "pass"] = option("stop", str)
    save_every: int = option(1, int)
    start: State | Result | Coordinates | None = option(None, dict)
    close: bool = option(False, bool)
    hold: Iterable[Body | Joint | str] = option((), list[str])
    rtol: float | None = option(None, float)
    atol: float | None = option(None, float)
    first_step: float | None = option(None, float)
    max_step: float | None = option(None, float)
    events: Iterable[Event | Impact | Callable[[float, Moment], float]] = option(())


@dataclass(frozen=True, eq=False)
class Options(SharedOptions):
    """What `simulate` was asked for.

    model
        The model.
    until
        End time, s.
    step
        Length of a step, s. The last step is shorter if it does not divide `until`.
    t_eval
        Times at which to save states instead, s. Each is reached by one shorter step of the
        same method.
    progress
        Whether to show a progress bar on stderr. Default: if the run takes longer than a
        moment.
    controller
        controller(t, state) -> {"motor": effort, "servo": target}. Efforts are added to
        those of the model, targets replace them. `state` has coordinate(joint),
        rate(joint), position(body), ...
    sample
        Sample time of the controller, s. Inputs are held in between. A whole number of steps,
        or every step if left out. With tolerances it must be given, and steps end at the
        samples. With `tol`, runs are repeated: a controller with a state of its own must
        begin anew at t = 0.
    into
        Folder to record the run while it runs. The recording survives a crash, and memory
        does not grow with the length of the run. `load` opens the folder. With `tol`, the run is
        recorded when its tolerances are known.
    resume
        With `into`: continue the run in the folder, or start it if there is none.
    tol
        Target for the global error of all poses, relative to body size, instead of a step
        or tolerances. Method and steps are chosen for it, implicit ones where forces are
        stiff. provenance["global_error"] is the estimate, provenance["choice"] the reason.
    kernel
        Code that takes the steps: "generic" (compiled once for all models), "traced"
        (compiled for this model), or "auto": whichever finishes first, compilation
        included. The numbers are the same.
    """

    model: Model = field(metadata={"data": None})
    until: float = field(metadata={"data": float})
    step: float | None = option(None, float)
    _: KW_ONLY
    t_eval: ArrayLike | None = option(None, list[float])
    progress: bool | None = option(None)
    controller: Callable[..., Any] | None = option(None)
    sample: float | None = option(None)
    into: str | PathLike[str] | None = option(None)
    resume: bool = option(False)
    tol: float | None = option(None, float)
    kernel: Literal["auto", "generic", "traced"] = option("auto", str)


@dataclass(frozen=True, eq=False)
class ByHand(SharedOptions):
    """What a `Simulation` was asked for.

    model
        The model.
    step
        Length of a step, s. With tolerances, steps are as long as these let them.
    """

    model: Model = field(metadata={"data": None})
    step: float | None = option(None, float)


for record, name in ((Options, "simulate"), (ByHand, "Simulation")):
    record.__init__ = checked_call(record.__init__, name)  # type: ignore[method-assign]


def method_of(options: Options | ByHand) -> Any:
    """The method, or the usual one where none is named."""
    if options.method is not None:
        return options.method
    chooses = any(getattr(options, name, None) is not None for name in CHOOSING)
    return USUAL_WITH_TOLERANCES if options.step is None and chooses else USUAL


def is_auto(value: Any) -> bool:
    """Whether an option, which may be of any type, is left to be chosen."""
    return isinstance(value, str) and value == "auto"


# --- who takes options ----------------------------------------------------------------------------


def listed(record: Any) -> list[Field[Any]]:
    """The options of a record, in the order in which they are taken."""
    return sorted(fields(record), key=lambda option: bool(option.kw_only))


def as_data(*kinds: Any) -> dict[str, Field[Any]]:
    """The options of `simulate` that are data, by name; or those of some types only."""
    found = {option.name: option for option in listed(Options) if option.metadata["data"]}
    return {
        name: option
        for name, option in found.items()
        if not kinds or option.metadata["data"] in kinds
    }


#: Those that only Python has: functions, and places to write to.
OF_PYTHON = frozenset(option.name for option in listed(Options)) - as_data().keys()
#: Those that are a word or a number: of the command line, and of what sweeps vary.
PLAIN = as_data(float, int, str, bool)


def checked_names(given: Mapping[str, Any], where: str, without: tuple[str, ...] = ()) -> None:
    """Refuse names that are not options of `simulate`."""
    known = [option.name for option in listed(Options) if option.name not in without]
    for name in given:
        UnknownName.check("option", name, known, where)


def meanings(record: Any) -> dict[str, str]:
    """What the options of a record mean: those parts of its docstrings, by name."""
    text = "\n".join(base.__doc__ or "" for base in record.__mro__[-2::-1])
    parts = re.findall(r"^    (\w+)\n((?:        .*\n)+)", text, re.M)
    found = {name: f"    {name}\n{meaning}" for name, meaning in parts}
    return {one.name: found[one.name] for one in listed(record)} if found else {}


class Words(str):
    """A type as it is written, which is how people say it."""

    __repr__ = str.__str__


def taking(record: Any, function: Any, own: int) -> Any:
    """A function of a record, after `own` arguments, as one of its options."""

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        options = record(*given[own:], **named)
        with silence() if getattr(options, "progress", None) is False else nullcontext():
            return function(*given[:own], options)

    made: Any = call
    if function.__doc__ is not None:
        meaning = "".join(meanings(record).values())
        made.__doc__ = function.__doc__.replace("    {options}\n", meaning)
    first = [Parameter("self", Parameter.POSITIONAL_ONLY)] * own
    taken = signature(record).parameters.values()
    as_written = [one.replace(annotation=Words(one.annotation)) for one in taken]
    answer = function.__annotations__["return"]
    made.__signature__ = Signature([*first, *as_written], return_annotation=answer)
    return call


def takes(
    record: Callable[Given, Asked],
) -> Callable[[Callable[[Asked], Made]], Callable[Given, Made]]:
    """A function of a record as one of its options; {options} in its text becomes their meaning."""
    return lambda function: taking(record, function, 0)


def method_takes(
    record: Callable[Given, Asked],
) -> Callable[[Callable[[Self, Asked], None]], Callable[Concatenate[Self, Given], None]]:
    """The same for a method."""
    return lambda function: taking(record, function, 1)
