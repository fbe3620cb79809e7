"""Stiff forces between two bodies of loops whose rows repeat each other: all rows are met."""

from itertools import pairwise

import numpy as np
import pytest

import chasles as ch

X, Y, SLANTED = (1.0, 0.2, 0.0), (0.1, 1.0, 0.3), (0.4, -0.7, 0.9)


def ring(kinds, axes):
    """Bodies in a ring from the ground to the ground, all joints through one point, and a spring
    between each two neighbours."""
    rng = np.random.default_rng(len(kinds))
    places = rng.uniform(-0.5, 0.5, size=(len(kinds) - 1, 3))
    bodies = [
        ch.Body.box(f"link {k}", (0.3, 0.2, 0.1), mass=1.0 + k, position=place)
        for k, place in enumerate(places)
    ]
    chain = [ch.GROUND, *bodies, ch.GROUND]
    joints = []
    for k, (kind, axis) in enumerate(zip(kinds, axes)):
        pitch = {"pitch": 0.1 + 0.1 * k} if kind == "Helical" else {}
        at = (0.2, 0.1, -0.1)
        joints.append(getattr(ch, kind)(f"joint {k}", *chain[k : k + 2], at=at, axis=axis, **pitch))
    return bodies, joints


def sprung(bodies, joints, stiffness):
    springs = [
        ch.Spring(f"spring {k}", a, b, at=np.add(a.position, (0.3, 0.1, 0.2)), at_b=b.position,
                  stiffness=stiffness, damping=2.0)
        for k, (a, b) in enumerate(pairwise(bodies))
    ]  # fmt: skip
    return ch.Model(bodies, joints, springs, gravity=(1.0, -2.0, -9.81))


RINGS = {
    "slides": (("Prismatic",) * 4, (X, Y, SLANTED, X)),
    "slides in a plane": (("Prismatic",) * 3, (X, Y, np.add(X, Y))),
    "screws on one shaft": (("Helical", "Helical", "Revolute", "Cylindrical"), (X,) * 4),
    "sleeves on one shaft": (("Cylindrical", "Helical", "Cylindrical"), (Y,) * 3),
}


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("stiffness", [50.0, 1e6])
@pytest.mark.parametrize("method", ["linearly-implicit", "generalized-alpha", "rk4"])
@pytest.mark.parametrize("name", RINGS)
def test_with_all_rows_the_steps_are_those_with_the_rows_that_are_needed(name, method, stiffness):
    """Which rows are chosen of those that depend on each other makes no difference."""
    if method == "rk4":
        stiffness = min(stiffness, 50.0)
    model, runs = sprung(*ring(*RINGS[name]), stiffness), []
    for spaces, rows in (("auto", "needed"), ("SE3 relative", "all")):
        runs.append(ch.simulate(model, 0.1, 2e-3, method=method, spaces=spaces, rows=rows))
    assert runs[1].redundancy.rank < runs[1].redundancy.rows
    for joint in model.joints:
        assert np.abs(runs[1].violation(joint)).max() < 1e-13
    for body in model.body_names:
        mine, theirs = (run.position(body) for run in runs)
        np.testing.assert_allclose(theirs, mine, atol=1e-9 if method == "rk4" else 1e-7)
