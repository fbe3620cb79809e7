r"""Joints, forces and couplings by the user's own formulas.

A coupling of any number of bodies is

$$ g(C_1, \ldots, C_n) = 0, \qquad \sum_i J_i V_i = 0, $$

with the poses $C_i$ and body twists $V_i$.  With the multiplier $\lambda$ it exerts
$-\lambda J_i^T$ on every body: together these do no work.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from chasles.model.body import GROUND, Body
from chasles.model.checks import (
    Invalid,
    Vector3,
    answer_of,
    checked_array,
    checked_count,
    checked_vector,
    fill,
)
from chasles.model.coordinate_coupling import Coupling, Term
from chasles.model.couplings import RowJoint
from chasles.model.errors import InvalidCoupling, InvalidForce, InvalidJoint, short_repr
from chasles.model.fields import Direction, Flag, Taken, function, given, optional, unset
from chasles.model.formulas import check_once, checked_several, entered_motion, entered_pose
from chasles.model.joints import Attachment, End, Z
from chasles.model.loads import BodyForce, is_plain, pushed_body
from chasles.model.words import ArrayLike, Floats

Pose = tuple[tuple[float, ...], tuple[float, ...]]
MOST_ROWS = 6  # more would lock more than there is
TWISTS = 12  # components of the twists of two bodies


OF_PAIR = "formula(pose_a, pose_b)"
ONE = "formula(t, position, rotation, velocity, angular_velocity)"
SEVERAL = "formula(t, motion_1, motion_2, ...)"
JACOBIAN = optional(function("jacobian(pose_a, pose_b)"))


def checked_rows(rows: Any, what: str, where: str, invalid: Invalid) -> int:
    return checked_count(rows, what, MOST_ROWS, where, invalid)


FirstBody = Annotated[Taken[Body | str | Sequence[Body | str], str], pushed_body]
OtherBodies = Taken[Sequence[Body | str], tuple[str, ...]]
SeveralBodies = Annotated[OtherBodies, checked_several]


class CustomJoint(RowJoint, in_files=False):
    """A joint that keeps the residuals of your formula at zero.

    Parameters
    ----------
    formula
        formula(pose_a, pose_b) -> tuple of `rows` numbers. A pose is (R, r): the rotation from
        body to world as nine numbers, row by row, and the centre of mass in world coordinates,
        m.
    rows
        Number of residuals.
    at
        Point where the reaction is measured, m. The centre of mass of b if left out.
    jacobian
        Optional. Derivatives of the residuals by the body twists (omega, v) of a and b, `rows`
        times 12 numbers. It is checked against the derivative of the formula.

    Notes
    -----
    Derivatives come from automatic differentiation: use + - * / ** and NumPy's functions
    (np.sqrt(x), not math.sqrt(x)). The formula is called through Python, about 0.15 ms each time,
    so a model with one runs about a hundred times slower than with built-in joints.

    Examples
    --------
    >>> def level(pose_a, pose_b):
    ...     return (pose_b[1][2],)
    >>> CustomJoint("level", "ground", "raft", level, rows=1).locked
    ('g0',)
    """

    needs_point = False

    axis: Direction = unset(Z)
    formula: Annotated[Callable[..., Any], function(OF_PAIR)]
    rows: Annotated[int, checked_rows]
    jacobian: Annotated[Callable[..., Any] | None, JACOBIAN]

    def __init__(
        self,
        name: str,
        a: Attachment,
        b: Attachment,
        formula: Callable[..., Any],
        rows: int,
        at: ArrayLike | None = None,
        jacobian: Callable[..., Any] | None = None,
    ) -> None:
        fill(self, name=name, a=a, b=b, at=at, formula=formula, rows=rows, jacobian=jacobian)
        self.__post_init__()

    def _check(self) -> None:
        fill(self, locked=tuple(f"g{row}" for row in range(self.rows)))
        super()._check()

    def completed(self, bodies: Mapping[str, Body]) -> "CustomJoint":
        """The same; its formula has been called with the poses entered."""
        check_once(self.residual, *(entered_pose(name, bodies) for name in (self.a, self.b)))
        return self

    def residual(self, pose_a: Pose, pose_b: Pose) -> tuple[float, ...]:
        """The residuals of the formula at two poses, checked to be `rows` finite numbers."""
        remedy = f"Return a tuple of {self.rows}, or correct rows=."
        return tuple(self._called("formula", (self.rows,), remedy, pose_a, pose_b).tolist())

    def given_jacobian(self, pose_a: Pose, pose_b: Pose) -> Floats | None:
        """The user's jacobian at two poses, (rows, 12), or None if there is none."""
        if self.jacobian is None:
            return None
        remedy = "Return the derivatives by (omega, v) of a, then of b, row by row."
        return self._called("jacobian", (self.rows, TWISTS), remedy, pose_a, pose_b)

    def _called(self, what: str, shape: tuple[int, ...], remedy: str, *poses: Pose) -> Floats:
        call = f"Give {what}(pose_a, pose_b) with poses (R, r) of nine and three numbers."
        function = getattr(self, what)
        returned = answer_of(function, poses, f"{self.where}: its {what}", call, InvalidJoint)
        values = checked_array(returned, f"what its {what} returned", self.where, InvalidJoint)
        if values.shape != shape:
            raise self._wrong(
                f"its {what} returned shape {values.shape}, but rows is {self.rows},"
                f" so that it must be {shape}.",
                remedy,
            )
        return values


class CustomForce(BodyForce, in_files=False):
    """Your own force and torque: a formula of time and of the motion of one body, or of several.

    Parameters
    ----------
    body
        The body, or a list of bodies.
    formula
        formula(t, position, rotation, velocity, angular_velocity) -> (force, torque) at the
        centre of mass in world axes, N and N m. rotation is nine numbers, row by row, from body
        to world. angular_velocity is in body axes; position and velocity are in world axes.
    reaction
        Body that receives the opposite force and torque, or the ground.
    compiled
        Whether to compile the formula. Compiled formulas may use only numbers, tuples and math.
        Otherwise the formula is called through Python, about 4 microseconds each time.
    sees_reaction
        Whether the formula gets a last argument: (position, rotation, velocity,
        angular_velocity) of the body in `reaction`.
    others
        Further bodies, as in a list.

    Notes
    -----
    With a list of bodies, the formula is formula(t, motion_1, motion_2, ...) -> [(force_1,
    torque_1), ...]. A motion is (position, rotation, velocity, angular_velocity). No reaction is
    added.

    Examples
    --------
    >>> def lift(t, position, rotation, velocity, angular_velocity):
    ...     return (0.0, 0.0, 2.0), (0.0, 0.0, 0.0)
    >>> CustomForce("lift", "wing", lift).reaction
    'ground'
    >>> CustomForce("pull", ["sun", "earth", "moon"], lift).bodies
    ('sun', 'earth', 'moon')
    """

    body: FirstBody
    formula: Annotated[Callable[..., Any], function(ONE)]
    reaction: End = given(default=GROUND)
    compiled: Flag = False
    sees_reaction: Flag = False
    others: OtherBodies = given(default=())  # beside the first, where the formula sees several

    def __post_init__(self) -> None:
        first, rest = first_and_rest(self.name, self.body, self.others)
        fill(self, body=first, others=rest)
        super().__post_init__()

    def _check(self) -> None:
        super()._check()
        if self.reaction == self.body:
            raise self._wrong(
                f"body and reaction are both '{self.body}', so it does nothing.",
                "Give another body, or leave it out for the ground.",
            )
        alone = self.reaction == GROUND.name and not self.compiled and not self.sees_reaction
        if self.others and not alone:
            raise self._wrong(
                "its formula sees several bodies and answers for each of them, so"
                " that reaction, compiled and sees_reaction have no meaning.",
                "Leave them out.",
            )
        if self.compiled and self.sees_reaction:
            raise self._wrong(
                "compiled and sees_reaction are both True, but machine code sees one body only.",
                "Leave compiled=True out.",
            )

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body, *self.others) if self.others else (self.body, self.reaction)

    def completed(self, bodies: Mapping[str, Body]) -> "CustomForce":
        """The same; its formula has been called with the motion entered."""
        seen = self.bodies if self.others or self.sees_reaction else (self.body,)
        first, *more = (entered_motion(name, bodies) for name in seen)
        if self.others:
            check_once(self.wrenches, 0.0, first, *more)
        elif not self.compiled:  # whose compiler tells
            check_once(self.wrench, 0.0, *first, *more)
        return self

    def wrenches(self, t: float, *motions: Any) -> list[tuple[Vector3, Vector3]]:
        """Force and torque on every body of several, checked: formula(t, *motions)."""
        count, when = len(self.bodies), f"at t = {t:g} s"
        returned = self._returned(t, motions, SEVERAL)
        try:
            pairs = [(force, torque) for force, torque in returned]
        except (TypeError, ValueError):
            pairs = []
        if len(pairs) != count:
            raise self._wrong(
                f"its formula returned {short_repr(returned)} {when}, but sees {count} bodies.",
                f"Return {count} pairs (force, torque), in the order of the bodies.",
            )
        return [
            self._checked(pair, f" on '{name}' {when}")
            for name, pair in zip(self.bodies, pairs, strict=True)
        ]

    def wrench(self, t: float, *motion: Any) -> tuple[Vector3, Vector3]:
        """Force and torque at one time and motion, checked: formula(t, *motion)."""
        returned = self._returned(t, motion, ONE)
        when = f"at t = {t:g} s"
        try:
            force, torque = returned
        except (TypeError, ValueError):
            raise self._wrong(
                f"its formula returned {short_repr(returned)} {when}.",
                "Return two vectors: (force, torque), each of three numbers.",
            ) from None
        return self._checked((force, torque), f" {when}")

    def _returned(self, t: float, motion: Sequence[Any], call: str) -> Any:
        what, remedy = f"{self.where}: its formula", f"Give {call}."
        return answer_of(self.formula, (t, *motion), what, remedy, InvalidForce, t=t)

    def _checked(self, pair: tuple[Any, Any], which: str) -> tuple[Vector3, Vector3]:
        force, torque = pair
        if is_plain(force) and is_plain(torque):  # nearly always, and quick
            return force, torque
        return (
            checked_vector(force, f"the force{which}", self.where, InvalidForce),
            checked_vector(torque, f"the torque{which}", self.where, InvalidForce),
        )


