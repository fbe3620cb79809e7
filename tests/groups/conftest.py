"""Fifty digits for the tests of the groups, whatever other tests ask of mpmath."""

import mpmath as mp
import pytest


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield
