"""From a model to a space for every body: by rule, by hand, or chosen and explained."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from chasles.model import GROUND, Body, Coupling, InvalidOption, Joint, Model, UnknownName
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces.designation import Designation, Row
from chasles.spaces.exactness import Charts, Geometry
from chasles.spaces.on_subgroups import beside_frames, mixed_tree, on_subgroups
from chasles.spaces.space import SE3, SO3xR3, Space, reference_order, references
from chasles.spaces.subgroups import classify
from chasles.spaces.tree import SpanningTree, pair_tree, spanning_tree, way_down


def carrier(tree: SpanningTree, body: str) -> tuple[str | None, str | None]:
    """The joint that carries a body, and the body that it hangs on; None: no joint, the ground."""
    parent, joint = tree.parents[body] or (GROUND.name, None)
    return joint, None if parent == GROUND.name else parent


def on_subgroup(tree: SpanningTree, body: str) -> Space:
    """The motion subgroup of the joint that carries the body."""
    return Space("subgroup", *carrier(tree, body))


def framed(model: Model, tree: SpanningTree, body: str) -> Space:
    """SO(3)xR3, framed on the joint that carries the body, relative to the body that it hangs on.

    Where the joint leaves the choice of the frame point it is the centre of mass.
    """
    joint, parent = carrier(tree, body)
    any_point = joint is None or model.joint(joint).any_frame_point
    return Space("SO3xR3", None if any_point else joint, parent)


#: Rules that give every body a space from its place in the tree, by name; "auto" is `designate`.
RULES: dict[str, Callable[[Model, SpanningTree, str], Space]] = {
    "SE3": lambda model, tree, body: Space("SE3"),
    "SO3xR3": lambda model, tree, body: Space("SO3xR3"),
    "SE3 relative": lambda model, tree, body: Space("SE3", None, carrier(tree, body)[1]),
    "SO3xR3 on joints": lambda model, tree, body: Space("SO3xR3", carrier(tree, body)[0]),
    "framed": framed,
    "subgroups": lambda model, tree, body: on_subgroup(tree, body),
}
NAMES = ("auto", *RULES)
#: Pairs of rows that ride through a body, on average, from which on bodies on charts, with all
#: joints as rows, take fewer operations (`core.recursion.count`): nets of 11 x 11 bodies and more.
A_NET = 1000.0


def resolve_spaces(model: Model, spaces: Any) -> dict[str, Space]:
    """A Space for every body from a rule's name, a Space, a Designation, or a dict of them.

    Bodies that a dict leaves out get the space that "auto" gives them.
    """
    if isinstance(spaces, Designation):
        if spaces.model.body_names != model.body_names:
            raise InvalidOption(
                "spaces is the designation of another model.", "Call designate(model) for this one."
            )
        return spaces.spaces
    if spaces is None:  # only `designate` may be given nothing
        raise UnknownName.among("space", spaces, NAMES, where="spaces")
    forced = overrides(model, spaces)
    return choose(model, carrying_tree(model, forced), forced)


def frames_of(model: Model) -> list[str]:
    """Bodies without mass.

    One moves in the subgroup of the joint that carries it wherever the others are: a chart of its
    own would have no equation of motion.
    """
    return [body.name for body in model.bodies if body.mass == 0.0]


def overrides(model: Model, spaces: Any, cut: Collection[str] = ()) -> dict[str, Space]:
    """The spaces a user chose, by body; those set to "auto" are left out.

    One space for all bodies is not for those without mass.
    """
    if isinstance(spaces, Mapping):
        asked = {model.body(key, where="spaces").name: spaces[key] for key in spaces}
        places, left_out = {name: f"spaces['{name}']" for name in asked}, []
    else:
        asked = dict.fromkeys(model.body_names, "auto" if spaces is None else spaces)
        places, left_out = dict.fromkeys(asked, "spaces"), frames_of(model)
    chosen = {
        name: space_of(value, model, name, places[name], cut)
        for name, value in asked.items()
        if not (isinstance(value, str) and value == "auto")
    }
    for name in left_out:
        chosen.pop(name, None)
    reference_order(model, chosen)  # refuses a circle, before anyone walks around it
    return chosen


def space_of(value: Any, model: Model, body: str, where: str, cut: Collection[str] = ()) -> Space:
    """The space of a body from a Space, a rule's name, or SE3 / SO3xR3 themselves."""
    if isinstance(value, Space):
        return value
    if value is SE3 or value is SO3xR3:
        return Space(value.__name__)
    if not isinstance(value, str) or value not in RULES:
        raise UnknownName.among("space", value, NAMES, where=where)
    paired = value == "subgroups" or bool(frames_of(model))
    return RULES[value](model, spanning_tree(model, cut, paired), body)


# --- the choice -----------------------------------------------------------------------------------


