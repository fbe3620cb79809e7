r"""Whether a chart's own exp and dexp^-1 keep a motion subgroup or a joint: the linear algebra.

Everything is a displacement from the start, in world (scaled) coordinates at the start, so poses
at the start are the identity and drop out.  A chart is (group, frame point P).  Its velocity at
the start is the twist itself on SE(3), and (omega, velocity of P) on SO(3)xR3.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chasles.groups.se3 import se3_compose, se3_exp, se3_inverse, se3_log
from chasles.groups.so3 import so3_rotate
from chasles.model.words import Floats
from chasles.spaces.subalgebras import (
    TOLERANCE,
    beyond,
    closure,
    contains,
    hat,
    orthonormal,
    velocities_at,
)

Displacement = tuple[tuple[float, ...], tuple[float, ...]]  # an element of SE(3)
SAMPLES = 2
SHORTER = 0.6


@dataclass(frozen=True)
class Chart:
    """How a body's displacement is stored: on SE(3), or as rotation and motion of a point."""

    product: bool
    point: Floats


def spoils(chart: Chart, basis: Floats) -> Floats:
    r"""Translations by which a chart leaves a subalgebra A: zero or in A if it keeps it.

    On SO(3)xR3 the velocity variable at a pose turned by R is (omega, R u) for (omega, u) in A,
    twists taken at P.  The set of these is the same for all R in the group of A iff

    $$ (0,\ \omega_x \times u_y) \in A \qquad \text{for all } x, y \in A, $$

    and then it is a subalgebra of so(3) x R3 too, so exp stays in the group.  SE(3) keeps all.
    """
    if not chart.product or basis.shape[1] in (0, 6):
        return np.zeros((6, 0))
    velocities = velocities_at(chart.point, basis)
    turned = np.concatenate([hat(omega) @ velocities for omega in basis[:3].T], axis=1)
    return np.concatenate((np.zeros_like(turned), turned))


def keeps(chart: Chart, basis: Floats) -> bool:
    """Whether a body whose twist lies in a subalgebra stays in its group, to rounding."""
    return contains(basis, spoils(chart, basis))


def kept_hull(chart: Chart, basis: Floats) -> Floats:
    """The smallest subalgebra around a given one that the chart keeps."""
    while not keeps(chart, basis):
        outside = orthonormal(beyond(basis, spoils(chart, basis)))
        basis = closure(np.concatenate((basis, outside), axis=1))
    return basis


# --- several charts at once -----------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A chart on the way from the common reference to a joint, and the twists it is confined to."""

    chart: Chart
    algebra: Floats


def is_coset(to_a: list[Link], to_b: list[Link], allowed: Floats) -> bool:
    """Whether the joint's poses form a subgroup of the product of the charts' groups.

    `to_a` and `to_b` lead from the common reference to the joint's bodies.  The velocities that
    the joint allows at the start form a linear space k.  If its poses are a subgroup, then
    exp(x) exp(y) closes the joint for all x, y in k; conversely, if that holds for all x and y,
    the allowed velocities are k at every pose of exp(k), which is then the subgroup.  Both sides
    are analytic in x and y, so that one generic pair decides.
    """
    project = allowed_velocities(to_a, to_b, allowed)
    rng = np.random.default_rng(len(to_a) + len(to_b))
    for _ in range(SAMPLES):
        x, y = project(rng), project(rng)
        if x is None or y is None:
            return True
        y = SHORTER * y  # where k is a line, x and y of one length would cancel half of the time
        ends = [displacement(links, x, y, at) for links, at in ((to_a, 0), (to_b, len(to_a)))]
        between = se3_log(se3_compose(se3_inverse(ends[0]), ends[1]))
        if not contains(allowed, np.reshape(between, (6, 1))):
            return False
    return True


def allowed_velocities(
    to_a: list[Link], to_b: list[Link], allowed: Floats
) -> Callable[[np.random.Generator], Floats | None]:
    """Draws twists of all links, stacked, whose sum over b less that over a the joint allows.

    Of length 1; None if there are none but zero.
    """
    links = to_a + to_b
    signs = [-1.0] * len(to_a) + [1.0] * len(to_b)
    total = np.concatenate([s * link.algebra for s, link in zip(signs, links)], axis=1)
    if total.shape[1] == 0:
        return lambda rng: None
    _, sizes, directions = np.linalg.svd(beyond(allowed, total), full_matrices=False)
    forbidden = directions[sizes > TOLERANCE * max(1.0, sizes[0])]
    ends = np.cumsum([link.algebra.shape[1] for link in links])[:-1]

    def draw(rng: np.random.Generator) -> Floats | None:
        weights = rng.normal(size=total.shape[1])
        left = weights - forbidden.T @ (forbidden @ weights)
        length = np.linalg.norm(left)
        if length < np.sqrt(TOLERANCE) * np.linalg.norm(weights):
            return None
        parts = np.split(left / length, ends)
        return np.concatenate([link.algebra @ part for link, part in zip(links, parts)])

    return draw


def displacement(links: list[Link], x: Floats, y: Floats, first: int) -> Displacement:
    """Of a joint's body, after every chart of its links has moved by exp(x) exp(y)."""
    total: Displacement = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for index, link in enumerate(links, first):
        part = slice(6 * index, 6 * index + 6)
        total = se3_compose(total, moved(link.chart, x[part], y[part]))
    return total


def moved(chart: Chart, x: Floats, y: Floats) -> Displacement:
    """exp(x) exp(y) in a chart's group, for twists x and y at the start."""
    whole: Displacement = se3_compose(*(se3_exp((z[:3].tolist(), z[3:].tolist())) for z in (x, y)))
    if not chart.product:
        return whole
    shift = velocities_at(chart.point, np.column_stack((x, y))).sum(axis=1)
    return whole[0], tuple((chart.point + shift - so3_rotate(whole[0], chart.point)).tolist())
