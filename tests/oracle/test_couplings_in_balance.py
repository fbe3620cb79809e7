"""Reactions beside couplings: what a rail tells adds up, wherever the rail is beside its body."""

import numpy as np
import pytest
from oracle.balancing import out_of_balance

import chasles as ch


def tied(ends: tuple[str, str], couple: bool) -> ch.Model:
    """Two bodies on rails that are not at their centres of mass, one pulled, one dragged along."""
    bodies = [
        ch.Body.box(name, (0.2, 0.2, 0.2), mass=1.0 + k, position=(0, k, 0))
        for k, name in enumerate(("near", "far"))
    ]
    rails = []
    for k, body in enumerate(bodies):
        a, b = (body, ch.GROUND) if ends == ("body", "ground") else (ch.GROUND, body)
        rails.append(ch.Prismatic(f"rail {k}", a, b, at=(0.3, k, 1.0), axis="x"))
    pull = ch.Load("pull", "near", force=(6.0, 0, 0))
    if couple:
        return ch.Model(bodies, [*rails, ch.Coupling("tie", {"rail 0": 1, "rail 1": -1})], [pull])
    sign = -1.0 if ends == ("body", "ground") else 1.0
    laws = [
        ch.JointLaw(f"law {k}", f"rail {k}", lambda t, q, rate, push=push: sign * push)
        for k, push in enumerate((-4.0, 4.0))
    ]
    return ch.Model(bodies, rails, [pull, *laws])


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
@pytest.mark.parametrize("ends", [("ground", "body"), ("body", "ground")])
def test_a_coupling_on_a_rail_acts_along_the_rail(ends, spaces):
    """6 N move 3 kg; 4 N of them go to the far body of 2 kg, as two forces along the rails do."""
    found = ch.simulate(tied(ends, True), 0.5, 0.01, spaces=spaces)
    forced = ch.simulate(tied(ends, False), 0.5, 0.01, spaces=spaces)
    assert found.velocity("far")[-1, 0] == pytest.approx(1.0, abs=1e-9)
    for joint in ("rail 0", "rail 1"):
        mine, theirs = found.reaction(joint), forced.reaction(joint)
        np.testing.assert_allclose(mine.force, theirs.force, atol=1e-9)
        np.testing.assert_allclose(mine.torque, theirs.torque, atol=1e-9)
    assert out_of_balance(found) < 1e-9


@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3", "auto"])
@pytest.mark.parametrize(
    "method", ["rk4", "generalized-alpha", "generalized-alpha index 2", "bliedf2", "rattlie"]
)
def test_a_coupling_beside_a_rod_that_does_the_same_shares_with_it(method, spaces):
    """800 N move 3 kg: rod and coupling pull the far body of 2 kg with two thirds, together."""
    bodies = [
        ch.Body.box(name, (0.2, 0.2, 0.2), mass=1.0 + k, position=(k, 0, 0))
        for k, name in enumerate(("near", "far"))
    ]
    rails = [ch.Prismatic(f"{body.name} rail", ch.GROUND, body, axis="x") for body in bodies]
    rod = ch.Distance("rod", *bodies, at=(0, 0, 0.05), at_b=(1, 0, 0.05))
    tie = ch.Coupling("tie", {"near rail": 1, "far rail": -1})
    pull = ch.Load("pull", "near", force=(800.0, 0, 0))
    run = ch.simulate(ch.Model(bodies, [*rails, rod, tie], [pull]), 0.05, 0.01,
                      method=method, spaces=spaces)  # fmt: skip
    both = abs(run.reaction("rod").on("far")[0][-1, 0] + run.effort("tie", on="far rail")[-1])
    assert both == pytest.approx(1600.0 / 3.0, rel=1e-6)
    assert out_of_balance(run) < 1e-6
