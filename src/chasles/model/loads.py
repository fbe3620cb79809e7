"""Forces and torques on one body."""

from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, TypeGuard

import numpy as np

from chasles.model.body import Body, body_that
from chasles.model.checks import Invalid, Vector3, answer_of, checked_times, checked_vector
from chasles.model.errors import ChaslesError, InvalidForce
from chasles.model.fields import PointOrNone, Taken, given, not_negative, word
from chasles.model.forces import Force
from chasles.model.signals import Components, components_of, is_components
from chasles.model.words import ArrayLike, Floats, Frame

VectorOfTime = Vector3 | Callable[..., Any]
ZERO: Vector3 = (0.0, 0.0, 0.0)
WORLD, BODY = "world", "body"


def checked_load(value: Any, what: str, where: str, invalid: Invalid) -> VectorOfTime:
    """Three numbers, or what will be called for them."""
    if value is None:
        return ZERO
    if callable(value):
        vector_at(getattr(value, "py_func", value), 0.0, what, where)  # what fails, fails at once
        function: Callable[..., Any] = value
        return function
    if is_components(value):
        return components_of(value, what, where, invalid)
    try:
        return checked_vector(value, what, where, invalid)
    except ChaslesError as error:
        raise invalid(
            error.what,
            "Give (x, y, z), each a number or a Signal, or a function of t that returns three"
            " numbers.",
        ) from None


pushed_body = body_that("no force moves")
Wrench = Annotated[Taken[ArrayLike | Callable[..., Any] | None, VectorOfTime], checked_load]
OnBody = Annotated[Taken[Body | str, str], pushed_body]


class BodyForce(Force, in_files=False):
    """A force on one body."""

    body: OnBody


class Load(BodyForce):
    """A given force and torque on a body.

    Parameters
    ----------
    force
        Force, N: three numbers, or a function of t that returns three. A component may be a
        Signal.
    torque
        Torque, N m, in the same forms.
    at
        Point of the body where the force acts, in world coordinates at the start, m. The centre
        of mass if left out.
    frame
        Axes of force and torque: "world", or "body" (they turn with the body).

    Examples
    --------
    >>> Load("thrust", "rocket", force=(0, 0, 500), frame="body").force
    (0.0, 0.0, 500.0)
    """

    force: Wrench = given(default=None)
    torque: Wrench = given(default=None)
    at: PointOrNone = given(default=None)
    frame: Annotated[Frame, word(Frame)] = "world"

    def __post_init__(self) -> None:
        if self.force is None and self.torque is None:
            raise self._wrong(
                "there is neither a force nor a torque.",
                "Give force=(x, y, z) in N, torque=(x, y, z) in N m, or functions of t.",
            )
        super().__post_init__()

    def sample(self, times: ArrayLike) -> tuple[Floats, Floats]:
        """Force and torque at T times, each (T, 3), in the axes of `frame`."""
        t = checked_times(times, self.where, InvalidForce)
        return (
            sampled(self.force, t, "force", self.where),
            sampled(self.torque, t, "torque", self.where),
        )


class Drag(BodyForce):
    """Resistance of the medium at the centre of mass of a body.

    Parameters
    ----------
    linear
        N s/m.
    quadratic
        N s^2/m^2.
    angular
        N m s/rad.
    angular_quadratic
        N m s^2/rad^2.

    Notes
    -----
    Force ``-(linear + quadratic |v|) v``, torque ``-(angular + angular_quadratic |w|) w``.

    Examples
    --------
    >>> Drag("air", "ball", quadratic=0.02).quadratic
    0.02
    """

    acts_by = ("linear", "quadratic", "angular", "angular_quadratic")

    linear: Annotated[float, not_negative("N s/m")] = 0.0
    quadratic: Annotated[float, not_negative("N s^2/m^2")] = 0.0
    angular: Annotated[float, not_negative("N m s/rad")] = 0.0
    angular_quadratic: Annotated[float, not_negative("N m s^2/rad^2")] = 0.0


def sampled(value: VectorOfTime, t: Floats, what: str, where: str) -> Floats:
    """(T, 3): a constant vector repeated, or a function called once per time."""
    if not callable(value):
        return np.tile(np.array(value), (t.size, 1))
    if isinstance(value, Components):
        return value.sample(t, f"{where}, {what}")
    return np.array([vector_at(value, time, what, where) for time in t.tolist()]).reshape(-1, 3)


def vector_at(function: Callable[..., Any], t: float, what: str, where: str) -> Vector3:
    remedy = "Give a function that takes the time in s and returns three numbers."
    value = answer_of(function, (t,), f"{where}: {what}(t)", remedy, InvalidForce, t=t)
    if is_plain(value):
        return value
    return checked_vector(value, f"{what}(t) at t = {t:g} s", where, InvalidForce)


def is_plain(value: Any) -> TypeGuard[Vector3]:
    """Whether it is a tuple of three finite floats: most are, and functions are called often."""
    if type(value) is not tuple or len(value) != 3:
        return False
    x, y, z = value
    return type(x) is type(y) is type(z) is float and isfinite(x) and isfinite(y) and isfinite(z)
