"""Numbers with first derivatives."""

import numpy as np
import pytest

import chasles as ch
from chasles.scalars.dual import Dual


@pytest.mark.parametrize(("value", "slope"), [(2.0, 1.0), (-2.0, -1.0), (0.0, 0.0)])
def test_the_size_of_a_number_has_the_derivative_of_its_sign(value, slope):
    found = abs(Dual(value, np.array([3.0])))
    assert found.value == abs(value) and found.slope == 3.0 * slope


def test_a_block_on_a_bushing_comes_to_rest():
    block = ch.Body.box("block", (0.4, 0.3, 0.2), mass=10.0)
    mount = ch.Bushing(
        "mount", ch.GROUND, block, (0.05, 0, 0), (1e4, 1e4, 1e4, 500.0, 500.0, 500.0)
    )
    rest = ch.equilibrium(ch.Model([block], forces=[mount]))
    assert rest.stable
    assert rest.state.position[0][2] < -9.81e-3 * 0.99
