"""Start-up: what an import costs, what a first compile says, and a cache that cannot be written."""

import ast
import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fresh import run_script

import chasles as ch
from chasles.build.system.user_code import CompiledForce
from chasles.compiled.cache import CHECK, KEPT, cache_root, runs_v3
from chasles.compiled.preparing import interrupts_deferred

SOURCE = Path(__file__).parent.parent / "src"


def python(script: Path, cache: Path | str, **more: str) -> subprocess.CompletedProcess:
    """Run a script in a process of its own, with its own cache of compiled kernels."""
    run = run_script(script, path=[SOURCE], CHASLES_CACHE_DIR=str(cache), **more)
    run.check_returncode()
    return run


def new_python(script: Path, cache: Path | str, **more: str) -> subprocess.CompletedProcess:
    """The same from nothing: an interpreter that has imported nothing yet."""
    environment = {**os.environ, "CHASLES_CACHE_DIR": str(cache), "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, str(script)]
    return subprocess.run(
        command, env={**environment, **more}, capture_output=True, text=True, check=True
    )


IMPORT = """
import sys, numpy
before = set(sys.modules)
import chasles as ch
assert dir(ch) == sorted(dir(ch)) and set(ch.__all__) <= set(dir(ch))
rod = ch.Body.rod("rod", length=1.0, mass=1.0)
ch.Model([rod], [ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis="x")])
assert not {"numba", "scipy", "tqdm", "chasles.run.simulate"} & set(sys.modules)
own = set(sys.modules) - before
import numba, tqdm
before = set(sys.modules)
for name in ch.__all__:
    getattr(ch, name)
own |= set(sys.modules) - before
print(*sorted({name.split(".")[0] for name in own} - set(sys.stdlib_module_names)))
print(*(name for name in sys.modules if name.startswith("scipy.")))
"""


def test_a_model_needs_no_compiler_and_all_names_no_more_than_that(tmp_path):
    """Plots, files and sparse matrices are imported where they are used."""
    script = tmp_path / "script.py"
    script.write_text(IMPORT)
    own, scipy = new_python(script, tmp_path).stdout.splitlines()
    assert set(own.split()) <= {"chasles", "numpy", "numba"}  # parts of what is loaded anyway
    # Numba asks for SciPy's version; its linear algebra and the like must stay asleep.
    heavy = ("linalg", "sparse", "optimize", "spatial", "special", "integrate", "interpolate")
    assert not [name for name in scipy.split() if name.split(".")[1] in heavy]


LOOPED = """
import chasles as ch
door = ch.Body.box("door", size=(1, 0.1, 2), mass=1.0, position=(0.5, 0, 0))
hinges = [ch.Revolute(str(z), ch.GROUND, door, at=(0, 0, z), axis="z") for z in (0.0, 1.0)]
print(ch.Model([door], hinges).degrees_of_freedom)
"""


def test_freedoms_are_counted_though_nothing_else_was_asked_for(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LOOPED)
    assert python(script, tmp_path).stdout == "1\n"


def test_names_imported_late_are_those_that_a_type_checker_sees():
    tree = ast.parse(Path(ch.__file__).read_text("utf-8"))
    (checked,) = (
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    )
    assert checked.test.id == "TYPE_CHECKING"
    seen = {
        alias.name: node.module.removeprefix("chasles.")
        for node in checked.body
        for alias in node.names
    }
    assert seen == ch.LATE and set(ch.LATE) <= set(ch.__all__)
    assert all(hasattr(ch, name) for name in ch.__all__) and not hasattr(ch, "nothing")


SHADOWED = """
import chasles.studies.library.heavy_top, chasles.run.simulate
import chasles as ch
from chasles.run.simulate import simulate
assert ch.simulate is simulate and len(ch.library) > 0
"""


def test_a_module_never_hides_the_function_of_its_name(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SHADOWED)
    python(script, tmp_path)


TIMED = """
import time
began = time.process_time()
import chasles
print(time.process_time() - began)
"""


def test_an_import_takes_less_than_four_tenths_of_a_second(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TIMED)
    written = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    new_python(script, tmp_path, **written)
    assert min(float(new_python(script, tmp_path, **written).stdout) for _ in range(3)) < 0.4


KERNEL = """
from chasles.compiled import kernel, preparing

preparing.A_MOMENT = 0.0  # else a doubling is not worth a word

@kernel("a doubling", seconds=3)
def twice(x):
    return 2.0 * x

print(twice(21.0))
"""
NOTICE = r"chasles: compiled a doubling in \d+ s, once per machine\n"


@pytest.fixture
def kernel_script(tmp_path) -> Path:
    script = tmp_path / "script.py"
    script.write_text(KERNEL)
    return script


def test_a_first_compile_is_announced_in_words_and_a_second_run_is_silent(kernel_script, tmp_path):
    first = python(kernel_script, tmp_path / "cache")
    assert first.stdout == "42.0\n" and re.fullmatch(NOTICE, first.stderr)
    second = python(kernel_script, tmp_path / "cache")
    assert second.stdout == "42.0\n" and second.stderr == ""


#: Another process compiles the kernel meanwhile: its file is there two seconds later.
MEANWHILE = """
import time
from chasles.compiled import cache

def lock(path):
    time.sleep(2.0)
    return not path.with_suffix(".kept").exists() or bool(path.with_suffix(".kept").rename(path))

cache.lock = lock
"""


@pytest.mark.parametrize("is_made", [False, True])
def test_the_seconds_of_a_wait_are_those_that_one_waits(compiled, tmp_path, is_made):
    """Compiling takes a tenth of one; waiting for another process counts as well."""
    cache = tmp_path / "cache"
    shutil.copytree(compiled, cache)
    (file,) = cache.iterdir()
    if is_made:
        file.rename(file.with_suffix(".kept"))
    else:
        file.unlink()
    script = tmp_path / "script.py"
    script.write_text(MEANWHILE + KERNEL)
    told = re.fullmatch(NOTICE.replace(r"\d+", r"(\d+)"), python(script, cache).stderr)
    assert told and int(told[1]) >= 2


def test_one_cache_serves_all_folders_that_the_same_source_lies_in(kernel_script, tmp_path):
    python(kernel_script, tmp_path / "cache")
    moved = tmp_path / "elsewhere" / "script.py"
    moved.parent.mkdir()
    moved.write_text("# moved\n" + KERNEL)
    assert python(moved, tmp_path / "cache").stderr == ""


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(content: bytes) -> bytes:
    return b""


def zeroed(content: bytes) -> bytes:
    return bytes(len(content))


def one_bit_off(content: bytes) -> bytes:
    return content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    """The cache with the kernel of the script."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "script.py").write_text(KERNEL)
    python(folder / "script.py", folder / "cache")
    return folder / "cache"


@pytest.mark.parametrize("damage", [truncated, emptied, zeroed, one_bit_off])
def test_a_damaged_file_in_the_cache_costs_a_compile_and_not_the_run(
    kernel_script, compiled, tmp_path, damage
):
    cache = tmp_path / "cache"
    shutil.copytree(compiled, cache)
    (file,) = cache.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    again = python(kernel_script, cache)
    assert again.stdout == "42.0\n" and re.fullmatch(NOTICE, again.stderr)
    content = file.read_bytes()  # and it is repaired
    assert hashlib.sha256(content[CHECK:]).digest() == content[:CHECK]


def test_a_cache_that_cannot_be_made_costs_a_compile_which_says_so(kernel_script, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    for cache in (tmp_path / "file" / "cache", "/proc/no/cache"):
        run = python(kernel_script, cache)
        assert run.stdout == "42.0\n" and f"every time: cannot write {cache}" in run.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_full_disk_costs_a_compile_and_nothing_else(kernel_script, tmp_path):
    resource = pytest.importorskip("resource")
    full = f"import resource; resource.setrlimit({resource.RLIMIT_FSIZE}, (0, 0))\nprint(twice("
    kernel_script.write_text(KERNEL.replace("print(twice(", full))
    run = new_python(kernel_script, tmp_path / "cache")
    assert run.stdout == "42.0\n" and "Traceback" not in run.stderr


def test_a_cache_folder_with_other_things_in_it_loses_only_old_kernels(kernel_script, tmp_path):
    """The user may have named a folder of theirs."""
    cache = tmp_path / "mine"
    cache.mkdir()
    old = [f"twice-{age:032x}.kernel" for age in range(KEPT + 4)]
    theirs = ["thesis.tex", "twice.kernel", f"{0:032x}.kernel", f"other-{0:032x}.kernel"]
    for age, name in enumerate(old + theirs):
        (cache / name).write_text("kept")
        os.utime(cache / name, (age, age))
    python(kernel_script, cache)
    left = {path.name for path in cache.iterdir()}
    newest = old[1 - KEPT :]  # and the one that was made
    assert left >= {*theirs, *newest} and not left & (set(old) - set(newest))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_cache_that_may_not_be_written_costs_a_compile_and_nothing_else(kernel_script, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    run = python(kernel_script, locked)
    assert run.stdout == "42.0\n" and "Traceback" not in run.stderr


def test_an_empty_cache_variable_is_as_good_as_none(monkeypatch):
    monkeypatch.delenv("CHASLES_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", "/somebody")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_root() == Path("/somebody/.cache/chasles")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_root() == Path("/caches/chasles")


def test_a_user_without_a_home_compiles_in_memory(kernel_script, monkeypatch, tmp_path):
    homeless = """
import pathlib
def nobody():
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = nobody
"""
    kernel_script.write_text(homeless + KERNEL)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    run = python(kernel_script, "")
    assert run.stdout == "42.0\n" and "every time: there is no cache folder" in run.stderr


STDERR = {
    "none": "import sys; sys.stderr = None",
    "closed": "import sys; sys.stderr.close()",
    "closed below": "import os; os.close(2)",
    "a broken pipe": "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 2)",
    "full": "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 2)",
    "ASCII": "import sys; sys.stderr.reconfigure(encoding='ascii', errors='strict')",
}


@pytest.mark.parametrize("kind", STDERR)
def test_a_notice_never_costs_a_run(kernel_script, tmp_path, kind):
    if kind == "full" and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    kernel_script.write_text(STDERR[kind] + KERNEL.replace("a doubling", "a doubling of χ"))
    assert python(kernel_script, tmp_path / "cache").stdout == "42.0\n"  # and exit code 0


def test_ctrl_c_in_a_callback_from_c_is_not_swallowed(capfd):
    """The loader of machine code calls Python back, where an exception goes nowhere."""
    press = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        press()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_while_compiling_stops_it_at_once():
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        signal.raise_signal(signal.SIGINT)
        pytest.fail("went on")


STABILISED = """
import chasles as ch
top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
                  angular_velocity=(0, 60, 30))
