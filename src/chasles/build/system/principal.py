"""Principal axes that do not jump where a model changes a little."""

from itertools import permutations

import numpy as np

from chasles.core.arrays import Floats

#: The axes of a body, a little askew: measured along these, no axis is undecided between two of
#: them at half a right angle, as it would be along the axes themselves.
NEARLY = np.array([[1.0, 0.1, 0.03], [-0.07, 1.0, 0.13], [0.05, -0.11, 1.0]])
ORDERS = np.array(list(permutations(range(3))))


def principal_axes(inertia: Floats) -> Floats:
    """Of inertias (n, 3, 3): axes as columns, right-handed, those nearest to the body's own.

    LAPACK orders them by their moments and leaves their signs open.  Both jump where moments change
    places, or for no reason at all, and with them all arrays that are written in these axes.
    """
    axes = np.linalg.eigh(inertia)[1]
    along = NEARLY @ axes  # [n, axis of the body, principal axis]
    scores = np.abs(along[:, np.arange(3), ORDERS[:, None, :]][:, :, 0]).sum(axis=-1)
    order = ORDERS[np.argmax(scores, axis=1)]
    found = np.take_along_axis(axes, order[:, None, :], axis=2)
    found *= np.where(np.einsum("ki,nik->nk", NEARLY, found) < 0.0, -1.0, 1.0)[:, None, :]
    found[:, :, 2] *= np.sign(np.linalg.det(found))[:, None]
    return np.ascontiguousarray(found)
