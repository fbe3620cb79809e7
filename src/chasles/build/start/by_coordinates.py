r"""A start by joint coordinates: poses and velocities that follow from angles and displacements.

Along a spanning tree of lower pairs every body follows from its parent by forward kinematics,

$$ R = R_p\,C\,Q(q), \qquad P = P_p + R_p\,(s + C\,d(q)), $$

with the coordinates q measured from the poses entered.  Joints that close loops are closed by
`assemble`, with the coordinates that were given held, in steps short enough to stay on the branch
of the poses entered.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

import numpy as np

from chasles.build.start.assembly import assemble
from chasles.build.start.closure import Closure, typical_length
from chasles.build.start.consistent import (
    driven_rates,
    forbidden,
    initial_state,
    least_energy_dense,
)
from chasles.build.start.kkt import constraint_rows, weights
from chasles.build.start.wanted import Wanted, checked_wanted, said, tell_degrees
from chasles.build.system.build import OPEN_TOLERANCE, Setup, build, check_closed
from chasles.build.system.build_tree import build_tree, links_of
from chasles.build.system.coordinates import Key, coordinate_of_poses, coordinate_rate
from chasles.build.system.state import State
from chasles.build.system.tree_state import place_of, state_of
from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST, Floats, Integers
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.tree import Recursion, Tree, make_recursion
from chasles.model import GROUND, ChaslesError, InconsistentStart, InvalidOption, Joint, Model
from chasles.model.coordinates import ANGLE, Coordinates, coordinates_of
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces.space import Space
from chasles.spaces.tree import Tree as SpanningTree
from chasles.spaces.tree import spanning_tree

#: Loops are closed in steps of no more than this: rad, or as a fraction of the typical length.
STRIDE = 0.2
#: ... and in so many of them at the most: sixty turns.
MOST_STRIDES = 2000


@checked_keywords
def start_state(model: Model, coordinates: Coordinates, close: bool = False) -> State:
    """A State to start at, from joint coordinates and their rates.

    Other coordinates and rates keep the values of the model. In closed loops the other coordinates
    move so that the loops close, and the nearest consistent rates are found. A mechanism without a
    joint to the ground keeps the pose of its first body.

    Parameters
    ----------
    model
        The model.
    coordinates
        Joint -> value, (value, rate), or a dict of these by "angle" and "displacement". Units: rad
        and rad/s, m and m/s. A coordinate is 0 at the poses of the model, as in
        `Result.coordinate`. None for a value or a rate keeps that of the model.
    close
        Whether to close joints first that have a constraint violation (see `assemble`).

    Returns
    -------
    State
        Poses and velocities at t = 0 that satisfy the joints.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1))
    >>> state = ch.start_state(ch.Model([arm], [hinge]), {"hinge": (0.0, 2.0)})
    >>> state.velocity.tolist()
    [[0.0, 1.0, 0.0]]
    """
    checked_model(model)
    wanted = checked_wanted(model, coordinates)
    tell_degrees(wanted)
    kinematics = TreeKinematics(model, list(dict.fromkeys(joint for joint, _ in wanted)))
    setup = kinematics.setup
    if close:
        setup = replace(setup, absolute=kinematics.rows(assemble(model).state))
        setup = replace(setup, start=setup.absolute)
    else:
        check_closed(setup)
    entered = initial_state(setup, jacobian_at(setup, setup.absolute))
    point = moved_to(kinematics, kinematics.state_of(entered), wanted)
    put_rates(kinematics, point, wanted)
    check_values(kinematics, point, wanted)
    return kinematics.state(point, wanted)


# --- forward kinematics ---------------------------------------------------------------------------


class TreeKinematics:
    """The bodies of a model on a spanning tree of its lower pairs, the named joints in it.

    A point is the coordinates and velocities of the tree, see `core.recursion.tree`.
    """

    def __init__(self, model: Model, named: list[str]) -> None:
        self.model = model
        self.found = tree_with(model, named)
        self.setup: Setup = build(model, spaces_along(self.found))
        links = links_of(model, list(self.setup.body_index), self.found)
        self.tree: Tree = build_tree(links, model.gravity)
        self.memory: Recursion = make_recursion(self.tree, np.zeros(1), False, False)
        self.body_of = {link.joint: body for body, link in enumerate(links) if link.joint}

    def places(self, key: Key) -> tuple[int, int] | None:
        """Where a coordinate and its rate stand in a point; None if its joint is cut."""
        joint, coordinate = key
        body = self.body_of.get(joint)
        if body is None:
            return None
        stored, rate = place_of(self.tree, body, self.model.joint(joint), coordinate)
        return stored, self.tree.stored_count + rate

    def state_of(self, absolute: Floats, near: Mapping[Key, float] | None = None) -> Floats:
        """The point of absolute rows (n, 18); `near` has coordinates with their whole turns."""
        values = {
            (self.body_of[joint], coordinate): value
            for (joint, coordinate), value in (near or {}).items()
            if joint in self.body_of
        }
        return state_of(self.tree, absolute, values)

    def absolute(self, point: Floats) -> Floats:
        """Absolute rows (n, 18) of a point."""
        out = np.zeros((1, self.tree.body_count, ABSOLUTE_WIDTH))
        tree_absolute(self.tree, self.memory, np.ascontiguousarray(point[None]), out)
        return out[0]

    def put(self, point: Floats, key: Key, value: float) -> None:
        """Move a coordinate of the tree."""
        at = self.places(key)
        if at is not None:
            point[at[0]] = value
            if key[1] == ANGLE:
                point[at[0] + 1], point[at[0] + 2] = np.cos(value), np.sin(value)

    def rows(self, state: State) -> Floats:
        """Absolute rows (n, 18) of a state, in the order of the arrays."""
        names = self.model.body_names
        return state.to_absolute(self.model)[[names.index(name) for name in self.setup.body_index]]

    def coordinates(self, point: Floats) -> dict[Key, float]:
        """All coordinates of the tree's joints."""
        found: dict[Key, float] = {}
        for joint in self.body_of:
            for coordinate in coordinates_of(self.model.joint(joint)):
                at = self.places((joint, coordinate))
                assert at is not None
                found[joint, coordinate] = float(point[at[0]])
        return found

    def state(self, point: Floats, wanted: Mapping[Key, Wanted] | None = None) -> State:
        """The state of a point, whole turns included."""
        values = self.coordinates(point)
        for key, given in (wanted or {}).items():
            if given.value is not None:
                values[key] = given.value  # also of joints that are cut
        order = [self.setup.body_index[name] for name in self.model.body_names]
        angles = {joint: x for (joint, word), x in values.items() if word == ANGLE}
        others = {joint: x for (joint, word), x in values.items() if word != ANGLE}
        return State.from_absolute(0.0, self.model, self.absolute(point)[order], angles, others)


