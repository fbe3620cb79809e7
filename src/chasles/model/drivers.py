"""Drivers: constraints whose zero moves in time, and the force that it takes."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from chasles.model.body import Body, body_that
from chasles.model.checks import Invalid, in_brackets
from chasles.model.coordinates import OfJoint, Which
from chasles.model.derivatives import Function
from chasles.model.errors import ChaslesError, InvalidDriver, short_repr
from chasles.model.fields import Direction, PointOrNone, Taken
from chasles.model.registered import Part as Registered
from chasles.model.signals import Part, Signal, checked_signal
from chasles.model.words import ArrayLike, Floats

AT_ZERO = 1e-9  # how far from zero (rad or m) a motion may start
#: What counts neither as a jump nor as a kink: rounding, in rad or m and per s, and the error of
#: numerical derivatives, as a fraction of the largest value and rate.
LEAST, LEAST_RATE, NOISE = 1e-12, 1e-9, 1e-5
#: The rounding of a value, and of the phase that it is a function of, in parts of both.
ROUNDING = 8.0 * float(np.finfo(float).eps)


def checked_motion(motion: Any, what: str, where: str, invalid: Invalid) -> Signal:
    """A signal that is zero at t = 0, from one or from a function of time."""
    if not isinstance(motion, Signal) and not callable(motion):
        raise invalid(
            f"{where}: {what} must be a function of time, got {short_repr(motion)}.",
            "Give a Signal or a function of t; a constant speed is Signal.linear(speed).",
        )
    return checked_signal(motion, what, where, invalid)


Motion = Annotated[Taken[Signal | Function, Signal], checked_motion]
OfBody = Annotated[Taken[Body | str, str], body_that("does not move")]


class AnyDriver(Registered):
    """What all drivers share; use Driver or PointDriver."""

    #: the name of its one row
    locked: ClassVar[tuple[str, ...]] = ("motion",)
    kind: ClassVar[str] = "anydriver"
    kinds: ClassVar[dict[str, type["AnyDriver"]]] = {}
    word = "driver"
    invalid: ClassVar[Invalid] = InvalidDriver

    name: str
    if TYPE_CHECKING:  # every kind has it, behind its own fields

        @property
        def motion(self) -> Signal: ...

    def sample(self, times: ArrayLike) -> Floats:
        """(T, 3): value, rate and second derivative of the motion at T times."""
        return self.motion.sample(times, owner=f"{self.where}, motion")

    def parts(self) -> list[Part]:
        """What a kernel evaluates: value, rate and second derivative of the motion."""
        return [(0, self.motion, 3, f"{self.where}, motion")]

    def first_break(
        self, times: Floats, samples: Floats, largest: Floats
    ) -> tuple[float, ChaslesError] | None:
        """The first of some times, in order, before which the motion jumps or has a kink.

        Between two times the value has to change by about what the rate explains, and the rate by
        what the second derivative does; `largest` (3,) are the largest of the whole run, of which
        numerical derivatives are a part.  A value f is rounded, and so is t: f is known to
        eps (|f| + |t f'|) only, however close two times are.  A jump of the second derivative is
        all right: the force jumps, too.
        """
        t, first = np.unique(times, return_index=True)
        value, rate, second = samples[first].T
        step = np.diff(t)
        around = np.abs(np.concatenate((second[:1], second, second[-1:])))
        reach = np.max([around[k : k + step.size] for k in range(4)], axis=0, initial=0.0)
        jump = np.abs(np.diff(value) - 0.5 * step * (rate[1:] + rate[:-1]))
        kink = np.abs(np.diff(rate) - 0.5 * step * (second[1:] + second[:-1]))
        noise = NOISE * (largest[0] + largest[1]) + LEAST_RATE
        rounded = ROUNDING * (np.abs(value) + np.abs(t * rate))
        least = LEAST + rounded[1:] + rounded[:-1]
        jumps = jump > step**2 * reach + step * noise + least
        bad = np.flatnonzero(jumps | (kink > step * reach + noise))
        if bad.size == 0:
            return None
        at = int(bad[0])
        changing, explaining = ("value", "rate") if jumps[at] else ("rate", "second derivative")
        later = float(t[at + 1])
        return later, self._wrong(
            f"between t = {t[at]:.6g} s and {later:.6g} s the {changing} of its motion changes by"
            f" more than its {explaining} explains.",
            "Give a motion without jumps and kinks (Signal.ramp, Signal.table), its true"
            " derivatives, or steps short enough to follow it.",
        )

    def check_smooth(self, times: Floats, samples: Floats) -> None:
        """Refuse samples, in any order, between which the motion jumps or has a kink."""
        found = self.first_break(times, samples, np.abs(samples).max(axis=0, initial=0.0))
        if found is not None:
            raise found[1]

    @property
    def drives(self) -> str:
        """What it drives, in words."""
        return "nothing"

    @property
    def summary(self) -> str:
        """A line about it."""
        return f"driver {self.name}: {self.kind} of {self.drives}"


class Driver(AnyDriver):
    """Prescribed motion of a joint's coordinate.

    Parameters
    ----------
    motion
        Coordinate over time, rad or m: a Signal or a smooth function of t. At t = 0 it must
        equal the coordinate, which is 0 unless the joint has a `zero`.

    Examples
    --------
    >>> Driver("crank", "main bearing", Signal.linear(2.0)).motion.sample([1.0]).tolist()
    [[2.0, 2.0, 0.0]]
    """

    joint: OfJoint
    motion: Motion
    coordinate: Which = "auto"

    @property
    def drives(self) -> str:
        return f"the {self.coordinate} of joint '{self.joint}'"


class PointDriver(AnyDriver):
    """Prescribed displacement of a point of a body along a direction of the world.

    Parameters
    ----------
    at
        The point in world coordinates at the start, m. None: the centre of mass.
    direction
        Direction in world axes. It is normalised.
    motion
        Displacement over time, m: a Signal or a smooth function of t, zero at t = 0.

    Examples
    --------
    >>> PointDriver("shaker", "table", (0, 0, 0), (0, 0, 3), Signal.sine(0.01, 50.0)).direction
    (0.0, 0.0, 1.0)
    """

    body: OfBody
    at: PointOrNone
    direction: Direction
    motion: Motion

    def _check(self) -> None:
        super()._check()
        check_start(self)

    @property
    def drives(self) -> str:
        return f"a point of body '{self.body}' along {in_brackets(self.direction)}"


def check_start(driver: AnyDriver, zero: float = 0.0) -> None:
    """Refuse a motion that does not begin where the poses entered are."""
    start = driver.motion.values([0.0], owner=f"{driver.where}, motion")[0]
    if abs(start - zero) > AT_ZERO:
        raise driver._wrong(
            f"motion is {start:.3g} at t = 0, but the start is where it is {zero:g}"
            f" (tolerance {AT_ZERO:g}).",
            "Subtract its first value, or start the bodies where the motion starts; a joint may"
            " have a zero of its own.",
        )
