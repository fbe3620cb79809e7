"""Equality constraints of a MuJoCo scene: joints that close loops, and couplings of coordinates."""

from typing import Any

import numpy as np

from chasles.model import AnyDriver, Coupling, Driver, Fixed, Joint, Signal, Spherical
from chasles.model.words import Coordinate

CLOSED = 1e-9  # m and rad: a loop that is closed at the reference pose


def equalities(scene: Any) -> tuple[list[Joint], list[AnyDriver]]:
    """Constraints between bodies as joints that close loops, those of coordinates as couplings."""
    m = scene.m
    makers: dict[int, Any] = {
        scene.code("Eq.CONNECT"): connected, scene.code("Eq.WELD"): welded,
        scene.code("Eq.JOINT"): coupled, scene.code("Eq.TENDON"): tied,
    }  # fmt: skip
    joints: list[Joint] = []
    couplings: list[AnyDriver] = []
    for index in range(m.neq):
        make = makers.get(int(m.eq_type[index]))
        name = scene.name("equality", index, after_its_joints(scene, index))
        made = make(scene, index, name) if make is not None and m.eq_active0[index] else None
        if made is None:
            scene.leave("constraints are left out", name)
        elif isinstance(made, Joint):
            joints.append(made)
            scene.leave("constraints that are soft in MuJoCo hold exactly here", made.name)
        else:
            couplings.append(made)
            scene.leave("couplings that are soft in MuJoCo hold exactly here", made.name)
            if isinstance(made, Coupling) and made.offset != 0.0:
                scene.leave(
                    "couplings that do not hold at the reference pose: start with close=True",
                    made.name,
                )
    return joints, couplings


def after_its_joints(scene: Any, index: int) -> str:
    """What a coupling without a name is called, those of mimic joints of a URDF among them."""
    m, first, second = scene.m, scene.m.eq_obj1id[index], scene.m.eq_obj2id[index]
    if m.eq_type[index] != scene.code("Eq.JOINT"):
        return ""
    name = scene.name("joint", int(first))
    return f"{name} mimics {scene.name('joint', int(second))}" if second >= 0 else f"{name} held"


def tied(scene: Any, index: int, name: str) -> Coupling | None:
    """A tendon that is a sum of coordinates and keeps its length, or a multiple of another's."""
    m = scene.m
    constant, factor, *more = m.eq_data[index, :5].tolist()
    second = int(m.eq_obj2id[index])
    if second >= 0 and any(more):
        return None
    terms: dict[tuple[str, Coordinate], float] = {}
    tendons = [(int(m.eq_obj1id[index]), 1.0), *([(second, -factor)] if second >= 0 else [])]
    for tendon, weight in tendons:
        for joint, share in scene.shares(tendon):
            key = scene.coordinate(joint)
            if key is None:
                return None
            terms[key] = terms.get(key, 0.0) + weight * share
    terms = {key: share for key, share in terms.items() if share != 0.0}
    return Coupling(scene.unique(name), terms, offset=constant) if len(terms) > 1 else None


def coupled(scene: Any, index: int, name: str) -> Coupling | Driver | None:
    """q1 = a0 + a1 q2 + ... + a4 q2^4 of coordinates from the reference pose; mimics of a URDF.

    A joint that is to stay where it is has a driver that holds it.
    """
    m = scene.m
    first, second = (scene.coordinate(int(ids[index])) for ids in (m.eq_obj1id, m.eq_obj2id))
    constant, *powers = m.eq_data[index, :5].tolist()
    if first is None:
        return None
    if int(m.eq_obj2id[index]) < 0 or not any(powers):
        if constant != 0.0:
            return None
        return Driver(scene.unique(name), first[0], Signal.constant(0.0), first[1])
    if second is None or second == first:
        return None
    terms = {first: 1.0, second: tuple(-c for c in powers)}
    return Coupling(scene.unique(name), terms, offset=constant)


def ends_of(scene: Any, index: int) -> tuple[int, int]:
    """The bodies of the file that a constraint joins."""
    m = scene.m
    first, second = int(m.eq_obj1id[index]), int(m.eq_obj2id[index])
    if m.eq_objtype[index] == scene.code("Obj.SITE"):
        return int(m.site_bodyid[first]), int(m.site_bodyid[second])
    return first, second


def connected(scene: Any, index: int, name: str) -> Joint | None:
    """Two points that stay together."""
    m, ends = scene.m, ends_of(scene, index)
    a, b = (scene.carrier(end) for end in ends)
    if a == b:
        return None
    if m.eq_objtype[index] == scene.code("Obj.SITE"):
        points = [m.site_pos[m.eq_obj1id[index]], m.site_pos[m.eq_obj2id[index]]]
    else:
        points = [m.eq_data[index, :3], m.eq_data[index, 3:6]]
    at, at_b = (scene.in_world(end, point) for end, point in zip(ends, points))
    together = np.abs(at - at_b).max() < CLOSED
    return Spherical(scene.unique(name), a, b, at, at_b=None if together else at_b)


def welded(scene: Any, index: int, name: str) -> Joint | None:
    """Two bodies that stay as they are, or in the pose against each other that it asks for."""
    m, ends = scene.m, ends_of(scene, index)
    a, b = (scene.carrier(end) for end in ends)
    if a == b or m.eq_objtype[index] == scene.code("Obj.SITE"):
        return None
    anchor, place, turn = m.eq_data[index, :3], m.eq_data[index, 3:6], m.eq_data[index, 6:10]
    at_b, at = scene.in_world(ends[1], anchor), scene.in_world(ends[0], place)
    asked = np.zeros(9)
    scene.mujoco.mju_quat2Mat(asked, turn)
    axes = [scene.d.xmat[end].reshape(3, 3) for end in ends]
    turn = axes[0] @ asked.reshape(3, 3) @ axes[1].T
    turned = np.abs(turn - np.eye(3)).max() > CLOSED
    together = np.abs(at - at_b).max() < CLOSED
    if turned or not together:
        scene.note(f"weld '{name}' is open at the reference pose: start with close=True")
    return Fixed(
        scene.unique(name), a, b, at, at_b=None if together else at_b,
        turn=turn if turned else None,
    )  # fmt: skip
