"""Break the physics on purpose: the tests of the findings must notice.

A formula is replaced by a wrong one (see `mutants`), and the heavy top's tests run, interpreted
rather than compiled so that nothing is compiled for a mutant.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chasles

HERE = Path(__file__).parent
PACKAGE = Path(chasles.__file__).parent
#: Tests of the heavy top over one second: two runs, a few seconds without the compiler.
CHECKS = "(heavy-top and (gaps or energy_drifts)) or papers_energy or (ends_where and SE3)"
FILES = ("test_paper_findings.py", "test_paper_reference.py")

#: One; `make slow` and `make mutants` have more.
MUTANTS = ("a sign of the gyroscopic terms",)
MORE = (
    "a mass", "a sign of the acceleration constraint", "the dexp^-1 term on SO(3)",
    "the dexp^-1 term on SE(3)",
)  # fmt: skip


def run_checks(mutant: str | None = None) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(PACKAGE.parent), str(HERE.parent))),
        "NUMBA_DISABLE_JIT": "1",
        **({"CHASLES_MUTANT": mutant} if mutant else {}),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p",
               "mutants", *(str(HERE / name) for name in FILES), "-k", CHECKS]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


@pytest.mark.slow  # compiled, these checks are in every run of the tests
def test_the_unbroken_package_passes():
    outcome = run_checks()
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "4 passed" in outcome.stdout


@pytest.mark.parametrize(
    "mutant", [*MUTANTS, *(pytest.param(m, marks=pytest.mark.slow) for m in MORE)]
)
def test_a_broken_formula_is_noticed(mutant):
    outcome = run_checks(mutant)
    assert outcome.returncode == 1, f"{mutant} went unnoticed:\n{outcome.stdout}{outcome.stderr}"
    assert "1 failed" in outcome.stdout
