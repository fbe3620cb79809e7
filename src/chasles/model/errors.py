"""Every error chasles raises on purpose: what, where, by how much, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

LISTED_NAMES = 12
LONGEST_TOLD = 200


def told(value: object) -> str:
    """A value in a message, on one line: whole if short, else its beginning."""
    try:
        text = repr(value).replace("\n", " ")
    except Exception:  # the user's own code, which may do anything
        text = f"an object of class {type(value).__name__} that cannot be printed"
    return text if len(text) <= LONGEST_TOLD else text[:LONGEST_TOLD] + " ..."


def one_line(error: Exception) -> str:
    """What another library or the user's own code said, on one line."""
    return " ".join(str(error).split())[:LONGEST_TOLD] or "no message"


class ChaslesError(Exception):
    """Base of all errors of this package; `remedy` is printed on its own, indented line."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  {self.remedy}" if self.remedy else self.what


class ChaslesWarning(UserWarning):
    """A run went on, or ended, though something about it is suspect; see `result.warnings`."""


class InvalidBody(ChaslesError):
    """A body that cannot exist: its mass, inertia, size or pose breaks a rule of mechanics."""


class InvalidJoint(ChaslesError):
    """A joint that cannot exist: a missing axis, a body joined to itself, a pitch of zero."""


class InvalidForce(ChaslesError):
    """A force that cannot exist: a spring of no length, a negative damping, no direction."""


class InvalidDriver(ChaslesError):
    """A driver that cannot drive: a motion that jumps at the start, say."""


class InvalidSensor(ChaslesError):
    """A sensor that cannot read: of something that is not there, or that the part has not."""


class InvalidSignal(ChaslesError):
    """A function of time that is none: it raises, or gives NaN or the wrong shape."""


class InvalidModel(ChaslesError):
    """Bodies and joints that do not make a model together."""


class InvalidOption(ChaslesError):
    """An option of a simulation or study that makes no sense: a negative step, say."""


class InvalidFile(ChaslesError):
    """A file that cannot be written, or that holds no result, or only part of one."""


class InconsistentStart(ChaslesError):
    """The initial positions or velocities do not satisfy the joints."""


class RedundantConstraints(ChaslesError):
    """Some joint rows repeat what others already say, so reactions are not unique."""


class NoEquilibrium(ChaslesError):
    """No configuration was found in which all forces are balanced.

    `residual` holds the force (N) and torque (N m) left at the best one.
    """

    def __init__(self, what: str, remedy: str = "", residual: Any = None) -> None:
        super().__init__(what, remedy)
        self.residual = residual


#: What other programs call what has another name here; names in lower case.
ELSEWHERE = {
    **dict.fromkeys(("dt", "h", "timestep", "time_step", "step_size", "stepsize"), ("step",)),
    **dict.fromkeys(
        ("t_end", "tend", "t_final", "tf", "t_max", "tmax", "end_time", "duration", "t_span",
         "stop_time"),
        ("until",),
    ),
    **dict.fromkeys(("integrator", "solver", "scheme"), ("method",)),
    **dict.fromkeys(("method", "spaces", "stabilise", "rtol"), ("options",)),
    **dict.fromkeys(("reltol", "rel_tol"), ("rtol",)),
    **dict.fromkeys(("abstol", "abs_tol"), ("atol",)),
    **dict.fromkeys(("saveat", "times", "t_out"), ("t_eval",)),
    **dict.fromkeys(("verbose", "quiet", "disp"), ("progress",)),
    **dict.fromkeys(("filename", "file", "fname"), ("path",)),
    **dict.fromkeys(("color", "rgb"), ("colour", "shape")),
    **dict.fromkeys(("rk45", "ode45", "dopri", "dormand-prince"), ("dopri5", "scipy rk45")),
    **dict.fromkeys(("rk23", "ode23", "bogacki-shampine"), ("bs3", "scipy rk23")),
    **dict.fromkeys(("ode113", "lsoda"), ("scipy lsoda",)),
    **dict.fromkeys(("ode15s", "bdf"), ("scipy bdf", "bliedf3")),
    **dict.fromkeys(("runge-kutta", "rk", "runge kutta"), ("rk4",)),
    **dict.fromkeys(("rosenbrock", "implicit-euler", "implicit"), ("linearly-implicit",)),
    **dict.fromkeys(("symplectic", "verlet", "rattle"), ("rattlie",)),
    **dict.fromkeys(("hinge",), ("revolute",)),
    **dict.fromkeys(("ball",), ("spherical",)),
    **dict.fromkeys(("slider", "slide"), ("prismatic",)),
    **dict.fromkeys(("k", "spring_constant"), ("stiffness",)),
    **dict.fromkeys(("pos", "xyz"), ("position",)),
    **dict.fromkeys(("orientation", "rot"), ("rotation",)),
}  # fmt: skip


class UnknownName(ChaslesError):
    """A name that stands for nothing here."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str], where: str = "") -> "UnknownName":
        """No `kind` is called `name`: suggest the closest of the `known` names.

        Examples
        --------
        >>> print(UnknownName.among("body", "rodd", ["rod", "top"], where="joint 'elbow'"))
        joint 'elbow': there is no body 'rodd'.
          Did you mean 'rod'?  Known: 'rod', 'top'.
        """
        names = list(known)
        by_lower = {n.lower(): n for n in names}
        word = (name if isinstance(name, str) else told(name)).lower()
        close = [n for n in ELSEWHERE.get(word, ()) if n in by_lower]
        close = close or get_close_matches(word, by_lower, n=1)
        meant = " or ".join(f"'{by_lower[n]}'" for n in close)
        hint = f"Did you mean {meant}?  " if close else ""
        listed = ", ".join(f"'{n}'" for n in names[:LISTED_NAMES])
        more = f" and {len(names) - LISTED_NAMES} more" if len(names) > LISTED_NAMES else ""
        prefix = f"{where}: " if where else ""
        return cls(
            f"{prefix}there is no {kind} {told(name)}.",
            f"{hint}Known: {listed or 'none'}{more}.",
        )


class SimulationStopped(ChaslesError):
    """A run that could not go on; `result` holds everything up to the last good state."""

    def __init__(self, what: str, remedy: str = "", result: Any = None) -> None:
        super().__init__(what, remedy)
        self.result = result
