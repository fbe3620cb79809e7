"""Triangles and lines as pixels: which ones lie where, how deep, and which are in front."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats

Whole = NDArray[np.int64]
#: In the place of no extent at all, as a body has that is smaller than the rounding of its place.
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Page:
    """A rectangle of the projected world, and how many pixels it gets."""

    low: tuple[float, float]
    high: tuple[float, float]
    width: int
    height: int

    @property
    def each(self) -> float:
        """Length of the world in a pixel."""
        return (self.high[0] - self.low[0]) / self.width

    def pixels(self, points: Floats) -> Floats:
        """Places on the page (..., 2) in pixels, from the upper left corner."""
        share = (points - self.low) / np.maximum(np.subtract(self.high, self.low), TINY)
        return np.stack((share[..., 0] * self.width, (1.0 - share[..., 1]) * self.height), axis=-1)

    def places(self, cells: Whole) -> tuple[Floats, Floats]:
        """Where the middles of pixels are, across and up."""
        row, column = np.divmod(cells, self.width)
        tall = (self.high[1] - self.low[1]) / self.height
        return self.low[0] + (column + 0.5) * self.each, self.high[1] - (row + 0.5) * tall

    def times(self, finer: float) -> "Page":
        """The same rectangle with more pixels, or fewer."""
        return Page(self.low, self.high, *(max(1, round(finer * n)) for n in self.shape[::-1]))

    @property
    def shape(self) -> tuple[int, int]:
        return self.height, self.width


@dataclass(frozen=True, eq=False)
class Filled:
    """Pixels of triangles: cell, depth, whose, and shares of the second and third corner."""

    cells: Whole
    depth: Floats
    owner: Whole
    u: Floats
    v: Floats

    def only(self, kept: NDArray[np.bool_]) -> "Filled":
        return Filled(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))

    def blend(self, values: Floats) -> Floats:
        """Values of corners (T, 3, ...) at the pixels."""
        a, b, c = (values[self.owner, k] for k in range(3))
        u, v = (x.reshape(-1, *[1] * (a.ndim - 1)) for x in (self.u, self.v))
        return np.asarray(a + u * (b - a) + v * (c - a))


def filled(corners: Floats, page: Page) -> Filled:
    """Pixels of all triangles, whose corners (T, 3, 3) are x and y on the page and depth.

    Row by row: a triangle's span on a row lies between the edges that cross it; depth is an affine
    function of the place.
    """
    x, y = np.moveaxis(page.pixels(corners[..., :2]), -1, 0)
    ax, ay = x[:, 0], y[:, 0]
    ux, uy, vx, vy = x[:, 1] - ax, y[:, 1] - ay, x[:, 2] - ax, y[:, 2] - ay
    area = ux * vy - uy * vx
    owner, row, left, right = spans(x, y, np.abs(area) > 1e-9, page)
    start = np.clip(np.ceil(left - 0.5), 0, page.width).astype(int)
    span = np.maximum(np.clip(np.ceil(right - 0.5), 0, page.width).astype(int) - start, 0)
    which = np.repeat(np.arange(row.size), span)
    column = counted(span) + start[which]
    line, triangle = row[which], owner[which]
    px, py = column + 0.5 - ax[triangle], line + 0.5 - ay[triangle]
    u = (px * vy[triangle] - py * vx[triangle]) / area[triangle]
    v = (ux[triangle] * py - uy[triangle] * px) / area[triangle]
    found = Filled(line * page.width + column, u, triangle, u, v)
    return Filled(found.cells, found.blend(corners[..., 2]), triangle, u, v)


def spans(
    x: Floats, y: Floats, kept: NDArray[np.bool_], page: Page
) -> tuple[Whole, Whole, Floats, Floats]:
    """Rows that triangles cover: whose, which, and from where to where."""
    first = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, page.height).astype(int)
    last = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, page.height).astype(int)
    rows = np.where(kept, np.maximum(last - first, 0), 0)
    owner = np.repeat(np.arange(len(rows)), rows)
    row = counted(rows) + first[owner]
    left, right = np.full(row.size, np.inf), np.full(row.size, -np.inf)
    for k in range(3):
        x0, y0, x1, y1 = x[owner, k], y[owner, k], x[owner, k - 1], y[owner, k - 1]
        rise = y1 - y0
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (row + 0.5 - y0) / rise
            cross = x0 + share * (x1 - x0)
        met = (rise != 0.0) & (share >= 0.0) & (share <= 1.0)
        left = np.where(met, np.minimum(left, cross), left)
        right = np.where(met, np.maximum(right, cross), right)
    known = left <= right
    return owner, row, np.where(known, left, 0.0), np.where(known, right, 0.0)


def counted(counts: Whole) -> Whole:
    """0, 1, ... for each of the counts, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def lined(edges: Floats, page: Page) -> tuple[Whole, Floats]:
    """Pixels of edges (E, 2, 3), two wide, and their depths."""
    ends = page.pixels(edges[..., :2])
    reach = np.abs(ends[:, 1] - ends[:, 0]).max(axis=1, initial=0.0)
    steps = np.minimum(np.ceil(reach) + 1, 4 * sum(page.shape)).astype(int)
    owner = np.repeat(np.arange(len(edges)), steps)
    share = (counted(steps) / np.maximum(steps[owner] - 1, 1))[:, None]
    points = ends[owner, 0] + share * (ends[owner, 1] - ends[owner, 0])
    deep = edges[owner, 0, 2] + share[:, 0] * (edges[owner, 1, 2] - edges[owner, 0, 2])
    cells, depths = [], []
    for dx, dy in ((0, 0), (-1, 0), (0, -1), (-1, -1)):
        column = np.round(points[:, 0]).astype(int) + dx
        row = np.round(points[:, 1]).astype(int) + dy
        inside = (column >= 0) & (column < page.width) & (row >= 0) & (row < page.height)
        cells.append((row * page.width + column)[inside])
        depths.append(deep[inside])
    return np.concatenate(cells), np.concatenate(depths)
