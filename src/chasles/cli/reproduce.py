"""`chasles reproduce`: published results beside ours and the converged value."""

import argparse

from chasles.cli.common import Commands, add_json, command, told

EXAMPLES = """\
  chasles reproduce
  chasles reproduce top --json
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "reproduce", call, "compare published digits with ours",
        "Run published examples with their method and step, and compare the digits with ours and\n"
        "with the converged value.  Exit code 1 if digits differ that should be equal.",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="top, two-tops, ... [all]")
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.studies.reproduced.all_cases import CASES, reproduce  # late: as elsewhere

    found = [reproduce(name) for name in options.names or CASES]
    if options.json:
        told([one.as_dict() for one in found])
    else:
        print("\n\n".join(map(str, found)))
    return 0 if all(one.agrees for one in found) else 1
