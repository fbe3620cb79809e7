"""What every refusal has in common."""

import pytest

from chasles.model import ChaslesError


@pytest.fixture
def refusal():
    """The message with which `make` is refused: one line of what, one indented line of remedy."""

    def message(make, error):
        with pytest.raises(error) as caught:
            make()
        assert isinstance(caught.value, ChaslesError)
        what, remedy = str(caught.value).split("\n")
        assert what.strip() and remedy.startswith("  ") and remedy.strip()
        return str(caught.value)

    return message
