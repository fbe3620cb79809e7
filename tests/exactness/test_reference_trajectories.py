"""Trajectories against 22-digit references: minimal coordinates, Gragg-Bulirsch-Stoer, 140 bits."""

import numpy as np
import pytest
from mechanisms import EXAMPLES, FORMS, SPACES, reference_state

import chasles as ch

#: Time of comparison and what rotations and positions may be off; the pendulum is chaotic.
CASES = {
    "top": (1.0, 2e-11),  # a thousand steps at 70 rad/s: 1.2e-11 by rounding, where joints drift
    "floating": (1.0, 1e-11),
    "threebar": (1.0, 1e-11),
    "pendulum": (0.2, 1e-9),
}


def stacked(result, quantity):
    """A quantity of all bodies at the last saved time."""
    return np.array([getattr(result, quantity)(name)[-1] for name in result.model.body_names])


@pytest.mark.parametrize("example", CASES)
def test_the_examples_start_where_the_references_do(example):
    start = ch.simulate(EXAMPLES[example](), 1e-6, step=1e-6).state(0)
    reference = reference_state(example, 0.0)
    for quantity in ("rotation", "position", "angular_velocity", "velocity"):
        np.testing.assert_allclose(
            getattr(start, quantity), getattr(reference, quantity), rtol=1e-14, atol=1e-14
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("example", CASES)
def test_order_eight_reaches_the_reference(example, space, form):
    until, allowed = CASES[example]
    result = ch.simulate(
        EXAMPLES[example](), until, step=1e-3, method="dop853", spaces=space, acceleration=form
    )
    reference = reference_state(example, until)
    for quantity in ("rotation", "position"):
        error = np.abs(stacked(result, quantity) - getattr(reference, quantity)).max()
        assert error < allowed, quantity
    scale = np.abs(reference.angular_velocity).max()
    error = np.abs(stacked(result, "angular_velocity") - reference.angular_velocity).max()
    assert error < scale * allowed


@pytest.mark.parametrize("example", ["floating", "threebar", "top"])
def test_the_reference_is_met_on_the_way_and_at_five_seconds(example):
    """Rounding errors grow a hundredfold from 1 s to 5 s."""
    times = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
    result = ch.simulate(EXAMPLES[example](), 5.0, step=1e-3, method="dop853", t_eval=times)
    for index, t in enumerate(times):
        reference = reference_state(example, t).rotation
        for body, name in enumerate(result.model.body_names):
            error = np.abs(result.rotation(name)[index] - reference[body]).max()
            assert error < (1e-11 if t <= 1.0 else 1e-9), (name, t)
