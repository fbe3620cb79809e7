"""Solids as pixels, the nearest one at each place, with the edges a reader sees.

An edge is drawn where the surface has a corner and where it turns away from the reader; so a cube
shows its inner edges and a cylinder its outline.  Everything is drawn at twice the resolution and
averaged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.view.camera import Camera
from chasles.view.scene import Part, Pose, place

LIGHT_FROM = np.array((-0.35, 0.6, 0.72)) / np.linalg.norm(
    (-0.35, 0.6, 0.72)
)  # right, up, to the reader
AMBIENT, DIFFUSE, WRAP = 0.58, 0.5, 0.4  # light reaches a little around the edge
FINER = 2
INK = np.array((29.0, 33.0, 41.0))
NEARER = 4e-3  # how far edges are put before their faces, over the extent of the page

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Page:
    """A rectangle of the projected world, and how many pixels it gets."""

    low: tuple[float, float]
    high: tuple[float, float]
    width: int
    height: int

    def pixels(self, points: Floats, finer: int = 1) -> Floats:
        """Places on the page (..., 2) in pixels, from the upper left corner."""
        low, high = np.array(self.low), np.array(self.high)
        share = (points - low) / (high - low)
        x = share[..., 0] * self.width * finer
        y = (1.0 - share[..., 1]) * self.height * finer
        return np.stack((x, y), axis=-1)


@dataclass(frozen=True, eq=False)
class Seen:
    """What one camera sees of parts: corners in pixels and depth, light, colours, and edges."""

    corners: Floats  # (T, 3, 3): x, y, depth
    light: Floats  # (T, 3)
    colours: Floats  # (T, 3)
    edges: Floats  # (E, 2, 3)


def render(parts: Iterable[Part], poses: Mapping[str, Pose], camera: Camera, page: Page) -> Bytes:
    """(height, width, 4): red, green, blue and cover."""
    seen = look(parts, poses, camera, page)
    width, height = page.width * FINER, page.height * FINER
    depth = np.full(width * height, -np.inf)
    image = np.zeros((width * height, 4), np.float32)
    cells, deep, light, owner = filled(seen.corners, seen.light, width, height)
    np.maximum.at(depth, cells, deep)
    front = deep >= depth[cells]
    image[cells[front], :3] = np.minimum(seen.colours[owner[front]] * light[front, None], 255.0)
    image[cells[front], 3] = 255.0
    extent = float(np.max(np.array(page.high) - np.array(page.low)))
    cells, deep = lined(seen.edges, width, height)
    shown = deep + NEARER * extent >= depth[cells]
    image[cells[shown]] = (*INK, 255.0)
    return averaged(image.reshape(height, width, 4))


def look(parts: Iterable[Part], poses: Mapping[str, Pose], camera: Camera, page: Page) -> Seen:
    """Triangles that face the reader, and edges that are corners or outlines."""
    corners, light, colours, edges = [], [], [], []
    views = np.stack((camera.right, camera.up, camera.towards))
    for part in parts:
        solid, turn = part.solid, poses[part.body][0]
        world = place(poses[part.body], solid.vertices)
        flat = np.concatenate(
            (page.pixels(camera.seen(world), FINER), camera.depth(world)[:, None]), axis=1
        )
        own = world[solid.triangles]
        front = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]) @ camera.towards > 0.0
        open_surface = bool((solid.sides[:, 0] == solid.sides[:, 1]).any())
        shown = np.ones_like(front) if open_surface else front
        facing = solid.normals[shown] @ (views @ turn).T @ LIGHT_FROM
        cosine = np.abs(facing) if open_surface else facing
        corners.append(flat[solid.triangles[shown]])
        light.append(AMBIENT + DIFFUSE * np.maximum((cosine + WRAP) / (1.0 + WRAP), 0.0))
        colours.append(np.tile(rgb(part.colour), (int(shown.sum()), 1)))
        sides = front[solid.sides]
        drawn = (solid.creased & sides.any(axis=1)) | (sides[:, 0] != sides[:, 1])
        edges.append(flat[solid.edges[drawn]])
    return Seen(*(np.concatenate(values) for values in (corners, light, colours, edges)))


def rgb(colour: str) -> Floats:
    return np.array([float(int(colour[k : k + 2], 16)) for k in (1, 3, 5)])


def filled(
    corners: Floats, light: Floats, width: int, height: int
) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64]]:
    """Pixels of all triangles: cell, depth, light, and which triangle.

    Row by row: a triangle's span on a row lies between the edges that cross it; depth and light
    are affine functions of the place.
    """
    x, y = corners[..., 0], corners[..., 1]
    ax, ay = x[:, 0], y[:, 0]
    ux, uy, vx, vy = x[:, 1] - ax, y[:, 1] - ay, x[:, 2] - ax, y[:, 2] - ay
    area = ux * vy - uy * vx
    first = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(int)
    last = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, height).astype(int)
    rows = np.where(np.abs(area) > 1e-9, np.maximum(last - first, 0), 0)
    owner = np.repeat(np.arange(len(rows)), rows)
    row = np.arange(rows.sum()) - np.repeat(np.cumsum(rows) - rows, rows) + first[owner]
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
    left, right = np.where(left <= right, left, 0.0), np.where(left <= right, right, 0.0)
    start = np.clip(np.ceil(left - 0.5), 0, width).astype(int)
    span = np.clip(np.ceil(right - 0.5), 0, width).astype(int) - start
    span = np.maximum(span, 0)
    which = np.repeat(np.arange(row.size), span)
    column = np.arange(span.sum()) - np.repeat(np.cumsum(span) - span, span) + start[which]
    line, triangle = row[which], owner[which]
    px, py = column + 0.5 - ax[triangle], line + 0.5 - ay[triangle]
    u = (px * vy[triangle] - py * vx[triangle]) / area[triangle]
    v = (ux[triangle] * py - uy[triangle] * px) / area[triangle]

    def blend(values: Floats) -> Floats:
        a, b, c = values[triangle].T
        return np.asarray(a + u * (b - a) + v * (c - a))

    return line * width + column, blend(corners[..., 2]), blend(light), triangle


def lined(edges: Floats, width: int, height: int) -> tuple[NDArray[np.int64], Floats]:
    """Pixels of all edges, two wide, and their depths."""
    reach = np.abs(edges[:, 1, :2] - edges[:, 0, :2]).max(axis=1, initial=0.0)
    steps = np.minimum(np.ceil(reach) + 1, 4 * (width + height)).astype(int)
    owner = np.repeat(np.arange(len(edges)), steps)
    step = np.arange(steps.sum()) - np.repeat(np.cumsum(steps) - steps, steps)
    share = (step / np.maximum(steps[owner] - 1, 1))[:, None]
    points = edges[owner, 0] + share * (edges[owner, 1] - edges[owner, 0])
    cells, depths = [], []
    for dx, dy in ((0, 0), (-1, 0), (0, -1), (-1, -1)):
        column = np.round(points[:, 0]).astype(int) + dx
        row = np.round(points[:, 1]).astype(int) + dy
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        cells.append((row * width + column)[inside])
        depths.append(points[inside, 2])
    return np.concatenate(cells), np.concatenate(depths)


def averaged(image: NDArray[np.float32]) -> Bytes:
    """Each square of fine pixels as one; colours count by their cover."""
    total = np.zeros_like(image[::FINER, ::FINER])
    for row in range(FINER):
        for column in range(FINER):  # a pixel without cover is black, so that it adds nothing
            total += image[row::FINER, column::FINER]
    cover = total[..., 3:]
    colour = 255.0 * total[..., :3] / np.maximum(cover, 1.0)
    return np.concatenate((colour, cover / FINER**2), axis=2).round().astype(np.uint8)
