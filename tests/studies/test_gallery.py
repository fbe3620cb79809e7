"""The gallery's models move, are the same for the same seed, and hold as theory says."""

import numpy as np
import pytest

import chasles as ch
from chasles.studies import gallery

FEW_LOOPS, MANY_LOOPS = 12, 50


def largest(run: ch.Result) -> float:
    parts = ("translation", "rotation")
    return max(run.violation(j, part=part).max() for j in run.model.joint_names for part in parts)


def check_loop(seed: int) -> None:
    model = gallery.random_loop(seed)
    run = ch.simulate(model, 1.0, 1e-3, stabilise="projection")
    assert largest(run) < 1e-10
    assert largest(ch.simulate(model, 1.0, 1e-3)) > largest(run)


@pytest.mark.parametrize("seed", range(FEW_LOOPS))
def test_projected_loops_stay_closed(seed):
    check_loop(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FEW_LOOPS, MANY_LOOPS))
def test_many_projected_loops_stay_closed(seed):
    check_loop(seed)


def test_loops_are_of_all_sizes_and_free_to_move():
    models = [gallery.random_loop(seed) for seed in range(MANY_LOOPS)]
    assert {len(model.bodies) for model in models} == set(range(3, 9))
    kinds = {joint.kind for model in models for joint in model.joints}
    assert kinds == {"spherical", "revolute"}
    assert min(model.degrees_of_freedom for model in models) >= 2
    for model in models:
        assert np.linalg.matrix_rank(ch.equations(model).jacobian) == len(ch.equations(model).rows)


@pytest.mark.parametrize("kind", gallery.PAIRS)
def test_lower_pairs_hold_where_their_chart_is_relative(kind):
    for model in (gallery.grounded_pair(kind), gallery.moving_pair(kind)):
        assert largest(ch.simulate(model, 1.0, 1e-3)) < 1e-12


def test_lower_pairs_between_moving_bodies_drift_where_the_chart_is_absolute():
    for kind in gallery.PAIRS:
        for spaces in ("SE3", "SO3xR3", "SO3xR3 on joints"):
            run = ch.simulate(gallery.moving_pair(kind), 1.0, 1e-3, spaces=spaces)
            assert largest(run) > 1e-10


@pytest.mark.parametrize("seed", range(6))
def test_trees_hold_to_rounding(seed):
    run = ch.simulate(gallery.random_tree(seed), 1.0, 1e-3)
    assert largest(run) < 1e-12
    assert largest(ch.simulate(gallery.random_tree(seed), 1.0, 1e-3, spaces="SE3")) > 1e-10


def test_the_same_seed_gives_the_same_model():
    for make in (gallery.random_tree, gallery.random_loop):
        assert make(4) == make(4)
        assert make(4) != make(5)


@pytest.mark.parametrize("spin", [0.0, 4.0])
def test_chains_run(spin):
    for model in (gallery.chain(5, spin=spin), gallery.chain(4, "revolute", spin)):
        assert largest(ch.simulate(model, 0.1, 1e-3)) < 1e-13


def test_unknown_pairs_are_named():
    with pytest.raises(ch.UnknownName, match="sperical"):
        gallery.joint_of("sperical", "j", "ground", "b", np.zeros(3), np.ones(3))
