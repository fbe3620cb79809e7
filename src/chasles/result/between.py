r"""A state between two saved ones: `result.at(t)`.

From one saved pose to the next a body moves by $\exp(\xi(s))$, where $\xi$ is the cubic that has
the saved velocities at both ends. It is taken in the body's own space, relative to the body that
it refers to. So a body moves only as the lower pair of a tree allows, at any time, and free flight
is a parabola. The error is of fourth order in the distance of the saved times.

And a result with fewer of its states: `result[::10]`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chasles.build.system.coordinates import angle_columns, coordinate_keys, coordinate_of_poses
from chasles.build.system.state import State
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.core.placed import nearest_turn
from chasles.groups.se3 import se3_compose, se3_dexp, se3_dexp_inv, se3_exp, se3_inverse, se3_log
from chasles.groups.so3 import so3_from_matrix, so3_matrix
from chasles.groups.so3xr3 import (
    so3xr3_compose,
    so3xr3_dexp,
    so3xr3_dexp_inv,
    so3xr3_exp,
    so3xr3_inverse,
    so3xr3_log,
)
from chasles.model import Body, InvalidOption, Model
from chasles.model.checks import checked_number
from chasles.model.coordinates import ANGLE
from chasles.model.errors import short_repr
from chasles.result.trajectory import OVER_TIME
from chasles.spaces.space import Space, frame_point, reference_order

if TYPE_CHECKING:
    from chasles.result.result import Result


class Group(NamedTuple):
    compose: Callable[..., Any]
    inverse: Callable[..., Any]
    exp: Callable[..., Any]
    log: Callable[..., Any]
    dexp: Callable[..., Any]
    dexp_inv: Callable[..., Any]


SE3 = Group(se3_compose, se3_inverse, se3_exp, se3_log, se3_dexp, se3_dexp_inv)
PRODUCT = Group(
    so3xr3_compose, so3xr3_inverse, so3xr3_exp, so3xr3_log, so3xr3_dexp, so3xr3_dexp_inv
)


class Motion(NamedTuple):
    """Rotation, place and velocity of a point, and angular velocity in the body's own axes."""

    rotation: Floats
    place: Floats
    angular: Floats
    velocity: Floats


AT_REST = Motion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def state_at(result: "Result", t: Any) -> State:
    """The state at a time within the run, in s."""
    time = checked_number(t, "t", "at", InvalidOption)
    first, last = float(result.t[0]), float(result.t[-1])
    if not first <= time <= last:
        raise InvalidOption(
            f"at: t = {time} s is outside of the result, from {first} to {last} s.",
            "Ask for a time within it, or run further: simulate(model, until=..., start=result).",
        )
    after = int(np.searchsorted(result.t, time))
    if result.t[after] == time:
        return result.state(after)
    length = float(result.t[after] - result.t[after - 1])
    share = (time - float(result.t[after - 1])) / length
    rows = blended_rows(result, after, length, share)
    setup, model = result.problem.setup, result.model
    here, there = result.state(after - 1).angles, result.state(after).angles
    angles = {}
    for joint in here:
        near = (1.0 - share) * here[joint] + share * there[joint]
        found = coordinate_of_poses(setup, joint, "angle", rows[None])[0]
        angles[joint] = float(nearest_turn(found, near))
    order = [setup.body_index[name] for name in model.body_names]
    return State.from_absolute(time, model, rows[order], angles)


def blended_rows(result: "Result", after: int, length: float, share: float) -> Floats:
    """(n, 18) in the order of calculation, between the saved states `after - 1` and `after`."""
    setup, model = result.problem.setup, result.model
    found = np.empty_like(result.absolute[after])
    # motions of centres of mass of the bodies so far: at both ends, and between
    known: dict[str | None, tuple[Motion, ...]] = {None: (AT_REST,) * 3}
    for name in reference_order(model, dict(setup.spaces)):
        space, body, row = setup.spaces[name], model.body(name), setup.body_index[name]
        lever, group = frame_of(space, body, model)
        ends = [motion_of(result.absolute[k, row]) for k in (after - 1, after)]
        reference = known[space.relative_to]
        here, there = (relative(moved_to(end, lever), r) for end, r in zip(ends, reference))
        check_turn(name, (here, there), length, result.t[after - 1])
        between = composed(reference[2], blended(group, here, there, length, share))
        own = moved_to(between, -lever)
        known[name] = (*ends, own)
        found[row] = row_of(own)
    return found


def frame_of(space: Space, body: Body, model: Model) -> tuple[Floats, Group]:
    """The frame point of a body's space in its axes, and the group its pose is taken in.

    A subgroup is part of SE(3), where the frame point makes no difference.
    """
    if space.group == "SE3" or (space.group == "subgroup" and space.at is not None):
        return np.zeros(3), SE3
    point = np.array(frame_point(space, body, model)) - np.array(body.position)
    return np.array(body.rotation).T @ point, PRODUCT


def check_turn(name: str, ends: tuple[Motion, ...], length: float, since: Any) -> None:
    """Refuse a body that turns by half a turn or more: poses do not show which way."""
    turn = length * max(float(np.linalg.norm(end.angular)) for end in ends)
    if turn >= np.pi:
        raise InvalidOption(
            f"at: body '{name}' turns by {turn:.2g} rad from the saved time {float(since):g} s to"
            f" the next, {length:g} s later; between them its pose is not known.",
            "Save more states: a smaller save_every, or t_eval= with the times wanted.",
        )


