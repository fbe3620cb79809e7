"""The examples in the model's docstrings run."""

import doctest
import importlib

import pytest

MODULES = [
    "body",
    "couplings",
    "custom",
    "drivers",
    "errors",
    "forces",
    "joint_forces",
    "joints",
    "loads",
    "model",
    "tables",
    "rolling",
    "sensors",
    "shapes",
    "signals",
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of(module):
    outcome = doctest.testmod(importlib.import_module(f"chasles.model.{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0
