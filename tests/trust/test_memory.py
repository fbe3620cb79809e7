"""A trajectory that memory does not hold is refused before a step is taken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
SCRIPT = """
import resource
import chasles as ch

model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
ch.simulate(model, 0.01, 1e-3)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + 2**28
resource.setrlimit(resource.RLIMIT_AS, (room, room))
try:
    ch.simulate(model, 2000.0, 1e-3)  # 0.7 GiB
except ch.InvalidOption as refused:
    print(refused)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux for its memory")
def test_what_the_system_does_not_lend_is_refused_by_name():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", SCRIPT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "GiB" in run.stdout and "save_every=2" in run.stdout
