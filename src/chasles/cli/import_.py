"""`chasles import FILE`: a robot's URDF or MJCF as a model file."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, add_file, add_json, command, told
from chasles.model import InvalidOption

EXAMPLES = """\
  chasles import arm.urdf                      writes arm.toml, lists what was not imported
  chasles import humanoid.xml --out h.toml
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "import", call, "convert a URDF or MJCF robot to a model file",
        "Read a URDF or MJCF file through MuJoCo's compiler, write it as a model file, and list\n"
        "what was not imported.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    parser.add_argument("--out", type=Path, metavar="TOML", help="output file [FILE.toml]")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="folder of its meshes [that of the file]"
    )
    parser.add_argument(
        "--limits", choices=("stops", "none"), default="stops",
        help="joint limits: compliant stops, or none [stops]",
    )  # fmt: skip
    parser.add_argument(
        "--contacts", choices=("planes", "none"), default="none",
        help="contact with the planes of the file, or none [none]",
    )  # fmt: skip
    add_json(parser)


def robot_options(options: argparse.Namespace) -> tuple[str | None, str | None]:
    """Limits and contacts; a .toml file has none to choose."""
    if options.file.suffix.lower() == ".toml":
        return None, None
    return options.limits, options.contacts


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_file  # late: --help needs no arrays

    target = options.out or Path(options.file.stem + ".toml")
    if target.resolve() == options.file.resolve():
        raise InvalidOption(f"'{target}' would be written over itself.", "Give --out.")
    model, run = read_file(options.file, options.folder, *robot_options(options))
    written = model.write(target, run)
    if options.json:
        told({
            "file": str(written), "bodies": len(model.bodies), "joints": len(model.joints),
            "forces": len(model.forces), "degrees_of_freedom": model.degrees_of_freedom,
            "notes": list(model.notes),
        })  # fmt: skip
    else:
        print("\n".join([repr(model), *(f"note: {note}" for note in model.notes), str(written)]))
    return 0
