"""Steps of two source trees of this package side by side, on one core, in processor time.

    python benchmarks/beside.py --old /folder/of/another/src             beside this one
    python benchmarks/beside.py --old ... --new ... --only chain         some rows
    python benchmarks/beside.py --old ... --first-use                    and with an empty cache
    python benchmarks/beside.py --old ... --strict                       exit with 1 past a limit

A process for each tree builds every model by the public interface; both take turns, run by run, and
the best of all rounds counts.  The generic kernel takes the steps; set-up is not among them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from findings import aligned_table, rounded
from run import ENVIRONMENT

HERE = Path(__file__).parent
STEP = 1e-4
#: What a row may cost, as a multiple of what it costs in the old tree.
LIMITS = {
    "paper": 0.9,
    "chain on charts": 1.05,
    "star on charts": 1.0,
    "charts that fit": 0.4,
    "loops on subgroups": 0.8,
    "tree on subgroups": 1.05,
}
#: Name -> kind, spaces and steps of a run.
ROWS: dict[str, tuple[str, str, int]] = {
    "heavy top": ("paper", "SE3", 100_000),
    "heavy top, apart": ("paper", "SO3xR3", 100_000),
    "heavy top, auto": ("tree on subgroups", "auto", 200_000),
    "double pendulum": ("paper", "SE3", 40_000),
    "double pendulum, framed": ("charts that fit", "framed", 40_000),
    "3-bar": ("paper", "SE3", 30_000),
    "3-bar, subgroups": ("loops on subgroups", "subgroups", 40_000),
    "chain of 4": ("chain on charts", "SE3", 20_000),
    "chain of 64": ("chain on charts", "SE3", 1_200),
    "chain of 256": ("chain on charts", "SE3", 300),
    "chain of 4, auto": ("tree on subgroups", "auto", 50_000),
    "chain of 64, auto": ("tree on subgroups", "auto", 3_000),
    "chain of 256, auto": ("tree on subgroups", "auto", 800),
    "straight chain of 1024": ("chain on charts", "SE3", 40),
    "straight chain of 1024, auto": ("tree on subgroups", "auto", 100),
    "chain of 64, framed": ("charts that fit", "framed", 1_000),
    "chain of 64, relative": ("charts that fit", "SE3 relative", 1_000),
    "star of 24": ("star on charts", "SE3", 3_000),
    "tower of 50": ("loops on subgroups", "subgroups", 500),
    "ladder of 25": ("loops on subgroups", "subgroups", 1_500),
    "net of 5 x 5": ("loops on subgroups", "subgroups", 600),
    "tree of 20": ("tree on subgroups", "auto", 10_000),
}
#: With an empty cache, CPU-s at the most: an explicit run, what an implicit one takes on top of it,
#: and everything.
IMPLICIT = (
    "generalized-alpha", "bliedf3", "gauss4", "linearly-implicit", "half-explicit", "rattlie"
)  # fmt: skip
FIRST_USE = {"rk4": 10.0, **dict.fromkeys(IMPLICIT, 10.0), "chasles warm": 60.0}
RUN = """
import chasles as ch
from chasles.studies.gallery import double_pendulum
ch.simulate(double_pendulum(), 0.01, 1e-3, progress=False, method="{method}")
"""


def model_of(row: str) -> Any:
    """The model of a row, without the spaces after its comma."""
    from loops import net, tower
    from redundancy import ladder

    from chasles.studies import gallery

    return {
        "heavy top": gallery.heavy_top,
        "double pendulum": gallery.double_pendulum,
        "3-bar": gallery.three_bar,
        "chain of 4": partial(gallery.chain, 4),
        "chain of 64": partial(gallery.chain, 64),
        "chain of 256": partial(gallery.chain, 256),
        "straight chain of 1024": partial(straight_chain, 1024),
        "star of 24": partial(gallery.star, 24),
        "tower of 50": partial(tower, 50),
        "ladder of 25": partial(ladder, 25, redundant=True),
        "net of 5 x 5": partial(net, 5),
        "tree of 20": partial(gallery.random_tree, 1, bodies=20),
    }[row.split(",")[0]]()


def straight_chain(count: int) -> Any:
    """Equal rods that hang straight on hinges; a push at the last one fades from link to link."""
    import chasles as ch

    rods = [
        ch.Body.rod(f"rod {k}", 0.1, 0.1, position=(0, 0, -0.1 * k - 0.05), axis="z")
        for k in range(count)
    ]
    joints = [
        ch.Revolute(f"hinge {k}", above, rod, at=(0, 0, -0.1 * k), axis="y")
        for k, (above, rod) in enumerate(zip((ch.GROUND, *rods), rods))
    ]
    return ch.Model(rods, joints, [ch.Load("push", rods[-1], force=(0.3, 0, 0))])


# --- in a process of one tree ---------------------------------------------------------------------


def serve() -> None:
    """Answer a row's name with the microseconds of a step; before that, say which tree this is."""
    import chasles as ch

    warnings.simplefilter("ignore")  # a speed is measured, not a motion
    simulations: dict[str, Any] = {}
    print(json.dumps(str(Path(ch.__file__).parent.parent)), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in simulations:
            simulations[name] = simulation(name)
        print(json.dumps(1e6 * seconds_of_a_step(simulations[name], ROWS[name][2])), flush=True)


def simulation(row: str) -> Any:
    """A run that is driven by hand, so that steps are timed without set-up; nothing is kept."""
    import chasles as ch

    made = ch.Simulation(model_of(row), STEP, spaces=ROWS[row][1], save_every=0)
    made.step()
    if (kernel := made.result().provenance["kernel"]) != "generic":
        raise RuntimeError(f"'{row}' takes its steps by the {kernel} kernel")
    return made


def seconds_of_a_step(simulation: Any, steps: int) -> float:
    """Of the processor, from the start."""
    simulation.reset()
    began = time.process_time()
    simulation.step(steps=steps)
    return (time.process_time() - began) / steps


# --- in the process that compares -----------------------------------------------------------------


def environment(tree: Path, **more: str) -> dict[str, str]:
    return {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(tree), **more}


@contextmanager
def started(trees: dict[str, Path]) -> Iterator[dict[str, Any]]:
    """A process for each tree, which has said that it really imports it."""
    processes: dict[str, Any] = {}
    try:
        for name, tree in trees.items():
            processes[name] = subprocess.Popen(
                [sys.executable, str(HERE / "beside.py"), "--serve"], env=environment(tree),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            found = answer(processes[name])
            if Path(found) != tree:
                raise RuntimeError(f"{tree} was asked for, {found} was imported")
        yield processes
    finally:
        for process in processes.values():
            process.stdin.close()
            process.wait()


def answer(process: Any, question: str | None = None) -> Any:
    if question is not None:
        process.stdin.write(question + "\n")
        process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"the process ended at '{question}': its error is above")
    return json.loads(line)


def microseconds(trees: dict[str, Path], rows: list[str], rounds: int) -> dict[str, list[float]]:
    """Of a step, in both trees."""
    with started(trees) as processes:  # compiles: kernels are measured as they come from the cache
        for row in rows:
            for process in processes.values():
                answer(process, row)
    best = {row: dict.fromkeys(trees, inf) for row in rows}
    with started(trees) as processes:
        for lap in range(rounds + 1):
            for row in rows:
                for name in list(trees)[:: 1 if lap % 2 else -1]:  # each is first as often
                    found = answer(processes[name], row)
                    if lap:
                        best[row][name] = min(best[row][name], found)
    return {row: list(found.values()) for row, found in best.items()}


def first_use(tree: Path) -> dict[str, float]:
    """CPU seconds with an empty cache, less those of the same with a full one."""

    def spent(code: list[str], cache: str) -> float:
        before = sum(os.times()[2:4])
        chosen = environment(tree, CHASLES_CACHE_DIR=cache)
        subprocess.run([sys.executable, *code], env=chosen, check=True, capture_output=True)
        return sum(os.times()[2:4]) - before

    def on_top(method: str, cache: str) -> float:
        code = ["-c", RUN.format(method=method)]
        return spent(code, cache) - spent(code, cache)

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        found["rk4"] = on_top("rk4", f"{folder}/rk4")
        for method in IMPLICIT:
            shutil.copytree(f"{folder}/rk4", f"{folder}/{method}")
            found[method] = on_top(method, f"{folder}/{method}")
        found["chasles warm"] = spent(["-m", "chasles", "warm"], f"{folder}/all")
    return found


def compared(
    found: dict[str, list[float]], limits: dict[str, float], ratios: bool
) -> list[tuple[str, ...]]:
    """Lines of a table: old, new, ratio, limit (of the ratio, or of the new one), verdict."""
    lines = []
    for what, (old, new) in found.items():
        ratio, limit = new / old, limits[what]
        met = (ratio if ratios else new) <= limit
        verdict = "pass" if met else "FAIL"
        lines.append((what, rounded(old), rounded(new), rounded(ratio), rounded(limit), verdict))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--old", type=Path, help="the src folder to compare with")
    parser.add_argument("--new", type=Path, default=HERE.parent / "src", help="by default this one")
    parser.add_argument("--only", action="append", default=[], help="rows whose name has this")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--first-use", action="store_true", help="CPU-s with an empty cache, too")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a limit is missed")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    if options.old is None:
        parser.error("--old is needed: the src folder of another copy of the package")
    if hasattr(os, "sched_setaffinity"):  # one core, for child processes too
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    trees = {"old": options.old.resolve(), "new": options.new.resolve()}
    rows = [row for row in ROWS if not options.only or any(part in row for part in options.only)]
    limits = {row: LIMITS[ROWS[row][0]] for row in rows}
    lines = compared(microseconds(trees, rows, options.rounds), limits, ratios=True)
    print(aligned_table(("us / step", "old", "new", "ratio", "limit", ""), lines, ">1>2>3>4"))
    if options.first_use:
        both = [first_use(tree) for tree in trees.values()]
        found = {what: [one[what] for one in both] for what in FIRST_USE}
        lines += (more := compared(found, FIRST_USE, ratios=False))
        head = ("CPU-s, empty cache", "old", "new", "ratio", "limit", "")
        print("\n" + aligned_table(head, more, ">1>2>3>4"))
    return int(options.strict and any(line[-1] == "FAIL" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
