"""Reference for mechanisms with one angle that turns on and on: energy gives its speed.

With the poses of all bodies as analytic functions of the angle q,

    M(q) q'^2 / 2 + V(q) = E,   M = sum of m |r'|^2 + w . I w   (' = d/dq by a complex step),

so that dt/dq = sqrt(M / (2 (E - V))), which has the period of a turn: its Fourier series is summed
and integrated to rounding, and t(q) inverted by Newton's method.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import chasles as ch

TINY = 1e-30


@dataclass(frozen=True)
class OneFreedom:
    """Bodies of a model, and pose(name, q) -> (R, r) of each, fit for complex q."""

    model: ch.Model
    pose: Callable

    def mass(self, q: float) -> float:
        """M(q), kg m^2."""
        total = 0.0
        for body in self.model.bodies:
            turn, place = self.pose(body.name, q + 1j * TINY)
            spin = turn.real.T @ (turn.imag / TINY)
            omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            velocity = place.imag / TINY
            total += body.mass * velocity @ velocity + omega @ np.array(body.inertia) @ omega
        return total

    def potential(self, q: float) -> float:
        """V(q), J."""
        weights = {body.name: body.mass for body in self.model.bodies}
        places = {name: self.pose(name, q)[1] for name in weights}
        return -sum(m * np.dot(self.model.gravity, places[name]) for name, m in weights.items())

    def solve(self, start: float, speed: float, times: np.ndarray, samples: int = 1024):
        """q at the times, from q = start and q' = speed > 0 at t = 0."""
        energy = self.mass(start) * speed**2 / 2 + self.potential(start)
        turn = 2 * np.pi * np.arange(samples) / samples
        kinetic = [energy - self.potential(start + q) for q in turn]
        assert min(kinetic) > 0, "it turns back"
        slowness = np.sqrt([self.mass(start + q) / (2 * t) for q, t in zip(turn, kinetic)])
        series = np.fft.rfft(slowness)[: samples // 2] / samples
        assert np.abs(series[-10:]).max() < 1e-14 * series[0].real, "too few samples"
        mean, waves = series[0].real, 2 * series[1:]
        orders = 1j * np.arange(1, samples // 2)
        q = np.asarray(times) / mean
        for _ in range(50):
            wave = np.exp(np.outer(q, orders))
            late = mean * q + ((wave - 1) @ (waves / orders)).real - times
            q -= late / (mean + (wave @ waves).real)
            if np.abs(late).max() < 1e-13:
                return start + q
        raise AssertionError("Newton's method did not converge")


def carried(body: ch.Body, frame: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R, r) of a body that is fixed in a frame (4, 4) which was at `start` at t = 0."""
    moved = frame @ np.linalg.inv(start)
    turn = moved[:3, :3] @ np.array(body.rotation)
    return turn, moved[:3, :3] @ np.array(body.position) + moved[:3, 3]
