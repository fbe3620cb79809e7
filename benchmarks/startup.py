"""How long a user waits before the first result, and before the steps of every later one.

Each figure is the CPU time of a fresh interpreter, or of calls in one, the best of some repeats:

    import          `import chasles`, from bytecode
    first run       of the heavy top, with an empty cache: all that it compiles
    one step        a run of one step of the heavy top, in a process that has made some
    set-up          of a chain of 4096 bodies: a run of one step less the step

    python benchmarks/startup.py
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

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
#: CPU seconds of a call.
CLOCK = """
import time
def cpu(call):
    began = time.process_time()
    call()
    return time.process_time() - began
"""
TIMED_IMPORT = "import time\nbegan = time.process_time()\nimport chasles\n"
TIMED_IMPORT += "print(time.process_time() - began)\n"
FIRST_RUN = f"import time\nbegan = time.process_time()\n{HEAVY_TOP}"
FIRST_RUN += "print(time.process_time() - began)\n"
ONE_STEP = f"""{CLOCK}{HEAVY_TOP}
def one():
    for _ in range(100):
        ch.simulate(model, until=1e-3, step=1e-3, progress=False)
one()
one()
print(min(cpu(one) for _ in range(20)) / 100)
"""
CHAIN = f"""{CLOCK}
import models
import chasles as ch
def run(model, steps):
    return lambda: ch.simulate(model, until=steps * 1e-3, step=1e-3, progress=False, save_every=100)
def best(steps):  # a model that was run before has its set-up behind it
    return min(cpu(run(models.spherical_chain(4096), steps)) for _ in range(4))
one, many = best(1), best(21)
print(one - (many - one) / 20)
"""
#: CPU seconds that may be taken; a chain of 4096 was set up in 0.44 s before arrays were kept.
LIMITS = {"import": 0.4, "first run": 10.0, "one step": 0.7e-3, "set-up": 0.22}
REPEATS = {"import": 5, "first run": 2, "one step": 2, "set-up": 2}
CODE = {"import": TIMED_IMPORT, "first run": FIRST_RUN, "one step": ONE_STEP, "set-up": CHAIN}


#: Seconds that may pass without a word; recorded steps are compiled in less.
LONG_WAIT = 3.0


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
    waited = cold.seconds - seconds["heavy top, warm cache"]
    silent = 0 if cold.errors.strip() or waited < LONG_WAIT else 1
    return StartUp(seconds, float(cold.output), float(warm.output), silent)


def cpu_seconds() -> dict[str, float]:
    """The four figures."""
    with tempfile.TemporaryDirectory(prefix="chasles-bench-") as folder:
        # Compiled ahead as `chasles warm` does; only first runs have a cache of their own each.
        process(
            "from chasles.cli.warming import warm; warm(lambda line: None)",
            f"{folder}/warm",
            folder,
        )
        found = {}
        for what, code in CODE.items():
            times = []
            for repeat in range(REPEATS[what]):
                cache = f"{folder}/cold {repeat}" if what == "first run" else f"{folder}/warm"
                times.append(float(process(code, cache, folder).output))
            found[what] = min(times)
    return found


def process(code: str, cache: str | None, bytecode: str | None = None) -> Process:
    """Run the code in a fresh interpreter; its CPU time, the start of the interpreter included."""
    environment = dict(os.environ)
    if cache:
        environment["CHASLES_CACHE_DIR"] = cache
    if bytecode:
        environment |= {
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": f"{bytecode}/bytecode",
        }
    began = sum(os.times()[2:4])  # of children
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False,
        cwd=Path(__file__).parent,
    )  # fmt: skip
    seconds = sum(os.times()[2:4]) - began
    if done.returncode:
        raise RuntimeError(f"the timed process failed:\n{done.stderr}")
    return Process(seconds, done.stdout, done.stderr)


def main() -> int:
    """Print the figures with their limits; 1 if one is missed."""
    found = cpu_seconds()
    for what, seconds in found.items():
        verdict = "" if seconds <= LIMITS[what] else "  MISSED"
        print(f"{what:10s} {1e3 * seconds:10.2f} ms of {1e3 * LIMITS[what]:8.1f} ms{verdict}")
    return int(any(seconds > LIMITS[what] for what, seconds in found.items()))


if __name__ == "__main__":
    sys.exit(main())
