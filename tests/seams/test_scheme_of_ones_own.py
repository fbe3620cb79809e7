"""A scheme added from outside the package: the explicit midpoint rule on the group, in one file.

    K = F(X_0),  X_1 = X_0 exp(h F(X_0 exp(h K / 2)))

It knows nothing of joints, spaces or stabilisers, and works with all of them.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
from mechanisms import double_pendulum, three_bar

import chasles as ch
from chasles.compiled import beyond, routine
from chasles.core.outcomes import OK
from chasles.core.stage import stage
from chasles.core.state_block import finish, retract, slope_length
from chasles.integrators.methods import Method, find_method, register_method


class LieMidpoint(NamedTuple):
    """Storage of a step."""

    slope: Any
    increment: Any
    point: Any


def make_lie_midpoint(kept, length):
    return LieMidpoint(np.zeros(length), np.zeros(length), np.zeros(kept))


@routine
def attempt_lie_midpoint(mechanism, workspace, scheme, state, t, step, out):
    outcome = stage(mechanism, workspace, state, t, scheme.slope)
    if outcome != OK:
        return outcome
    for k in range(slope_length(mechanism)):
        scheme.increment[k] = 0.5 * step * scheme.slope[k]
    retract(mechanism, state, scheme.increment, scheme.point)
    half = t + 0.5 * step
    outcome = stage(mechanism, workspace, scheme.point, half, scheme.slope)
    if outcome != OK:
        return outcome
    for k in range(slope_length(mechanism)):
        scheme.increment[k] = step * scheme.slope[k]
    carry = mechanism.layout.carry
    finish(mechanism, state, beyond(state, carry), scheme.increment, out, beyond(out, carry))
    return OK


register_method(Method("lie midpoint", 2, make_lie_midpoint), LieMidpoint, attempt_lie_midpoint)

SPACES = ("auto", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints")


def end(model, step, **options):
    return ch.simulate(model, 0.1, step=step, **options).rotation("second")[-1]


@pytest.mark.parametrize("spaces", [*SPACES, "subgroups"])
def test_a_scheme_of_ones_own_has_its_order_in_every_space(spaces):
    model = double_pendulum()
    exact = end(model, 5e-4, method="dop853")
    steps = np.array([1e-3, 5e-4, 2.5e-4])
    errors = [
        np.linalg.norm(end(model, h, spaces=spaces, method="lie midpoint") - exact) for h in steps
    ]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("stabilise", ["projection", "baumgarte", "ggl"])
@pytest.mark.parametrize("spaces", SPACES)
def test_a_scheme_of_ones_own_works_with_every_stabiliser(spaces, stabilise):
    options = {"spaces": spaces, "method": "lie midpoint"}
    loose = ch.simulate(three_bar(), 0.2, step=1e-3, **options)
    held = ch.simulate(three_bar(), 0.2, step=1e-3, stabilise=stabilise, **options)
    gaps = [max(r.violation(n).max() for n in r.model.joint_names) for r in (loose, held)]
    assert gaps[1] < 0.2 * gaps[0]


def test_registered_methods_are_listed_and_misspelt_ones_corrected():
    assert ch.methods()["lie midpoint"].order == 2
    assert find_method("rk4").tableau is not None
    with pytest.raises(ch.UnknownName, match="lie midpoint"):
        ch.simulate(double_pendulum(), 1.0, step=1e-3, method="lie midpiont")


def test_a_method_that_nothing_makes_is_refused():
    method = Method("empty", 1)
    with pytest.raises(ch.InvalidOption, match="'empty' has neither make nor fit"):
        register_method(method, LieMidpoint, attempt_lie_midpoint)
