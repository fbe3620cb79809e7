"""`chasles designate FILE`: which configuration space each body gets, and why."""

import argparse

from chasles.cli.common import Commands, add_file, add_json, command, told

EXAMPLES = """\
  chasles designate top.toml
  chasles designate top.toml --json
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "designate", call, "show the configuration space of each body, and why",
        "Print the configuration space of each body, and which joints stay closed or drift.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_model  # late: --help needs no arrays
    from chasles.spaces import designate

    designation = designate(read_model(options.file))
    if options.json:
        told(designation.as_dict())
    else:
        print(designation)
    return 0
