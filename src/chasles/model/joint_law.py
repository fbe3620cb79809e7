"""A force along a joint's coordinate by a law of one's own."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from chasles.model.checks import checked_callable, checked_number, fill
from chasles.model.errors import ChaslesError, InvalidForce, one_line
from chasles.model.joint_forces import JointForce
from chasles.model.joints import Joint
from chasles.model.words import Coordinate


@dataclass(frozen=True, init=False)
class JointLaw(JointForce, in_files=False):
    """A force or torque along a joint's coordinate q by a law of time, q and its rate.

    law  law(t, q, rate) -> N m for an angle (rad, rad/s), N for a displacement (m, m/s): what b
         feels along the coordinate, and a the opposite.  It is called through Python, about two
         microseconds a time; angles count whole turns

    What it gives to the bodies is its work (`Result.work`); it stores nothing that is known.

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
        try:
            returned = self.law(t, q, rate)
        except ChaslesError:
            raise
        except Exception as error:
            raise InvalidForce(
                f"{self.where}: its law raised {type(error).__name__} at t = {t:g} s, q = {q:g}:"
                f" {one_line(error)}",
                "Give law(t, q, rate) that returns a number.",
            ) from error
        if type(returned) is float and isfinite(returned):
            return returned
        what = f"law at t = {t:g} s, q = {q:g}"
        return checked_number(returned, what, self.where, InvalidForce)
