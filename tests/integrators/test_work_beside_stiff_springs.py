r"""The work of stiff springs, dampers and drivers in linearly implicit steps, beside closed forms.

A driven cart pulls a load by a spring and a damper,

$$ m\ddot x = -k(x - u) - c(\dot x - \dot u), \qquad u = a(1 - \cos wt), $$

linear with constant coefficients, so that $y = \sum_i v_i e^{s_i t}$, and what a quadratic form of
it adds up to is a sum of $(e^{(s_i + s_j)t} - 1)/(s_i + s_j)$.
"""

import warnings
from itertools import product

import numpy as np
import pytest

import chasles as ch

CART, LOAD, AMPLITUDE, PACE, UNTIL = 2.0, 3.0, 0.1, 6.0, 0.4
#: Share of the energy of the motion by which works may be wrong without a word.
SILENT = 0.05
STIFFNESSES, DAMPINGS = (1e2, 1e4, 1e6, 1e8, 1e10), (0.0, 1.0, 1e3, 1e6)


def drawn_model(stiffness, damping, stretch, pace):
    cart = ch.Body.sphere("cart", radius=0.1, mass=CART)
    load = ch.Body.sphere("load", radius=0.1, mass=LOAD, position=(1 + stretch, 0, 0))
    rails = [
        ch.Prismatic(f"rail of {body.name}", ch.GROUND, body, at=body.position, axis="x")
        for body in (cart, load)
    ]
    rope = ch.Spring(
        "rope", cart, load, at=(0, 0, 0), at_b=load.position, stiffness=stiffness,
        damping=damping, rest_length=1.0,
    )  # fmt: skip
    move = ch.Signal(
        lambda t: AMPLITUDE * (1 - np.cos(pace * t)),
        lambda t: AMPLITUDE * pace * np.sin(pace * t),
        lambda t: AMPLITUDE * pace**2 * np.cos(pace * t),
    )
    drive = ch.Driver("drive", "rail of cart", move)
    return ch.Model([cart, load], rails, forces=[rope], drivers=[drive], gravity=(0, 0, 0))


def exact_works(stiffness, damping, stretch, pace):
    """Works of the damper and of the driver until the end, and the energy that moves."""
    k, c, w, m = stiffness, damping, pace, LOAD
    # y = (x - u, its rate, cos wt, sin wt)
    rate = np.zeros((4, 4))
    rate[0, 1], rate[2, 3], rate[3, 2] = 1.0, -w, w
    rate[1] = -k / m, -c / m, -AMPLITUDE * w**2, 0.0
    s, v = np.linalg.eig(rate)
    modes = v * np.linalg.solve(v, np.array([stretch, 0.0, 1.0, 0.0], complex))

    def added_up(one, other):
        """The integral of (one . y)(other . y)."""
        sums, of = s[:, None] + s[None, :], np.outer(one @ modes, other @ modes)
        still = np.abs(sums) < 1e-9
        grown = np.expm1(np.where(still, 0.0, sums) * UNTIL)
        parts = np.where(still, UNTIL, grown / np.where(still, 1.0, sums))
        return float((of * parts).sum().real)

    gap_rate, pull = np.array([0, 1.0, 0, 0]), np.array([k, c, 0, 0])
    cart_rate, cart_push = AMPLITUDE * w * np.eye(4)[3], CART * AMPLITUDE * w**2 * np.eye(4)[2]
    times = np.linspace(0.0, UNTIL, 2001)
    y = (modes @ np.exp(np.outer(s, times))).real
    speed = y[1] + AMPLITUDE * w * y[3]
    moving = max(np.ptp(0.5 * LOAD * speed**2), 0.5 * k * stretch**2)
    return -c * added_up(gap_rate, gap_rate), added_up(cart_push - pull, cart_rate), moving


def run_of(stiffness, damping, stretch, pace, step):
    model = drawn_model(stiffness, damping, stretch, pace)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = ch.simulate(model, UNTIL, step, method="linearly-implicit")
    return run, told


@pytest.mark.parametrize(
    "stretch, pace, step",
    [
        (0.0, PACE, 2e-3), (1e-3, 0.0, 2e-3), (1e-3, PACE, 2e-3),
        (0.0, PACE, 1e-4), (1e-3, PACE, 1e-4),
        pytest.param(1e-3, 0.0, 1e-4, marks=pytest.mark.slow),  # part of the one before
    ],
)  # fmt: skip
def test_works_are_those_of_the_closed_form_or_the_run_says_that_they_are_not(stretch, pace, step):
    silent = 0
    for stiffness, damping in product(STIFFNESSES, DAMPINGS):
        run, told = run_of(stiffness, damping, stretch, pace, step)
        if told:
            continue
        silent += 1
        damped, driven, moving = exact_works(stiffness, damping, stretch, pace)
        allowed = SILENT * moving
        case = stiffness, damping, damped, driven, moving
        assert run.work("rope")[-1] == pytest.approx(damped, abs=allowed), case
        assert run.work("drive")[-1] == pytest.approx(driven, abs=allowed), case
        assert np.abs(run.energy_balance()).max() < allowed, case
    assert silent >= (4 if stretch else 18)


@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
def test_the_work_of_a_driver_beside_a_stiff_spring_is_that_of_a_rod(stiffness):
    """m v^2 / 2 of both, to the order of the steps."""
    run, told = run_of(stiffness, 0.0, 0.0, PACE, 1e-4)
    speed = AMPLITUDE * PACE * np.sin(PACE * UNTIL)
    assert run.work("drive")[-1] == pytest.approx(0.5 * (CART + LOAD) * speed**2, rel=0.02)
    assert not told


@pytest.mark.parametrize("damping", [0.0, 100.0, 1e5])
def test_a_vibration_that_is_damped_unresolved_is_told(damping):
    """50 J of a spring that is stretched by 1 mm: the load comes to rest, and no work has them."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(1.001, 0, 0))
    spring = ch.Spring(
        "spring", ch.GROUND, ball, at=(0, 0, 0), at_b=ball.position, stiffness=1e8,
        damping=damping, rest_length=1.0,
    )  # fmt: skip
    model = ch.Model([ball], forces=[spring], gravity=(0, 0, 0))
    with pytest.warns(ch.ChaslesWarning, match=r"misses \d.* J.*vibrations of stiff forces"):
        run = ch.simulate(model, 0.1, 2e-3, method="linearly-implicit")
    assert abs(run.work("spring")[-1]) < 5.0
