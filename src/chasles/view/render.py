"""Solids in the light of the films: one sun, the sky, shadows, and shade where surfaces meet.

The picture has no background: floors show the shadows that fall on them, so that it lies on any
page. Everything is drawn at twice the resolution and averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.view.camera import Camera
from chasles.view.raster import TINY, Filled, Page, filled, lined
from chasles.view.surfaces import Surface

#: Light of the sky, of the earth and of the sun, as on a film's page.
SKY, EARTH, SUN = np.array([(0.60, 0.635, 0.69), (0.36, 0.355, 0.35), (0.66, 0.63, 0.58)])
FINER = 2
NEARER = 4e-3  # how far edges are put before their faces, over the extent of the page
OUTLINE = 0.6  # what edges leave of the light
THIN = 0.5 * np.array((29.0, 33.0, 41.0, 255.0))  # ink of edges with nothing behind them
MAP, TAPS = 512, 9  # pixels of the sun's own picture, and looks into it
SHADE = np.array((38.0, 46.0, 66.0))  # colour of shadows on the floor
MARGIN = 16.0  # shadows fade towards the edges of a page: over an eighth of it, about
FAINT = 0.012  # shade that nobody sees, but that files would hold
LEAST = 0.04  # of the slope at which a floor is looked at: below, it is a line

Bytes = NDArray[np.uint8]


def render(
    surfaces: Sequence[Surface], camera: Camera, page: Page, up: Floats, floor: float | None = None
) -> Bytes:
    """(height, width, 4): red, green, blue and cover; with shadows on a floor at a height."""
    shot = Shot(surfaces, camera, page, up)
    picture = over(shot.solids())
    if floor is None or camera.towards @ up < LEAST:
        return picture
    shade = shot.floor_shade(floor)[..., None]
    cover = picture[..., 3:] / 255.0
    alpha = cover + (1.0 - cover) * shade
    own = cover * picture[..., :3] + (1.0 - cover) * shade * SHADE
    mixed = np.concatenate((own / np.maximum(alpha, 1e-6), 255.0 * alpha), axis=2)
    return mixed.round().astype(np.uint8)


def sunlight(camera: Camera, up: Floats) -> Floats:
    """The direction of the sun: high, to the left of the reader and a little before the scene."""
    flat = camera.towards - (camera.towards @ up) * up
    flat = flat / max(float(np.linalg.norm(flat)), 1e-9)
    sun = 1.15 * up - 0.62 * camera.right + 0.38 * flat
    if camera.towards @ up > 0.999 or abs(camera.up @ up) < 0.1:  # a plan: lit from the upper left
        sun = camera.towards - 0.62 * camera.right + 0.5 * camera.up
    return np.asarray(sun / np.linalg.norm(sun))


def on_page(camera: Camera, points: Floats) -> Floats:
    """x and y on the page, and depth, of points of the world (..., 3)."""
    return np.asarray(points @ np.stack((camera.right, camera.up, camera.towards), axis=1))


@dataclass(eq=False)
class Shot:
    """Surfaces as a camera sees them, in the light of the sun."""

    surfaces: Sequence[Surface]
    camera: Camera
    page: Page
    up: Floats

    def __post_init__(self) -> None:
        self.sun = sunlight(self.camera, self.up)
        self.every = np.concatenate([one.vertices[one.solid.triangles] for one in self.surfaces])

    def solids(self) -> NDArray[np.float32]:
        """The solids alone, fine, (height, width, 4)."""
        camera, page, fine = self.camera, self.page, self.page.times(FINER)
        shown, edges = zip(*(faced(one, camera) for one in self.surfaces))
        kept = np.concatenate(shown)
        found = filled(on_page(camera, self.every[kept]), fine)
        depth = highest(found, fine)
        front = found.only(found.depth >= depth[found.cells])
        image = np.zeros((len(depth), 4), np.float32)
        image[front.cells, :3] = self.light(front, kept, fine)
        image[front.cells, 3] = 255.0
        cells, deep = lined(on_page(camera, np.concatenate(edges)), fine)
        drawn = cells[deep + NEARER * max(np.subtract(page.high, page.low)) >= depth[cells]]
        image[np.unique(drawn), :3] *= OUTLINE
        beside = drawn[image[drawn, 3] == 0.0]  # and what is thinner than a pixel
        image[beside] = THIN
        return image.reshape(*fine.shape, 4)

    def light(self, front: Filled, kept: NDArray[np.bool_], page: Page) -> Floats:
        """Colours of the pixels of the triangles that are kept, 0 to 255."""
        own, counts = self.surfaces, [len(s.colours) for s in self.surfaces]
        paint = linear(np.concatenate([s.colours for s in own]))[kept].astype("f4")
        shiny = np.repeat([s.metal for s in own], counts)[kept]
        base, metal = paint[front.owner], shiny[front.owner, None]
        n = front.blend(np.concatenate([s.normals for s in own])[kept].astype("f4"))
        n /= np.maximum(length_of(n), 1e-12)[:, None]
        n *= np.where(along(n, self.camera.towards) < 0.0, -1.0, 1.0)[:, None]
        direct = np.maximum(along(n, self.sun), 0.0)
        sunny = direct > 0.0
        direct[sunny] *= self.sunshine(front.only(sunny), page, n[sunny])
        half = self.sun + self.camera.towards
        shine = np.maximum(along(n, half / np.linalg.norm(half)), 0.0) ** 12
        falling = EARTH + (0.5 + 0.5 * along(n, self.up))[:, None] * (SKY - EARTH)
        falling = falling + direct[:, None] * SUN
        gloss = np.where(metal, 0.9 * base, 0.1 * shine[:, None]) * (shine * direct)[:, None] * SUN
        return shown_colours(base * falling * np.where(metal, 0.75, 1.0) + gloss)

    def sunshine(self, front: Filled, page: Page, n: Floats) -> Floats:
        """How much of the sun pixels see: looks into the sun's own picture of everything."""
        side = np.cross(self.up, self.sun)
        side /= np.linalg.norm(side)
        seen = Camera(side, np.cross(self.sun, side), self.sun)
        corners = on_page(seen, self.every)
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        sheet = Page((low[0], low[1]), (high[0], high[1]), MAP, MAP)
        near = highest(filled(corners, sheet), sheet)
        each = max(np.subtract(sheet.high, sheet.low)) / MAP
        x, y = page.places(front.cells)
        camera, spots = self.camera, []
        for way in (seen.right, seen.up, seen.towards):
            spot = x * (camera.right @ way) + y * (camera.up @ way)
            spots.append(spot + front.depth * (camera.towards @ way) + 1.6 * each * along(n, way))
        at = sheet.pixels(np.stack(spots[:2], axis=1))
        least = spots[2] + each * (3.0 - 2.0 * along(n, self.sun))
        total = np.zeros(len(at))
        for k in range(TAPS):
            angle, reach = 2.399963 * k, 1.7 * np.sqrt((k + 0.5) / TAPS)
            cell = (at + (reach * np.cos(angle), reach * np.sin(angle))).astype(int)
            column, row = np.clip(cell, 0, MAP - 1).T
            total += near[row * MAP + column] < least
        return total / TAPS

    def floor_shade(self, level: float) -> Floats:
        """How dark the floor is: away from the sun, and below what stands on it."""
        from scipy.ndimage import gaussian_filter, zoom  # late: an import of chasles needs no SciPy

        page, coarse = self.page, self.page.times(0.5)
        extent = max(float(np.ptp(self.every.reshape(-1, 3), axis=0).max()), TINY)
        shade = np.zeros(coarse.shape)
        for way, dark, soft in ((self.sun, 0.42, 0.012), (self.up, 0.36, 0.024)):
            height = self.every @ self.up - level
            flat = on_page(self.camera, self.every - (height / (way @ self.up))[..., None] * way)
            flat[..., 2] = 1.0 / (1.0 + (3.0 * np.maximum(height, 0.0) / extent) ** 2)  # nearness
            mask = highest(filled(flat, coarse), coarse, 0.0).reshape(coarse.shape)
            blurred = gaussian_filter(mask, soft * extent / coarse.each)
            shade += (1.0 - shade) * dark * blurred
        whole = zoom(shade, np.divide(page.shape, coarse.shape), order=1)
        rises = [0.5 * MARGIN * np.sin(np.linspace(0.0, np.pi, n)) for n in page.shape]
        rims = np.outer(*(np.minimum(1.0, rise) for rise in rises))
        return np.asarray(np.clip(whole - FAINT, 0.0, 1.0) * rims)


