"""Observed orders on joint subgroups, where rotations do not commute."""

import numpy as np
import pytest
from mechanisms import chain, moving
from subgroup_runs import run_of

from chasles.build.dynamics.tree_problem import TreeProblem

#: Order, seconds, and numbers of steps at which the error is that of the leading term.
METHODS = {
    "euler": (1, 0.26, (1024, 2048, 4096)),
    "midpoint": (2, 0.26, (128, 256, 512)),
    "heun": (2, 0.26, (128, 256, 512)),
    "kutta3": (3, 0.26, (96, 192, 384)),
    "rk4": (4, 0.26, (96, 128, 192, 256)),
    "rk38": (4, 0.26, (96, 128, 192, 256)),
    "dopri5": (5, 0.32, (128, 144, 160, 184, 208, 232)),
    "butcher6": (6, 0.26, (32, 40, 48, 64, 80)),
    "dop853": (8, 0.26, (20, 24, 28, 32)),
}
STARTS = 6


@pytest.fixture(scope="module")
def problems():
    """Balls, hinges, sleeves and plates in series from a few starts."""
    found = []
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        kinds = ["spherical", "revolute", "cylindrical", "planar", "spherical"]
        found.append(TreeProblem.from_model(moving(chain(rng, kinds), rng, speed=1.0)))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_every_tableau_has_its_order(problems, method):
    order, until, counts = METHODS[method]
    errors = np.zeros(len(counts))
    for problem in problems:
        end = run_of(problem, until, until / 400, "dop853", save_every=400).absolute[-1]
        for k, steps in enumerate(counts):
            run = run_of(problem, until, until / steps, method, save_every=steps)
            errors[k] += np.log(np.abs(run.absolute[-1] - end).max())
    slope = -np.polyfit(np.log(counts), errors / len(problems), 1)[0]
    assert slope == pytest.approx(order, abs=0.15 if order < 8 else 0.4)
