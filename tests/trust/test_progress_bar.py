"""A progress bar never costs a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
STDERR = {
    "none": "import sys; sys.stderr = None",
    "closed": "import sys; sys.stderr.close()",
    "closed below": "import os; os.close(2)",
    "a broken pipe": "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 2)",
    "full": "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 2)",
    "ASCII": "import sys; sys.stderr.reconfigure(encoding='ascii', errors='strict')",
}
RUNS = """
import chasles as ch
from chasles.run import loop

loop.BAR_DELAY, loop.CHUNK_SECONDS = 0.0, 1e-4
model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
for progress in (None, True, False):
    ch.simulate(model, 1.0, 1e-3, progress=progress)
    ch.simulate(model, 0.01, 1e-3, progress=progress, t_eval=[0.001, 0.0055])
print("done")
"""


@pytest.mark.parametrize("kind", STDERR)
def test_a_bar_never_costs_a_run(kind):
    if kind == "full" and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-c", STDERR[kind] + RUNS], env=environment, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
