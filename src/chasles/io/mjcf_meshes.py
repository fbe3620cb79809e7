"""Meshes of a URDF: found by the names of packages, and left out where nothing depends on them.

A URDF names a mesh as package://NAME/PATH, wherever the package NAME was installed.  Here it is
looked for in the folders from that of the file up to the folder of the model.  Only links without
an inertia of their own take it from collision meshes.

Visual shapes are discarded by MuJoCo's compiler unless it is asked to keep them.  They are compiled
by themselves, so that nothing of the dynamics depends on them; files that are missing, or of a kind
that MuJoCo does not read, are named and left out.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from chasles.io.collada import COLLADA, read_collada
from chasles.io.xml_checks import Checker, bare_path
from chasles.model.errors import InvalidFile, one_line, quoted

VISUAL = 1  # the group that MuJoCo puts visual shapes into
READABLE = (".stl", ".obj", ".msh", COLLADA)
LISTED = 3  # names in a note before "and n more"


def place_meshes(spec: Any, checker: Checker, kept: Collection[str] = ()) -> list[str]:
    """Put the meshes of a URDF where they are; returns notes on those that are left out.

    None of the `kept` is: MuJoCo says what is wrong with it.
    """
    left: dict[str, list[str]] = {}
    for mesh in [mesh for mesh in spec.meshes if mesh.file]:
        here = [checker.base / mesh.file, *places(mesh.file, checker)]
        found = next((path for path in here if is_there(path, checker)), None)
        if mesh.name in kept:
            if found is not None:
                put(mesh, found)
            continue
        why = f"meshes are not in '{checker.folder.name}'"
        if found is not None:
            why = f"meshes are of a kind that is not read ({', '.join(READABLE)} are)"
            if found.suffix.lower() in READABLE:
                try:
                    put(mesh, found)
                    continue
                except InvalidFile as error:
                    why = error.what
        left.setdefault(why, []).append(mesh.file)
        leave_out(spec, mesh)
    return [f"{why}, and left out: {quoted(files, LISTED)}" for why, files in left.items()]


def leave_out(spec: Any, mesh: Any) -> None:
    """Remove a mesh, and the shapes that it is drawn with."""
    for body in spec.bodies:
        for geom in [geom for geom in body.geoms if geom.meshname == mesh.name]:
            spec.delete(geom)
    spec.delete(mesh)


def put(mesh: Any, path: Path) -> None:
    """Tell MuJoCo where a mesh is, or, in a format that it does not know, give it the triangles."""
    if path.suffix.lower() == COLLADA:
        vertices, triangles = read_collada(path)
        mesh.file, mesh.uservert, mesh.userface = "", vertices.ravel(), triangles.ravel()
    else:
        mesh.file = str(path)


def inertial_meshes(mujoco: Any, spec: Any) -> set[str]:
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


def visual_model(mujoco: Any, checker: Checker, notes: list[str]) -> Any:
    """MuJoCo's model with the visual shapes, or None where there are none to be had."""
    if not checker.visuals:
        return None
    try:
        spec = mujoco.MjSpec.from_string(asking_for_visuals(checker.text))
        spec.memory = -1
        for mesh in spec.meshes:  # what it weighs is nobody's concern: it may be open
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        notes += place_meshes(spec, checker)
        return spec.compile()
    except Exception as error:  # MuJoCo raises ValueError, and others on odd files
        notes.append(
            f"visual shapes ({checker.visuals}) are left out, and collision shapes drawn instead:"
            f" MuJoCo says {one_line(error)}"
        )
        return None


def asking_for_visuals(text: str) -> str:
    """The URDF with the compiler's option; the checker has refused entities and document types."""
    robot = ElementTree.fromstring(text.lstrip().rstrip("\0"))
    extension = robot.find("mujoco")
    if extension is None:
        extension = ElementTree.Element("mujoco")
        robot.insert(0, extension)
    compiler = extension.find("compiler")
    if compiler is None:
        compiler = ElementTree.SubElement(extension, "compiler")
    compiler.set("discardvisual", "false")
    return ElementTree.tostring(robot, encoding="unicode")