def faced(one: Surface, camera: Camera) -> tuple[NDArray[np.bool_], Floats]:
    """Which triangles face the reader, and the edges that are corners or outlines."""
    own = one.vertices[one.solid.triangles]
    front = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]) @ camera.towards > 0.0
    sides = front[one.solid.sides]
    drawn = (one.solid.creased & sides.any(axis=1)) | (sides[:, 0] != sides[:, 1])
    is_open = bool((one.solid.sides[:, 0] == one.solid.sides[:, 1]).any())
    return np.ones_like(front) if is_open else front, one.vertices[one.solid.edges[drawn]]


def highest(found: Filled, page: Page, ground: float = -np.inf) -> Floats:
    """The largest depth at every pixel, or that of the ground."""
    depth = np.full(page.width * page.height, ground)
    np.maximum.at(depth, found.cells, found.depth)
    return depth


def along(vectors: Floats, way: Floats) -> Floats:
    """Components of many vectors, without a call of BLAS, whose threads would wait for others."""
    return np.asarray(vectors[:, 0] * way[0] + vectors[:, 1] * way[1] + vectors[:, 2] * way[2])


def length_of(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt((vectors**2).sum(axis=1)))


# --- colours ---


def linear(colours: Floats) -> Floats:
    """Amounts of light, 0 to 1, of sRGB colours, 0 to 255."""
    own = colours / 255.0
    return np.where(own <= 0.04045, own / 12.92, ((own + 0.055) / 1.055) ** 2.4)


def shown_colours(light: Floats) -> Floats:
    """sRGB of amounts of light, where what is too bright pales (Khronos' neutral tone map)."""
    peak = np.maximum(light.max(axis=1, keepdims=True), 1e-9)
    bright = 1.0 - 0.0576 / np.maximum(peak - 0.52, 0.24)
    pale = 1.0 / (0.15 * np.maximum(peak - bright, 0.0) + 1.0)
    light = np.where(peak > 0.76, bright + (light * bright / peak - bright) * pale, light)
    light = np.maximum(light, 0.0)
    own = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.asarray(255.0 * np.minimum(own, 1.0))


def over(image: NDArray[np.float32]) -> Bytes:
    """Each square of fine pixels as one; colours count by their cover."""
    total = np.zeros_like(image[::FINER, ::FINER])
    for row in range(FINER):
        for column in range(FINER):  # a pixel without cover is black, so that it adds nothing
            total += image[row::FINER, column::FINER]
    cover = total[..., 3:]
    colour = 255.0 * total[..., :3] / np.maximum(cover, 1.0)
    return np.concatenate((colour, cover / FINER**2), axis=2).round().astype(np.uint8)
