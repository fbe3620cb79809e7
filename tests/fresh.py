"""Scripts in processes of their own, forked from one that has the compiler ready.

A new interpreter takes a second to import Numba and to make its first function.  Here that is done
once; the package is imported anew by every script, from the folders that it is given.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

SERVER = """
import atexit, gc, json, os, runpy, sys, threading, traceback
import numba, numpy

@numba.njit
def twice(x):
    return 2.0 * x

twice(1.0)
gc.freeze()  # no page is copied for the sake of a count

def next_script():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return json.loads(line)
        _, status, used = os.wait4(child, 0)
        print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, flush=True)
    sys.exit()

asked = next_script()
del twice
os.environ.clear()
os.environ.update(asked["environment"])
# What an interpreter reads of them when it starts.
sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX") or None
os.chdir(asked["folder"])
sys.path[:0] = asked["environment"].get("PYTHONPATH", "").split(os.pathsep)
sys.argv[:] = asked["command"]
for handle, file in enumerate([os.devnull, asked["stdout"], asked["stderr"]]):
    os.dup2(os.open(file, os.O_RDWR), handle)
code = 0
try:
    runpy.run_path(asked["command"][0], run_name="__main__")
except SystemExit as stop:
    code = stop.code if isinstance(stop.code, int) else stop.code is not None
except BaseException:
    traceback.print_exc()
    code = 1
# As at the end of every script, except that modules are not taken apart: that takes the longest.
threading._shutdown()
atexit._run_exitfuncs()
for stream in (sys.stdout, sys.stderr):
    try:
        if stream is not None and not stream.closed:
            stream.flush()
    except Exception:
        code = 120
os._exit(code)
"""


STARTED: list["Nursery"] = []


class Nursery:
    """A process that waits to be forked."""

    def __init__(self, compiles: bool) -> None:
        self.spent = 0.0  # seconds of CPU of the scripts so far
        self.lock = threading.Lock()
        plain = {} if compiles else {"NUMBA_DISABLE_JIT": "1"}  # read when Numba is imported
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER], env={**os.environ, **plain},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        STARTED.append(self)
        atexit.register(self.close)

    def close(self) -> None:
        self.server.communicate()

    def run(self, command: list[str], environment: dict[str, str], folder: Path):
        with tempfile.TemporaryDirectory() as aside, self.lock:
            out, err = Path(aside, "stdout"), Path(aside, "stderr")
            out.touch()
            err.touch()
            asked = {
                "command": command, "environment": environment, "folder": str(folder),
                "stdout": str(out), "stderr": str(err),
            }  # fmt: skip
            self.server.stdin.write(f"{json.dumps(asked)}\n")
            self.server.stdin.flush()
            code, seconds = self.server.stdout.readline().split()
            self.spent += float(seconds)
            return subprocess.CompletedProcess(command, int(code), out.read_text(), err.read_text())


nursery = cache(Nursery)


def spent() -> float:
    """Seconds of CPU of all scripts so far, which are nobody's children here."""
    return sum(nursery.spent for nursery in STARTED)


def run_script(script: Path | str, *arguments: str, path, folder=None, **environment: str):
    """Its exit code and what it printed; `script` is a file, or text; `path` where imports are."""
    with tempfile.TemporaryDirectory() as aside:
        if isinstance(script, str):
            text, script = script, Path(aside, "script.py")
            script.write_text(text)
        around = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), **environment}
        compiles = "NUMBA_DISABLE_JIT" not in environment
        return nursery(compiles).run([str(script), *arguments], around, folder or Path(aside))
