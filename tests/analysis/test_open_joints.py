"""A joint is open or slips by a fraction of the model's own sizes: units decide nothing."""

import numpy as np
import pytest
from mechanisms import hanging_rod

import chasles as ch


def state_of(model, shift, slip, spin=0.0):
    """Hanging, moved down by `shift`, turning at `spin` about the hinge, its pin at `slip`."""
    rod, length = model.bodies[0], -2.0 * model.bodies[0].position[2]
    place = np.add(rod.position, (0, 0, -shift))
    speed = (-0.5 * spin * length, 0, slip)
    return ch.State(0.0, ("rod",), [place], [rod.rotation], [speed], [(0, spin, 0)])


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e6])
def test_a_gap_counts_by_the_lever_of_its_joint(length):
    model = hanging_rod(length=length, gravity=(0, 0, -9.81 * length))
    hanging = ch.linearise(model, state_of(model, 1e-8 * length, 0.0))
    # A rod on its end, whatever its length: omega^2 = 3 g / (2 l), with g = 9.81 l.
    assert hanging.frequencies[-1] == pytest.approx(np.sqrt(1.5 * 9.81), rel=1e-6)
    for ask in (ch.linearise, ch.equilibrium):
        with pytest.raises(ch.InconsistentStart, match=r"'hinge' .* is open by .* m at"):
            ask(model, state_of(model, 1e-5 * length, 0.0))


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("spin", [1e-2, 1.0, 1e3])
def test_a_slip_counts_by_what_moves_fastest(length, spin):
    model = hanging_rod(length=length, gravity=(0, 0, -9.81 * length))
    ch.linearise(model, state_of(model, 0.0, 1e-8 * spin * length, spin))
    with pytest.raises(ch.InconsistentStart, match=r"slipping by .* m/s"):
        ch.linearise(model, state_of(model, 0.0, 1e-4 * spin * length, spin))
