"""A free body that turns far in a step: what a run says of it, against Jacobi's elliptic functions.

Landau and Lifshitz, Mechanics, section 37: with I1 < I2 < I3 and M^2 > 2 E I2, in the body

    w1 = a1 cn(tau), w2 = a2 sn(tau), w3 = a3 dn(tau),

and the body precesses about its angular momentum at

    M (I1 w1^2 + I2 w2^2) / (I1^2 w1^2 + I2^2 w2^2).
"""

import warnings

import numpy as np
import pytest
from scipy.special import ellipj, ellipkinc

import chasles as ch
from chasles.run.motion_error import angles_of

SIZE = np.array([1.0, 2.0, 3.0])
INERTIA = np.array([13.0, 10.0, 5.0]) / 12.0  # of 1 kg, about x, y, z
#: The axes 1, 2, 3 of the section: -z, y, x.
AXES = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]], float)
PANELS, NODES = 4000, np.polynomial.legendre.leggauss(8)


def box(spin):
    body = ch.Body.box("box", SIZE, mass=1.0, angular_velocity=spin)
    return ch.Model([body], [], gravity=(0, 0, 0))


class FreeTop:
    """The motion from attitude 1 with a spin whose component along x is positive."""

    def __init__(self, spin):
        one, two, three = self.inertia = INERTIA[[2, 1, 0]]
        spin = AXES @ spin
        momentum2, twice = (self.inertia**2 @ spin**2), self.inertia @ spin**2
        assert spin[2] > 0 and momentum2 > twice * two
        self.momentum = np.sqrt(momentum2)
        high, low = twice * three - momentum2, momentum2 - twice * one
        self.sizes = np.sqrt(
            [
                high / (one * (three - one)),
                high / (two * (three - two)),
                low / (three * (three - one)),
            ]
        )
        self.rate = np.sqrt((three - two) * low / (one * two * three))
        self.modulus = (two - one) * high / ((three - two) * low)
        phase = np.arctan2(spin[1] / self.sizes[1], spin[0] / self.sizes[0])
        self.start = ellipkinc(phase, self.modulus)

    def spin(self, t):
        """In the body, (3,) or (3, T)."""
        sn, cn, dn, _ = ellipj(self.start + self.rate * np.asarray(t), self.modulus)
        return self.sizes.reshape(3, *[1] * np.ndim(t)) * np.array([cn, sn, dn])

    def precession(self, t):
        """The integral of its rate, by Gauss on short panels."""
        edges = np.linspace(0.0, t, PANELS + 1)
        half = 0.5 * (edges[1] - edges[0])
        times = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * NODES[0]).ravel()
        one, two, _ = self.inertia
        w1, w2, _ = self.spin(times) ** 2
        rates = self.momentum * (one * w1 + two * w2) / (one**2 * w1 + two**2 * w2)
        return half * (rates.reshape(PANELS, -1) @ NODES[1]).sum()

    def euler(self, angle, t):
        """Rz(angle) Rx(theta) Rz(psi): its last row is the angular momentum in the body."""
        along = self.inertia * self.spin(t) / self.momentum
        theta, psi = np.arccos(along[2]), np.arctan2(along[0], along[1])
        return about(2, angle) @ about(0, theta) @ about(2, psi)

    def rotation(self, t):
        turned = self.euler(0.0, 0.0).T @ self.euler(self.precession(t), t)
        return AXES.T @ turned @ AXES


def about(axis, angle):
    cosine, sine = np.cos(angle), np.sin(angle)
    one, two = [k for k in range(3) if k != axis]
    turn = np.eye(3)
    turn[one, one] = turn[two, two] = cosine
    turn[one, two], turn[two, one] = (-sine, sine) if axis != 1 else (sine, -sine)
    return turn


def missed(result, spin):
    """rad between the last attitude of a run and the exact one."""
    exact = FreeTop(spin).rotation(result.t[-1])
    return angles_of((exact.T @ result.rotation("box")[-1])[None])[0]


SPIN = np.array([100.0, 1000.0, 100.0])


def test_a_tight_tolerance_follows_jacobis_functions():
    result = ch.simulate(box(SPIN), 0.3, rtol=1e-13, atol=1e-14)
    assert missed(result, SPIN) < 1e-7
    exact = AXES.T @ FreeTop(SPIN).spin(result.t[-1])
    np.testing.assert_allclose(result.angular_velocity("box")[-1], exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("method", "until", "spaces"),
    [("heun", 0.2, "auto"), ("rk4", 0.5, "auto"), ("cf4", 0.5, "auto"), ("rk4", 0.1, "SE3"),
     ("rk4", 0.1, "SO3xR3")],
)  # fmt: skip
def test_an_attitude_that_is_lost_is_told_though_the_energy_is_kept(method, until, spaces):
    with pytest.warns(ch.ChaslesWarning, match="attitude of 'box'") as told:
        result = ch.simulate(box(SPIN), until, 1e-3, method=method, spaces=spaces)
    assert result.provenance.imbalance < 0.01 and result.status == "finished"
    assert missed(result, SPIN) > 0.05
    message = str(told[0].message)
    assert result.warnings == (message,)
    step = float(message.split("Take a smaller step (")[1].split(" s would do")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        better = ch.simulate(box(SPIN), until, step, method=method, spaces=spaces)
    assert missed(better, SPIN) < 0.1


@pytest.mark.parametrize(
    ("method", "until", "step"),
    [("dop853", 1.0, 1e-3), ("rk4", 0.03, 1e-3), ("rk4", 0.3, 2.5e-4), ("gauss6", 0.3, 1e-3)],
)
def test_an_attitude_that_is_right_raises_no_alarm_however_fast_the_spin(method, until, step):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(box(SPIN), until, step, method=method)
    assert missed(result, SPIN) < 0.02


@pytest.mark.parametrize("spin", [(800.0, 0, 0), (0, 0, 800.0)])
def test_a_spin_about_a_principal_axis_is_exact_at_any_angle_in_a_step(spin):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(box(spin), 0.5, 1e-3, method="heun")
    axis = int(np.argmax(spin))
    exact = about(axis, 800.0 * 0.5)
    assert angles_of((exact.T @ result.rotation("box")[-1])[None])[0] < 1e-9


def test_what_is_looked_at_does_not_change_the_run_nor_its_counts():
    slow = ch.simulate(box(SPIN), 0.02, 1e-3, method="rk4")
    assert slow.provenance.evaluations == 80 and slow.provenance.steps == 20
    again = ch.simulate(box(SPIN), 0.02, 1e-3, method="gauss4")
    counted = again.provenance
    assert counted.evaluations == counted.steps + 2 * counted.iterations


@pytest.mark.parametrize(
    ("spin", "method", "until"), [((1, 249, 1), "heun", 10.0), ((1, 240, 1), "rk4", 60.0)]
)
def test_very_many_steps_of_less_are_looked_at_too(spin, method, until):
    """About the axis of the middle moment, which is not stable: attitudes are lost in the end."""
    with pytest.warns(ch.ChaslesWarning, match="attitude of 'box' misses"):
        ch.simulate(box(spin), until, step=1e-3, method=method, save_every=1000)
