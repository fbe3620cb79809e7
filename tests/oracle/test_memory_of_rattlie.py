"""A run frees what it was lent: glibc checks every block of memory of a run of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKED = "libc_malloc_debug.so.0"
RUN = """
import gc
import chasles as ch

bar, free = (ch.Body.box(n, (0.3, 0.2, 0.1), mass=1.0, position=(x, 0.2, 0.3))
             for n, x in (("bar", 0.1), ("free", 0.5)))
cross = ch.Universal("cross", bar, ch.GROUND, at=(0.2, 0, 0), axis="x", axis_b="y")
for _ in range(3):
    run = ch.simulate(ch.Model([bar, free], [cross]), 0.05, 5e-3, method={method!r})
    del run
    gc.collect()
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not any(Path(folder, CHECKED).exists() for folder in ("/lib/x86_64-linux-gnu", "/usr/lib64")),
    reason="glibc's checks of its heap are not here",
)
@pytest.mark.parametrize("method", ["generalized-alpha", "rattlie4"])
def test_no_run_writes_outside_of_its_arrays(method):
    checks = {"LD_PRELOAD": CHECKED, "GLIBC_TUNABLES": "glibc.malloc.check=3"}
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(method=method)],
        env={**os.environ, **checks},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
