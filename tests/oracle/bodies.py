"""All bodies at one instant, and the points and axes that they carry.

A state holds for every body r, a quaternion (w, x, y, z), v and omega, the last two in world axes,
and behind them the angles of hinges, which a pose would give but for whole turns.
"""

from typing import Any

import numpy as np
from oracle.jets import Floats, Jet, cross, hat

import chasles as ch

WIDTH = 13  # numbers of a body in a state
TURN, MOVE, SPIN = 3, 7, 10  # where its quaternion, velocity and angular velocity begin
GROUND = ch.GROUND.name
UNITS, NOTHING = np.eye(3), np.zeros(3)


def rotation_of(quaternion: Floats) -> Floats:
    w, x, y, z = quaternion / np.sqrt(quaternion @ quaternion)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def quaternion_of(rotation: Floats) -> Floats:
    """The eigenvector of the greatest eigenvalue of Bar-Itzhack's matrix."""
    r = np.asarray(rotation, float)
    k = np.array(
        (
            (r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
            (0.0, r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]),
            (0.0, 0.0, r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]),
            (0.0, 0.0, 0.0, r[2, 2] - r[0, 0] - r[1, 1]),
        )
    )
    return np.linalg.eigh(k, UPLO="U")[1][:, -1]


def quaternion_rate(quaternion: Floats, omega: Floats) -> Floats:
    """Half of omega times q, omega in world axes."""
    w, x, y, z = quaternion
    a, b, c = omega
    return 0.5 * np.array(
        (
            -a * x - b * y - c * z,
            a * w + b * z - c * y,
            b * w + c * x - a * z,
            c * w + a * y - b * x,
        )
    )


class Start:
    """Where points and axes that the user gave in the world are carried by their bodies."""

    def __init__(self, model: ch.Model) -> None:
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.index[GROUND] = -1
        self.rotation = [np.array(body.rotation) for body in model.bodies]
        self.position = [np.array(body.position) for body in model.bodies]

    def point(self, body: str, at: Any) -> tuple[int, Floats]:
        k = self.index[body]
        if k < 0:
            return k, np.array(at, float)
        return k, self.rotation[k].T @ (np.array(at, float) - self.position[k])

    def axis(self, body: str, along: Any) -> tuple[int, Floats]:
        k = self.index[body]
        return k, (np.array(along, float) if k < 0 else self.rotation[k].T @ np.array(along, float))


class Bodies:
    """Positions, rotations and velocities of all bodies at one instant."""

    def __init__(self, state: Floats, count: int) -> None:
        rows = state[: WIDTH * count].reshape(count, WIDTH)
        self.count, self.width = count, 6 * count
        self.r, self.quaternion = rows[:, :TURN], rows[:, TURN:MOVE]
        self.v, self.omega = rows[:, MOVE:SPIN], rows[:, SPIN:]
        self.rotation = [rotation_of(q) for q in self.quaternion]
        self.velocities = rows[:, MOVE:].ravel()

    def pose(self, body: int) -> tuple[Floats, Floats]:
        return (UNITS, NOTHING) if body < 0 else (self.rotation[body], self.r[body])

    def twist(self, body: int) -> tuple[Floats, Floats]:
        """v and omega in world axes."""
        return (NOTHING, NOTHING) if body < 0 else (self.v[body], self.omega[body])

    def point(self, carried: tuple[int, Floats]) -> Jet:
        """r + R s: its velocity is v + omega x s, its acceleration a + alpha x s + ..."""
        body, local = carried
        slope = np.zeros((3, self.width))
        if body < 0:
            return Jet(local, NOTHING, slope, NOTHING)
        arm, omega = self.rotation[body] @ local, self.omega[body]
        slope[:, 6 * body : 6 * body + 3] = UNITS
        slope[:, 6 * body + 3 : 6 * body + 6] = -hat(arm)
        turning = cross(omega, arm)
        return Jet(self.r[body] + arm, self.v[body] + turning, slope, cross(omega, turning))

    def axis(self, carried: tuple[int, Floats]) -> Jet:
        """R e, a direction that the body carries."""
        body, local = carried
        slope = np.zeros((3, self.width))
        if body < 0:
            return Jet(local, NOTHING, slope, NOTHING)
        along, omega = self.rotation[body] @ local, self.omega[body]
        slope[:, 6 * body + 3 : 6 * body + 6] = -hat(along)
        turning = cross(omega, along)
        return Jet(along, turning, slope, cross(omega, turning))

    def spin(self, body: int) -> Floats:
        """The columns that pick omega of a body out of all velocities."""
        slope = np.zeros((3, self.width))
        if body >= 0:
            slope[:, 6 * body + 3 : 6 * body + 6] = UNITS
        return slope


def square_to(z: Any) -> tuple[Floats, Floats]:
    """x and y of a right-handed frame along z: x is the world axis farthest from z, made square."""
    z = np.array(z, float)
    x = UNITS[np.argmin(np.abs(z))]
    x = x - z * (z @ x)
    x /= np.linalg.norm(x)
    return x, cross(z, x)
