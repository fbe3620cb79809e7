"""Geoms as the shapes of bodies, where a body can have them."""

from typing import Any

import numpy as np

from chasles.model import Box, Cylinder, Shape, Sphere

ALIGNED = 1e-9  # m and cosines: how far a geom may be off the centre and the axes of its body


def shape_of(scene: Any, root: int, centre: Any, rotation: Any) -> Shape | None:
    """The one geom of a body, if it is a solid about the centre of mass along the body's axes."""
    m = scene.m
    geoms = [k for k in range(m.ngeom) if scene.root[m.geom_bodyid[k]] == root]
    shapes = [shape for k in geoms if (shape := centred(scene, k, centre, rotation))]
    if len(geoms) > len(shapes) or len(shapes) > 1:
        scene.note(
            f"body '{scene.body_names[root]}' has {len(geoms)} geoms, of which"
            f" {min(len(shapes), 1)} is drawn"
        )
    return shapes[0] if shapes else None


def centred(scene: Any, geom: int, centre: Any, rotation: Any) -> Shape | None:
    m = scene.m
    body = m.geom_bodyid[geom]
    place = scene.in_world(body, m.geom_pos[geom])
    own = np.zeros(9)
    scene.mujoco.mju_quat2Mat(own, m.geom_quat[geom])
    turn = np.array(rotation).T @ scene.d.xmat[body].reshape(3, 3) @ own.reshape(3, 3)
    if np.abs(place - np.array(centre)).max() > ALIGNED:
        return None
    size, kind = m.geom_size[geom].tolist(), m.geom_type[geom]
    if kind == scene.code("Geom.SPHERE"):
        return Sphere(size[0])
    along = np.abs(turn)
    if np.abs(along - along.round()).max() > ALIGNED:
        return None
    if kind == scene.code("Geom.BOX"):
        x, y, z = (2.0 * along.round() @ np.array(size)).tolist()
        return Box((x, y, z))
    if kind == scene.code("Geom.CYLINDER"):
        return Cylinder(size[0], 2.0 * size[1], "xyz"[int(np.argmax(along[:, 2]))])
    return None
