"""Every example runs and its own check holds."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_its_check_holds(path):
    runpy.run_path(str(path), run_name="__main__")


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
