"""A progress bar never costs a run."""

from pathlib import Path

import pytest
from fresh import run_script
from test_startup import SOURCE, STDERR

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
    run = run_script(STDERR[kind] + RUNS, path=[SOURCE])
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
