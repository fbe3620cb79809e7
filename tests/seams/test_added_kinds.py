"""Adding a coupling or a force is one file outside of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chasles as ch
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.kinds import Kinds

HERE = Path(__file__).parent


def test_an_added_coupling_and_an_added_force_work_in_every_space_form_and_stabiliser():
    package = Path(ch.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "added_kinds.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(package), str(HERE)))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_two_kinds_of_one_name_are_refused():
    table = Kinds("constraint", CONSTRAINTS.table)
    with pytest.raises(ch.ChaslesError, match="a constraint kind 'distance' already"):
        table.add(next(kind for kind in CONSTRAINTS.table if kind.name == "distance"))


def test_a_joint_of_no_kind_is_refused():
    class Glue(ch.Joint, in_files=False):
        is_lower_pair = False
        locked = ("sticky",)

    body = ch.Body.sphere("ball", 0.1, mass=1.0)
    model = ch.Model([body], [Glue("glue", ch.GROUND, body, at=(0, 0, 0))])
    with pytest.raises(ch.InvalidModel, match="joint 'glue' is a Glue, which no constraint kind"):
        ch.simulate(model, 0.1, step=1e-2)
