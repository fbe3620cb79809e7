"""From a model to a space for every body: by rule, by hand, or chosen and explained."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from chasles.model import GROUND, InvalidOption, Joint, Model, UnknownName
from chasles.model.errors import told
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces.designation import Designation, Row
from chasles.spaces.exactness import Charts, Geometry
from chasles.spaces.space import SE3, SO3xR3, Space, reference_order
from chasles.spaces.subgroups import classify
from chasles.spaces.tree import Tree, spanning_tree


def relative_se3(tree: Tree, body: str) -> Space:
    """SE(3), relative to the parent body in the joint tree."""
    carried = tree.parents[body]
    moving = carried is not None and carried[0] != GROUND.name
    return Space("SE3", None, carried[0] if carried and moving else None)


def on_joint(tree: Tree, body: str) -> Space:
    """SO(3)xR3, absolute, framed on the joint that carries the body."""
    carried = tree.parents[body]
    return Space("SO3xR3", carried[1] if carried else None)


def on_subgroup(tree: Tree, body: str) -> Space:
    """The motion subgroup of the joint that carries the body."""
    carried = tree.parents[body]
    if carried is None:
        return Space("subgroup")
    return Space("subgroup", carried[1], None if carried[0] == GROUND.name else carried[0])


#: Rules that give every body a space from its place in the tree, by name; "auto" is `designate`.
RULES: dict[str, Callable[[Tree, str], Space]] = {
    "SE3": lambda tree, body: Space("SE3"),
    "SO3xR3": lambda tree, body: Space("SO3xR3"),
    "SE3 relative": relative_se3,
    "SO3xR3 on joints": on_joint,
    "subgroups": on_subgroup,
}
NAMES = ("auto", *RULES)


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
    if isinstance(spaces, str) and spaces == "auto":
        spaces = {}
    if isinstance(spaces, Mapping):
        return choose(model, spanning_tree(model), overrides(model, spaces))
    tree = spanning_tree(model)
    return {name: space_of(spaces, tree, name, "spaces") for name in model.body_names}


def overrides(model: Model, spaces: Mapping[Any, Any] | None) -> dict[str, Space]:
    """The spaces a user chose, by body; those set to "auto" are left out."""
    chosen: dict[str, Space] = {}
    tree = spanning_tree(model) if spaces else None
    for key, value in (spaces or {}).items():
        name = model.body(key, where="spaces").name
        if tree is not None and not (isinstance(value, str) and value == "auto"):
            chosen[name] = space_of(value, tree, name, f"spaces['{name}']")
    reference_order(model, chosen)  # refuses a circle, before anyone walks around it
    return chosen


def space_of(value: Any, tree: Tree, body: str, where: str) -> Space:
    """The space of a body from a Space, a rule's name, or SE3 / SO3xR3 themselves."""
    if isinstance(value, Space):
        return value
    if value is SE3 or value is SO3xR3:
        return Space(value.__name__)
    if not isinstance(value, str) or value not in RULES:
        raise UnknownName.among("space", value, NAMES, where=where)
    return RULES[value](tree, body)


# --- the choice -----------------------------------------------------------------------------------


