"""Geoms as the shapes of bodies."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model import Box, Capsule, Cylinder, Shape, Sphere
from chasles.model.checks import IDENTITY, as_matrix, as_vector

Floats = NDArray[np.float64]
ALIGNED = 1e-9  # m and cosines: a geom so near to the centre and the axes of its body is there


def shapes_of(scene: Any, root: int, centre: Floats, rotation: Floats) -> list[Shape]:
    """The geoms of a body that are boxes, balls, cylinders or capsules, where they are in it."""
    m = scene.m
    geoms = [k for k in range(m.ngeom) if scene.root[m.geom_bodyid[k]] == root]
    shapes = [shape for k in geoms if (shape := shape_of(scene, k, centre, rotation)) is not None]
    if len(geoms) > len(shapes):
        scene.note(
            f"body '{scene.body_names[root]}' has {len(geoms)} geoms, of which {len(shapes)} are"
            " drawn"
        )
    return shapes


def shape_of(scene: Any, geom: int, centre: Floats, rotation: Floats) -> Shape | None:
    m = scene.m
    body = m.geom_bodyid[geom]
    own = np.zeros(9)
    scene.mujoco.mju_quat2Mat(own, m.geom_quat[geom])
    with np.errstate(invalid="ignore", over="ignore"):  # a place out of this world: the shape tells
        turn = rotation.T @ scene.d.xmat[body].reshape(3, 3) @ own.reshape(3, 3)
        place = rotation.T @ (scene.in_world(body, m.geom_pos[geom]) - centre)
    pose: dict[str, Any] = {
        "position": (0.0, 0.0, 0.0) if np.abs(place).max() <= ALIGNED else as_vector(place),
        "rotation": IDENTITY if np.abs(turn - np.eye(3)).max() <= ALIGNED else as_matrix(turn),
    }
    size, kind = m.geom_size[geom].tolist(), m.geom_type[geom]
    if kind == scene.code("Geom.SPHERE"):
        return Sphere(size[0], position=pose["position"])
    if kind == scene.code("Geom.BOX"):
        return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]), **pose)
    if kind == scene.code("Geom.CYLINDER"):
        return Cylinder(size[0], 2.0 * size[1], **pose)
    if kind == scene.code("Geom.CAPSULE"):
        return Capsule(size[0], 2.0 * size[1], **pose)
    return None
