"""Draw one picture of every joint, and one of the frames, for docs/conventions.md.

    python scripts/draw_joints.py [FOLDER]

Each joint is the glyph that `model.plot()` draws, enlarged, between two sticks: blue is body a, red
is body b.  The thin arrow is the joint's axis, z of its frame.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import chasles as ch
from chasles.model.checks import as_matrix, as_vector
from chasles.view.camera import camera_of
from chasles.view.glyphs import frame_along, glyph_of
from chasles.view.marks import arrow
from chasles.view.theme import LIGHT

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "joints"
A, B, AXIS = "#8fb0d3", "#e0a58a", "#4c5563"
ORIGIN, SIZE, REACH = (0.0, 0.0, 0.0), 0.1, 0.75
VIEW = (-55.0, 22.0)


def stick(start, end, colour: str) -> ch.Shape:
    """A thin box from one point to another."""
    start, end = np.array(start, float), np.array(end, float)
    length = float(np.linalg.norm(end - start))
    frame = frame_along((end - start) / length)
    size = (0.06, 0.06, length)
    return ch.Box(size, position=as_vector((start + end) / 2), rotation=as_matrix(frame),
                  colour=colour)  # fmt: skip


def pointer(at, axis) -> list[ch.Shape]:
    """An arrow along the axis of a joint."""
    z, start = np.array(axis, float), np.array(at, float)
    frame, middle, tip = as_matrix(frame_along(z)), start + REACH / 2 * z, start + REACH * z
    return [
        ch.Cylinder(0.008, REACH, "z", position=as_vector(middle), rotation=frame, colour=AXIS),
        ch.Cone(0.03, 0.1, "z", position=as_vector(tip), rotation=frame, colour=AXIS),
    ]


def picture(joint: ch.Joint, on_a: list[ch.Shape], on_b: list[ch.Shape], axis=True) -> ch.Model:
    """The shapes of both bodies and the glyph, as two bodies at the origin of the world."""
    own, other = glyph_of(joint, SIZE)
    shown = pointer(joint.at, joint.axis) if axis else []
    bodies = [
        ch.Body("a", 1.0, (1, 1, 1), shapes=[*on_a, *own, *shown]),
        ch.Body("b", 1.0, (1, 1, 1), shapes=[*on_b, *other]),
    ]
    return ch.Model(bodies, gravity=ORIGIN)


def pair(kind: type[ch.Joint], start=(0.9, 0, 0), axis: object = "y", **options) -> ch.Model:
    given = {} if axis is None else {"axis": axis}
    joint = kind("joint", "a", "b", at=ORIGIN, **given, **options)
    on_a, on_b = [stick((-0.9, 0, 0), ORIGIN, A)], [stick(ORIGIN, start, B)]
    return picture(joint, on_a, on_b, axis is not None)


def rod() -> ch.Model:
    ends = (-0.45, 0, 0), (0.45, 0, 0.2)
    joint = ch.Distance("joint", "a", "b", at=ends[0], at_b=ends[1])
    bar = ch.Cylinder(0.02, 2 * float(np.hypot(0.45, 0.1)), "z", position=(0, 0, 0.1),
                      rotation=as_matrix(frame_along(np.array((0.9, 0, 0.2)) / np.hypot(0.9, 0.2))),
                      colour=AXIS)  # fmt: skip
    shapes = [stick((-0.9, 0, 0), ends[0], A), bar]
    return picture(joint, shapes, [stick(ends[1], (0.9, 0, 0.2), B)], axis=False)


def wheels() -> ch.Model:
    joint = ch.Gear("joint", "a", "b", axis="y", axis_b="y", ratio=-2.0, at=(0.25, 0, 0))
    big = ch.Cylinder(0.5, 0.15, "y", position=(-0.25, 0, 0), colour=A)
    small = ch.Cylinder(0.25, 0.15, "y", position=(0.5, 0, 0), colour=B)
    bodies = [
        ch.Body("a", 1.0, (1, 1, 1), shapes=[big, *pointer((-0.25, 0, 0), (0, 1, 0))]),
        ch.Body("b", 1.0, (1, 1, 1), shapes=[small, *pointer((0.5, 0, 0), (0, 1, 0))]),
    ]
    assert joint.ratio == -2.0
    return ch.Model(bodies, gravity=ORIGIN)


def rolling(shape: ch.Shape) -> ch.Model:
    table = ch.Box((1.6, 1.0, 0.06), position=(0, 0, -0.03), colour=A)
    axis = ch.Cylinder(0.008, 0.9, "z", position=(0, 0, 0.45), colour=AXIS)
    tip = ch.Cone(0.03, 0.1, "z", position=(0, 0, 0.9), colour=AXIS)
    bodies = [
        ch.Body("a", 1.0, (1, 1, 1), shapes=[table, axis, tip]),
        ch.Body("b", 1.0, (1, 1, 1), shapes=shape),
    ]
    return ch.Model(bodies, gravity=ORIGIN)


UP = (0.62, 0, 0.62)
MODELS: dict[str, Callable[[], ch.Model]] = {
    "spherical": lambda: pair(ch.Spherical, UP, None),
    "revolute": lambda: pair(ch.Revolute, UP),
    "prismatic": lambda: pair(ch.Prismatic, (0, 0, 0.8), "x"),
    "cylindrical": lambda: pair(ch.Cylindrical, (0, 0, 0.8), "x"),
    "helical": lambda: pair(ch.Helical, (0, 0, 0.8), "x", pitch=0.02),
    "planar": lambda: pair(ch.Planar, (0.1, 0, 0.8), "z"),
    "fixed": lambda: pair(ch.Fixed, UP, None),
    "universal": lambda: pair(ch.Universal, (0.85, 0, 0.3), "y", axis_b="z"),
    "constantvelocity": lambda: pair(ch.ConstantVelocity, (0.85, 0, 0.3), "x"),
    "distance": rod,
    "pointonline": lambda: pair(ch.PointOnLine, UP, "x"),
    "pointonplane": lambda: pair(ch.PointOnPlane, (0.1, 0, 0.8), "z"),
    "cartesian": lambda: pair(ch.Cartesian, (0.55, 0.3, 0.75), None),
    "gear": wheels,
    "rollingsphere": lambda: rolling(ch.Sphere(0.3, position=(0, 0, 0.3), colour=B)),
    "rollingdisc": lambda: rolling(ch.Cylinder(0.35, 0.05, "y", position=(0, 0, 0.35), colour=B)),
}


def draw_frames(path: Path) -> None:
    """The world, a body away from it, and the two frames of a joint that is a little open."""
    turn = np.array(ch.Body("b", 1.0, (1, 1, 1), rotation=("y", -0.4)).rotation)
    middle, gap = np.array((1.0, 0.3, 0.7)), np.array((0.34, 0.0, 0.12))
    on_b = middle + turn @ (-0.5, 0, 0)
    on_a = on_b - gap
    arm = ch.Box((1.0, 0.2, 0.2), position=as_vector(middle), rotation=as_matrix(turn), colour=B)
    post = stick((on_a[0], on_a[1], 0.0), on_a, A)
    bodies = [ch.Body("body a", 1.0, (1, 1, 1), shapes=post),
              ch.Body("body b", 1.0, (1, 1, 1), shapes=arm)]  # fmt: skip
    model = ch.Model(bodies, gravity=ORIGIN)
    axes, eye = model.plot(view=VIEW, size=(6.4, 4.2), names=False), camera_of(model, VIEW)
    about_y = np.stack(((1, 0, 0), (0, 0, -1), (0, 1, 0)), axis=1).astype(float)  # z along y
    frames = {
        "body frame, at the centre of mass": (middle, turn, (0.12, -0.3)),
        "joint frame A, on body a": (on_a, about_y, (-0.36, 0.08)),
        "joint frame B, on body b": (on_b, turn @ about_y, (-0.1, 0.26)),
    }
    for name, (at, frame, shift) in frames.items():
        start = eye.seen(at)
        for k, letter in enumerate("xyz"):
            end = eye.seen(at + 0.24 * frame[:, k])
            arrow(axes, start, end, LIGHT[letter], zorder=12)
            x, y = start + 1.15 * (end - start)
            axes.text(x, y, letter, color=LIGHT[letter], fontsize=8, zorder=13, ha="center",
                      va="center")  # fmt: skip
        axes.text(*(start + shift), name, fontsize=9, zorder=13, ha="center", color=LIGHT["ink"])
    left, low = axes.get_xlim()[0], axes.get_ylim()[0]
    axes.text(left + 0.03, low + 0.02, "world", fontsize=9, color=LIGHT["ink"])
    axes.set_xlim(left - 0.4, axes.get_xlim()[1])
    axes.figure.savefig(path, dpi=150)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, make in MODELS.items():
        make().plot(folder / f"{kind}.png", view=VIEW, size=(2.6, 1.9), names=False)
    draw_frames(folder / "frames.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
