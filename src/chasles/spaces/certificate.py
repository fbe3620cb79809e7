r"""Certificates: why a joint holds, by how much rounding may open it, or what prevents it.

*Lemma 1.*  A body placed by an element of the joint's motion subgroup H and nothing else is at a
pose that the joint allows, in any arithmetic.  What is left of a gap is the rounding of the product
that places the body: some ulps of the levers, of the distance from the origin and, on a thread, of
half a turn's advance (`audit.reach_of`).

*Lemma 2.*  Let the chart of b be relative to a and keep H.  Slopes that are projected on the
algebra h stay in h, in doubles as well, because the projector is constant; dexp^-1 maps h to h and
exp maps it into H, up to the rounding of one evaluation each.

*Theorem.*  Where poses that a joint allows are a coset of a subgroup of the product of several
charts (see `exactness`), the joint holds in exact arithmetic; in doubles rounding adds up.

*Obstruction.*  A joint drifts where a bracket of what its bodies do with what it allows leaves what
it allows: then the velocities allowed turn with the pose, and a combination of those at two stages
is allowed at neither.
"""

from dataclasses import dataclass, replace

import numpy as np

from chasles.model import GROUND, Joint
from chasles.model.checks import in_brackets
from chasles.model.words import Floats
from chasles.spaces.exactness import Charts
from chasles.spaces.on_subgroups import is_charted, on_subgroups, subgroup_tree
from chasles.spaces.subalgebras import ZERO, beyond, brackets, closure
from chasles.spaces.subgroups import MotionGroup, classify, joint_algebra

#: Ulps of reach (levers, distance from the origin, half a turn of a thread) that placing two bodies
#: may round by: some four products and sums on each side, each of which loses half an ulp per
#: component.
ULPS = 16
BY_CONSTRUCTION, BY_PROJECTION, BY_COSET = "Lemma 1", "Lemma 2", "the coset theorem"


@dataclass(frozen=True)
class Certificate:
    """What holds a joint, or what prevents it.

    joint        its name
    exact        whether all of it holds
    group        the motion group that it allows; None where that is not a group
    rows         its rows that hold
    lemma        what shows it: "Lemma 1" (b is placed by the joint's subgroup alone), "Lemma 2" (by
                 slopes projected on its algebra), "the coset theorem" (in exact arithmetic), or ""
    argument     the same in words, for this joint
    obstruction  why the other rows drift; "" if there are none
    ulps         of its reach (levers, distance from the origin, half a turn of a thread), that
                 rounding may open it by; None where rounding adds up
    audit        what a run has seen, in words; "" of a designation
    """

    joint: str
    exact: bool
    group: MotionGroup | None
    rows: tuple[str, ...]
    lemma: str
    argument: str
    obstruction: str = ""
    ulps: int | None = None
    audit: str = ""

    def seen(self, audit: str) -> "Certificate":
        """The same with what a run has seen."""
        return replace(self, audit=audit)

    def __str__(self) -> str:
        head = "holds to round-off" if self.exact else "drifts with the error of the method"
        lines = [f"Joint '{self.joint}' {head}."]
        if self.group is not None:
            lines.append(f"It allows {self.group.phrase}, of dimension {self.group.dimension}.")
        if self.exact:
            lines.append(f"By {self.lemma}: {self.argument}.")
        elif self.rows:
            lines.append(f"Rows {', '.join(self.rows)} hold: {self.argument}.")
        if self.obstruction:
            lines.append(f"Obstruction: {self.obstruction}.")
        if self.ulps is not None:
            lines.append(f"Round-off violates it by at most {self.ulps} ulps of its reach.")
        return "\n".join([*lines, *([self.audit] if self.audit else [])])


def certify(charts: Charts, joint: Joint) -> Certificate:
    found = charts.predict(joint)
    group = None
    if joint.is_lower_pair:
        group = classify(joint_algebra(joint), charts.geometry.scale)
    if not found.exact:
        why = "no motion of the loop moves them" if joint.is_lower_pair else "they are a ball's"
        argument = why if found.rows else found.reason
        return Certificate(
            joint.name, False, group, found.rows, "", argument, obstruction(charts, joint)
        )
    child, recursive = charts.directly(joint), on_subgroups(charts.spaces)
    carries = recursive and joint.name not in subgroup_tree(charts.model, charts.spaces).cut
    if child is None or (recursive and not carries):
        return Certificate(joint.name, True, group, found.rows, BY_COSET, found.reason)
    lemma, ulps = (BY_CONSTRUCTION, ULPS) if recursive else (BY_PROJECTION, None)
    argument = found.reason
    if recursive and is_charted(charts.spaces, child):
        argument += f", so '{child}' moves in the joint's own subgroup"
    return Certificate(joint.name, True, group, found.rows, lemma, argument, ulps=ulps)


def obstruction(charts: Charts, joint: Joint) -> str:
    """Which bracket leaves what a joint allows, in words."""
    if not joint.is_lower_pair:
        return f"what a {joint.kind} joint allows is not closed under composition"
    scale, allowed = charts.geometry.scale, charts.geometry.allowed[joint.name]
    to_a, to_b = charts.ways(joint)
    moved = [charts.relative[name] for name in (*to_a, *to_b)]
    around = closure(np.concatenate([ZERO, *moved], axis=1))
    found = None if charts.directly(joint) else worst_bracket(around, allowed)
    if found is None:  # the chart itself spoils it, by its frame point
        return charts.predict(joint).reason
    x, y, out = found
    one, other = words(scale.world(x)), words(scale.world(y))
    bodies = " and ".join(f"'{n}'" for n in (joint.a, joint.b) if n != GROUND.name)
    return (
        f"the motion of {bodies} contains {one}, whose bracket with {other}, which the joint"
        f" allows, leaves what it allows by {out:.2g}"
    )


def worst_bracket(around: Floats, allowed: Floats) -> tuple[Floats, Floats, float] | None:
    """x of one algebra and y of another with the [x, y] that leaves the other most; None if none.

    A basis along the axes is preferred: its motions can be named.
    """
    found, size = None, 1e-9
    for x in axes_of(around):
        for y in axes_of(allowed):
            bracket = brackets(x[:, None], y[:, None])
            out = float(np.linalg.norm(beyond(allowed, bracket)))
            if out > 1.01 * size:
                found, size = (x, y, out), out
    return found


def axes_of(basis: Floats) -> list[Floats]:
    """A basis in echelon form: as many components as possible are zero."""
    rows, left = basis.T.copy(), list(range(6))
    for k in range(len(rows)):
        pivot = max(left, key=lambda c: float(np.abs(rows[k:, c]).max()))
        best = k + int(np.argmax(np.abs(rows[k:, pivot])))
        rows[[k, best]] = rows[[best, k]]
        rows[k] /= rows[k, pivot]
        for other in range(len(rows)):
            if other != k:
                rows[other] -= rows[other, pivot] * rows[k]
        left.remove(pivot)
    rows[np.abs(rows) < 1e-12] = 0.0
    return [row / np.linalg.norm(row) for row in rows]


def words(twist: Floats) -> str:
    """A motion in words: what it turns about, or shifts along."""
    group = classify(twist[:, None])
    axis = in_brackets(group.axis or (), ".3g")
    if "translation" in group.name:
        return f"a shift along {axis}"
    through = f" through {in_brackets(group.point, '.3g')}" if group.point else ""
    return f"a turn about {axis}{through}" + (" that advances" if group.pitch else "")