def tree_with(model: Model, named: list[str]) -> SpanningTree:
    """A spanning tree of the lower pairs that has the named joints, as far as they are a tree."""
    pairs = [joint for joint in model.joints if joint.is_lower_pair]
    others = [joint.name for joint in pairs if joint.name not in named]
    found = spanning_tree(Model(model.bodies, pairs, gravity=model.gravity), others)
    used = {carried[1] for carried in found.parents.values() if carried}
    cut = tuple(n for n in model.joint_names if n not in used)
    return SpanningTree(on_first_bodies(model, found.parents), cut)


def on_first_bodies(
    model: Model, parents: Mapping[str, tuple[str, str] | None]
) -> dict[str, tuple[str, str] | None]:
    """The same tree with what floats hanging on its first body in the model: the root of a file."""
    turned, seen = dict(parents), set()
    for name in model.body_names:
        way: list[tuple[str, str]] = []
        at = name
        while (carried := parents[at]) is not None and carried[0] != GROUND.name:
            way.append(carried)
            at = carried[0]
        if carried is None and at not in seen:
            seen.add(at)
            turned[name] = None
            child = name
            for parent, joint in way:
                turned[parent] = (child, joint)
                child = parent
    return parents_first(turned)


def parents_first(
    parents: Mapping[str, tuple[str, str] | None],
) -> dict[str, tuple[str, str] | None]:
    """In an order in which every body comes after the one that it hangs on."""
    ordered: dict[str, tuple[str, str] | None] = {}

    def put(name: str) -> None:
        waiting = [name]
        while (carried := parents[waiting[-1]]) and carried[0] not in (GROUND.name, *ordered):
            waiting.append(carried[0])
        for body in reversed(waiting):
            ordered.setdefault(body, parents[body])

    for name in parents:
        put(name)
    return ordered


