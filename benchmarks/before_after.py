"""Compare this package with an older copy of itself, on one core, in processor seconds.

    python benchmarks/before_after.py                    this package alone, beside its targets
    python benchmarks/before_after.py --before FOLDER    and beside the package in FOLDER/src

Processes of both take turns, and the best of several rounds counts.  Steps are timed by the
difference between a long run and a run of one step, so that set-up is not among them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from findings import rounded, table

HERE = Path(__file__).parent
ROUNDS, REPEATS = 3, 5
#: What may be measured, at the most: a multiple of what it was before, ...
RATIOS = {"us/step": 1.03, "set-up": 0.5}
#: ... or a figure.
LIMITS = {
    "one step of the heavy top, warm (ms)": 0.7,
    "import (s)": 0.4,
    "first plain run, empty cache (CPU-s)": 10.0,
    "all kernels, empty cache (CPU-s)": 25.0,
}
FIRST_RUN = """
import chasles as ch
from chasles.paper.examples import heavy_top
ch.simulate(heavy_top(), until=1.0, step=1e-3, progress=False)
"""


def cpu_seconds(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def measure() -> dict[str, float]:
    """Steps and set-up, in this process."""
    import models
    import redundancy

    import chasles as ch
    from chasles.paper import examples

    found: dict[str, float] = {}

    def run(model: Any, steps: int, step: float, **options: Any) -> float:
        return cpu_seconds(
            lambda: ch.simulate(
                model, until=steps * step, step=step, save_every=steps, progress=False, **options
            )
        )

    def steps_of(name: str, model: Any, steps: int, step: float = 1e-3, **options: Any) -> float:
        run(model, 1, step, **options)
        one = min(run(model, 1, step, **options) for _ in range(REPEATS))
        many = min(run(model, steps, step, **options) for _ in range(REPEATS))
        found[f"{name} (us/step)"] = 1e6 * (many - one) / (steps - 1)
        return one

    steps_of("heavy top", examples.heavy_top(), 20_000)
    steps_of("double pendulum", examples.double_pendulum(), 10_000)
    steps_of("3-bar", examples.three_bar(), 8_000)
    steps_of("3-bar, projected", examples.three_bar(), 5_000, stabilise="projection")
    steps_of("chain of 16 balls", models.spherical_chain(16), 1_500)
    steps_of("chain of 16 hinges", models.revolute_chain(16), 1_000)
    steps_of("chain of 256 balls", models.spherical_chain(256), 80)
    steps_of("ladder of 25, redundant", redundancy.ladder(25, True), 200, 1e-5)
    steps_of("ladder of 25, independent", redundancy.ladder(25, False), 200, 1e-5)
    top = examples.heavy_top()
    found["one step of the heavy top, warm (ms)"] = 1e3 * min(run(top, 1, 1e-3) for _ in range(50))
    long = models.spherical_chain(4096)
    run(long, 1, 1e-3)
    found["set-up of a chain of 4096 (s)"] = min(run(long, 1, 1e-3) for _ in range(3))
    return found


def child(code: list[str], root: Path, cache: str | None = None) -> tuple[float, str]:
    """Processor seconds and output of a process that sees the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    if cache is not None:
        environment["CHASLES_CACHE_DIR"] = cache
    before = sum(os.times()[2:4])
    done = subprocess.run(
        [sys.executable, *code], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return sum(os.times()[2:4]) - before, done.stdout


def compiling(root: Path) -> dict[str, float]:
    """What an empty cache costs; older packages cannot compile all kernels ahead."""
    found = {}
    with tempfile.TemporaryDirectory() as cache:
        seconds, _ = child(["-c", FIRST_RUN], root, cache)
        again, _ = child(["-c", FIRST_RUN], root, cache)
        found["first plain run, empty cache (CPU-s)"] = seconds - again
    with tempfile.TemporaryDirectory() as cache:
        try:
            seconds, _ = child(["-m", "chasles", "warm"], root, cache)
            found["all kernels, empty cache (CPU-s)"] = seconds
        except RuntimeError:
            pass
    return found


def figures(roots: dict[str, Path], compile_too: bool) -> dict[str, dict[str, float]]:
    """The best of all rounds, the packages in turn; kernels are compiled before the first."""
    best: dict[str, dict[str, float]] = {name: {} for name in roots}
    with tempfile.TemporaryDirectory() as folder:
        for lap in range(ROUNDS + 1):
            for name, root in roots.items():
                cache = str(Path(folder) / name)
                _, output = child([str(HERE / "before_after.py"), "--measure"], root, cache)
                found = json.loads(output.splitlines()[-1])
                found["import (s)"] = child(["-c", "import chasles"], root, cache)[0]
                found["import (s)"] -= child(["-c", "pass"], root)[0]
                if lap:
                    for what, value in found.items():
                        best[name][what] = min(value, best[name].get(what, value))
    if compile_too:
        for name, root in roots.items():
            best[name] |= compiling(root)
    return best


def rows_of(best: dict[str, dict[str, float]]) -> list[tuple[str, ...]]:
    """One line per figure: before, after, their ratio, and what is asked for."""
    before, after = best.get("before", {}), best["after"]
    rows = []
    for what, value in after.items():
        was = before.get(what)
        ratio = value / was if was else None
        share = next((limit for word, limit in RATIOS.items() if word in what), None)
        wanted = f"<= {LIMITS[what]:g}" if what in LIMITS else f"<= {share:g} x" if share else ""
        met = value <= LIMITS[what] if what in LIMITS else ratio is None or ratio <= (share or 9e9)
        verdict = "" if not wanted or (what not in LIMITS and ratio is None) else "pass"
        rows.append(
            (what, rounded(was), rounded(value), rounded(ratio), wanted, verdict if met else "FAIL")
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="the folder of an older copy")
    parser.add_argument("--no-compile", action="store_true", help="leave the empty cache out")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure()))
        return 0
    if hasattr(os, "sched_setaffinity"):  # one core, for child processes too
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    roots = {"before": options.before.resolve()} if options.before else {}
    best = figures(roots | {"after": HERE.parent}, not options.no_compile)
    heads = ("figure", "before", "after", "ratio", "target", "verdict")
    print(table(heads, rows_of(best), ">1>2>3"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
