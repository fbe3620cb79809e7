"""Start-up: what an import costs, what a first compile says, and a cache that cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"


def python(script: Path, cache: Path | str) -> subprocess.CompletedProcess:
    """Run a script in a process of its own, with its own cache of compiled kernels."""
    environment = {**os.environ, "CHASLES_CACHE_DIR": str(cache), "PYTHONPATH": str(SOURCE)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, str(script)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


IMPORT = """
import sys, numpy, numba, tqdm
before = set(sys.modules)
import chasles
own = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(own - set(sys.stdlib_module_names)))
print(*(name for name in sys.modules if name.startswith("scipy.")))
"""


def test_an_import_brings_only_arrays_the_compiler_and_the_progress_bar(tmp_path):
    """Plots, files and sparse matrices are imported where they are used."""
    script = tmp_path / "script.py"
    script.write_text(IMPORT)
    own, scipy = python(script, tmp_path).stdout.splitlines()
    assert set(own.split()) <= {"chasles", "numpy", "numba"}  # parts of what is loaded anyway
    # Numba asks for SciPy's version; its linear algebra and the like must stay asleep.
    heavy = ("linalg", "sparse", "optimize", "spatial", "special", "integrate", "interpolate")
    assert not [name for name in scipy.split() if name.split(".")[1] in heavy]


TIMED = """
import time
began = time.process_time()
import chasles
print(time.process_time() - began)
"""


def test_an_import_takes_less_than_eight_tenths_of_a_second(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TIMED)
    assert min(float(python(script, tmp_path).stdout) for _ in range(3)) < 0.8


KERNEL = """
from chasles.compiled import kernel

@kernel
def twice(x):
    return 2.0 * x

print(twice(21.0))
"""


@pytest.fixture
def kernel_script(tmp_path) -> Path:
    script = tmp_path / "script.py"
    script.write_text(KERNEL)
    return script


def test_a_first_compile_is_announced_and_a_second_run_is_silent(kernel_script, tmp_path):
    first = python(kernel_script, tmp_path / "cache")
    assert first.stdout == "42.0\n"
    assert "chasles: compiling twice" in first.stderr and first.stderr.endswith(" s\n")
    second = python(kernel_script, tmp_path / "cache")
    assert second.stdout == "42.0\n" and second.stderr == ""


def test_a_cache_that_cannot_be_made_costs_a_compile_which_says_so(kernel_script, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    for cache in (tmp_path / "file" / "cache", "/proc/no/cache"):
        run = python(kernel_script, cache)
        assert run.stdout == "42.0\n" and f"cannot write {cache}" in run.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_full_disk_costs_a_compile_and_nothing_else(kernel_script, tmp_path):
    resource = pytest.importorskip("resource")
    full = f"import resource; resource.setrlimit({resource.RLIMIT_FSIZE}, (0, 0))\nprint(twice("
    kernel_script.write_text(KERNEL.replace("print(twice(", full))
    run = python(kernel_script, tmp_path / "cache")
    assert run.stdout == "42.0\n" and "Traceback" not in run.stderr


def test_a_cache_folder_with_other_things_in_it_loses_only_old_digests(kernel_script, tmp_path):
    """The user may have named a folder of theirs."""
    cache = tmp_path / "mine"
    others = [f"{age:016x}" for age in range(9)]
    theirs = ["thesis", "photos", "0123456789abcdef.d", "a", "b", "c", "d"]
    for age, name in enumerate(others + theirs):
        (cache / name).mkdir(parents=True)
        os.utime(cache / name, (age, age))
    python(kernel_script, cache)
    left = {path.name for path in cache.iterdir()}
    assert left >= {*theirs, *others[-3:]} and not left & set(others[:-3])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_cache_that_may_not_be_written_costs_a_compile_and_nothing_else(kernel_script, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    run = python(kernel_script, locked)
    assert run.stdout == "42.0\n" and "Traceback" not in run.stderr


TOP = """
import time
began = time.process_time()
import chasles as ch
top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
                  angular_velocity=(0, 60, 30))
model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))], gravity=(0, 0, 0))
assert ch.simulate(model, until=1.0, step=1e-3).violation("pivot").max() < 1e-12
print(time.process_time() - began)
"""


@pytest.mark.slow
def test_the_first_run_compiles_aloud_and_the_second_starts_at_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOP)
    first = python(script, tmp_path / "cache")
    assert first.stderr.count("chasles: compiling") >= 1 and float(first.stdout) < 30.0
    second = python(script, tmp_path / "cache")
    assert second.stderr == "" and float(second.stdout) < 1.5


@pytest.mark.slow
def test_the_top_runs_without_a_cache(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOP)
    (tmp_path / "file").write_text("not a folder")
    python(script, tmp_path / "file" / "cache")
