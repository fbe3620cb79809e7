"""A model on the subgroups of its joints in numbers: its tree, what drives it, what is cut."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from chasles.build.system.build import Setup, build
from chasles.build.system.build_tree import Link, build_tree, free_link, pair_kind, words_of
from chasles.build.system.coordinates import Key, angle_columns, coordinate_keys, orientation
from chasles.build.system.gaps import frame_of
from chasles.build.system.state import State
from chasles.build.system.tree_state import place_of, states_of
from chasles.core.arrays import Floats, Integers, Workspace, row_span
from chasles.core.constraints.registry import CONSTRAINTS, PAIR
from chasles.core.mechanism import Equations
from chasles.core.recursion.groups import Gauge, LoopConstraint, Loops, Term, make_loop_workspace
from chasles.core.recursion.tree import Tree, TreeWorkspace
from chasles.model import Coupling, CustomCoupling, Driver, Joint, Model
from chasles.model.coordinates import ANGLE, DISPLACEMENT
from chasles.spaces.on_subgroups import subgroup_tree
from chasles.spaces.space import Space
from chasles.spaces.tree import BALL_ROWS, SpanningTree, is_centred

#: Half a turn about x.
FLIP = np.diag([1.0, -1.0, -1.0])


class TreeSetup(NamedTuple):
    """The tree of a model, and what stands beside it."""

    carried: SpanningTree
    tree: Tree
    coordinates: Integers  # (m,) which coordinate a driver drives; -1 for joints, and for rows
    cuts: list[LoopConstraint]  # cut joints, and drivers of anything but a coordinate of the tree
    body_of: dict[str, int]  # joint -> the body that is on its subgroup
    #: Where points (q + v,) have coordinates and their rates; None of joints that are cut.
    places: dict[Key, tuple[int, int] | None]


class TreeStorage(NamedTuple):
    """What a factor is made of and in."""

    setup: Setup
    tree: Tree
    tree_work: TreeWorkspace
    workspace: Workspace

    def equations(self, loops: Loops) -> Equations:
        """The equations of the tree with some rows, in storage of their own."""
        loop_work = make_loop_workspace(loops, self.tree.body_count, self.tree.rate_count)
        return Equations(self.setup.system, self.tree, self.tree_work, loops, loop_work)


def build_counted(
    model: Model, spaces: dict[str, Space], acceleration: str = "screw",
    start: State | None = None, fit: bool = True,
) -> Setup:  # fmt: skip
    """`build`, and a run integrates the angles of joints that carry no body."""
    cut = subgroup_tree(model, spaces, fit).cut
    return build(model, spaces, acceleration, start, cut, fit)


def tree_setup(setup: Setup) -> TreeSetup:
    """The tree of a setup, made once."""
    if "tree" not in setup.follows:
        setup.follows["tree"] = new_tree_setup(setup)
    found: TreeSetup = setup.follows["tree"]
    return found


def new_tree_setup(setup: Setup) -> TreeSetup:
    model, system = setup.model, setup.system
    carried = subgroup_tree(model, setup.spaces, setup.fit)
    driven = driven_coordinates(model, carried)
    first = {place: int(system.joints.drive[setup.joint_index[n]]) for n, place in driven.items()}
    links = links_of(setup, carried, first)
    tree = build_tree(links, model.gravity)
    coordinates = np.full(system.joint_count, -1, np.int64)
    body_of = {link.joint: body for body, link in enumerate(links) if link.joint}
    for name, (joint, slot) in driven.items():
        coordinates[setup.joint_index[name]] = int(tree.rate_at[body_of[joint]]) + slot
    rest = [
        driver.name
        for driver in model.drivers
        if driver.name not in driven and not isinstance(driver, Coupling)
    ]
    cuts = cuts_of(setup, [*carried.cut, *rest])
    more = [c[1] for c in carried.parents.values() if c and is_centred(model.joint(c[1]))]
    cuts += [coupling_cut(setup, tree, body_of, coupling) for coupling in model.couplings]
    for cut in cuts_of(setup, more):  # a ball and more: the more is left over
        cuts.append(cut._replace(rows=cut.rows[len(BALL_ROWS) :]))
    cuts += rotor_cuts(setup, carried.cut)
    places = dict[Key, tuple[int, int] | None]().fromkeys(coordinate_keys(model))
    for name, word in places:
        if name in body_of:
            at, rate = place_of(tree, body_of[name], model.joint(name), word)
            places[name, word] = at, tree.stored_count + rate
    return TreeSetup(carried, tree, coordinates, cuts, body_of, places)


def coordinates_of_points(setup: Setup, points: Floats) -> Floats:
    """All joint coordinates (T, c) of points (T, q + v), see `coordinate_keys`; NaN of cut ones."""
    nowhere, places = np.full(len(points), np.nan), tree_setup(setup).places.values()
    columns = [nowhere if place is None else points[:, place[0]] for place in places]
    return np.column_stack(columns) if columns else np.zeros((len(points), 0))


def points_near(setup: Setup, absolute: Floats, near: Mapping[Key, Any]) -> Floats:
    """Points (T, q + v) of absolute rows (T, n, 18); `near` has coordinates with whole turns."""
    found = tree_setup(setup)
    known = {(found.body_of[joint], word): values for (joint, word), values in near.items()
             if joint in found.body_of}  # fmt: skip
    return states_of(found.tree, absolute, known)


def first_point(setup: Setup, start: Floats) -> Floats:
    """The coordinates and velocities (q + v,) of the start, absolute rows (n, 18)."""
    if "coordinates" not in setup.follows:
        known = (ANGLE, setup.angles), (DISPLACEMENT, setup.displacements)
        near = {(joint, str(word)): x for word, values in known for joint, x in values.items()}
        setup.follows["coordinates"] = points_near(setup, start[None], near)[0]
    point: Floats = setup.follows["coordinates"]
    return point.copy()


def links_of(setup: Setup, tree: SpanningTree, first: Mapping[tuple[str, int], int]) -> list[Link]:
    """A link for every body, parents first; `first` has the first signal of driven coordinates.

    Where the joint names its bodies the other way round, z points the other way: coordinates are
    those of the joint's b against its a.
    """
    model, links = setup.model, []
    for name in setup.body_index:
        body, carried = model.body(name), tree.parents[name]
        if carried is None:
            links.append(chart_link(setup, name))
            continue
        joint, parent = model.joint(carried[1]), setup.body_index.get(carried[0], -1)
        pair = "spherical" if is_centred(joint) else pair_kind(joint)
        assert pair is not None  # others carry nothing
        words = words_of(joint) if first else ()
        links.append(
            Link(
                name, parent, pair, body.mass, body.inertia, *frames_between(setup, joint, name),
                pitch=joint.pitch, armature=joint.rotors, joint=joint.name,
                driven=tuple(first.get((joint.name, k), -1) for k in range(len(words))),
            )
        )  # fmt: skip
    return links


def chart_link(setup: Setup, name: str) -> Link:
    """A body on a chart: what moves it against its reference locks nothing."""
    index, bodies = setup.body_index[name], setup.system.bodies
    reference, space = int(bodies.reference[index]), setup.spaces[name]
    pair = "SE3" if space.group == "SE3" else "free" if reference < 0 else "SO3xR3"
    return free_link(setup.model.body(name), pair, bodies.frame_point[index], reference)


def frames_between(setup: Setup, joint: Joint, child: str) -> tuple[Floats, Floats, Floats, Floats]:
    """A joint's frame on the parent and on the child: axes as columns, point."""
    joints, k = setup.system.joints, setup.joint_index[joint.name]
    sides = [
        (joints.axes_a[k].reshape(3, 3), joints.point_a[k]),
        (joints.axes_b[k].reshape(3, 3), joints.point_b[k]),
    ]
    if joints.b[k] != setup.body_index[child]:
        sides.reverse()
    (axes_p, point_p), (axes_c, point_c) = sides
    if child != joint.b:  # z points the other way
        axes_p, axes_c = axes_p @ FLIP, axes_c @ FLIP
    return axes_p, point_p, axes_c, point_c


