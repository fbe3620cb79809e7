"""URDF and MJCF through MuJoCo's compiler, which is the reference for both.

MuJoCo turns the file into bodies with inertias, joints with axes, and defaults resolved; what is
made of them here is a Model at the reference pose of the file.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chasles.io.mjcf_contacts import checked_contacts, with_contacts
from chasles.io.mjcf_model import Scene, model_of
from chasles.io.xml_checks import Checker
from chasles.model import ChaslesError, InvalidFile, Model
from chasles.model.errors import one_line

ROOTS = ("mujoco", "robot")


def read_robot(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    stops: bool = True,
    contacts: Any = None,
) -> tuple[Model, dict[str, Any]]:
    """The model of a .urdf or MJCF file, and the step that it asks for.

    `stops` says whether limits of joints become stops; `contacts` are the numbers of its contacts
    with planes, or None for no contacts.
    """
    law = None if contacts is None else checked_contacts(contacts)
    mujoco = imported()
    checker = Checker(path, folder)
    checker.check()
    source = checker.source
    if checker.root not in ROOTS:
        raise InvalidFile(
            f"'{source}' begins with <{checker.root}>, which is not a robot.",
            "Give a URDF file (<robot>) or an MJCF file (<mujoco>).",
        )
    warned: list[str] = []
    try:
        with listening(mujoco, warned):
            spec = mujoco.MjSpec.from_file(str(source))
            spec.memory = -1  # what simulating in MuJoCo would take is not wanted
            compiled = spec.compile()
            data = mujoco.MjData(compiled)
            mujoco.mj_kinematics(compiled, data)
    except Exception as error:  # MuJoCo raises ValueError, and others on odd files
        raise InvalidFile(
            f"'{source}' is refused by MuJoCo: {one_line(error)}",
            "Correct it there; MuJoCo's message names the element.",
        ) from None
    try:
        scene = Scene(mujoco, compiled, data, stops)
        for warning in dict.fromkeys(warned):
            scene.note(f"MuJoCo warns: {warning}")
        model = model_of(scene)
        if law is not None:
            model = with_contacts(model, scene, law)
    except ChaslesError as error:
        raise type(error)(f"'{source}': {error.what}", error.remedy) from None
    return model, {"step": float(compiled.opt.timestep)}


@contextmanager
def listening(mujoco: Any, warned: list[str]) -> Iterator[None]:
    """Collect MuJoCo's warnings, which it would print and write to a file in the folder at hand."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: warned.append(" ".join(str(text).split())))
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
        warned += [" ".join(str(warning.message).split()) for warning in heard]
    finally:
        mujoco.set_mju_user_warning(before)


def imported() -> Any:
    """MuJoCo, or how to get it."""
    try:
        import mujoco
    except ImportError:
        raise InvalidFile(
            "URDF and MJCF are read through MuJoCo, which is not installed.",
            "pip install 'chasles[import]' brings it.",
        ) from None
    return mujoco
