"""Models and runs from files, by the ending of the name."""

import os
from typing import Any, Literal

from chasles.model import InvalidFile, InvalidOption, Model
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.result.atomic_file import checked_path

Limits = Literal["stops", "none"]
Contacts = Literal["planes", "none"]
LIMITS, CONTACTS = ("stops", "none"), ("planes", "none")
TOML, ROBOTS = (".toml",), (".urdf", ".xml", ".mjcf")


@checked_keywords
def read_model(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    contacts: Contacts | None = None,
) -> Model:
    """The model of a file: .toml (see `Model.write`), .urdf, or .xml and .mjcf (MJCF).

    URDF and MJCF go through MuJoCo's compiler (``pip install mujoco``).

    Parameters
    ----------
    path
        The file.
    folder
        For robots: folder that must contain the meshes and files that it names. Default: its own.
    limits
        For joint limits of robots: "stops" (default) makes each a soft `JointStop`, with the
        stiffness and damping of MuJoCo at the reference pose. "none" leaves them out.
    contacts
        For robots: "planes" makes a `Contact` of every ball, capsule and box that may touch a
        plane of the file. "none" (default) leaves them out.

    Returns
    -------
    Model
        `model.notes` lists what was not imported.

    Notes
    -----
    Nothing in a file is run as code. A file that is too large, nested too deep or not finite is
    refused.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = ch.read_model(model.write(f"{folder}/ball.toml"))
    >>> again == model
    True
    """
    return read_file(path, folder, limits, contacts)[0]


@checked_keywords
def read_run(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The options for `simulate` in the table [run] of a .toml file.

    ``simulate(read_model(path), **read_run(path))`` is what `chasles run` does.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        Option -> value. Empty if the file has no such table.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = model.write(f"{folder}/ball.toml", run={"until": 1.0, "step": 1e-2})
    ...     options = ch.read_run(path)
    >>> len(ch.simulate(model, **options))
    101
    """
    return read_file(path)[1]


def read_file(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    limits: Any = None,
    contacts: Any = None,
) -> tuple[Model, dict[str, Any]]:
    source = checked_path(path)
    suffix = source.suffix.lower()
    given = {"limits": (limits, LIMITS, "stops"), "contacts": (contacts, CONTACTS, "contacts")}
    for what, (value, known, forces) in given.items():
        is_known = isinstance(value, str) and value in known
        if value is not None and (not is_known or suffix in TOML):
            raise InvalidOption(
                f"{what} must be one of {', '.join(known)}, for a robot, got {short_repr(value)}.",
                f"A .toml file has its {forces} among its forces.",
            )
    if suffix in TOML:
        from chasles.io.toml import read_toml  # late: only files need it

        return read_toml(source)
    if suffix in ROBOTS:
        from chasles.io.mjcf import read_robot  # late: only robots need MuJoCo

        return read_robot(source, folder, limits != "none", contacts == "planes")
    raise InvalidFile(
        f"'{source}' does not end in {', '.join((*TOML, *ROBOTS))}.",
        "load reads saved runs." if suffix == ".nc" else "Name a model file by what it holds.",
    )