def coupling_cut(
    setup: Setup, tree: Tree, body_of: Mapping[str, int], coupling: Coupling
) -> LoopConstraint:
    """A coupling as a row on coordinates of the tree, or on the bodies that a formula sees."""
    index = setup.joint_index[coupling.name]
    row = int(setup.system.joints.first_row[index])
    if isinstance(coupling, CustomCoupling):
        ties = tuple(setup.body_index[name] for name in coupling.bodies)
        address = int(setup.system.joints.address[index])
        return LoopConstraint(index, -1, -1, (row,), balanced=False, ties=ties, address=address)
    terms, gauges = list[Term](), list[Gauge]()
    for name, word, powers in coupling.terms:
        if name not in body_of:
            gauges.append(gauge_of(setup, name, word, powers))
            continue
        body = body_of[name]
        stored, rate = place_of(tree, body, setup.model.joint(name), word)
        slot = rate - int(tree.rate_at[body])
        joints, k = setup.system.joints, setup.joint_index[name]
        point = (joints.point_b if joints.b[k] == body else joints.point_a)[k]
        terms.append(Term(body, slot, stored, rate, int(word == ANGLE), powers, point))
    ties = tuple(body for gauge in gauges for body in gauge.bodies)
    return LoopConstraint(
        index, -1, -1, (row,), True, tuple(terms), tuple(gauges), coupling.offset, ties
    )


