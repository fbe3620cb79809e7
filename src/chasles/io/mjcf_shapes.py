"""Geoms as the shapes of bodies: what is meant to be seen, where there is any of that."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.io.mjcf_meshes import VISUAL
from chasles.model import Box, Capsule, ChaslesError, Cylinder, Mesh, Shape, Sphere
from chasles.model.checks import IDENTITY, as_matrix, as_vector
from chasles.model.mesh import fewer_triangles
from chasles.model.words import Floats

ALIGNED = 1e-9  # m and cosines: a geom so near to the centre and the axes of its body is there


MOST_TRIANGLES = 8000  # of a mesh: more than a picture shows
UNPAINTED = (0.5, 0.5, 0.5)  # what MuJoCo paints geoms with that have no colour


def shapes_of(scene: Any, root: int, centre: Floats, rotation: Floats) -> list[Shape]:
    """The visual geoms of a body, or all where it has none, where they are in it."""
    m, name = scene.m, scene.body_names[root]
    geoms = [k for k in range(m.ngeom) if scene.root[m.geom_bodyid[k]] == root]
    visual = [k for k in geoms if m.geom_contype[k] == 0 and m.geom_conaffinity[k] == 0]
    seen = visuals_of(scene, root)
    for model, chosen in ((scene.visuals, seen), (m, visual), (m, geoms)):
        shapes = [s for k in chosen if (s := drawn(scene, model, k, centre, rotation))]
        if shapes:
            break
    if len(chosen) > len(shapes):
        scene.note(f"body '{name}' has {len(chosen)} geoms, of which {len(shapes)} are drawn")
    return shapes


def drawn(scene: Any, m: Any, geom: int, centre: Floats, rotation: Floats) -> Shape | None:
    """A geom as a shape; one that is only looked at, and is none, refuses no robot."""
    try:
        return shape_of(scene, m, geom, centre, rotation)
    except ChaslesError:
        if m is scene.m:
            raise
        return None


def visuals_of(scene: Any, root: int) -> list[int]:
    """Geoms of the visual shapes that were compiled by themselves."""
    v = scene.visuals
    if v is None:
        return []
    return [k for k in range(v.ngeom)
            if v.geom_group[k] == VISUAL and scene.root[own_body(scene, v, k)] == root]  # fmt: skip


def own_body(scene: Any, model: Any, geom: int) -> int:
    """The body of a geom of another compilation, in the one that moves."""
    body = int(model.geom_bodyid[geom])
    if model is scene.m:
        return body
    kind = scene.code("Obj.BODY")
    name = scene.mujoco.mj_id2name(model, kind, body)
    return max(0, int(scene.mujoco.mj_name2id(scene.m, kind, name or "")))


def pose_of(
    scene: Any, m: Any, geom: int, centre: Floats, rotation: Floats
) -> tuple[Floats, Floats]:
    """Place and axes of a geom in the frame of its body."""
    body = own_body(scene, m, geom)
    own = np.zeros(9)
    scene.mujoco.mju_quat2Mat(own, m.geom_quat[geom])
    with np.errstate(invalid="ignore", over="ignore"):  # a place out of this world: the shape tells
        turn = rotation.T @ scene.d.xmat[body].reshape(3, 3) @ own.reshape(3, 3)
        place = rotation.T @ (scene.in_world(body, m.geom_pos[geom]) - centre)
    return place, turn


def shape_of(
    scene: Any, m: Any, geom: int, centre: Floats, rotation: Floats
) -> Shape | None:  # fmt: skip
    place, turn = pose_of(scene, m, geom, centre, rotation)
    position = (0.0, 0.0, 0.0) if np.abs(place).max() <= ALIGNED else as_vector(place)
    colour = colour_of(m, geom)
    pose: dict[str, Any] = {
        "position": position,
        "rotation": IDENTITY if np.abs(turn - np.eye(3)).max() <= ALIGNED else as_matrix(turn),
        "colour": colour,
    }
    size, kind = m.geom_size[geom].tolist(), m.geom_type[geom]
    if kind == scene.code("Geom.SPHERE"):
        return Sphere(size[0], position=position, colour=colour)
    if kind == scene.code("Geom.BOX"):
        return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]), **pose)
    if kind == scene.code("Geom.CYLINDER"):
        return Cylinder(size[0], 2.0 * size[1], **pose)
    if kind == scene.code("Geom.CAPSULE"):
        return Capsule(size[0], 2.0 * size[1], **pose)
    if kind == scene.code("Geom.MESH"):
        return mesh_of(scene, m, int(m.geom_dataid[geom]), pose)
    return None


def mesh_of(scene: Any, m: Any, mesh: int, pose: dict[str, Any]) -> Shape | None:
    """A mesh as MuJoCo holds it: about its own centre, along its own axes, as the geom is."""
    vertices = part_of(m.mesh_vert, m.mesh_vertadr, m.mesh_vertnum, mesh).astype(float)
    triangles = part_of(m.mesh_face, m.mesh_faceadr, m.mesh_facenum, mesh).astype(np.int64)
    if not len(triangles) or not np.isfinite(vertices).all():
        return None
    fewer = fewer_triangles(vertices, triangles, MOST_TRIANGLES)
    if len(fewer[1]) < len(triangles):
        name = scene.mujoco.mj_id2name(m, scene.code("Obj.MESH"), mesh)
        scene.note(
            f"mesh '{name}' is drawn with {len(fewer[1])} triangles instead of {len(triangles)}"
        )
    return Mesh(vertices=fewer[0], triangles=fewer[1], **pose)


def part_of(rows: Any, first: Any, count: Any, k: int) -> Any:
    return np.array(rows[first[k] : first[k] + count[k]])


def colour_of(m: Any, geom: int) -> str | None:
    """That of its material, or its own; None if nobody painted it."""
    material = int(m.geom_matid[geom])
    rgba: Sequence[float] = m.mat_rgba[material] if material >= 0 else m.geom_rgba[geom]
    if not np.isfinite(rgba).all() or np.allclose(rgba[:3], UNPAINTED, atol=1e-3):
        return None
    parts = (round(255.0 * min(1.0, max(0.0, float(x)))) for x in rgba[:3])
    return "#" + "".join(f"{part:02x}" for part in parts)
