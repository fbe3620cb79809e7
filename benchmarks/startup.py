"""How long a user waits before the first result: whole processes, as a shell would time them."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

IMPORT = "import chasles"
HEAVY_TOP = """
import chasles as ch
from math import pi
top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
                  angular_velocity=(0, 20 * pi, 10 * pi))
model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))], gravity=(0, 0, 0))
result = ch.simulate(model, until=1.0, step=1e-3)
assert result.violation("pivot").max() < 1e-3
"""
#: Microseconds per step in a process that has run the above, the best of ten runs.
STEPS_AFTERWARDS = """
runs = (ch.simulate(model, until=2.0, step=1e-3, save_every=2000).provenance for _ in range(10))
print(min(run["seconds_in_steps"] / run["steps"] for run in runs) * 1e6)
"""


@dataclass(frozen=True)
class Process:
    """What a fresh interpreter did."""

    seconds: float
    output: str
    errors: str


@dataclass(frozen=True)
class StartUp:
    seconds: dict[str, float]
    step_where_compiled: float  # microseconds, in the process that compiled
    step_from_cache: float  # microseconds, in a process that loaded the same code
    silent_compilations: int  # not announced on stderr: 0 or 1


def fill_cache() -> None:
    """Compile in a process of its own, so that all timed code is loaded; see the README."""
    process(HEAVY_TOP, os.environ.get("CHASLES_CACHE_DIR"))


def measure(rounds: int) -> StartUp:
    with tempfile.TemporaryDirectory(prefix="chasles-bench-") as cache:
        cold = process(HEAVY_TOP + STEPS_AFTERWARDS, cache)  # fills the cache for the warm ones
        warm = process(HEAVY_TOP + STEPS_AFTERWARDS, cache)
        seconds = {
            "import": min(process(IMPORT, cache).seconds for _ in range(rounds)),
            "heavy top, warm cache": min(process(HEAVY_TOP, cache).seconds for _ in range(rounds)),
            "heavy top, first-ever compile": cold.seconds,
        }
    silent = 0 if cold.errors.strip() else 1
    return StartUp(seconds, float(cold.output), float(warm.output), silent)


def process(code: str, cache: str | None) -> Process:
    """Run the code in a fresh interpreter; wall time, interpreter included."""
    environment = dict(os.environ)
    if cache:
        environment["CHASLES_CACHE_DIR"] = cache
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"the timed process failed:\n{done.stderr}")
    return Process(seconds, done.stdout, done.stderr)
