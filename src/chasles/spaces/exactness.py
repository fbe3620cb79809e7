r"""Which joints stay closed to round-off in given spaces, and why: predicted from the geometry.

A Runge-Kutta-Munthe-Kaas method keeps a joint where the poses that it allows are a left coset of a
subgroup K of the product of the charts' groups between its two bodies and their common reference
(theorems and proofs: docs/equations.md, "Lower pairs stay closed").  Three cases follow;
`chasles.spaces.invariance` decides all of them numerically.

1. *The chart of b is relative to a (or a is the ground), or the other way round.*  K is the joint's
   motion group H in the chart.  SE(3) keeps every lower pair.  SO(3)xR3 with frame point P keeps
   a spherical joint iff P is its centre; revolute, cylindrical and helical ones iff P is on the
   axis; prismatic, planar, fixed and Cartesian ones for any P.
2. *Both charts have the same reference*, against which a is confined to the subalgebra A.  On SE(3)
   the pairs (x, x + y), x in A, y in h, are an algebra iff $[A, h] \subset h$: A *normalises* h.
   Weaker than commuting: coaxial or concentric joints, prismatics in a row, a planar joint on
   whatever keeps its normal (Schoenflies), anything welded.  On SO(3)xR3 the frame points have to
   keep the groups of a and b as in case 1; and two frame points on the centre of a spherical joint
   (or anywhere the same, of a fixed one) keep it however a moves, because both charts then store
   the same position.
3. *Longer ways to the common reference*, as in loops cut at the end of relative chains: a coset
   only in special mechanisms, such as those that translate only.  Not where a coordinate on the way
   is driven: it follows its function of time exactly, the others the method's combinations.

Joints that are not lower pairs have no such coset and drift, but for a point of b on a line or
plane of a: SO(3)xR3 relative to a and framed on that point stores the point itself.

What a body is confined to in the numerical solution follows the joints from the ground outward;
where a chart does not keep the group, the smallest larger group that it keeps takes its place.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chasles.model import GROUND, Driver, Joint, Model
from chasles.model.words import Floats
from chasles.spaces.frames import joint_axes
from chasles.spaces.invariance import Chart, Link, is_coset, keeps, kept_hull
from chasles.spaces.on_subgroups import SAME_POINT, distance, local_scale, tree_under
from chasles.spaces.space import Space, frame_point, made_once, references
from chasles.spaces.subalgebras import SE3_ALGEBRA, ZERO, Scale, closure, scale_of
from chasles.spaces.subgroups import classify, scaled_algebra, scaled_body_algebras, together
from chasles.spaces.tree import BALL_ROWS, SpanningTree, is_centred, spanning_tree

#: A row that moves by less per unit of motion (in sizes of the model) does not move.
ROW_HOLDS = 1e-10


@dataclass(frozen=True)
class Prediction:
    """What will become of a joint: `exact` (to rounding) or drifting, and the reason in words.

    rows   names of the rows that hold to rounding: all of an exact joint's
    whole  these are all, since no motion of the loop opens it; but rounding errors add up
    """

    joint: str
    exact: bool
    reason: str
    rows: tuple[str, ...] = ()
    whole: bool = False

    @property
    def outlook(self) -> str:
        if self.exact:
            return "exact"
        if self.whole:
            return "holds, but rounding adds up"
        held = f"{', '.join(self.rows)} hold; the rest " if len(self.rows) > 1 else ""
        held = f"{self.rows[0]} holds; the rest " if len(self.rows) == 1 else held
        return f"{held}drifts, order p of the method"


def exact_joints(model: Model, spaces: dict[str, Space]) -> tuple[str, ...]:
    """The joints that stay closed to round-off, in the order of the model.

    The last ones are kept: a run asks twice.
    """

    def find() -> tuple[str, ...]:
        charts = Charts.of(model, spaces)
        return tuple(joint.name for joint in model.joints if charts.holds(joint))

    return made_once(model, "exact joints", spaces, find)


def drifting_joints(model: Model, spaces: dict[str, Space]) -> tuple[str, ...]:
    """The joints that open with the error of the method, in the order of the model."""
    exact = exact_joints(model, spaces)
    return tuple(name for name in model.joint_names if name not in exact)


class Geometry:
    """What depends on the model alone: its scale, tree and motion groups (scaled coordinates)."""

    def __init__(self, model: Model, tree: SpanningTree | None = None) -> None:
        self.model = model
        self.tree = tree or spanning_tree(model)

    @cached_property
    def scale(self) -> Scale:
        """In what lengths are measured, and from where."""
        return scale_of(self.model)

    @cached_property
    def allowed(self) -> dict[str, Floats]:
        """What every joint allows."""
        return {joint.name: scaled_algebra(joint, self.scale) for joint in self.model.joints}

    @cached_property
    def confined(self) -> dict[str, Floats]:
        """The subalgebra every body is confined to."""
        return scaled_body_algebras(self.model, self.tree, self.allowed)


class Charts:
    """The charts of a model's bodies, and what they keep."""

    def __init__(self, geometry: Geometry, spaces: dict[str, Space]) -> None:
        self.geometry, self.model, self.spaces = geometry, geometry.model, spaces

    @classmethod
    def of(cls, model: Model, spaces: dict[str, Space], cut: Collection[str] = ()) -> "Charts":
        """Of a model in some spaces, on the tree that they lie on."""
        return cls(Geometry(model, tree_under(model, spaces, cut)), spaces)

    @cached_property
    def relative(self) -> dict[str, Floats]:
        """What the chart of every body is confined to in the solution.

        Found when it is first asked for: most joints are judged by one chart alone.
        """
        relative, absolute = dict[str, Floats](), {GROUND.name: ZERO}
        for name in self.geometry.tree.parents:
            relative[name], absolute[name] = self.confine(name, absolute)
        return self.geometry.confined if self.keep_loops else relative

    def chart(self, name: str, scale: Scale) -> Chart:
        return Chart(self.spaces[name].group != "SE3", scale.point(self.stored_point(name)))

    def stored_point(self, name: str) -> Floats:
        """The point of a body whose place is stored, at the start."""
        space, body = self.spaces[name], self.model.body(name)
        carrier = space.at if space.group == "subgroup" else None
        if isinstance(carrier, str) and self.model.joint(carrier).any_frame_point:
            return np.array(body.position)  # a planar pair's x and y are the centre of mass's
        return np.array(frame_point(space, body, self.model))

    def confine(self, name: str, absolute: dict[str, Floats]) -> tuple[Floats, Floats]:
        """What the chart of a body, and its absolute motion, are confined to in the solution.

        `absolute` has the motions of the ground and of the bodies before it on the tree.
        """
        reference = self.spaces[name].relative_to
        carried = self.geometry.tree.parents[name]
        chart = self.chart(name, self.geometry.scale)
        if carried is None:
            return SE3_ALGEBRA, SE3_ALGEBRA
        parent, joint = carried
        if reference is None:
            along = together(absolute[parent], self.geometry.allowed[joint])
            own = kept_hull(chart, along)
            return own, own
        if reference == parent:
            own = kept_hull(chart, self.geometry.allowed[joint])
            return own, together(absolute[parent], own)
        between = [j.name for j in self.model.joints if {j.a, j.b} == {name, reference}]
        if not between:
            return SE3_ALGEBRA, SE3_ALGEBRA
        return kept_hull(chart, self.geometry.allowed[between[0]]), SE3_ALGEBRA

    @property
    def keep_loops(self) -> bool:
        """Whether all charts are absolute and keep what loops confine the bodies to."""
        if not self.geometry.tree.cut or any(s.relative_to for s in self.spaces.values()):
            return False
        confined = self.geometry.confined
        return all(keeps(self.chart(n, self.geometry.scale), a) for n, a in confined.items())

    # --- predictions ---

    def predict(self, joint: Joint) -> Prediction:
        exact, reason = self.judge(joint)
        if exact:
            return Prediction(joint.name, True, reason, joint.locked)
        if not joint.is_lower_pair:
            ball = BALL_ROWS if is_centred(joint) and self.stores_centre(joint) else ()
            if ball:
                reason = "its centre is that of a ball; the rest is not a group of motions"
            return Prediction(joint.name, False, f"{joint.kind}: {reason}", ball)
        rows = self.rows_that_hold(joint)
        whole = rows == joint.locked
        if whole:
            reason = "no motion of its loop violates it, but round-off accumulates"
        return Prediction(joint.name, False, reason, rows, whole)

    def holds(self, joint: Joint) -> bool:
        """Whether a joint stays closed to round-off."""
        return self.judge(joint)[0]

    def judge(self, joint: Joint) -> tuple[bool, str]:
        """Whether a joint stays closed to round-off, and why."""
        if not joint.is_lower_pair:
            return self.judge_point(joint)
        child = self.directly(joint)
        if child is None:
            return self.judge_apart(joint)
        space, kind = self.spaces[child], joint.kind
        if space.group == "subgroup" and isinstance(space.at, str):
            return self.judge_on_subgroup(joint, child, space.at)
        against = f"relative to {shown(joint.a if child == joint.b else joint.b)}"
        if space.group == "SE3":
            return True, f"SE(3) {against} keeps every {kind} joint"
        if joint.any_frame_point:
            return True, f"SO(3)xR3 {against} keeps a {kind} joint with any frame point"
        target = "centre" if kind == "spherical" else "axis"
        if space.at == joint.name or self.keeps_group(joint, child):
            return True, f"SO(3)xR3 {against}, its frame point on the joint's {target}"
        off = distance(joint, np.array(frame_point(space, self.model.body(child), self.model)))
        return False, f"the frame point of '{child}' is {off:.3g} m off the joint's {target}"

    def judge_on_subgroup(self, joint: Joint, child: str, carrier: str) -> tuple[bool, str]:
        """Of a joint of a body on a subgroup: that of this joint, or of another to the same body.

        What both allow is a subgroup of the carrier's: the hinge of a door on two balls.  A planar
        pair is charted by another group, where it is not.
        """
        if carrier == joint.name:
            own = f"'{child}' moves in the {joint.kind} joint's own subgroup: it stays closed"
            return True, own
        if self.model.joint(carrier).kind == "planar":
            return False, f"beside '{carrier}', whose shifts turn what this joint allows"
        return True, f"what it and '{carrier}' allow together is a group of motions of '{child}'"

    def keeps_group(self, joint: Joint, child: str) -> bool:
        """Whether a chart that is relative to a joint's other body keeps the joint's group."""
        scale = local_scale(joint, self.model, child, self.spaces[child])
        allowed = scaled_algebra(joint, scale)
        subgroup = closure(allowed).shape == allowed.shape
        return subgroup and keeps(self.chart(child, scale), allowed)

    def judge_point(self, joint: Joint) -> tuple[bool, str]:
        """Of a joint that is not a lower pair: a chart may hold the point that it keeps straight.

        The poses allowed are then SO(3) times a line or plane: a subgroup of SO(3)xR3.
        """
        if not joint.keeps_point_straight:
            return False, "what it allows is not a group of motions, so no chart keeps it"
        against = f"SO(3)xR3 relative to {shown(joint.a)}"
        relative = self.directly(joint) == joint.b and self.spaces[joint.b].group != "SE3"
        if relative and self.stores(joint, joint.b):
            return True, f"{against} stores the point itself, whose path is straight"
        return False, f"kept only by {against}, framed on its point"

    def judge_apart(self, joint: Joint) -> tuple[bool, str]:
        """Of a joint between bodies neither of whose charts is relative to the other one."""
        to_a, to_b = self.ways(joint)
        links_a, links_b = ([self.link(name) for name in way] for way in (to_a, to_b))
        exact = not any(self.is_driven(name) for name in (*to_a, *to_b)) and is_coset(
            links_a, links_b, self.geometry.allowed[joint.name]
        )
        ends = [name for name in (joint.a, joint.b) if name != GROUND.name]
        a, b = self.spaces[ends[0]].relative_to, self.spaces[ends[-1]].relative_to
        if a != b or len(ends) == 1:
            if exact:
                return True, "the charts of both bodies move along with the joint"
            return False, "closes a loop: neither body is described relative to the other"
        both = f"both charts are relative to {shown(a or GROUND.name)}"
        if not exact:
            return False, f"{both}, where '{joint.a}' turns or shifts what the joint allows"
        group = classify(self.geometry.scale.world(self.relative[joint.a]), self.geometry.scale)
        if group.name == "SE(3)":
            return True, f"{both} and store the position of one common point"
        kept = f"{group.phrase} of '{joint.a}' leaves the joint's motions what they are"
        return True, f"{both}, and {kept}"

    def stores_centre(self, joint: Joint) -> bool:
        """Whether the chart of a body of a centred coupling is that of a ball there."""
        child = self.directly(joint)
        return child is not None and (
            self.spaces[child].group == "SE3" or self.stores(joint, child)
        )

    def stores(self, joint: Joint, child: str) -> bool:
        """Whether the point that is stored of a body is that of a joint, to rounding."""
        off = np.linalg.norm(self.stored_point(child) - np.array(joint.at))
        scale = local_scale(joint, self.model, child, self.spaces[child])
        return bool(off <= SAME_POINT * scale.length)

    def rows_that_hold(self, joint: Joint) -> tuple[str, ...]:
        r"""The rows of a joint that no motion of its loop ever opens.

        All that the charts on the way from a to b allow generates a group, with the algebra A; the
        relative velocity is in A at every pose.  A row that vanishes on A does so for ever: three
        of five where a loop of hinges is planar.
        """
        to_a, to_b = self.ways(joint)
        spanned = [self.relative[name] for name in (*to_a, *to_b)]
        around = closure(np.concatenate([ZERO, *spanned], axis=1))
        if around.shape[1] == 6:
            return ()
        moved = row_functionals(joint, self.geometry.scale) @ around
        return tuple(
            name
            for name, row in zip(joint.locked, moved)
            if np.abs(row).max(initial=0.0) <= ROW_HOLDS
        )

    def ways(self, joint: Joint) -> tuple[list[str], list[str]]:
        """The bodies whose charts place a and b against what places both."""
        to_a, to_b = self.way(joint.a), self.way(joint.b)
        while to_a and to_b and to_a[0] == to_b[0]:
            to_a, to_b = to_a[1:], to_b[1:]
        return to_a, to_b

    def directly(self, joint: Joint) -> str | None:
        """The body of a joint whose chart is relative to the other one, if there is one."""
        for body, other in ((joint.b, joint.a), (joint.a, joint.b)):
            if body != GROUND.name and (self.spaces[body].relative_to or GROUND.name) == other:
                return body
        return None

    def is_driven(self, name: str) -> bool:
        """Whether the joint that carries a body is driven."""
        carried = self.geometry.tree.parents[name]
        return carried is not None and carried[1] in self.driven

    @cached_property
    def driven(self) -> set[str]:
        return {driver.joint for driver in self.model.drivers if isinstance(driver, Driver)}

    def link(self, name: str) -> Link:
        return Link(self.chart(name, self.geometry.scale), self.relative[name])

    def way(self, name: str) -> list[str]:
        """The bodies whose charts place a body: its references from the ground on, then itself."""
        return [] if name == GROUND.name else [*references(self.spaces, name)][::-1]


def shown(body: str) -> str:
    return "the ground" if body == GROUND.name else f"'{body}'"


def row_functionals(joint: Joint, scale: Scale) -> Floats:
    """(rows, 6) A lower pair's locked components of a relative twist, in scaled coordinates."""
    axes, at = joint_axes(joint), scale.point(np.array(joint.at))
    rows = []
    for name in joint.locked:
        e = axes[:, "xyz".index(name[1])]
        if name[0] == "w":
            rows.append(np.concatenate((e, np.zeros(3))))
        else:  # the velocity at the joint's point, v + omega x at, less what the screw advances
            pitch = joint.pitch / scale.length if name == "uz" else 0.0
            rows.append(np.concatenate((np.cross(at, e) - pitch * e, e)))
    return np.array(rows)
