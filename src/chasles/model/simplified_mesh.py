"""A mesh with fewer triangles, for pictures: vertices of one cell of a grid become one."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
CELLS = (512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 8)  # along the longest edge, finest first


def fewer_triangles(vertices: Floats, triangles: Whole, most: int) -> tuple[Floats, Whole]:
    """As fine as a grid allows that leaves no more than so many triangles.

    >>> square = np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    >>> fewer_triangles(square, np.array([(0, 1, 2), (0, 2, 3)]), 2)[1].tolist()
    [[0, 1, 2], [0, 2, 3]]
    """
    if len(triangles) <= most:
        return vertices, triangles
    low, wide = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    found = vertices, triangles
    for cells in CELLS:
        cell = np.floor((vertices - low) / wide * cells).astype(np.int64)
        code = (cell[:, 0] * (cells + 1) + cell[:, 1]) * (cells + 1) + cell[:, 2]
        _, group = np.unique(code, return_inverse=True)
        count = np.bincount(group)
        middles = np.stack([np.bincount(group, vertices[:, k]) / count for k in range(3)], axis=1)
        corners = group[triangles]
        a, b, c = corners.T
        corners = corners[(a != b) & (b != c) & (c != a)]
        _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
        found = middles, corners[np.sort(first)]
        if len(first) <= most:
            break
    return found
