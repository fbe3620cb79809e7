"""Routines that are compiled by themselves: once for all kernels, when a step comes to them."""

import subprocess
import sys
import threading

import pytest
from test_startup import SOURCE, new_python, python

from chasles.compiled.once import RETURNS, once
from chasles.compiled.ownership import lock, unlock

SHARED = """
import sys
from chasles.compiled import borrow, inlined, kernel, once, preparing
from chasles.compiled.slots import empty_slots, fill_slots

preparing.A_MOMENT = 0.0

@once
def cube(numbers, k: int) -> float:
    return numbers[k] * numbers[k] * numbers[k]

@once
def never(numbers, k: int) -> float:
    return numbers[k]

@kernel("a sum")
def total(numbers):
    found, p = 0.0, borrow(numbers)
    for k in range(numbers.size):
        found += cube(p, k) if p[k] > 0.0 else never(p, k)
    return found

@kernel("a product")
def product(numbers):
    found, p = 1.0, borrow(numbers)
    for k in range(numbers.size):
        found *= cube(p, k)
    return found

here = inlined(cube)

@kernel("a difference")
def difference(numbers):
    p = borrow(numbers)
    return here(p, 1) - here(p, 0)

import numpy as np
numbers = np.array([2.0, 3.0, 5.0])
"""
COUNTED = """
compiled = []
from numba.core import event
class Count(event.Listener):
    def on_start(self, e):
        compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e):
        pass
event.register("numba:compile", Count())
assert total(numbers) == 160.0 and product(numbers) == 27000.0 and difference(numbers) == 19.0
assert total.py_func(numbers) == 160.0
print(compiled.count("cube"), compiled.count("never"), [s.routine.key[1] for s in empty_slots()])
"""


def test_two_kernels_share_a_routine_and_what_no_step_comes_to_is_not_compiled(tmp_path):
    """`cube` is compiled by itself, and inlined where that is asked for; from files, never."""
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(SHARED + COUNTED)
    assert python(script, cache).stdout == "2 0 ['never']\n"
    assert sorted(file.name.split("-")[0] for file in cache.iterdir()) == [
        "cube", "difference", "product", "total",
    ]  # fmt: skip
    second = python(script, cache)
    assert second.stdout == "0 0 ['never']\n" and second.stderr == ""


def test_a_changed_routine_is_compiled_and_its_callers_are_not(tmp_path):
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    call = "print(total(numbers))\n"
    script.write_text(SHARED + call)
    assert python(script, cache).stdout == "160.0\n"
    before = {file.name for file in cache.iterdir()}
    script.write_text((SHARED + call).replace("return numbers[k] * numbers[k] *", "return 2.0 *"))
    assert python(script, cache).stdout == "20.0\n"
    (made,) = {file.name for file in cache.iterdir()} - before
    assert made.startswith("cube-")


def test_a_missing_file_of_a_routine_costs_its_compile_alone(tmp_path):
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(SHARED + "print(total(numbers))\n")
    python(script, cache)
    (file,) = cache.glob("cube-*")
    file.unlink()
    assert python(script, cache).stdout == "160.0\n"
    assert list(cache.glob("cube-*")) == [file]


def test_all_of_it_is_compiled_ahead_by_filling_the_slots(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SHARED + "total(numbers)\nprint(fill_slots(), empty_slots())\n")
    assert python(script, tmp_path / "cache").stdout == "2 []\n"


FAILING = """
import pytest
from chasles.compiled.slots import SLOTS
numbers[0] = -1.0

def refused(kinds):
    raise KeyboardInterrupt("in the middle")

from chasles.compiled.slots import ROUTINES
routine = ROUTINES["__main__", "never"]
routine.prepare, prepare = refused, routine.prepare
with pytest.raises(KeyboardInterrupt, match="in the middle"):
    total(numbers)
routine.prepare = prepare
print(total(numbers))
"""


def test_what_python_raises_while_a_slot_is_filled_comes_out_of_the_kernel(tmp_path):
    """Ctrl-C, say: C cannot hand it on.  The next call is as good as the first."""
    script = tmp_path / "script.py"
    script.write_text(SHARED + FAILING)
    assert python(script, tmp_path / "cache").stdout == "151.0\n"


def test_threads_fill_slots_side_by_side(tmp_path):
    threads = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print(set(pool.map(total, [numbers] * 8)))
"""
    script = tmp_path / "script.py"
    script.write_text(SHARED + threads)
    assert python(script, tmp_path / "cache").stdout == "{160.0}\n"


def test_a_routine_says_what_it_returns():
    def unsaid(x):
        return x

    with pytest.raises(KeyError):
        once(unsaid)
    assert set(RETURNS) == {int, float, bool, type(None)}


# --- one process at a time ---

HOLD = """
import sys, time
from pathlib import Path
from chasles.compiled.ownership import lock
lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_process_waits_for_another_that_compiles_the_same_and_not_for_one_that_died(tmp_path):
    path = tmp_path / "it.kernel"
    command = [sys.executable, "-c", HOLD, str(path)]
    other = subprocess.Popen(
        command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(SOURCE)}, text=True
    )
    assert other.stdout.readline() == "held\n"
    threading.Timer(0.3, other.kill).start()
    assert lock(path)
    unlock()
    other.wait()
    assert not lock(path)
    unlock()
    assert not list(tmp_path.iterdir())


def test_two_processes_compile_a_kernel_once(tmp_path):
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(SHARED + COUNTED)
    found = []
    both = [
        threading.Thread(target=lambda: found.append(new_python(script, cache).stdout))
        for _ in range(2)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert sum(int(line.split()[0]) for line in found) == 2  # by itself, and inlined


FETCHED = """
from chasles.compiled import borrow, fetch, kernel

@kernel("a sum")
def total(numbers):
    found, p = 0.0, borrow(numbers)
    for k in range(numbers.size):
        fetch(p, k + 64)
        found += p[k]
    return found

import numpy as np
numbers = 1.0 / np.arange(1.0, 1e5)
assert total(numbers) == np.add.accumulate(numbers)[-1] == total.py_func(numbers)
assert "prefetch" in "".join(total.compiled.inspect_asm().values())
"""


def test_asking_for_memory_changes_no_number(tmp_path):
    """Beyond the end of an array as well; plain Python does nothing."""
    script = tmp_path / "script.py"
    script.write_text(FETCHED)
    new_python(script, tmp_path / "cache")
