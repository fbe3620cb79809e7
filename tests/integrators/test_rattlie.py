"""RATTLie and its compositions: orders, constraints, symmetry, energy over long times, refusals."""

import mpmath
import numpy as np
import pytest
from combinations import pairwise
from mechanisms import (
    double_pendulum,
    floating_pair,
    heavy_top,
    make_joint,
    moving,
    random_body,
    three_bar,
)
from runs import MECHANISMS, last, observed_order, slipping, there_and_back

import chasles as ch
from chasles.core.arrays import SE3_CODE
from chasles.groups.se3 import se3_dexp_inv
from chasles.integrators.compositions import composition
from chasles.integrators.rattlie import RATTLIE
from chasles.integrators.rattlie_momenta import moved_momentum

SPACES = ("SE3", "SO3xR3")
#: Numbers of steps at which the error is that of the leading term.
COUNTS = {
    2: (128, 181, 256, 362),
    4: (64, 91, 128, 181),
    6: (40, 48, 56, 64),
    8: (20, 24, 28, 32),
}
#: Where errors of order 8 are above rounding, and its leading term is well above the next.
EIGHT = {
    "top": (28, 32, 36, 40),
    "pendulum": (34, 36, 38, 40, 42),
    "three-bar": (17, 18, 20, 22),
    "bushing": COUNTS[8],
    "driven": (34, 40, 48, 56),
}


@pytest.mark.parametrize(
    "method, mechanism, space", pairwise(["rattlie", "rattlie4", "rattlie6"], MECHANISMS, SPACES)
)
def test_rattlie_and_its_compositions_have_their_orders(ends, method, mechanism, space):
    make, until = MECHANISMS[mechanism]
    order = RATTLIE[method]
    counts = (20, 24, 28, 32) if (order, mechanism) == (6, "three-bar") else COUNTS[order]
    options = {"method": method, "spaces": space}
    observed = observed_order(make(), until, ends[mechanism], counts, **options)
    assert observed == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("mechanism", EIGHT)
def test_order_eight(ends, mechanism, space):
    make, until = MECHANISMS[mechanism]
    options = {"method": "rattlie8", "spaces": space}
    observed = observed_order(make(), until, ends[mechanism], EIGHT[mechanism], **options)
    assert observed == pytest.approx(8, abs=0.15)


@pytest.mark.parametrize("order", RATTLIE.values())
def test_compositions_raise_the_order_of_the_leapfrog(order):
    """The pendulum in 40 digits: nothing of this package but the coefficients."""
    mpmath.mp.dps = 40

    def end(order, steps):
        q, p, whole = mpmath.mpf(1), mpmath.mpf("0.5"), mpmath.mpf(2) / steps
        for _ in range(steps):
            for length in composition(order):
                h = mpmath.mpf(length) * whole
                p -= h / 2 * mpmath.sin(q)
                q += h * p
                p -= h / 2 * mpmath.sin(q)
        return q, p

    exact = end(8, 300)
    first, second = (mpmath.norm([a - b for a, b in zip(end(order, n), exact)]) for n in (20, 40))
    assert mpmath.log(first / second, 2) == pytest.approx(order, abs=0.02)


def test_the_transpose_of_dexp_inv_is_its_transpose():
    rng = np.random.default_rng(1)
    x = tuple(rng.standard_normal(3)), tuple(rng.standard_normal(3))

    def split(column):
        return tuple(column[:3]), tuple(column[3:])

    matrix = np.array([np.concatenate(se3_dexp_inv(x, split(e))) for e in np.eye(6)]).T
    moved = [np.concatenate(moved_momentum(SE3_CODE, x, split(e))) for e in np.eye(6)]
    np.testing.assert_allclose(np.array(moved).T, matrix.T, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "method, make, space",
    pairwise(["rattlie", "rattlie4"], [heavy_top, double_pendulum, three_bar], SPACES),
)
def test_there_and_back_meet_at_rounding(method, make, space):
    missed, far = there_and_back(make(), 5e-4, 100, method=method, spaces=space)
    assert far > 1.0
    assert missed < 2e-11