@checked_keywords
def designate(
    model: Model, spaces: Mapping[Any, Any] | None = None, cut: Collection[str] = ()
) -> Designation:
    """The cheapest space of every body in which the joint that carries it holds to rounding.

    spaces  spaces you choose yourself, body -> Space or name; the others are chosen to fit
    cut     joints at which to cut loops, instead of those that leave the shortest chains; a note
            says which of them hold a body on the tree, and are not cut

    The joint graph gets a spanning tree (see `spanning_tree`).  A body that hangs on the ground is
    charted on SO(3)xR3 framed on its joint, as exact there as SE(3) and cheaper; a body that hangs
    on a moving one the same way, relative to it.  Where any frame point will do it is the centre of
    mass.  The root of a floating tree is framed at its centre of mass.

    A parent's motion may leave the motions of the joint what they are, and the absolute chart is
    exact as well (see `chasles.spaces.exactness`).  It is not chosen: it saves 3 to 6 % of a step
    and gains nothing else (200 random trees: 7.6e-13 is the worst gap either way), and it would
    hang on geometry that is recognised only up to a tolerance.

    >>> from chasles.model import GROUND, Body, Model, Spherical
    >>> arm = Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> print(designate(Model([arm], [Spherical("pivot", GROUND, arm, at=(0, 0, 0))])).verdict())
    The joint holds to rounding.
    """
    checked_model(model)
    if spaces is not None and not isinstance(spaces, Mapping):
        raise InvalidOption(
            f"spaces must be a dict, got {told(spaces)}.", "Give body -> Space or name, or nothing."
        )
    wanted = cut_joints(model, cut)
    geometry = Geometry(model, spanning_tree(model, wanted))
    forced = overrides(model, spaces)
    charts = Charts(geometry, choose(model, geometry.tree, forced))
    predicted = tuple(charts.predict(joint) for joint in model.joints)
    exact = {p.joint for p in predicted if p.exact}
    notes = lost(geometry, exact) if forced else ()
    notes += tuple(
        f"Joint '{name}' is not cut: no other joint holds what hangs on it."
        for name in wanted
        if name not in geometry.tree.cut
    )
    rows = tuple(row(charts, name, name in forced, exact) for name in model.body_names)
    return Designation(model, rows, geometry.tree.cut, predicted, notes, tuple(forced), wanted)


def cut_joints(model: Model, cut: Any) -> tuple[str, ...]:
    """The names of the joints at which a user wants loops cut."""
    try:
        joints = (cut,) if isinstance(cut, str | Joint) else tuple(cut)
    except TypeError:  # None, a number
        raise InvalidOption(
            f"cut must be a list, got {told(cut)}.", "Give names of joints."
        ) from None
    return tuple(model.joint(joint, where="cut").name for joint in joints)


def choose(model: Model, tree: Tree, forced: Mapping[str, Space]) -> dict[str, Space]:
    """The cheapest space of every body in which the joint that carries it is exact."""
    chosen = dict(forced)
    for name, carried in tree.parents.items():
        if name in forced:
            continue
        if carried is None:
            chosen[name] = Space("SO3xR3")
            continue
        parent, joint = carried[0], model.joint(carried[1])
        at = None if joint.any_frame_point else joint.name
        absolute = parent == GROUND.name or refers_to(forced, parent, name)
        chosen[name] = Space("SO3xR3", at, None if absolute else parent)
    return {name: chosen[name] for name in model.body_names}


def refers_to(forced: Mapping[str, Space], body: str, other: str) -> bool:
    """Whether the user's spaces take a body relative to another, directly or through others."""
    at: str | None = body
    for _ in range(len(forced)):
        if at is None or at not in forced or at == other:
            break
        at = forced[at].relative_to
    return at == other


def lost(geometry: Geometry, exact: Collection[str]) -> tuple[str, ...]:
    """A line for every joint that the user's spaces cost its exactness."""
    charts = Charts(geometry, choose(geometry.model, geometry.tree, {}))
    lines = []
    for joint in geometry.model.joints:
        if joint.name not in exact and charts.holds(joint):
            child = charts.directly(joint) or joint.b
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


def why(charts: Charts, name: str, forced: bool, kept: str | None) -> str:
    carried, space = charts.geometry.tree.parents[name], charts.spaces[name]
    if space.group == "subgroup" and carried is not None:
        return f"{charts.model.joint(carried[1]).kind} joint: only its own coordinates move"
    if forced:
        effect = "keeps its joint" if kept else "loses its joint" if carried else "a free body"
        return f"your choice: {effect}"
    if carried is None:
        alone = not any(c and c[0] == name for c in charts.geometry.tree.parents.values())
        return "free: the momentum stays" if alone else "floats freely and carries the others"
    parent, joint = carried[0], charts.model.joint(carried[1])
    if kept is None:
        return f"{joint.kind} joint to '{parent}': it holds in no space, and drifts"
    framed = "" if space.at is None else " framed on it"
    if parent == GROUND.name:
        return f"{joint.kind} joint to the ground:{framed} as exact as SE(3), and cheaper"
    return f"{joint.kind} joint on a moving body:{framed} exact relative to '{parent}'"
