"""How long a user waits before the first result: whole processes, as a shell would time them."""

import os
import subprocess
import sys
import tempfile
import time

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


def measure(rounds: int) -> tuple[dict[str, float], int]:
    """Seconds by what was started, and how many first-ever compilations were silent (0 or 1)."""
    with tempfile.TemporaryDirectory(prefix="chasles-bench-") as cache:
        cold, announcement = process(HEAVY_TOP, cache)  # fills the cache for the warm ones
        seconds = {
            "import": min(process(IMPORT, cache)[0] for _ in range(rounds)),
            "heavy top, warm cache": min(process(HEAVY_TOP, cache)[0] for _ in range(rounds)),
            "heavy top, first-ever compile": cold,
        }
    return seconds, 0 if announcement.strip() else 1


def process(code: str, cache: str) -> tuple[float, str]:
    """Wall time of a fresh interpreter, and what it wrote to stderr."""
    environment = os.environ | {"CHASLES_CACHE_DIR": cache}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"the timed process failed:\n{done.stderr}")
    return seconds, done.stderr