def secular(make, step, steps, **options):
    """(Drift of the energy by regression over the run, its amplitude), both over T0; the run."""
    result = ch.simulate(make(), step * steps, step=step, save_every=steps // 2000, **options)
    energy = (result.energy() - result.energy()[0]) / result.kinetic_energy()[0]
    return abs(np.polyfit(result.t, energy, 1)[0]) * result.t[-1], np.ptp(energy), result


def assert_kept(make, step, steps, **options):
    """Rounding may add up, an ulp for each of the steps that a step is composed of."""
    drift, amplitude, result = secular(make, step, steps, **options)
    rounded = 2.0**-52 * steps * len(composition(RATTLIE[options["method"]]))
    assert drift < 0.05 * amplitude + rounded
    assert max(result.violation(name).max() for name in result.model.joint_names) < 1e-11
    assert slipping(result) < 1e-11


@pytest.mark.parametrize(
    "method, make, space", pairwise(["rattlie", "rattlie4"], [heavy_top, three_bar], SPACES)
)
@pytest.mark.parametrize("steps", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_energy_has_no_drift_and_joints_hold(method, make, space, steps):
    assert_kept(make, 1e-3 if make is three_bar else 5e-4, steps, method=method, spaces=space)


@pytest.mark.slow
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("make", [heavy_top, three_bar])
@pytest.mark.parametrize("method", RATTLIE)
def test_energy_has_no_drift_and_joints_hold_over_1e6_steps(method, make, space):
    step = {"rattlie": 5e-4, "rattlie4": 5e-4, "rattlie6": 1e-3, "rattlie8": 1.5e-3}[method]
    assert_kept(make, step, 1_000_000, method=method, spaces=space)


@pytest.mark.parametrize("space", SPACES)
def test_momenta_of_symmetries_are_kept_to_rounding(space):
    result = ch.simulate(floating_pair(), 2.0, step=1e-3, method="rattlie", spaces=space)
    spin, path = result.angular_momentum(), result.momentum()
    assert np.abs(spin - spin[0]).max() < 1e-12 * np.linalg.norm(spin[0])
    assert np.abs(path - path[0]).max() < 1e-12


def test_forces_that_depend_on_velocities_do_work_that_balances():
    """The books are kept by the trapezoidal rule: of order 2, as the motion."""
    misses = []
    for step in (2e-3, 1e-3):
        make, until = MECHANISMS["bushing"]
        result = ch.simulate(make(), until, step=step, method="rattlie")
        misses.append(np.abs(result.energy_balance() - result.energy_balance()[0]).max())
    assert np.log2(misses[0] / misses[1]) == pytest.approx(2, abs=0.2)


def planar_and_free():
    """A slider on a plane, a wheel on a screw, a ball on a pivot, and a body that flies."""
    rng = np.random.default_rng(5)
    bodies = [random_body(rng, f"body {k}", (k, 0.2, 0.1)) for k in range(4)]
    kinds = ("planar", "helical", "spherical")
    joints = [
        make_joint(kind, kind, ch.GROUND, body, at=(k + 0.1, 0, 0), axis=(0.3, 1, 0.2))
        for k, (kind, body) in enumerate(zip(kinds, bodies))
    ]
    spring = ch.Spring("spring", bodies[2], bodies[3], at=(2, 0.3, 0), at_b=(3, 0, 0.2),
                       stiffness=40.0, damping=1.0)  # fmt: skip
    model = moving(ch.Model(bodies, joints, gravity=(1.0, -2.0, -9.0)), rng)
    return ch.Model(model.bodies, joints, gravity=model.gravity, forces=[spring])


@pytest.mark.parametrize("make", [heavy_top, planar_and_free])
@pytest.mark.parametrize("method", ["rattlie", "rattlie4", "rattlie6"])
def test_it_has_its_order_on_the_ground(method, make):
    until = 0.06 if make is heavy_top else 0.3
    end = last(make(), until, 1000, method="dop853", spaces="subgroups")
    options = {"method": method, "spaces": "subgroups"}
    observed = observed_order(make(), until, end, COUNTS[RATTLIE[method]], **options)
    assert observed == pytest.approx(RATTLIE[method], abs=0.1)


@pytest.mark.parametrize("steps", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_on_subgroups_the_energy_has_no_drift_and_steps_are_symmetric(steps):
    assert_kept(heavy_top, 5e-4, steps, method="rattlie", spaces="subgroups")
    missed, _ = there_and_back(heavy_top(), 5e-4, 100, method="rattlie4", spaces="subgroups")
    assert missed < 2e-11


def test_auto_means_the_charts_of_the_paper():
    result = ch.simulate(double_pendulum(), 0.01, step=1e-3, method="rattlie")
    assert set(result.provenance.spaces.values()) == {"SE3"}


def test_stabilisers_and_rolling_are_refused_by_name():
    options = {"method": "rattlie", "spaces": "SO3xR3", "stabilise": "projection"}
    with pytest.raises(ch.InvalidOption, match="closes the joints itself"):
        ch.simulate(double_pendulum(), 0.01, step=1e-3, **options)
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 0.1))
    roll = ch.RollingSphere("roll", ch.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1), radius=0.1)
    with pytest.raises(ch.InvalidOption, match="'roll' restricts speeds"):
        ch.simulate(ch.Model([ball], [roll]), 0.01, step=1e-3, method="rattlie")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("until", [8.0, pytest.param(40.0, marks=pytest.mark.slow)])
