"""Random mutants: 40 places of the package are broken, one at a time, and tests look for each.

Every mutant is a copy of the package with one place broken (see `mutations`), in a process of its
own.  Test files are tried until one fails, those first that name what was broken, small files
before large ones.  A file that fails has to pass on the unbroken package.  Kernels that a mutant
changes are compiled anew, into a cache of their own.  `make mutants SEED=7 COUNT=40` prints the
table; a mutant that survives is a test that is missing, or one that changes nothing.
"""

import argparse
import compileall
import os
import queue
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mutations import Place, places_of, short

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "chasles"
FOLDERS = ("core", "integrators", "io", "many", "run")
#: Folders or files of tests, by the longest beginning of a module's path.
TESTS = {
    "core": ("dynamics", "oracle", "exactness"),
    "core/blocks": ("dynamics", "integrators/test_newton.py"),
    "core/constraints": ("joints", "dynamics", "oracle"),
    "core/forces": ("forces", "oracle"),
    "core/newton": ("integrators", "oracle"),
    "core/recursion": ("recursion", "dynamics", "oracle"),
    "core/signals.py": ("drivers", "model/test_signals.py"),
    "core/tangent_stiffness": ("analysis", "integrators/test_linearly_implicit.py", "integrators"),
    "core/stabilisation": ("exactness",),
    "integrators": ("integrators", "oracle", "exactness"),
    "io": ("io",),
    "io/mjcf": ("io", "control/test_actuators_of_robots.py"),
    "io/netcdf.py": ("io", "result", "control/test_recordings.py"),
    "io/segments.py": ("control/test_recordings.py", "io"),
    "io/sweep_files.py": ("sweeps", "cli"),
    "many": ("traced", "gradients"),
    "many/gradients": ("traced/test_gradient.py", "gradients", "traced"),
    "many/sweeps": ("sweeps",),
    "many/ensembles": ("traced/test_ensemble.py", "traced"),
    "run": ("simulate", "control", "result", "trust", "integrators"),
    "run/accuracy.py": ("integrators/test_accuracy.py", "integrators/test_coverage_of_accuracy.py"),
    "run/control.py": ("control",),
    "run/events.py": ("integrators/test_events.py", "integrators/test_events_of_equal_steps.py"),
    "run/impacts.py": ("integrators/test_impacts.py", "forces/test_contact.py"),
    "run/scipy_pace.py": ("integrators/test_scipy_route.py",),
    "run/simulation.py": ("control/test_stepping.py", "simulate"),
    "run/tolerance_pace.py": ("integrators/test_adaptive.py", "integrators"),
    "run/recorded.py": ("control", "io/test_forged_files.py"),
    "run/recording.py": ("control",),
}
#: Seconds in which tests may look for one mutant, and seconds after which one test is taken for one
#: without an end, if it passes in half of that without the mutant.
PATIENCE, QUIET = 600.0, 200.0


#: A line of `pytest -v`: a test, and how it ended.
TEST = re.compile(
    r"^(tests/\S+?::.+?) (?:(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)[^\n]*)?$", re.MULTILINE
)
#: Files of the first process; those after them are collected only for mutants that pass these.
FIRST = 6


class Site(NamedTuple):
    file: str
    place: Place

    def __str__(self) -> str:
        return f"{self.file}:{self.place.line}"


class Outcome(NamedTuple):
    """How many files were begun, and the first test that failed or did not end."""

    files: int
    test: str = ""
    hangs: bool = False


@cache
def sites(folder: str) -> tuple[Site, ...]:
    """All places of a folder, or of a file, of the package."""
    path = PACKAGE / folder
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return tuple(
        Site(path.relative_to(PACKAGE).as_posix(), place)
        for path in files
        for place in places_of(path.read_text("utf-8"))
    )