model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])
for word in ("projection", "baumgarte", "ggl"):
    run = ch.simulate(model, until=3e-3, step=1e-3, stabilise=word + " of all joints")
    assert run.violation("pivot").max() < 1e-6, word
"""


def test_every_stabiliser_runs_without_the_compiler(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(STABILISED)
    python(script, tmp_path, NUMBA_DISABLE_JIT="1")
    assert not list(tmp_path.glob("*.kernel"))


FORMULA = """
import ctypes
import chasles as ch
from chasles.build.system.user_code import CompiledForce

stiffness = STIFFNESS

def spring(t, position, rotation, velocity, angular_velocity):
    x, y, z = position
    return (-stiffness * x, -stiffness * y, 0.0 * z), (0.0, 0.0, 0.0)

force = CompiledForce(ch.CustomForce("spring", "ball", spring, compiled=True))
numbers = ctypes.c_double * 36
given, out = numbers(3.0), numbers()
force.compiled.ctypes(0.0, given, out)
print(out[0], force.compiled.cache_hits)
"""


def test_a_users_formula_is_compiled_once_per_machine_and_again_when_its_numbers_change(tmp_path):
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    for stiffness, answer in (("2.0", "-6.0 0"), ("2.0", "-6.0 1"), ("5.0", "-15.0 0")):
        script.write_text(FORMULA.replace("STIFFNESS", stiffness))
        assert python(script, cache).stdout.strip() == answer, stiffness


def with_lists(t, position, rotation, velocity, angular_velocity):
    return [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]


def with_nested_lists(t, position, rotation, velocity, angular_velocity):
    return [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize("formula", [with_lists, with_nested_lists])
def test_a_compiled_formula_that_returns_lists_is_refused_by_name(formula):
    with pytest.raises(ch.InvalidForce) as refused:
        CompiledForce(ch.CustomForce("wind", "ball", formula, compiled=True))
    assert "force 'wind'" in str(refused.value) and "two tuples of three" in str(refused.value)


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
def test_the_first_run_compiles_one_kernel_aloud_and_the_second_starts_at_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOP.replace("step=1e-3", "step=1e-3, kernel='generic'"))
    first = new_python(script, tmp_path / "cache")
    told = r"chasles: compiled the time loop of this kind of run in \d+ s, once per machine\n"
    assert re.fullmatch(told, first.stderr)
    assert float(first.stdout) < 20.0
    second = new_python(script, tmp_path / "cache")
    assert second.stderr == "" and float(second.stdout) < 1.5


@pytest.mark.slow
def test_the_first_run_of_a_small_model_waits_for_no_kernel(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOP)
    first = new_python(script, tmp_path / "cache")
    assert first.stderr == "" and float(first.stdout) < 5.0


@pytest.mark.slow
def test_the_top_runs_without_a_cache(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TOP)
    (tmp_path / "file").write_text("not a folder")
    new_python(script, tmp_path / "file" / "cache")


WARM = """
from chasles.compiled.kernels import KERNELS
from chasles.cli.warming import warm
lines = []
assert warm(lines.append) == sum(" of " + str(len(KERNELS)) in line for line in lines)
left = {kernel.__name__ for kernel in KERNELS if not kernel.ready}
assert not left, left
"""


@pytest.mark.slow
def test_warm_compiles_every_kernel_and_a_run_after_it_none(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(WARM)
    assert new_python(script, tmp_path / "cache").stderr == ""
    script.write_text(TOP)
    assert new_python(script, tmp_path / "cache").stderr == ""


FIRST_RUN = """
import time
import chasles as ch
top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
                  angular_velocity=(0, 60, 30))
model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))], gravity=(0, 0, 0))
began = time.process_time()
ch.simulate(model, until=1.0, step=1e-3)
print(time.process_time() - began)
print(ch.__file__)
"""


@pytest.mark.slow
@pytest.mark.skipif(not runs_v3(), reason="kernels are built for x86-64-v3")
def test_the_first_run_from_a_built_wheel_compiles_nothing(tmp_path):
    build = [sys.executable, str(SOURCE.parent / "scripts" / "build_wheel.py"), str(tmp_path)]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed, script = tmp_path / "installed", tmp_path / "script.py"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(installed)]
    subprocess.run([sys.executable, "-m", "pip", *install, str(wheel)], check=True)
    script.write_text(FIRST_RUN)
    run = new_python(script, tmp_path / "cache", PYTHONPATH=str(installed))
    seconds, file = run.stdout.split()
    assert file.startswith(str(installed))
    assert run.stderr == "" and float(seconds) < 1.0
    assert not list((tmp_path / "cache").glob("*.kernel"))
