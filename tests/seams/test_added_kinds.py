"""Adding a coupling or a force is one file outside of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fresh import run_script

import chasles as ch
from chasles.core.constraints.registry import CONSTRAINTS, add_constraint
from chasles.core.forces.registry import FORCES, add_force
from chasles.core.kinds import Kinds

HERE, PACKAGE = Path(__file__).parent, Path(ch.__file__).parent.parent
#: The equations of models with added kinds, as written and as machine code.
EQUATIONS = """
import numpy as np
import chasles as ch
from added_kinds import bead_in_pipe, planet
from chasles.compiled import kernels

models = bead_in_pipe(), planet()
plain = [ch.equations(model) for model in models]
kernels.AT_ONCE.append(lambda kernel: None)
for model, expected in zip(models, plain):
    found = ch.equations(model)
    for name in ("jacobian", "eta", "forces", "acceleration"):
        assert np.allclose(getattr(found, name), getattr(expected, name), rtol=1e-13, atol=1e-13)
assert any(kernel.ready for kernel in kernels.KERNELS)
"""


@pytest.mark.parametrize("plain", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_added_coupling_and_an_added_force_work_in_every_space_form_and_stabiliser(plain):
    """Compiled, they take all kernels of a run anew: short runs are made without the compiler."""
    without = {"NUMBA_DISABLE_JIT": "1"} if plain else {}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "added_kinds.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(PACKAGE), str(HERE))), **without},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_added_kinds_are_compiled_as_they_are_written():
    done = run_script(EQUATIONS, path=(PACKAGE, HERE, HERE.parent))
    assert done.returncode == 0, done.stderr


def test_kinds_cannot_be_added_once_kernels_exist():
    CONSTRAINTS.chain("rows")  # as whoever compiles a kernel asks for it
    FORCES.chain("wrench")
    with pytest.raises(ch.ChaslesError, match="after the first run"):
        add_constraint(CONSTRAINTS[0])
    with pytest.raises(ch.ChaslesError, match="after the first run"):
        add_force(FORCES[0])


#: No force acts in the run; the kernel of a later run would have to be another one.
LATE = """
import chasles as ch
from chasles.compiled import kernels
from chasles.core.forces.registry import FORCES

kernels.AT_ONCE.append(lambda kernel: None)
ch.simulate(ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)]), 0.1, step=1e-2)
assert any(kernel.ready for kernel in kernels.KERNELS) and not FORCES.chains
for module in ("attraction", "point_on_cylinder"):
    try:
        __import__(module)
    except ch.InvalidOption as error:
        assert "after the first run" in str(error)
    else:
        raise AssertionError(module)
"""


def test_kinds_cannot_be_added_after_a_run_without_any_of_theirs():
    done = run_script(LATE, path=(PACKAGE, HERE, HERE.parent))
    assert done.returncode == 0, done.stderr


def test_two_kinds_of_one_name_are_refused():
    table = Kinds("constraint", CONSTRAINTS.table)  # also where kernels exist
    with pytest.raises(ch.ChaslesError, match="a constraint kind 'distance' already"):
        table.append(next(kind for kind in CONSTRAINTS.table if kind.name == "distance"))


def test_a_joint_of_no_kind_is_refused():
    class Glue(ch.Joint, in_files=False):
        is_lower_pair = False
        locked = ("sticky",)

    body = ch.Body.sphere("ball", 0.1, mass=1.0)
    model = ch.Model([body], [Glue("glue", ch.GROUND, body, at=(0, 0, 0))])
    with pytest.raises(ch.InvalidModel, match="joint 'glue' is a Glue, which no constraint kind"):
        ch.simulate(model, 0.1, step=1e-2)
