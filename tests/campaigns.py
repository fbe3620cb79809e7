"""Random tests in large numbers, by seed, in batches that can be stopped at any time.

    python tests/campaigns.py NAME [--first BATCH] [--batches N] [--log FILE]

A batch is known by the name and its number: the same numbers give the same models and files.  Each
prints a line, how many were tried, failed and refused (by a ChaslesError, or told in a warning),
and appends it to the log.  What failed is printed with what it takes to repeat it.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / part) for part in (".", "io", "control", "sweeps")]


class Batch(NamedTuple):
    """What became of one batch."""

    tried: int
    failed: list[str]
    refused: int


def each(seeds: range, check: Callable[[int], bool]) -> Batch:
    """A check that says whether something ran, or raises where it is wrong."""
    failed, refused = [], 0
    for seed in seeds:
        try:
            refused += not check(seed)
        except Exception as error:
            failed.append(f"seed {seed}: {type(error).__name__}: {str(error)[:400]}")
    return Batch(len(seeds), failed, refused)


def whole(tried: int, check: Callable[[], int]) -> Batch:
    """A check of many things at once that says how many were refused."""
    try:
        return Batch(tried, [], check())
    except Exception:
        return Batch(tried, [traceback.format_exc()[-3000:]], 0)


def oracle(batch: int) -> Batch:
    """50 random models against the equations of Newton and Euler, two methods each."""
    from oracle.test_motions_against_the_oracle import check_seed

    return each(range(1000 + 50 * batch, 1050 + 50 * batch), check_seed)


def tol(batch: int) -> Batch:
    """20 random motions with `tol`: the asked-for accuracy is met, or it is told."""
    from oracle.test_coverage_of_tol import judged

    runs = {seed: judged(seed) for seed in range(1000 + 20 * batch, 1020 + 20 * batch)}
    ran = [run for run in runs.values() if run is not None]
    for run in ran:
        if not run.known:
            print(f"  estimate below the error: {run}")
    failed = [str(run) for run in ran if not run.met and not run.is_told]
    return Batch(len(runs), failed, len(runs) - len(ran))


def toml(batch: int) -> Batch:
    """10,000 mutated model files."""
    from test_hostile_files import fuzz

    return whole(10_000, lambda: 10_000 - read_soon(*fuzz(10_000, 1000 + batch)))


def robots(batch: int) -> Batch:
    """1,000 mutated robots."""
    from test_robots import fuzzed

    with tempfile.TemporaryDirectory() as folder:
        return whole(1000, lambda: 1000 - read_soon(*fuzzed(1000, 1000 + batch, Path(folder))))


def assets(batch: int) -> Batch:
    """1,000 robots, each with a mutated mesh, picture, included or attached file beside it."""
    from test_robots import fuzzed

    def check() -> int:
        with tempfile.TemporaryDirectory() as folder:
            found = fuzzed(1000, 1000 + batch, Path(folder), "fuzz_assets.py")
        return 1000 - read_soon(*found)

    return whole(1000, check)


def forged(batch: int) -> Batch:
    """100 forged results, recordings, folders of sweeps, sweep files and model files each."""
    from test_forged_files import fuzzed

    def check() -> int:
        with tempfile.TemporaryDirectory() as folder:
            rows = fuzzed(100, 1000 + batch, Path(folder))
        return sum(100 - read_soon(good, slowest) for good, _, slowest in rows)

    return whole(500, check)


def kills(batch: int) -> Batch:
    """20 kills of a recorded run, each gone on with: nothing acknowledged is lost."""
    from test_recordings import RUN, kill_and_go_on, pendulum, same

    import chasles as ch

    def check() -> int:
        expected = ch.simulate(pendulum(), 30.0, **RUN)
        with tempfile.TemporaryDirectory() as folder:
            same(kill_and_go_on(Path(folder) / "run", expected, 20, 1000 + batch), expected)
        return 0

    return whole(20, check)


def read_soon(good: int, slowest: float) -> int:
    assert slowest < 10.0, f"one took {slowest} s"
    return good


CAMPAIGNS = {found.__name__: found for found in (oracle, tol, toml, robots, assets, forged, kills)}


def lines(name: str, batches: range) -> Iterator[str]:
    for number in batches:
        began = time.process_time()
        used = os.times()
        batch = CAMPAIGNS[name](number)
        spent = time.process_time() - began
        spent += sum(os.times()[2:4]) - sum(used[2:4])  # and that of processes of its own
        for text in batch.failed:
            print(text)
        yield (
            f"{name} batch {number}: {batch.tried} tried, {len(batch.failed)} failed, "
            f"{batch.refused} refused, {spent:.1f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=CAMPAIGNS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--batches", type=int, default=1)
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for line in lines(asked.name, range(asked.first, asked.first + asked.batches)):
        print(line, flush=True)
        if asked.log:
            with asked.log.open("a") as log:
                log.write(line + "\n")


if __name__ == "__main__":
    main()
