"""`chasles view FILE`: a saved run, live in the browser or as a film."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, command

EXAMPLES = """\
  chasles view out/top/result.nc                   live in the browser, until Ctrl-C
  chasles view out/top/result.nc --out top.html    a film in a file
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "view", call, "show a saved run in the browser, or as a film",
        "Show a saved run: live in the browser (needs viser), or as a film in a file with --out.",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="saved run, run.nc")
    parser.add_argument(
        "--out", type=Path, metavar="FILM", help="write a film: .html, .gif, .mp4 or .glb"
    )
    parser.add_argument("--follow", metavar="BODY", help="body that the camera follows")
    parser.add_argument(
        "--port", type=int, default=8080, metavar="N", help="port of the server [8080]"
    )


def call(options: argparse.Namespace) -> int:
    from chasles.io.netcdf import load  # late: it reads arrays

    result = load(options.file)
    if options.out is not None:
        print(result.animate(options.out, title=options.file.stem, follow=options.follow))
        return 0
    live = result.view(port=options.port, follow=options.follow)
    print(f"{live.url}  (Ctrl-C ends)", flush=True)
    live.wait()
    return 0
