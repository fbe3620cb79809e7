"""What runs is what is written: mutants are noticed, and stale machine code never runs."""

import json
import os
import shutil
from pathlib import Path

import pytest
from fresh import run_script

import chasles

TESTS, PACKAGE = Path(__file__).parent, Path(chasles.__file__).parent

#: Slopes of the error of RK4 on a spinning chain, by space: against order 8, or a given end.
ORDERS = """
import json, sys
import numpy as np
import chasles as ch
import mutants
from mechanisms import chain, moving

assert ch.__file__.startswith(sys.argv[1]), ch.__file__

def last(steps, spaces, method="rk4"):
    run = ch.simulate(model, 0.2, step=0.2 / steps, spaces=spaces, method=method)
    return np.concatenate([run.rotation(name)[-1].ravel() for name in model.body_names])

rng = np.random.default_rng(0)
model = moving(chain(rng, ["spherical", "revolute"]), rng, speed=2.0)
end = json.loads(sys.argv[2]) or last(24, "SE3", "dop853").tolist()
counts, slopes = (16, 24, 32), {}
for spaces in ("SE3", "SO3xR3", "SE3 relative", "framed"):
    errors = [np.linalg.norm(last(steps, spaces) - end) for steps in counts]
    slopes[spaces] = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
print(json.dumps({"slopes": slopes, "end": end}))
"""

#: A pose through the chart of a space: a kernel that compiles in a moment.
POSE = """
import sys
import numpy as np
import chasles as ch
from chasles.compiled import kernels
from chasles.compiled.slots import ROUTINES
from chasles.core.recursion.kinematics import tree_absolute
from chasles.build.dynamics.tree_problem import TreeProblem

assert ch.__file__.startswith(sys.argv[1]), ch.__file__
model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
problem = TreeProblem.from_model(model)
states = np.array([[0.8, 0.0, 0.6, 0.0, 1, 2, 3, 0, 0, 0, 0, 0, 0]])
out = np.zeros((1, 1, 18))
kernels.AT_ONCE.append(lambda kernel: None)  # not in plain Python
tree_absolute(problem.tree, problem.tree_work, states, out)
print(*out[0, 0, :9])
made = [tree_absolute, *ROUTINES.values()]
misses = sum(sum(each.compiled._cache_misses.values()) for each in made)
print("misses" if misses else "none", file=sys.stderr)
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be edited."""
    copy = tmp_path / "copy" / "chasles"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(package, script, *arguments, **environment):
    """A script's output in a process of its own that imports the copy."""
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = run_script(
        script, str(package.parent), *arguments, path=[package.parent, TESTS], **environment
    )
    assert done.returncode == 0, done.stderr
    return done


def edit(package, file, old, new, first_only=False):
    path = package / file
    source = path.read_text()
    assert source.count(old) == 1 or first_only, (file, old)
    path.write_text(source.replace(old, new, 1))


def orders(end=None, **environment):
    return json.loads(run(PACKAGE, ORDERS, json.dumps(end), **environment).stdout)


# --- mutants: without the compiler, formulas and kernels run as written ---

PLAIN = {"NUMBA_DISABLE_JIT": "1"}


@pytest.fixture(scope="module")
def plain():
    return orders(**PLAIN)


def test_without_the_compiler_rk4_has_order_four(plain):
    for space, slope in plain["slopes"].items():
        assert slope == pytest.approx(4, abs=0.15), space


def test_compiled_and_plain_python_come_to_the_same_end(plain):
    assert orders()["end"] == pytest.approx(plain["end"], rel=0, abs=1e-13)


@pytest.mark.parametrize(
    "mutant", ["the sign of dexp^-1", pytest.param("no dexp^-1", marks=pytest.mark.slow)]
)
def test_a_wrong_dexp_inv_drops_the_order_to_two(plain, mutant):
    found = orders(plain["end"], CHASLES_MUTANT=mutant, **PLAIN)
    for space, slope in found["slopes"].items():
        assert slope == pytest.approx(2, abs=0.2), space


# --- the cache ---


def pose(package, cache):
    done = run(package, POSE, CHASLES_CACHE_DIR=str(cache))
    return [float(entry) for entry in done.stdout.split()], "misses" in done.stderr


