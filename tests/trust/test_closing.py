"""Closing joints ends at rounding, also where they repeat each other."""

import pytest

import chasles as ch
from chasles.build.start.closure import Closure

MOST_FACTORS = 10  # Newton doubles the digits: 53 bits from 1e-13 take one, what moves on a few


@pytest.fixture
def factors(monkeypatch):
    """How many matrices were factored."""
    made = []
    factorised = Closure.factor
    monkeypatch.setattr(Closure, "factor", lambda *given: made.append(1) or factorised(*given))
    return made


@pytest.mark.parametrize("name", ["A02", "A04", "bennett", "four-bar"])
def test_what_is_closed_to_rounding_is_not_closed_again_and_again(name, factors):
    """States of runs, whose redundant joints are open by 1e-15 or so in ways no pose can close."""
    (benchmark,) = (b for b in ch.library if b.name == name)
    model = benchmark.model()
    result = ch.simulate(model, 200 * benchmark.step, benchmark.step, stabilise="projection")
    for k in (50, 100, 200):
        factors.clear()
        again = ch.simulate(model, benchmark.step, benchmark.step, start=result.state(k),
                            close=True)  # fmt: skip
        assert len(factors) <= MOST_FACTORS
        assert again.position(model.bodies[0].name)[0] == pytest.approx(
            result.position(model.bodies[0].name)[k], abs=1e-10
        )
