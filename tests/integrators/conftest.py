"""What the tests of methods share: where their mechanisms end."""

import pytest
from runs import ends_of_mechanisms


@pytest.fixture(scope="session")
def ends():
    return ends_of_mechanisms()
