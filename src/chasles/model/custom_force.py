"""Forces by a user's own formula, on one body or on several."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chasles.model.body import GROUND, Body, checked_body
from chasles.model.checks import Vector3, check_flag, checked_callable, checked_vector, fill
from chasles.model.errors import ChaslesError, InvalidForce, one_line, short_repr
from chasles.model.first_call import check_once, entered_motion
from chasles.model.joints import Attachment
from chasles.model.loads import BodyForce, is_plain
from chasles.model.several import checked_several

ONE = "formula(t, position, rotation, velocity, angular_velocity)"
SEVERAL = "formula(t, motion_1, motion_2, ...)"


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

    formula: Callable[..., Any] = tuple
    reaction: str = GROUND.name
    compiled: bool = False
    sees_reaction: bool = False
    others: tuple[str, ...] = ()  # bodies beside the first, where the formula sees several

    def __init__(
        self,
        name: str,
        body: Body | str | Sequence[Body | str],
        formula: Callable[..., Any],
        reaction: Attachment = GROUND,
        compiled: bool = False,
        sees_reaction: bool = False,
        others: Sequence[Body | str] = (),
    ) -> None:
        first, rest = first_and_rest(name, body, others)
        super().__init__(name, first)
        other = checked_body(reaction, "reaction", self.where, InvalidForce)
        if other == self.body:
            raise InvalidForce(
                f"{self.where}: body and reaction are both '{other}', so it does nothing.",
                "Give another body, or leave it out for the ground.",
            )
        for what, flag in {"compiled": compiled, "sees_reaction": sees_reaction}.items():
            check_flag(flag, what, self.where, InvalidForce)
        if rest and (other != GROUND.name or compiled or sees_reaction):
            raise InvalidForce(
                f"{self.where}: its formula sees several bodies and answers for each of them, so"
                " that reaction, compiled and sees_reaction have no meaning.",
                "Leave them out.",
            )
        if compiled and sees_reaction:
            raise InvalidForce(
                f"{self.where}: compiled and sees_reaction are both True, but machine code sees one"
                " body only.",
                "Leave compiled=True out.",
            )
        fill(
            self,
            formula=checked_callable(formula, "formula", ONE, self.where, InvalidForce),
            reaction=other,
            compiled=bool(compiled),
            sees_reaction=bool(sees_reaction),
            others=rest,
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
            raise InvalidForce(
                f"{self.where}: its formula returned {short_repr(returned)} {when}, but sees"
                f" {count}"
                " bodies.",
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
            raise InvalidForce(
                f"{self.where}: its formula returned {short_repr(returned)} {when}.",
                "Return two vectors: (force, torque), each of three numbers.",
            ) from None
        return self._checked((force, torque), f" {when}")

    def _returned(self, t: float, motion: Sequence[Any], call: str) -> Any:
        try:
            return self.formula(t, *motion)
        except ChaslesError:
            raise
        except Exception as error:
            raise InvalidForce(
                f"{self.where}: its formula raised {type(error).__name__} at t = {t:g} s:"
                f" {one_line(error)}",
                f"Give {call}.",
            ) from error

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
    if isinstance(body, list | tuple):
        several = checked_several(body, f"force '{name}'", InvalidForce)
        return several[0], several[1:]
    if isinstance(others, tuple | list) and not others:
        return body, ()
    listed = [*others] if isinstance(others, list | tuple) else [others]
    several = checked_several([body, *listed], f"force '{name}'", InvalidForce)
    return several[0], several[1:]
