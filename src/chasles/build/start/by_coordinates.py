r"""A start by joint coordinates: poses and velocities that follow from angles and displacements.

Along a spanning tree of lower pairs every body follows from its parent by forward kinematics,

$$ R = R_p\,C\,Q(q), \qquad P = P_p + R_p\,(s + C\,d(q)), $$

with the coordinates q measured from the poses entered.  Joints that close loops are closed by
`assemble`, with the coordinates that were given held, in steps short enough to stay on the branch
of the poses entered.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil

import numpy as np

from chasles.build.start.assembly import Assembly, assemble, checked_hold
from chasles.build.start.consistent import (
    driven_rates,
    forbidden,
    initial_state,
    least_energy_dense,
)
from chasles.build.start.rows import constraint_rows, jacobian_at, weights
from chasles.build.start.wanted import Wanted, checked_wanted, wanted_text, warn_of_degrees
from chasles.build.system.build import OPEN_TOLERANCE, Setup, check_closed
from chasles.build.system.coordinates import Key, coordinate_of_poses, coordinate_rate
from chasles.build.system.gaps import typical_length
from chasles.build.system.state import State
from chasles.build.system.tree_setup import build_counted, points_near, tree_setup
from chasles.build.system.tree_state import absolute_of, unit_twists
from chasles.core.arrays import TWIST, Floats
from chasles.core.recursion.tree import TreeWorkspace, make_tree_workspace
from chasles.model import Body, ChaslesError, InconsistentStart, InvalidOption, Joint, Model
from chasles.model.checks import check_flag
from chasles.model.coordinates import ANGLE, Coordinates
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces.designate import on_subgroup
from chasles.spaces.space import Space
from chasles.spaces.tree import SpanningTree, spanning_tree, turn_round, way_down

#: Loops are closed in steps of no more than this: rad, or as a fraction of the typical length.
STRIDE = 0.2
#: ... and in so many of them at the most: sixty turns.
MOST_STRIDES = 2000


@checked_keywords
def start_state(model: Model, coordinates: Coordinates, close: bool = False) -> State:
    """A State to start at, from joint coordinates and their rates.

    Other coordinates and rates keep the values of the model. In closed loops the other coordinates
    move so that the loops close, and the nearest consistent rates are found. Name a joint there to
    keep its rate, as (value, rate). A mechanism without a joint to the ground keeps the pose of its
    first body.

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
    check_flag(close, "close", "start_state", InvalidOption)
    return begun_by_coordinates(model, coordinates, close)[0]


def begun_by_coordinates(
    model: Model, coordinates: Coordinates, close: bool, hold: Iterable[Body | Joint | str] = ()
) -> tuple[State, Assembly | None]:
    """The state that joint coordinates name, and how the poses entered were closed before.

    Joints to hold that are to move to a coordinate are held there only, by the assembly that comes
    after.
    """
    wanted = checked_wanted(model, coordinates)
    warn_of_degrees(wanted)
    begin, assembly = TreeStart(model, wanted), None
    setup = begin.setup
    if close:
        bodies, joints = checked_hold(hold, model)
        named = {joint for joint, _ in wanted}
        assembly = assemble(model, [*bodies, *(name for name in joints if name not in named)])
        setup = replace(setup, absolute=begin.rows(assembly.state))
        setup = replace(setup, start=setup.absolute)
    else:
        check_closed(setup)
    entered = initial_state(setup, jacobian_at(setup.system, setup.absolute))
    point = begin.moved_to_values(begin.point_of(entered, {}))
    begin.put_rates(point)
    begin.check_values(point)
    return begin.state(point, begin.known(point)), assembly