@checked_keywords
def designate(
    model: Model,
    spaces: str | Mapping[str, str | Space] | Mapping[Body, str | Space] | None = None,
    cut: Collection[Joint | str] = (),
) -> Designation:
    """Choose for every body the cheapest space in which its parent joint stays closed.

    Parameters
    ----------
    model
        The model.
    spaces
        Spaces that you choose: body -> Space or name, or one name for all bodies, as in `simulate`
        ("SE3", "subgroups"). The other bodies get spaces that fit these.
    cut
        Joints at which to cut closed loops. Default: those that give the shortest chains. A joint
        that a body needs as its parent joint is not cut, and a note reports it.

    Returns
    -------
    Designation
        The spaces, their reasons and the joints that drift. Pass it to `simulate` as `spaces`, or
        print it.

    Notes
    -----
    A spanning tree of the joints gives every body a parent joint. If that joint is a lower pair,
    the body moves in its motion subgroup: only its coordinates are integrated, and the joint stays
    closed, exact to round-off. A universal or constant-velocity joint is treated as a spherical
    joint with one additional constraint. A body without a parent joint moves freely.

    You may combine motion subgroups and six-dimensional spaces (charts). If one of your spaces is
    a subgroup, bodies that you do not name get subgroups. If all are charts, these bodies get
    charts, too: SO(3)xR3 framed on the parent joint, relative to the parent body. Models with a
    joint that keeps a point on a line or plane also get charts, which can keep such joints closed.

    A body on a chart has constraint rows for its joints. If the chart keeps its parent joint
    closed, the steps are made in the motion subgroup of that joint, without rows.

    Examples
    --------
    >>> from chasles.model import GROUND, Body, Model, Spherical
    >>> arm = Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> print(designate(Model([arm], [Spherical("pivot", GROUND, arm, at=(0, 0, 0))])).verdict())
    The joint holds to round-off.
    """
    checked_model(model)
    wanted = cut_joints(model, cut)
    forced = overrides(model, spaces, wanted)
    tree = carrying_tree(model, forced, wanted)
    chosen = choose(model, tree, forced)
    if forced and on_subgroups(chosen):
        tree = mixed_tree(model, chosen)
    geometry = Geometry(model, tree)
    charts = Charts(geometry, chosen)
    predicted = tuple(charts.predict(joint) for joint in model.joints)
    exact = {p.joint for p in predicted if p.exact}
    notes = lost(geometry, exact) if forced else ()
    notes += tuple(
        f"Joint '{name}' is not cut: a body needs it as its parent joint."
        for name in wanted
        if name not in geometry.tree.cut
    )
    notes += coupling_notes(model, charts, on_subgroups(chosen))
    rows = tuple(row(charts, name, name in forced, exact) for name in model.body_names)
    return Designation(model, rows, geometry.tree.cut, predicted, notes, tuple(forced), wanted)


def coupling_notes(model: Model, charts: Charts, grouped: bool) -> tuple[str, ...]:
    """What becomes of every coupling, which is a row on coordinates or bodies in any case."""
    lines = []
    for coupling in model.couplings:
        why = why_it_drifts(coupling, charts, grouped)
        fate = (
            f"drifts with the method's error, since it {why} (stabilise='projection' closes it"
            " after every step)"
            if why
            else "holds to round-off: it is linear in coordinates, which Runge-Kutta methods keep"
        )
        lines.append(f"Coupling '{coupling.name}' {fate}.")
    return tuple(lines)


def why_it_drifts(coupling: Coupling, charts: Charts, grouped: bool) -> str:
    """Why a coupling is not kept to round-off; "": it is.

    A sum is kept where all its coordinates are integrated alike.
    """
    if not coupling.terms:
        return "is a formula of poses"
    if not coupling.is_linear:
        return "is not linear in coordinates"
    if not grouped:
        return "is a row on bodies where joints have no coordinates of their own"
    driven = [term[0] for term in coupling.terms if term[0] in charts.driven]
    return f"names joint '{driven[0]}', which is driven" if driven else ""


def cut_joints(model: Model, cut: Any) -> tuple[str, ...]:
    """The names of the joints at which a user wants loops cut."""
    try:
        joints = (cut,) if isinstance(cut, str | Joint) else tuple(cut)
    except TypeError:  # None, a number
        raise InvalidOption(
            f"cut must be a list, got {short_repr(cut)}.", "Give names of joints."
        ) from None
    return tuple(model.joint(joint, where="cut").name for joint in joints)