def first_and_rest(name: Any, body: Any, others: Any) -> tuple[Any, tuple[str, ...]]:
    """The body of a formula that sees one, or the first of several and the others."""
    first, more = (
        [*value] if isinstance(value, list | tuple) else [value] for value in (body, others)
    )
    if not isinstance(body, list | tuple) and not more:
        return body, ()
    several = checked_several([*first, *more], "bodies", f"force '{name}'", InvalidForce)
    return several[0], several[1:]


class CustomCoupling(Coupling, in_files=False):
    """A constraint on two or more bodies: your formula of their poses stays zero.

    Parameters
    ----------
    bodies
        The bodies, at most 16.
    formula
        formula(pose_1, pose_2, ...) -> one number. A pose is (R, r) as in `CustomJoint`.

    Notes
    -----
    Use it for a rope over moving pulleys, or a point between two others. Derivatives come from
    automatic differentiation: use + - * / ** and NumPy's functions. The formula is called through
    Python, about 0.2 ms each time with three bodies. `Result.effort` is the multiplier of the
    constraint. It does no work.

    Examples
    --------
    >>> def middle(left, right, slider):
    ...     return left[1][0] + right[1][0] - 2.0 * slider[1][0]
    >>> CustomCoupling("middle", ["left", "right", "slider"], middle).bodies
    ('left', 'right', 'slider')
    """

    terms: tuple[Term, ...] = unset(())
    offset: float = unset(0.0)
    bodies: SeveralBodies
    formula: Annotated[Callable[..., Any], function("formula(pose_1, pose_2, ...)")]

    #: a user's formula has so many residuals
    rows = 1

    @property
    def drives(self) -> str:
        return f"a formula of {', '.join(self.bodies)}"

    def completed(self, bodies: Mapping[str, Body]) -> "CustomCoupling":
        """The same; its formula has been called with the poses entered."""
        check_once(self.residual, *(entered_pose(name, bodies) for name in self.bodies))
        return self

    def residual(self, *poses: Pose) -> float:
        """What the formula gives at some poses, checked to be one finite number."""
        call = f"formula(pose_1, ..., pose_{len(self.bodies)})"
        remedy = f"Give {call} with poses (R, r) of nine and three numbers."
        what = f"{self.where}: its formula"
        returned = answer_of(self.formula, poses, what, remedy, InvalidCoupling)
        alone = isinstance(returned, tuple | list) and len(returned) == 1
        given = returned[0] if alone else returned
        value = checked_array(given, "what its formula returned", self.where, InvalidCoupling)
        if value.shape != ():
            raise self._wrong(
                f"its formula returned shape {value.shape}, but it is one number.",
                "Return one number; give a coupling of its own for every other.",
            )
        return float(np.asarray(value))
