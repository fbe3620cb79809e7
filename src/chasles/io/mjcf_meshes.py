"""Meshes of a URDF: found by the names of packages, and left out where nothing depends on them.

A URDF names a mesh as package://NAME/PATH, wherever the package NAME was installed.  Here it is
looked for in the folders from that of the file up to the folder of the model.  Here only collision
meshes are asked for (`mjcf_visuals` has the others), and only links without an inertia of their own
take it from them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chasles.io.xml_checks import Checker, bare_path


def place_meshes(mujoco: Any, spec: Any, checker: Checker) -> list[str]:
    """Put the meshes of a URDF where they are; returns notes on those that are left out."""
    missing = {}
    for mesh in spec.meshes:
        if not mesh.file or is_there(checker.base / mesh.file, checker):
            continue
        found = next((path for path in places(mesh.file, checker) if is_there(path, checker)), None)
        if found is None:
            missing[mesh.name] = mesh
        else:
            mesh.file = str(found)
    kept = needed(mujoco, spec)
    left = [name for name in missing if name not in kept]
    for geom in [geom for body in spec.bodies for geom in body.geoms if geom.meshname in left]:
        spec.delete(geom)
    for name in left:
        spec.delete(missing[name])
    if not left:
        return []
    return [
        f"{len(left)} meshes are not in '{checker.folder.name}', and left out:"
        f" {', '.join(repr(name) for name in left[:3])}{', ...' if len(left) > 3 else ''}"
    ]


def needed(mujoco: Any, spec: Any) -> set[str]:
    """Names of meshes that links take their inertia from."""
    always = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    return {
        geom.meshname
        for body in spec.bodies
        for geom in body.geoms
        if always or not body.explicitinertial
    }


def places(name: str, checker: Checker) -> Iterator[Path]:
    """Where a mesh may be: in a package beside or above the file, or in the one that it is in."""
    bare = bare_path(name)
    for folder in (checker.base, *checker.base.parents):
        if not folder.is_relative_to(checker.folder):
            return
        yield folder / bare
        package, _, rest = bare.partition("/")
        if folder.name == package:
            yield folder / rest


def is_there(path: Path, checker: Checker) -> bool:
    """A file within the folder of the model, also where a link leads."""
    return path.is_file() and path.resolve().is_relative_to(checker.folder)
