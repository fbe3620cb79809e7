"""A force along a joint's coordinate by a law of one's own."""

from collections.abc import Callable
from math import isfinite
from typing import Any

from chasles.model.checks import checked_callable, checked_number, fill
from chasles.model.errors import ChaslesError, InvalidForce, one_line
from chasles.model.joint_forces import JointForce
from chasles.model.joints import Joint
from chasles.model.words import Coordinate


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

    law: Callable[..., Any] = float

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        law: Callable[..., Any],
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name, joint, coordinate)
        call = "law(t, q, rate)"
        fill(self, law=checked_callable(law, "law", call, self.where, InvalidForce))

    def effort(self, t: float, q: float, rate: float) -> float:
        """What the law says, checked."""
        return effort_of(self.law, "law", self.where, t, q, rate)

    effort_at = effort


def effort_of(
    function: Callable[..., Any], what: str, where: str, t: float, q: float, rate: float
) -> float:
    """What a user's function of time, coordinate and rate says, checked."""
    try:
        returned = function(t, q, rate)
    except ChaslesError:
        raise
    except Exception as error:
        raise InvalidForce(
            f"{where}: {what}(t, q, rate) raised {type(error).__name__} at t = {t:g} s,"
            f" q = {q:g}: {one_line(error)}",
            f"Give {what}(t, q, rate), a function of the time in s, the coordinate and its rate"
            " that returns a number.",
        ) from error
    if type(returned) is float and isfinite(returned):  # nearly always, and quick
        return returned
    told = f"{what}(t, q, rate) at t = {t:g} s, q = {q:g}"
    return checked_number(returned, told, where, InvalidForce)
