"""Random mutants: 40 places of the package are broken, one at a time, and tests look for each.

Every mutant is a copy of the package with one place broken (see `mutations`), in a process of its
own.  Test files are tried until one fails, those first that name what was broken, small files
before large ones.  A file that fails has to pass on the unbroken package.  Kernels that a mutant
changes are compiled anew, into a cache of their own.  `make mutants SEED=7 COUNT=40` prints the
table; a mutant that survives is a test that is missing, or one that changes nothing.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
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
    "run/recorded.py": ("control/test_recordings.py", "io/test_forged_files.py"),
    "run/recording.py": ("control/test_recordings.py",),
}
#: Seconds in which tests may look for one mutant, and seconds of one file, which is taken for one
#: without an end if it passes in half of that without the mutant.
PATIENCE, LONGEST = 600.0, 240.0


class Site(NamedTuple):
    file: str
    place: Place

    def __str__(self) -> str:
        return f"{self.file}:{self.place.line}"


@cache
def sites(folder: str) -> tuple[Site, ...]:
    """All places of a folder of the package."""
    files = sorted(path for path in (PACKAGE / folder).rglob("*.py"))
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
    scores = {test: len(named & words_of(test)) for test in HERE.rglob("test_*.py")}
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
    """A copy of the package and of its kernels, in which one place is broken at a time."""

    def __init__(self, folder: Path, patience: float) -> None:
        self.patience = patience
        self.whole, self.broken = folder / "whole", folder / "broken"
        for copy in (self.whole, self.broken):
            shutil.copytree(PACKAGE, copy / "chasles")
        self.kernels = folder / "kernels"
        self.kernels.mkdir(mode=0o700)
        for kernel in cache_folder().glob(
            "*.kernel"
        ):  # links: what is compiled is not ours to lose
            with suppress(OSError):
                os.link(kernel, self.kernels / kernel.name)

    def put(self, site: Site, source: bytes) -> None:
        path = self.broken / "chasles" / site.file
        path.write_bytes(source)
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            stale.unlink()

    def tried(self, test: Path, package: Path, limit: float) -> tuple[str, float]:
        """How the first test of a file failed, nothing if all pass; and seconds."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(package), str(HERE))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CHASLES_CACHE_DIR": str(self.kernels),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "--durations=0"]
        began = time.monotonic()
        process = subprocess.Popen(
            [*command, "-p", "no:cacheprovider", str(test)], env=environment, cwd=HERE.parent,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            said = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # with what it has started: a session of its own
            process.communicate()
            return "no end", time.monotonic() - began
        seconds = time.monotonic() - began
        if process.returncode in (0, 5):  # all passed; none was wanted
            return "", seconds
        failed = re.search(r"^(?:FAILED|ERROR) \S*?::([^\s\[]+)", said, re.MULTILINE)
        return failed[1] if failed else "it does not start", seconds

    @cache  # noqa: B019  # one bench for a whole run
    def unbroken(self, test: Path) -> tuple[str, float]:
        return self.tried(test, self.whole, self.patience)

    def noticed(self, site: Site) -> str:
        """Which test notices a mutant, or SURVIVED."""
        source = (self.whole / "chasles" / site.file).read_bytes()
        began, count = time.monotonic(), 0
        self.put(site, site.place.broken(source))
        try:
            for test in chosen_files(site.file, site.place.within):
                left = self.patience - (time.monotonic() - began)
                if left <= 0.0:
                    break
                failed, seconds = self.tried(test, self.broken, min(left, LONGEST))
                count += 1
                if failed and self.is_fair(test, failed, seconds):
                    return f"{test.relative_to(HERE).as_posix()}: {failed}"
        finally:
            self.put(site, source)
        return f"SURVIVED {count} files"

    def is_fair(self, test: Path, failed: str, seconds: float) -> bool:
        """Whether a file passes without the mutant, and far sooner if it came to no end."""
        found, before = self.unbroken(test)
        return not found and (failed != "no end" or before < 0.5 * seconds)


def cache_folder() -> Path:
    from chasles.compiled.cache import cache_root

    return cache_root() or Path("/nowhere")


def main(arguments: list[str]) -> int:
    """Print the table; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description="Break random places of the package.")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="of the package")
    parser.add_argument("--seconds", type=float, default=PATIENCE, help="for each of them")
    parser.add_argument("--list", action="store_true", help="the sample alone")
    options = parser.parse_args(arguments)
    drawn = sample(options.count, options.seed, tuple(options.folders))
    print(f"{len(drawn)} random mutants, seed {options.seed}", flush=True)
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = None if options.list else Bench(Path(folder), options.seconds)
        for site in drawn:
            head = f"{site!s:38} {short(site.place.what, 58):58}"
            began = time.monotonic()
            told = bench.noticed(site) if bench else ""
            survived += told.startswith("SURVIVED")
            print(
                f"{head} {told} ({time.monotonic() - began:.0f} s)" if bench else head, flush=True
            )
    if not options.list:
        print(f"{len(drawn)} random mutants, {survived} survived; seed {options.seed}")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
