r"""A state between two saved ones: `result.at(t)`.

From one saved pose to the next a body moves by $\exp(\xi(s))$, where $\xi$ is the cubic that has
the saved velocities at both ends. It is taken in the pair that carries the body. So a body moves
only as the lower pair of a tree allows, at any time, and free flight is a parabola. The error is of
fourth order in the distance of the saved times.

And a result with fewer of its states: `result[::10]`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chasles.build.dynamics.tree_problem import kept_coordinates, points_of
from chasles.build.system.coordinates import (
    angle_columns,
    coordinate_keys,
    coordinate_of_poses,
    coordinate_rate,
)
from chasles.build.system.state import State
from chasles.build.system.tree_setup import tree_setup
from chasles.build.system.tree_state import absolute_of
from chasles.core.arrays import Floats
from chasles.core.placed import nearest_turn
from chasles.core.recursion.tree import (
    DOF,
    SE3_PAIR,
    SPHERICAL,
    STORED,
    make_tree_workspace,
    turns_of,
)
from chasles.groups.se3 import se3_compose, se3_dexp, se3_dexp_inv, se3_exp, se3_inverse, se3_log
from chasles.groups.so3xr3 import (
    so3xr3_compose,
    so3xr3_dexp,
    so3xr3_dexp_inv,
    so3xr3_exp,
    so3xr3_inverse,
    so3xr3_log,
)
from chasles.model import InvalidOption
from chasles.model.checks import checked_number
from chasles.model.coordinates import ANGLE
from chasles.model.errors import short_repr
from chasles.result.trajectory import OVER_TIME

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
    rows = rows_between(result, after, length, share)
    setup = result.problem.setup
    here, there = result.state(after - 1).angles, result.state(after).angles
    angles, ends = {}, result.absolute[after - 1 : after + 1]
    for joint in here:
        check_counted_turn(result, joint, there[joint] - here[joint], length, after)
        rates = coordinate_rate(setup, joint, ANGLE, ends)
        gone, _ = cubic(there[joint] - here[joint], rates[0], rates[1], length, share)
        found = coordinate_of_poses(setup, joint, ANGLE, rows[None])[0]
        angles[joint] = float(nearest_turn(found, here[joint] + gone))
    return State.from_absolute(time, result.model, rows[setup.model_order], angles)


def rows_between(result: "Result", after: int, length: float, share: float) -> Floats:
    """(n, 18) in the order of calculation, between the saved states `after - 1` and `after`."""
    setup, ends = result.problem.setup, slice(after - 1, after + 1)
    known = None if result.coordinates is None else result.coordinates[ends]
    here, there = points_of(setup, result.absolute[ends], result.integrals[ends], known)
    kept = kept_coordinates(setup, result.integrals[ends], known)
    found, point = tree_setup(setup), here.copy()
    tree, counted = found.tree, {found.body_of.get(joint) for joint, word in kept if word == ANGLE}
    for body, pair in enumerate(tree.pair.tolist()):
        q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
        stored, rates = slice(q, q + STORED[pair]), slice(v, v + DOF[pair])
        begin, end = ((one[stored], one[rates]) for one in (here, there))
        turns = 3 if pair >= SPHERICAL else turns_of(pair)
        turn = length * max(float(np.linalg.norm(one[1][:turns])) for one in (begin, end))
        check_turn(result, body, turn, length, after)
        if pair < SPHERICAL and turns_of(pair) and body not in counted:
            # an angle whose joint counts no turns is known but for these
            near = begin[0][0] + 0.5 * length * (begin[1][0] + end[1][0])
            end[0][0] = nearest_turn(end[0][0], near)
        blend = turned if pair >= SPHERICAL else shifted
        point[stored], point[rates] = blend(pair, begin, end, length, share)
    tree_work = make_tree_workspace(tree, np.zeros(1), False, False)
    return absolute_of(tree, tree_work, point[None])[0]


def check_counted_turn(
    result: "Result", joint: str, turn: float, length: float, after: int
) -> None:
    """The same of bodies in six-dimensional spaces, which a joint lets turn by an angle."""
    joints, pair = result.problem.setup.system.joints, tree_setup(result.problem.setup).tree.pair
    index = result.problem.setup.joint_index[joint]
    for body in (int(joints.a[index]), int(joints.b[index])):
        if body >= 0 and pair[body] >= SPHERICAL:
            check_turn(result, body, abs(turn), length, after)


def check_turn(result: "Result", body: int, turn: float, length: float, after: int) -> None:
    """Refuse a body that turns by half a turn or more: poses do not show which way."""
    if turn >= np.pi:
        name = list(result.problem.setup.body_index)[body]
        raise InvalidOption(
            f"at: body '{name}' turns by {turn:.2g} rad from the saved time"
            f" {float(result.t[after - 1]):g} s to the next, {length:g} s later; between them its"
            " pose is not known.",
            "Save more states: a smaller save_every, or t_eval= with the times wanted.",
        )


def shifted(pair: int, begin: Any, end: Any, length: float, share: float) -> tuple[Any, Any]:
    """Stored numbers and rates of a pair whose coordinates are numbers: an angle comes first."""
    stored = begin[0].copy()
    at = [0, *range(3, len(stored))] if turns_of(pair) else list(range(len(stored)))
    gone, rates = cubic(end[0][at] - stored[at], begin[1], end[1], length, share)
    stored[at] += gone
    if turns_of(pair):
        stored[1:3] = np.cos(stored[0]), np.sin(stored[0])
    return stored, rates


def turned(pair: int, begin: Any, end: Any, length: float, share: float) -> tuple[Any, Any]:
    """The same of a pair that stores a quaternion, and a place if it is no ball."""
    group = SE3 if pair == SE3_PAIR else PRODUCT
    (pose, first), (last_pose, last) = (element(*one) for one in (begin, end))
    whole = group.log(group.compose(group.inverse(pose), last_pose))
    last = group.dexp_inv(minus(whole), pairs(last))
    gone, slope = cubic(np.array(whole), first, np.array(last), length, share)
    moved = group.compose(pose, group.exp(pairs(gone)))
    rates = np.ravel(group.dexp(minus(gone), pairs(slope)))
    return np.concatenate(moved)[: len(begin[0])], rates[: len(begin[1])]


def cubic(whole: Any, first: Any, last: Any, length: float, share: float) -> tuple[Any, Any]:
    """How far the cubic with both rates has gone, and its slope."""
    s, basis = share, np.stack((first * length, whole, last * length))
    gone = np.tensordot((s * (1 - s) ** 2, s * s * (3 - 2 * s), s * s * (s - 1)), basis, 1)
    slope = np.tensordot(
        ((1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)), basis / length, 1
    )
    return gone, slope


def element(stored: Floats, rates: Floats) -> tuple[Any, Floats]:
    """An element of the group, and its velocity (2, 3); a ball stays where it is."""
    place, velocity = np.zeros(3), np.zeros((2, 3))
    place[: len(stored) - 4] = stored[4:]
    velocity.ravel()[: len(rates)] = rates
    return (tuple(stored[:4].tolist()), tuple(place.tolist())), velocity


def pairs(rows: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(np.array(rows[0]).tolist()), tuple(np.array(rows[1]).tolist())


def minus(twist: Any) -> Any:
    return pairs(-np.array(twist))


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
