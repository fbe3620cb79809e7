"""Forces and torques along a joint's coordinate: a torque for an angle, a force for a displacement.

They act on b, and with the opposite sign on a.  `coordinate` is "auto", "angle" or "displacement";
Model puts the joint's own in the place of "auto".
"""

from collections.abc import Callable
from dataclasses import KW_ONLY
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

from chasles.model.checks import Invalid, answer_of, checked_number, fill
from chasles.model.coordinates import OfJoint, Which
from chasles.model.errors import InvalidForce
from chasles.model.fields import Number, function, not_negative, positive, unset
from chasles.model.forces import Force
from chasles.model.signals import Signal
from chasles.model.words import Coordinate

PER_UNIT, PER_SPEED = "N m/rad or N/m", "N m s/rad or N s/m"
NOTHING = Signal.constant(0.0)
Stiffness = Annotated[float, not_negative(PER_UNIT)]
Damping = Annotated[float, not_negative(PER_SPEED)]


class JointForce(Force, in_files=False):
    """A force along the coordinate of a joint."""

    joint: OfJoint
    if TYPE_CHECKING:  # every kind has it, behind its own fields

        @property
        def coordinate(self) -> Coordinate: ...

    @property
    def acts_on(self) -> str:
        return f"the {self.coordinate} of joint '{self.joint}'"


class JointSpring(JointForce):
    """A spring and damper on a joint: - stiffness (q - rest) - damping q'.

    Parameters
    ----------
    stiffness
        N m/rad for an angle, N/m for a displacement.
    damping
        N m s/rad or N s/m.
    rest
        Coordinate without force, rad or m. The start is 0.

    Examples
    --------
    >>> JointSpring("return", "hinge", stiffness=2.0, rest=0.5).rest
    0.5
    """

    acts_by = ("stiffness", "damping")

    stiffness: Stiffness
    damping: Damping = 0.0
    rest: Number = 0.0
    coordinate: Which = "auto"


class TorsionSpring(JointSpring):
    """A `JointSpring` on an angle.

    Examples
    --------
    >>> TorsionSpring("hairspring", "balance", stiffness=1e-6).coordinate
    'angle'
    """

    coordinate: Coordinate = unset("angle")


class JointFriction(JointForce):
    """Dry friction of a joint, smooth about rest: - level tanh(q' / smoothing).

    Parameters
    ----------
    level
        Friction while sliding, N m or N.
    smoothing
        Speed at which friction reaches three quarters of the level, rad/s or m/s. Steps must be
        short compared with (mass or inertia) smoothing / level.

    Notes
    -----
    It does not stick: under a load F below the level it creeps at smoothing artanh(F / level).

    Examples
    --------
    >>> JointFriction("bearing", "hinge", level=0.2).smoothing
    0.001
    """

    level: Annotated[float, not_negative("N m or N")]
    smoothing: Annotated[float, positive("rad/s or m/s")] = 1e-3
    coordinate: Which = "auto"


class JointStop(JointForce):
    """A compliant stop at one or both ends of a joint's range. It only pushes.

    Parameters
    ----------
    lower
        Lower end, rad or m, relative to the start. None: no lower end.
    upper
        Upper end, rad or m. None: no upper end.
    stiffness
        N m/rad or N/m. At a depth p beyond an end the effort is stiffness p + damping p'.
    damping
        N m s/rad or N s/m. It acts at once when the stop is met at speed.

    Notes
    -----
    Steps must be short compared with the time of a contact, pi sqrt(m / stiffness).

    Examples
    --------
    >>> JointStop("door stop", "hinge", upper=1.6, stiffness=500.0).lower is None
    True
    """

    lower: float | None = None
    upper: float | None = None
    _: KW_ONLY
    stiffness: Annotated[float, positive(PER_UNIT)]
    damping: Damping = 0.0
    coordinate: Which = "auto"

    def _check(self) -> None:
        super()._check()
        fill(self, **checked_ends(self.lower, self.upper, self.where, InvalidForce))


def checked_ends(
    lower: Any, upper: Any, where: str, invalid: Invalid, apart: bool = False
) -> dict[str, float | None]:
    """The ends of a range, of which one is given at least; `apart`: they must differ."""
    ends = {
        what: None if end is None else checked_number(end, what, where, invalid)
        for what, end in (("lower", lower), ("upper", upper))
    }
    low, high = ends.values()
    if low is None and high is None:
        raise invalid(
            f"{where}: lower and upper are both left out, so it stops nothing.",
            "Give lower=, upper= or both, in rad or m.",
        )
    if low is not None and high is not None and (low > high or (apart and low == high)):
        rule = "must be below upper" if apart else "must not be above upper"
        raise invalid(
            f"{where}: lower {rule}, got lower={low:g} and upper={high:g}.", "Exchange them."
        )
    return ends


class JointLaw(JointForce, in_files=False):
    """Your own force or torque along a joint's coordinate q.

    Parameters
    ----------
    law
        law(t, q, rate) -> N m for an angle (rad, rad/s), N for a displacement (m, m/s). It acts
        on b along the coordinate, and the opposite on a. It is called through Python, about two
        microseconds each time. Angles count whole turns.

    Notes
    -----
    Its work is `Result.work`. It has no stored energy.

    Examples
    --------
    >>> def hardening(t, q, rate):
    ...     return -3.0 * q - 5.0 * q**3 - 0.1 * rate
    >>> JointLaw("bumper", "hinge", hardening).effort(0.0, 1.0, 0.0)
    -8.0
    """

    law: Annotated[Callable[..., Any], function("law(t, q, rate)")]
    coordinate: Which = "auto"

    def effort(self, t: float, q: float, rate: float) -> float:
        """What the law says, checked."""
        return effort_of(self.law, "law", self.where, t, q, rate)

    effort_at = effort


def effort_of(
    function: Callable[..., Any], what: str, where: str, t: float, q: float, rate: float
) -> float:
    """What a user's function of time, coordinate and rate says, checked."""
    call = f"{what}(t, q, rate)"
    remedy = "Give a function of the time in s, the coordinate and its rate that returns a number."
    returned = answer_of(function, (t, q, rate), f"{where}: {call}", remedy, InvalidForce, t=t, q=q)
    if type(returned) is float and isfinite(returned):  # nearly always, and quick
        return returned
    return checked_number(returned, f"{call} at t = {t:g} s, q = {q:g}", where, InvalidForce)
