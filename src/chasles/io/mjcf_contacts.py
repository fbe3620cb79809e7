"""Contacts of a MuJoCo scene with its planes: balls, ends of capsules and corners of boxes.

Which geoms touch, and their friction, is what MuJoCo's rules say (contype and conaffinity,
priority, excluded bodies).  Meshes and ellipsoids, feet say, touch by what their bounds are like.
Contacts between bodies that move, and of other geoms, are told.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.io.mjcf_forces import compliance
from chasles.io.mjcf_shapes import pose_of, shape_of
from chasles.model import Body, Box, Capsule, Contact, Force, Shape, Sphere
from chasles.model.checks import as_matrix, as_vector
from chasles.model.words import Floats

STANDARD_GRAVITY = 9.81  # m/s^2: the load that contacts are damped for where nothing has weight
ROUND = 1.5  # edges of bounds whose ratio is below it are those of a ball, or of a round rod


def contacts_of(scene: Any, bodies: list[Body]) -> list[Force]:
    """Contacts with planes, and notes on all others."""
    m = scene.m
    if m.opt.disableflags & scene.code("DisableBit.CONTACT"):
        return []
    planes = [k for k in range(m.ngeom) if m.geom_type[k] == scene.code("Geom.PLANE")]
    forces: list[Force] = []
    by_name = {body.name: body for body in bodies}
    for geom in range(m.ngeom):
        root = scene.root[m.geom_bodyid[geom]]
        met = [plane for plane in planes if root != 0 and may_touch(scene, geom, plane)]
        if not met:
            continue
        body = by_name[scene.body_names[root]]
        shape = touching_shape(scene, geom, body)
        made = [contact(scene, geom, plane, body.name, shape) for plane in met]
        forces += [force for force in made if force is not None]
        if None in made:
            scene.leave("contacts of geoms with planes are left out", scene.name("geom", geom))
        elif m.geom_type[geom] in bounded_types(scene):
            scene.leave(
                "meshes and ellipsoids touch planes by the sphere, capsule or box of their bounds",
                scene.name("geom", geom),
            )
    scene.leave(
        "contacts with planes are springs with the time constants of MuJoCo's, and creep",
        *(force.name for force in forces),
    )
    margins = (scene.name("geom", k) for k in np.flatnonzero(m.geom_margin))
    scene.leave("margins of contacts are left out", *margins)
    return forces


def touching_shape(scene: Any, geom: int, body: Body) -> Shape | None:
    """What touches: the form of a geom, without its paint, or that of its bounds."""
    centre, rotation = np.array(body.position), np.array(body.rotation)
    if scene.m.geom_type[geom] in bounded_types(scene):
        return shape_of_bounds(scene, geom, pose_of(scene, scene.m, geom, centre, rotation))
    shape = shape_of(scene, scene.m, geom, centre, rotation)
    return None if shape is None else replace(shape, colour=None)


def bounded_types(scene: Any) -> tuple[int, ...]:
    return scene.code("Geom.MESH"), scene.code("Geom.ELLIPSOID")


def shape_of_bounds(scene: Any, geom: int, pose: tuple[Floats, Floats]) -> Shape | None:
    """A ball, a round rod or a box, by the edges of the box that encloses a geom along its axes."""
    middle, half = scene.m.geom_aabb[geom].reshape(2, 3)
    if not np.isfinite((middle, half)).all() or half.min() <= 0.0:
        return None
    place, turn = pose[0] + pose[1] @ middle, pose[1]
    order = np.argsort(half)
    thin, wide, long = half[order]
    if long < ROUND * thin:
        return Sphere(float(half.mean()), position=as_vector(place))
    if wide < ROUND * thin:
        axes = np.roll(turn, 2 - order[2], axis=1)  # the longest is the axis
        radius = float(0.5 * (thin + wide))
        length = 2.0 * (float(long) - radius)
        return Capsule(radius, length, position=as_vector(place), rotation=as_matrix(axes))
    x, y, z = (2.0 * half).tolist()
    return Box((x, y, z), position=as_vector(place), rotation=as_matrix(turn))


def may_touch(scene: Any, one: int, other: int) -> bool:
    """MuJoCo's rule for two geoms."""
    m = scene.m
    types, affinities = m.geom_contype[[one, other]], m.geom_conaffinity[[one, other]]
    bodies = sorted(int(m.geom_bodyid[k]) for k in (one, other))
    excluded = (bodies[0] << 16) + bodies[1] in m.exclude_signature
    return bool(types[0] & affinities[1] or types[1] & affinities[0]) and not excluded


def contact(scene: Any, geom: int, plane: int, body: str, shape: Shape | None) -> Contact | None:
    """A contact of one geom with one plane; None if it cannot be one here."""
    m = scene.m
    if not isinstance(shape, Sphere | Capsule | Box):
        return None
    pair = sorted((geom, plane), key=lambda k: -m.geom_priority[k])
    first = pair[:1] if m.geom_priority[pair[0]] != m.geom_priority[pair[1]] else pair
    friction = max(float(m.geom_friction[k, 0]) for k in first)
    rubs = max(int(m.geom_condim[k]) for k in first) > 1
    soft = compliance(m, *mixed(m, first), float(m.body_invweight0[m.geom_bodyid[geom], 0]))
    if soft is None:
        return None
    stiffness, damping, mass = soft
    # Where it rests under its weight, k d = m g, the damper of Hunt and Crossley is MuJoCo's.
    weight = mass * (float(np.linalg.norm(m.opt.gravity)) or STANDARD_GRAVITY)
    name = f"{scene.name('geom', geom)} on {scene.name('geom', plane)}"
    return Contact(
        scene.unique(name), "ground", body, at=scene.d.geom_xpos[plane],
        axis=scene.d.geom_xmat[plane].reshape(3, 3)[:, 2], shape=shape, stiffness=stiffness,
        dissipation=damping / weight, friction=friction if rubs else 0.0,
    )  # fmt: skip


def mixed(m: Any, geoms: list[int]) -> tuple[Floats, Floats]:
    """solref and solimp of a contact: the mean by solmix, the smaller if given directly."""
    shares = m.geom_solmix[geoms]
    shares = shares if shares.sum() > 0.0 else np.ones(len(geoms))
    weights = shares / shares.sum()
    references, impedances = m.geom_solref[geoms], m.geom_solimp[geoms]
    direct = np.any(references[:, 0] <= 0.0)
    reference = references.min(axis=0) if direct else weights @ references
    return reference, weights @ impedances
