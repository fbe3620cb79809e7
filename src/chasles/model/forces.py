"""Forces between two bodies.  A force is data, never a kernel.

Points are in world coordinates at the initial configuration; each stays fixed in its body.
"""

from math import dist, inf
from typing import Annotated, Any, ClassVar

import numpy as np

from chasles.model.body import GROUND  # noqa: F401  the examples join the ground
from chasles.model.checks import Invalid, checked_array, fill, shape_of
from chasles.model.errors import InvalidForce, short_repr
from chasles.model.fields import Direction, Point, Taken, given, not_negative, optional
from chasles.model.joints import End, Z, check_pair
from chasles.model.registered import Part
from chasles.model.words import ArrayLike

SixNumbers = tuple[float, float, float, float, float, float]
AT_REST: SixNumbers = (0.0,) * 6


def checked_six(value: Any, what: str, where: str, invalid: Invalid) -> SixNumbers:
    """Six numbers, none of them negative."""
    array = checked_array(value, what, where, invalid)
    if array.shape != (6,):
        raise invalid(
            f"{where}: {what} must be six numbers, got {shape_of(array)}.",
            "Give three along and three about the axes x, y, z.",
        )
    if np.any(array < 0.0):
        raise invalid(
            f"{where}: {what} must not be negative, got {short_repr(array.tolist())}.",
            "Give six numbers of zero or more.",
        )
    x, y, z, about_x, about_y, about_z = array.tolist()
    return (x, y, z, about_x, about_y, about_z)


Six = Annotated[Taken[ArrayLike, SixNumbers], checked_six]
RestLength = Annotated[Taken[float | None, float], optional(not_negative("m"))]


class Force(Part):
    """Base class of all forces. Use one of its kinds.

    Examples
    --------
    >>> import chasles as ch
    >>> spring = ch.JointSpring("spring", "hinge", stiffness=5.0)
    >>> isinstance(spring, ch.Force), spring.kind
    (True, 'jointspring')
    """

    #: the class name in lower case, for example "spring" or "jointspring"
    kind: ClassVar[str] = "force"
    kinds: ClassVar[dict[str, type["Force"]]] = {}
    word = "force"
    invalid = InvalidForce
    #: coefficients of which one at least is not zero
    acts_by: ClassVar[tuple[str, ...]] = ()

    name: str

    def _check(self) -> None:
        if type(self) is Force:
            raise InvalidForce(
                f"{self.where} is of no kind, so it does nothing.",
                "Use one of the kinds: Spring, JointSpring, Bushing, Load, Drag, ...",
            )
        if self.acts_by and not any(np.any(getattr(self, name)) for name in self.acts_by):
            *others, last = self.acts_by
            many = "all" if len(others) > 1 else "both"
            raise self._wrong(
                f"{', '.join(others)} and {last} are {many} 0, so it does nothing.",
                "Give one of them, or leave the force out.",
            )

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies that it is given for, the ground included."""
        ends = (getattr(self, end, None) for end in ("a", "b", "body"))
        return tuple(end for end in ends if end is not None)

    @property
    def acts_on(self) -> str:
        """What it acts on, in words."""
        return " and ".join(self.bodies)


class PairForce(Force, in_files=False):
    """A force between bodies a and b."""

    a: End
    b: End
    at: Point

    def _check(self) -> None:
        super()._check()
        check_pair(self.a, self.b, self.where, InvalidForce)


class Spring(PairForce):
    """A spring and damper between point `at` of a and point `at_b` of b.

    Parameters
    ----------
    at
        End on a in world coordinates at the start, m.
    at_b
        End on b in world coordinates at the start, m.
    stiffness
        Stiffness, N/m.
    damping
        Damping along the line between the points, N s/m.
    rest_length
        Length without force, m. The distance at the start if left out.

    Notes
    -----
    The ends may start at the same point only with rest_length=0 and no damping. The force is then
    the stiffness times the vector between them.

    Examples
    --------
    >>> Spring("coil", GROUND, "bob", at=(0, 0, 0), at_b=(0, 0, -2), stiffness=50.0).rest_length
    2.0
    """

    acts_by = ("stiffness", "damping")

    at_b: Point
    stiffness: Annotated[float, not_negative("N/m")]
    damping: Annotated[float, not_negative("N s/m")] = 0.0
    rest_length: RestLength = given(default=None)

    def _check(self) -> None:
        super()._check()
        defined = self.rest_length == self.damping == 0.0
        if self.length == inf or (self.length == 0.0 and not defined):
            raise self._wrong(
                f"at and at_b are {self.length:g} m apart at the start, and a spring"
                " pulls along the line between them.",
                "Move one of the points, so that the line has a direction; only a spring with"
                " rest_length=0 and no damping needs none.",
            )
        if self.rest_length is None:
            fill(self, rest_length=self.length)

    @property
    def length(self) -> float:
        """The distance of its ends at the start, m."""
        return dist(self.at, self.at_b)


class Bushing(PairForce):
    """A rubber mount between a and b: a spring and damper in six directions.

    Parameters
    ----------
    at
        Point of the mount in world coordinates at the start, m.
    stiffness
        Along x, y, z of its frame, N/m, then about x, y, z, N m/rad.
    damping
        Along x, y, z, N s/m, then about x, y, z, N m s/rad.
    axis
        z axis of its frame in world axes. x is the world axis farthest from it, made
        perpendicular. The frame is the world's for (0, 0, 1).

    Notes
    -----
    It exerts no force in the initial configuration. The rotation of b relative to a is measured by
    the rotation vector, so it must stay below half a turn.

    Examples
    --------
    >>> Bushing("mount", GROUND, "engine", (0, 0, 0), stiffness=[1e5] * 3 + [100] * 3).stiffness
    (100000.0, 100000.0, 100000.0, 100.0, 100.0, 100.0)
    """

    acts_by = ("stiffness", "damping")

    stiffness: Six
    damping: Six = given(default=AT_REST)
    axis: Direction = given(default=Z)
