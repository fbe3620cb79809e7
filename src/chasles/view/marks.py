"""What a picture shows beside solids: loads, drivers, ground, frames, axes and a scale."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from chasles.core.arrays import Floats
from chasles.model import (
    Coupling,
    CustomCoupling,
    CustomForce,
    Drag,
    Driver,
    JointForce,
    Load,
    Motor,
    PointDriver,
    Spring,
)
from chasles.model.coordinates import ANGLE
from chasles.model.loads import BODY
from chasles.view.camera import Camera
from chasles.view.glyphs import frame_along, mark_of
from chasles.view.labels import Label
from chasles.view.scene import Scene, Spot
from chasles.view.surfaces import tie_ends
from chasles.view.theme import LIGHT

SPRING, LOAD, DRIVE = LIGHT["chosen"], LIGHT["product"], LIGHT["other"]
FOOT, REACH, AROUND = 0.045, 0.16, 0.055  # sizes over that of the model


def draw_feet(ax: Axes, scene: Scene, camera: Camera) -> list[Floats]:
    """The hatched foot of the textbooks under every joint on the ground; returns what was inked."""
    inked = []
    many = max(1.0, len(scene.spots) / 8.0) ** 0.5
    for spot in scene.spots:
        if spot.grounded and spot.kind not in ("planar", "pointonplane", "gear"):
            at = camera.seen(scene.world(spot.a, spot.at))
            reach = FOOT * scene.size / many
            draw_foot(ax, at, reach)
            inked.append(dense(at + reach * np.array([(-1.2, -1.0), (1.2, -1.2), (-1.2, -1.3)])))
    return inked


def dense(path: Floats, count: int = 40) -> Floats:
    """Points along a polyline, close enough to count as ink."""
    at = np.linspace(0, len(path) - 1, count)
    low = np.minimum(at.astype(int), len(path) - 2)
    return path[low] + (at - low)[:, None] * (path[low + 1] - path[low])


# --- forces and drivers ---


def draw_forces(ax: Axes, scene: Scene, camera: Camera) -> tuple[list[Label], list[Floats]]:
    """Arrows of loads, motors and drivers; returns names for them and what was inked."""
    labels: list[Label] = []
    inked: list[Floats] = []

    def name(text: str, at: Floats, colour: str) -> None:
        labels.append(Label(text, at, colour))

    spots = {spot.name: spot for spot in scene.spots}
    tied = {tie.name: tie for tie in scene.ties if tie.spring}
    crowded: dict[str, int] = {}
    parts: list[Any] = [*scene.model.forces, *scene.model.drivers]
    for part in parts:
        if isinstance(part, Spring):
            middle = np.mean(tie_ends(tied[part.name], scene.start), 0)
            name(part.name, camera.seen(middle), SPRING)
        elif isinstance(part, JointForce | Driver):
            colour = DRIVE if isinstance(part, Driver | Motor) else SPRING
            crowded[part.joint] = crowded.get(part.joint, 0) + 1
            reach = (1.0 + 0.45 * (crowded[part.joint] - 1)) * AROUND * scene.size
            path = about(scene, spots[part.joint], part.coordinate == ANGLE, reach, camera)
            both = not isinstance(part, Driver | Motor)
            inked.append(pointed(ax, path, colour, both=both))
            name(part.name, path[len(path) // 2], colour)
        elif isinstance(part, Coupling):
            at = camera.seen(np.array(points_of(part, scene, spots)))
            ax.plot(*at.T, color=DRIVE, ls=(0, (1, 2)), lw=1.2, zorder=11)
            inked += [dense(at)]
            name(part.name, at.mean(axis=0), DRIVE)
        elif isinstance(part, Load):
            paths = load_paths(scene, part, camera)
            inked += [pointed(ax, path, LOAD) for path in paths]
            if paths:
                name(part.name, paths[0][0], LOAD)
        elif isinstance(part, PointDriver):
            start = np.array(part.at)
            tip = start + REACH * scene.size * np.array(part.direction)
            path = camera.seen(np.array([start, tip]))
            inked.append(pointed(ax, path, DRIVE, both=True))
            name(part.name, path[1], DRIVE)
        else:
            point: Any = mark_of(part, scene.start)
            body = part.body if isinstance(part, Drag | CustomForce) else part.bodies[-1]
            also = part.others if isinstance(part, CustomForce) else ()
            for other in reversed((body, *also)):  # the first has the name
                at = scene.start[other][1] if point is None else point
                spot = camera.seen(np.array(at))
                ax.plot(*spot, marker="D", ms=5, mfc="white", mec=LOAD, mew=1.2, zorder=12)
            name(part.name, spot, LOAD)
    return labels, inked


def points_of(part: Coupling, scene: Scene, spots: dict[str, Spot]) -> list[Floats]:
    """Where the joints of a coupling are, or the bodies that its formula sees."""
    if isinstance(part, CustomCoupling):
        return [scene.start[name][1] for name in part.bodies]
    return [scene.world(spots[j].a, spots[j].at) for j in part.joints]


def about(scene: Scene, spot: Spot, turns: bool, reach: float, camera: Camera) -> Floats:
    """A path on the page: most of a circle about a joint's axis, or a line along it."""
    at, axis = scene.world(spot.a, spot.at), scene.start[spot.a][0] @ spot.axis
    if not turns:
        return camera.seen(np.array([at - 1.6 * reach * axis, at + 1.6 * reach * axis]))
    return camera.seen(arc(at, axis, reach, (-30.0, 250.0)))


