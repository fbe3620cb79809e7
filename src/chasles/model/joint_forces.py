"""Forces and torques along a joint's coordinate: a torque for an angle, a force for a displacement.

They act on b, and with the opposite sign on a.  `coordinate` is "auto", "angle" or "displacement";
Model puts the joint's own in the place of "auto".
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.model.checks import checked_not_negative, checked_number, checked_positive, fill
from chasles.model.coordinates import checked_coordinate, checked_joint_name
from chasles.model.derivatives import Floats, Function
from chasles.model.errors import InvalidForce
from chasles.model.forces import Force, elastic
from chasles.model.joints import Joint
from chasles.model.signals import Part, Signal, checked_signal
from chasles.model.words import ArrayLike, Coordinate

PER_UNIT, PER_SPEED = "N m/rad or N/m", "N m s/rad or N s/m"
NOTHING = Signal.constant(0.0)


@dataclass(frozen=True, init=False)
class JointForce(Force, in_files=False):
    """A force along the coordinate of a joint."""

    joint: str
    coordinate: Coordinate = "auto"

    def __init__(self, name: str, joint: Joint | str, coordinate: Coordinate = "auto") -> None:
        super().__init__(name)
        fill(
            self,
            joint=checked_joint_name(joint, self.where, InvalidForce),
            coordinate=checked_coordinate(coordinate, self.where, InvalidForce),
        )

    @property
    def acts_on(self) -> str:
        return f"the {self.coordinate} of joint '{self.joint}'"


@dataclass(frozen=True, init=False)
class JointSpring(JointForce):
    """A spring and damper on a joint: - stiffness (q - rest) - damping q'.

    stiffness  N m/rad for an angle, N/m for a displacement
    damping    N m s/rad or N s/m
    rest       the coordinate at which it is relaxed, rad or m; the start is 0

    >>> JointSpring("return", "hinge", stiffness=2.0, rest=0.5).rest
    0.5
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        stiffness: float,
        damping: float = 0.0,
        rest: float = 0.0,
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name, joint, coordinate)
        fill(
            self,
            **elastic(self.where, stiffness, damping, PER_UNIT, PER_SPEED),
            rest=checked_number(rest, "rest", self.where, InvalidForce),
        )


@dataclass(frozen=True, init=False)
class TorsionSpring(JointSpring):
    """A `JointSpring` on an angle.

    >>> TorsionSpring("hairspring", "balance", stiffness=1e-6).coordinate
    'angle'
    """

    coordinate: Coordinate = field(default="angle", init=False)

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        stiffness: float,
        damping: float = 0.0,
        rest: float = 0.0,
    ) -> None:
        super().__init__(name, joint, stiffness, damping, rest, "angle")


@dataclass(frozen=True, init=False)
class JointFriction(JointForce):
    """Dry friction, made smooth about rest: - level tanh(q' / smoothing).

    level      N m or N, reached when sliding
    smoothing  rad/s or m/s: the speed at which it reaches three quarters; steps of the run
               should be short against (mass or inertia) smoothing / level

    It does not stick: a load F below the level makes it creep at smoothing artanh(F / level).

    >>> JointFriction("bearing", "hinge", level=0.2).smoothing
    0.001
    """

    level: float = 0.0
    smoothing: float = 1e-3

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        level: float,
        smoothing: float = 1e-3,
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name, joint, coordinate)
        fill(
            self,
            level=checked_not_negative(level, "level", "N m or N", self.where, InvalidForce),
            smoothing=checked_positive(
                smoothing, "smoothing", "rad/s or m/s", self.where, InvalidForce
            ),
        )