def choose(model: Model, tree: SpanningTree, forced: Mapping[str, Space]) -> dict[str, Space]:
    """The smallest space of every body in which the joint that carries it is exact.

    That is the joint's own motion subgroup, unless a user has chosen charts and no subgroup, or the
    body has to give a massless frame its inertia.
    """
    grouped = are_grouped(model, forced)
    chosen = dict(forced)
    for name, carried in tree.parents.items():
        if name in forced:
            continue
        paired = grouped or model.body(name).mass == 0.0
        chosen[name] = on_subgroup(tree, name) if paired else framed(model, tree, name)
        if carried and name in references(forced, carried[0]):
            chosen[name] = Space("SO3xR3", framed(model, tree, name).at)
    if grouped and not forced:
        for name in beside_frames(model, tree.parents):
            chosen[name] = Space("SE3", None, carrier(tree, name)[1])
    return {name: chosen[name] for name in model.body_names}


def are_grouped(model: Model, forced: Mapping[str, Space]) -> bool:
    """Whether bodies whose spaces are not forced move in subgroups."""
    return on_subgroups(forced) if forced else moves_in_subgroups(model)


def moves_in_subgroups(model: Model) -> bool:
    """Whether the bodies of a model move best in the subgroups of the joints that carry them.

    A point on a line or plane has no motion group; charts keep it all the same.  In wide nets,
    where many loops share bodies, rows of all joints between bodies on charts are cheaper.
    """
    if frames_of(model) or model.couplings or any(joint.rotors for joint in model.joints):
        return True  # charts have no room for them
    if any(joint.keeps_point_straight for joint in model.joints):
        return False
    return propagated_rows(model) < A_NET


def propagated_rows(model: Model) -> float:
    """The mean over all bodies of the square of how many rows of cut joints ride through each."""
    tree = pair_tree(model)
    if not tree.cut:
        return 0.0
    riding: dict[str, int] = {}
    for name in tree.cut:
        joint = model.joint(name)
        for body in set(way_down(tree.parents, joint.a)) ^ set(way_down(tree.parents, joint.b)):
            riding[body] = riding.get(body, 0) + len(joint.locked)
    return sum(rows**2 for rows in riding.values()) / len(model.bodies)


def carrying_tree(
    model: Model, forced: Mapping[str, Space], cut: Collection[str] = ()
) -> SpanningTree:
    """The tree that spaces are chosen on: where all are subgroups, only what has one carries."""
    paired = bool(frames_of(model)) or are_grouped(model, forced)
    return spanning_tree(model, cut, paired)


def lost(geometry: Geometry, exact: Collection[str]) -> tuple[str, ...]:
    """A line for every joint that the user's spaces cost its exactness."""
    model, tree = geometry.model, geometry.tree
    charts = Charts(geometry, {name: framed(model, tree, name) for name in model.body_names})
    lines = []
    for joint in geometry.model.joints:
        if joint.name not in exact and charts.holds(joint):
            child = charts.directly(joint) or (joint.a if joint.b == GROUND.name else joint.b)
            lines.append(
                f"Joint '{joint.name}' would be exact with {charts.spaces[child]} for '{child}',"
                " drifts with this choice."
            )
    return tuple(lines)


# --- reasons --------------------------------------------------------------------------------------


def row(charts: Charts, name: str, forced: bool, exact: Collection[str]) -> Row:
    carried = charts.geometry.tree.parents[name]
    kept = carried[1] if carried and carried[1] in exact else None
    scale = charts.geometry.scale
    group = classify(scale.world(charts.geometry.confined[name]), scale)
    return Row(name, charts.spaces[name], kept, group, why(charts, name, forced, kept))


def carried_along(tree: SpanningTree, root: str) -> set[str]:
    """A root and all that hangs on it; parents come before their children."""
    found = {root}
    for body, carried in tree.parents.items():
        if carried is not None and carried[0] in found:
            found.add(body)
    return found


def why(charts: Charts, name: str, forced: bool, kept: str | None) -> str:
    carried, space = charts.geometry.tree.parents[name], charts.spaces[name]
    if space.group == "subgroup" and carried is not None:
        return f"{charts.model.joint(carried[1]).kind} joint: only its own coordinates move"
    if forced:
        effect = "keeps its joint" if kept else "loses its joint" if carried else "a free body"
        return f"your choice: {effect}"
    if carried is None:
        with_it = carried_along(charts.geometry.tree, name)
        for joint in charts.model.joints:
            if (joint.a in with_it) != (joint.b in with_it):
                return f"no parent joint; the rows of joint '{joint.name}' hold it"
        alone = len(with_it) == 1
        return "free body: conserves momentum" if alone else "floating root of the others"
    parent, joint = carried[0], charts.model.joint(carried[1])
    if kept is None:
        return f"{joint.kind} joint to '{parent}': it drifts in every space"
    framed = "" if space.at is None else " framed on it"
    if parent == GROUND.name:
        return f"{joint.kind} joint to the ground:{framed} as exact as SE(3), and cheaper"
    return f"{joint.kind} joint on a moving body:{framed} exact relative to '{parent}'"
