"""Joints of MuJoCo as joints of a Model: one, or several of one body that make a pair together."""

import numpy as np

from chasles.io.mjcf_model import Placed, Scene
from chasles.model import (
    Body,
    Cylindrical,
    Fixed,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from chasles.model.compound import compound
from chasles.model.words import Coordinate, Floats

SAME = 1e-9  # cosines and metres: axes that count as parallel, points as one
HINGE, SLIDE, BALL, FREE = "hinge", "slide", "ball", "free"


def joints_of(scene: Scene) -> tuple[list[Body], list[Joint]]:
    """Frames between joints of one body, and the joints; the scene notes where each one went."""
    frames: list[Body] = []
    joints: list[Joint] = []
    needed = with_coordinates(scene)
    for body, name in scene.body_names.items():
        if body == 0:
            continue
        first, count = int(scene.m.body_jntadr[body]), int(scene.m.body_jntnum[body])
        if count == 0:  # a mocap body
            scene.note(f"body '{name}' is moved by hand in MuJoCo; it is fixed")
            joints.append(Fixed(scene.unique(f"{name} weld"), "ground", name))
            continue
        indices = list(range(first, first + count))
        between, made, found = joints_of_body(scene, body, indices, needed)
        frames += between
        joints += made
        scene.placed.update({entry.index: entry for entry in found})
    return frames, joints


def with_coordinates(scene: Scene) -> set[int]:
    """The joints of the file whose coordinates something acts on: springs, rotors, couplings."""
    m = scene.m
    dof = m.jnt_dofadr
    acted = (m.jnt_stiffness != 0.0) | (m.dof_damping[dof] != 0.0) | (m.dof_armature[dof] != 0.0)
    acted |= m.dof_frictionloss[dof] != 0.0
    if scene.stops:
        acted |= np.asarray(m.jnt_limited, bool)
    found = set(np.flatnonzero(acted).tolist())
    coupled = np.flatnonzero(m.eq_type == scene.code("Eq.JOINT"))
    found |= {int(k) for ids in (m.eq_obj1id, m.eq_obj2id) for k in ids[coupled]}
    tied = np.flatnonzero(m.eq_type == scene.code("Eq.TENDON"))
    tendons = {int(k) for ids in (m.eq_obj1id, m.eq_obj2id) for k in ids[tied]} - {-1}
    found |= {joint for tendon in tendons for joint, _ in scene.shares(tendon)}
    driven = np.flatnonzero(m.actuator_trntype == scene.code("Trn.JOINT"))
    return found | {int(k) for k in m.actuator_trnid[driven, 0]}


def joints_of_body(
    scene: Scene, body: int, indices: list[int], needed: set[int]
) -> tuple[list[Body], list[Joint], list[Placed]]:
    """One joint for all joints of a body; or one for each, with frames without mass between them.

    Frames are taken where no joint here is like all of them together, or where it would lose
    coordinates that something acts on.
    """
    kinds = [kind_of(scene, index) for index in indices]
    ends = (scene.carrier(scene.m.body_parentid[body]), scene.body_names[body])
    names = [scene.name("joint", index) for index in indices]
    if kinds == [FREE]:
        return [], [], [Placed(indices[0], FREE, None, None)]
    name = scene.unique(names[0])
    points = [scene.d.xanchor[index] for index in indices]
    axes = [scene.d.xaxis[index] for index in indices]
    joint, coordinates = pair(name, ends, kinds, points, axes, armature_of(scene, indices))
    lost = [k for k, word in zip(indices, coordinates) if word is None and k in needed]
    if joint is None or (len(indices) > 1 and lost):
        scene.taken.discard(name)
        return chain(scene, ends, indices, kinds)
    return [], [joint], [
        Placed(index, kind, joint, coordinate)
        for index, kind, coordinate in zip(indices, kinds, coordinates)
    ]  # fmt: skip


def chain(
    scene: Scene, ends: tuple[str, str], indices: list[int], kinds: list[str]
) -> tuple[list[Body], list[Joint], list[Placed]]:
    """One joint after the other, as MuJoCo has them, with frames without mass between them."""
    joints: list[Joint] = []
    words: list[Coordinate | None] = []
    for index, kind, rotor in zip(indices, kinds, armature_of(scene, indices)):
        name, d = scene.unique(scene.name("joint", index)), scene.d
        joint, word = pair(name, ends, [kind], [d.xanchor[index]], [d.xaxis[index]], [rotor])
        assert joint is not None  # one alone always is one
        joints.append(joint)
        words += word
    frames, chained = compound(
        *joints, frame_name=lambda joint: scene.frame_name(f"{ends[1]} after {joint}")
    )
    between = f"frames without mass between the joints of body '{ends[1]}'"
    scene.leave(between, *(frame.name for frame in frames))
    entries = zip(indices, kinds, chained, words)
    return frames, chained, [Placed(*entry) for entry in entries]


def kind_of(scene: Scene, index: int) -> str:
    for kind in (HINGE, SLIDE, BALL):
        if scene.m.jnt_type[index] == scene.code(f"Joint.{kind.upper()}"):
            return kind
    return FREE


def armature_of(scene: Scene, indices: list[int]) -> list[float]:
    """Inertia of the rotor of every joint; of a ball, whose rotations have one number."""
    return [float(scene.m.dof_armature[scene.m.jnt_dofadr[index]]) for index in indices]


def pair(
    name: str,
    ends: tuple[str, str],
    kinds: list[str],
    points: list[Floats],
    axes: list[Floats],
    rotors: list[float],
) -> tuple[Joint | None, list[Coordinate | None]]:
    """The joint that leaves the same motions free, and which coordinate each part is."""
    hinges = [k for k, kind in enumerate(kinds) if kind == HINGE]
    slides = [k for k, kind in enumerate(kinds) if kind == SLIDE]
    if kinds == [HINGE]:
        return Revolute(name, *ends, points[0], axes[0], armature=rotors[0]), ["angle"]
    if kinds == [SLIDE]:
        return Prismatic(name, *ends, points[0], axes[0], armature=rotors[0]), ["displacement"]
    if kinds == [BALL]:
        return Spherical(name, *ends, points[0], armature=rotors[0]), [None]
    if len(hinges) == len(slides) == 1 and len(kinds) == 2:
        turn, slide = axes[hinges[0]], axes[slides[0]]
        if 1.0 - turn @ slide < SAME:  # opposite axes would count one coordinate backwards
            sides: list[Coordinate | None] = [
                "angle" if k in hinges else "displacement" for k in (0, 1)
            ]
            armature = (rotors[hinges[0]], rotors[slides[0]]) if any(rotors) else 0.0
            return Cylindrical(name, *ends, points[hinges[0]], turn, armature=armature), sides
    together = all(np.abs(points[k] - points[hinges[0]]).max() < SAME for k in hinges)
    if len(hinges) == len(kinds) == 2 and together and abs(axes[0] @ axes[1]) < SAME:
        return Universal(name, *ends, points[0], axis=axes[0], axis_b=axes[1]), [None, None]
    if len(hinges) == len(kinds) == 3 and together and abs(np.linalg.det(axes)) > SAME:
        return Spherical(name, *ends, points[0]), [None, None, None]
    if len(hinges) == 1 and len(slides) == 2:
        normal = axes[hinges[0]]
        flat = all(abs(axes[k] @ normal) < SAME for k in slides)
        if flat and np.linalg.norm(np.cross(axes[slides[0]], axes[slides[1]])) > SAME:
            return Planar(name, *ends, points[hinges[0]], normal), [None, None, None]
    return None, [None] * len(kinds)
