"""`chasles export FILE --cuda`: the step of a model as source text."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, add_file, command
from chasles.model import InvalidOption

EXAMPLES = """\
  chasles export top.toml --cuda --step 1e-3              writes top.cu
  chasles export top.toml --cuda --step 1e-3 --fma --out fast.cu
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "export", call, "write the step of a model as CUDA source",
        "Write the step of a model, and the loop around it, as CUDA C that compiles by itself:\n"
        "one thread for each system, one line for each operation.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    parser.add_argument(
        "--cuda", action="store_true", help="write CUDA C (required; the only format so far)"
    )
    parser.add_argument("--step", type=float, metavar="S", help="length of a step, s")
    parser.add_argument("--method", default="rk4", help="method [rk4]")
    parser.add_argument("--spaces", default="auto", help="spaces [auto]")
    parser.add_argument(
        "--fma", action="store_true", help="allow fused multiply-add: faster, other last bits"
    )
    parser.add_argument("--out", type=Path, metavar="CU", help="output file [FILE.cu]")


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_model
    from chasles.many.ensembles.export import export_cuda  # late: --help needs no arrays

    if not options.cuda:
        raise InvalidOption("export: the format is missing.", "Give --cuda.")
    text = export_cuda(
        read_model(options.file), options.step, options.method, options.spaces,
        exact=not options.fma,
    )  # fmt: skip
    target = options.out or Path(f"{options.file.stem}.cu")
    target.write_text(text, "utf-8")
    print(target)
    return 0
