"""Motion subgroups: what a joint allows, what its joints confine a body to, and their names.

Subalgebras are 6 x k bases of twists (omega, v) in world coordinates at the initial pose, v being
the velocity of the point at the world's origin.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from chasles.model import GROUND, Joint, Model, Vector3
from chasles.model.words import Floats
from chasles.spaces.frames import joint_axes
from chasles.spaces.subalgebras import (
    SE3_ALGEBRA,
    TOLERANCE,
    ZERO,
    Scale,
    closure,
    contains,
    hat,
    intersection,
    normalised,
    orthonormal,
)
from chasles.spaces.tree import SpanningTree, joint_graph


def joint_algebra(joint: Joint) -> Floats:
    """The relative twists a joint allows: one column per direction it leaves free."""
    assert joint.at is not None  # Model has placed every joint
    about, axes = hat(np.array(joint.at)), joint_axes(joint)
    columns = []
    for k, e in enumerate(axes.T):
        if "wxwywz"[2 * k : 2 * k + 2] not in joint.locked:
            advance = joint.pitch * e if k == 2 else 0.0 * e
            columns.append(np.concatenate((e, about @ e + advance)))
        if "uxuyuz"[2 * k : 2 * k + 2] not in joint.locked:
            columns.append(np.concatenate((np.zeros(3), e)))
    return np.array(columns).T if columns else ZERO


# --- the subgroup a body is confined to -----------------------------------------------------------


def scaled_algebra(joint: Joint, scale: Scale) -> Floats:
    """An orthonormal basis of what a joint allows, in scaled coordinates."""
    return orthonormal(normalised(scale.local(joint_algebra(joint))))


def together(one: Floats, other: Floats) -> Floats:
    """The smallest subalgebra that holds two."""
    if contains(one, other):
        return one
    if contains(other, one):
        return other
    return closure(np.concatenate((one, other), axis=1))


def scaled_body_algebras(
    model: Model, tree: SpanningTree, allowed: dict[str, Floats]
) -> dict[str, Floats]:
    r"""For every body the subalgebra its absolute motion is confined to, in scaled coordinates.

    The pose of b against its start lies in $\exp(A_n)\,H_j$ for every joint j to a neighbour n,
    hence in the group of the smallest subalgebra that holds $A_n$ and $h_j$.  So with
    $A_{ground} = 0$,

    $$ A_b = \bigcap_j \mathrm{closure}(A_n + h_j), $$

    whose greatest solution is taken: one pass over the tree, then round the loops.  It is the
    closure along the path to ground in a tree, and all of se(3) for a body that no chain of joints
    leads to the ground.
    """
    confined = {GROUND.name: ZERO}
    for body, carried in tree.parents.items():  # parents come before their children
        if carried is None:
            confined[body] = SE3_ALGEBRA
        else:
            confined[body] = together(confined[carried[0]], allowed[carried[1]])
    tighten_round_loops(model, tree, allowed, confined)
    del confined[GROUND.name]
    return {name: confined[name] for name in model.body_names}


def tighten_round_loops(
    model: Model, tree: SpanningTree, allowed: dict[str, Floats], confined: dict[str, Floats]
) -> None:
    """Intersect with what the cut joints say, until nothing changes.

    Dimensions only fall, so no body is visited more than a few times per neighbour.
    """
    joints_of = joint_graph(model, model.joints)
    cut = [model.joint(name) for name in tree.cut]
    waiting = deque((end, other, j.name) for j in cut for end, other in ((j.a, j.b), (j.b, j.a)))
    while waiting:
        body, other, joint_name = waiting.popleft()
        before = confined[body]
        if before.shape[1] == 0:
            continue
        after = intersection(before, together(confined[other], allowed[joint_name]))
        if after.shape[1] < before.shape[1]:
            confined[body] = after
            waiting.extend((n, body, name) for n, name in joints_of[body] if n != GROUND.name)


# --- conjugacy classes ----------------------------------------------------------------------------


@dataclass(frozen=True)
class MotionGroup:
    """A connected subgroup of SE(3), up to a rigid motion, and where it sits in the world.

    name       "identity", "translation along a line", "translation in a plane", "translation",
               "revolute", "helical", "cylindrical", "planar", "planar-helical", "Schoenflies",
               "spherical" or "SE(3)"
    dimension  0 to 6
    axis       direction of rotation, of the line, or normal of the plane
    point      on the axis, closest to the world's origin; the centre of a spherical group
    pitch      metres per radian of the helical ones
    """

    name: str
    dimension: int
    axis: Vector3 | None = None
    point: Vector3 | None = None
    pitch: float = 0.0

    def __str__(self) -> str:
        return self.name

    @property
    def phrase(self) -> str:
        """The group in the middle of a sentence."""
        if self.name == "identity":
            return "the rest"
        return f"the {self.name}" if "translation" in self.name else f"the {self.name} motion"


TRANSLATIONS = ("identity", "translation along a line", "translation in a plane", "translation")


def classify(basis: Floats, scale: Scale | None = None) -> MotionGroup:
    """The conjugacy class of a subalgebra, given by a basis in world coordinates.

    A subalgebra's class follows from the dimensions r of its rotations and t of its translations
    (an ideal), and from the pitch that is left where r = 1.  `scale` says what lengths count as
    small; without it they are compared with 1 m about the origin.
    """
    scale = scale or Scale(np.zeros(3), 1.0)
    local = orthonormal(normalised(scale.local(basis)))
    rotations, shifts = split(local)
    r, t = rotations.shape[1], shifts.shape[1]
    if r == 0:
        axis = shifts[3:, 0] if t == 1 else np.linalg.svd(shifts[3:])[0][:, 2] if t == 2 else None
        return MotionGroup(TRANSLATIONS[t], t, vector(axis))
    if r == 1:
        return about_an_axis(rotations[:, 0], t, scale)
    if t == 3:
        return MotionGroup("SE(3)", 6)
    return MotionGroup(
        "spherical", 3, None, vector(scale.centre + scale.length * centre(rotations))
    )


def split(local: Floats) -> tuple[Floats, Floats]:
    """A basis as columns with orthonormal rotations, and an orthonormal basis of translations.

    The v of the first are normal to the second.
    """
    if local.shape[1] == 0:
        return ZERO, ZERO
    directions, sizes, combine = np.linalg.svd(local[:3])
    r = int((sizes > TOLERANCE).sum())
    translations = local @ combine[r:].T
    translations[:3] = 0.0
    rotations = local @ combine[:r].T / sizes[:r]
    rotations[:3] = directions[:, :r]
    return rotations - translations @ (translations.T @ rotations), translations


def about_an_axis(turn: Floats, translations: int, scale: Scale) -> MotionGroup:
    """The groups that rotate about one direction."""
    if turn[np.argmax(np.abs(turn[:3]))] < 0.0:
        turn = -turn
    e, v = turn[:3], turn[3:]
    pitch = float(e @ v)
    on_axis = scale.centre + scale.length * np.cross(e, v)
    point = vector(on_axis - e * (e @ on_axis))
    if translations == 1:
        return MotionGroup("cylindrical", 2, vector(e), point)
    if translations == 3:
        return MotionGroup("Schoenflies", 4, vector(e))
    straight, winding, where = (
        ("revolute", "helical", point) if translations == 0 else ("planar", "planar-helical", None)
    )
    if abs(pitch) <= TOLERANCE:
        return MotionGroup(straight, 1 + translations, vector(e), where)
    return MotionGroup(winding, 1 + translations, vector(e), where, pitch * scale.length)


def centre(rotations: Floats) -> Floats:
    """The point p that stays: v = p x omega, so that the sum of omega x v is 2 p."""
    return np.cross(rotations[:3], rotations[3:], axis=0).sum(axis=1) / 2.0


def vector(values: Floats | None) -> Vector3 | None:
    if values is None:
        return None
    x, y, z = (float(value) + 0.0 for value in values)
    return x, y, z
