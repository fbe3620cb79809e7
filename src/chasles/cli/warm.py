"""`chasles warm`: compile everything in advance, once per machine."""

import argparse

from chasles.cli.common import Commands, command


def add(commands: Commands) -> None:
    command(
        commands, "warm", call, "compile everything in advance, once per machine",
        "Compile all code that is not on disk yet, so that first runs start at once.",
        "  chasles warm\n",
    )  # fmt: skip


def call(options: argparse.Namespace) -> int:
    from chasles.cli.warming import warm  # late: --help compiles nothing

    return 0 if warm() else 1