@dataclass(frozen=True, init=False)
class JointStop(JointForce):
    """A compliant stop at one or both ends of a coordinate: it pushes back, and never pulls.

    lower, upper  where the coordinate meets it, rad or m, the start being 0; None: it has no such
                  end
    stiffness     N m/rad or N/m: a depth p beyond an end is met by stiffness p + damping p'
    damping       N m s/rad or N s/m; it sets in at once where a stop is met at speed

    Steps of the run should be short against the time of a contact, pi sqrt(m / stiffness).

    >>> JointStop("door stop", "hinge", upper=1.6, stiffness=500.0).lower is None
    True
    """

    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        lower: float | None = None,
        upper: float | None = None,
        *,
        stiffness: float,
        damping: float = 0.0,
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name, joint, coordinate)
        ends = {
            what: None if end is None else checked_number(end, what, self.where, InvalidForce)
            for what, end in (("lower", lower), ("upper", upper))
        }
        self._check_ends(ends["lower"], ends["upper"])
        fill(
            self,
            **ends,
            stiffness=checked_positive(stiffness, "stiffness", PER_UNIT, self.where, InvalidForce),
            damping=checked_not_negative(damping, "damping", PER_SPEED, self.where, InvalidForce),
        )

    def _check_ends(self, lower: float | None, upper: float | None) -> None:
        if lower is None and upper is None:
            raise InvalidForce(
                f"{self.where}: lower and upper are both left out, so it stops nothing.",
                "Give lower=, upper= or both, in rad or m.",
            )
        if lower is not None and upper is not None and lower > upper:
            raise InvalidForce(
                f"{self.where}: lower must not be above upper, got lower={lower:g} and"
                f" upper={upper:g}.",
                "Exchange them.",
            )


@dataclass(frozen=True, init=False)
class Motor(JointForce):
    """A motor with PD control: stiffness (target - q) + damping (target' - q') + effort.

    target     of the coordinate, rad or m: a number, a Signal, or a function of t
    stiffness  N m/rad or N/m
    damping    N m s/rad or N s/m
    effort     N m or N, added to it: a number, a Signal, or a function of t

    Target and effort are stored as Signals.

    >>> Motor("servo", "elbow", target=0.5, stiffness=100.0).target.sample([0.0]).tolist()
    [[0.5, 0.0, 0.0]]
    """

    target: Signal | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    effort: Signal = NOTHING

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        target: Signal | Function | float | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        effort: Signal | Function | float = 0.0,
        coordinate: Coordinate = "auto",
    ) -> None:
        super().__init__(name, joint, coordinate)

        def signal(value: Any, what: str) -> Signal:
            return checked_signal(value, what, self.where, InvalidForce)

        def gain(value: Any, what: str, unit: str) -> float:
            return checked_not_negative(value, what, unit, self.where, InvalidForce)

        fill(
            self,
            target=None if target is None else signal(target, "target"),
            stiffness=gain(stiffness, "stiffness", PER_UNIT),
            damping=gain(damping, "damping", PER_SPEED),
            effort=signal(effort, "effort"),
        )
        self._check_control()

    def sample(self, times: ArrayLike) -> Floats:
        """(T, 3): target, rate of the target and effort at T times; zeros without a target."""
        columns = np.zeros((np.size(times), 3))
        if self.target is not None and self.damping > 0.0:
            columns[:, :2] = self.target.sample(times, owner=f"{self.where}, target")[:, :2]
        elif self.target is not None:  # which need not be smooth
            columns[:, 0] = self.target.values(times, owner=f"{self.where}, target")
        columns[:, 2] = self.effort.values(times, owner=f"{self.where}, effort")
        return columns

    def parts(self) -> list[Part]:
        """What a kernel evaluates, in the columns of `sample`."""
        parts: list[Part] = [(2, self.effort, 1, f"{self.where}, effort")]
        if self.target is not None:
            orders = 2 if self.damping > 0.0 else 1  # a rate that is not used need not exist
            parts.append((0, self.target, orders, f"{self.where}, target"))
        return parts

    def _check_control(self) -> None:
        controlled = self.stiffness > 0.0 or self.damping > 0.0
        if controlled and self.target is None:
            raise InvalidForce(
                f"{self.where}: stiffness is {self.stiffness:g} and damping is {self.damping:g},"
                " but there is no target.",
                "Give target=, such as target=0 to hold the start.",
            )
        if self.target is not None and not controlled:
            raise InvalidForce(
                f"{self.where}: there is a target, but stiffness and damping are both 0.",
                "Give stiffness= or damping=, or a Driver to follow the target exactly.",
            )
        if self.target is None and self.effort == NOTHING:
            raise InvalidForce(
                f"{self.where}: there is neither a target nor an effort, so it does nothing.",
                "Give effort=, or target= with stiffness= or damping=.",
            )