def gauge_of(setup: Setup, name: str, word: str, powers: tuple[float, ...]) -> Gauge:
    """A coordinate of a joint that has rows."""
    joints, index = setup.system.joints, setup.joint_index[name]
    turns = int(word == ANGLE)
    angle_at = angle_columns(setup)[name][0] if turns else -1
    frames = (*frame_of(joints, index, "a"), *frame_of(joints, index, "b"))
    arrays = [np.array(part, float) for part in frames]
    return Gauge(
        int(joints.a[index]), int(joints.b[index]), (arrays[0], arrays[1], arrays[2], arrays[3]),
        orientation(setup, name), turns, angle_at, powers,
    )  # fmt: skip


def driven_coordinates(model: Model, tree: SpanningTree) -> dict[str, tuple[str, int]]:
    """(joint, coordinate) of the drivers that prescribe one of the tree's, the first for each."""
    carrying = {carried[1] for carried in tree.parents.values() if carried}
    found: dict[tuple[str, int], str] = {}
    for driver in model.drivers:
        if isinstance(driver, Driver) and driver.joint in carrying:
            known = words_of(model.joint(driver.joint))
            if driver.coordinate in known:
                found.setdefault((driver.joint, known.index(driver.coordinate)), driver.name)
    return {name: driven for driven, name in found.items()}


def cuts_of(setup: Setup, names: Iterable[str]) -> list[LoopConstraint]:
    """The cut joints and drivers of some names, with all their rows."""
    cuts, joints = [], setup.system.joints
    for name in names:
        index = setup.joint_index[name]
        span = row_span(setup.system, index)
        turns = int(joints.locked[index] & 0b111).bit_count()  # come first in a lower pair
        shifts = span.start + (turns if joints.kind[index] == PAIR else 0)
        balanced = CONSTRAINTS[joints.kind[index]].balanced
        ends = int(joints.a[index]), int(joints.b[index])
        rows = tuple(range(span.start, span.stop))
        cut = LoopConstraint(index, *ends, rows, balanced=balanced, shifts=shifts)
        cuts.append(cut)
    return cuts


def rotor_cuts(setup: Setup, names: Iterable[str]) -> list[LoopConstraint]:
    """Of joints that have rows, those of their rotors (see `rotor_rows`)."""
    cuts, joints = [], setup.system.joints
    for name in names:
        index = setup.joint_index[name]
        felt = np.flatnonzero(joints.rotors[index])
        first = int(joints.first_row[index] + joints.rows[index])
        if len(felt):
            rows, shifts = range(first, first + len(felt)), first + int(np.sum(felt < 3))
            rotors = tuple(joints.rotors[index, felt].tolist())
            ends = int(joints.a[index]), int(joints.b[index])
            cuts.append(LoopConstraint(index, *ends, tuple(rows), shifts=shifts, rotors=rotors))
    return cuts