def sample(count: int, seed: int, folders: tuple[str, ...] = FOLDERS) -> list[Site]:
    """So many places, from the folders in turn; every line of a folder is drawn once at most."""
    source = random.Random(seed)
    drawn = []
    for folder in folders:
        by_line: dict[str, list[Site]] = {}
        for site in sites(folder):
            by_line.setdefault(str(site), []).append(site)
        lines = source.sample(sorted(by_line), min(len(by_line), -(-count // len(folders))))
        drawn.append([source.choice(by_line[line]) for line in lines])
    turns = [site for several in zip(*drawn) for site in several]
    return turns[:count]


def chosen_files(file: str, within: str) -> list[Path]:
    """Test files that may notice, in the order in which they are tried."""
    beginning = max((key for key in TESTS if file.startswith(key)), key=len)
    mapped: list[Path] = []
    for name in TESTS[beginning]:
        path = HERE / name
        found = [path] if path.suffix else sorted(path.glob("test_*.py"), key=size_of)
        mapped += [test for test in found if test not in mapped]
    module = file.removesuffix(".py").replace("/", ".")
    named = {f"chasles.{module}", within.split(".")[-1].strip("_")}
    own = f"test_{Path(file).stem}"
    scores = {
        test: 3 * (test.stem == own) + len(named & words_of(test))
        for test in HERE.rglob("test_*.py")
    }
    first = [test for test in scores if scores[test]]
    first.sort(key=lambda test: (-scores[test], test not in mapped, size_of(test)))
    return list(dict.fromkeys([*first, *mapped]))


@cache
def words_of(test: Path) -> frozenset[str]:
    """Modules and names that a file speaks of; short words may mean anything."""
    return frozenset(re.findall(r"\w[\w.]{4,}", test.read_text("utf-8")))


def size_of(path: Path) -> int:
    return path.stat().st_size


class Bench:
    """A copy of the package in which one place is broken at a time, and one that stays whole."""

    def __init__(self, folder: Path, kernels: Path, patience: float) -> None:
        self.patience, self.kernels = patience, kernels
        self.whole, self.broken = folder / "whole", folder / "broken"
        for copy in (self.whole, self.broken):
            shutil.copytree(PACKAGE, copy / "chasles")
            compileall.compile_dir(copy, quiet=2)

    def put(self, site: Site, source: bytes) -> None:
        path = self.broken / "chasles" / site.file
        path.write_bytes(source)
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            stale.unlink()

    def tried(self, tests: list[str], package: Path, limit: float) -> Outcome:
        """What the tests say of a package: one process for all files, up to the first failure."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(package), str(HERE))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "CHASLES_CACHE_DIR": str(self.kernels),
        }
        command = [sys.executable, "-m", "pytest", "-v", "-x", "--tb=no", "--durations=0"]
        process = subprocess.Popen(
            [*command, "-p", "no:cacheprovider", "-p", "no:xdist", *tests], env=environment,
            cwd=HERE.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        said, ended = listen(process, limit)
        begun = TEST.findall(said)
        files = len({test.split("::")[0] for test, _ in begun})
        wrong = [test for test, how in begun if how in ("FAILED", "ERROR")]
        if ended == "quiet" and begun:
            return Outcome(files, begun[-1][0], True)
        if ended or process.returncode in (0, 5):  # time is over; all passed; none was wanted
            return Outcome(files)
        return Outcome(files, wrong[0] if wrong else "it does not start")

    def noticed(self, site: Site) -> str:
        """Which test notices a mutant, or SURVIVED."""
        source = (self.whole / "chasles" / site.file).read_bytes()
        files = [str(test) for test in chosen_files(site.file, site.place.within)]
        began, count = time.monotonic(), 0
        self.put(site, site.place.broken(source))
        try:
            while files and (left := self.patience - (time.monotonic() - began)) > 0.0:
                batch = files[: FIRST if count < FIRST else None]
                outcome = self.tried(batch, self.broken, left)
                count += outcome.files
                if outcome.test and self.is_fair(outcome):
                    return f"{'no end: ' * outcome.hangs}{outcome.test}"
                # After a file that fails anyway, which says nothing, come those behind it.
                files = files[outcome.files if outcome.test else len(batch) :]
        finally:
            self.put(site, source)
        return f"SURVIVED {count} files"

    def is_fair(self, outcome: Outcome) -> bool:
        """Whether the test passes without the mutant, and far sooner if it came to no end."""
        if "::" not in outcome.test:
            return True
        limit = 0.5 * QUIET if outcome.hangs else self.patience
        unbroken = self.tried([outcome.test], self.whole, limit)
        return not unbroken.test and unbroken.files > 0


def listen(process: subprocess.Popen[bytes], limit: float) -> tuple[str, str]:
    """What a process says until it ends, is quiet for too long, or its time is over; and which."""
    assert process.stdout is not None
    said, end, ended = b"", time.monotonic() + limit, ""
    while True:
        wait = min(QUIET, max(0.0, end - time.monotonic()))
        if not select.select([process.stdout], [], [], wait)[0]:
            ended = "over" if time.monotonic() >= end else "quiet"
            os.killpg(process.pid, 9)  # with what it has started: a session of its own
        part = os.read(process.stdout.fileno(), 2**16)
        said += part
        if not part or ended:
            break
    process.wait()
    process.stdout.close()
    return said.decode(errors="replace"), ended


def cache_folder() -> Path:
    from chasles.compiled.cache import cache_root

    return cache_root() or Path("/nowhere")


def linked_kernels(folder: Path) -> Path:
    """Links to the kernels that are there: those of mutants go beside them, and are lost."""
    folder.mkdir(mode=0o700)
    for kernel in cache_folder().glob("*.kernel"):
        with suppress(OSError):
            os.link(kernel, folder / kernel.name)
    return folder


def report(drawn: list[Site], jobs: int, patience: float) -> int:
    """Print a line for each mutant as it is done, several at a time; how many survived."""
    benches: queue.SimpleQueue[Bench] = queue.SimpleQueue()

    def line(site: Site) -> str:
        bench, began = benches.get(), time.monotonic()
        try:
            noticed = bench.noticed(site)
        finally:
            benches.put(bench)
        seconds = time.monotonic() - began
        print(f"{shown(site)} {noticed} ({seconds:.0f} s)", flush=True)
        return noticed

    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(jobs) as pool:
        kernels = linked_kernels(Path(name) / "kernels")
        for job in range(jobs):
            benches.put(Bench(Path(name) / str(job), kernels, patience))
        return sum(noticed.startswith("SURVIVED") for noticed in pool.map(line, drawn))


def shown(site: Site) -> str:
    return f"{site!s:38} {short(site.place.what, 58):58}"


def main(arguments: list[str]) -> int:
    """Print the table; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description="Break random places of the package.")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="or files, of the package")
    parser.add_argument("--seconds", type=float, default=PATIENCE, help="for each of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--skip", type=int, default=0, help="that were tried before")
    parser.add_argument("--list", action="store_true", help="the sample alone")
    options = parser.parse_args(arguments)
    drawn = sample(options.count, options.seed, tuple(options.folders))[options.skip :]
    print(f"{len(drawn)} random mutants, seed {options.seed}", flush=True)
    if options.list:
        print(*map(shown, drawn), sep="\n")
        return 0
    survived = report(drawn, options.jobs, options.seconds)
    print(f"{len(drawn)} random mutants, {survived} survived; seed {options.seed}")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
