"""Rows of couplings and drivers count like those of joints where rows repeat each other.

Two sliders side by side, and rods, couplings or drivers that all say the same: move together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chasles as ch


def sliders() -> tuple[list[ch.Body], list[ch.Joint]]:
    """Two boxes on rails along x, a metre apart."""
    bodies = [
        ch.Body.box(name, (0.2, 0.2, 0.2), mass=1.0 + k, position=(0, k, 0))
        for k, name in enumerate(("near", "far"))
    ]
    return bodies, [ch.Prismatic(f"{body.name} rail", ch.GROUND, body, axis="x") for body in bodies]


def together(name: str) -> ch.Coupling:
    return ch.Coupling(name, {"near rail": 1, "far rail": -1})


def formula(near: Any, far: Any) -> Any:
    return near[1][0] - far[1][0]


def with_coupling_and_weld() -> ch.Model:
    bodies, rails = sliders()
    return ch.Model(bodies, [*rails, ch.Fixed("weld", *bodies), together("tie")], [pull()])


def with_two_couplings() -> ch.Model:
    bodies, rails = sliders()
    return ch.Model(bodies, [*rails, together("tie"), together("another")], [pull()])


def with_two_formulas() -> ch.Model:
    bodies, rails = sliders()
    ties = [ch.CustomCoupling(name, ["near", "far"], formula) for name in ("tie", "another")]
    return ch.Model(bodies, [*rails, *ties], [pull()])


def with_formula_and_coupling() -> ch.Model:
    bodies, rails = sliders()
    tie = ch.CustomCoupling("another", ["near", "far"], formula)
    return ch.Model(bodies, [*rails, together("tie"), tie], [pull()])


def pull() -> ch.Force:
    return ch.Load("pull", "near", force=(6.0, 0, 0))


MODELS: dict[str, Callable[[], ch.Model]] = {
    "a coupling and a weld": with_coupling_and_weld,
    "two couplings": with_two_couplings,
    "two formulas": with_two_formulas,
    "a formula and a coupling": with_formula_and_coupling,
}


@pytest.mark.parametrize("name", MODELS)
def test_what_repeats_itself_still_moves_as_it_should(name):
    """6 N move 3 kg."""
    run = ch.simulate(MODELS[name](), 1.0, 0.05)
    assert run.position("far")[-1, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_the_repetition_is_reported(name):
    run = ch.simulate(MODELS[name](), 0.1, 0.05)
    assert run.redundancy is not None
    assert "tie" in str(run.redundancy)


@pytest.mark.parametrize("name", MODELS)
def test_refuse_means_couplings_too(name):
    """The weld repeats the rails by itself."""
    with pytest.raises(ch.RedundantConstraints):
        ch.simulate(MODELS[name](), 0.1, 0.05, redundant="refuse")


@pytest.mark.parametrize("name", ["two couplings", "two formulas", "a formula and a coupling"])
def test_shared_efforts_are_the_least(name):
    """Two couplings share what moves the far slider, 4 N: half each."""
    run = ch.simulate(MODELS[name](), 0.1, 0.05)
    efforts = [abs(run.effort(name)[-1]) for name in ("tie", "another")]
    np.testing.assert_allclose(efforts, [2.0, 2.0], rtol=1e-9)


def test_three_couplings_that_say_two_things_share_in_the_least_squares():
    """Three sliders in a ring of couplings: of efforts with the same sums the shortest.

    They are weighed by what they would accelerate: 1/m + 1/m' of the two sliders.
    """
    bodies, rails = sliders()
    third = ch.Body.box("third", (0.2, 0.2, 0.2), mass=3.0, position=(0, 2, 0))
    rails.append(ch.Prismatic("third rail", ch.GROUND, third, axis="x"))
    pairs = [("near", "far"), ("far", "third"), ("third", "near")]
    ties = [ch.Coupling(f"{a} {b}", {f"{a} rail": 1, f"{b} rail": -1}) for a, b in pairs]
    run = ch.simulate(ch.Model([*bodies, third], [*rails, *ties], [pull()]), 0.1, 0.05)
    found = [run.effort(tie.name, on=f"{a} rail")[-1] for tie, (a, _) in zip(ties, pairs)]
    ring = np.array([[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    needed = np.array([1.0 - 6.0, 2.0, 3.0])  # 1, 2 and 3 kg at 1 m/s^2; 6 N pull the first
    roots = np.sqrt([1 / 1 + 1 / 2, 1 / 2 + 1 / 3, 1 / 3 + 1 / 1])
    exact = np.linalg.lstsq(ring / roots, needed, rcond=None)[0] / roots
    np.testing.assert_allclose(ring @ np.array(found), needed, atol=1e-9)
    np.testing.assert_allclose(found, exact, atol=1e-7)
