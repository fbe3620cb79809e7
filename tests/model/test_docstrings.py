"""The examples in the model's docstrings run."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["body", "errors", "joints", "model"])
def test_the_examples_of(module):
    outcome = doctest.testmod(importlib.import_module(f"chasles.model.{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0