def arc(at: Floats, axis: Floats, radius: float, ends: tuple[float, float]) -> Floats:
    """Part of a circle about an axis of length 1, from one angle (degrees) to another."""
    angle = np.radians(np.linspace(*ends, 40))
    circle = radius * np.stack((np.cos(angle), np.sin(angle), np.zeros(40)), 1)
    return np.asarray(at + circle @ frame_along(axis).T)


def load_paths(scene: Scene, load: Load, camera: Camera) -> list[Floats]:
    """An arrow of the force at the start, and a circle of the torque."""
    force, torque = (values[0] for values in load.sample([0.0]))
    if load.frame == BODY:
        turn = scene.start[load.body][0]
        force, torque = turn @ force, turn @ torque
    at, reach = np.array(load.at), REACH * scene.size
    paths = []
    if np.any(force):
        tail = at - reach * force / np.linalg.norm(force)
        paths.append(camera.seen(np.array([tail, at])))
    if np.any(torque):
        axis = torque / np.linalg.norm(torque)
        paths.append(camera.seen(arc(at, axis, 0.6 * reach, (0.0, 280.0))))
    return paths


def pointed(ax: Axes, path: Floats, colour: str, both: bool = False) -> Floats:
    """A path with a head at its end, or at both; returns what was inked."""
    ax.plot(*path.T, color=colour, lw=1.5, zorder=12, solid_capstyle="round")
    heads = [(path[-2], path[-1])] + ([(path[1], path[0])] if both else [])
    for start, end in heads:
        if np.any(start != end):
            head(ax, start, end, {"color": colour, "lw": 1.5, "mutation_scale": 10}, 12)
    return dense(path)


# --- frames and the world ---


def draw_frames(ax: Axes, scene: Scene, camera: Camera) -> None:
    """The axes of every body at its centre of mass."""
    for body in scene.model.bodies:
        turn, at = scene.start[body.name]
        for k, name in enumerate("xyz"):
            ends = camera.seen(np.array([at, at + 0.13 * scene.size * turn[:, k]]))
            ax.plot(*ends.T, color=LIGHT["paper"], lw=3.6, zorder=11, solid_capstyle="round")
            arrow(ax, ends[0], ends[1], LIGHT[name], zorder=12)  # over the solids


def draw_world(
    ax: Axes, scene: Scene, camera: Camera, bound: Floats, length: float = 0.06
) -> Floats:
    """Axes at the lower left, gravity beside them, a scale at the lower right; what was inked."""
    (left, low), (right, high) = bound
    unit = min(right - left, 1.4 * (high - low))
    origin = np.array([left + 0.07 * unit, low + 0.07 * unit])
    for k, name in enumerate("xyz"):
        direction = camera.seen(np.eye(3)[k])
        if np.linalg.norm(direction) < 0.05:
            continue  # points at the reader
        tip = origin + length * unit * direction
        arrow(ax, origin, tip, LIGHT[name])
        x, y = tip + 0.016 * unit * direction / np.linalg.norm(direction)
        ax.text(x, y, name, ha="center", va="center", fontsize=8, color=LIGHT[name])
    pull = camera.seen(-scene.up)
    if any(scene.model.gravity) and np.linalg.norm(pull) >= 0.05:  # as above
        start = origin + (2.2 * length * unit, 0.05 * unit)
        arrow(ax, start, start + 0.08 * unit * pull, LIGHT["muted"])
        x, y = start + 0.04 * unit * pull + (0.014 * unit, 0)
        ax.text(x, y, "g", fontsize=8.5, fontstyle="italic", va="center", color=LIGHT["muted"])
    measured = nice(0.2 * unit)
    ends = np.array([(right - 0.05 * unit - measured, origin[1]), (right - 0.05 * unit, origin[1])])
    ax.plot(*ends.T, color=LIGHT["ink"], lw=1.6, marker="|", ms=6, mew=1.2)
    ax.text(ends[:, 0].mean(), origin[1] + 0.014 * unit, in_metres(measured), ha="center",
            va="bottom", fontsize=8, color=LIGHT["muted"])  # fmt: skip
    corner = np.array([origin, origin + (0.15 * unit, 0.07 * unit), *ends])
    return dense(corner, 60)


def nice(length: float) -> float:
    """1, 2 or 5 times a power of ten, not above the length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(m for m in (1.0, 2.0, 5.0) if m * power <= length * (1 + 1e-12)) * power)


def in_metres(length: float) -> str:
    if length < 1e-2:
        return f"{1e3 * length:g} mm"
    return f"{1e2 * length:g} cm" if length < 1.0 else f"{length:g} m"


def draw_foot(ax: Axes, at: Floats, size: float) -> None:
    left, right = at + (-0.75 * size, -size), at + (0.75 * size, -size)
    ax.plot(*np.array([left, at, right]).T, color=LIGHT["ink"], lw=1.1, zorder=4)
    wide_left, wide_right = at + (-1.15 * size, -size), at + (1.15 * size, -size)
    ax.plot(*np.array([wide_left, wide_right]).T, color=LIGHT["ink"], lw=1.3, zorder=4)
    for k in np.linspace(0, 1, 6):
        top = wide_left + (0.12 * size, 0) + k * 0.92 * (wide_right - wide_left)
        ax.plot(*np.array([top, top - (0.32 * size, 0.36 * size)]).T, color=LIGHT["muted"], lw=0.8)


def arrow(ax: Axes, start: Floats, end: Floats, colour: str, zorder: float = 3.0) -> None:
    head(ax, start, end, {"color": colour, "lw": 1.2, "mutation_scale": 8}, zorder)
    ax.update_datalim([start, end])  # so that the axes make room


def head(ax: Axes, start: Floats, end: Floats, style: dict[str, Any], zorder: float) -> None:
    whole: Any = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, **style}
    ax.annotate("", tuple(end), tuple(start), arrowprops=whole, zorder=zorder)
