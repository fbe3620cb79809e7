"""Starts at rest in a singular pose, from which several motions are possible: told, not guessed."""

import numpy as np
import pytest
from machines import net

import chasles as ch
from chasles.build.problem import choose_spaces, make_problem

ALONG = (3.0, -9.0, 0.0)


def bumped(bump=0.0, **more) -> ch.Model:
    """4 x 4 plates of 1 m, all in a plane where the bump is 0, on a hook at one corner."""
    return net(
        4, lambda x, y: bump * np.sin(1.3 * x + 0.7 * y * y), edge=1.0, plate=(0.8, 0.8, 0.1),
        hook=(-0.5, -0.5, 0), **more,
    )  # fmt: skip


def line(lengths=(0.2, 0.4), masses=(1.0, 1.0, 1.0), gravity=(0, -9.81, 0)):
    """Crank, coupler and rocker of a parallelogram, folded into the line of its ground."""
    short, long = lengths
    points = np.array([(0, 0, 0), (short, 0, 0), (short + long, 0, 0), (long, 0, 0)])
    links = [
        ch.Body.rod(name, mass=mass, between=points[list(ends)])
        for name, mass, ends in zip(
            ("crank", "coupler", "rocker"), masses, ((0, 1), (1, 2), (3, 2))
        )
    ]
    z = (0, 0, 1)
    joints = [
        ch.Revolute("A", ch.GROUND, "crank", points[0], z),
        ch.Cylindrical("B", "crank", "coupler", points[1], z),
        ch.Spherical("C", "coupler", "rocker", points[2]),
        ch.Revolute("D", "rocker", ch.GROUND, points[3], z),
    ]
    return ch.Model(links, joints, gravity=gravity)


def ends(model, steps, **options):
    """Where all bodies are after 0.2 s, by step."""
    runs = [ch.simulate(model, 0.2, step, **options) for step in steps]
    assert not any(run.warnings for run in runs)
    return [np.array([run.position(name)[-1] for name in model.body_names]) for run in runs]


@pytest.mark.parametrize("spaces", ["auto", "subgroups", "SE3", "SO3xR3"])
@pytest.mark.parametrize("bump", [0.0, 1e-7, 1e-6])
def test_a_flat_net_that_falls_is_refused(spaces, bump, refusal):
    text = refusal(
        lambda: ch.simulate(bumped(bump), 0.2, 1e-3, spaces=spaces), ch.InconsistentStart
    )
    assert "singular pose" in text and "several motions are possible" in text
    assert " to " in text and "singular='pass'" in text


@pytest.mark.parametrize("bump", [1e-5, 1e-3, 1e-2])
def test_a_net_that_is_a_little_bent_converges(bump):
    """Before, all within 3e-6 of flat ended anywhere within 1e-4 m, without a word."""
    coarse, middle, fine = ends(bumped(bump), (1e-3, 5e-4, 2.5e-4))
    first, second = np.abs(coarse - middle).max(), np.abs(middle - fine).max()
    assert second < 5e-9 and first > 10 * second  # of order four


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_flat_net_that_stays_in_its_plane_runs(spaces):
    """Rows depend on each other all along, and say the same."""
    model = bumped(gravity=ALONG)
    coarse, fine = ends(model, (2e-3, 1e-3), spaces=spaces)
    assert np.abs(coarse - fine).max() < 1e-9
    assert np.abs(fine[:, 2]).max() < 1e-12


def test_a_net_that_turns_in_its_plane_is_refused_where_its_weight_bends_it(refusal):
    """Its speed leads along no branch."""
    refusal(lambda: ch.simulate(bumped(spin=1.0), 0.2, 1e-3), ch.InconsistentStart)
    assert make_problem(choose_spaces(bumped(gravity=(0, 0, 0), spin=1.0), "auto")).solver


def test_a_folded_parallelogram_falls_along_a_branch_or_is_refused(refusal):
    """Cranks of equal mass fall alike, and it stays a parallelogram; others do not."""
    result = ch.simulate(line(), 0.1, 1e-4)
    turned = result.coordinate("A"), result.coordinate("D")
    assert turned[0] == pytest.approx(-turned[1], abs=1e-11) and np.abs(turned[0][-1]) > 0.1
    assert "several motions" in refusal(
        lambda: ch.simulate(line(masses=(1.0, 1.0, 2.0)), 0.1, 1e-4), ch.InconsistentStart
    )


def test_equations_and_a_run_that_passes_take_such_a_start():
    model = line(masses=(1.0, 1.0, 2.0))
    assert np.isfinite(ch.equations(model).acceleration).all()
    assert make_problem(choose_spaces(model, "auto"), damp=True).solver.redundancy is not None


def test_what_rests_there_is_not_refused():
    result = ch.simulate(line(gravity=(0, 0, 0)), 0.1, 1e-2)
    assert np.abs(result.velocity("crank")).max() == 0.0
