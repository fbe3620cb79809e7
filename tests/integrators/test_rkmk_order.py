"""Observed orders of the Munthe-Kaas methods where rotations do not commute and joints constrain.

Slopes are fitted to errors at several steps, above the rounding floor and below the steps at which
higher terms matter.  The logarithm of the error is averaged over a few starts, because the error of
a single one may pass through zero.
"""

import numpy as np
import pytest
from combinations import one_at_a_time
from mechanisms import SPACES, chain, moving

import chasles as ch

STARTS = 6
#: Order, seconds, and numbers of steps at which the error is that of the leading term.
METHODS = {
    "euler": (1, 0.26, (1024, 2048, 4096)),
    "midpoint": (2, 0.26, (128, 256, 512)),
    "heun": (2, 0.26, (128, 256, 512)),
    "kutta3": (3, 0.26, (96, 192, 384)),
    "bs3": (3, 0.26, (96, 192, 384)),
    "rk4": (4, 0.26, (96, 128, 192, 256)),
    "rk38": (4, 0.26, (96, 128, 192, 256)),
    "dopri5": (5, 0.32, (128, 144, 160, 184, 208, 232)),
    "tsit5": (5, 0.32, (128, 144, 160, 184, 208, 232)),
    "butcher6": (6, 0.26, (32, 40, 48, 64, 80)),
    "dop853": (8, 0.26, (10, 12, 14, 16, 18)),
}
RALSTON3 = ch.Tableau(
    [[0, 0, 0], [1 / 2, 0, 0], [0, 3 / 4, 0]], [2 / 9, 1 / 3, 4 / 9], [0, 1 / 2, 3 / 4]
)


def last_state(model, until, steps, **options):
    """Rotations, positions and velocities of all bodies at the end, in one vector."""
    result = ch.simulate(model, until, step=until / steps, save_every=steps, **options)
    state = result.state(-1)
    parts = (state.rotation, state.position, state.velocity, state.angular_velocity)
    return np.concatenate([part.ravel() for part in parts])


@pytest.fixture(scope="module")
def models():
    """Three bodies on a spherical, a revolute and a cylindrical joint, from a few starts."""
    return [start(np.random.default_rng(seed)) for seed in range(STARTS)]


def start(rng):
    return moving(chain(rng, ["spherical", "revolute", "cylindrical"]), rng, speed=1.0)


@pytest.fixture(scope="module")
def ends(models):
    """Where the models end, by time: order eight at a small step."""
    return {
        until: [last_state(model, until, 200, method="dop853") for model in models]
        for until in {until for _, until, _ in METHODS.values()}
    }


@pytest.fixture(scope="module")
def observed_order(models, ends):
    def measured(until, counts, **options):
        errors = [
            [np.linalg.norm(last_state(model, until, steps, **options) - end) for steps in counts]
            for model, end in zip(models, ends[until])
        ]
        mean = np.log(errors).mean(axis=0)
        return -np.polyfit(np.log(counts), mean, 1)[0]

    return measured


@pytest.mark.parametrize("name, space", one_at_a_time(METHODS, SPACES, base=("rk4", "SE3")))
def test_a_method_has_its_order_in_every_space(observed_order, name, space):
    order, until, counts = METHODS[name]
    close = 0.2 if name == "tsit5" else 0.1  # its leading term is so small that the next one shows
    observed = observed_order(until, counts, method=name, spaces=space)
    assert observed == pytest.approx(order, abs=close)


@pytest.mark.parametrize("name", ["rk4", "butcher6"])
def test_the_space_form_has_the_same_order(observed_order, name):
    order, until, counts = METHODS[name]
    observed = observed_order(until, counts, method=name, acceleration="space")
    assert observed == pytest.approx(order, abs=0.1)


def test_a_users_tableau_has_the_order_it_says(observed_order):
    assert RALSTON3.order == 3
    _, until, counts = METHODS["kutta3"]
    assert observed_order(until, counts, method=RALSTON3) == pytest.approx(3, abs=0.1)


def test_a_users_copy_of_rk4_takes_the_same_steps(models):
    a = [[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 1 / 2, 0, 0], [0, 0, 1, 0]]
    copy = ch.Tableau(a, [1 / 6, 1 / 3, 1 / 3, 1 / 6], name="mine")
    runs = [ch.simulate(models[0], 0.2, step=1e-2, method=method) for method in ("rk4", copy)]
    np.testing.assert_array_equal(runs[0].absolute, runs[1].absolute)
    assert runs[1].provenance["method"] == "mine"
    assert runs[1].provenance["order"] == 4


def test_the_motions_are_worth_measuring_on(models):
    """Every body turns a good way, about an axis that changes: brackets do not vanish."""
    for model in models:
        result = ch.simulate(model, 0.26, step=1e-3)
        for name in model.body_names:
            rates = result.angular_velocity(name)
            assert np.linalg.norm(rates, axis=1).mean() > 1.0  # rad/s
            assert np.linalg.norm(np.cross(rates[0], rates[-1])) > 0.1