class TreeStart:
    """A model on a spanning tree of its lower pairs, and the coordinates wanted of it.

    The joints that these name are in the tree, as far as they are one.  A point is the coordinates
    and velocities of the tree, see `core.recursion.tree`.
    """

    def __init__(self, model: Model, wanted: Mapping[Key, Wanted]) -> None:
        self.model, self.wanted, self.wanted_text = model, wanted, wanted_text(wanted)
        named = list(dict.fromkeys(joint for joint, _ in wanted))
        self.setup = build_counted(model, spaces_with(model, named))
        found = tree_setup(self.setup)
        self.tree, self.cut, self.places = found.tree, found.carried.cut, found.places
        self.tree_work: TreeWorkspace = make_tree_workspace(self.tree, np.zeros(1), False, False)

    def point_of(self, absolute: Floats, near: Mapping[Key, float]) -> Floats:
        """The point of absolute rows (n, 18); `near` has coordinates with their whole turns."""
        found: Floats = points_near(self.setup, absolute[None], near)[0]
        return found

    def absolute(self, point: Floats) -> Floats:
        """Absolute rows (n, 18) of a point."""
        return absolute_of(self.tree, self.tree_work, point[None])[0]

    def rows(self, state: State) -> Floats:
        """Absolute rows (n, 18) of a state, in the order of the arrays."""
        return state.to_absolute(self.model, list(self.setup.body_index))

    def put(self, point: Floats, key: Key, value: float) -> None:
        """Move a coordinate of the tree."""
        at = self.places[key]
        if at is not None:
            point[at[0]] = value
            if key[1] == ANGLE:
                point[at[0] + 1], point[at[0] + 2] = np.cos(value), np.sin(value)

    def coordinates(self, point: Floats) -> dict[Key, float]:
        """All coordinates of the tree's joints."""
        return {key: float(point[at[0]]) for key, at in self.places.items() if at is not None}

    def known(self, point: Floats) -> dict[Key, float]:
        """The same and those wanted of joints that are cut, whole turns included."""
        given = {key: one.value for key, one in self.wanted.items() if one.value is not None}
        return self.coordinates(point) | given

    def setup_at(self, point: Floats) -> Setup:
        """The setup, which knows the whole turns at a point: couplings count them."""
        known = self.known(point)
        return replace(self.setup, angles={j: x for (j, word), x in known.items() if word == ANGLE})

    def state(self, point: Floats, known: Mapping[Key, float]) -> State:
        """The state of a point at which these coordinates are known, whole turns included."""
        order = [self.setup.body_index[name] for name in self.model.body_names]
        angles = {joint: x for (joint, word), x in known.items() if word == ANGLE}
        others = {joint: x for (joint, word), x in known.items() if word != ANGLE}
        return State.from_absolute(0.0, self.model, self.absolute(point)[order], angles, others)

    # --- loops ---

    def moved_to_values(self, point: Floats) -> Floats:
        """The point at the wanted values, with all joints closed."""
        targets = {key: one.value for key, one in self.wanted.items() if one.value is not None}
        first = {key: float(point[at[0]]) for key in targets if (at := self.places[key])}
        there = point.copy()
        for key, value in targets.items():
            self.put(there, key, value)
        if self.is_closed(there):
            return there
        length = typical_length(self.setup.system)
        ways = [
            abs(targets[key] - begin) / (1.0 if key[1] == ANGLE else length)
            for key, begin in first.items()
        ]
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
                self.put(point, key, begin + way * (targets[key] - begin))
            try:
                point = self.assembled(point, list(first))
            except InconsistentStart as error:
                self.assembled(there, list(first))  # says how far the joints are open
                raise InconsistentStart(
                    f"start: with {self.wanted_text}, the joints can be closed, but not all the"
                    " way there from the poses entered.",
                    "Enter the bodies nearer to where they start.",
                ) from error
        for key in first:  # to the last bit, where the assembler leaves rounding
            self.put(point, key, targets[key])
        return point

    def is_closed(self, point: Floats) -> bool:
        """Whether the joints that are cut are closed at a point."""
        absolute, setup = self.absolute(point), self.setup_at(point)
        return all(
            max(np.abs(part).max() for part in setup.gap(name, absolute)) <= OPEN_TOLERANCE
            for name in (*self.cut, *(c.name for c in self.model.couplings))
        )

    def assembled(self, point: Floats, held: list[Key]) -> Floats:
        """The point with loops closed; what is held stays where it is, rates where they are."""
        near, resting = self.coordinates(point), point.copy()
        resting[self.tree.stored_count :] = 0.0
        joints = list(dict.fromkeys(joint for joint, _ in held))
        try:
            found = assemble(self.model, hold=joints, start=self.state(resting, near)).state
        except ChaslesError as error:
            raise InconsistentStart(
                f"start: with {self.wanted_text}, {error.what}",
                "Give coordinates that the loops allow, or fewer of them: the others follow.",
            ) from error
        there = self.point_of(self.rows(found), near)
        there[self.tree.stored_count :] = point[self.tree.stored_count :]
        return there

    # --- rates ---

    def put_rates(self, point: Floats) -> None:
        r"""Rates that were given, and beside them the nearest to those entered that loops allow.

        With twists V = A v of the rates v of the tree and the rows J of all joints,

        $$ \min\ \tfrac12 |v_f - \bar v_f|_{A^T M A}^2, \qquad J A v = \mathrm{rates}, $$

        over the rates $v_f$ that were not given.
        """
        tree, setup = self.tree, self.setup_at(point)
        fixed = np.zeros(tree.rate_count, bool)
        for key, given in self.wanted.items():
            at = self.places[key]
            if at is not None and given.rate is not None:
                point[at[1]] = given.rate
                fixed[at[1] - tree.stored_count] = True
        here = self.absolute(point)
        rows = constraint_rows(setup, jacobian_at(setup.system, here), here)
        rates = driven_rates(setup)
        twists = here[:, TWIST:]
        if not forbidden(setup, rows, twists, rates):
            return
        if not fixed.all():
            units = unit_twists(tree, self.tree_work, point)[~fixed]  # linear in the rates
            moves, moving = units.reshape(len(units), -1).T, np.moveaxis(units, 0, -1)
            inertia = weights(setup.system)
            metric = np.einsum("bim,bij,bjk->mk", moving, inertia, moving, optimize=True)
            jacobian = rows.dense(twists.size) @ moves
            change = least_energy_dense(metric, jacobian, rates - rows.times(twists))
            point[tree.stored_count :][~fixed] += change
            twists = self.absolute(point)[:, TWIST:]
        if forbidden(setup, rows, twists, rates):
            raise InconsistentStart(
                f"start: with {self.wanted_text}, the rates contradict each other: no velocities of"
                " the bodies are allowed by all joints and drivers.",
                "Leave out rates that follow from others.",
            )

    def check_values(self, point: Floats) -> None:
        """Refuse values and rates of joints whose coordinates follow from others given."""
        absolute = self.absolute(point)
        for (name, coordinate), given in self.wanted.items():
            if self.places[name, coordinate] is not None:
                continue
            value, rate = (
                float(measure(self.setup, name, coordinate, absolute))
                for measure in (coordinate_of_poses, coordinate_rate)
            )
            unit = "rad" if coordinate == ANGLE else "m"
            for asked, real, word, of in (
                (given.value, value, "", unit),
                (given.rate, rate, "rate of the ", f"{unit}/s"),
            ):
                missed = 0.0 if asked is None else asked - real
                if of == "rad":
                    missed = np.remainder(missed + np.pi, 2.0 * np.pi) - np.pi
                if abs(missed) > OPEN_TOLERANCE * max(1.0, abs(real)):
                    raise InconsistentStart(
                        f"start: the {word}{coordinate} of joint '{name}' is given as"
                        f" {asked:g} {of}, but the other coordinates given make it {real:.9g} {of}:"
                        " it closes a loop.",
                        "Leave it out: it follows from the others.",
                    )


def spaces_with(model: Model, named: list[str]) -> dict[str, Space]:
    """The subgroups of a spanning tree of lower pairs: the named ones, as far as they are a tree.

    What floats hangs on its first body in the model: the root of a file.
    """
    pairs = [joint for joint in model.joints if joint.is_lower_pair]
    others = [joint.name for joint in pairs if joint.name not in named]
    found = spanning_tree(Model(model.bodies, pairs, gravity=model.gravity), others)
    parents, roots = dict(found.parents), set[str]()
    for name in model.body_names:
        way = way_down(parents, name)
        if parents[way[-1]] is None and way[-1] not in roots:
            turn_round(parents, way)
            parents[name] = None
            roots.add(name)
    return {name: on_subgroup(SpanningTree(parents, ()), name) for name in model.body_names}