def spaces_along(tree: SpanningTree) -> dict[str, Space]:
    """Charts that order the bodies as the tree does."""
    return {
        name: Space("SO3xR3", None, carried[0] if carried and carried[0] != GROUND.name else None)
        for name, carried in tree.parents.items()
    }


def jacobian_at(setup: Setup, absolute: Floats) -> Floats:
    """J at some poses (n, 18)."""
    none: Integers = np.zeros(0, np.int64)
    return Closure(setup, none, []).rows_at(absolute)[1].entries


# --- loops ----------------------------------------------------------------------------------------


def moved_to(kinematics: TreeKinematics, point: Floats, wanted: Mapping[Key, Wanted]) -> Floats:
    """The point at the wanted values, with all joints closed."""
    targets = {key: given.value for key, given in wanted.items() if given.value is not None}
    first = {key: float(point[at[0]]) for key in targets if (at := kinematics.places(key))}
    there = point.copy()
    for key, value in targets.items():
        kinematics.put(there, key, value)
    if closed(kinematics, there):
        return there
    lengths: dict[str, float] = {
        ANGLE: 1.0,
        "displacement": typical_length(kinematics.setup.system),
    }
    ways = [abs(targets[key] - begin) / lengths[key[1]] for key, begin in first.items()]
    strides = max(1, ceil(max(ways, default=0.0) / STRIDE))
    if strides > MOST_STRIDES:
        raise InvalidOption(
            f"start: the coordinates given are {max(ways):.3g} rad or lengths from the poses"
            " entered, too far to move joints there that close loops.",
            "Enter the bodies nearer to where they start.",
        )
    for stride in range(1, strides + 1):
        way = stride / strides
        for key, begin in first.items():
            kinematics.put(point, key, begin + way * (targets[key] - begin))
        try:
            point = assembled(kinematics, point, list(first), wanted)
        except InconsistentStart as error:
            assembled(kinematics, there, list(first), wanted)  # says how far the joints are open
            raise InconsistentStart(
                f"start: with {said(wanted)}, the joints can be closed, but not all the way there"
                " from the poses entered.",
                "Enter the bodies nearer to where they start.",
            ) from error
    for key in first:  # to the last bit, where the assembler leaves rounding
        kinematics.put(point, key, targets[key])
    return point


def closed(kinematics: TreeKinematics, point: Floats) -> bool:
    """Whether the joints that are cut are closed at a point."""
    absolute = kinematics.absolute(point)
    return all(
        max(np.abs(part).max() for part in kinematics.setup.gap(name, absolute)) <= OPEN_TOLERANCE
        for name in (*kinematics.found.cut, *(c.name for c in kinematics.model.couplings))
    )


def assembled(
    kinematics: TreeKinematics, point: Floats, held: list[Key], wanted: Mapping[Key, Wanted]
) -> Floats:
    """The point with loops closed; what is held stays where it is, rates where they are."""
    model, rates = kinematics.model, point[kinematics.tree.stored_count :].copy()
    resting = point.copy()
    resting[kinematics.tree.stored_count :] = 0.0
    joints = list(dict.fromkeys(joint for joint, _ in held))
    try:
        found = assemble(model, hold=joints, start=kinematics.state(resting)).state
    except ChaslesError as error:
        raise InconsistentStart(
            f"start: with {said(wanted)}, {error.what}",
            "Give coordinates that the loops allow, or fewer of them: the others follow.",
        ) from error
    near = kinematics.coordinates(point)
    point = kinematics.state_of(kinematics.rows(found), near)
    point[kinematics.tree.stored_count :] = rates
    return point


