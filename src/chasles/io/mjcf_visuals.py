"""Visual shapes of a URDF, which MuJoCo's compiler discards unless it is asked to keep them.

They are compiled by themselves, so that nothing of the dynamics depends on them; files that are
missing, or of a kind that MuJoCo does not read, are named and left out.
"""

from typing import Any
from xml.etree import ElementTree

from chasles.io.mjcf_meshes import is_there, places
from chasles.io.xml_checks import Checker
from chasles.model.errors import one_line, quoted

VISUAL = 1  # the group that MuJoCo puts them into
READABLE = (".stl", ".obj", ".msh")
LISTED = 3


def visual_model(mujoco: Any, checker: Checker, notes: list[str]) -> Any:
    """MuJoCo's model with the visual shapes, or None where there are none to be had."""
    if not checker.visuals:
        return None
    try:
        spec = mujoco.MjSpec.from_string(asking_for_visuals(checker.text))
        spec.memory = -1
        notes += without_files(mujoco, spec, checker)
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


def without_files(mujoco: Any, spec: Any, checker: Checker) -> list[str]:
    """Put meshes where they are; notes on those that are missing, and on those of other kinds."""
    missing: list[str] = []
    unread: list[str] = []
    for mesh in list(spec.meshes):
        # What a visual mesh weighs is nobody's concern: it may be open.
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        here = [checker.base / mesh.file, *places(mesh.file, checker)]
        found = next((path for path in here if is_there(path, checker)), None)
        if found is not None and found.suffix.lower() in READABLE:
            mesh.file = str(found)
            continue
        (missing if found is None else unread).append(mesh.file)
        for body in spec.bodies:
            for geom in [geom for geom in body.geoms if geom.meshname == mesh.name]:
                spec.delete(geom)
        spec.delete(mesh)
    return [
        *told(missing, f"are not in '{checker.folder.name}'"),
        *told(unread, f"are of a kind that is not read ({', '.join(READABLE)} are)"),
    ]


def told(files: list[str], why: str) -> list[str]:
    if not files:
        return []
    return [f"meshes {why}, and are not drawn: {quoted(files, LISTED)}"]