def test_rounding_does_not_add_up_to_a_drift_of_the_momentum(space, until):
    """A link that spins about a pivot without forces keeps |I w|; 10^5 steps may take a walk of
    some hundred ulps at the most, and an ulp for each of them would be 2e-11.
    """
    link = ch.Body.box(
        "link", size=(0.3, 0.1, 0.2), mass=2.0, position=(0.4, 0, 0), angular_velocity=(40, 3, 1)
    )
    pivot = ch.Spherical("pivot", ch.GROUND, link, at=(0, 0, 0))
    model = ch.Model([link], [pivot], gravity=(0, 0, 0))
    run = ch.simulate(model, until, step=1e-4, method="rattlie", spaces=space, save_every=10_000)
    momentum = np.linalg.norm(run.angular_momentum(), axis=1)
    assert np.abs(momentum / momentum[0] - 1).max() < 1e-12


@pytest.mark.parametrize("method", ["rattlie", "rattlie4"])
@pytest.mark.parametrize("held", ["spring", "stop", "floor", "bushing"])
def test_what_rests_on_a_force_goes_on_resting(method, held):
    """Weight and force cancel, and all that an iteration changes is round-off."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, -1.0))
    rail = ch.Prismatic("rail", ch.GROUND, ball, axis="z")
    force = {
        "spring": ch.JointSpring("spring", rail, stiffness=1e5, damping=10.0),
        "stop": ch.JointStop("stop", rail, lower=-0.3, stiffness=1e5, damping=10.0),
        "floor": ch.Contact("floor", ch.GROUND, ball, (0, 0, -1.1), stiffness=1e5, dissipation=1.0),
        "bushing": ch.Bushing("bushing", ch.GROUND, ball, (0, 0, -1), [1e5] * 6, [10.0] * 6),
    }[held]
    model = ch.Model([ball], [rail], [force])
    rest = ch.equilibrium(model).state
    run = ch.simulate(model, until=0.5, step=1e-3, method=method, start=rest)
    assert np.ptp(run.coordinate("rail")) < 1e-14 and run.warnings == ()
