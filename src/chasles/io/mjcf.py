"""URDF and MJCF through MuJoCo's compiler, which is the reference for both.

MuJoCo turns the file into bodies with inertias, joints with axes, and defaults resolved; what is
made of them here is a Model at the reference pose of the file.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chasles.io.mjcf_meshes import inertial_meshes, place_meshes, visual_model
from chasles.io.mjcf_model import Scene, model_of
from chasles.io.xml_checks import Checker
from chasles.model import InvalidFile, Model
from chasles.model.errors import one_line
from chasles.model.plain import placed_at

MJCF, URDF = "mujoco", "robot"
ROOTS = (MJCF, URDF)
ELSEWHERE = "Correct it there; MuJoCo's message names the element."
#: What MuJoCo says when it fails inside, and the files at which it did.  Its next warning then
#: calls itself without an end, in this process.
INSIDE = "unknown exception"
FAILED: list[str] = []
#: What MuJoCo says of links that no body can be like, and how to mend them.
REPAIRS = {
    "A + B >= C": "Correct the inertia of that link: no principal moment is larger than the sum of"
    " the two others.  <compiler balanceinertia='true'/> lets MuJoCo make all three the same.",
    "positive eigenvalues": "Correct the inertia of that link: all principal moments are positive.",
    "mjMINVAL": "Give that link a mass and an inertia, or weld it to its neighbour.",
    "Error opening file": "Put the file there, or name a folder that has all of the robot:"
    " read_model(path, folder=...).",
}


def read_robot(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    stops: bool = True,
    contacts: bool = False,
) -> tuple[Model, dict[str, Any]]:
    """The model of a .urdf or MJCF file, and the step that it asks for.

    `stops` says whether limits of joints become stops, `contacts` whether planes are touched.
    """
    mujoco = imported()
    checker = Checker(path, folder)
    checker.check()
    source = checker.source
    if checker.root not in ROOTS:
        raise InvalidFile(
            f"'{source}' begins with <{checker.root}>, which is not a robot.",
            "Give a URDF file (<robot>) or an MJCF file (<mujoco>).",
        )
    notes: list[str] = []
    compiled, data = compiled_scene(mujoco, checker, notes)
    with placed_at(f"'{source}'"):
        visuals = None
        if checker.root == URDF:
            with listening(mujoco, notes):
                visuals = visual_model(mujoco, checker, notes)
        scene = Scene(mujoco, compiled, data, stops, contacts, visuals)
        for note in dict.fromkeys(notes):
            scene.note(note)
        model = model_of(scene)
    return model, {"step": float(compiled.opt.timestep)}


def compiled_scene(mujoco: Any, checker: Checker, notes: list[str]) -> tuple[Any, Any]:
    """MuJoCo's model of a file that was looked at, and its data at the reference pose."""
    if FAILED:
        raise InvalidFile(
            f"'{checker.source}' is not read: MuJoCo failed inside at '{FAILED[0]}', and cannot be"
            " trusted in this process any more.",
            "Start Python again, and leave that file out.",
        )
    try:
        with listening(mujoco, notes):
            spec = mujoco.MjSpec.from_file(str(checker.source))
            leave_out_what_is_not_read(mujoco, spec)
            # Nor are the ranges of muscles, which are left out: they would be simulated, and with
            # odd numbers that never ends.
            spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
            if checker.root == URDF:
                kept = inertial_meshes(mujoco, spec)
                notes += [*place_meshes(spec, checker, kept), *left_out_of_urdf(checker)]
            compiled = spec.compile()
            data = mujoco.MjData(compiled)
            mujoco.mj_kinematics(compiled, data)
    except Exception as error:  # MuJoCo raises ValueError, and others on odd files
        reason = one_line(error)
        if INSIDE in reason:
            FAILED.append(str(checker.source))
        remedy = next((help for words, help in REPAIRS.items() if words in reason), ELSEWHERE)
        raise InvalidFile(f"'{checker.source}' is refused by MuJoCo: {reason}", remedy) from None
    return compiled, data


def leave_out_what_is_not_read(mujoco: Any, spec: Any) -> None:
    """Room to simulate in MuJoCo, numbers and poses kept for its users, and pictures on surfaces.

    None of it is in a Model, and in a hostile file any of it is large.
    """
    spec.memory = spec.njmax = spec.nconmax = spec.nstack = -1
    spec.nkey = spec.nuserdata = 0
    for texture in spec.textures:
        if texture.type != mujoco.mjtTexture.mjTEXTURE_SKYBOX:  # which alone needs no name
            texture.type = mujoco.mjtTexture.mjTEXTURE_2D
        texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
        texture.width = texture.height = 1
        texture.file, texture.cubefiles = "", [""] * len(texture.cubefiles)


def left_out_of_urdf(checker: Checker) -> list[str]:
    """Notes on what a URDF has and MuJoCo's compiler passes over."""
    notes = []
    if checker.limits:
        notes.append(
            f"limits of effort and speed ({checker.limits} joints) are left out: a Motor or Servo"
            " has limits of its own"
        )
    bases = [name for name, led_to in checker.links.items() if not led_to and name != "world"]
    if bases:
        notes.append(
            f"base link {', '.join(map(repr, bases))} is fixed to the ground and part of it: its"
            " mass and shapes are not in the model. A floating base needs a link 'world' and a"
            " joint of type 'floating' to it"
        )
    return notes


@contextmanager
def listening(mujoco: Any, notes: list[str]) -> Iterator[None]:
    """Note MuJoCo's warnings, which it would print and write to a file in the folder at hand."""

    def note(text: object) -> None:
        notes.append(f"MuJoCo warns: {' '.join(str(text).split())}")

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(note)
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
        for warning in heard:
            note(warning.message)
    finally:
        mujoco.set_mju_user_warning(before)


def imported() -> Any:
    """MuJoCo, or how to get it."""
    try:
        import mujoco
    except ImportError:
        raise InvalidFile(
            "URDF and MJCF are read through MuJoCo, which is not installed.",
            "Install it: pip install mujoco.",
        ) from None
    return mujoco
