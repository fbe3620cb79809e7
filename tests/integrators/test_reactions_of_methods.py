"""Reactions follow from positions and velocities, and have the order of these with every method."""

import numpy as np
import pytest
from mechanisms import double_pendulum, three_bar
from runs import slope

import chasles as ch

#: Method, and numbers of steps at which the error is that of the leading term.
METHODS = {
    "gauss2": (181, 256, 362),
    "gauss4": (91, 128, 181),
    "rattlie": (181, 256, 362),
    "rattlie4": (91, 128, 181),
    "half-explicit": (181, 256, 362),
    "linearly-implicit": (362, 512, 724),
}
MECHANISMS = {
    "pendulum": (double_pendulum, "elbow", 0.06),
    "three-bar": (three_bar, "middle", 0.12),
}


def reaction(make, joint, until, steps, **options):
    """Force and torque of a joint at the end."""
    run = ch.simulate(make(), until, step=until / steps, save_every=steps, **options)
    felt = run.reaction(joint)
    return np.append(felt.force[-1], felt.torque[-1])


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("space", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("method", METHODS)
def test_reactions_have_the_order_of_the_method(method, space, mechanism):
    make, joint, until = MECHANISMS[mechanism]
    exact = reaction(make, joint, until, 1000, method="dop853", spaces="subgroups")
    errors = [
        np.linalg.norm(reaction(make, joint, until, n, method=method, spaces=space) - exact)
        for n in METHODS[method]
    ]
    assert slope(METHODS[method], errors) == pytest.approx(ch.methods()[method].order, abs=0.1)
