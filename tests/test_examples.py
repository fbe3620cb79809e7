"""Every example runs and its own check holds."""

import runpy
from pathlib import Path

import pytest

#: Libraries that chasles works with, but does not ask for.
GUESTS = {"gradient_in_jax": "jax", "gradient_in_torch": "torch"}
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_its_check_holds(path):
    if path.stem in GUESTS:
        pytest.importorskip(GUESTS[path.stem])
    runpy.run_path(str(path), run_name="__main__")


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