def test_editing_a_formula_in_another_file_never_runs_stale_machine_code(package, tmp_path):
    cache = tmp_path / "cache"
    first, compiled = pose(package, cache)
    assert compiled
    again, compiled = pose(package, cache)
    assert again == first and not compiled  # the cache works at all
    stamps = {path: path.stat() for path in package.rglob("*.py")}
    edit(package, "groups/so3.py", "1 - (y * yy + z * zz)", "7 - (y * yy + z * zz)")
    for path, stamp in stamps.items():  # not told by its time
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    edited, compiled = pose(package, cache)
    assert compiled
    assert edited[0] == pytest.approx(first[0] + 6.0)
    assert edited[1:] == first[1:]
    edit(package, "groups/so3.py", "7 - (y * yy + z * zz)", "1 - (y * yy + z * zz)")
    back, compiled = pose(package, cache)
    assert back == first and not compiled  # the old code was kept, and is right again


#: The digests of the time loop and of all routines that are compiled by themselves.
DIGEST = """
import sys
import chasles as ch
from chasles.compiled.reach import digest_of
from chasles.compiled.slots import ROUTINES
from chasles.integrators.advance import advance

assert ch.__file__.startswith(sys.argv[1]), ch.__file__
print(digest_of(advance.py_func))
for name, routine in sorted(ROUTINES.items()):
    print(name, digest_of(routine.compiled.py_func))
"""
REACHED = {
    "a formula": ("groups/so3.py", "1 - (y * yy + z * zz)", "7 - (y * yy + z * zz)"),
    "a constant": ("core/recursion/refine.py", "REFINED = 1e-12", "REFINED = 1e-13"),
    "an overload": ("scalars/elementary.py", "lambda x: math.sin(x)", "lambda x: math.cos(x)"),
    "an intrinsic": ("compiled/pointers.py", "make_array(kind)(context, builder, value).data",
                     "make_array(kind)(context, builder, value).meminfo"),
    "an option": ("core/state_block.py", "@hot\ndef combine", "@routine\ndef combine"),
}  # fmt: skip


@pytest.fixture(scope="module")
def unedited():
    return run(PACKAGE, DIGEST).stdout


@pytest.mark.parametrize("what", REACHED)
def test_what_a_kernel_reaches_is_in_the_name_of_its_file(package, unedited, what):
    edit(package, *REACHED[what])
    assert run(package, DIGEST).stdout != unedited


def test_a_remark_a_docstring_or_a_message_recompiles_nothing(package, unedited):
    edit(package, "groups/so3.py", '"""', '"""Once more: ', first_only=True)
    edit(package, "core/recursion/refine.py", '"""What the damped', '"""What a')
    for path in package.rglob("*.py"):
        path.write_text("# a remark\n" + path.read_text())
    edit(package, "core/outcomes.py", "became singular", "is singular now")
    assert run(package, DIGEST).stdout == unedited


def test_little_work_in_plain_python_gives_the_same_bits_as_machine_code():
    """Kernels are read while that is quicker: a run must not depend on which of them are."""
    plainly, compiled = (json.loads(run(PACKAGE, BITS, how).stdout) for how in ("read", "compiled"))
    assert plainly == compiled


BITS = """
import json, sys
import numpy as np
import chasles as ch
from chasles.compiled import kernels
from mechanisms import chain, double_pendulum, heavy_top, moving, three_bar

if sys.argv[2] == "compiled":
    kernels.AT_ONCE.append(lambda kernel: None)
for kernel in kernels.KERNELS:
    kernel.on_disk = False  # nothing is loaded instead
rng = np.random.default_rng(0)
several = moving(chain(rng, ["spherical", "revolute", "cylindrical"]), rng, speed=2.0)
numbers = []
for model in (heavy_top(), double_pendulum(), three_bar(), several):
    run = ch.simulate(model, 0.02, step=1e-3)
    numbers += [run.position(name).tolist() for name in model.body_names]
    numbers += [run.reaction(name).force.tolist() for name in model.joint_names]
ready = [kernel.__name__ for kernel in kernels.KERNELS if kernel.ready]
assert ("solve_states" in ready) == (sys.argv[2] == "compiled"), ready
print(json.dumps(numbers))
"""