def put_rates(kinematics: TreeKinematics, point: Floats, wanted: Mapping[Key, Wanted]) -> None:
    r"""Rates that were given, and beside them those that the loops allow, nearest to those entered.

    With twists V = A v of the rates v of the tree and the rows J of all joints,

    $$ \min\ \tfrac12 |v_f - \bar v_f|_{A^T M A}^2, \qquad J A v = \mathrm{rates}, $$

    over the rates $v_f$ that were not given.
    """
    tree, setup = kinematics.tree, kinematics.setup
    fixed = np.zeros(tree.rate_count, bool)
    for key, given in wanted.items():
        at = kinematics.places(key)
        if at is not None and given.rate is not None:
            point[at[1]] = given.rate
            fixed[at[1] - tree.stored_count] = True
    here = kinematics.absolute(point)
    rows = constraint_rows(setup, jacobian_at(setup, here), here)
    rates = driven_rates(setup)
    twists = here[:, TWIST:]
    if not forbidden(setup, rows, twists, rates):
        return
    if not fixed.all():
        moves = twists_of_rates(kinematics, point)[:, ~fixed]
        moving = moves.reshape(len(twists), 6, -1)
        metric = np.einsum("bim,bij,bjk->mk", moving, weights(setup.system), moving, optimize=True)
        jacobian = rows.dense(twists.size) @ moves
        change = least_energy_dense(metric, jacobian, rates - rows.times(twists))
        point[tree.stored_count :][~fixed] += change
        twists = kinematics.absolute(point)[:, TWIST:]
    if forbidden(setup, rows, twists, rates):
        raise InconsistentStart(
            f"start: with {said(wanted)}, the rates contradict each other: no velocities of the"
            " bodies are allowed by all joints and drivers.",
            "Leave out rates that follow from others.",
        )


def twists_of_rates(kinematics: TreeKinematics, point: Floats) -> Floats:
    """A (6 n, v): twists of the bodies are linear in the rates of the tree."""
    tree, columns = kinematics.tree, []
    for rate in range(tree.rate_count):
        alone = point.copy()
        alone[tree.stored_count :] = 0.0
        alone[tree.stored_count + rate] = 1.0
        columns.append(kinematics.absolute(alone)[:, TWIST:].ravel())
    return np.array(columns).T.reshape(6 * tree.body_count, tree.rate_count)


def check_values(kinematics: TreeKinematics, point: Floats, wanted: Mapping[Key, Wanted]) -> None:
    """Refuse values and rates of joints whose coordinates follow from others given."""
    absolute = kinematics.absolute(point)
    for (name, coordinate), given in wanted.items():
        if kinematics.places((name, coordinate)) is not None:
            continue
        value, rate = (
            float(measure(kinematics.setup, name, coordinate, absolute))
            for measure in (coordinate_of_poses, coordinate_rate)
        )
        joint, unit = kinematics.model.joint(name), "rad" if coordinate == ANGLE else "m"
        pairs = ((given.value, value, unit), (given.rate, rate, f"{unit}/s"))
        for asked, real, of in pairs:
            missed = 0.0 if asked is None else asked - real
            if coordinate == ANGLE and of == "rad":
                missed -= 2.0 * np.pi * np.round(missed / (2.0 * np.pi))
            if abs(missed) > OPEN_TOLERANCE * max(1.0, abs(real)):
                raise contradicted(joint, coordinate, asked, real, of)


def contradicted(
    joint: Joint, coordinate: str, asked: float | None, real: float, unit: str
) -> InconsistentStart:
    word = "rate of the " if unit.endswith("/s") else ""
    return InconsistentStart(
        f"start: the {word}{coordinate} of joint '{joint.name}' is given as {asked:g} {unit}, but"
        f" the other coordinates given make it {real:.9g} {unit}: it closes a loop.",
        "Leave it out: it follows from the others.",
    )
