"""`chasles export FILE --out top.html`: a model as a page that runs, or its step as CUDA source."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, add_file, command
from chasles.model import InvalidOption

EXAMPLES = """\
  chasles export top.toml --out top.html                  a page that simulates it
  chasles export top.toml --step 1e-3 --cuda              writes top.cu
  chasles export top.toml --step 1e-3 --fma --out fast.cu
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "export", call, "write a model as a page that runs it, or as CUDA source",
        "Write a model for use elsewhere; the ending of --out decides the format.\n"
        ".html: a page that simulates the model in any browser, with sliders.\n"
        ".cu: the step of the model, and the loop around it, as CUDA C that compiles by itself:\n"
        "one thread for each system, one line for each operation.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    parser.add_argument("--out", type=Path, metavar="PATH", help="output file: .html or .cu")
    parser.add_argument("--cuda", action="store_true", help="write CUDA C to FILE.cu")
    parser.add_argument("--step", type=float, metavar="S", help="length of a step, s [1e-3]")
    parser.add_argument("--method", default="rk4", help="method [rk4]")
    parser.add_argument("--spaces", default="auto", help="spaces [auto]")
    parser.add_argument(
        "--fma", action="store_true",
        help="CUDA: allow fused multiply-add: faster, other last bits",
    )  # fmt: skip


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_model  # late: --help needs no arrays
    from chasles.view.export import export

    target = options.out or (Path(f"{options.file.stem}.cu") if options.cuda else None)
    if target is None:
        raise InvalidOption(
            "export: the format is missing.",
            f"Give --out {options.file.stem}.html, or --cuda.",
        )
    given = {} if options.step is None else {"step": options.step}
    written = export(
        read_model(options.file), target, method=options.method, spaces=options.spaces,
        exact=not options.fma, **given,
    )  # fmt: skip
    print(written)
    return 0
