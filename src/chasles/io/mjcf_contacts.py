"""Contacts of a robot with the planes of its world, where they are asked for.

A sphere, a capsule and a box touch a plane by one ball, two balls and eight corners: as in MuJoCo,
but pushed by a smooth force where MuJoCo solves a soft constraint.  How stiff that is no file says.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.io.mjcf_shapes import shape_of
from chasles.model import Contact, InvalidOption, Model
from chasles.model.contact import TOUCHING
from chasles.model.errors import told

LAWS = ("stiffness", "hertz", "dissipation", "friction", "slip")
LEFT_OUT = "contacts between geoms are left out"


def checked_contacts(contacts: Any) -> dict[str, Any]:
    """What a user says of all contacts of a robot."""
    if not isinstance(contacts, Mapping) or not set(contacts) <= set(LAWS):
        raise InvalidOption(
            f"contacts must be a dict of {', '.join(LAWS)}, got {told(contacts)}.",
            "Give contacts={'stiffness': 1e4, 'dissipation': 1.0}; friction is the file's.",
        )
    return dict(contacts)


def with_contacts(model: Model, scene: Any, law: Mapping[str, Any]) -> Model:
    """The model with contacts of its shapes with the world's planes; a note says what is not."""
    m = scene.m
    planes = [k for k in range(m.ngeom) if m.geom_type[k] == scene.code("Geom.PLANE")]
    still = [k for k in planes if scene.root[m.geom_bodyid[k]] == 0]
    found: list[Contact] = []
    others: list[str] = []
    for geom in range(m.ngeom):
        if scene.root[m.geom_bodyid[geom]] == 0:
            continue
        for plane in still:
            if touches(m, geom, plane):
                contact = contact_of(model, scene, geom, plane, law)
                others += [scene.name("geom", geom)] if contact is None else []
                found += [] if contact is None else [contact]
    notes = [note for note in model.notes if note != LEFT_OUT]
    notes.append("contacts are smooth forces between geoms and planes of the world; all between"
                 " other geoms are left out")  # fmt: skip
    if others:
        shown = ", ".join(f"'{name}'" for name in dict.fromkeys(others))
        notes.append(f"geoms that are not spheres, capsules or boxes touch nothing: {shown}")
    return replace(model, forces=(*model.forces, *found), notes=tuple(notes))


def touches(m: Any, first: int, second: int) -> bool:
    """MuJoCo's rule: contype of one and conaffinity of the other have a bit in common."""
    one = m.geom_contype[first] & m.geom_conaffinity[second]
    return bool(one or m.geom_contype[second] & m.geom_conaffinity[first])


def friction_of(m: Any, first: int, second: int) -> float:
    """MuJoCo's rule: that of the geom with the higher priority, or else the larger of the two."""
    ranks, values = m.geom_priority[[first, second]], m.geom_friction[[first, second], 0]
    return float(values.max() if ranks[0] == ranks[1] else values[np.argmax(ranks)])


def contact_of(
    model: Model, scene: Any, geom: int, plane: int, law: Mapping[str, Any]
) -> Contact | None:
    """A geom's contact with a plane, or None where its shape touches by no balls."""
    m, root = scene.m, scene.root[scene.m.geom_bodyid[geom]]
    body = model.body(scene.body_names[root])
    shape = shape_of(scene, geom, np.array(body.position), np.array(body.rotation))
    if not isinstance(shape, TOUCHING):
        return None
    ground = m.geom_bodyid[plane]
    turn = np.zeros(9)
    scene.mujoco.mju_quat2Mat(turn, m.geom_quat[plane])
    normal = scene.d.xmat[ground].reshape(3, 3) @ turn.reshape(3, 3)[:, 2]
    at = scene.in_world(ground, m.geom_pos[plane])
    name = scene.unique(f"{scene.name('geom', geom)} on {scene.name('geom', plane)}")
    given = {"friction": friction_of(m, geom, plane), **law}
    return Contact(name, "ground", body, at, normal, shape=shape, **given)