def blended(group: Group, here: Motion, there: Motion, length: float, share: float) -> Motion:
    """The cubic in the logarithm that has both velocities."""
    pose, velocity = element(group, here)
    end, end_velocity = element(group, there)
    whole = group.log(group.compose(group.inverse(pose), end))
    s = share
    at_end = np.array(group.dexp_inv(minus(whole), end_velocity)) * length
    basis = np.stack((np.array(velocity) * length, np.array(whole), at_end))
    xi = np.tensordot((s * (1 - s) ** 2, s * s * (3 - 2 * s), s * s * (s - 1)), basis, 1)
    slope = np.tensordot(
        ((1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)), basis / length, 1
    )
    turn, place = group.compose(pose, group.exp(pair(xi)))
    angular, linear = map(np.array, group.dexp(minus(pair(xi)), pair(slope)))
    rotation = np.array(so3_matrix(turn)).reshape(3, 3)
    return Motion(rotation, np.array(place), angular, rotation @ linear if group is SE3 else linear)


def element(group: Group, motion: Motion) -> tuple[Any, Any]:
    """An element of the group and its velocity, as the formulas take them."""
    turn = so3_from_matrix(tuple(motion.rotation.ravel().tolist()))
    linear = motion.rotation.T @ motion.velocity if group is SE3 else motion.velocity
    return (turn, tuple(motion.place.tolist())), pair(np.stack((motion.angular, linear)))


def pair(rows: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(rows[0].tolist()), tuple(rows[1].tolist())


def minus(twist: Any) -> Any:
    return pair(-np.array(twist))


# --- motions of points, and relative to each other ------------------------------------------------


def motion_of(row: Floats) -> Motion:
    rotation = row[POSE_R : POSE_R + 9].reshape(3, 3)
    place, angular = row[POSE_X : POSE_X + 3], row[TWIST : TWIST + 3]
    return Motion(rotation, place, angular, rotation @ row[TWIST + 3 :])


def row_of(motion: Motion) -> Floats:
    row = np.empty(TWIST + 6)
    row[POSE_R : POSE_R + 9] = motion.rotation.ravel()
    row[POSE_X : POSE_X + 3] = motion.place
    row[TWIST : TWIST + 3] = motion.angular
    row[TWIST + 3 :] = motion.rotation.T @ motion.velocity
    return row


def moved_to(motion: Motion, lever: Floats) -> Motion:
    """The motion of another point of the body."""
    turn = motion.rotation
    velocity = motion.velocity + turn @ np.cross(motion.angular, lever)
    return Motion(turn, motion.place + turn @ lever, motion.angular, velocity)


def relative(motion: Motion, reference: Motion) -> Motion:
    """As seen in the frame of the reference."""
    turn = reference.rotation.T @ motion.rotation
    place = reference.rotation.T @ (motion.place - reference.place)
    velocity = reference.rotation.T @ (motion.velocity - reference.velocity)
    return Motion(
        turn, place, motion.angular - turn.T @ reference.angular,
        velocity - np.cross(reference.angular, place),
    )  # fmt: skip


def composed(reference: Motion, seen: Motion) -> Motion:
    """The inverse of `relative`."""
    turn = reference.rotation @ seen.rotation
    velocity = seen.velocity + np.cross(reference.angular, seen.place)
    return Motion(
        turn, reference.place + reference.rotation @ seen.place,
        seen.angular + seen.rotation.T @ reference.angular,
        reference.velocity + reference.rotation @ velocity,
    )  # fmt: skip


def sliced(result: "Result", index: Any) -> "Result":
    """Some of the states in their order, with a note of which; the run can go on from its end."""
    count = len(result.t)
    try:
        rows = range(*index.indices(count))
    except (AttributeError, TypeError, ValueError):
        rows = range(0)
    if not rows or rows.step < 0:
        raise InvalidOption(
            f"a result of {count} states was asked for its states {words_of(index)}.",
            "Give a number, or a slice that goes forward and has a state in it: result[::10].",
        )
    whole = with_counted_angles(result)
    had_words = result.provenance.get("slice")
    note = f"states {rows[0]} to {rows[-1]} in steps of {rows.step} of {count}"
    others = {**result.provenance.others,
              "slice": f"{had_words}; of those {note}" if had_words else note}  # fmt: skip
    return replace(
        rows_of(whole, slice(rows.start, rows.stop, rows.step)),
        provenance=replace(result.provenance, others=others),
        checkpoint=result.checkpoint if rows[-1] == count - 1 else None,
    )


def words_of(index: Any) -> str:
    if not isinstance(index, slice):
        return short_repr(index)
    parts = (
        "" if part is None else short_repr(part) for part in (index.start, index.stop, index.step)
    )
    return f"[{':'.join(parts)}]"


def rows_of(result: "Result", rows: Any) -> "Result":
    """The same with some of its states."""
    kept = {name: a[rows] for name in OVER_TIME if (a := getattr(result, name)) is not None}
    return replace(result, **kept)


def with_counted_angles(result: "Result") -> "Result":
    """Angles whose turns only the whole history tells are kept as numbers."""
    keys = coordinate_keys(result.model)
    counted = angle_columns(result.problem.setup)
    known = result.coordinates
    coordinates = np.full((len(result.t), len(keys)), np.nan) if known is None else known.copy()
    for column, (joint, word) in enumerate(keys):
        if word == ANGLE and joint not in counted and np.isnan(coordinates[:, column]).all():
            coordinates[:, column] = result.coordinate(joint, word)
    if np.isnan(coordinates).all():
        return result
    return replace(result, coordinates=coordinates)
