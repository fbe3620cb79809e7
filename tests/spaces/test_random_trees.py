"""Every joint of a tree holds to rounding with the spaces that are chosen by themselves."""

import numpy as np
import pytest
from mechanisms import KINDS, moving, tree, worst_gap

import chasles as ch

EXACT = 1e-12
SPIN = 5.0  # rad/s and m/s, before the joints have their say


def random_tree(seed: int) -> ch.Model:
    """2 to 20 bodies, every kind of joint, random parents, frames and velocities."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 21))
    parents = [int(rng.integers(-1, k)) if k else -1 for k in range(count)]
    return moving(tree(rng, parents, rng.choice(KINDS, size=count), swap=True), rng, SPIN)


def relative_gap(model: ch.Model, spaces) -> float:
    """Over all joints and times, m or rad; relative to how far the bodies go, if beyond 1 m."""
    result = ch.simulate(model, 1.0, step=1e-3, spaces=spaces, save_every=10, progress=False)
    reach = max(np.abs(result.position(body)).max() for body in model.bodies)
    return worst_gap(result) / max(1.0, reach)


def check(seeds, compared: int) -> None:
    """All seeds with auto, the first few in the other spaces too."""
    gaps = {spaces: [] for spaces in ("auto", "SE3", "SO3xR3")}
    for count, seed in enumerate(seeds):
        model = random_tree(seed)
        assert not ch.designate(model).drifting
        for spaces, found in gaps.items():
            if spaces == "auto" or count < compared:
                found.append(relative_gap(model, spaces))
    print({spaces: f"median {np.median(g):.1e}, worst {max(g):.1e}" for spaces, g in gaps.items()})
    assert max(gaps["auto"]) < EXACT
    assert np.median(gaps["SE3"]) > 1e3 * EXACT
    assert np.median(gaps["SO3xR3"]) > 1e3 * EXACT


def test_every_tree_joint_holds_to_rounding_with_auto_spaces():
    check(range(16), compared=5)


@pytest.mark.slow
def test_every_tree_joint_of_200_random_trees_holds_to_rounding():
    check(range(200), compared=200)
