r"""Subalgebras of se(3) as orthonormal 6 x k bases of twists (omega, v).

$$ [(\omega_1, v_1), (\omega_2, v_2)] =
   (\omega_1\times\omega_2,\ \omega_1\times v_2 - \omega_2\times v_1) $$

Ranks are numerical: a direction counts as new when it leaves a span by more than `TOLERANCE`, of
twists of length about 1.  Twists mix radians and metres, so lengths are first divided by the size
of the model and taken about its centroid (`Scale`): what is recognised then depends neither on
where the model stands, nor on how it is turned, nor on its size.
"""

from dataclasses import dataclass

import numpy as np

from chasles.model import Model
from chasles.model.words import Floats

#: Directions closer than this (rad, or lengths over the size of the model) are the same.
TOLERANCE = 1e-9

ZERO: Floats = np.zeros((6, 0))
SE3_ALGEBRA: Floats = np.eye(6)


def bracket_table() -> Floats:
    """c with [x, y]_k = c_kij x_i y_j."""
    epsilon = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[k, i, j], epsilon[k, j, i] = 1.0, -1.0
    table = np.zeros((6, 6, 6))
    table[:3, :3, :3] = epsilon
    table[3:, :3, 3:] = epsilon
    table[3:, 3:, :3] = epsilon
    return table


STRUCTURE = bracket_table()


def hat(w: Floats) -> Floats:
    """The matrix of w x; much faster than NumPy's cross on single vectors."""
    x, y, z = w
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def velocities_at(point: Floats, twists: Floats) -> Floats:
    """v + omega x P of every column."""
    return twists[3:] - hat(point) @ twists[:3]


def brackets(left: Floats, right: Floats) -> Floats:
    """All [x, y] with x a column of `left` and y a column of `right`, as columns."""
    return np.einsum("kij,ia,jb->kab", STRUCTURE, left, right).reshape(6, -1)


def orthonormal(twists: Floats) -> Floats:
    """A basis of the span of twists whose length, where it is not 0, is about 1."""
    if twists.shape[1] == 0:
        return ZERO
    directions, sizes, _ = np.linalg.svd(twists, full_matrices=False)
    return directions[:, sizes > TOLERANCE]


def beyond(basis: Floats, twists: Floats) -> Floats:
    """What of the twists lies outside the span of an orthonormal basis."""
    return twists - basis @ (basis.T @ twists)


def contains(basis: Floats, twists: Floats) -> bool:
    """Whether twists of length about 1 lie in the span of an orthonormal basis."""
    return basis.shape[1] == 6 or not np.any(np.abs(beyond(basis, twists)) > TOLERANCE)


def normalised(twists: Floats) -> Floats:
    """The twists at length 1; those of length 0 are left out."""
    lengths = np.linalg.norm(twists, axis=0)
    return twists[:, lengths > 0.0] / lengths[lengths > 0.0]


def closure(twists: Floats) -> Floats:
    """The smallest subalgebra that holds the twists: brackets are added until none is new.

    se(3) has no subalgebra of dimension 5, so five directions are six.
    """
    basis = orthonormal(normalised(twists))
    while 1 < basis.shape[1] < 5:
        new = orthonormal(beyond(basis, brackets(basis, basis)))
        if new.shape[1] == 0:
            return basis
        basis = np.concatenate((basis, new), axis=1)
    return SE3_ALGEBRA if basis.shape[1] > 4 else basis


def intersection(one: Floats, other: Floats) -> Floats:
    """Twists that two spans, given by orthonormal bases, have in common."""
    if one.shape[1] == 6 or other.shape[1] == 0:
        return other
    if other.shape[1] == 6 or one.shape[1] == 0:
        return one
    _, sines, directions = np.linalg.svd(beyond(other, one), full_matrices=False)
    return one @ directions[sines <= TOLERANCE].T


@dataclass(frozen=True)
class Scale:
    """Where lengths are measured from, and in what: turns twists into comparable numbers."""

    centre: Floats
    length: float

    def local(self, twists: Floats) -> Floats:
        """World twists (velocity of the point at the origin) to scaled ones about the centre."""
        return np.concatenate((twists[:3], velocities_at(self.centre, twists) / self.length))

    def world(self, twists: Floats) -> Floats:
        """The inverse of `local`."""
        omega, v = twists[:3], twists[3:] * self.length
        return np.concatenate((omega, v + hat(self.centre) @ omega))

    def point(self, world_point: Floats) -> Floats:
        """A point in scaled coordinates."""
        return (np.asarray(world_point, float) - self.centre) / self.length


def scale_of(model: Model) -> Scale:
    """The centroid of all centres of mass and joint points, and their root mean square distance."""
    points = np.array([b.position for b in model.bodies] + [j.at for j in model.joints], float)
    centre = points.mean(axis=0)
    spread = float(np.sqrt(((points - centre) ** 2).sum(axis=1).mean()))
    pitch = max((abs(joint.pitch) for joint in model.joints), default=0.0)
    # a single body hung at its centre of mass has no size but that of its screw, if it is one
    negligible = 1e-12 * float(np.abs(points).max(initial=0.0))
    return Scale(centre, spread if spread > negligible else pitch or 1.0)
