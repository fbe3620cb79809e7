"""Break the physics on purpose: the tests of the findings must notice.

A copy of the package is edited, and the heavy top's tests run on it, interpreted rather than
compiled so that nothing is compiled for a mutant.
"""

import os
import shutil
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

# What is broken: file, the right text, the wrong one.
MUTANTS = {
    "a mass": ("paper/examples.py", "mass=21.6", "mass=21.7"),
    "a sign of the acceleration constraint": (
        "core/rows.py",
        "return sub(cross(omega_a, velocity_a), cross(omega_b, velocity_b))",
        "return sub(cross(omega_b, velocity_b), cross(omega_a, velocity_a))",
    ),
    "a sign of the gyroscopic terms": (
        "core/wrenches.py",
        "torque = neg(cross(omega, symvec(inertia, omega)))",
        "torque = cross(omega, symvec(inertia, omega))",
    ),
    "the dexp^-1 term on SO(3)": (
        "groups/so3.py",
        "return axpy(gamma_of(x), cross(x, once), axpy(-0.5, once, y))",
        "return axpy(gamma_of(x), cross(x, once), axpy(0.5, once, y))",
    ),
    "the dexp^-1 term on SE(3)": (
        "groups/se3.py",
        "return dual_quadratic(at, z, -0.5, gamma, 0.0, gamma_dot)",
        "return z",
    ),
}


def run_checks(package: Path, cache: Path) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "CHASLES_CACHE_DIR": str(cache),
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
               *(str(HERE / name) for name in FILES), "-k", CHECKS]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


@pytest.fixture
def copy(tmp_path):
    target = tmp_path / "src" / "chasles"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_the_unbroken_copy_passes(copy, tmp_path):
    outcome = run_checks(copy, tmp_path / "cache")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "4 passed" in outcome.stdout


@pytest.mark.parametrize("what", MUTANTS)
def test_a_broken_copy_is_noticed(copy, tmp_path, what):
    file, right, wrong = MUTANTS[what]
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(right) >= 1, f"{file} has changed: mutate another line for '{what}'"
    (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
    outcome = run_checks(copy, tmp_path / "cache")
    assert outcome.returncode == 1, f"{what} went unnoticed:\n{outcome.stdout}{outcome.stderr}"
    assert "1 failed" in outcome.stdout
